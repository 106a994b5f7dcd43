! As race.c, by the module.
program race
  use shmem
  use iso_c_binding
  implicit none
  integer(c_int), save :: box(1) = 0
  integer(c_int) :: values(1)
  values = 7
  call shmem_init()
  if (shmem_my_pe() == 0) call shmem_put(box, values, 1_c_size_t, 1_c_int) ! the race: no quiet before the sync
  call shmem_sync_all()
  if (shmem_my_pe() == 1 .and. box(1) /= 7) stop 1
  call shmem_finalize()
end program
