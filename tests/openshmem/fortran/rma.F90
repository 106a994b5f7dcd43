! put, get, iput, iget and nonblocking forms, for all types of default kind and all sizes. A block of definitions stands
! for one of them: TYPE is a part of the names of its routines, or SIZE is.
program rma
  include 'fortran/head.inc'
  call shmem_init()
  call numbers()
  call rma_integer()
  call rma_logical()
  call rma_real()
  call rma_double()
  call rma_complex()
  call rma_character()
  call rma_four()
  call rma_eight()
  call rma_bits32()
  call rma_bits64()
  call rma_bits128()
  call texts()
  call bytes()
  call old_put()
  call done()
contains
#define NAME integer
#define TITLE 'integer'
#define VAR integer
#define VALUE(x) (x)
#define TYPE integer_
#include "fortran/rma_type.inc"
#define NAME logical
#define TITLE 'logical'
#define VAR logical
#define VALUE(x) (mod(x, 3) == 1)
#define SAME .eqv.
#define TYPE logical_
#include "fortran/rma_type.inc"
#define NAME real
#define TITLE 'real'
#define VAR real
#define VALUE(x) (x + 0.25)
#define TYPE real_
#include "fortran/rma_type.inc"
#define NAME double
#define TITLE 'double'
#define VAR double precision
#define VALUE(x) (x + 1d-9)
#define TYPE double_
#include "fortran/rma_type.inc"
#define NAME complex
#define TITLE 'complex'
#define VAR complex
#define VALUE(x) cmplx(x, -x)
#define TYPE complex_
#include "fortran/rma_type.inc"
#define NAME character
#define TITLE 'character'
#define VAR character
#define VALUE(x) achar(33 + mod(x, 90))
#define TYPE character_
#define DENSE_ONLY
#include "fortran/rma_type.inc"
#define NAME four
#define TITLE 'four'
#define VAR real(4)
#define VALUE(x) (x + 0.5_4)
#define SIZE 4
#include "fortran/rma_type.inc"
#define NAME eight
#define TITLE 'eight'
#define VAR integer(8)
#define VALUE(x) (x + 2_8 ** 40)
#define SIZE 8
#include "fortran/rma_type.inc"
#define NAME bits32
#define TITLE 'bits32'
#define VAR integer(4)
#define VALUE(x) int(x + 2 ** 20, 4)
#define SIZE 32
#include "fortran/rma_type.inc"
#define NAME bits64
#define TITLE 'bits64'
#define VAR complex(4)
#define VALUE(x) cmplx(x, 7 * x, 4)
#define SIZE 64
#include "fortran/rma_type.inc"
#define NAME bits128
#define TITLE 'bits128'
#define VAR complex(8)
#define VALUE(x) cmplx(x, 1d-9 * x, 8)
#define SIZE 128
#include "fortran/rma_type.inc"

  ! nelems counts characters, whatever the lengths of the variables.
  subroutine texts()
    character(len=12), save :: text(2)
    character(len=7) :: piece
    character(len=20) :: got
    text = '............'
    piece = 'abcdefg'
    call shmem_barrier_all()
    call shmem_character_put(text(1)(11:), piece, 5, right)
    call shmem_barrier_all()
    call check(text(1) == '..........ab' .and. text(2) == 'cde.........', 'character_put over two variables')
    got = repeat('-', 20)
    call shmem_character_get(got(3:), text(1)(10:), 6, right)
    call check(got == '--.abcde------------', 'character_get')
    call shmem_barrier_all()
  end subroutine

  subroutine bytes()
    integer(1), save :: there(11)
    integer(1) :: from(7), back(11)
    integer :: i
    from = [(int(i, 1), i = 1, 7)]
    there = -1
    call shmem_barrier_all()
    call shmem_putmem(there(2), from, 7, right)
    call shmem_barrier_all()
    call check(all(there == [-1, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1]), 'putmem')
    call shmem_barrier_all()
    call shmem_putmem_nbi(there(9), from(5), 2, right)
    call shmem_barrier_all()
    call check(all(there == [-1, 1, 2, 3, 4, 5, 6, 7, 5, 6, -1]), 'putmem_nbi')
    back = 0
    call shmem_getmem(back(3), there(2), 3, right)
    call shmem_getmem_nbi(back(7), there(9), 2, right)
    call shmem_quiet()
    call check(all(back == [0, 0, 1, 2, 3, 0, 5, 6, 0, 0, 0]), 'getmem')
    call shmem_barrier_all()
  end subroutine

  ! Without a size, 64 bits.
  subroutine old_put()
    real(8), save :: there(3)
    real(8) :: got(3)
    there = 0
    call shmem_barrier_all()
    call shmem_put(there(2), [1.5_8, 2.5_8], 1, right)
    call shmem_barrier_all()
    call check(all(there == [0._8, 1.5_8, 0._8]), 'shmem_put')
    ! Cray's counterpart.
    there = me + [0.25_8, 0.5_8, 0.75_8]
    got = -1
    call shmem_barrier_all()
    call shmem_get(got(2), there(2), 1, right)
    call check(all(got == [-1._8, right + 0.5_8, -1._8]), 'shmem_get')
  end subroutine
  include 'fortran/check.inc'
end program
