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
  type, bind(C) :: shmemx_req_t
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: shmemx_space_t
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: shmem_team_config_t
    integer(c_int) :: num_contexts = 0
  end type
  type, bind(C) :: shmem_ctx_session_config_t
    integer(c_size_t) :: total_ops = 0
  end type
  ! `path` is the address of a string that ends with c_null_char.
  type, bind(C) :: shmemx_space_config_t
    integer(c_size_t) :: size = 0
    integer(c_int) :: kind = 0
    integer(c_int) :: number = 0
    type(c_ptr) :: path = c_null_ptr
  end type
  integer(c_int), parameter :: SHMEMX_SPACE_DEFAULT = 0, SHMEMX_SPACE_HUGE = 1, SHMEMX_SPACE_NUMA = 2
  integer(c_int), parameter :: SHMEMX_SPACE_INTERLEAVED = 3, SHMEMX_SPACE_FILE = 4, SHMEMX_SPACE_DEVICE = 5
