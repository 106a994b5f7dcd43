! Reductions of all types on active sets: all PEs, every second, the last two. N is set small and large.
#ifndef N
#define N 5
#endif
program reduce
  include 'fortran/head.inc'
  integer, save :: psync1(SHMEM_REDUCE_SYNC_SIZE), psync2(SHMEM_REDUCE_SYNC_SIZE)
  call shmem_init()
  call numbers()
  psync1 = SHMEM_SYNC_VALUE
  psync2 = SHMEM_SYNC_VALUE
  call shmem_barrier_all()
  call on(0, 0, npes)
  call on(0, 1, (npes + 1) / 2)
  call on(max(0, npes - 2), 0, min(npes, 2))
  call done()
contains
  subroutine on(start, log_stride, size)
    integer, intent(in) :: start, log_stride, size
    call reduced_int2(start, log_stride, size)
    call reduced_int4(start, log_stride, size)
    call reduced_int8(start, log_stride, size)
    call reduced_real4(start, log_stride, size)
    call reduced_real8(start, log_stride, size)
    call reduced_real16(start, log_stride, size)
    call reduced_comp4(start, log_stride, size)
    call reduced_comp8(start, log_stride, size)
  end subroutine
#define ORDERED
#define BITS
#define NAME int2
#define TITLE 'int2'
#define VAR integer(2)
#define VALUE(x) int(x, 2)
#include "fortran/reduce_type.inc"
#define NAME int4
#define TITLE 'int4'
#define VAR integer(4)
#define VALUE(x) int(x, 4)
#include "fortran/reduce_type.inc"
#define NAME int8
#define TITLE 'int8'
#define VAR integer(8)
#define VALUE(x) int(x, 8)
#include "fortran/reduce_type.inc"
#undef BITS
#define NAME real4
#define TITLE 'real4'
#define VAR real(4)
#define VALUE(x) (x + 0.5_4)
#include "fortran/reduce_type.inc"
#define NAME real8
#define TITLE 'real8'
#define VAR real(8)
#define VALUE(x) (x + 0.25_8)
#include "fortran/reduce_type.inc"
#define NAME real16
#define TITLE 'real16'
#define VAR real(16)
#define VALUE(x) (x + 2 * epsilon(1._16))
#include "fortran/reduce_type.inc"
#undef ORDERED
#define NAME comp4
#define TITLE 'comp4'
#define VAR complex(4)
#define VALUE(x) cmplx(x, 1, 4)
#include "fortran/reduce_type.inc"
#define NAME comp8
#define TITLE 'comp8'
#define VAR complex(8)
#define VALUE(x) cmplx(x, 1, 8)
#include "fortran/reduce_type.inc"
  include 'fortran/aset.inc'
  include 'fortran/check.inc'
end program
