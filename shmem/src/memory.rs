//! Symmetric memory: owned and typed. No references to its elements are given out except [`Word`]s.

use crate::{Atomic, Element, Error, World};
use core::cell::UnsafeCell;
use core::ops::Range;
use core::ptr::NonNull;
use shmem_sys as sys;

/// An element of symmetric memory on this PE. Other PEs may change it at any time.
#[repr(transparent)]
pub struct Word<T>(UnsafeCell<T>);

impl<T: Element> Word<T> {
    /// The current value.
    pub fn get(&self) -> T {
        // SAFETY: the element is aligned, and any bits are a value. Volatile, because other PEs write to it.
        unsafe { self.0.get().read_volatile() }
    }

    /// Stores a value. Use an atomic operation instead if other PEs may read it at the same time.
    pub fn set(&self, value: T) {
        // SAFETY: as above.
        unsafe { self.0.get().write_volatile(value) }
    }
}

/// `len` elements of `T` on every PE. Dropping it frees them, which is collective. While a panic unwinds they are not
/// freed; if the panic is caught, they stay in use until the [`World`] ends.
pub struct Sym<'w, T: Element> {
    world: &'w World,
    at: NonNull<T>,
    len: usize,
}

impl<'w, T: Element> Sym<'w, T> {
    pub(crate) fn new(world: &'w World, len: usize) -> Result<Sym<'w, T>, Error> {
        if len == 0 {
            return Ok(Sym { world, at: NonNull::dangling(), len });
        }
        let bytes = len.saturating_mul(size_of::<T>());
        // SAFETY: the library is up; all PEs come here with the same length.
        let at = unsafe { sys::shmem_calloc(len, size_of::<T>()) };
        NonNull::new(at.cast()).map(|at| Sym { world, at, len }).ok_or(Error::NoMemory(bytes))
    }

    /// Elements on each PE.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements on this PE.
    pub fn local(&self) -> &[Word<T>] {
        // SAFETY: `len` elements, alive as long as self. A Word gives out no reference to its inside.
        unsafe { core::slice::from_raw_parts(self.at.as_ptr().cast(), self.len) }
    }

    /// A copy of the elements on this PE.
    pub fn to_vec(&self) -> Vec<T> {
        self.local().iter().map(Word::get).collect()
    }

    /// Sets all elements on this PE.
    pub fn fill(&self, value: T) {
        self.local().iter().for_each(|w| w.set(value));
    }

    /// Writes `values` to the elements from `first` on of `pe`. Afterwards `values` may be changed, but they are at
    /// `pe` only after [`World::quiet`] or a barrier.
    pub fn put(&self, pe: usize, first: usize, values: &[T]) {
        let (pe, at) = self.remote(pe, first, values.len());
        // SAFETY: the range lies in this memory, which is equally long on all PEs; `values` is as long.
        unsafe { (T::PUT)(at, values.as_ptr(), values.len(), pe) }
    }

    /// Fills `values` with the elements from `first` on of `pe`.
    pub fn get(&self, pe: usize, first: usize, values: &mut [T]) {
        let (pe, at) = self.remote(pe, first, values.len());
        // SAFETY: as in put; any bits are values of T.
        unsafe { (T::GET)(values.as_mut_ptr(), at, values.len(), pe) }
    }

    /// The value of one element of `pe`.
    pub fn read(&self, pe: usize, index: usize) -> T {
        let mut value = [T::default()];
        self.get(pe, index, &mut value);
        value[0]
    }

    /// A checked PE, and a pointer to `len` elements from `first` on.
    pub(crate) fn remote(&self, pe: usize, first: usize, len: usize) -> (core::ffi::c_int, *mut T) {
        (self.world.pe(pe), self.range(first..first.saturating_add(len)))
    }

    /// A pointer to the first of a range of elements. Panics if the range is not in the memory.
    pub(crate) fn range(&self, r: Range<usize>) -> *mut T {
        assert!(r.end <= self.len, "elements {}..{} do not lie in {} of them", r.start, r.end, self.len);
        // SAFETY: checked a line above.
        unsafe { self.at.as_ptr().add(r.start) }
    }

    pub(crate) fn world(&self) -> &'w World {
        self.world
    }
}

/// Atomic operations on single elements of any PE, and waits for elements on this PE. They must not be mixed with `put`
/// and [`Word::set`] on the same element at the same time.
///
/// ```standalone_crate
/// let world = shmem::init()?;
/// let tickets = world.alloc::<u64>(1)?;
/// let mine = tickets.atomic_fetch_add(0, 0, 1);      // the counter is that of PE 0
/// assert!(mine < world.n_pes() as u64);
/// world.barrier();
/// assert_eq!(tickets.atomic_fetch(0, 0), world.n_pes() as u64);
/// # Ok::<(), shmem::Error>(())
/// ```
impl<T: Atomic> Sym<'_, T> {
    pub(crate) fn one(&self, pe: usize, index: usize) -> (*mut T, core::ffi::c_int) {
        let pe = self.world.pe(pe);
        assert!(index < self.len, "element {index} is not one of {}", self.len);
        (self.range(index..index + 1), pe)
    }

    /// The element's value.
    pub fn atomic_fetch(&self, pe: usize, index: usize) -> T {
        let (at, pe) = self.one(pe, index);
        // SAFETY: an element of this memory at a PE of this job, here and below.
        unsafe { (T::FETCH)(at, pe) }
    }

    /// Stores a value.
    pub fn atomic_set(&self, pe: usize, index: usize, value: T) {
        let (at, pe) = self.one(pe, index);
        // SAFETY: as above.
        unsafe { (T::SET)(at, value, pe) }
    }

    /// Stores a value and returns the old one.
    pub fn atomic_swap(&self, pe: usize, index: usize, value: T) -> T {
        let (at, pe) = self.one(pe, index);
        // SAFETY: as above.
        unsafe { (T::SWAP)(at, value, pe) }
    }

    /// Stores `value` if the element is equal to `cond`. Returns the old value.
    pub fn atomic_compare_swap(&self, pe: usize, index: usize, cond: T, value: T) -> T {
        let (at, pe) = self.one(pe, index);
        // SAFETY: as above.
        unsafe { (T::COMPARE_SWAP)(at, cond, value, pe) }
    }

    /// Adds `value`, wrapping, and returns the old value.
    pub fn atomic_fetch_add(&self, pe: usize, index: usize, value: T) -> T {
        let (at, pe) = self.one(pe, index);
        // SAFETY: as above.
        unsafe { (T::FETCH_ADD)(at, value, pe) }
    }

    /// Waits until the element on this PE is equal to `value`. Data that its writer has put earlier, before a fence,
    /// have then arrived too.
    pub fn wait_until_equal(&self, index: usize, value: T) {
        let (at, _) = self.one(self.world.me(), index);
        // SAFETY: an element of this PE's memory.
        unsafe { (T::WAIT_UNTIL)(at, sys::SHMEM_CMP_EQ, value) }
    }

    /// Waits until the element on this PE differs from `value`, and returns what it is then.
    pub fn wait_while(&self, index: usize, value: T) -> T {
        let (at, _) = self.one(self.world.me(), index);
        loop {
            // SAFETY: as above.
            unsafe { (T::WAIT_UNTIL)(at, sys::SHMEM_CMP_NE, value) };
            // Another PE may have stored `value` again since.
            let found = self.atomic_fetch(self.world.me(), index);
            if found != value {
                return found;
            }
        }
    }
}

impl<T: Element> Drop for Sym<'_, T> {
    fn drop(&mut self) {
        // Not in a panic: the collective call would wait for PEs that do not panic.
        if self.len > 0 && !std::thread::panicking() {
            // SAFETY: made by shmem_calloc and freed once.
            unsafe { sys::shmem_free(self.at.as_ptr().cast()) }
        }
    }
}
