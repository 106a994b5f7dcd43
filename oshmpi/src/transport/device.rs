//! Memory of a device, which CPUs do not touch: the driver copies it, and AMOs on its words change copies. A word has
//! one executor, who holds the lock of the word's PE: a PE of its node, or its owner by a message.
//!
//! Cost: a put or get is one copy by the driver and a wait for it. An AMO is two of them, and waits for other AMOs on
//! the same PE's memory. From a PE of another node bytes go through a buffer in the owner's memory.

use super::amo::Amo;
use super::node;
use crate::memory::addr::{Pe, SegId};
use crate::memory::local::{Dest, Source};
use crate::memory::spaces::{OnDevice, SPACES};
use crate::os::cuda::Device;
use crate::sync::Yield;
use crate::sync::plain::Plain;
use core::mem::MaybeUninit;

/// The device memory of this PE at an address that the program has passed as a local buffer.
#[inline]
fn around(addr: usize) -> Option<&'static OnDevice> {
    if SPACES.has_devices() { SPACES.device_around(addr) } else { None }
}

/// Whether a local buffer is memory of a device.
#[inline]
pub(crate) fn holds(addr: usize) -> bool {
    around(addr).is_some()
}

/// What copies between a segment and a local buffer, if one of them is memory of a device.
fn between(seg: SegId, local: usize) -> Option<Device> {
    let on = seg.device().map_or_else(|| around(local), |place| SPACES.on_device(place));
    on.map(|on| on.device)
}

/// Puts a local buffer to a segment, whose bytes are reached at `to`.
///
/// # Safety
/// `source.len()` bytes at `to` can be written: by the driver in a segment of a device, else by CPUs.
pub(crate) unsafe fn put(seg: SegId, to: usize, source: Source) -> Result<(), String> {
    match between(seg, source.address()) {
        // SAFETY: promised, and the source can be read.
        Some(device) => unsafe { device.copy(to, source.address(), source.len()) },
        None => {
            // SAFETY: as above, by CPUs: neither side is memory of a device.
            unsafe { node::copy(to as *mut u8, source.at(), source.len()) };
            Ok(())
        }
    }
}

/// Gets bytes of a segment, which are reached at `from`, into a local buffer.
///
/// # Safety
/// `dest.len()` bytes at `from` can be read: by the driver in a segment of a device, else by CPUs.
pub(crate) unsafe fn get(seg: SegId, from: usize, dest: Dest) -> Result<(), String> {
    match between(seg, dest.address()) {
        // SAFETY: promised, and the destination can be written.
        Some(device) => unsafe { device.copy(dest.address(), from, dest.len()) },
        None => {
            // SAFETY: as above, by CPUs: neither side is memory of a device.
            unsafe { node::copy(dest.at(), from as *const u8, dest.len()) };
            Ok(())
        }
    }
}

/// Runs an AMO on a word in the device memory of the space at a place, of `pe`, a PE of this node. None: of this PE.
/// Returns the old value.
///
/// # Safety
/// The word of `len` bytes, 4 or 8, is reached at `at`.
pub(crate) unsafe fn amo(place: u8, pe: Option<Pe>, at: usize, len: usize, amo: Amo) -> Result<u64, String> {
    let on = SPACES.on_device(place).expect("a word was found in this space");
    let part = pe.map_or(Some(&on.parts[on.me]), |pe| SPACES.part_on_device(place, pe));
    let lock = part.expect("a PE of this node that shares the space").lock;
    // SAFETY: both sides have `len` bytes.
    let fetch = |copy: *mut u64| unsafe { on.device.copy(copy as usize, at, len) };
    // SAFETY: as above.
    let store = |copy: *const u64| unsafe { on.device.copy(at, copy as usize, len) };
    amo.on_copy(len, (lock, &Yield), fetch, store)
}

/// A local buffer of a device, copied to memory that CPUs and networks can read. None: it is no memory of a device.
pub(crate) fn staged(source: Source) -> Result<Option<Vec<u8>>, String> {
    let Some(on) = around(source.address()) else { return Ok(None) };
    let mut bytes = vec![0; source.len()];
    // SAFETY: the source can be read, and the vector has as many bytes.
    unsafe { on.device.copy(bytes.as_mut_ptr() as usize, source.address(), bytes.len())? };
    Ok(Some(bytes))
}

/// Zeroes memory of this PE's part of a space. None: it is no memory of a device, and was left alone.
///
/// # Safety
/// If it is, its `n` bytes lie in the part.
pub(crate) unsafe fn zero(at: usize, n: usize) -> Option<Result<(), String>> {
    // SAFETY: promised.
    around(at).map(|on| unsafe { on.device.zero(at, n) })
}

/// The element at an address of this PE's memory of a device.
pub(crate) fn element<T: Plain>(at: *const T) -> Result<T, String> {
    let on = around(at as usize).expect("the caller has found it there");
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: the element lies in the part, and the copy fills all of `value`. Any bytes are one.
    unsafe {
        on.device.copy(value.as_mut_ptr() as usize, at as usize, size_of::<T>())?;
        Ok(value.assume_init())
    }
}
