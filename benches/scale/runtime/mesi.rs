//! A model of a machine with caches, for tests: rounds run on words that tell how long their lines travel. Time is
//! that of the model, so figures do not depend on the machine that runs the tests.
//!
//! A line is in one cache that may write it, or in several that may read it (MESI). A read of a line that is elsewhere
//! takes the time from the nearest cache that has it. A write takes the time to the farthest cache that has to give it
//! up. A line makes one such transfer at a time, but copies of a line that is only read follow each other more closely.
//! A store does not hold up its core; stores become visible in order. A member that waits reads again when the line
//! changes, as a core does that polls.

use super::Wait;
use super::atomics::{AtomicU64, Ordering, Word};
use super::barrier::{self, BarrierWords, FLAT, Style};
use super::tree::{FROM, HAND_OUT_FROM, Locality, Tree, TreeWords};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard};

// Nanoseconds, of the order that is measured on processors of several caches.
const HIT: u64 = 1;
const SAME_CACHE: u64 = 30;
const SAME_SOCKET: u64 = 90;
const OTHER_SOCKET: u64 = 180;
/// Between two copies of a line that is only read.
const NEXT_COPY: u64 = 15;

thread_local! {
    static ME: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// A machine, its members, and the lines that they share.
struct Machine {
    members: Vec<Locality>,
    state: Mutex<State>,
    turns: Vec<Condvar>,
}

#[derive(Default)]
struct State {
    members: Vec<Member>,
    lines: Vec<Line>,
    transfers: u64,
    stuck: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Runs,
    Waits,
    Done,
}

struct Member {
    clock: u64,
    phase: Phase,
    /// When its last store is visible.
    stored: u64,
    /// What its last poll has read: lines, and how often they had changed.
    polled: Vec<(usize, u64)>,
}

#[derive(Default)]
struct Line {
    writer: Option<usize>,
    holders: BTreeSet<usize>,
    changes: u64,
    /// When the next transfer can begin.
    free: u64,
}

enum Access {
    Load,
    Store,
    Add,
}

impl Machine {
    fn new(members: Vec<Locality>) -> Machine {
        let member = || Member { clock: 0, phase: Phase::Runs, stored: 0, polled: Vec::new() };
        let state = State { members: members.iter().map(|_| member()).collect(), ..State::default() };
        let turns = members.iter().map(|_| Condvar::new()).collect();
        Machine { members, state: Mutex::new(state), turns }
    }

    fn distance(&self, a: usize, b: usize) -> u64 {
        match (self.members[a], self.members[b]) {
            _ if a == b => HIT,
            (a, b) if a == b => SAME_CACHE,
            (a, b) if a.socket == b.socket => SAME_SOCKET,
            _ => OTHER_SOCKET,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The member whose clock is behind all others acts next.
    fn next(state: &State) -> Option<usize> {
        let running = state.members.iter().enumerate().filter(|(_, m)| m.phase == Phase::Runs);
        running.min_by_key(|(i, m)| (m.clock, scattered(*i))).map(|(i, _)| i)
    }

    /// Lets the next member act. If all that are left wait, nothing will ever change.
    fn pass_on(&self, state: &mut State) {
        match Machine::next(state) {
            Some(next) => self.turns[next].notify_one(),
            None if state.members.iter().any(|m| m.phase == Phase::Waits) => {
                state.stuck = true;
                self.turns.iter().for_each(Condvar::notify_one);
            }
            None => {}
        }
    }

    fn turn<'a>(&self, me: usize, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        while Machine::next(&state) != Some(me) {
            assert!(!state.stuck, "all members wait");
            state = self.turns[me].wait(state).unwrap_or_else(|e| e.into_inner());
        }
        state
    }

    fn access(&self, line: usize, access: &Access, act: impl FnOnce() -> u64) -> u64 {
        let me = ME.get();
        let mut state = self.turn(me, self.lock());
        let State { members, lines, transfers, .. } = &mut *state;
        let (member, at) = (&mut members[me], &mut lines[line]);
        match access {
            Access::Load => {
                let nearest = at.holders.iter().map(|&holder| self.distance(me, holder)).min();
                let cost = nearest.unwrap_or(OTHER_SOCKET); // in memory
                if cost == HIT {
                    member.clock += HIT;
                } else {
                    *transfers += 1;
                    let begin = member.clock.max(at.free);
                    member.clock = begin + cost;
                    at.free = begin + if at.writer.is_some() { cost } else { NEXT_COPY };
                    at.writer = None;
                    at.holders.insert(me);
                }
                member.polled.push((line, at.changes));
            }
            Access::Store | Access::Add => {
                let farthest = at.holders.iter().map(|&holder| self.distance(me, holder)).max();
                let cost = farthest.unwrap_or(OTHER_SOCKET);
                *transfers += u64::from(cost > HIT);
                let begin = member.clock.max(at.free).max(member.stored);
                let end = begin + cost;
                (at.free, at.writer, member.stored) = (end, Some(me), end);
                at.holders = BTreeSet::from([me]);
                at.changes += 1;
                member.clock = if matches!(access, Access::Add) { end } else { member.clock + HIT };
                for other in members.iter_mut().filter(|m| m.phase == Phase::Waits) {
                    if other.polled.iter().any(|(polled, _)| *polled == line) {
                        (other.phase, other.clock) = (Phase::Runs, other.clock.max(end));
                    }
                }
            }
        }
        let value = act();
        self.pass_on(&mut state);
        value
    }

    /// Waits until something changes that the last poll has read.
    fn wait(&self) {
        let me = ME.get();
        let mut state = self.lock();
        let changed = state.members[me].polled.iter().any(|&(line, changes)| state.lines[line].changes != changes);
        if !changed {
            state.members[me].phase = Phase::Waits;
            self.pass_on(&mut state);
            while state.members[me].phase == Phase::Waits {
                assert!(!state.stuck, "all members wait");
                state = self.turns[me].wait(state).unwrap_or_else(|e| e.into_inner());
            }
        }
    }
}

/// Who comes first of members that come at once: neighbours do not follow each other.
fn scattered(member: usize) -> u32 {
    (member as u32).wrapping_mul(0x9e37_79b1)
}

/// A word that has a line for itself.
struct Cached<'a> {
    machine: &'a Machine,
    line: usize,
    value: AtomicU64,
}

impl Word for Cached<'_> {
    fn load(&self, _: Ordering) -> u64 {
        self.machine.access(self.line, &Access::Load, || self.value.load(Ordering::Relaxed))
    }
    fn store(&self, value: u64, _: Ordering) {
        self.machine.access(self.line, &Access::Store, || {
            self.value.store(value, Ordering::Relaxed);
            value
        });
    }
    fn fetch_add(&self, value: u64, _: Ordering) -> u64 {
        self.machine.access(self.line, &Access::Add, || self.value.fetch_add(value, Ordering::Relaxed))
    }
}

/// The words of a group. A team's arrival words are odd and even; here all rounds have the same.
struct Words<'a> {
    arrived: Vec<Cached<'a>>,
    up: Vec<Cached<'a>>,
    released: Vec<Cached<'a>>,
    count: Cached<'a>,
    trees: Vec<Tree>,
}

impl<'a> Words<'a> {
    fn new(machine: &'a Machine) -> Words<'a> {
        let n = machine.members.len();
        let word = || {
            let mut state = machine.lock();
            state.lines.push(Line::default());
            Cached { machine, line: state.lines.len() - 1, value: AtomicU64::new(0) }
        };
        let words = || (0..n).map(|_| word()).collect();
        let trees = (0..n).map(|me| Tree::new(n, me, |member| machine.members[member])).collect();
        Words { arrived: words(), up: words(), released: words(), count: word(), trees }
    }
}

impl<'a> TreeWords for Words<'a> {
    type Word = Cached<'a>;
    fn up(&self, member: usize) -> &Cached<'a> {
        &self.up[member]
    }
    fn released(&self, holder: usize) -> &Cached<'a> {
        &self.released[holder]
    }
    fn tree(&self, me: usize) -> &Tree {
        &self.trees[me]
    }
}

impl<'a> BarrierWords for Words<'a> {
    fn arrived(&self, member: usize, _: u64) -> &Cached<'a> {
        &self.arrived[member]
    }
    fn count(&self) -> &Cached<'a> {
        &self.count
    }
    fn here(&self, _: usize) -> bool {
        false
    }
    fn needed_here(&self, _: u64) -> bool {
        false
    }
}

struct Polls<'a>(&'a Machine);

impl Wait for Polls<'_> {
    fn until(&self, mut ready: impl FnMut() -> bool) {
        loop {
            self.0.lock().members[ME.get()].polled.clear();
            if ready() {
                return;
            }
            self.0.wait();
        }
    }
    fn notify(&self) {}
}

/// What a round costs that follows others: nanoseconds, and transfers of lines by all members.
#[derive(Clone, Copy, Debug)]
struct Cost {
    ns: u64,
    transfers: u64,
}

/// What members do together, again and again. Words that they bring lie in the line of their arrival.
#[derive(Clone, Copy)]
enum Call {
    Barrier(Style),
    /// Each member reads the words of all; with `Style::Tree`, they are combined on the way.
    Reduce(Style),
    /// A barrier, and then all wait for member 0 and read its word; with `Style::Tree`, they pass it on.
    BarrierAndBroadcast(Style, Style),
}

impl Call {
    fn make(self, words: &Words<'_>, wait: &Polls<'_>, me: usize, round: u64) {
        let (n, seq) = (words.arrived.len(), 2 * round);
        match self {
            Call::Barrier(style) => barrier::enter(words, wait, style, me, n, seq, || {}),
            Call::Reduce(Style::Tree) => {
                let take = |from: usize| {
                    let _ = words.arrived[from].load(Ordering::Relaxed);
                    words.arrived[me].store(seq, Ordering::Relaxed);
                };
                barrier::in_tree(words, wait, me, seq, take, take);
            }
            Call::Reduce(style) => {
                barrier::enter(words, wait, style, me, n, seq, || {});
                assert!(words.arrived.iter().all(|word| word.load(Ordering::Relaxed) >= seq));
            }
            Call::BarrierAndBroadcast(style, by) => {
                barrier::enter(words, wait, style, me, n, seq - 1, || {});
                match me {
                    _ if by == Style::Tree => barrier::release_from(words, wait, 0, me, seq, |from| {
                        let _ = words.arrived[from].load(Ordering::Relaxed);
                        if words.trees[me].leads() {
                            words.arrived[me].store(seq, Ordering::Relaxed);
                        }
                    }),
                    0 => barrier::arrive(words, wait, me, seq),
                    _ => barrier::wait_for(words, wait, 0, seq),
                }
            }
        }
    }
}

fn cost(call: Call, members: &[Locality]) -> Cost {
    const ROUNDS: u64 = 4;
    let machine = Machine::new(members.to_vec());
    let words = Words::new(&machine);
    let n = members.len();
    // Of the first round, in which lines come from memory, and of all.
    let at = |rounds: u64| {
        {
            let mut state = machine.lock();
            state.lines.iter_mut().for_each(|line| *line = Line::default());
            state.members.iter_mut().for_each(|m| (m.clock, m.stored, m.phase) = (0, 0, Phase::Runs));
            state.transfers = 0;
        }
        let begin = words.count.value.load(Ordering::Relaxed);
        assert_eq!(begin, 0, "a counter is 0 between rounds");
        let last = words.arrived[0].value.load(Ordering::Relaxed).div_ceil(2);
        std::thread::scope(|s| {
            for me in 0..n {
                let (machine, words) = (&machine, &words);
                let act = move || {
                    ME.set(me);
                    (1..=rounds).for_each(|round| call.make(words, &Polls(machine), me, last + round));
                    let mut state = machine.lock();
                    state.members[me].phase = Phase::Done;
                    machine.pass_on(&mut state);
                };
                std::thread::Builder::new().stack_size(256 << 10).spawn_scoped(s, act).unwrap();
            }
        });
        let state = machine.lock();
        Cost { ns: state.members.iter().map(|m| m.clock).max().unwrap(), transfers: state.transfers }
    };
    let (first, all) = (at(1), at(1 + ROUNDS));
    Cost { ns: (all.ns - first.ns) / ROUNDS, transfers: (all.transfers - first.transfers) / ROUNDS }
}

/// So many members on two sockets whose caches have eight cores each, one after the other.
fn two_sockets(n: usize) -> Vec<Locality> {
    (0..n).map(|i| Locality { socket: (2 * i / n) as u16, cache: (i / 8) as u16 }).collect()
}

/// The styles of before and of now.
fn styles(n: usize) -> [Style; 2] {
    let flat = if n <= FLAT { Style::Flags } else { Style::Count };
    [flat, if n < FROM { flat } else { Style::Tree }]
}

/// Members of the largest group whose reductions are modelled: each reads the words of all, so the model takes a time
/// that grows with their square. The table has larger ones, too.
const REDUCING: usize = 32;

/// The table of docs/design/collectives.md.
#[test]
fn a_tree_shortens_critical_paths() {
    for n in [8, 16, 32, 64, 128, 192] {
        let times = |call: fn(Style) -> Call, n| styles(n).map(|style| cost(call(style), &two_sockets(n)));
        let [flat, now] = times(Call::Barrier, n);
        let [reduced, reduces] = times(Call::Reduce, n.min(REDUCING));
        let broadcast = |by| cost(Call::BarrierAndBroadcast(styles(n)[1], by), &two_sockets(n)).ns - now.ns;
        let by = if n < HAND_OUT_FROM { Style::Flags } else { Style::Tree };
        let [direct, handed] = [Style::Flags, by].map(broadcast);
        println!(
            "{n} members: barrier {} -> {} ns, transfers {} -> {}",
            flat.ns, now.ns, flat.transfers, now.transfers
        );
        println!("{} members: reduction {} -> {} ns", n.min(REDUCING), reduced.ns, reduces.ns);
        println!("{n} members: broadcast {direct} -> {handed} ns");
        match n {
            8 => assert_eq!(styles(n), [Style::Flags; 2], "nothing changes for small groups"),
            16 => assert!(now.ns < flat.ns && reduces.ns < reduced.ns),
            _ => assert!(now.ns < flat.ns / (n as u64 / 16) && reduces.ns < reduced.ns / 2, "{n} members"),
        }
        assert!(if n < 128 { handed <= direct } else { handed < direct / 2 }, "{n} members: {direct} -> {handed} ns");
        // Arrivals and releases: each is written once, and read once by each that it is for.
        assert!(n < FROM || now.transfers <= 4 * n as u64, "{n} members: {} transfers", now.transfers);
    }
}

/// From [`FROM`] members on, a tree is no worse than a counter, also where nothing is known of the placement, or where
/// neighbours by number share nothing.
#[test]
fn a_tree_is_never_worse() {
    for n in [FROM, 17, 24, 40] {
        let unknown = vec![Locality::default(); n];
        let cyclic: Vec<_> = (0..n).map(|i| Locality { socket: (i % 2) as u16, cache: (i % 4) as u16 }).collect();
        let alone: Vec<_> = (0..n).map(|i| Locality { socket: (i % 2) as u16, cache: i as u16 }).collect();
        for members in [unknown, cyclic, alone] {
            let [flat, tree] = [Style::Count, Style::Tree].map(|style| cost(Call::Barrier(style), &members).ns);
            assert!(tree <= flat, "{n} members: {flat} ns -> {tree} ns");
        }
    }
}

/// The model itself: what two members cost can be told by hand.
#[test]
fn a_round_of_two_members() {
    for (members, one_way) in [(vec![Locality::default(); 2], SAME_CACHE), (two_sockets(2), OTHER_SOCKET)] {
        let Cost { ns, transfers } = cost(Call::Barrier(Style::Flags), &members);
        // Each takes the other's line from its reader, and reads the other's.
        assert_eq!(transfers, 4);
        assert!((2 * one_way..2 * one_way + 10).contains(&ns), "{ns} ns");
    }
}
