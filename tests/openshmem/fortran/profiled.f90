! A profiling tool's routines (profiled_tool.c) stand before the library's, which they reach under their p names.
program profiled
  include 'fortran/head.inc'
  integer :: pshmem_my_pe
  integer, save :: there(3)
  integer(4) :: puts_seen
  external :: puts_seen
  call shmem_init()
  call numbers()
  there = -1
  call shmem_barrier_all()
  call shmem_integer_put(there, [me, me, me], 3, right)
  call shmem_integer_put(there(2), [me], 1, right)
  call pshmem_integer_put(there(3), [7], 1, right)
  call shmem_barrier_all()
  call check(all(there == [left, left, 7]), 'puts behind the tool')
  call check(puts_seen() == 2, 'puts that the tool has seen')
  call check(pshmem_my_pe() == me, 'pshmem_my_pe')
  call done()
contains
  include 'fortran/check.inc'
end program
