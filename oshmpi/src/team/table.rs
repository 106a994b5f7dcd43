//! The table of the teams that the program has made.

use super::members::Here;
use super::{Members, Team, TeamHandle};
use crate::memory::node::SYNC_SLOTS;
use crate::memory::places::Places;
use crate::sync::atomics::Ordering;
use core::sync::atomic::AtomicPtr;
use std::sync::Mutex;

/// The teams the program has made on this PE, one per sync slot, and which sync slots are free.
pub(crate) struct Teams {
    state: Mutex<State>,
    at: [AtomicPtr<Team>; SYNC_SLOTS],
}

struct State {
    free: [u64; SYNC_SLOTS / 64],
    /// The latest round that any sync slot has seen.
    latest: u64,
    made: usize,
}

/// The number of sync slots of predefined teams.
const PREDEFINED: usize = 2;

impl Teams {
    pub(crate) fn new() -> Teams {
        let mut free = [u64::MAX; SYNC_SLOTS / 64];
        free[0] <<= PREDEFINED;
        let state = Mutex::new(State { free, latest: 0, made: 0 });
        Teams { state, at: [const { AtomicPtr::new(core::ptr::null_mut()) }; SYNC_SLOTS] }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The free sync slots, as a bit mask.
    pub(crate) fn look(&self) -> [u64; SYNC_SLOTS / 64] {
        self.lock().free
    }

    /// Takes a sync slot if it is still free. Returns the latest round that any sync slot of this PE has seen. A team
    /// on the slot begins after the latest such round of all members.
    pub(crate) fn take(&self, sync_slot: usize) -> Option<u64> {
        let mut state = self.lock();
        let bit = 1 << (sync_slot % 64);
        let was = state.free[sync_slot / 64] & bit != 0;
        state.free[sync_slot / 64] &= !bit;
        was.then_some(state.latest)
    }

    /// Frees a sync slot, whose last round was `seq`.
    pub(crate) fn give(&self, sync_slot: usize, seq: u64) {
        let mut state = self.lock();
        state.free[sync_slot / 64] |= 1 << (sync_slot % 64);
        state.latest = state.latest.max(seq);
    }

    /// Makes a team on a sync slot that [`Teams::take`] has taken.
    pub(crate) fn insert(
        &self,
        members: Members,
        places: &Places,
        me: u32,
        sync_slot: usize,
        seq: u64,
        num_contexts: i32,
    ) -> TeamHandle {
        let made = {
            let mut state = self.lock();
            state.made += 1;
            state.made
        };
        // The count makes a handle that was destroyed differ from the next one on the same sync slot.
        let handle = TeamHandle(made * SYNC_SLOTS + sync_slot);
        let team =
            Box::new(Team::new(handle, members, Here::new(members, me, places), me, sync_slot, seq, num_contexts));
        self.at[sync_slot].store(Box::into_raw(team), Ordering::Release); // SYNC team: pairs with find
        handle
    }

    /// The team of a handle that `insert` has returned and `remove` has not removed.
    #[inline]
    pub(crate) fn find(&self, handle: TeamHandle) -> Option<&Team> {
        let p = self.at[handle.0 % SYNC_SLOTS].load(Ordering::Acquire); // SYNC team: pairs with insert
        // SAFETY: null or a team that lives until `remove`, which the program must not call while it uses the team.
        unsafe { p.as_ref() }.filter(|team| team.handle == handle)
    }

    /// Removes a team that `insert` has made.
    pub(crate) fn remove(&self, handle: TeamHandle) {
        let Some(team) = self.find(handle) else { return };
        let (sync_slot, seq) = (team.sync_slot as usize, team.last_round());
        // SYNC team: pairs with insert and find
        let p = self.at[sync_slot].swap(core::ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: made by Box::into_raw in `insert`, and taken out of the table by nobody else.
        drop(unsafe { Box::from_raw(p) });
        self.give(sync_slot, seq);
    }

    /// The handles of all existing teams.
    pub(crate) fn handles(&self) -> Vec<TeamHandle> {
        // SAFETY: as in find.
        let team = |p: &AtomicPtr<Team>| unsafe { p.load(Ordering::Acquire).as_ref() }.map(|t| t.handle); // SYNC team
        self.at.iter().filter_map(team).collect()
    }
}
