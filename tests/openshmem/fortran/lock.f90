! Locks of default INTEGER kind: an array of them, so that every PE is home of some, guarding counters that are read and
! written apart; set and test mixed. Afterwards all lock variables are 0 again, and beside them nothing has changed.
program lock
  include 'fortran/head.inc'
  integer, parameter :: turns = 60, locks = 5
  integer :: shmem_test_lock
  integer, save :: words(0:locks + 1), counter(locks)
  integer :: turn, l, value
  call shmem_init()
  call numbers()
  words = 0
  words(0) = -1
  words(locks + 1) = -1
  counter = 0
  call shmem_barrier_all()
  do turn = 1, turns
    l = 1 + mod(turn + me, locks)
    if (mod(turn, 3) == 0) then
      do while (shmem_test_lock(words(l)) /= 0)
      end do
    else
      call shmem_set_lock(words(l))
    end if
    call shmem_integer_get(value, counter(l), 1, 0)
    value = value + 1
    call shmem_integer_put(counter(l), value, 1, 0)
    call shmem_clear_lock(words(l))
  end do
  call shmem_barrier_all()
  if (me == 0) call check(sum(counter) == turns * npes, 'one PE at a time')
  call check(all(words(1:locks) == 0) .and. words(0) == -1 .and. words(locks + 1) == -1, 'locks are 0 again')

  ! A lock that is held is not given, to anybody.
  call shmem_barrier_all()
  if (me == 0) call shmem_set_lock(words(2))
  call shmem_barrier_all()
  if (me /= 0) call check(shmem_test_lock(words(2)) == 1, 'test_lock of a lock that is held')
  call shmem_barrier_all()
  if (me == 0) call shmem_clear_lock(words(2))
  call shmem_barrier_all()
  call done()
contains
  include 'fortran/check.inc'
end program
