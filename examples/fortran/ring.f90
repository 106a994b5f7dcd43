! A token around the ring with the module: each PE waits for it, adds its number, and passes it on.
!
!   oshfort ring.f90 -o ring && oshrun -n 4 ./ring
program ring
  use shmem
  implicit none
  integer(c_int64_t), save, target :: token = -1
  integer(c_int) :: me, n
  integer(c_int64_t) :: expected

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  if (me == 0) call shmem_atomic_set(token, 0_c_int64_t, mod(1, n))
  call shmem_wait_until(token, SHMEM_CMP_NE, -1_c_int64_t)
  if (me /= 0) call shmem_atomic_set(token, token + me, mod(me + 1, n))
  call shmem_barrier_all()
  if (me == 0) then
    expected = int(n, c_int64_t) * (n - 1) / 2
    if (token /= expected) then
      print '(a,i0,a,i0)', 'WRONG: the token is ', token, ', expected ', expected
      call shmem_global_exit(1_c_int)
    end if
    print '(a,i0,a,i0)', 'ok: the token went to ', n, ' PEs and is ', token
  end if
  call shmem_finalize()
end program
