! What is symmetric in Fortran: COMMON, SAVE, module variables, initialised variables, and those of the main program
! that have SAVE; large ones too.
module statics_module
  implicit none
  integer :: in_module(10) = 5
  real(8), allocatable :: not_symmetric(:)
end module

program statics
  use statics_module
  include 'fortran/head.inc'
  integer, save :: saved(10)
  integer, save :: initialised(10) = 3
  integer :: by_common(10)
  real(8) :: large(2000000)
  common /blank/ by_common
  common /big/ large
  call shmem_init()
  call numbers()
  saved = -1
  by_common = -1
  large(2000000) = -1
  call shmem_barrier_all()
  call shmem_integer_put(saved(2), me, 1, right)
  call shmem_integer_put(initialised(2), me, 1, right)
  call shmem_integer_put(by_common(2), me, 1, right)
  call shmem_integer_put(in_module(2), me, 1, right)
  call shmem_double_put(large(2000000), real(me, 8), 1, right)
  call shmem_barrier_all()
  call check(saved(2) == left .and. saved(1) == -1, 'SAVE')
  call check(initialised(2) == left .and. initialised(1) == 3, 'initialised')
  call check(by_common(2) == left .and. by_common(1) == -1, 'COMMON')
  call check(in_module(2) == left .and. in_module(1) == 5, 'module')
  call check(large(2000000) == left, 'large COMMON')
  allocate (not_symmetric(2))
  call check(.not. shmem_addr_accessible(not_symmetric, me), 'ALLOCATABLE is not symmetric')
  call done()
contains
  include 'fortran/check.inc'
end program
