//! The symmetric allocator and its old names.

use crate::ops::heap;
use core::ffi::{c_long, c_void};

/// Alignment that suits any C object.
const ANY: usize = 16;

routine! { "shmem_malloc" = fn(size: usize) -> *mut c_void { heap::alloc(NAME, size, ANY, false) } }
routine! { "shmalloc" = fn(size: usize) -> *mut c_void { heap::alloc(NAME, size, ANY, false) } }
routine! { "shmem_calloc" = fn(count: usize, size: usize) -> *mut c_void { heap::calloc(NAME, count, size) } }
routine! { "shmem_align" = fn(alignment: usize, size: usize) -> *mut c_void {
    heap::alloc(NAME, size, alignment, false)
} }
routine! { "shmemalign" = fn(alignment: usize, size: usize) -> *mut c_void {
    heap::alloc(NAME, size, alignment, false)
} }
routine! { "shmem_malloc_with_hints" = fn(size: usize, hints: c_long) -> *mut c_void {
    heap::alloc_with_hints(NAME, size, hints)
} }
routine! { "shmem_realloc" = fn(ptr: *mut c_void, size: usize) -> *mut c_void { heap::realloc(NAME, ptr, size) } }
routine! { "shrealloc" = fn(ptr: *mut c_void, size: usize) -> *mut c_void { heap::realloc(NAME, ptr, size) } }
routine! { "shmem_free" = fn(ptr: *mut c_void) { heap::free(NAME, ptr) } }
routine! { "shfree" = fn(ptr: *mut c_void) { heap::free(NAME, ptr) } }
