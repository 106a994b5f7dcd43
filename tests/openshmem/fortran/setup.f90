! Start, end and queries by their new and old names; a SAVE variable is symmetric and a stack variable is not.
program setup
  include 'fortran/head.inc'
  integer :: my_pe, num_pes, shmem_init_thread
  integer, save :: saved(3)
  integer :: local(3), target(3)
  pointer (at, target)
  integer :: major, minor, level
  character(len=8) :: short
  character(len=SHMEM_MAX_NAME_LEN) :: exact
  character(len=80) :: long
  external :: shmem_init, shmem_info_get_version, shmem_info_get_name, shmem_query_thread, shmem_barrier_all

  call check(shmem_init_thread(SHMEM_THREAD_FUNNELED, level) == 0, 'init_thread gives 0')
  call check(level >= SHMEM_THREAD_FUNNELED .and. level <= SHMEM_THREAD_MULTIPLE, 'init_thread: level')
  minor = -1
  call shmem_query_thread(minor)
  call check(minor == level, 'query_thread')
  call numbers()
  call check(me >= 0 .and. me < npes, 'my_pe in range')
  call check(my_pe() == me .and. num_pes() == npes, 'old names')

  major = -1
  minor = -1
  call shmem_info_get_version(major, minor)
  call check(major == SHMEM_MAJOR_VERSION .and. minor == SHMEM_MINOR_VERSION, 'version')
  short = 'xxxxxxxx'
  call shmem_info_get_name(short)
  call check(short == SHMEM_VENDOR_STRING(1:8), 'name cut')
  exact = repeat('x', len(exact))
  call shmem_info_get_name(exact)
  call check(exact == SHMEM_VENDOR_STRING, 'name')
  long = repeat('x', len(long))
  call shmem_info_get_name(long)
  call check(long == SHMEM_VENDOR_STRING, 'name padded')

  call check(shmem_pe_accessible(0) .and. shmem_pe_accessible(npes - 1), 'PEs accessible')
  call check(.not. shmem_pe_accessible(npes) .and. .not. shmem_pe_accessible(-1), 'PEs not accessible')
  call check(shmem_addr_accessible(saved, npes - 1), 'SAVE variable accessible')
  call check(.not. shmem_addr_accessible(local, me), 'stack variable not accessible')
  call check(.not. shmem_addr_accessible(saved, npes), 'nobody accessible')

  saved = [me, me + 1, me + 2]
  call shmem_barrier_all()
  at = shmem_ptr(saved, right)
  if (at /= 0) then
    call check(all(target == right + [0, 1, 2]), 'ptr')
  else
    call check(.false., 'ptr is null')
  end if
  at = shmem_ptr(local, me)
  call check(at == 0, 'ptr of a stack variable')
  call shmem_barrier_all()
  call done()
contains
  include 'fortran/check.inc'
end program
