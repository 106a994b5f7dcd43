! shpalloc, shpclmove and shpdeallc: blocks through Cray pointers, contents that move along, the error codes.
program heap
  include 'fortran/head.inc'
  integer, parameter :: words = 1000
  integer(4) :: block(words)
  real(8) :: other(words / 2)
  pointer (at, block), (behind, other)
  integer :: i, status
  integer(8) :: old, local
  call shmem_init()
  call numbers()

  status = 77
  call shpalloc(at, words, status, 0)
  call check(status == 0 .and. at /= 0 .and. mod(at, 16_8) == 0, 'shpalloc')
  call shpalloc(behind, words, status, 0)
  call check(status == 0 .and. abs(behind - at) >= 4 * words, 'a second block beside the first')
  block = int(me, 4)
  other = me + 0.5d0
  call shmem_barrier_all()
  call shmem_put32(block(3), [(int(100 * me + i, 4), i = 1, 5)], 5, right)
  call shmem_barrier_all()
  call check(block(2) == me .and. block(8) == me, 'around what was put')
  call check(all(block(3:7) == [(100 * left + i, i = 1, 5)]), 'put into a block')

  ! Smaller stays, larger moves when something lies behind.
  old = at
  call shpclmove(at, words / 2, status, 0)
  call check(status == 0 .and. at == old, 'shpclmove to less')
  call shpclmove(at, 100 * words, status, 0)
  call check(status == 1 .and. at /= old, 'shpclmove to more')
  call check(block(2) == me .and. all(block(3:7) == [(100 * left + i, i = 1, 5)]), 'contents move along')
  call check(all(other == me + 0.5d0), 'the other block is left alone')
  call shmem_barrier_all()
  call shmem_put32(block(3), [9_4], 1, right)
  call shmem_barrier_all()
  call check(block(3) == 9, 'put into the block that moved')
  call shmem_barrier_all()

  ! Errors: everybody gets the same code, nothing changes.
  old = at
  status = 77
  call shpalloc(at, 0, status, 0)
  call check(status == -1 .and. at == old, 'shpalloc of nothing')
  call shpalloc(at, -5, status, 0)
  call check(status == -1 .and. at == old, 'shpalloc of less than nothing')
  call shpclmove(at, 0, status, 0)
  call check(status == -1 .and. at == old, 'shpclmove to nothing')
  call shpclmove(at, int(huge(1_4)), status, 0)
  call check(status == -2 .and. at == old, 'shpclmove to too much')
  local = loc(status)
  call shpdeallc(local, status, 0)
  call check(status == -3, 'shpdeallc of a local variable')
  at = old + 4
  call shpdeallc(at, status, 0)
  call check(status == -5, 'shpdeallc inside a block')
  call shpclmove(at, words, status, 0)
  call check(status == -5 .and. at == old + 4, 'shpclmove inside a block')
  at = old
  call shpdeallc(at, status, 1)
  call check(status == 0, 'shpdeallc')
  call shpdeallc(at, status, 0)
  call check(status == -4, 'shpdeallc twice')
  call shpdeallc(behind, status, 0)
  call check(status == 0, 'shpdeallc of the other')
  ! A length that no heap has; the pointer is null then.
  call shpalloc(at, int(huge(1_4)), status, 0)
  call check(status == -2 .and. at == 0, 'shpalloc of too much')
  call done()
contains
  include 'fortran/check.inc'
end program
