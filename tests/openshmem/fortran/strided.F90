! iput and iget, for all types of default kind and all sizes.
program strided
  include 'fortran/head.inc'
  call shmem_init()
  call numbers()
  call strided_integer()
  call strided_logical()
  call strided_real()
  call strided_double()
  call strided_complex()
  call strided_four()
  call strided_eight()
  call strided_bits32()
  call strided_bits64()
  call strided_bits128()
  call done()
contains
#define NAME integer
#define TITLE 'integer'
#define VAR integer
#define VALUE(x) (x)
#define SAME ==
#define IPUT shmem_integer_iput
#define IGET shmem_integer_iget
#include "fortran/strided_type.inc"
#define NAME logical
#define TITLE 'logical'
#define VAR logical
#define VALUE(x) (mod(x, 3) == 1)
#define SAME .eqv.
#define IPUT shmem_logical_iput
#define IGET shmem_logical_iget
#include "fortran/strided_type.inc"
#define NAME real
#define TITLE 'real'
#define VAR real
#define VALUE(x) (x + 0.25)
#define SAME ==
#define IPUT shmem_real_iput
#define IGET shmem_real_iget
#include "fortran/strided_type.inc"
#define NAME double
#define TITLE 'double'
#define VAR double precision
#define VALUE(x) (x + 1d-9)
#define SAME ==
#define IPUT shmem_double_iput
#define IGET shmem_double_iget
#include "fortran/strided_type.inc"
#define NAME complex
#define TITLE 'complex'
#define VAR complex
#define VALUE(x) cmplx(x, -x)
#define SAME ==
#define IPUT shmem_complex_iput
#define IGET shmem_complex_iget
#include "fortran/strided_type.inc"
#define NAME four
#define TITLE 'four'
#define VAR real(4)
#define VALUE(x) (x + 0.5_4)
#define SAME ==
#define IPUT shmem_iput4
#define IGET shmem_iget4
#include "fortran/strided_type.inc"
#define NAME eight
#define TITLE 'eight'
#define VAR integer(8)
#define VALUE(x) (x + 2_8 ** 40)
#define SAME ==
#define IPUT shmem_iput8
#define IGET shmem_iget8
#include "fortran/strided_type.inc"
#define NAME bits32
#define TITLE 'bits32'
#define VAR integer(4)
#define VALUE(x) int(x + 2 ** 20, 4)
#define SAME ==
#define IPUT shmem_iput32
#define IGET shmem_iget32
#include "fortran/strided_type.inc"
#define NAME bits64
#define TITLE 'bits64'
#define VAR complex(4)
#define VALUE(x) cmplx(x, 7 * x, 4)
#define SAME ==
#define IPUT shmem_iput64
#define IGET shmem_iget64
#include "fortran/strided_type.inc"
#define NAME bits128
#define TITLE 'bits128'
#define VAR complex(8)
#define VALUE(x) cmplx(x, 1d-9 * x, 8)
#define SAME ==
#define IPUT shmem_iput128
#define IGET shmem_iget128
#include "fortran/strided_type.inc"
  include 'fortran/check.inc'
end program
