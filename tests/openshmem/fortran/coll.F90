! Collectives that move data, and barriers, on active sets: all PEs, every second, the last two.
program coll
  include 'fortran/head.inc'
  integer, save :: psync1(SHMEM_COLLECT_SYNC_SIZE), psync2(SHMEM_BCAST_SYNC_SIZE)
  call shmem_init()
  call numbers()
  psync1 = SHMEM_SYNC_VALUE
  psync2 = SHMEM_SYNC_VALUE
  call shmem_barrier_all()
  call on(0, 0, npes)
  call on(0, 1, (npes + 1) / 2)
  call on(max(0, npes - 2), 0, min(npes, 2))
  call check(all(psync1 == SHMEM_SYNC_VALUE) .and. all(psync2 == SHMEM_SYNC_VALUE), 'pSync is left as it was')
  call done()
contains
  subroutine on(start, log_stride, size)
    integer, intent(in) :: start, log_stride, size
    call moved4(start, log_stride, size)
    call moved8(start, log_stride, size)
    call moved32(start, log_stride, size)
    call moved64(start, log_stride, size)
    call turned32(start, log_stride, size)
    call turned64(start, log_stride, size)
    call met(start, log_stride, size)
  end subroutine

  ! What a member puts before a barrier, the others see behind it.
  subroutine met(start, log_stride, size)
    integer, intent(in) :: start, log_stride, size
    integer, save :: box
    integer :: turn, place, next
    if (member(start, log_stride, size)) then
      place = (me - start) / 2 ** log_stride
      next = start + mod(place + 1, size) * 2 ** log_stride
      do turn = 1, 20
        call shmem_integer_put(box, 100 * turn + next, 1, next)
        call shmem_barrier(start, log_stride, size, psync1)
        call check(box == 100 * turn + me, 'barrier')
        call shmem_sync(start, log_stride, size, psync2)
      end do
    end if
    call shmem_sync_all()
  end subroutine
#define SIZE 4
#define TITLE '4'
#define VAR real(4)
#define VALUE(x) (x + 0.5_4)
#include "fortran/coll_type.inc"
#define SIZE 8
#define TITLE '8'
#define VAR real(8)
#define VALUE(x) (x + 1d-9)
#include "fortran/coll_type.inc"
#define SIZE 32
#define TITLE '32'
#define VAR integer(4)
#define VALUE(x) int(x, 4)
#include "fortran/coll_type.inc"
#define SIZE 64
#define TITLE '64'
#define VAR complex(4)
#define VALUE(x) cmplx(x, -x, 4)
#include "fortran/coll_type.inc"
  include 'fortran/aset.inc'
  include 'fortran/check.inc'
end program
