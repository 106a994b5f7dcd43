/* Compares the values of OSHMPI_TRANSPORT in jobs that `launcher`, a command and its options, starts. Each of them
 * takes about so many seconds. Writes the best one to the site's file, which is the prefix's if `file` is NULL. Gives
 * the exit code. */
int transports(const char *file, double seconds, char **launcher);
