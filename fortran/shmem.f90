! Written by `cargo xtask gen` from spec/openshmem-1.6.api and include/shmem.h, do not edit.
!
! The C interface of OpenSHMEM 1.6 for Fortran 2018 (C interoperability as in Fortran 2008, with assumed types and
! optional arguments). Of the typed routines there is one for each kind that Fortran has. Numbers of elements have the
! kind c_size_t, strides c_intptr_t; a null pointer is an argument left out. SHMEM_SIGNAL_SET and SHMEM_SIGNAL_ADD are
! called SHMEM_SIGNAL_OP_SET and SHMEM_SIGNAL_OP_ADD: Fortran does not tell them from the routines of these names.
module shmem
  use, intrinsic :: iso_c_binding
  implicit none
  public

  ! Handles, as opaque as in C.
  type, bind(C) :: shmem_ctx_t
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: shmem_team_t
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: shmem_team_config_t
    integer(c_int) :: num_contexts = 0
  end type
  type, bind(C) :: shmem_ctx_session_config_t
    integer(c_size_t) :: total_ops = 0
  end type

  integer(c_int), parameter :: SHMEM_MAJOR_VERSION = 1
  integer(c_int), parameter :: SHMEM_MINOR_VERSION = 6
  integer(c_int), parameter :: SHMEM_MAX_NAME_LEN = 64
  character(*), parameter :: SHMEM_VENDOR_STRING = 'oshmpi 0.1.0'
  integer(c_int), parameter :: SHMEM_THREAD_SINGLE = 0
  integer(c_int), parameter :: SHMEM_THREAD_FUNNELED = 1
  integer(c_int), parameter :: SHMEM_THREAD_SERIALIZED = 2
  integer(c_int), parameter :: SHMEM_THREAD_MULTIPLE = 3
  integer(c_long), parameter :: SHMEM_MALLOC_ATOMICS_REMOTE = 1
  integer(c_long), parameter :: SHMEM_MALLOC_SIGNAL_REMOTE = 2
  type(shmem_team_t), parameter :: SHMEM_TEAM_INVALID = shmem_team_t(0_c_intptr_t)
  type(shmem_team_t), parameter :: SHMEM_TEAM_WORLD = shmem_team_t(1_c_intptr_t)
  type(shmem_team_t), parameter :: SHMEM_TEAM_SHARED = shmem_team_t(2_c_intptr_t)
  integer(c_long), parameter :: SHMEM_TEAM_NUM_CONTEXTS = 1
  type(shmem_ctx_t), parameter :: SHMEM_CTX_INVALID = shmem_ctx_t(0_c_intptr_t)
  type(shmem_ctx_t), parameter :: SHMEM_CTX_DEFAULT = shmem_ctx_t(1_c_intptr_t)
  integer(c_long), parameter :: SHMEM_CTX_SERIALIZED = 1
  integer(c_long), parameter :: SHMEM_CTX_PRIVATE = 2
  integer(c_long), parameter :: SHMEM_CTX_NOSTORE = 4
  integer(c_long), parameter :: SHMEM_CTX_SESSION_BATCH = 1
  integer(c_long), parameter :: SHMEM_CTX_SESSION_TOTAL_OPS = 1
  integer(c_int), parameter :: SHMEM_SIGNAL_OP_SET = 0
  integer(c_int), parameter :: SHMEM_SIGNAL_OP_ADD = 1
  integer(c_int), parameter :: SHMEM_CMP_EQ = 0
  integer(c_int), parameter :: SHMEM_CMP_NE = 1
  integer(c_int), parameter :: SHMEM_CMP_LT = 4
  integer(c_int), parameter :: SHMEM_CMP_LE = 3
  integer(c_int), parameter :: SHMEM_CMP_GT = 2
  integer(c_int), parameter :: SHMEM_CMP_GE = 5

  interface
    subroutine shmem_init() bind(C)
      import
    end subroutine
    function shmem_my_pe() bind(C)
      import
      integer(c_int) :: shmem_my_pe
    end function
    function shmem_n_pes() bind(C)
      import
      integer(c_int) :: shmem_n_pes
    end function
    subroutine shmem_finalize() bind(C)
      import
    end subroutine
    subroutine shmem_query_initialized(initialized) bind(C)
      import
      integer(c_int), intent(inout) :: initialized
    end subroutine
    subroutine shmem_global_exit(status) bind(C)
      import
      integer(c_int), value :: status
    end subroutine
    function shmem_pe_accessible(pe) bind(C)
      import
      integer(c_int) :: shmem_pe_accessible
      integer(c_int), value :: pe
    end function
    function shmem_addr_accessible(addr, pe) bind(C)
      import
      integer(c_int) :: shmem_addr_accessible
      type(c_ptr), value :: addr
      integer(c_int), value :: pe
    end function
    function shmem_ptr(dest, pe) bind(C)
      import
      type(c_ptr) :: shmem_ptr
      type(c_ptr), value :: dest
      integer(c_int), value :: pe
    end function
    function shmem_team_ptr(team, dest, pe) bind(C)
      import
      type(c_ptr) :: shmem_team_ptr
      type(shmem_team_t), value :: team
      type(c_ptr), value :: dest
      integer(c_int), value :: pe
    end function
    subroutine shmem_info_get_version(major, minor) bind(C)
      import
      integer(c_int), intent(inout) :: major, minor
    end subroutine
    subroutine shmem_info_get_name(name) bind(C)
      import
      character(c_char), intent(inout) :: name(*)
    end subroutine
    function shmem_init_thread(requested, provided) bind(C)
      import
      integer(c_int) :: shmem_init_thread
      integer(c_int), value :: requested
      integer(c_int), intent(inout) :: provided
    end function
    subroutine shmem_query_thread(provided) bind(C)
      import
      integer(c_int), intent(inout) :: provided
    end subroutine
    function shmem_malloc(size) bind(C)
      import
      type(c_ptr) :: shmem_malloc
      integer(c_size_t), value :: size
    end function
    subroutine shmem_free(ptr) bind(C)
      import
      type(c_ptr), value :: ptr
    end subroutine
    function shmem_realloc(ptr, size) bind(C)
      import
      type(c_ptr) :: shmem_realloc
      type(c_ptr), value :: ptr
      integer(c_size_t), value :: size
    end function
    function shmem_align(alignment, size) bind(C)
      import
      type(c_ptr) :: shmem_align
      integer(c_size_t), value :: alignment, size
    end function
    function shmem_malloc_with_hints(size, hints) bind(C)
      import
      type(c_ptr) :: shmem_malloc_with_hints
      integer(c_size_t), value :: size
      integer(c_long), value :: hints
    end function
    function shmem_calloc(count, size) bind(C)
      import
      type(c_ptr) :: shmem_calloc
      integer(c_size_t), value :: count, size
    end function
    function shmem_team_my_pe(team) bind(C)
      import
      integer(c_int) :: shmem_team_my_pe
      type(shmem_team_t), value :: team
    end function
    function shmem_team_n_pes(team) bind(C)
      import
      integer(c_int) :: shmem_team_n_pes
      type(shmem_team_t), value :: team
    end function
    function shmem_team_get_config(team, config_mask, config) bind(C)
      import
      integer(c_int) :: shmem_team_get_config
      type(shmem_team_t), value :: team
      integer(c_long), value :: config_mask
      type(shmem_team_config_t), intent(inout), optional :: config
    end function
    function shmem_team_translate_pe(src_team, src_pe, dest_team) bind(C)
      import
      integer(c_int) :: shmem_team_translate_pe
      type(shmem_team_t), value :: src_team
      integer(c_int), value :: src_pe
      type(shmem_team_t), value :: dest_team
    end function
    function shmem_team_split_strided(parent_team, start, stride, size, config, config_mask, new_team) bind(C)
      import
      integer(c_int) :: shmem_team_split_strided
      type(shmem_team_t), value :: parent_team
      integer(c_int), value :: start, stride, size
      type(shmem_team_config_t), intent(in), optional :: config
      integer(c_long), value :: config_mask
      type(shmem_team_t), intent(inout) :: new_team
    end function
    function shmem_team_split_2d(parent_team, xrange, xaxis_config, xaxis_mask, xaxis_team, yaxis_config, yaxis_mask, &
        yaxis_team) bind(C)
      import
      integer(c_int) :: shmem_team_split_2d
      type(shmem_team_t), value :: parent_team
      integer(c_int), value :: xrange
      type(shmem_team_config_t), intent(in), optional :: xaxis_config
      integer(c_long), value :: xaxis_mask
      type(shmem_team_t), intent(inout) :: xaxis_team
      type(shmem_team_config_t), intent(in), optional :: yaxis_config
      integer(c_long), value :: yaxis_mask
      type(shmem_team_t), intent(inout) :: yaxis_team
    end function
    subroutine shmem_team_destroy(team) bind(C)
      import
      type(shmem_team_t), value :: team
    end subroutine
    function shmem_ctx_create(options, ctx) bind(C)
      import
      integer(c_int) :: shmem_ctx_create
      integer(c_long), value :: options
      type(shmem_ctx_t), intent(inout) :: ctx
    end function
    function shmem_team_create_ctx(team, options, ctx) bind(C)
      import
      integer(c_int) :: shmem_team_create_ctx
      type(shmem_team_t), value :: team
      integer(c_long), value :: options
      type(shmem_ctx_t), intent(inout) :: ctx
    end function
    subroutine shmem_ctx_destroy(ctx) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
    end subroutine
    function shmem_ctx_get_team(ctx, team) bind(C)
      import
      integer(c_int) :: shmem_ctx_get_team
      type(shmem_ctx_t), value :: ctx
      type(shmem_team_t), intent(inout) :: team
    end function
    subroutine shmem_ctx_session_start(ctx, options, config, config_mask) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_long), value :: options
      type(shmem_ctx_session_config_t), intent(in), optional :: config
      integer(c_long), value :: config_mask
    end subroutine
    subroutine shmem_ctx_session_stop(ctx) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
    end subroutine
    subroutine shmem_float_put(dest, source, nelems, pe) bind(C)
      import
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_put(dest, source, nelems, pe) bind(C)
      import
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_longdouble_put(dest, source, nelems, pe) bind(C)
      import
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_char_put(dest, source, nelems, pe) bind(C)
      import
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int8_put(dest, source, nelems, pe) bind(C)
      import
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int16_put(dest, source, nelems, pe) bind(C)
      import
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_put(dest, source, nelems, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_put(dest, source, nelems, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_put(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_put(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_longdouble_put(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_char_put(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int8_put(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int16_put(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_put(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_put(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put8(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put16(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put32(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put64(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put128(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put8(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put16(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put32(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put64(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put128(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_putmem(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_putmem(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_float_p(dest, value, pe) bind(C)
      import
      real(c_float), intent(inout) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_p(dest, value, pe) bind(C)
      import
      real(c_double), intent(inout) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_longdouble_p(dest, value, pe) bind(C)
      import
      real(c_long_double), intent(inout) :: dest
      real(c_long_double), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_char_p(dest, value, pe) bind(C)
      import
      character(c_char), intent(inout) :: dest(*)
      character(c_char), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int8_p(dest, value, pe) bind(C)
      import
      integer(c_int8_t), intent(inout) :: dest
      integer(c_int8_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int16_p(dest, value, pe) bind(C)
      import
      integer(c_int16_t), intent(inout) :: dest
      integer(c_int16_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_p(dest, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_p(dest, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_p(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_p(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_longdouble_p(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(inout) :: dest
      real(c_long_double), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_char_p(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(inout) :: dest(*)
      character(c_char), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int8_p(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(inout) :: dest
      integer(c_int8_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int16_p(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(inout) :: dest
      integer(c_int16_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_p(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_p(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_float_iput(dest, source, dst, sst, nelems, pe) bind(C)
      import
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_iput(dest, source, dst, sst, nelems, pe) bind(C)
      import
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_longdouble_iput(dest, source, dst, sst, nelems, pe) bind(C)
      import
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_char_iput(dest, source, dst, sst, nelems, pe) bind(C)
      import
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int8_iput(dest, source, dst, sst, nelems, pe) bind(C)
      import
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int16_iput(dest, source, dst, sst, nelems, pe) bind(C)
      import
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_iput(dest, source, dst, sst, nelems, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_iput(dest, source, dst, sst, nelems, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_iput(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_iput(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_longdouble_iput(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_char_iput(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int8_iput(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int16_iput(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_iput(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_iput(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput8(dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput16(dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput32(dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput64(dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput128(dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iput8(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iput16(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iput32(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iput64(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iput128(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_float_ibput(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_ibput(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_longdouble_ibput(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_char_ibput(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int8_ibput(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int16_ibput(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_ibput(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_ibput(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_ibput(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_ibput(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_longdouble_ibput(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_char_ibput(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int8_ibput(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int16_ibput(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_ibput(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_ibput(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput8(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput16(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput32(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput64(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput128(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibput8(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibput16(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibput32(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibput64(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibput128(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_float_get(dest, source, nelems, pe) bind(C)
      import
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_get(dest, source, nelems, pe) bind(C)
      import
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_longdouble_get(dest, source, nelems, pe) bind(C)
      import
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_char_get(dest, source, nelems, pe) bind(C)
      import
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int8_get(dest, source, nelems, pe) bind(C)
      import
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int16_get(dest, source, nelems, pe) bind(C)
      import
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_get(dest, source, nelems, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_get(dest, source, nelems, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_get(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_get(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_longdouble_get(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_char_get(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int8_get(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int16_get(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_get(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_get(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get8(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get16(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get32(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get64(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get128(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get8(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get16(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get32(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get64(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get128(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_getmem(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_getmem(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    function shmem_float_g(source, pe) bind(C)
      import
      real(c_float) :: shmem_float_g
      real(c_float), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_double_g(source, pe) bind(C)
      import
      real(c_double) :: shmem_double_g
      real(c_double), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_longdouble_g(source, pe) bind(C)
      import
      real(c_long_double) :: shmem_longdouble_g
      real(c_long_double), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_char_g(source, pe) bind(C)
      import
      character(c_char) :: shmem_char_g
      character(c_char), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_int8_g(source, pe) bind(C)
      import
      integer(c_int8_t) :: shmem_int8_g
      integer(c_int8_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_int16_g(source, pe) bind(C)
      import
      integer(c_int16_t) :: shmem_int16_g
      integer(c_int16_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_int32_g(source, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_int32_g
      integer(c_int32_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_int64_g(source, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_int64_g
      integer(c_int64_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_float_g(ctx, source, pe) bind(C)
      import
      real(c_float) :: shmem_ctx_float_g
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_double_g(ctx, source, pe) bind(C)
      import
      real(c_double) :: shmem_ctx_double_g
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_longdouble_g(ctx, source, pe) bind(C)
      import
      real(c_long_double) :: shmem_ctx_longdouble_g
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_char_g(ctx, source, pe) bind(C)
      import
      character(c_char) :: shmem_ctx_char_g
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int8_g(ctx, source, pe) bind(C)
      import
      integer(c_int8_t) :: shmem_ctx_int8_g
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int16_g(ctx, source, pe) bind(C)
      import
      integer(c_int16_t) :: shmem_ctx_int16_g
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int32_g(ctx, source, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_ctx_int32_g
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int64_g(ctx, source, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_ctx_int64_g
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    subroutine shmem_float_iget(dest, source, dst, sst, nelems, pe) bind(C)
      import
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_iget(dest, source, dst, sst, nelems, pe) bind(C)
      import
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_longdouble_iget(dest, source, dst, sst, nelems, pe) bind(C)
      import
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_char_iget(dest, source, dst, sst, nelems, pe) bind(C)
      import
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int8_iget(dest, source, dst, sst, nelems, pe) bind(C)
      import
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int16_iget(dest, source, dst, sst, nelems, pe) bind(C)
      import
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_iget(dest, source, dst, sst, nelems, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_iget(dest, source, dst, sst, nelems, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_iget(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_iget(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_longdouble_iget(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_char_iget(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int8_iget(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int16_iget(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_iget(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_iget(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget8(dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget16(dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget32(dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget64(dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget128(dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iget8(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iget16(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iget32(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iget64(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iget128(ctx, dest, source, dst, sst, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_float_ibget(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_ibget(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_longdouble_ibget(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_char_ibget(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int8_ibget(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int16_ibget(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_ibget(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_ibget(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_ibget(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_ibget(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_longdouble_ibget(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_char_ibget(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int8_ibget(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int16_ibget(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_ibget(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_ibget(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget8(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget16(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget32(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget64(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget128(dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibget8(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibget16(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibget32(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibget64(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibget128(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_float_put_nbi(dest, source, nelems, pe) bind(C)
      import
      real(c_float), intent(inout), asynchronous, target :: dest(*)
      real(c_float), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_put_nbi(dest, source, nelems, pe) bind(C)
      import
      real(c_double), intent(inout), asynchronous, target :: dest(*)
      real(c_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_longdouble_put_nbi(dest, source, nelems, pe) bind(C)
      import
      real(c_long_double), intent(inout), asynchronous, target :: dest(*)
      real(c_long_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_char_put_nbi(dest, source, nelems, pe) bind(C)
      import
      character(c_char), intent(inout), asynchronous, target :: dest(*)
      character(c_char), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int8_put_nbi(dest, source, nelems, pe) bind(C)
      import
      integer(c_int8_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int8_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int16_put_nbi(dest, source, nelems, pe) bind(C)
      import
      integer(c_int16_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int16_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_put_nbi(dest, source, nelems, pe) bind(C)
      import
      integer(c_int32_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int32_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_put_nbi(dest, source, nelems, pe) bind(C)
      import
      integer(c_int64_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int64_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_put_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout), asynchronous, target :: dest(*)
      real(c_float), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_put_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout), asynchronous, target :: dest(*)
      real(c_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_longdouble_put_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(inout), asynchronous, target :: dest(*)
      real(c_long_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_char_put_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(inout), asynchronous, target :: dest(*)
      character(c_char), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int8_put_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int8_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int16_put_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int16_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_put_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int32_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_put_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int64_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put8_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put16_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put32_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put64_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put128_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put8_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put16_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put32_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put64_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put128_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_putmem_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_putmem_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_float_get_nbi(dest, source, nelems, pe) bind(C)
      import
      real(c_float), intent(inout), asynchronous, target :: dest(*)
      real(c_float), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_get_nbi(dest, source, nelems, pe) bind(C)
      import
      real(c_double), intent(inout), asynchronous, target :: dest(*)
      real(c_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_longdouble_get_nbi(dest, source, nelems, pe) bind(C)
      import
      real(c_long_double), intent(inout), asynchronous, target :: dest(*)
      real(c_long_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_char_get_nbi(dest, source, nelems, pe) bind(C)
      import
      character(c_char), intent(inout), asynchronous, target :: dest(*)
      character(c_char), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int8_get_nbi(dest, source, nelems, pe) bind(C)
      import
      integer(c_int8_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int8_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int16_get_nbi(dest, source, nelems, pe) bind(C)
      import
      integer(c_int16_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int16_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_get_nbi(dest, source, nelems, pe) bind(C)
      import
      integer(c_int32_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int32_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_get_nbi(dest, source, nelems, pe) bind(C)
      import
      integer(c_int64_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int64_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_get_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout), asynchronous, target :: dest(*)
      real(c_float), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_get_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout), asynchronous, target :: dest(*)
      real(c_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_longdouble_get_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(inout), asynchronous, target :: dest(*)
      real(c_long_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_char_get_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(inout), asynchronous, target :: dest(*)
      character(c_char), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int8_get_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int8_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int16_get_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int16_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_get_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int32_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_get_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int64_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get8_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get16_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get32_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get64_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get128_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get8_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get16_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get32_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get64_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get128_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_getmem_nbi(dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_getmem_nbi(ctx, dest, source, nelems, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    function shmem_float_atomic_fetch(source, pe) bind(C)
      import
      real(c_float) :: shmem_float_atomic_fetch
      real(c_float), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_double_atomic_fetch(source, pe) bind(C)
      import
      real(c_double) :: shmem_double_atomic_fetch
      real(c_double), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_int32_atomic_fetch(source, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_int32_atomic_fetch
      integer(c_int32_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_int64_atomic_fetch(source, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_int64_atomic_fetch
      integer(c_int64_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_float_atomic_fetch(ctx, source, pe) bind(C)
      import
      real(c_float) :: shmem_ctx_float_atomic_fetch
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_double_atomic_fetch(ctx, source, pe) bind(C)
      import
      real(c_double) :: shmem_ctx_double_atomic_fetch
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int32_atomic_fetch(ctx, source, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_ctx_int32_atomic_fetch
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int64_atomic_fetch(ctx, source, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_ctx_int64_atomic_fetch
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(in) :: source
      integer(c_int), value :: pe
    end function
    subroutine shmem_float_atomic_set(dest, value, pe) bind(C)
      import
      real(c_float), intent(inout) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_atomic_set(dest, value, pe) bind(C)
      import
      real(c_double), intent(inout) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_atomic_set(dest, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_set(dest, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_atomic_set(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_atomic_set(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_set(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_set(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    function shmem_int32_atomic_compare_swap(dest, cond, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_int32_atomic_compare_swap
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: cond, value
      integer(c_int), value :: pe
    end function
    function shmem_int64_atomic_compare_swap(dest, cond, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_int64_atomic_compare_swap
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: cond, value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int32_atomic_compare_swap(ctx, dest, cond, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_ctx_int32_atomic_compare_swap
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: cond, value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int64_atomic_compare_swap(ctx, dest, cond, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_ctx_int64_atomic_compare_swap
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: cond, value
      integer(c_int), value :: pe
    end function
    function shmem_float_atomic_swap(dest, value, pe) bind(C)
      import
      real(c_float) :: shmem_float_atomic_swap
      real(c_float), intent(inout) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_double_atomic_swap(dest, value, pe) bind(C)
      import
      real(c_double) :: shmem_double_atomic_swap
      real(c_double), intent(inout) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_int32_atomic_swap(dest, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_int32_atomic_swap
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_int64_atomic_swap(dest, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_int64_atomic_swap
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_float_atomic_swap(ctx, dest, value, pe) bind(C)
      import
      real(c_float) :: shmem_ctx_float_atomic_swap
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_double_atomic_swap(ctx, dest, value, pe) bind(C)
      import
      real(c_double) :: shmem_ctx_double_atomic_swap
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int32_atomic_swap(ctx, dest, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_ctx_int32_atomic_swap
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int64_atomic_swap(ctx, dest, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_ctx_int64_atomic_swap
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_int32_atomic_fetch_inc(dest, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_int32_atomic_fetch_inc
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int), value :: pe
    end function
    function shmem_int64_atomic_fetch_inc(dest, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_int64_atomic_fetch_inc
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int32_atomic_fetch_inc(ctx, dest, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_ctx_int32_atomic_fetch_inc
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int64_atomic_fetch_inc(ctx, dest, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_ctx_int64_atomic_fetch_inc
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int), value :: pe
    end function
    subroutine shmem_int32_atomic_inc(dest, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_inc(dest, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_inc(ctx, dest, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_inc(ctx, dest, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int), value :: pe
    end subroutine
    function shmem_int32_atomic_fetch_add(dest, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_int32_atomic_fetch_add
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_int64_atomic_fetch_add(dest, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_int64_atomic_fetch_add
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int32_atomic_fetch_add(ctx, dest, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_ctx_int32_atomic_fetch_add
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int64_atomic_fetch_add(ctx, dest, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_ctx_int64_atomic_fetch_add
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end function
    subroutine shmem_int32_atomic_add(dest, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_add(dest, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_add(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_add(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    function shmem_int32_atomic_fetch_and(dest, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_int32_atomic_fetch_and
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_int64_atomic_fetch_and(dest, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_int64_atomic_fetch_and
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int32_atomic_fetch_and(ctx, dest, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_ctx_int32_atomic_fetch_and
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int64_atomic_fetch_and(ctx, dest, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_ctx_int64_atomic_fetch_and
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end function
    subroutine shmem_int32_atomic_and(dest, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_and(dest, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_and(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_and(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    function shmem_int32_atomic_fetch_or(dest, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_int32_atomic_fetch_or
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_int64_atomic_fetch_or(dest, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_int64_atomic_fetch_or
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int32_atomic_fetch_or(ctx, dest, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_ctx_int32_atomic_fetch_or
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int64_atomic_fetch_or(ctx, dest, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_ctx_int64_atomic_fetch_or
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end function
    subroutine shmem_int32_atomic_or(dest, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_or(dest, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_or(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_or(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    function shmem_int32_atomic_fetch_xor(dest, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_int32_atomic_fetch_xor
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_int64_atomic_fetch_xor(dest, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_int64_atomic_fetch_xor
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int32_atomic_fetch_xor(ctx, dest, value, pe) bind(C)
      import
      integer(c_int32_t) :: shmem_ctx_int32_atomic_fetch_xor
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end function
    function shmem_ctx_int64_atomic_fetch_xor(ctx, dest, value, pe) bind(C)
      import
      integer(c_int64_t) :: shmem_ctx_int64_atomic_fetch_xor
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end function
    subroutine shmem_int32_atomic_xor(dest, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_xor(dest, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_xor(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_xor(ctx, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_float_atomic_fetch_nbi(fetch, source, pe) bind(C)
      import
      real(c_float), intent(inout), asynchronous, target :: fetch
      real(c_float), intent(in), asynchronous, target :: source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_atomic_fetch_nbi(fetch, source, pe) bind(C)
      import
      real(c_double), intent(inout), asynchronous, target :: fetch
      real(c_double), intent(in), asynchronous, target :: source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_atomic_fetch_nbi(fetch, source, pe) bind(C)
      import
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch
      integer(c_int32_t), intent(in), asynchronous, target :: source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_fetch_nbi(fetch, source, pe) bind(C)
      import
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch
      integer(c_int64_t), intent(in), asynchronous, target :: source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_atomic_fetch_nbi(ctx, fetch, source, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout), asynchronous, target :: fetch
      real(c_float), intent(in), asynchronous, target :: source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_atomic_fetch_nbi(ctx, fetch, source, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout), asynchronous, target :: fetch
      real(c_double), intent(in), asynchronous, target :: source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_fetch_nbi(ctx, fetch, source, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch
      integer(c_int32_t), intent(in), asynchronous, target :: source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_fetch_nbi(ctx, fetch, source, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch
      integer(c_int64_t), intent(in), asynchronous, target :: source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_atomic_compare_swap_nbi(fetch, dest, cond, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: cond, value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_compare_swap_nbi(fetch, dest, cond, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: cond, value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_compare_swap_nbi(ctx, fetch, dest, cond, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: cond, value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_compare_swap_nbi(ctx, fetch, dest, cond, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: cond, value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_float_atomic_swap_nbi(fetch, dest, value, pe) bind(C)
      import
      real(c_float), intent(inout), asynchronous, target :: fetch, dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_double_atomic_swap_nbi(fetch, dest, value, pe) bind(C)
      import
      real(c_double), intent(inout), asynchronous, target :: fetch, dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_atomic_swap_nbi(fetch, dest, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_swap_nbi(fetch, dest, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_float_atomic_swap_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout), asynchronous, target :: fetch, dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_double_atomic_swap_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout), asynchronous, target :: fetch, dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_swap_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_swap_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_atomic_fetch_inc_nbi(fetch, dest, pe) bind(C)
      import
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_fetch_inc_nbi(fetch, dest, pe) bind(C)
      import
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_fetch_inc_nbi(ctx, fetch, dest, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_fetch_inc_nbi(ctx, fetch, dest, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_atomic_fetch_add_nbi(fetch, dest, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_fetch_add_nbi(fetch, dest, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_fetch_add_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_fetch_add_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_atomic_fetch_and_nbi(fetch, dest, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_fetch_and_nbi(fetch, dest, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_fetch_and_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_fetch_and_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_atomic_fetch_or_nbi(fetch, dest, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_fetch_or_nbi(fetch, dest, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_fetch_or_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_fetch_or_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int32_atomic_fetch_xor_nbi(fetch, dest, value, pe) bind(C)
      import
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int64_atomic_fetch_xor_nbi(fetch, dest, value, pe) bind(C)
      import
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int32_atomic_fetch_xor_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_int64_atomic_fetch_xor_nbi(ctx, fetch, dest, value, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout), asynchronous, target :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_float_put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_double_put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_longdouble_put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_char_put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_int8_put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_int16_put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_int32_put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_int64_put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_float_put_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_double_put_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_longdouble_put_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_char_put_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_int8_put_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_int16_put_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_int32_put_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_int64_put_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put8_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put16_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put32_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put64_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put128_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put8_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put16_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put32_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put64_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put128_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_putmem_signal(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_putmem_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_float_put_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      real(c_float), intent(inout), asynchronous, target :: dest(*)
      real(c_float), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_double_put_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      real(c_double), intent(inout), asynchronous, target :: dest(*)
      real(c_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_longdouble_put_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      real(c_long_double), intent(inout), asynchronous, target :: dest(*)
      real(c_long_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_char_put_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      character(c_char), intent(inout), asynchronous, target :: dest(*)
      character(c_char), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_int8_put_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      integer(c_int8_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int8_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_int16_put_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      integer(c_int16_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int16_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_int32_put_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      integer(c_int32_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int32_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_int64_put_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      integer(c_int64_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int64_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_float_put_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_float), intent(inout), asynchronous, target :: dest(*)
      real(c_float), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_double_put_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_double), intent(inout), asynchronous, target :: dest(*)
      real(c_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_longdouble_put_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      real(c_long_double), intent(inout), asynchronous, target :: dest(*)
      real(c_long_double), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_char_put_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      character(c_char), intent(inout), asynchronous, target :: dest(*)
      character(c_char), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_int8_put_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int8_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int8_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_int16_put_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int16_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int16_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_int32_put_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int32_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int32_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_int64_put_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout), asynchronous, target :: dest(*)
      integer(c_int64_t), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put8_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put16_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put32_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put64_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put128_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put8_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put16_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put32_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put64_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put128_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_putmem_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_putmem_signal_nbi(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) bind(C)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_ctx_t), value :: ctx
      type(*), intent(inout), asynchronous, target :: dest(*)
      type(*), intent(in), asynchronous, target :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t), intent(inout), asynchronous, target :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_signal_add(sig_addr, signal, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_signal_add(ctx, sig_addr, signal, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_signal_set(sig_addr, signal, pe) bind(C)
      import
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_signal_set(ctx, sig_addr, signal, pe) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: pe
    end subroutine
    function shmem_signal_fetch(sig_addr) bind(C)
      import
      integer(c_int64_t) :: shmem_signal_fetch
      integer(c_int64_t), intent(in) :: sig_addr
    end function
    subroutine shmem_barrier_all() bind(C)
      import
    end subroutine
    function shmem_team_sync(team) bind(C)
      import
      integer(c_int) :: shmem_team_sync
      type(shmem_team_t), value :: team
    end function
    subroutine shmem_sync_all() bind(C)
      import
    end subroutine
    function shmem_float_alltoall(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_float_alltoall
      type(shmem_team_t), value :: team
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_double_alltoall(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_double_alltoall
      type(shmem_team_t), value :: team
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_longdouble_alltoall(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_longdouble_alltoall
      type(shmem_team_t), value :: team
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_char_alltoall(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_char_alltoall
      type(shmem_team_t), value :: team
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int8_alltoall(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int8_alltoall
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int16_alltoall(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int16_alltoall
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int32_alltoall(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int32_alltoall
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int64_alltoall(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int64_alltoall
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_alltoallmem(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_alltoallmem
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_team_t), value :: team
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_float_alltoalls(team, dest, source, dst, sst, nelems) bind(C)
      import
      integer(c_int) :: shmem_float_alltoalls
      type(shmem_team_t), value :: team
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
    end function
    function shmem_double_alltoalls(team, dest, source, dst, sst, nelems) bind(C)
      import
      integer(c_int) :: shmem_double_alltoalls
      type(shmem_team_t), value :: team
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
    end function
    function shmem_longdouble_alltoalls(team, dest, source, dst, sst, nelems) bind(C)
      import
      integer(c_int) :: shmem_longdouble_alltoalls
      type(shmem_team_t), value :: team
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
    end function
    function shmem_char_alltoalls(team, dest, source, dst, sst, nelems) bind(C)
      import
      integer(c_int) :: shmem_char_alltoalls
      type(shmem_team_t), value :: team
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
    end function
    function shmem_int8_alltoalls(team, dest, source, dst, sst, nelems) bind(C)
      import
      integer(c_int) :: shmem_int8_alltoalls
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
    end function
    function shmem_int16_alltoalls(team, dest, source, dst, sst, nelems) bind(C)
      import
      integer(c_int) :: shmem_int16_alltoalls
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
    end function
    function shmem_int32_alltoalls(team, dest, source, dst, sst, nelems) bind(C)
      import
      integer(c_int) :: shmem_int32_alltoalls
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
    end function
    function shmem_int64_alltoalls(team, dest, source, dst, sst, nelems) bind(C)
      import
      integer(c_int) :: shmem_int64_alltoalls
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
    end function
    function shmem_alltoallsmem(team, dest, source, dst, sst, nelems) bind(C)
      import
      integer(c_int) :: shmem_alltoallsmem
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_team_t), value :: team
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
    end function
    function shmem_float_broadcast(team, dest, source, nelems, PE_root) bind(C)
      import
      integer(c_int) :: shmem_float_broadcast
      type(shmem_team_t), value :: team
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
    end function
    function shmem_double_broadcast(team, dest, source, nelems, PE_root) bind(C)
      import
      integer(c_int) :: shmem_double_broadcast
      type(shmem_team_t), value :: team
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
    end function
    function shmem_longdouble_broadcast(team, dest, source, nelems, PE_root) bind(C)
      import
      integer(c_int) :: shmem_longdouble_broadcast
      type(shmem_team_t), value :: team
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
    end function
    function shmem_char_broadcast(team, dest, source, nelems, PE_root) bind(C)
      import
      integer(c_int) :: shmem_char_broadcast
      type(shmem_team_t), value :: team
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
    end function
    function shmem_int8_broadcast(team, dest, source, nelems, PE_root) bind(C)
      import
      integer(c_int) :: shmem_int8_broadcast
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
    end function
    function shmem_int16_broadcast(team, dest, source, nelems, PE_root) bind(C)
      import
      integer(c_int) :: shmem_int16_broadcast
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
    end function
    function shmem_int32_broadcast(team, dest, source, nelems, PE_root) bind(C)
      import
      integer(c_int) :: shmem_int32_broadcast
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
    end function
    function shmem_int64_broadcast(team, dest, source, nelems, PE_root) bind(C)
      import
      integer(c_int) :: shmem_int64_broadcast
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
    end function
    function shmem_broadcastmem(team, dest, source, nelems, PE_root) bind(C)
      import
      integer(c_int) :: shmem_broadcastmem
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_team_t), value :: team
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
    end function
    function shmem_float_collect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_float_collect
      type(shmem_team_t), value :: team
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_double_collect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_double_collect
      type(shmem_team_t), value :: team
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_longdouble_collect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_longdouble_collect
      type(shmem_team_t), value :: team
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_char_collect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_char_collect
      type(shmem_team_t), value :: team
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int8_collect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int8_collect
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int16_collect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int16_collect
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int32_collect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int32_collect
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int64_collect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int64_collect
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_collectmem(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_collectmem
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_team_t), value :: team
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_float_fcollect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_float_fcollect
      type(shmem_team_t), value :: team
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_double_fcollect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_double_fcollect
      type(shmem_team_t), value :: team
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_longdouble_fcollect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_longdouble_fcollect
      type(shmem_team_t), value :: team
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_char_fcollect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_char_fcollect
      type(shmem_team_t), value :: team
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int8_fcollect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int8_fcollect
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int16_fcollect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int16_fcollect
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int32_fcollect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int32_fcollect
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int64_fcollect(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int64_fcollect
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_fcollectmem(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_fcollectmem
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(shmem_team_t), value :: team
      type(*), intent(inout) :: dest(*)
      type(*), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int8_and_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int8_and_reduce
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int16_and_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int16_and_reduce
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int32_and_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int32_and_reduce
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int64_and_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int64_and_reduce
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int8_or_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int8_or_reduce
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int16_or_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int16_or_reduce
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int32_or_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int32_or_reduce
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int64_or_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int64_or_reduce
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int8_xor_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int8_xor_reduce
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int16_xor_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int16_xor_reduce
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int32_xor_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int32_xor_reduce
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int64_xor_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int64_xor_reduce
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_char_max_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_char_max_reduce
      type(shmem_team_t), value :: team
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int8_max_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int8_max_reduce
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int16_max_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int16_max_reduce
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int32_max_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int32_max_reduce
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int64_max_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int64_max_reduce
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_float_max_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_float_max_reduce
      type(shmem_team_t), value :: team
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_double_max_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_double_max_reduce
      type(shmem_team_t), value :: team
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_longdouble_max_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_longdouble_max_reduce
      type(shmem_team_t), value :: team
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_char_min_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_char_min_reduce
      type(shmem_team_t), value :: team
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int8_min_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int8_min_reduce
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int16_min_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int16_min_reduce
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int32_min_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int32_min_reduce
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int64_min_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int64_min_reduce
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_float_min_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_float_min_reduce
      type(shmem_team_t), value :: team
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_double_min_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_double_min_reduce
      type(shmem_team_t), value :: team
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_longdouble_min_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_longdouble_min_reduce
      type(shmem_team_t), value :: team
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_char_sum_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_char_sum_reduce
      type(shmem_team_t), value :: team
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int8_sum_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int8_sum_reduce
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int16_sum_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int16_sum_reduce
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int32_sum_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int32_sum_reduce
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int64_sum_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int64_sum_reduce
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_float_sum_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_float_sum_reduce
      type(shmem_team_t), value :: team
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_double_sum_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_double_sum_reduce
      type(shmem_team_t), value :: team
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_longdouble_sum_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_longdouble_sum_reduce
      type(shmem_team_t), value :: team
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_complexd_sum_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_complexd_sum_reduce
      type(shmem_team_t), value :: team
      complex(c_double_complex), intent(inout) :: dest(*)
      complex(c_double_complex), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_complexf_sum_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_complexf_sum_reduce
      type(shmem_team_t), value :: team
      complex(c_float_complex), intent(inout) :: dest(*)
      complex(c_float_complex), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_char_prod_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_char_prod_reduce
      type(shmem_team_t), value :: team
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int8_prod_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int8_prod_reduce
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int16_prod_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int16_prod_reduce
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int32_prod_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int32_prod_reduce
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_int64_prod_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_int64_prod_reduce
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_float_prod_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_float_prod_reduce
      type(shmem_team_t), value :: team
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_double_prod_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_double_prod_reduce
      type(shmem_team_t), value :: team
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_longdouble_prod_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_longdouble_prod_reduce
      type(shmem_team_t), value :: team
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_complexd_prod_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_complexd_prod_reduce
      type(shmem_team_t), value :: team
      complex(c_double_complex), intent(inout) :: dest(*)
      complex(c_double_complex), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_complexf_prod_reduce(team, dest, source, nreduce) bind(C)
      import
      integer(c_int) :: shmem_complexf_prod_reduce
      type(shmem_team_t), value :: team
      complex(c_float_complex), intent(inout) :: dest(*)
      complex(c_float_complex), intent(in) :: source(*)
      integer(c_size_t), value :: nreduce
    end function
    function shmem_char_sum_inscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_char_sum_inscan
      type(shmem_team_t), value :: team
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int8_sum_inscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int8_sum_inscan
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int16_sum_inscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int16_sum_inscan
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int32_sum_inscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int32_sum_inscan
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int64_sum_inscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int64_sum_inscan
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_float_sum_inscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_float_sum_inscan
      type(shmem_team_t), value :: team
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_double_sum_inscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_double_sum_inscan
      type(shmem_team_t), value :: team
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_longdouble_sum_inscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_longdouble_sum_inscan
      type(shmem_team_t), value :: team
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_complexd_sum_inscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_complexd_sum_inscan
      type(shmem_team_t), value :: team
      complex(c_double_complex), intent(inout) :: dest(*)
      complex(c_double_complex), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_complexf_sum_inscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_complexf_sum_inscan
      type(shmem_team_t), value :: team
      complex(c_float_complex), intent(inout) :: dest(*)
      complex(c_float_complex), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_char_sum_exscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_char_sum_exscan
      type(shmem_team_t), value :: team
      character(c_char), intent(inout) :: dest(*)
      character(c_char), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int8_sum_exscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int8_sum_exscan
      type(shmem_team_t), value :: team
      integer(c_int8_t), intent(inout) :: dest(*)
      integer(c_int8_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int16_sum_exscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int16_sum_exscan
      type(shmem_team_t), value :: team
      integer(c_int16_t), intent(inout) :: dest(*)
      integer(c_int16_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int32_sum_exscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int32_sum_exscan
      type(shmem_team_t), value :: team
      integer(c_int32_t), intent(inout) :: dest(*)
      integer(c_int32_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_int64_sum_exscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_int64_sum_exscan
      type(shmem_team_t), value :: team
      integer(c_int64_t), intent(inout) :: dest(*)
      integer(c_int64_t), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_float_sum_exscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_float_sum_exscan
      type(shmem_team_t), value :: team
      real(c_float), intent(inout) :: dest(*)
      real(c_float), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_double_sum_exscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_double_sum_exscan
      type(shmem_team_t), value :: team
      real(c_double), intent(inout) :: dest(*)
      real(c_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_longdouble_sum_exscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_longdouble_sum_exscan
      type(shmem_team_t), value :: team
      real(c_long_double), intent(inout) :: dest(*)
      real(c_long_double), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_complexd_sum_exscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_complexd_sum_exscan
      type(shmem_team_t), value :: team
      complex(c_double_complex), intent(inout) :: dest(*)
      complex(c_double_complex), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    function shmem_complexf_sum_exscan(team, dest, source, nelems) bind(C)
      import
      integer(c_int) :: shmem_complexf_sum_exscan
      type(shmem_team_t), value :: team
      complex(c_float_complex), intent(inout) :: dest(*)
      complex(c_float_complex), intent(in) :: source(*)
      integer(c_size_t), value :: nelems
    end function
    subroutine shmem_int32_wait_until(ivar, cmp, cmp_value) bind(C)
      import
      integer(c_int32_t), intent(inout) :: ivar
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
    end subroutine
    subroutine shmem_int64_wait_until(ivar, cmp, cmp_value) bind(C)
      import
      integer(c_int64_t), intent(inout) :: ivar
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
    end subroutine
    subroutine shmem_int32_wait_until_all(ivars, nelems, status, cmp, cmp_value) bind(C)
      import
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
    end subroutine
    subroutine shmem_int64_wait_until_all(ivars, nelems, status, cmp, cmp_value) bind(C)
      import
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
    end subroutine
    function shmem_int32_wait_until_any(ivars, nelems, status, cmp, cmp_value) bind(C)
      import
      integer(c_size_t) :: shmem_int32_wait_until_any
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
    end function
    function shmem_int64_wait_until_any(ivars, nelems, status, cmp, cmp_value) bind(C)
      import
      integer(c_size_t) :: shmem_int64_wait_until_any
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
    end function
    function shmem_int32_wait_until_some(ivars, nelems, indices, status, cmp, cmp_value) bind(C)
      import
      integer(c_size_t) :: shmem_int32_wait_until_some
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(inout) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
    end function
    function shmem_int64_wait_until_some(ivars, nelems, indices, status, cmp, cmp_value) bind(C)
      import
      integer(c_size_t) :: shmem_int64_wait_until_some
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(inout) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
    end function
    subroutine shmem_int32_wait_until_all_vector(ivars, nelems, status, cmp, cmp_values) bind(C)
      import
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), intent(in) :: cmp_values(*)
    end subroutine
    subroutine shmem_int64_wait_until_all_vector(ivars, nelems, status, cmp, cmp_values) bind(C)
      import
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), intent(in) :: cmp_values(*)
    end subroutine
    function shmem_int32_wait_until_any_vector(ivars, nelems, status, cmp, cmp_values) bind(C)
      import
      integer(c_size_t) :: shmem_int32_wait_until_any_vector
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), intent(in) :: cmp_values(*)
    end function
    function shmem_int64_wait_until_any_vector(ivars, nelems, status, cmp, cmp_values) bind(C)
      import
      integer(c_size_t) :: shmem_int64_wait_until_any_vector
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), intent(in) :: cmp_values(*)
    end function
    function shmem_int32_wait_until_some_vector(ivars, nelems, indices, status, cmp, cmp_values) bind(C)
      import
      integer(c_size_t) :: shmem_int32_wait_until_some_vector
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(inout) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), intent(in) :: cmp_values(*)
    end function
    function shmem_int64_wait_until_some_vector(ivars, nelems, indices, status, cmp, cmp_values) bind(C)
      import
      integer(c_size_t) :: shmem_int64_wait_until_some_vector
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(inout) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), intent(in) :: cmp_values(*)
    end function
    function shmem_int32_test(ivar, cmp, cmp_value) bind(C)
      import
      integer(c_int) :: shmem_int32_test
      integer(c_int32_t), intent(inout) :: ivar
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
    end function
    function shmem_int64_test(ivar, cmp, cmp_value) bind(C)
      import
      integer(c_int) :: shmem_int64_test
      integer(c_int64_t), intent(inout) :: ivar
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
    end function
    function shmem_int32_test_all(ivars, nelems, status, cmp, cmp_value) bind(C)
      import
      integer(c_int) :: shmem_int32_test_all
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
    end function
    function shmem_int64_test_all(ivars, nelems, status, cmp, cmp_value) bind(C)
      import
      integer(c_int) :: shmem_int64_test_all
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
    end function
    function shmem_int32_test_any(ivars, nelems, status, cmp, cmp_value) bind(C)
      import
      integer(c_size_t) :: shmem_int32_test_any
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
    end function
    function shmem_int64_test_any(ivars, nelems, status, cmp, cmp_value) bind(C)
      import
      integer(c_size_t) :: shmem_int64_test_any
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
    end function
    function shmem_int32_test_some(ivars, nelems, indices, status, cmp, cmp_value) bind(C)
      import
      integer(c_size_t) :: shmem_int32_test_some
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(inout) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
    end function
    function shmem_int64_test_some(ivars, nelems, indices, status, cmp, cmp_value) bind(C)
      import
      integer(c_size_t) :: shmem_int64_test_some
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(inout) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
    end function
    function shmem_int32_test_all_vector(ivars, nelems, status, cmp, cmp_values) bind(C)
      import
      integer(c_int) :: shmem_int32_test_all_vector
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), intent(in) :: cmp_values(*)
    end function
    function shmem_int64_test_all_vector(ivars, nelems, status, cmp, cmp_values) bind(C)
      import
      integer(c_int) :: shmem_int64_test_all_vector
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), intent(in) :: cmp_values(*)
    end function
    function shmem_int32_test_any_vector(ivars, nelems, status, cmp, cmp_values) bind(C)
      import
      integer(c_size_t) :: shmem_int32_test_any_vector
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), intent(in) :: cmp_values(*)
    end function
    function shmem_int64_test_any_vector(ivars, nelems, status, cmp, cmp_values) bind(C)
      import
      integer(c_size_t) :: shmem_int64_test_any_vector
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), intent(in) :: cmp_values(*)
    end function
    function shmem_int32_test_some_vector(ivars, nelems, indices, status, cmp, cmp_values) bind(C)
      import
      integer(c_size_t) :: shmem_int32_test_some_vector
      integer(c_int32_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(inout) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), intent(in) :: cmp_values(*)
    end function
    function shmem_int64_test_some_vector(ivars, nelems, indices, status, cmp, cmp_values) bind(C)
      import
      integer(c_size_t) :: shmem_int64_test_some_vector
      integer(c_int64_t), intent(inout) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(inout) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), intent(in) :: cmp_values(*)
    end function
    function shmem_signal_wait_until(sig_addr, cmp, cmp_value) bind(C)
      import
      integer(c_int64_t) :: shmem_signal_wait_until
      integer(c_int64_t), intent(inout) :: sig_addr
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
    end function
    subroutine shmem_fence() bind(C)
      import
    end subroutine
    subroutine shmem_ctx_fence(ctx) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
    end subroutine
    subroutine shmem_quiet() bind(C)
      import
    end subroutine
    subroutine shmem_ctx_quiet(ctx) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
    end subroutine
    subroutine shmem_pe_quiet(target_pes, npes) bind(C)
      import
      integer(c_int), intent(in) :: target_pes(*)
      integer(c_size_t), value :: npes
    end subroutine
    subroutine shmem_ctx_pe_quiet(ctx, target_pes, npes) bind(C)
      import
      type(shmem_ctx_t), value :: ctx
      integer(c_int), intent(in) :: target_pes(*)
      integer(c_size_t), value :: npes
    end subroutine
    subroutine shmem_clear_lock(lock) bind(C)
      import
      integer(c_long), intent(inout) :: lock
    end subroutine
    subroutine shmem_set_lock(lock) bind(C)
      import
      integer(c_long), intent(inout) :: lock
    end subroutine
    function shmem_test_lock(lock) bind(C)
      import
      integer(c_int) :: shmem_test_lock
      integer(c_long), intent(inout) :: lock
    end function
  end interface

  interface shmem_put
    procedure shmem_float_put
    procedure shmem_double_put
    procedure shmem_longdouble_put
    procedure shmem_char_put
    procedure shmem_int8_put
    procedure shmem_int16_put
    procedure shmem_int32_put
    procedure shmem_int64_put
    procedure shmem_ctx_float_put
    procedure shmem_ctx_double_put
    procedure shmem_ctx_longdouble_put
    procedure shmem_ctx_char_put
    procedure shmem_ctx_int8_put
    procedure shmem_ctx_int16_put
    procedure shmem_ctx_int32_put
    procedure shmem_ctx_int64_put
  end interface

  interface shmem_p
    procedure shmem_float_p
    procedure shmem_double_p
    procedure shmem_longdouble_p
    procedure shmem_char_p
    procedure shmem_int8_p
    procedure shmem_int16_p
    procedure shmem_int32_p
    procedure shmem_int64_p
    procedure shmem_ctx_float_p
    procedure shmem_ctx_double_p
    procedure shmem_ctx_longdouble_p
    procedure shmem_ctx_char_p
    procedure shmem_ctx_int8_p
    procedure shmem_ctx_int16_p
    procedure shmem_ctx_int32_p
    procedure shmem_ctx_int64_p
  end interface

  interface shmem_iput
    procedure shmem_float_iput
    procedure shmem_double_iput
    procedure shmem_longdouble_iput
    procedure shmem_char_iput
    procedure shmem_int8_iput
    procedure shmem_int16_iput
    procedure shmem_int32_iput
    procedure shmem_int64_iput
    procedure shmem_ctx_float_iput
    procedure shmem_ctx_double_iput
    procedure shmem_ctx_longdouble_iput
    procedure shmem_ctx_char_iput
    procedure shmem_ctx_int8_iput
    procedure shmem_ctx_int16_iput
    procedure shmem_ctx_int32_iput
    procedure shmem_ctx_int64_iput
  end interface

  interface shmem_ibput
    procedure shmem_float_ibput
    procedure shmem_double_ibput
    procedure shmem_longdouble_ibput
    procedure shmem_char_ibput
    procedure shmem_int8_ibput
    procedure shmem_int16_ibput
    procedure shmem_int32_ibput
    procedure shmem_int64_ibput
    procedure shmem_ctx_float_ibput
    procedure shmem_ctx_double_ibput
    procedure shmem_ctx_longdouble_ibput
    procedure shmem_ctx_char_ibput
    procedure shmem_ctx_int8_ibput
    procedure shmem_ctx_int16_ibput
    procedure shmem_ctx_int32_ibput
    procedure shmem_ctx_int64_ibput
  end interface

  interface shmem_get
    procedure shmem_float_get
    procedure shmem_double_get
    procedure shmem_longdouble_get
    procedure shmem_char_get
    procedure shmem_int8_get
    procedure shmem_int16_get
    procedure shmem_int32_get
    procedure shmem_int64_get
    procedure shmem_ctx_float_get
    procedure shmem_ctx_double_get
    procedure shmem_ctx_longdouble_get
    procedure shmem_ctx_char_get
    procedure shmem_ctx_int8_get
    procedure shmem_ctx_int16_get
    procedure shmem_ctx_int32_get
    procedure shmem_ctx_int64_get
  end interface

  interface shmem_g
    procedure shmem_float_g
    procedure shmem_double_g
    procedure shmem_longdouble_g
    procedure shmem_char_g
    procedure shmem_int8_g
    procedure shmem_int16_g
    procedure shmem_int32_g
    procedure shmem_int64_g
    procedure shmem_ctx_float_g
    procedure shmem_ctx_double_g
    procedure shmem_ctx_longdouble_g
    procedure shmem_ctx_char_g
    procedure shmem_ctx_int8_g
    procedure shmem_ctx_int16_g
    procedure shmem_ctx_int32_g
    procedure shmem_ctx_int64_g
  end interface

  interface shmem_iget
    procedure shmem_float_iget
    procedure shmem_double_iget
    procedure shmem_longdouble_iget
    procedure shmem_char_iget
    procedure shmem_int8_iget
    procedure shmem_int16_iget
    procedure shmem_int32_iget
    procedure shmem_int64_iget
    procedure shmem_ctx_float_iget
    procedure shmem_ctx_double_iget
    procedure shmem_ctx_longdouble_iget
    procedure shmem_ctx_char_iget
    procedure shmem_ctx_int8_iget
    procedure shmem_ctx_int16_iget
    procedure shmem_ctx_int32_iget
    procedure shmem_ctx_int64_iget
  end interface

  interface shmem_ibget
    procedure shmem_float_ibget
    procedure shmem_double_ibget
    procedure shmem_longdouble_ibget
    procedure shmem_char_ibget
    procedure shmem_int8_ibget
    procedure shmem_int16_ibget
    procedure shmem_int32_ibget
    procedure shmem_int64_ibget
    procedure shmem_ctx_float_ibget
    procedure shmem_ctx_double_ibget
    procedure shmem_ctx_longdouble_ibget
    procedure shmem_ctx_char_ibget
    procedure shmem_ctx_int8_ibget
    procedure shmem_ctx_int16_ibget
    procedure shmem_ctx_int32_ibget
    procedure shmem_ctx_int64_ibget
  end interface

  interface shmem_put_nbi
    procedure shmem_float_put_nbi
    procedure shmem_double_put_nbi
    procedure shmem_longdouble_put_nbi
    procedure shmem_char_put_nbi
    procedure shmem_int8_put_nbi
    procedure shmem_int16_put_nbi
    procedure shmem_int32_put_nbi
    procedure shmem_int64_put_nbi
    procedure shmem_ctx_float_put_nbi
    procedure shmem_ctx_double_put_nbi
    procedure shmem_ctx_longdouble_put_nbi
    procedure shmem_ctx_char_put_nbi
    procedure shmem_ctx_int8_put_nbi
    procedure shmem_ctx_int16_put_nbi
    procedure shmem_ctx_int32_put_nbi
    procedure shmem_ctx_int64_put_nbi
  end interface

  interface shmem_get_nbi
    procedure shmem_float_get_nbi
    procedure shmem_double_get_nbi
    procedure shmem_longdouble_get_nbi
    procedure shmem_char_get_nbi
    procedure shmem_int8_get_nbi
    procedure shmem_int16_get_nbi
    procedure shmem_int32_get_nbi
    procedure shmem_int64_get_nbi
    procedure shmem_ctx_float_get_nbi
    procedure shmem_ctx_double_get_nbi
    procedure shmem_ctx_longdouble_get_nbi
    procedure shmem_ctx_char_get_nbi
    procedure shmem_ctx_int8_get_nbi
    procedure shmem_ctx_int16_get_nbi
    procedure shmem_ctx_int32_get_nbi
    procedure shmem_ctx_int64_get_nbi
  end interface

  interface shmem_atomic_fetch
    procedure shmem_float_atomic_fetch
    procedure shmem_double_atomic_fetch
    procedure shmem_int32_atomic_fetch
    procedure shmem_int64_atomic_fetch
    procedure shmem_ctx_float_atomic_fetch
    procedure shmem_ctx_double_atomic_fetch
    procedure shmem_ctx_int32_atomic_fetch
    procedure shmem_ctx_int64_atomic_fetch
  end interface

  interface shmem_atomic_set
    procedure shmem_float_atomic_set
    procedure shmem_double_atomic_set
    procedure shmem_int32_atomic_set
    procedure shmem_int64_atomic_set
    procedure shmem_ctx_float_atomic_set
    procedure shmem_ctx_double_atomic_set
    procedure shmem_ctx_int32_atomic_set
    procedure shmem_ctx_int64_atomic_set
  end interface

  interface shmem_atomic_compare_swap
    procedure shmem_int32_atomic_compare_swap
    procedure shmem_int64_atomic_compare_swap
    procedure shmem_ctx_int32_atomic_compare_swap
    procedure shmem_ctx_int64_atomic_compare_swap
  end interface

  interface shmem_atomic_swap
    procedure shmem_float_atomic_swap
    procedure shmem_double_atomic_swap
    procedure shmem_int32_atomic_swap
    procedure shmem_int64_atomic_swap
    procedure shmem_ctx_float_atomic_swap
    procedure shmem_ctx_double_atomic_swap
    procedure shmem_ctx_int32_atomic_swap
    procedure shmem_ctx_int64_atomic_swap
  end interface

  interface shmem_atomic_fetch_inc
    procedure shmem_int32_atomic_fetch_inc
    procedure shmem_int64_atomic_fetch_inc
    procedure shmem_ctx_int32_atomic_fetch_inc
    procedure shmem_ctx_int64_atomic_fetch_inc
  end interface

  interface shmem_atomic_inc
    procedure shmem_int32_atomic_inc
    procedure shmem_int64_atomic_inc
    procedure shmem_ctx_int32_atomic_inc
    procedure shmem_ctx_int64_atomic_inc
  end interface

  interface shmem_atomic_fetch_add
    procedure shmem_int32_atomic_fetch_add
    procedure shmem_int64_atomic_fetch_add
    procedure shmem_ctx_int32_atomic_fetch_add
    procedure shmem_ctx_int64_atomic_fetch_add
  end interface

  interface shmem_atomic_add
    procedure shmem_int32_atomic_add
    procedure shmem_int64_atomic_add
    procedure shmem_ctx_int32_atomic_add
    procedure shmem_ctx_int64_atomic_add
  end interface

  interface shmem_atomic_fetch_and
    procedure shmem_int32_atomic_fetch_and
    procedure shmem_int64_atomic_fetch_and
    procedure shmem_ctx_int32_atomic_fetch_and
    procedure shmem_ctx_int64_atomic_fetch_and
  end interface

  interface shmem_atomic_and
    procedure shmem_int32_atomic_and
    procedure shmem_int64_atomic_and
    procedure shmem_ctx_int32_atomic_and
    procedure shmem_ctx_int64_atomic_and
  end interface

  interface shmem_atomic_fetch_or
    procedure shmem_int32_atomic_fetch_or
    procedure shmem_int64_atomic_fetch_or
    procedure shmem_ctx_int32_atomic_fetch_or
    procedure shmem_ctx_int64_atomic_fetch_or
  end interface

  interface shmem_atomic_or
    procedure shmem_int32_atomic_or
    procedure shmem_int64_atomic_or
    procedure shmem_ctx_int32_atomic_or
    procedure shmem_ctx_int64_atomic_or
  end interface

  interface shmem_atomic_fetch_xor
    procedure shmem_int32_atomic_fetch_xor
    procedure shmem_int64_atomic_fetch_xor
    procedure shmem_ctx_int32_atomic_fetch_xor
    procedure shmem_ctx_int64_atomic_fetch_xor
  end interface

  interface shmem_atomic_xor
    procedure shmem_int32_atomic_xor
    procedure shmem_int64_atomic_xor
    procedure shmem_ctx_int32_atomic_xor
    procedure shmem_ctx_int64_atomic_xor
  end interface

  interface shmem_atomic_fetch_nbi
    procedure shmem_float_atomic_fetch_nbi
    procedure shmem_double_atomic_fetch_nbi
    procedure shmem_int32_atomic_fetch_nbi
    procedure shmem_int64_atomic_fetch_nbi
    procedure shmem_ctx_float_atomic_fetch_nbi
    procedure shmem_ctx_double_atomic_fetch_nbi
    procedure shmem_ctx_int32_atomic_fetch_nbi
    procedure shmem_ctx_int64_atomic_fetch_nbi
  end interface

  interface shmem_atomic_compare_swap_nbi
    procedure shmem_int32_atomic_compare_swap_nbi
    procedure shmem_int64_atomic_compare_swap_nbi
    procedure shmem_ctx_int32_atomic_compare_swap_nbi
    procedure shmem_ctx_int64_atomic_compare_swap_nbi
  end interface

  interface shmem_atomic_swap_nbi
    procedure shmem_float_atomic_swap_nbi
    procedure shmem_double_atomic_swap_nbi
    procedure shmem_int32_atomic_swap_nbi
    procedure shmem_int64_atomic_swap_nbi
    procedure shmem_ctx_float_atomic_swap_nbi
    procedure shmem_ctx_double_atomic_swap_nbi
    procedure shmem_ctx_int32_atomic_swap_nbi
    procedure shmem_ctx_int64_atomic_swap_nbi
  end interface

  interface shmem_atomic_fetch_inc_nbi
    procedure shmem_int32_atomic_fetch_inc_nbi
    procedure shmem_int64_atomic_fetch_inc_nbi
    procedure shmem_ctx_int32_atomic_fetch_inc_nbi
    procedure shmem_ctx_int64_atomic_fetch_inc_nbi
  end interface

  interface shmem_atomic_fetch_add_nbi
    procedure shmem_int32_atomic_fetch_add_nbi
    procedure shmem_int64_atomic_fetch_add_nbi
    procedure shmem_ctx_int32_atomic_fetch_add_nbi
    procedure shmem_ctx_int64_atomic_fetch_add_nbi
  end interface

  interface shmem_atomic_fetch_and_nbi
    procedure shmem_int32_atomic_fetch_and_nbi
    procedure shmem_int64_atomic_fetch_and_nbi
    procedure shmem_ctx_int32_atomic_fetch_and_nbi
    procedure shmem_ctx_int64_atomic_fetch_and_nbi
  end interface

  interface shmem_atomic_fetch_or_nbi
    procedure shmem_int32_atomic_fetch_or_nbi
    procedure shmem_int64_atomic_fetch_or_nbi
    procedure shmem_ctx_int32_atomic_fetch_or_nbi
    procedure shmem_ctx_int64_atomic_fetch_or_nbi
  end interface

  interface shmem_atomic_fetch_xor_nbi
    procedure shmem_int32_atomic_fetch_xor_nbi
    procedure shmem_int64_atomic_fetch_xor_nbi
    procedure shmem_ctx_int32_atomic_fetch_xor_nbi
    procedure shmem_ctx_int64_atomic_fetch_xor_nbi
  end interface

  interface shmem_put_signal
    procedure shmem_float_put_signal
    procedure shmem_double_put_signal
    procedure shmem_longdouble_put_signal
    procedure shmem_char_put_signal
    procedure shmem_int8_put_signal
    procedure shmem_int16_put_signal
    procedure shmem_int32_put_signal
    procedure shmem_int64_put_signal
    procedure shmem_ctx_float_put_signal
    procedure shmem_ctx_double_put_signal
    procedure shmem_ctx_longdouble_put_signal
    procedure shmem_ctx_char_put_signal
    procedure shmem_ctx_int8_put_signal
    procedure shmem_ctx_int16_put_signal
    procedure shmem_ctx_int32_put_signal
    procedure shmem_ctx_int64_put_signal
  end interface

  interface shmem_put_signal_nbi
    procedure shmem_float_put_signal_nbi
    procedure shmem_double_put_signal_nbi
    procedure shmem_longdouble_put_signal_nbi
    procedure shmem_char_put_signal_nbi
    procedure shmem_int8_put_signal_nbi
    procedure shmem_int16_put_signal_nbi
    procedure shmem_int32_put_signal_nbi
    procedure shmem_int64_put_signal_nbi
    procedure shmem_ctx_float_put_signal_nbi
    procedure shmem_ctx_double_put_signal_nbi
    procedure shmem_ctx_longdouble_put_signal_nbi
    procedure shmem_ctx_char_put_signal_nbi
    procedure shmem_ctx_int8_put_signal_nbi
    procedure shmem_ctx_int16_put_signal_nbi
    procedure shmem_ctx_int32_put_signal_nbi
    procedure shmem_ctx_int64_put_signal_nbi
  end interface

  interface shmem_sync
    procedure shmem_team_sync
  end interface

  interface shmem_alltoall
    procedure shmem_float_alltoall
    procedure shmem_double_alltoall
    procedure shmem_longdouble_alltoall
    procedure shmem_char_alltoall
    procedure shmem_int8_alltoall
    procedure shmem_int16_alltoall
    procedure shmem_int32_alltoall
    procedure shmem_int64_alltoall
  end interface

  interface shmem_alltoalls
    procedure shmem_float_alltoalls
    procedure shmem_double_alltoalls
    procedure shmem_longdouble_alltoalls
    procedure shmem_char_alltoalls
    procedure shmem_int8_alltoalls
    procedure shmem_int16_alltoalls
    procedure shmem_int32_alltoalls
    procedure shmem_int64_alltoalls
  end interface

  interface shmem_broadcast
    procedure shmem_float_broadcast
    procedure shmem_double_broadcast
    procedure shmem_longdouble_broadcast
    procedure shmem_char_broadcast
    procedure shmem_int8_broadcast
    procedure shmem_int16_broadcast
    procedure shmem_int32_broadcast
    procedure shmem_int64_broadcast
  end interface

  interface shmem_collect
    procedure shmem_float_collect
    procedure shmem_double_collect
    procedure shmem_longdouble_collect
    procedure shmem_char_collect
    procedure shmem_int8_collect
    procedure shmem_int16_collect
    procedure shmem_int32_collect
    procedure shmem_int64_collect
  end interface

  interface shmem_fcollect
    procedure shmem_float_fcollect
    procedure shmem_double_fcollect
    procedure shmem_longdouble_fcollect
    procedure shmem_char_fcollect
    procedure shmem_int8_fcollect
    procedure shmem_int16_fcollect
    procedure shmem_int32_fcollect
    procedure shmem_int64_fcollect
  end interface

  interface shmem_and_reduce
    procedure shmem_int8_and_reduce
    procedure shmem_int16_and_reduce
    procedure shmem_int32_and_reduce
    procedure shmem_int64_and_reduce
  end interface

  interface shmem_or_reduce
    procedure shmem_int8_or_reduce
    procedure shmem_int16_or_reduce
    procedure shmem_int32_or_reduce
    procedure shmem_int64_or_reduce
  end interface

  interface shmem_xor_reduce
    procedure shmem_int8_xor_reduce
    procedure shmem_int16_xor_reduce
    procedure shmem_int32_xor_reduce
    procedure shmem_int64_xor_reduce
  end interface

  interface shmem_max_reduce
    procedure shmem_char_max_reduce
    procedure shmem_int8_max_reduce
    procedure shmem_int16_max_reduce
    procedure shmem_int32_max_reduce
    procedure shmem_int64_max_reduce
    procedure shmem_float_max_reduce
    procedure shmem_double_max_reduce
    procedure shmem_longdouble_max_reduce
  end interface

  interface shmem_min_reduce
    procedure shmem_char_min_reduce
    procedure shmem_int8_min_reduce
    procedure shmem_int16_min_reduce
    procedure shmem_int32_min_reduce
    procedure shmem_int64_min_reduce
    procedure shmem_float_min_reduce
    procedure shmem_double_min_reduce
    procedure shmem_longdouble_min_reduce
  end interface

  interface shmem_sum_reduce
    procedure shmem_char_sum_reduce
    procedure shmem_int8_sum_reduce
    procedure shmem_int16_sum_reduce
    procedure shmem_int32_sum_reduce
    procedure shmem_int64_sum_reduce
    procedure shmem_float_sum_reduce
    procedure shmem_double_sum_reduce
    procedure shmem_longdouble_sum_reduce
    procedure shmem_complexd_sum_reduce
    procedure shmem_complexf_sum_reduce
  end interface

  interface shmem_prod_reduce
    procedure shmem_char_prod_reduce
    procedure shmem_int8_prod_reduce
    procedure shmem_int16_prod_reduce
    procedure shmem_int32_prod_reduce
    procedure shmem_int64_prod_reduce
    procedure shmem_float_prod_reduce
    procedure shmem_double_prod_reduce
    procedure shmem_longdouble_prod_reduce
    procedure shmem_complexd_prod_reduce
    procedure shmem_complexf_prod_reduce
  end interface

  interface shmem_sum_inscan
    procedure shmem_char_sum_inscan
    procedure shmem_int8_sum_inscan
    procedure shmem_int16_sum_inscan
    procedure shmem_int32_sum_inscan
    procedure shmem_int64_sum_inscan
    procedure shmem_float_sum_inscan
    procedure shmem_double_sum_inscan
    procedure shmem_longdouble_sum_inscan
    procedure shmem_complexd_sum_inscan
    procedure shmem_complexf_sum_inscan
  end interface

  interface shmem_sum_exscan
    procedure shmem_char_sum_exscan
    procedure shmem_int8_sum_exscan
    procedure shmem_int16_sum_exscan
    procedure shmem_int32_sum_exscan
    procedure shmem_int64_sum_exscan
    procedure shmem_float_sum_exscan
    procedure shmem_double_sum_exscan
    procedure shmem_longdouble_sum_exscan
    procedure shmem_complexd_sum_exscan
    procedure shmem_complexf_sum_exscan
  end interface

  interface shmem_wait_until
    procedure shmem_int32_wait_until
    procedure shmem_int64_wait_until
  end interface

  interface shmem_wait_until_all
    procedure shmem_int32_wait_until_all
    procedure shmem_int64_wait_until_all
  end interface

  interface shmem_wait_until_any
    procedure shmem_int32_wait_until_any
    procedure shmem_int64_wait_until_any
  end interface

  interface shmem_wait_until_some
    procedure shmem_int32_wait_until_some
    procedure shmem_int64_wait_until_some
  end interface

  interface shmem_wait_until_all_vector
    procedure shmem_int32_wait_until_all_vector
    procedure shmem_int64_wait_until_all_vector
  end interface

  interface shmem_wait_until_any_vector
    procedure shmem_int32_wait_until_any_vector
    procedure shmem_int64_wait_until_any_vector
  end interface

  interface shmem_wait_until_some_vector
    procedure shmem_int32_wait_until_some_vector
    procedure shmem_int64_wait_until_some_vector
  end interface

  interface shmem_test
    procedure shmem_int32_test
    procedure shmem_int64_test
  end interface

  interface shmem_test_all
    procedure shmem_int32_test_all
    procedure shmem_int64_test_all
  end interface

  interface shmem_test_any
    procedure shmem_int32_test_any
    procedure shmem_int64_test_any
  end interface

  interface shmem_test_some
    procedure shmem_int32_test_some
    procedure shmem_int64_test_some
  end interface

  interface shmem_test_all_vector
    procedure shmem_int32_test_all_vector
    procedure shmem_int64_test_all_vector
  end interface

  interface shmem_test_any_vector
    procedure shmem_int32_test_any_vector
    procedure shmem_int64_test_any_vector
  end interface

  interface shmem_test_some_vector
    procedure shmem_int32_test_some_vector
    procedure shmem_int64_test_some_vector
  end interface

  interface shmem_swap
    procedure shmem_float_atomic_swap
    procedure shmem_double_atomic_swap
    procedure shmem_int32_atomic_swap
    procedure shmem_int64_atomic_swap
    procedure shmem_ctx_float_atomic_swap
    procedure shmem_ctx_double_atomic_swap
    procedure shmem_ctx_int32_atomic_swap
    procedure shmem_ctx_int64_atomic_swap
  end interface

  interface shmem_cswap
    procedure shmem_int32_atomic_compare_swap
    procedure shmem_int64_atomic_compare_swap
    procedure shmem_ctx_int32_atomic_compare_swap
    procedure shmem_ctx_int64_atomic_compare_swap
  end interface

  interface shmem_finc
    procedure shmem_int32_atomic_fetch_inc
    procedure shmem_int64_atomic_fetch_inc
    procedure shmem_ctx_int32_atomic_fetch_inc
    procedure shmem_ctx_int64_atomic_fetch_inc
  end interface

  interface shmem_fadd
    procedure shmem_int32_atomic_fetch_add
    procedure shmem_int64_atomic_fetch_add
    procedure shmem_ctx_int32_atomic_fetch_add
    procedure shmem_ctx_int64_atomic_fetch_add
  end interface

  interface shmem_inc
    procedure shmem_int32_atomic_inc
    procedure shmem_int64_atomic_inc
    procedure shmem_ctx_int32_atomic_inc
    procedure shmem_ctx_int64_atomic_inc
  end interface

  interface shmem_add
    procedure shmem_int32_atomic_add
    procedure shmem_int64_atomic_add
    procedure shmem_ctx_int32_atomic_add
    procedure shmem_ctx_int64_atomic_add
  end interface

  interface shmem_fetch
    procedure shmem_float_atomic_fetch
    procedure shmem_double_atomic_fetch
    procedure shmem_int32_atomic_fetch
    procedure shmem_int64_atomic_fetch
    procedure shmem_ctx_float_atomic_fetch
    procedure shmem_ctx_double_atomic_fetch
    procedure shmem_ctx_int32_atomic_fetch
    procedure shmem_ctx_int64_atomic_fetch
  end interface

  interface shmem_set
    procedure shmem_float_atomic_set
    procedure shmem_double_atomic_set
    procedure shmem_int32_atomic_set
    procedure shmem_int64_atomic_set
    procedure shmem_ctx_float_atomic_set
    procedure shmem_ctx_double_atomic_set
    procedure shmem_ctx_int32_atomic_set
    procedure shmem_ctx_int64_atomic_set
  end interface

  interface shmem_put
    procedure oshmpi_float_put
    procedure oshmpi_double_put
    procedure oshmpi_longdouble_put
    procedure oshmpi_char_put
    procedure oshmpi_int8_put
    procedure oshmpi_int16_put
    procedure oshmpi_int32_put
    procedure oshmpi_int64_put
  end interface

  interface shmem_get
    procedure oshmpi_float_get
    procedure oshmpi_double_get
    procedure oshmpi_longdouble_get
    procedure oshmpi_char_get
    procedure oshmpi_int8_get
    procedure oshmpi_int16_get
    procedure oshmpi_int32_get
    procedure oshmpi_int64_get
  end interface

contains

  subroutine oshmpi_float_put(dest, source, nelems, pe)
    real(c_float), intent(inout) :: dest(*)
    real(c_float), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_float_put(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_double_put(dest, source, nelems, pe)
    real(c_double), intent(inout) :: dest(*)
    real(c_double), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_double_put(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_longdouble_put(dest, source, nelems, pe)
    real(c_long_double), intent(inout) :: dest(*)
    real(c_long_double), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_longdouble_put(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_char_put(dest, source, nelems, pe)
    character(c_char), intent(inout) :: dest(*)
    character(c_char), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_char_put(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_int8_put(dest, source, nelems, pe)
    integer(c_int8_t), intent(inout) :: dest(*)
    integer(c_int8_t), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_int8_put(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_int16_put(dest, source, nelems, pe)
    integer(c_int16_t), intent(inout) :: dest(*)
    integer(c_int16_t), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_int16_put(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_int32_put(dest, source, nelems, pe)
    integer(c_int32_t), intent(inout) :: dest(*)
    integer(c_int32_t), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_int32_put(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_int64_put(dest, source, nelems, pe)
    integer(c_int64_t), intent(inout) :: dest(*)
    integer(c_int64_t), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_int64_put(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_float_get(dest, source, nelems, pe)
    real(c_float), intent(inout) :: dest(*)
    real(c_float), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_float_get(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_double_get(dest, source, nelems, pe)
    real(c_double), intent(inout) :: dest(*)
    real(c_double), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_double_get(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_longdouble_get(dest, source, nelems, pe)
    real(c_long_double), intent(inout) :: dest(*)
    real(c_long_double), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_longdouble_get(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_char_get(dest, source, nelems, pe)
    character(c_char), intent(inout) :: dest(*)
    character(c_char), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_char_get(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_int8_get(dest, source, nelems, pe)
    integer(c_int8_t), intent(inout) :: dest(*)
    integer(c_int8_t), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_int8_get(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_int16_get(dest, source, nelems, pe)
    integer(c_int16_t), intent(inout) :: dest(*)
    integer(c_int16_t), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_int16_get(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_int32_get(dest, source, nelems, pe)
    integer(c_int32_t), intent(inout) :: dest(*)
    integer(c_int32_t), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_int32_get(dest, source, int(nelems, c_size_t), pe)
  end subroutine

  subroutine oshmpi_int64_get(dest, source, nelems, pe)
    integer(c_int64_t), intent(inout) :: dest(*)
    integer(c_int64_t), intent(in) :: source(*)
    integer(c_int), intent(in) :: nelems, pe
    call shmem_int64_get(dest, source, int(nelems, c_size_t), pe)
  end subroutine
end module
