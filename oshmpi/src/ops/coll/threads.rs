//! For tests: members that are threads, each on a separate node or several on one.

use super::at_once::at_once;
use super::barrier;
use super::bytes;
use super::hierarchy::{Hierarchy, NodeStage, Side};
use super::messages::{MemberMessages, Message};
use crate::env::{Read as _, coll_select::CollSelect};
use crate::memory::local::{Dest, Source};
use crate::memory::placement::Placement;
use crate::team::{Layout, Members};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Barrier, Condvar, Mutex};

/// Bytes of an eager buffer of these members. It is small, so that short tests exceed it.
const EAGER: usize = 256;

/// Messages between members, and the memory of nodes.
struct Shared {
    /// Messages from one member to another, in order.
    mail: Mutex<Vec<VecDeque<Vec<u8>>>>,
    /// The last round of its node at which each member has arrived.
    arrived: Mutex<Vec<u64>>,
    came: Condvar,
    eager: Vec<[Cell<[u8; EAGER]>; 2]>,
    /// Symmetric buffers of each member: address and bytes of source and dest.
    buffers: Mutex<Vec<[(usize, usize); 2]>>,
    begin: Barrier,
    layout: Layout,
    /// The members are a team, which has sync slots.
    team: bool,
    mapped: bool,
}

// SAFETY: only its owner writes an eager buffer. Others read it after a round, which a mutex orders.
unsafe impl Sync for Shared {}

/// The messages and bytes that a member has sent.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Sent {
    pub(super) messages: usize,
    pub(super) bytes: usize,
    /// Bytes to members of other nodes.
    pub(super) over_border: usize,
    /// The most messages for which the member has waited at a time.
    pub(super) fan_in: usize,
}

#[derive(Default)]
struct State {
    sent: Cell<Sent>,
    /// Rounds on the node: the last one, the last in which all waited for all, and the last odd and even ones in which
    /// bytes were placed.
    round: Cell<u64>,
    full: Cell<u64>,
    placed: [Cell<u64>; 2],
}

#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    shared: &'a Shared,
    state: &'a State,
    size: usize,
    me: usize,
    chosen: CollSelect,
    strict: bool,
}

impl Member<'_> {
    /// The number of messages that this member has sent, and their bytes.
    pub(super) fn sent(&self) -> (usize, usize) {
        let sent = self.state.sent.get();
        (sent.messages, sent.bytes)
    }

    pub(super) fn counts(&self) -> Sent {
        self.state.sent.get()
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.shared.layout
    }

    /// Sets the call's symmetric buffers. Returns when all members have set theirs.
    pub(super) fn with(&self, source: Source, dest: Dest) -> &Self {
        self.shared.begin.wait();
        let buffers = [(source.address(), source.len()), (dest.at().addr(), dest.len())];
        self.shared.buffers.lock().unwrap()[self.me] = buffers;
        self.shared.begin.wait();
        self
    }

    /// Sends a copy of the bytes, as MPI may do.
    fn send(&self, to: usize, bytes: Vec<u8>) {
        assert!(to < self.size && to != self.me, "a message to oneself or to nobody");
        let layout = &self.shared.layout;
        let mut sent = self.state.sent.get();
        sent.messages += 1;
        sent.bytes += bytes.len();
        sent.over_border += if layout.node(to) == layout.node(self.me) { 0 } else { bytes.len() };
        self.state.sent.set(sent);
        self.shared.mail.lock().unwrap()[self.me * self.size + to].push_back(bytes);
        self.shared.came.notify_all();
    }

    fn receive(&self, from: usize) -> Vec<u8> {
        assert!(from < self.size && from != self.me, "a message from oneself or from nobody");
        let mut mail = self.shared.mail.lock().unwrap();
        loop {
            match mail[from * self.size + self.me].pop_front() {
                Some(bytes) => break bytes,
                None => mail = self.shared.came.wait(mail).unwrap(),
            }
        }
    }
}

impl<'a> MemberMessages for Member<'a> {
    type Node = OnNode<'a>;

    fn size(&self) -> usize {
        self.size
    }

    fn me(&self) -> usize {
        self.me
    }

    async fn transfer<'m>(&self, messages: impl IntoIterator<Item = Message<'m>>) {
        let mut wanted: Vec<(usize, Dest)> = Vec::new();
        for message in messages {
            match message {
                Message::Send(to, from) if from.len() > 0 => {
                    // SAFETY: the test keeps its vectors until all members have ended.
                    let bytes = unsafe { std::slice::from_raw_parts(from.at(), from.len()) };
                    self.send(to, bytes.to_vec());
                }
                Message::Receive(from, to) if to.len() > 0 => wanted.push((from, to)),
                _ => {}
            }
        }
        let sent = self.state.sent.get();
        self.state.sent.set(Sent { fan_in: sent.fan_in.max(wanted.len()), ..sent });
        for (from, to) in wanted {
            let bytes = self.receive(from);
            assert_eq!(bytes.len(), to.len(), "member {} wants as many bytes as member {from} sends", self.me);
            super::bytes::copy(to, Source::of_slice(&bytes));
        }
    }

    fn hierarchy(&self) -> Option<Hierarchy<'_, OnNode<'a>>> {
        let layout = &self.shared.layout;
        let node = layout.node(self.me);
        if layout.nodes() == layout.members() || (!self.shared.team && layout.triplet(node).is_none()) {
            return None;
        }
        Some(Hierarchy { here: OnNode { member: *self, node }, layout, node })
    }

    fn chosen(&self) -> CollSelect {
        self.chosen
    }

    fn strict(&self) -> bool {
        self.strict
    }
}

/// The node stage of a member.
#[derive(Clone, Copy)]
pub(super) struct OnNode<'a> {
    member: Member<'a>,
    node: usize,
}

impl OnNode<'_> {
    /// The numbers in the group of this node's members.
    fn mates(&self) -> impl Iterator<Item = usize> {
        let (layout, node) = (&self.member.shared.layout, self.node);
        (0..layout.members()).filter(move |&i| layout.node(i) == node)
    }

    fn mate(&self, local: usize) -> usize {
        self.mates().nth(local).expect("a member of this node")
    }

    fn arrive(&self) -> u64 {
        let round = self.member.state.round.get() + 1;
        self.member.state.round.set(round);
        self.member.shared.arrived.lock().unwrap()[self.member.me] = round;
        self.member.shared.came.notify_all();
        round
    }

    fn wait_for(&self, member: usize, round: u64) {
        let mut arrived = self.member.shared.arrived.lock().unwrap();
        while arrived[member] < round {
            arrived = self.member.shared.came.wait(arrived).unwrap();
        }
    }

    fn room(&self, member: usize, round: u64, len: usize) -> Dest<'_> {
        assert!(self.member.shared.team && len <= EAGER, "more than an eager buffer holds");
        let room = self.member.shared.eager[member][(round % 2) as usize].as_ptr();
        // SAFETY: the buffer is kept until all members have ended.
        unsafe { Dest::of::<u8>(room.cast(), len) }
    }
}

impl NodeStage for OnNode<'_> {
    fn size(&self) -> usize {
        self.member.shared.layout.count(self.node)
    }

    fn me(&self) -> usize {
        self.member.shared.layout.local(self.member.me)
    }

    async fn barrier(&self) {
        let round = self.arrive();
        self.mates().for_each(|i| self.wait_for(i, round));
        self.member.state.full.set(round);
    }

    async fn notify_root(&self, root: usize) {
        let round = self.arrive();
        if NodeStage::me(self) == root {
            self.mates().for_each(|i| self.wait_for(i, round));
        }
    }

    async fn wait_for_root(&self, root: usize) {
        let round = self.arrive();
        self.wait_for(self.mate(root), round);
    }

    fn eager(&self) -> usize {
        if self.member.shared.team { EAGER } else { 0 }
    }

    async fn place(&self, from: Source<'_>) {
        let (state, round) = (self.member.state, self.member.state.round.get() + 1);
        let last = state.placed[(round % 2) as usize].replace(round);
        if last != 0 && state.full.get() <= last {
            self.mates().filter(|&i| i != self.member.me).for_each(|i| self.wait_for(i, last + 1));
        }
        bytes::copy(self.room(self.member.me, round, from.len()), from);
    }

    fn placed(&self, member: usize, len: usize) -> Source<'_> {
        bytes::written(self.room(self.mate(member), self.member.state.round.get(), len))
    }

    fn writable(&self, side: Side) -> bool {
        self.member.shared.mapped && self.buffer(self.member.me, side).1 > 0
    }

    fn mapped(&self, side: Side, member: usize, off: usize, len: usize) -> Option<Dest<'_>> {
        self.member.shared.mapped.then(|| self.part(side, member, off, len))
    }

    fn read(&self, side: Side, member: usize, off: usize, to: Dest) {
        if to.len() > 0 {
            bytes::copy(to, bytes::written(self.part(side, member, off, to.len())));
        }
    }
}

impl OnNode<'_> {
    fn buffer(&self, member: usize, side: Side) -> (usize, usize) {
        self.member.shared.buffers.lock().unwrap()[member][usize::from(side == Side::Dest)]
    }

    fn part(&self, side: Side, member: usize, off: usize, len: usize) -> Dest<'_> {
        let (address, all) = self.buffer(self.mate(member), side);
        // SAFETY: the test keeps its vectors until all members have ended.
        unsafe { Dest::of::<u8>(core::ptr::with_exposed_provenance_mut(address), all) }.part(off, len)
    }
}

/// The layout of a group, and what each member has sent.
pub(super) struct Counted {
    layout: Layout,
    sent: Vec<Sent>,
}

impl Counted {
    /// For each node, the layout and what the node's members have sent.
    pub(super) fn by_nodes(&self) -> impl Iterator<Item = (&Layout, Vec<Sent>)> {
        let of = |k: usize| (0..self.sent.len()).filter(|&i| self.layout.node(i) == k).map(|i| self.sent[i]).collect();
        let nodes: Vec<Vec<Sent>> = (0..self.layout.nodes()).map(of).collect();
        nodes.into_iter().map(|members| (&self.layout, members))
    }
}

/// Runs `body` as each member of a group at the same time, and returns what they have sent.
pub(super) fn run_counted(group: Group<'_>, body: impl Fn(&Member<'_>) + Sync) -> Counted {
    let sent = Mutex::new(vec![Sent::default(); group.nodes.len()]);
    group.run(|w| {
        body(w);
        sent.lock().unwrap()[w.me] = w.counts();
    });
    Counted { layout: group.layout(), sent: sent.into_inner().unwrap() }
}

/// A group of a test: the node of each member, and how members of a node reach each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<'a> {
    /// The node of each member.
    pub(super) nodes: &'a [u32],
    /// The members have eager buffers.
    pub(super) team: bool,
    /// The symmetric buffers are mapped.
    pub(super) mapped: bool,
    /// The value of `OSHMPI_COLL_SELECT`.
    pub(super) chosen: &'a str,
    pub(super) strict: bool,
}

impl Group<'_> {
    /// A group with every member on a separate node.
    fn apart(nodes: &[u32]) -> Group<'_> {
        Group { nodes, team: true, mapped: true, chosen: "", strict: false }
    }

    fn layout(&self) -> Layout {
        let all = Members::spaced(0, 1, self.nodes.len() as u32);
        Layout::new(all, &Placement::of_test(self.nodes))
    }

    /// Runs `body` as each member at the same time. Every message must have been received at the end.
    pub(super) fn run(self, body: impl Fn(&Member<'_>) + Sync) {
        let size = self.nodes.len();
        let shared = Shared {
            mail: Mutex::new(vec![VecDeque::new(); size * size]),
            arrived: Mutex::new(vec![0; size]),
            came: Condvar::new(),
            eager: (0..size).map(|_| [const { Cell::new([0; EAGER]) }; 2]).collect(),
            buffers: Mutex::new(vec![[(0, 0); 2]; size]),
            begin: Barrier::new(size),
            layout: self.layout(),
            team: self.team,
            mapped: self.mapped,
        };
        let chosen = CollSelect::read(self.chosen).expect("names are known");
        std::thread::scope(|s| {
            for me in 0..size {
                let (shared, body, strict) = (&shared, &body, self.strict);
                s.spawn(move || body(&Member { shared, state: &State::default(), size, me, chosen, strict }));
            }
        });
        assert!(shared.mail.into_inner().unwrap().iter().all(VecDeque::is_empty), "messages that nobody wanted");
    }
}

/// Layouts that tests go through: blocks of equal and of different sizes, round robin, scattered, every member on a
/// node of its own.
pub(super) const LAYOUTS: [&[u32]; 8] = [
    &[0, 0, 1, 1],
    &[0, 0, 0, 1, 1, 1, 2, 2, 2],
    &[0, 0, 1, 1, 1, 1, 2],
    &[0, 1, 2, 0, 1, 2, 0, 1],
    &[0, 1, 1, 0, 2, 0, 2, 3],
    &[0, 1, 2, 3, 4],
    &[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6],
    &[0, 0, 0, 0, 1],
];

/// Every member on a separate node.
const APART: [u32; 64] = {
    let mut nodes = [0; 64];
    let mut i = 0;
    while i < nodes.len() {
        nodes[i] = i as u32;
        i += 1;
    }
    nodes
};

/// Each of [`LAYOUTS`], as a team and as an active set, with mapped and with other buffers, with each of the settings.
pub(super) fn groups(chosen: &'static [&'static str]) -> impl Iterator<Item = Group<'static>> {
    LAYOUTS.into_iter().flat_map(move |nodes| {
        chosen.iter().flat_map(move |chosen| {
            [(true, true), (true, false), (false, true), (false, false)].map(|(team, mapped)| Group {
                nodes,
                team,
                mapped,
                chosen,
                strict: false,
            })
        })
    })
}

/// Runs `body` as each of `size` members at the same time.
pub(super) fn run(size: usize, body: impl Fn(&Member<'_>) + Sync) {
    Group::apart(&APART[..size]).run(body);
}

/// As [`run`], with `OSHMPI_COLL_SELECT` set to `chosen` and elements combined from left to right.
pub(super) fn run_strict(size: usize, chosen: &str, body: impl Fn(&Member<'_>) + Sync) {
    Group { chosen, strict: true, ..Group::apart(&APART[..size]) }.run(body);
}

/// Sizes of groups around powers of two, each with every one of the settings.
pub(super) fn sizes_by<const N: usize>(chosen: [&'static str; N]) -> impl Iterator<Item = (usize, &'static str)> {
    [1, 2, 3, 4, 7].into_iter().flat_map(move |size| chosen.map(|chosen| (size, chosen)))
}

/// Element `k` of a member, chosen so that sums depend on their order.
pub(super) fn element(member: usize, k: usize) -> f64 {
    ((member * 7919 + k * 104_729) % 1009) as f64 * 1e-3 + if member == 0 { 1e15 } else { 0.0 }
}

/// Elements `k` of the first `members`, combined from left to right.
pub(super) fn in_order(op: fn(f64, f64) -> f64, k: usize, members: usize) -> f64 {
    (0..members).map(|i| element(i, k)).reduce(op).unwrap_or(0.0)
}

#[test]
fn nobody_leaves_a_barrier_early() {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    let apart = [1, 2, 3, 5, 8, 13usize].map(|size| Group::apart(&APART[..size]));
    for group in apart.into_iter().chain(groups(&["", "barrier:dissemination"])) {
        let (size, come) = (group.nodes.len(), AtomicUsize::new(0));
        group.run(|w| {
            for round in 1..=20 {
                come.fetch_add(1, SeqCst);
                at_once(|| barrier::between(w));
                assert!(come.load(SeqCst) >= round * size);
            }
            let (layout, sent) = (w.layout(), w.counts());
            let by_nodes = group.chosen.is_empty() && w.hierarchy().is_some();
            let senders = if by_nodes { layout.nodes() } else { size };
            let rounds = senders.next_power_of_two().ilog2() as usize;
            let sends = !by_nodes || layout.local(w.me()) == 0;
            assert_eq!(sent.messages, if sends { 20 * rounds } else { 0 });
            assert!(sent.fan_in <= 1 && sent.over_border <= 20 * rounds);
        });
    }
}
