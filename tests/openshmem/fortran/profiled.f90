! A profiling tool's routines (profiled_tool.c) stand before the library's, which they reach under their p names.
program profiled
  implicit none
  include 'shmem.fh'
  integer :: shmem_my_pe, shmem_n_pes, pshmem_my_pe
  integer, save :: there(3)
  integer :: me, npes, right
  integer(4) :: puts_seen
  external :: puts_seen
  call shmem_init()
  me = shmem_my_pe()
  npes = shmem_n_pes()
  right = mod(me + 1, npes)
  there = -1
  call shmem_barrier_all()
  call shmem_integer_put(there, [me, me, me], 3, right)
  call shmem_integer_put(there(2), [me], 1, right)
  call pshmem_integer_put(there(3), [7], 1, right)
  call shmem_barrier_all()
  call check(all(there == [mod(me + npes - 1, npes), mod(me + npes - 1, npes), 7]), 'puts behind the tool')
  call check(puts_seen() == 2, 'puts that the tool has seen')
  call check(pshmem_my_pe() == me, 'pshmem_my_pe')
  call done()
contains
  include 'fortran/check.inc'
end program
