/* A file that is no driver: none of its functions are there. */
int libcuda_has_nothing;
