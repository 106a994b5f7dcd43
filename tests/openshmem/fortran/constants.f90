! The constants of shmem.fh have the values of shmem.h: constants_c.c gives those by name.
program constants
  use, intrinsic :: iso_c_binding
  include 'fortran/head.inc'
  interface
    function value_in_c(name) bind(C)
      import :: c_long, c_char
      integer(c_long) :: value_in_c
      character(c_char), intent(in) :: name(*)
    end function
    function vendor_in_c(text, length) bind(C)
      import :: c_int, c_char
      integer(c_int) :: vendor_in_c
      character(c_char), intent(in) :: text(*)
      integer(c_int), value :: length
    end function
  end interface
  external :: shmem_init

  call shmem_init()
  call numbers()
  call same('SHMEM_MAJOR_VERSION', SHMEM_MAJOR_VERSION)
  call same('SHMEM_MINOR_VERSION', SHMEM_MINOR_VERSION)
  call same('SHMEM_MAX_NAME_LEN', SHMEM_MAX_NAME_LEN)
  call same('SHMEM_THREAD_SINGLE', SHMEM_THREAD_SINGLE)
  call same('SHMEM_THREAD_FUNNELED', SHMEM_THREAD_FUNNELED)
  call same('SHMEM_THREAD_SERIALIZED', SHMEM_THREAD_SERIALIZED)
  call same('SHMEM_THREAD_MULTIPLE', SHMEM_THREAD_MULTIPLE)
  call same('SHMEM_CMP_EQ', SHMEM_CMP_EQ)
  call same('SHMEM_CMP_NE', SHMEM_CMP_NE)
  call same('SHMEM_CMP_GT', SHMEM_CMP_GT)
  call same('SHMEM_CMP_LE', SHMEM_CMP_LE)
  call same('SHMEM_CMP_LT', SHMEM_CMP_LT)
  call same('SHMEM_CMP_GE', SHMEM_CMP_GE)
  call same('SHMEM_SYNC_VALUE', SHMEM_SYNC_VALUE)
  call same('SHMEM_SYNC_SIZE', SHMEM_SYNC_SIZE)
  call same('SHMEM_BARRIER_SYNC_SIZE', SHMEM_BARRIER_SYNC_SIZE)
  call same('SHMEM_BCAST_SYNC_SIZE', SHMEM_BCAST_SYNC_SIZE)
  call same('SHMEM_COLLECT_SYNC_SIZE', SHMEM_COLLECT_SYNC_SIZE)
  call same('SHMEM_REDUCE_SYNC_SIZE', SHMEM_REDUCE_SYNC_SIZE)
  call same('SHMEM_ALLTOALL_SYNC_SIZE', SHMEM_ALLTOALL_SYNC_SIZE)
  call same('SHMEM_ALLTOALLS_SYNC_SIZE', SHMEM_ALLTOALLS_SYNC_SIZE)
  call same('SHMEM_REDUCE_MIN_WRKDATA_SIZE', SHMEM_REDUCE_MIN_WRKDATA_SIZE)
  call check(len(SHMEM_VENDOR_STRING) == SHMEM_MAX_NAME_LEN, 'length of the vendor string')
  call check(vendor_in_c(SHMEM_VENDOR_STRING, int(len_trim(SHMEM_VENDOR_STRING), c_int)) == 1, 'vendor string')
  call done()
contains
  subroutine same(name, value)
    character(*), intent(in) :: name
    integer, intent(in) :: value
    call check(int(value, c_long) == value_in_c(name // c_null_char), name)
  end subroutine
  include 'fortran/check.inc'
end program
