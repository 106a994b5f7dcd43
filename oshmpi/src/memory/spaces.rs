//! The mapped memory of spaces: where this PE's parts lie, and where those of the node's other PEs do. Addresses are
//! looked up here only after heap and statics have missed.
//!
//! ```text
//! | part of seat 0 | part of seat 1 | ...     each of `stride` bytes; seats: the space's PEs of this node, in order
//! ```

use super::addr::{MOST_SPACES, Pe, SegId, Span, SymRange};
use super::places::Places;
use crate::os::cuda::Device;
use crate::os::map;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::Mutex;

/// The parts of a space, mapped side by side.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Where the part of seat 0 is mapped.
    pub(crate) first: usize,
    pub(crate) stride: usize,
    /// The space's PEs of this node: which PE has which seat.
    pub(crate) seats: Places,
}

impl Parts {
    /// Bytes of address space.
    fn total(&self) -> usize {
        self.stride * self.seats.count()
    }

    /// The PE in whose part an address lies.
    fn owner(&self, at: usize) -> Option<Pe> {
        let off = at.checked_sub(self.first)?;
        (off < self.total()).then(|| self.seats.pe(off / self.stride))
    }
}

/// The memory of a device that a PE of this node has of a space.
pub(crate) struct DevicePart {
    /// Where it is reached from this PE: an address for the driver, of which CPUs make no use.
    pub(crate) at: usize,
    /// What a PE holds while it changes a word there.
    pub(crate) lock: &'static AtomicU32,
}

/// The memory of a space on devices.
pub(crate) struct OnDevice {
    /// This PE's device.
    pub(crate) device: Device,
    /// What the driver has allocated for this PE. Its part lies there.
    pub(crate) allocated: usize,
    pub(crate) own: Span,
    /// This PE's seat.
    pub(crate) me: usize,
    /// The parts of the seats, and what the driver has opened of the others.
    pub(crate) parts: Box<[DevicePart]>,
    pub(crate) opened: Vec<usize>,
}

impl OnDevice {
    /// Ends the use of the others' parts. Nobody's memory may be freed before all have called this.
    pub(crate) fn close(&self) -> Result<(), String> {
        self.opened.iter().try_for_each(|&at| self.device.close(at))
    }
}

/// One place of the table.
struct Entry {
    /// This PE's part. The length is 0 without a space.
    base: AtomicUsize,
    len: AtomicUsize,
    parts: AtomicPtr<Parts>,
    /// The address space of all parts. When the space is destroyed, it stays reserved until the place is used again, so
    /// that nothing else gets these addresses.
    whole: Mutex<Option<Span>>,
    /// Null: the space has no memory of a device.
    device: AtomicPtr<OnDevice>,
}

/// The spaces of this PE.
pub(crate) struct Table {
    /// The places in use, a bit for each.
    used: AtomicU32,
    /// Those whose spaces have memory of a device, a bit for each.
    devices: AtomicU32,
    entries: [Entry; MOST_SPACES],
}

pub(crate) static SPACES: Table = Table {
    used: AtomicU32::new(0),
    devices: AtomicU32::new(0),
    entries: [const {
        Entry {
            base: AtomicUsize::new(0),
            len: AtomicUsize::new(0),
            parts: AtomicPtr::new(core::ptr::null_mut()),
            whole: Mutex::new(None),
            device: AtomicPtr::new(core::ptr::null_mut()),
        }
    }; MOST_SPACES],
};

impl Table {
    /// The places that are free, a bit for each.
    pub(crate) fn free(&self) -> u32 {
        !self.used.load(Ordering::Relaxed) & ((1 << MOST_SPACES) - 1)
    }

    /// Takes a place; false if another thread has it.
    pub(crate) fn take(&self, place: u8) -> bool {
        self.used.fetch_or(1 << place, Ordering::Relaxed) >> place & 1 == 0
    }

    /// Gives a place back that has no space.
    pub(crate) fn give(&self, place: u8) {
        self.used.fetch_and(!(1 << place), Ordering::Relaxed);
    }

    fn entry(&self, place: u8) -> &Entry {
        &self.entries[usize::from(place)]
    }

    /// This PE's part of what a [`SegId::Space`] names; empty without one.
    pub(crate) fn own(&self, place: u8) -> Span {
        if let Some(place) = SegId::Space(place).device() {
            return self.on_device(place).map_or(Span::default(), |on| on.own);
        }
        let Entry { base, len, .. } = self.entry(place);
        let before = base.load(Ordering::Acquire); // SYNC space: pairs with insert and remove
        let span = Span { base: before, len: len.load(Ordering::Acquire) }; // SYNC space
        // A place that another thread fills meanwhile has no space that the caller may use.
        if base.load(Ordering::Relaxed) == before { span } else { Span::default() }
    }

    /// The range at `[addr, addr+len)`, if all of it lies in this PE's part of a space.
    pub(crate) fn find(&self, addr: usize, len: usize) -> Option<SymRange> {
        let find = |seg, span: Span| span.offset_of(addr, len).map(|off| SymRange { seg, off, len });
        let mut places = each(self.used.load(Ordering::Relaxed) | self.devices.load(Ordering::Relaxed) << MOST_SPACES);
        places.find_map(|place| find(SegId::Space(place), self.own(place)))
    }

    /// Whether this PE has memory of a device in a space.
    #[inline(always)]
    pub(crate) fn has_devices(&self) -> bool {
        self.devices.load(Ordering::Relaxed) != 0
    }

    pub(crate) fn on_device(&self, place: u8) -> Option<&OnDevice> {
        let device = self.entry(place).device.load(Ordering::Acquire); // SYNC space: pairs with insert_device
        // SAFETY: null or what was made by Box::into_raw in `insert_device` and is never dropped.
        unsafe { device.as_ref() }
    }

    /// The memory of a device that `pe`, a PE of this node, has of a space.
    pub(crate) fn part_on_device(&self, place: u8, pe: Pe) -> Option<&DevicePart> {
        let seat = self.parts(place)?.seats.local(pe)?;
        self.on_device(place).map(|on| &on.parts[seat])
    }

    /// This PE's memory of a device in which an address lies.
    pub(crate) fn device_around(&self, addr: usize) -> Option<&OnDevice> {
        let mut all = each(self.devices.load(Ordering::Relaxed)).filter_map(|place| self.on_device(place));
        all.find(|on| on.own.contains(addr))
    }

    /// Adds memory of a device to the space at a place.
    pub(crate) fn insert_device(&self, place: u8, on: OnDevice) {
        let on = Box::into_raw(Box::new(on));
        self.entry(place).device.store(on, Ordering::Release); // SYNC space: pairs with on_device
        self.devices.fetch_or(1 << place, Ordering::Relaxed);
    }

    fn parts(&self, place: u8) -> Option<&Parts> {
        let parts = self.entry(place).parts.load(Ordering::Acquire); // SYNC space
        // SAFETY: null or parts that live until `remove`, which the program must not call while it uses the space.
        unsafe { parts.as_ref() }
    }

    /// Where the part of `pe`, a PE of this node, is mapped, or is reached by the driver. None: it has none.
    pub(crate) fn mapped(&self, place: u8, pe: Pe) -> Option<usize> {
        if let Some(place) = SegId::Space(place).device() {
            return self.part_on_device(place, pe).map(|part| part.at);
        }
        let parts = self.parts(place)?;
        parts.seats.local(pe).map(|seat| parts.first + seat * parts.stride)
    }

    /// The place of the space, there or destroyed, in whose address space an address lies.
    fn around(&self, addr: usize) -> Option<u8> {
        let whole = |entry: &Entry| *entry.whole.lock().unwrap_or_else(|e| e.into_inner());
        let place = self.entries.iter().position(|entry| whole(entry).is_some_and(|span| span.contains(addr)));
        place.map(|place| place as u8)
    }

    /// The PE in whose part of a space an address lies. `shmem_ptr` gives programs such addresses.
    #[cold]
    pub(crate) fn owner(&self, addr: usize) -> Option<Pe> {
        self.parts(self.around(addr)?)?.owner(addr)
    }

    /// Whether an address belonged to a space that was destroyed.
    #[cold]
    pub(crate) fn was_of_one(&self, addr: usize) -> bool {
        self.around(addr).is_some_and(|place| self.own(place).len == 0)
    }

    /// Gives back the address space of the space that was last at a place, which was taken.
    pub(crate) fn forget(&self, place: u8) {
        let whole = self.entry(place).whole.lock().unwrap_or_else(|e| e.into_inner()).take();
        // SAFETY: reserved by `remove`, and nothing can be there.
        whole.inspect(|span| unsafe { map::unmap(span.base, span.len) });
    }

    /// Makes a space known at a place that was taken: `own` is this PE's part, inside `parts`.
    pub(crate) fn insert(&self, place: u8, own: Span, parts: Parts) {
        let (entry, whole) = (self.entry(place), Span { base: parts.first, len: parts.total() });
        *entry.whole.lock().unwrap_or_else(|e| e.into_inner()) = Some(whole);
        entry.parts.store(Box::into_raw(Box::new(parts)), Ordering::Release); // SYNC space: pairs with parts
        entry.base.store(own.base, Ordering::Release); // SYNC space
        entry.len.store(own.len, Ordering::Release); // SYNC space
    }

    /// Unmaps a space that nobody uses any more, and frees its place.
    pub(crate) fn remove(&self, place: u8) {
        let entry = self.entry(place);
        entry.len.store(0, Ordering::Release); // SYNC space
        entry.base.store(0, Ordering::Release); // SYNC space
        let parts = entry.parts.swap(core::ptr::null_mut(), Ordering::AcqRel); // SYNC space
        if !parts.is_null() {
            // SAFETY: made by Box::into_raw in `insert`, and taken out of the table by nobody else.
            let parts = unsafe { Box::from_raw(parts) };
            // A failure leaves the memory mapped until the place is used again.
            // SAFETY: the space's mapping, which nobody uses any more.
            let _ = unsafe { map::reserve_over(parts.first, parts.total()) };
        }
        self.devices.fetch_and(!(1 << place), Ordering::Relaxed);
        let device = entry.device.swap(core::ptr::null_mut(), Ordering::AcqRel); // SYNC space
        // SAFETY: as in `on_device`. It is not dropped: another thread that looks for any address may be reading it.
        if let Some(on) = unsafe { device.as_ref() } {
            // A failure leaves it to the driver, which frees it when the process ends.
            let _ = on.device.free(on.allocated);
        }
        self.give(place);
    }
}

/// The places of a set of bits.
fn each(mut bits: u32) -> impl Iterator<Item = u8> {
    core::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as u8)?;
        bits &= bits - 1;
        Some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places that no other test of this process uses.
    const PLACES: [u8; 2] = [14, 15];

    /// Addresses are found in this PE's part, in no other one, and not after the space was destroyed.
    #[test]
    fn addresses_are_found_as_long_as_the_space_lives() {
        let page = map::page();
        let made = PLACES.map(|place| {
            assert!(SPACES.take(place) && !SPACES.take(place) && SPACES.free() >> place & 1 == 0);
            let parts = Parts { first: map::reserve(3 * page, page).unwrap(), stride: page, seats: seats() };
            let own = Span { base: parts.first + page, len: page - 16 };
            SPACES.insert(place, own, parts);
            own
        });
        for (place, own) in PLACES.into_iter().zip(made) {
            let found = |addr, len| SPACES.find(addr, len).map(|range| (range.seg, range.off));
            assert_eq!(found(own.base + 8, own.len - 8), Some((SegId::Space(place), 8)));
            assert_eq!((found(own.base + 8, own.len), found(own.base - 1, 1)), (None, None));
            let mapped = [3, 5, 7, 4].map(|pe| SPACES.mapped(place, Pe(pe)));
            let first = own.base - page;
            assert_eq!(mapped, [Some(first), Some(first + page), Some(first + 2 * page), None]);
            let owners = [first, own.base, first + 3 * page - 1].map(|at| SPACES.owner(at));
            assert_eq!(owners, [3, 5, 7].map(|pe| Some(Pe(pe))));
            assert!(SPACES.owner(first + 3 * page).is_none() && !SPACES.was_of_one(first));
        }
        for (place, own) in PLACES.into_iter().zip(made) {
            SPACES.remove(place);
            assert!(SPACES.find(own.base, 1).is_none() && SPACES.owner(own.base).is_none());
            assert_eq!((SPACES.own(place), SPACES.mapped(place, Pe(5))), (Span::default(), None));
            assert!(SPACES.was_of_one(own.base + 8) && SPACES.free() >> place & 1 == 1);
            SPACES.forget(place);
            assert!(!SPACES.was_of_one(own.base + 8));
        }
    }

    fn seats() -> Places {
        Places::new(vec![3, 5, 7], 9)
    }
}
