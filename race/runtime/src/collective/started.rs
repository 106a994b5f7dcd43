//! Collectives that go on beside the program. What they do to the buffers of their PE is done by an actor of its own
//! until the request is complete.

use super::{Buffers, Moves, Round, bring_to, learn, touched, with};
use crate::effects::{DEFAULT, here};
use crate::memory;
use crate::node::Node;
use crate::site::mix;
use crate::thread::process;
use core::sync::atomic::{AtomicU64, Ordering};
use oshmpi_race::cell::{Kind, Stamp};
use oshmpi_race::clock::{Known, View};
use oshmpi_race::order::FIRST_REQUEST;
use oshmpi_race::shadow::Access;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

/// Clocks of collectives of a team that were started: twice as many are kept apart at a time.
const STARTS: u64 = 4;

fn key_of_start(team: u64, number: u64) -> u64 {
    mix(team, 1 + number % STARTS) | 1
}

/// The keys of a team's clocks.
pub(super) fn keys(team: u64) -> impl Iterator<Item = u64> {
    (0..STARTS).map(move |number| key_of_start(team, number))
}

/// A collective that goes on, whose buffers an actor of its own uses: that of a context of this number.
struct Started {
    ctx: u64,
    round: Round,
    from: core::ops::Range<usize>,
    collect: Option<Collect>,
}

/// A collect that goes on. Where its members' data comes to is known when all of them have started.
struct Collect {
    buffers: Buffers,
    own: usize,
    stamp: Stamp,
    site: u32,
}

impl Collect {
    /// Notes what was done to the destination, when it is complete. It is compared with what the own PE knew at the
    /// start, if that is still there.
    fn note(&self, node: &Node, round: &Round) {
        let Some(clock) = round.clocks[self.own].filter(|_| round.length(self.own).is_some()) else { return };
        let view = View { clock: Known::Member(clock), fenced: &[] };
        let by = Access::pending(self.stamp, round.kind, view, self.site);
        for (_, offset, len) in touched(&self.buffers, self.own, round).1 {
            memory::local(node, self.buffers.dest + offset, len, &by);
        }
    }
}

/// By the request.
static STARTED: Mutex<BTreeMap<usize, Started>> = Mutex::new(BTreeMap::new());

/// By the thread's actor, until the start has given the request.
static BEGUN: Mutex<BTreeMap<u32, Started>> = Mutex::new(BTreeMap::new());

fn locked<K>(all: &'static Mutex<BTreeMap<K, Started>>) -> MutexGuard<'static, BTreeMap<K, Started>> {
    all.lock().unwrap_or_else(|e| e.into_inner())
}

/// Before a collective of a team is started.
#[unsafe(no_mangle)]
extern "C" fn race_start(team: usize, b: &Buffers, quiet: i32) {
    static SERIAL: AtomicU64 = AtomicU64::new(FIRST_REQUEST);
    let Some((me, node)) = here() else { return };
    if quiet != 0 {
        process().pe.quiet(&mut me.thread, DEFAULT as u64);
    }
    let (key, number, of) = with(|g| {
        let group = g.team(team);
        group.started += 1;
        (group.key, group.started, (group.members.clone(), group.elsewhere.clone()))
    });
    let place = (key_of_start(key, number), number / STARTS % 2 == 1);
    let mut round = bring_to(me, node, place, of, (number, b.bytes as u64));
    (round.number, round.kind) = (Some(number), Kind::collective(mix(key, 0) >> 8));
    let n = round.members.len();
    let Some(own) = round.me.filter(|_| (b.root as usize) < n && b.fits(node, n, false)) else { return };
    let ctx = SERIAL.fetch_add(1, Ordering::Relaxed);
    let (is_collect, mut collect) = (b.moves == Moves::Collect, None);
    if (b.bytes > 0 || is_collect) && b.fits(node, n, true) {
        let site = me.site(node, None);
        let stamp = process().pe.get_nbi(&mut me.thread, ctx);
        let by = |kind| Access::pending(stamp, kind, View::of(&me.thread.clock), site);
        let (reads, parts) = touched(b, own, &round);
        // In place, what is written is read by the same operation.
        for (offset, len) in reads.into_iter().filter(|_| b.source != b.dest) {
            memory::local(node, b.source + offset, len, &by(Kind::READ));
        }
        match is_collect {
            true => collect = Some(Collect { buffers: *b, own, stamp, site }),
            false => parts.iter().for_each(|(_, at, len)| memory::local(node, b.dest + at, *len, &by(round.kind))),
        }
    }
    let from = b.givers(own, n);
    locked(&BEGUN).insert(me.thread.actor, Started { ctx, round, from, collect });
}

/// After it: the request.
#[unsafe(no_mangle)]
extern "C" fn race_start_is(request: usize) {
    let Some((me, _)) = here() else { return };
    let begun = locked(&BEGUN).remove(&me.thread.actor);
    if let Some(begun) = begun {
        locked(&STARTED).insert(request, begun);
    }
}

/// A request is complete.
#[unsafe(no_mangle)]
extern "C" fn race_ended(request: usize) {
    let Some((me, node)) = here() else { return };
    let Some(Started { ctx, round, from, collect }) = locked(&STARTED).remove(&request) else { return };
    collect.iter().for_each(|collect| collect.note(node, &round));
    process().pe.destroy(&mut me.thread, ctx);
    learn(me, node, &round, from);
}
