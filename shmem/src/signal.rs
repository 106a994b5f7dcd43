//! Signals: a transfer that tells the other PE that it has arrived.

use crate::{Element, Sym};
use core::ffi::c_int;
use shmem_sys as sys;

/// What happens to the signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignalOp {
    /// It gets the value.
    Set,
    /// The value is added to it.
    Add,
}

/// How a wait compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cmp {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Cmp {
    fn number(self) -> c_int {
        match self {
            Cmp::Eq => sys::SHMEM_CMP_EQ,
            Cmp::Ne => sys::SHMEM_CMP_NE,
            Cmp::Lt => sys::SHMEM_CMP_LT,
            Cmp::Le => sys::SHMEM_CMP_LE,
            Cmp::Gt => sys::SHMEM_CMP_GT,
            Cmp::Ge => sys::SHMEM_CMP_GE,
        }
    }
}

impl<T: Element> Sym<'_, T> {
    /// Writes `values` to the elements from `first` on of `pe`, and then updates a signal of that PE: element `index`
    /// of `signals`. When the PE sees the signal, the values have arrived.
    ///
    /// ```standalone_crate
    /// use shmem::{Cmp, SignalOp};
    /// let world = shmem::init()?;
    /// let data = world.alloc::<f64>(100)?;
    /// let signals = world.alloc::<u64>(1)?;
    /// data.put_signal(world.right(), 0, &[0.5; 100], (&signals, 0), SignalOp::Add, 1);
    /// assert_eq!(signals.wait_signal(0, Cmp::Ge, 1), 1);
    /// assert_eq!(data.local()[99].get(), 0.5);
    /// # Ok::<(), shmem::Error>(())
    /// ```
    pub fn put_signal(
        &self,
        pe: usize,
        first: usize,
        values: &[T],
        (signals, index): (&Sym<'_, u64>, usize),
        op: SignalOp,
        value: u64,
    ) {
        let (signal, _) = signals.one(pe, index);
        let op = match op {
            SignalOp::Set => sys::SHMEM_SIGNAL_SET,
            SignalOp::Add => sys::SHMEM_SIGNAL_ADD,
        };
        let (pe, at) = self.remote(pe, first, values.len());
        // SAFETY: range and signal lie in symmetric memory; `values` is as long as the range.
        unsafe { (T::PUT_SIGNAL)(at, values.as_ptr(), values.len(), signal, value, op, pe) }
    }
}

impl Sym<'_, u64> {
    /// Waits until signal `index` on this PE compares so with `value`, and returns it.
    pub fn wait_signal(&self, index: usize, cmp: Cmp, value: u64) -> u64 {
        let (at, _) = self.one(self.world().me(), index);
        // SAFETY: an element of this PE's memory.
        unsafe { sys::shmem_signal_wait_until(at, cmp.number(), value) }
    }
}
