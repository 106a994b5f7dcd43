! As race.c, by Fortran's own interface, shmem.fh.
program race
  implicit none
  include 'shmem.fh'
  integer, external :: shmem_my_pe
  integer, save :: box(1) = 0
  integer :: values(1)
  values = 7
  call shmem_init()
  if (shmem_my_pe() == 0) call shmem_integer_put(box, values, 1, 1) ! the race: no quiet before the sync
  call shmem_sync_all()
  if (shmem_my_pe() == 1 .and. box(1) /= 7) stop 1
  call shmem_finalize()
end program
