! Mistakes: each ends the job with one line that names the Fortran routine.
program misuse
  implicit none
  include 'shmem.fh'
  integer :: shmem_my_pe, shmem_n_pes
  integer, save :: there(4), word
  integer(8) :: addr
  integer :: local(4), status, n
  character(len=16) :: which
  call get_command_argument(1, which)
  if (which == 'early') call shmem_barrier_all()
  call shmem_init()
  n = shmem_n_pes()
  there = 0
  word = 0
  if (which == 'junk') word = 5
  local = shmem_my_pe()
  call shmem_barrier_all()
  ! One PE makes the mistake; the others wait for it.
  if (shmem_my_pe() < n - 1) which = 'none'
  select case (which)
  case ('pe')
    call shmem_integer_put(there, local, 1, n)
  case ('count')
    call shmem_real_get(local, there, -1, 0)
  case ('symmetric')
    call shmem_put8(local, there, 1, 0)
  case ('stride')
    call shmem_iput4(there, local, 0, 1, 2, 0)
  case ('cmp')
    call shmem_wait_until(word, 17, 0)
  case ('lock')
    call shmem_clear_lock(word)
  case ('junk')
    call shmem_set_lock(word)
  case ('room')
    call shpalloc(addr, int(huge(1_4)), status, 1)
  case ('length')
    call shpalloc(addr, 0, status, 1)
  case ('block')
    addr = loc(local)
    call shpdeallc(addr, status, 1)
  case ('many')
    ! A count that no 4-byte integer holds.
    n = huge(1_4)
    n = n + 9
    call shmem_int4_sum_to_all(there, there, n, 0, 0, shmem_n_pes(), local, there)
  case ('set')
    call shmem_broadcast4(there, there, 1, 0, 0, 0, n + 1, there)
  end select
  call shmem_barrier_all()
  write (*, '(A)') 'still here'
end program
