! Atomics: what each gives and does, wrap-around, and sums that all PEs add to at the same time.
program amo
  include 'fortran/head.inc'
  integer, parameter :: turns = 200
  integer :: shmem_swap
  integer(4) :: shmem_int4_swap, shmem_int4_cswap, shmem_int4_fetch, shmem_int4_fadd, shmem_int4_finc
  integer(8) :: shmem_int8_swap, shmem_int8_cswap, shmem_int8_fetch, shmem_int8_fadd, shmem_int8_finc
  real(4) :: shmem_real4_swap, shmem_real4_fetch
  real(8) :: shmem_real8_swap, shmem_real8_fetch
  integer(4), save :: w4, sum4
  integer(8), save :: w8, sum8
  integer, save :: w
  real(4), save :: r4
  real(8), save :: r8
  integer :: i
  logical :: taken

  call shmem_init()
  call numbers()

#define INT 4
#define ON(x) shmem_int4_/**/x
#define W w4
#define SUM sum4
#define LIT(x) x/**/_4
#include "fortran/amo_ints.inc"
#undef INT
#undef ON
#undef W
#undef SUM
#undef LIT
#define INT 8
#define ON(x) shmem_int8_/**/x
#define W w8
#define SUM sum8
#define LIT(x) x/**/_8
#include "fortran/amo_ints.inc"

  r4 = 1.5_4
  r8 = 2.5_8
  w = 7
  call shmem_barrier_all()
  call check(shmem_real4_swap(r4, me + 0.25_4, right) == 1.5_4, 'real4_swap gives')
  call check(shmem_real8_swap(r8, me + 1e-9_8, right) == 2.5_8, 'real8_swap gives')
  call check(shmem_swap(w, -me, right) == 7, 'swap gives')
  call check(shmem_real4_fetch(r4, right) == me + 0.25_4, 'real4_fetch')
  call check(shmem_real8_fetch(r8, right) == me + 1e-9_8, 'real8_fetch')
  call shmem_barrier_all()
  call check(w == -left, 'swap writes')
  call shmem_real4_set(r4, -me - 0.5_4, right)
  call shmem_real8_set(r8, -me - 0.5_8, right)
  call shmem_barrier_all()
  call check(r4 == -left - 0.5_4, 'real4_set')
  call check(r8 == -left - 0.5_8, 'real8_set')
  call cray()
  call done()
contains
  ! The names of Cray's SHMEM without a type. The header declares the functions, and the last value needs all bits of a
  ! default integer.
  subroutine cray()
    w = 7
    call shmem_barrier_all()
    call check(shmem_cswap(w, 8, 9, right) == 7, 'cswap gives what it did not change')
    call check(shmem_cswap(w, 7, 10, right) == 7, 'cswap gives what it changed')
    call check(shmem_finc(w, right) == 10, 'finc gives')
    call check(shmem_fadd(w, 5, right) == 11, 'fadd gives')
    call shmem_add(w, huge(w) - 20, right)
    call shmem_inc(w, right)
    call shmem_barrier_all()
    call check(w == huge(w) - 3, 'inc and add write')
  end subroutine
  include 'fortran/check.inc'
end program
