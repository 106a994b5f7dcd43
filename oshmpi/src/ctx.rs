//! Communication contexts, as C sees them: a handle that is one word.

/// `shmem_ctx_t`. 0 is `SHMEM_CTX_INVALID`, 1 is `SHMEM_CTX_DEFAULT`.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ctx(usize);

impl Ctx {
    pub(crate) const INVALID: Ctx = Ctx(0);
    pub(crate) const DEFAULT: Ctx = Ctx(1);
}
