C     A program of before OpenSHMEM: fixed form, mpp/shmem.fh, COMMON,
C     start_pes, no end of its own. MPI's header and clock are there.
      program fixed
      implicit none
      include 'mpif.h'
      include 'mpp/shmem.fh'
      integer num_pes, my_pe
      integer me, n, i, mine(4), theirs(4)
      double precision t0, t1, total, part
      double precision pwrk(max(2, SHMEM_REDUCE_MIN_WRKDATA_SIZE))
      integer psync(SHMEM_REDUCE_SYNC_SIZE)
      common /shared/ mine, theirs, total, part, pwrk, psync
      save /shared/
      data psync /SHMEM_REDUCE_SYNC_SIZE*SHMEM_SYNC_VALUE/

      call start_pes(0)
      me = my_pe()
      n = num_pes()
      t0 = mpi_wtime()
      do 10 i = 1, 4
         mine(i) = 10*me + i
   10 continue
      part = me + 1
      call shmem_barrier_all
      call shmem_integer_put(theirs, mine, 4, mod(me + 1, n))
      call shmem_barrier_all
      do 20 i = 1, 4
         if (theirs(i) .ne. 10*mod(me + n - 1, n) + i) then
            write (0, *) 'PE', me, ': element', i, ' is', theirs(i)
            call shmem_global_exit(1)
         endif
   20 continue
      call shmem_real8_sum_to_all(total, part, 1, 0, 0, n, pwrk, psync)
      if (total .ne. n*(n + 1)/2) then
         write (0, *) 'PE', me, ': sum is', total
         call shmem_global_exit(1)
      endif
      t1 = mpi_wtime()
      if (t1 .lt. t0 .or. t1 - t0 .gt. 1000.d0) then
         write (0, *) 'PE', me, ': mpi_wtime goes from', t0, ' to', t1
         call shmem_global_exit(1)
      endif
      call shmem_barrier_all
      if (me .eq. 0) write (*, '(A)') 'ok'
      end
