! Pi by integration, with the interface of OpenSHMEM 1.4: a COMMON block, an active-set reduction, a broadcast by put.
!
!   oshfort pi.f90 -o pi && oshrun -n 4 ./pi
program pi
  implicit none
  include 'shmem.fh'
  integer, parameter :: steps = 1000000
  integer :: shmem_my_pe, shmem_n_pes, me, n, i
  integer, save :: psync(SHMEM_REDUCE_SYNC_SIZE) = SHMEM_SYNC_VALUE
  double precision, save :: pwrk(SHMEM_REDUCE_MIN_WRKDATA_SIZE)
  double precision :: mine, whole, x
  common /sums/ mine, whole

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  mine = 0
  do i = me, steps - 1, n
    x = (i + 0.5d0) / steps
    mine = mine + 4 / (1 + x * x) / steps
  end do
  ! psync must hold its value on all PEs.
  call shmem_barrier_all()
  call shmem_real8_sum_to_all(whole, mine, 1, 0, 0, n, pwrk, psync)
  if (abs(whole - acos(-1d0)) > 1d-9) then
    print *, 'WRONG: pi is', whole
    call shmem_global_exit(1)
  end if
  if (me == 0) print '(a,f12.10,a,i0,a)', 'ok: pi is ', whole, ' by ', n, ' PEs'
  call shmem_finalize()
end program
