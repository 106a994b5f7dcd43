! The module `shmem`: generic names, teams, contexts, signals, heap through pointers, arguments that are left out.
program module_shmem
  use shmem
  implicit none
  integer(c_int), save :: there(10), total, failures = 0, all_failures = 0
  integer(c_int64_t), save :: sum64, signal
  real(c_double), save :: numbers(4), sums(4)
  complex(c_double_complex), save :: z(2), zs(2)
  character(c_char), save :: letters(3)
  integer(c_int), pointer :: heap(:)
  integer(c_int64_t) :: before
  type(c_ptr) :: at
  type(shmem_team_t) :: evens, missing
  type(shmemx_req_t) :: req
  type(shmem_ctx_t) :: ctx
  type(shmem_team_config_t) :: config
  integer(c_int) :: me, n, right, left, level, rc, i, flag
  integer(c_size_t) :: found
  character(c_char) :: name(SHMEM_MAX_NAME_LEN)

  rc = shmem_init_thread(SHMEM_THREAD_SINGLE, level)
  call check(rc == 0 .and. level >= SHMEM_THREAD_SINGLE, 'init_thread')
  me = shmem_my_pe()
  n = shmem_n_pes()
  right = mod(me + 1, n)
  left = mod(me + n - 1, n)
  call shmem_query_initialized(flag)
  call check(flag == 1, 'query_initialized')
  call shmem_info_get_name(name)
  call check(all(name(1:6) == ['o', 's', 'h', 'm', 'p', 'i']), 'info_get_name')

  ! put and get of several kinds by one name, arrays and scalars through the sized form.
  there = -1
  numbers = 0
  letters = '-'
  call shmem_barrier_all()
  call shmem_put(there, [me, me + 1, me + 2], 3_c_size_t, right)
  call shmem_put(numbers, [me + 0.5d0], 1_c_size_t, right)
  call shmem_put(letters, ['x', 'y'], 2_c_size_t, right)
  call shmem_p(there(4), me, right)
  call shmem_put32(there(5), me, 1_c_size_t, right)
  call shmem_iput(there(6:), [7_c_int, 8_c_int], 2_c_intptr_t, 1_c_intptr_t, 2_c_size_t, right)
  call shmem_barrier_all()
  call check(all(there == [left, left + 1, left + 2, left, left, 7, -1, 8, -1, -1]), 'put')
  call check(numbers(1) == left + 0.5d0 .and. numbers(2) == 0, 'put of doubles')
  call check(all(letters == ['x', 'y', '-']), 'put of characters')
  call check(shmem_g(there(2), right) == me + 1, 'g')
  call shmem_barrier_all()

  ! Heap.
  at = shmem_malloc(100_c_size_t)
  call c_f_pointer(at, heap, [25])
  heap = me
  call shmem_barrier_all()
  call shmem_get(there, heap, 2_c_size_t, right)
  call check(all(there(1:2) == right), 'get from the heap')
  call check(shmem_addr_accessible(at, right) == 1, 'addr_accessible')
  call shmem_barrier_all()
  call shmem_free(at)

  ! Atomics.
  sum64 = 0
  total = 0
  call shmem_barrier_all()
  before = shmem_atomic_fetch_add(sum64, 2_c_int64_t, 0_c_int)
  call shmem_atomic_inc(total, 0_c_int)
  call shmem_barrier_all()
  call check(mod(before, 2_c_int64_t) == 0, 'atomic_fetch_add')
  if (me == 0) call check(sum64 == 2 * n .and. total == n, 'atomic sums')
  call check(shmem_atomic_fetch(total, 0_c_int) == n, 'atomic_fetch')

  ! The names and lengths of Cray's Fortran, by type.
  call shmem_barrier_all()
  there = -1
  numbers = 0
  total = 5
  sum64 = 0
  call shmem_barrier_all()
  call shmem_put(there, [me, me + 1], 2, right)
  call shmem_put(numbers, [me + 0.5d0], 1, right)
  call shmem_barrier_all()
  call check(all(there(1:3) == [left, left + 1, -1]) .and. numbers(1) == left + 0.5d0, 'put of a default length')
  call shmem_get(numbers(2:), numbers, 1, right)
  call check(numbers(2) == me + 0.5d0, 'get of a default length')
  call shmem_barrier_all()
  before = shmem_fadd(sum64, 2_c_int64_t, 0) + shmem_finc(sum64, 0)
  call shmem_barrier_all()
  if (me == 0) call check(sum64 == 3 * n, 'fadd and finc')
  call shmem_barrier_all()
  call check(shmem_swap(total, me, me) == 5, 'swap')
  call check(shmem_cswap(total, me, 9, me) == me, 'cswap')
  call check(shmem_fetch(total, me) == 9, 'fetch')
  call check(shmem_swap(numbers(3), 1.5d0, me) == 0, 'swap of doubles')
  call check(shmem_g(numbers(3), me) == 1.5d0, 'swapped double')

  ! A context, and a put with a signal on it.
  signal = 0
  rc = shmem_ctx_create(0_c_long, ctx)
  call check(rc == 0, 'ctx_create')
  call shmem_barrier_all()
  call shmem_put_signal(ctx, there, [me, me], 2_c_size_t, signal, 5_c_int64_t, SHMEM_SIGNAL_OP_ADD, right)
  call shmem_quiet()
  call check(shmem_signal_wait_until(signal, SHMEM_CMP_NE, 0_c_int64_t) == 5, 'signal_wait_until')
  call check(all(there(1:2) == left), 'put_signal')
  call shmem_barrier_all()
  call shmem_signal_set(ctx, signal, 7_c_int64_t, right)
  call shmem_ctx_quiet(ctx)
  call shmem_barrier_all()
  call shmem_signal_add(ctx, signal, 1_c_int64_t, right)
  call shmem_signal_add(signal, 2_c_int64_t, right)
  call check(shmem_signal_wait_until(signal, SHMEM_CMP_EQ, 10_c_int64_t) == 10, 'signal_set and signal_add')
  call shmem_ctx_destroy(ctx)

  ! Waiting for one of several, with and without a mask.
  there = 0
  call shmem_barrier_all()
  call shmem_atomic_set(there(3), 9_c_int, right)
  found = shmem_wait_until_any(there, 10_c_size_t, cmp=SHMEM_CMP_EQ, cmp_value=9_c_int)
  call check(found == 2, 'wait_until_any without status')
  there = 9
  found = shmem_wait_until_any(there, 10_c_size_t, [(merge(0_c_int, 1_c_int, i == 5), i = 1, 10)], &
                               SHMEM_CMP_EQ, 9_c_int)
  call check(found == 4, 'wait_until_any with status')
  call shmem_barrier_all()

  ! Teams: every second PE, with and without a configuration.
  evens = SHMEM_TEAM_INVALID
  rc = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0_c_int, 2_c_int, (n + 1_c_int) / 2_c_int, config_mask=0_c_long, &
                                new_team=evens)
  call check(rc == 0, 'team_split_strided')
  numbers = me
  z = cmplx(me, -me, c_double_complex)
  if (mod(me, 2) == 0) then
    call check(shmem_team_my_pe(evens) == me / 2 .and. shmem_team_n_pes(evens) == (n + 1) / 2, 'team')
    config%num_contexts = -1
    rc = shmem_team_get_config(evens, SHMEM_TEAM_NUM_CONTEXTS, config)
    call check(rc == 0 .and. config%num_contexts == 0, 'team_get_config')
    rc = shmem_sum_reduce(evens, sums, numbers, 4_c_size_t)
    call check(rc == 0 .and. all(sums == sum([(real(i, c_double), i = 0, n - 1, 2)])), 'sum_reduce on a team')
    rc = shmem_sync(evens)
  else
    call check(evens%handle == SHMEM_TEAM_INVALID%handle, 'no member')
  end if
  call shmem_barrier_all()
  rc = shmem_sum_reduce(SHMEM_TEAM_WORLD, zs, z, 2_c_size_t)
  call check(rc == 0 .and. all(zs == cmplx(n * (n - 1) / 2, -n * (n - 1) / 2, c_double_complex)), 'complex sum_reduce')
  ! Collectives that are started.
  zs = 0
  rc = shmemx_sum_reduce_nb(SHMEM_TEAM_WORLD, zs, z, 2_c_size_t, req)
  do while (shmemx_req_test(req) /= 0)
  end do
  call check(rc == 0 .and. all(zs == cmplx(n * (n - 1) / 2, -n * (n - 1) / 2, c_double_complex)), 'sum_reduce_nb')
  rc = shmemx_barrier_all_nb(req)
  call shmemx_req_wait(req)
  call check(rc == 0 .and. req%handle == 0, 'barrier_all_nb')
  call shmem_team_destroy(evens)
  missing = SHMEM_TEAM_INVALID
  call check(shmem_team_my_pe(missing) == -1, 'my_pe in no team')
  call finish()
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    write (0, '(A, I0, 2A)') 'PE ', shmem_my_pe(), ': not so: ', what
  end subroutine

  subroutine finish()
    call shmem_barrier_all()
    call shmem_atomic_add(all_failures, failures, 0_c_int)
    call shmem_barrier_all()
    if (me == 0 .and. all_failures == 0) write (*, '(A)') 'ok'
    call shmem_finalize()
    if (failures /= 0) call exit(1)
  end subroutine
end program
