//! Spaces: symmetric memory of one kind, which a team shares.

use crate::ops::space::{self, Config, Wanted};
use crate::ops::team::Out;
use crate::team::{SpaceHandle, TeamHandle};
use core::ffi::{c_int, c_void};

routine! { "shmemx_space_create" = fn(
    config: *const Config, team: TeamHandle, space: *mut SpaceHandle,
) -> c_int {
    // SAFETY: the C caller's promise.
    let (wanted, space) = unsafe { (Wanted::new(config), Out::new(space)) };
    space::create(NAME, wanted, team, space)
} }
routine! { "shmemx_space_destroy" = fn(space: SpaceHandle) -> c_int { space::destroy(NAME, space) } }
routine! { "shmemx_space_malloc" = fn(space: SpaceHandle, size: usize) -> *mut c_void {
    space::alloc(NAME, space, size, 16, false)
} }
routine! { "shmemx_space_calloc" = fn(space: SpaceHandle, count: usize, size: usize) -> *mut c_void {
    space::calloc(NAME, space, count, size)
} }
routine! { "shmemx_space_align" = fn(space: SpaceHandle, alignment: usize, size: usize) -> *mut c_void {
    space::alloc(NAME, space, size, alignment, false)
} }
routine! { "shmemx_space_free" = fn(space: SpaceHandle, ptr: *mut c_void) { space::free(NAME, space, ptr) } }
