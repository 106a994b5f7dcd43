//! The spaces that the program has made: symmetric memory of one kind, which a team shares.

use super::{Members, TeamHandle};
use crate::memory::addr::{MOST_SPACES, Span};
use crate::memory::heap::Heap;
use crate::memory::node::Limit;
use crate::sync::atomics::{AtomicU64, Ordering};
use core::sync::atomic::AtomicPtr;
use std::os::fd::OwnedFd;
use std::sync::Mutex;

/// `shmemx_space_t`: 0 is `SHMEMX_SPACE_INVALID`; others are made by [`Spaces`].
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SpaceHandle(pub(crate) usize);

impl SpaceHandle {
    pub(crate) const INVALID: SpaceHandle = SpaceHandle(0);
}

/// Where the memory of a PE's part comes from.
pub(crate) struct Backing {
    pub(crate) file: OwnedFd,
    /// Where the part begins in the file, in bytes.
    pub(crate) begin: u64,
    /// Set if there may be less memory than address space. Allocations are committed when they are made then.
    pub(crate) limit: Option<Limit>,
}

/// A space as one PE of its team has it.
pub(crate) struct Space {
    /// A team of the same members that belongs to the space: it lives as long, whatever becomes of the program's team,
    /// and its rounds do not meet those of the program's collectives.
    pub(crate) team: TeamHandle,
    pub(crate) members: Members,
    /// This PE's part.
    pub(crate) own: Span,
    pub(crate) heap: Mutex<Heap>,
    /// The number of allocator calls.
    pub(crate) calls: AtomicU64,
    pub(crate) backing: Backing,
}

/// The spaces of this PE, one at each place of [`SPACES`](crate::memory::spaces::SPACES) that is in use.
pub(crate) struct Spaces {
    made: AtomicU64,
    at: [AtomicPtr<(SpaceHandle, Space)>; MOST_SPACES],
}

impl Spaces {
    pub(crate) fn new() -> Spaces {
        Spaces { made: AtomicU64::new(0), at: [const { AtomicPtr::new(core::ptr::null_mut()) }; MOST_SPACES] }
    }

    fn at(&self, place: usize) -> Option<&(SpaceHandle, Space)> {
        let p = self.at[place].load(Ordering::Acquire); // SYNC spaces: pairs with insert
        // SAFETY: null or a space that lives until `remove`, which the program must not call while it uses the space.
        unsafe { p.as_ref() }
    }

    /// The space at a place.
    pub(crate) fn of_place(&self, place: u8) -> Option<&Space> {
        self.at(usize::from(place)).map(|(_, space)| space)
    }

    /// The space of a handle that `insert` has returned and `remove` has not removed, and its place.
    pub(crate) fn find(&self, handle: SpaceHandle) -> Option<(u8, &Space)> {
        let place = handle.0 % MOST_SPACES;
        self.at(place).filter(|(own, _)| *own == handle).map(|(_, space)| (place as u8, space))
    }

    /// Adds a space at a place that is in use and has none.
    pub(crate) fn insert(&self, place: u8, space: Space) -> SpaceHandle {
        // The count makes a handle that was destroyed differ from the next one at the same place.
        let made = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        let handle = SpaceHandle(made as usize * MOST_SPACES + usize::from(place));
        let space = Box::into_raw(Box::new((handle, space)));
        self.at[usize::from(place)].store(space, Ordering::Release); // SYNC spaces: pairs with at
        handle
    }

    /// Removes the space at a place.
    pub(crate) fn remove(&self, place: u8) {
        // SYNC spaces: pairs with insert
        let p = self.at[usize::from(place)].swap(core::ptr::null_mut(), Ordering::AcqRel);
        if !p.is_null() {
            // SAFETY: made by Box::into_raw in `insert`, and taken out of the table by nobody else.
            drop(unsafe { Box::from_raw(p) });
        }
    }

    /// The places that have a space.
    pub(crate) fn places(&self) -> impl Iterator<Item = u8> {
        (0..MOST_SPACES as u8).filter(|&place| self.of_place(place).is_some())
    }
}
