//! The schedules that oshmpi had before its collectives were hierarchical: flat over PEs, except barriers, broadcasts,
//! and gathers of few bytes. Kept to compare with. The test compares them with what was recorded from that code.

use crate::layout::Layout;
use crate::schedule::{Message, NodeStage, Program};
use crate::textbook::{self, AT_A_TIME, Member};

const EAGER: u64 = 2 << 10;
const FEW_BYTES: u64 = 64 << 10;
const COMBINED_BY_ALL: u64 = 32 << 10;

/// A group, and the most steps of a ring or a pairwise exchange that are taken: the rest are as long.
#[derive(Clone, Copy)]
pub struct Before<'a> {
    pub layout: &'a Layout,
    pub steps: u32,
}

impl<'a> Before<'a> {
    pub fn new(layout: &'a Layout) -> Before<'a> {
        Before { layout, steps: u32::MAX }
    }

    fn member(&self, me: u32) -> Member {
        Member::new(self.layout.size(), me)
    }

    fn leads(&self, me: u32) -> bool {
        self.layout.local(me) == 0
    }

    /// Members share nodes, so that something is gained by a node stage.
    fn shared(&self) -> bool {
        self.layout.nodes() < self.layout.size()
    }

    fn among_leaders(&self, p: &mut Program, me: u32, make: impl FnOnce(&mut Program, Member)) {
        let mut part = Program::default();
        make(&mut part, Member::new(self.layout.nodes(), self.layout.node(me)));
        p.append(&part, |node| self.layout.leader(node));
    }

    /// barrier, sync.
    pub fn barrier(&self, me: u32) -> Program {
        let mut p = Program::default();
        if !self.shared() {
            textbook::dissemination(&mut p, self.member(me));
            return p;
        }
        p.node(NodeStage::Gather { root: 0 });
        if self.leads(me) {
            self.among_leaders(&mut p, me, textbook::dissemination);
        }
        p.node(NodeStage::Release { root: 0 });
        p
    }

    pub fn broadcast(&self, me: u32, root: u32, bytes: u64) -> Program {
        let mut p = Program::default();
        let layout = self.layout;
        if !(self.shared() && layout.in_blocks()) {
            broadcast(&mut p, self.member(me), root, bytes, self.steps);
            return p;
        }
        let first = |node: u32| if node == layout.node(root) { root } else { layout.leader(node) };
        let mine = first(layout.node(me));
        let local = layout.local(mine);
        if me == mine {
            let mut part = Program::default();
            let m = Member::new(layout.nodes(), layout.node(me));
            broadcast(&mut part, m, layout.node(root), bytes, self.steps);
            p.append(&part, first);
        }
        if bytes <= EAGER && me == mine {
            p.copy(bytes);
        }
        p.node(NodeStage::Release { root: local });
        if me != mine {
            p.copy(bytes);
        }
        if bytes > EAGER {
            p.node(NodeStage::Gather { root: local });
        }
        p
    }

    /// fcollect, and the exchanges of allocator and teams: `bytes` of each.
    pub fn allgather(&self, me: u32, bytes: u64) -> Program {
        let mut p = Program::default();
        self.allgather_of(&mut p, me, |i| u64::from(i) * bytes);
        p
    }

    /// collect: the lengths, then blocks that end at `at(i + 1)`.
    pub fn collect(&self, me: u32, at: impl Fn(u32) -> u64) -> Program {
        let mut p = self.allgather(me, 8);
        self.allgather_of(&mut p, me, at);
        p
    }

    fn allgather_of(&self, p: &mut Program, me: u32, at: impl Fn(u32) -> u64) {
        let layout = self.layout;
        let all = at(layout.size());
        if !(self.shared() && layout.in_blocks() && all <= EAGER) {
            return allgather(p, self.member(me), at, self.steps);
        }
        p.copy(at(me + 1) - at(me));
        p.node(NodeStage::Gather { root: 0 });
        if self.leads(me) {
            let begin = |node: u32| if node == layout.nodes() { layout.size() } else { layout.leader(node) };
            p.copy(at(begin(layout.node(me) + 1)) - at(me));
            self.among_leaders(p, me, |p, m| allgather(p, m, |node| at(begin(node)), self.steps));
            p.copy(all);
        }
        p.node(NodeStage::Release { root: 0 });
        if !self.leads(me) {
            p.copy(all);
        }
    }

    /// A reduction of elements of `size` bytes, 4 MiB at a time; `bytes` are at most so many here.
    pub fn reduce(&self, me: u32, bytes: u64, size: u64) -> Program {
        let (mut p, n) = (Program::default(), self.layout.size());
        if n <= 2 || bytes * u64::from(n) <= COMBINED_BY_ALL {
            self.allgather_of(&mut p, me, |i| u64::from(i) * bytes);
            p.combine(bytes * u64::from(n - 1));
            return p;
        }
        let at = |i: u32| share(bytes, size, n, i);
        self.shares(&mut p, me, at, true);
        p.combine((at(me + 1) - at(me)) * u64::from(n - 1));
        self.allgather_of(&mut p, me, at);
        p
    }

    /// A long reduction of whose elements everybody combines as many: at least one. Where there are fewer elements than
    /// members, most combine none; what is played takes up to twice as long then.
    pub fn even_reduce(&self, me: u32, bytes: u64, size: u64) -> Program {
        let (mut p, m) = (Program::default(), self.member(me));
        let mine = bytes.div_ceil(size).div_ceil(m.size.into()) * size;
        textbook::pairwise(&mut p, m, |_, _| mine, self.steps);
        p.combine(mine * u64::from(m.size - 1));
        let block = if bytes <= FEW_BYTES { bytes.div_ceil(m.size.into()) } else { mine };
        if bytes <= FEW_BYTES && m.size >= 4 {
            textbook::bruck(&mut p, m, |i| u64::from(i) * block);
        } else {
            textbook::ring(&mut p, m, |i| u64::from(i) * block, self.steps);
        }
        p
    }

    /// A scan, in the same way.
    pub fn scan(&self, me: u32, bytes: u64, size: u64) -> Program {
        let (mut p, n) = (Program::default(), self.layout.size());
        if n <= 2 || bytes * u64::from(n) <= COMBINED_BY_ALL {
            self.allgather_of(&mut p, me, |i| u64::from(i) * bytes);
            p.combine(bytes * u64::from(me));
            return p;
        }
        let at = |i: u32| share(bytes, size, n, i);
        self.shares(&mut p, me, at, true);
        p.combine((at(me + 1) - at(me)) * u64::from(n - 1));
        self.shares(&mut p, me, at, false);
        p
    }

    /// alltoall and alltoalls.
    pub fn alltoall(&self, me: u32, block: u64) -> Program {
        let mut p = Program::default();
        p.copy(block);
        textbook::pairwise(&mut p, self.member(me), |_, _| block, self.steps);
        p
    }

    /// A pairwise exchange in which everybody sends each member its share, or each sends its share to everybody. Only
    /// the messages that have bytes are looked at: with fewer elements than members, few members have a share.
    fn shares(&self, p: &mut Program, me: u32, at: impl Fn(u32) -> u64, to_owners: bool) {
        let m = self.member(me);
        let len = |owner: u32| at(owner + 1) - at(owner);
        let owners = (0..m.size).take_while(|&i| len(i) > 0).count() as u32;
        let owner = move |from: u32, to: u32| if to_owners { to } else { from };
        if owners == m.size {
            return textbook::pairwise(p, m, |from, to| len(owner(from, to)), self.steps);
        }
        let all = |is: bool| (0..if is { m.size } else { owners }).filter(move |&i| i != me && (is || i < owners));
        let none = |is: bool| is.then_some(()).into_iter();
        let (sends, receives): (Vec<u32>, Vec<u32>) = if to_owners {
            (all(false).collect(), none(me < owners).flat_map(|()| all(true)).collect())
        } else {
            (none(me < owners).flat_map(|()| all(true)).collect(), all(false).collect())
        };
        let mut messages: Vec<(u32, bool, Message)> = Vec::new();
        let away = |from: u32, to: u32| (to + m.size - from) % m.size;
        messages.extend(
            receives.iter().filter_map(|&from| Some((away(from, me), false, m.receive(from, len(owner(from, me)))?))),
        );
        messages.extend(sends.iter().filter_map(|&to| Some((away(me, to), true, m.send(to, len(owner(me, to)))?))));
        messages.sort_unstable_by_key(|&(away, send, _)| (away, send));
        for window in messages.chunk_by(|one, next| (one.0 - 1) / AT_A_TIME == (next.0 - 1) / AT_A_TIME) {
            p.transfer(window.iter().map(|&(_, _, message)| message));
        }
    }
}

/// Where member i's share begins among `bytes` of elements of `size` bytes each.
fn share(bytes: u64, size: u64, members: u32, i: u32) -> u64 {
    let n = bytes / size;
    (n.div_ceil(members.into()) * u64::from(i)).min(n) * size
}

fn allgather(p: &mut Program, m: Member, at: impl Fn(u32) -> u64, steps: u32) {
    if m.size >= 4 && at(m.size) <= FEW_BYTES { textbook::bruck(p, m, at) } else { textbook::ring(p, m, at, steps) }
}

fn broadcast(p: &mut Program, m: Member, root: u32, bytes: u64, steps: u32) {
    if bytes < FEW_BYTES || m.size < 3 {
        return textbook::binomial(p, m, root, bytes);
    }
    let parts = m.size - 1;
    let part = bytes.div_ceil(parts.into()).next_multiple_of(64);
    let at = |i: u32| (u64::from(i) * part).min(bytes);
    let outside = |i: u32| i + u32::from(i >= root);
    if m.me == root {
        return p.transfer((0..parts).filter_map(|i| m.send(outside(i), at(i + 1) - at(i))));
    }
    let me = m.me - u32::from(m.me > root);
    p.transfer(m.receive(root, at(me + 1) - at(me)));
    let mut gather = Program::default();
    allgather(&mut gather, Member::new(parts, me), at, steps);
    p.append(&gather, outside);
}
