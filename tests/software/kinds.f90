! All bytes of default kinds have to move, however wide these are. What is written and not flushed has to come out when
! the job ends early.
program kinds
  implicit none
  include 'shmem.fh'
  integer, save :: i(4) = 0
  real, save :: x(4) = 0
  double precision, save :: d(4) = 0
  integer k, shmem_my_pe, shmem_n_pes
  call shmem_init()
  k = mod(shmem_my_pe() + 1, shmem_n_pes())
  call shmem_integer_put(i, [1, 2, 3, 4], 4, k)
  call shmem_real_put(x, [1., 2., 3., 4.], 4, k)
  call shmem_double_put(d, [1d0, 2d0, 3d0, 4d0], 4, k)
  call shmem_barrier_all()
  if (shmem_my_pe() == 0) then
    write (*, '(2(i0,1x),3(f0.0,1x))') storage_size(i), sum(i), sum(x), d(4), sum(d)
    call shmem_global_exit(7)
  end if
  call shmem_barrier_all()
end program
