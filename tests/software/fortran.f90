! Needs all that oshfort adds: the module's constants, a Cray pointer, arguments of two types, X'..'.
program fortran
  use shmem
  implicit none
  call shmem_init()
  call old(mod(shmem_my_pe() + 1, shmem_n_pes()))
  print '(a,i0,a,i0)', 'member ', shmem_team_my_pe(SHMEM_TEAM_WORLD), ' of ', shmem_team_n_pes(SHMEM_TEAM_WORLD)
  call shmem_finalize()
end program

subroutine old(right)
  include 'shmem.fh'
  integer right, status, mask
  integer(8) words(2)
  pointer (at, words)
  parameter (mask = X'7fff')
  call shpalloc(at, 4, status, 0)
  call shmem_put8(words(1), 7_8, 1, right)
  call shmem_put8(words(2), 0.5d0, 1, right)
  call shmem_barrier_all()
  if (status /= 0 .or. iand(words(1), int(mask, 8)) /= 7 .or. transfer(words(2), 1d0) /= 0.5d0) stop 'old: wrong words'
end subroutine
