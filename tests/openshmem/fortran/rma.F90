! put, get and their nonblocking forms, for all types of default kind and all sizes.
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
#define SAME ==
#define PUT shmem_integer_put
#define GET shmem_integer_get
#define PUT_NBI shmem_integer_put_nbi
#define GET_NBI shmem_integer_get_nbi
#include "fortran/rma_type.inc"
#define NAME logical
#define TITLE 'logical'
#define VAR logical
#define VALUE(x) (mod(x, 3) == 1)
#define SAME .eqv.
#define PUT shmem_logical_put
#define GET shmem_logical_get
#define PUT_NBI shmem_logical_put_nbi
#define GET_NBI shmem_logical_get_nbi
#include "fortran/rma_type.inc"
#define NAME real
#define TITLE 'real'
#define VAR real
#define VALUE(x) (x + 0.25)
#define SAME ==
#define PUT shmem_real_put
#define GET shmem_real_get
#define PUT_NBI shmem_real_put_nbi
#define GET_NBI shmem_real_get_nbi
#include "fortran/rma_type.inc"
#define NAME double
#define TITLE 'double'
#define VAR double precision
#define VALUE(x) (x + 1d-9)
#define SAME ==
#define PUT shmem_double_put
#define GET shmem_double_get
#define PUT_NBI shmem_double_put_nbi
#define GET_NBI shmem_double_get_nbi
#include "fortran/rma_type.inc"
#define NAME complex
#define TITLE 'complex'
#define VAR complex
#define VALUE(x) cmplx(x, -x)
#define SAME ==
#define PUT shmem_complex_put
#define GET shmem_complex_get
#define PUT_NBI shmem_complex_put_nbi
#define GET_NBI shmem_complex_get_nbi
#include "fortran/rma_type.inc"
#define NAME character
#define TITLE 'character'
#define VAR character
#define VALUE(x) achar(33 + mod(x, 90))
#define SAME ==
#define PUT shmem_character_put
#define GET shmem_character_get
#define PUT_NBI shmem_character_put_nbi
#define GET_NBI shmem_character_get_nbi
#include "fortran/rma_type.inc"
#define NAME four
#define TITLE 'four'
#define VAR real(4)
#define VALUE(x) (x + 0.5_4)
#define SAME ==
#define PUT shmem_put4
#define GET shmem_get4
#define PUT_NBI shmem_put4_nbi
#define GET_NBI shmem_get4_nbi
#include "fortran/rma_type.inc"
#define NAME eight
#define TITLE 'eight'
#define VAR integer(8)
#define VALUE(x) (x + 2_8 ** 40)
#define SAME ==
#define PUT shmem_put8
#define GET shmem_get8
#define PUT_NBI shmem_put8_nbi
#define GET_NBI shmem_get8_nbi
#include "fortran/rma_type.inc"
#define NAME bits32
#define TITLE 'bits32'
#define VAR integer(4)
#define VALUE(x) int(x + 2 ** 20, 4)
#define SAME ==
#define PUT shmem_put32
#define GET shmem_get32
#define PUT_NBI shmem_put32_nbi
#define GET_NBI shmem_get32_nbi
#include "fortran/rma_type.inc"
#define NAME bits64
#define TITLE 'bits64'
#define VAR complex(4)
#define VALUE(x) cmplx(x, 7 * x, 4)
#define SAME ==
#define PUT shmem_put64
#define GET shmem_get64
#define PUT_NBI shmem_put64_nbi
#define GET_NBI shmem_get64_nbi
#include "fortran/rma_type.inc"
#define NAME bits128
#define TITLE 'bits128'
#define VAR complex(8)
#define VALUE(x) cmplx(x, 1d-9 * x, 8)
#define SAME ==
#define PUT shmem_put128
#define GET shmem_get128
#define PUT_NBI shmem_put128_nbi
#define GET_NBI shmem_get128_nbi
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
