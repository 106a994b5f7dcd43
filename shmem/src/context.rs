//! Contexts, and operations that go on while the program computes.

use crate::{Element, Error, Sym, World};
use core::marker::PhantomData;
use shmem_sys as sys;

/// A stream of operations with its own fence and quiet. Dropping it completes them.
///
/// ```standalone_crate
/// let world = shmem::init()?;
/// let x = world.alloc::<f64>(8)?;
/// let values = vec![1.5; 8];
/// let mut copy = vec![0.0; 8];
/// let ctx = world.context()?;
/// ctx.nonblocking(|batch| {
///     batch.put(&x, world.right(), 0, &values);      // `values` cannot be changed until the end of the batch
/// });                                                // here all operations of the batch are complete
/// world.barrier();
/// ctx.nonblocking(|batch| batch.get(&x, world.me(), 0, &mut copy));
/// assert_eq!(copy, values);
/// # Ok::<(), shmem::Error>(())
/// ```
#[derive(Debug)]
pub struct Context<'w> {
    world: &'w World,
    handle: sys::shmem_ctx_t,
}

/// Nonblocking operations of a context, all complete at the end of [`Context::nonblocking`]. Buffers of `'env` are
/// borrowed until then.
#[derive(Debug)]
pub struct Batch<'c, 'env> {
    ctx: &'c Context<'c>,
    // Invariant, so that 'env cannot shrink to the lifetime of something inside the closure.
    _env: PhantomData<&'env mut &'env ()>,
}

impl World {
    /// A new context for this thread.
    pub fn context(&self) -> Result<Context<'_>, Error> {
        let mut handle = sys::SHMEM_CTX_INVALID;
        // SAFETY: the library is up as long as this exists; the result goes to a local variable.
        let failed = unsafe { sys::shmem_ctx_create(sys::SHMEM_CTX_PRIVATE, &mut handle) };
        if failed != 0 { Err(Error::NoContext) } else { Ok(Context { world: self, handle }) }
    }

    /// As [`Context::nonblocking`], in the default context: its end completes all operations of that context.
    pub fn nonblocking<'env, R>(&self, run: impl FnOnce(&Batch<'_, 'env>) -> R) -> R {
        let ctx = core::mem::ManuallyDrop::new(Context { world: self, handle: sys::SHMEM_CTX_DEFAULT });
        ctx.nonblocking(run)
    }
}

impl Context<'_> {
    /// Writes `values` to the elements from `first` on of `pe`, as [`Sym::put`] does; [`Context::quiet`] completes it.
    pub fn put<T: Element>(&self, to: &Sym<'_, T>, pe: usize, first: usize, values: &[T]) {
        let (pe, at) = to.remote(pe, first, values.len());
        // SAFETY: the range lies in memory that is equally long on all PEs; `values` is as long.
        unsafe { (T::CTX_PUT)(self.handle, at, values.as_ptr(), values.len(), pe) }
    }

    /// Fills `values` with the elements from `first` on of `pe`.
    pub fn get<T: Element>(&self, from: &Sym<'_, T>, pe: usize, first: usize, values: &mut [T]) {
        let (pe, at) = from.remote(pe, first, values.len());
        // SAFETY: as above; any bits are values of T.
        unsafe { (T::CTX_GET)(self.handle, values.as_mut_ptr(), at, values.len(), pe) }
    }

    /// Runs nonblocking operations and completes them. They go on while the closure computes.
    pub fn nonblocking<'env, R>(&self, run: impl FnOnce(&Batch<'_, 'env>) -> R) -> R {
        /// Also if the closure panics: the buffers are given back only after this.
        struct Complete<'c>(&'c Context<'c>);
        impl Drop for Complete<'_> {
            fn drop(&mut self) {
                self.0.quiet();
            }
        }
        let complete = Complete(self);
        run(&Batch { ctx: complete.0, _env: PhantomData })
    }

    /// Waits until all operations of this context are complete.
    pub fn quiet(&self) {
        // SAFETY: the context exists, here and below.
        unsafe { sys::shmem_ctx_quiet(self.handle) }
    }

    /// Orders puts of this context: to each PE, later ones arrive after earlier ones.
    pub fn fence(&self) {
        // SAFETY: as above.
        unsafe { sys::shmem_ctx_fence(self.handle) }
    }

    /// The world of this context.
    pub fn world(&self) -> &World {
        self.world
    }
}

impl<'env> Batch<'_, 'env> {
    /// Begins to write `values` to the elements from `first` on of `pe`.
    pub fn put<T: Element>(&self, to: &'env Sym<'_, T>, pe: usize, first: usize, values: &'env [T]) {
        let (pe, at) = to.remote(pe, first, values.len());
        // SAFETY: both buffers are long enough, and 'env lasts until the quiet of `nonblocking`.
        unsafe { (T::PUT_NBI)(self.ctx.handle, at, values.as_ptr(), values.len(), pe) }
    }

    /// Begins to fill `values` with the elements from `first` on of `pe`.
    pub fn get<T: Element>(&self, from: &'env Sym<'_, T>, pe: usize, first: usize, values: &'env mut [T]) {
        let (pe, at) = from.remote(pe, first, values.len());
        // SAFETY: as above; nobody else reads or writes `values` before the quiet.
        unsafe { (T::GET_NBI)(self.ctx.handle, values.as_mut_ptr(), at, values.len(), pe) }
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `context` and given back once; its end completes what is under way.
        unsafe { sys::shmem_ctx_destroy(self.handle) }
    }
}
