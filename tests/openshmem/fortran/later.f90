! Nonblocking calls on automatic variables, which a compiler may keep in registers where nothing says that they change
! later:
! what a get brings is there behind quiet, and what a put takes is what stood there before it.
program later
  use, intrinsic :: iso_c_binding
  use shmem
  implicit none
  real(c_double), save :: box(4), news(4)
  integer(c_int) :: me, npes, right, left, round, failed
  real(c_double) :: got

  failed = 0
  call shmem_init()
  me = shmem_my_pe()
  npes = shmem_n_pes()
  right = mod(me + 1, npes)
  left = mod(me + npes - 1, npes)
  do round = 1, 100
    box = round * 1000 + me
    call shmem_barrier_all()
    call fetch(right, me, round, got)
    if (got /= round * 1000 + right .and. right /= me) failed = failed + 1
    call give(right, me, round)
    call shmem_barrier_all()
    if (news(1) /= round * 2000 + left .and. left /= me) failed = failed + 1
    call shmem_barrier_all()
  end do
  if (failed /= 0) write (0, *) 'PE', me, ':', failed, 'of 200 are wrong'
  call shmem_barrier_all()
  if (me == 0 .and. failed == 0) print '(a)', 'ok'
  call shmem_finalize()
  if (failed /= 0) stop 1
contains
  subroutine fetch(pe, own, number, x)
    integer(c_int), intent(in) :: pe, own, number
    real(c_double), intent(out) :: x
    real(c_double) :: buffer(1)
    buffer(1) = -number
    if (own /= pe) call shmem_double_get_nbi(buffer, box, 1_c_size_t, pe)
    call shmem_quiet()
    x = buffer(1)
  end subroutine
  subroutine give(pe, own, number)
    integer(c_int), intent(in) :: pe, own, number
    real(c_double) :: buffer(1)
    buffer(1) = number * 2000 + own
    if (own /= pe) call shmem_double_put_nbi(news, buffer, 1_c_size_t, pe)
    call shmem_quiet()
    buffer(1) = -number
    if (own /= pe) call shmem_double_put(box(2:2), buffer, 1_c_size_t, pe)
  end subroutine
end program
