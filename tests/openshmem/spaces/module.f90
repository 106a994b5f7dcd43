! Spaces by the module `shmem`: one of the heap's kind, and one in a file.
program spaces
  use shmem
  implicit none
  type(shmemx_space_config_t) :: config
  type(shmemx_space_t) :: space
  integer(c_int), save :: failures = 0, all_failures = 0
  integer(c_int), pointer :: words(:)
  character(c_char), target, save :: path(5) = ['/', 't', 'm', 'p', c_null_char]
  integer(c_int) :: me, n, rc, kind
  type(c_ptr) :: at

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  do kind = SHMEMX_SPACE_DEFAULT, SHMEMX_SPACE_FILE, SHMEMX_SPACE_FILE
    config%size = 65536
    config%kind = kind
    config%path = c_loc(path)
    rc = shmemx_space_create(config, SHMEM_TEAM_WORLD, space)
    call check(rc == 0 .and. space%handle /= 0, 'space_create')
    at = shmemx_space_calloc(space, 10_c_size_t, 4_c_size_t)
    call check(c_associated(at), 'space_calloc')
    call c_f_pointer(at, words, [10])
    call shmem_put(words(2:), [me, me + 1], 2_c_size_t, mod(me + 1, n))
    call shmem_barrier_all()
    call check(words(1) == 0 .and. words(2) == mod(me + n - 1, n) .and. words(3) == words(2) + 1, 'put')
    call shmemx_space_free(space, at)
    rc = shmemx_space_destroy(space)
    call check(rc == 0, 'space_destroy')
  end do
  call shmem_atomic_add(all_failures, failures, 0)
  call shmem_barrier_all()
  if (me == 0 .and. all_failures == 0) print '(a)', 'ok'
  call shmem_finalize()
contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    failures = failures + 1
    write (0, '(a, i0, 2a)') 'PE ', me, ': ', what
  end subroutine
end program
