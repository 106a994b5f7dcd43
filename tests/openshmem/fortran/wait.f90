! Waiting for words that another PE changes, each comparison; put, fence, flag; put, quiet, flag.
program waiting
  include 'fortran/head.inc'
  integer(4), save :: i4(7)
  integer(8), save :: i8(7)
  integer, save :: flag, data(100)
  integer :: i
  call shmem_init()
  call numbers()
  i4 = 10
  i8 = 10
  flag = 0
  data = 0
  call shmem_barrier_all()

  ! Everybody sets the words of the next PE, one after the other, and waits for the own ones.
  call shmem_int4_set(i4(1), 20_4, right)
  call shmem_int4_wait_until(i4(1), SHMEM_CMP_EQ, 20_4)
  call shmem_int4_set(i4(2), -20_4, right)
  call shmem_int4_wait_until(i4(2), SHMEM_CMP_NE, 10_4)
  call shmem_int4_set(i4(3), 11_4, right)
  call shmem_int4_wait_until(i4(3), SHMEM_CMP_GT, 10_4)
  call shmem_int4_set(i4(4), -1_4, right)
  call shmem_int4_wait_until(i4(4), SHMEM_CMP_LE, -1_4)
  call shmem_int4_set(i4(5), -1_4, right)
  call shmem_int4_wait_until(i4(5), SHMEM_CMP_LT, 0_4)
  call shmem_int4_set(i4(6), 12_4, right)
  call shmem_int4_wait_until(i4(6), SHMEM_CMP_GE, 11_4)
  call shmem_int4_set(i4(7), 0_4, right)
  call shmem_int4_wait(i4(7), 10_4)
  call check(all(i4 == [20, -20, 11, -1, -1, 12, 0]), 'int4_wait_until')

  call shmem_int8_set(i8(1), 2_8 ** 40, right)
  call shmem_int8_wait_until(i8(1), SHMEM_CMP_EQ, 2_8 ** 40)
  call shmem_int8_set(i8(2), 10_8 + 2_8 ** 32, right)
  call shmem_int8_wait_until(i8(2), SHMEM_CMP_NE, 10_8)
  call shmem_int8_set(i8(3), 2_8 ** 33, right)
  call shmem_int8_wait_until(i8(3), SHMEM_CMP_GT, 2_8 ** 32)
  call shmem_int8_set(i8(4), -2_8 ** 33, right)
  call shmem_int8_wait_until(i8(4), SHMEM_CMP_LE, -2_8 ** 33)
  call shmem_int8_set(i8(5), -2_8 ** 33, right)
  call shmem_int8_wait_until(i8(5), SHMEM_CMP_LT, 0_8)
  call shmem_int8_set(i8(6), 2_8 ** 33, right)
  call shmem_int8_wait_until(i8(6), SHMEM_CMP_GE, 2_8 ** 33)
  call shmem_int8_set(i8(7), 2_8 ** 33 + 10, right)
  call shmem_int8_wait(i8(7), 10_8)
  call check(i8(2) == 10_8 + 2_8 ** 32 .and. i8(7) == 2_8 ** 33 + 10, 'int8_wait_until')

  call shmem_integer_put(data, [(me + i, i = 1, 100)], 100, right)
  call shmem_fence()
  call shmem_integer_put(flag, 1, 1, right)
  call shmem_wait(flag, 0)
  call check(all(data == [(left + i, i = 1, 100)]), 'data before its flag, with fence')
  call shmem_barrier_all()
  call shmem_integer_put_nbi(data, [(-me - i, i = 1, 100)], 100, right)
  call shmem_quiet()
  call shmem_integer_put(flag, 2, 1, right)
  call shmem_wait_until(flag, SHMEM_CMP_EQ, 2)
  call check(all(data == [(-left - i, i = 1, 100)]), 'data before its flag, with quiet')

  ! For machines of before; nothing to see.
  call shmem_set_cache_inv()
  call shmem_clear_cache_inv()
  call shmem_set_cache_line_inv(flag)
  call shmem_clear_cache_line_inv(flag)
  call shmem_udcflush()
  call shmem_udcflush_line(flag)
  call done()
contains
  include 'fortran/check.inc'
end program
