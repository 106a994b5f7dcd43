//! The steps of random programs of several PEs, and their whole history, which is searched for races.
//!
//! Every step of a program is a node of a graph, and what a routine does later is a node of its own. An edge says that
//! one node comes before another. Two conflicting accesses are a race if no path leads from one to the other.

use oshmpi_race::cell::Kind;
use proptest::prelude::*;
use std::collections::BTreeMap;

pub const PES: usize = 3;
pub const CTXS: u64 = 2;
/// Of each PE, 4 bytes each. AMOs and waits use the last [`WORDS`].
pub const PLACES: usize = 5;
pub const WORDS: usize = 3;
pub const FIRST_WORD: usize = PLACES - WORDS;
pub const CLASS: u32 = 1;

#[derive(Clone, Copy, Debug)]
pub enum Does {
    Load(usize),
    Store(usize),
    Put {
        ctx: u64,
        to: usize,
        at: usize,
    },
    Get {
        from: usize,
        at: usize,
    },
    GetNbi {
        ctx: u64,
        from: usize,
        at: usize,
    },
    PutSignal {
        ctx: u64,
        to: usize,
        at: usize,
        word: usize,
    },
    Add {
        ctx: u64,
        to: usize,
        word: usize,
    },
    FetchAdd {
        ctx: u64,
        to: usize,
        word: usize,
    },
    /// Of an own word, after somebody has changed it.
    Wait(usize),
    Quiet(u64),
    PeQuiet(u64, usize),
    Fence(u64),
    /// Quiet of context 0 and all PEs meet.
    Barrier,
    Sync,
    SetLock,
    ClearLock,
}

pub fn step() -> impl Strategy<Value = (usize, Does)> {
    use Does::*;
    let (pe, ctx, at, word) = (0..PES, 0..CTXS, 0..PLACES, FIRST_WORD..PLACES);
    let does = prop_oneof![
        at.clone().prop_map(Load),
        at.clone().prop_map(Store),
        (ctx.clone(), pe.clone(), at.clone()).prop_map(|(ctx, to, at)| Put { ctx, to, at }),
        (pe.clone(), at.clone()).prop_map(|(from, at)| Get { from, at }),
        (ctx.clone(), pe.clone(), at.clone()).prop_map(|(ctx, from, at)| GetNbi { ctx, from, at }),
        (ctx.clone(), pe.clone(), 0..FIRST_WORD, word.clone()).prop_map(|(ctx, to, at, word)| PutSignal {
            ctx,
            to,
            at,
            word
        }),
        // Two of three: many are in a row.
        (ctx.clone(), pe.clone(), word.clone()).prop_map(|(ctx, to, word)| Add { ctx, to, word }),
        (pe.clone(), word.clone()).prop_map(|(to, word)| Add { ctx: 0, to, word }),
        (ctx.clone(), pe.clone(), word.clone()).prop_map(|(ctx, to, word)| FetchAdd { ctx, to, word }),
        word.prop_map(Wait),
        ctx.clone().prop_map(Quiet),
        (ctx.clone(), pe.clone()).prop_map(|(ctx, to)| PeQuiet(ctx, to)),
        ctx.prop_map(Fence),
        Just(Barrier),
        Just(Sync),
        Just(SetLock),
        Just(ClearLock),
    ];
    (pe, does)
}

#[derive(Clone)]
struct Issued {
    ctx: u64,
    /// None for gets.
    to: Option<usize>,
    node: usize,
}

/// The whole history.
#[derive(Clone, Default)]
pub struct History {
    /// The nodes before each node, directly.
    before: Vec<Vec<usize>>,
    accesses: Vec<(usize, (usize, usize), Kind)>,
    last: [Option<usize>; PES],
    /// Per PE: what is under way or was.
    issued: [Vec<Issued>; PES],
    /// Per PE and context: how many of `issued` a fence has ordered before what comes.
    fenced: [[usize; CTXS as usize]; PES],
    /// Nodes that those come after who see a word of a PE.
    word: [[Vec<usize>; PLACES]; PES],
    lock: Vec<usize>,
    /// Per PE, context and target.
    tells: BTreeMap<(usize, u64, usize), Tells>,
}

/// Operations so far that change a word.
#[derive(Clone, Default)]
struct Tells {
    /// Who knows one of a lane knows those before it in the lane.
    lanes: [Vec<usize>; 2],
    next: usize,
    /// The lane of a word's last one.
    lane_of: BTreeMap<usize, usize>,
}

impl History {
    fn node(&mut self, before: Vec<usize>) -> usize {
        self.before.push(before);
        self.before.len() - 1
    }

    /// The next step of a PE.
    fn step(&mut self, pe: usize, more: &[usize]) -> usize {
        let before = self.last[pe].into_iter().chain(more.iter().copied()).collect();
        let node = self.node(before);
        self.last[pe] = Some(node);
        node
    }

    /// Operations of the context to the target that a fence has ordered before what comes.
    fn fenced_before(&self, pe: usize, ctx: u64, to: usize) -> Vec<usize> {
        let all = &self.issued[pe][..self.fenced[pe][ctx as usize]];
        all.iter().filter(|i| i.ctx == ctx && i.to == Some(to)).map(|i| i.node).collect()
    }

    fn pending(&self, pe: usize, ctx: u64, to: Option<usize>) -> Vec<usize> {
        let good = |t: Option<usize>| to.is_none() || t.is_none() || t == to;
        self.issued[pe].iter().filter(|i| i.ctx == ctx && good(i.to)).map(|i| i.node).collect()
    }

    fn touch(&mut self, node: usize, place: (usize, usize), kind: Kind) -> bool {
        let conflicts = |h: &History, a: &(usize, (usize, usize), Kind)| {
            a.1 == place && a.2.conflicts(kind) && !h.comes_before(a.0, node)
        };
        let race = self.accesses.iter().any(|a| conflicts(self, a));
        self.accesses.push((node, place, kind));
        race
    }

    fn comes_before(&self, first: usize, then: usize) -> bool {
        let (mut seen, mut open) = (vec![false; self.before.len()], vec![then]);
        while let Some(node) = open.pop() {
            if node == first {
                return true;
            }
            if !std::mem::replace(&mut seen[node], true) {
                open.extend(&self.before[node]);
            }
        }
        false
    }

    /// An operation that changes a word: its node. Those come after it who see the word. Operations to a target have
    /// one of two lanes in turn. `again`: it has the lane of the word's last one.
    fn tell(&mut self, pe: usize, ctx: u64, (to, word): (usize, usize), again: bool) -> usize {
        let issue = self.step(pe, &[]);
        let fenced = self.fenced_before(pe, ctx, to);
        let node = self.node([vec![issue], fenced.clone()].concat());
        self.issued[pe].push(Issued { ctx, to: Some(to), node });
        let tells = self.tells.entry((pe, ctx, to)).or_default();
        let lane = if again { tells.lane_of[&word] } else { tells.next };
        tells.lane_of.insert(word, lane);
        tells.next = 1 - lane;
        tells.lanes[lane].push(node);
        self.word[to][word].extend(tells.lanes[lane].iter().copied().chain(fenced).chain([issue]));
        node
    }

    /// Does a step; returns whether it races with an earlier one. `again`: the detector takes it for one before.
    pub fn run(&mut self, pe: usize, does: Does, again: bool) -> bool {
        match does {
            Does::Load(at) => {
                let n = self.step(pe, &[]);
                self.touch(n, (pe, at), Kind::READ)
            }
            Does::Store(at) => {
                let n = self.step(pe, &[]);
                self.touch(n, (pe, at), Kind::WRITE)
            }
            Does::Get { from, at } => {
                let n = self.step(pe, &[]);
                self.touch(n, (from, at), Kind::READ)
            }
            Does::Put { ctx, to, at } => {
                let issue = self.step(pe, &[]);
                let fenced = self.fenced_before(pe, ctx, to);
                let n = self.node([vec![issue], fenced].concat());
                self.issued[pe].push(Issued { ctx, to: Some(to), node: n });
                self.touch(n, (to, at), Kind::WRITE)
            }
            Does::GetNbi { ctx, from, at } => {
                let issue = self.step(pe, &[]);
                let n = self.node(vec![issue]);
                self.issued[pe].push(Issued { ctx, to: None, node: n });
                self.touch(n, (from, at), Kind::READ)
            }
            Does::PutSignal { ctx, to, at, word } => {
                let n = self.tell(pe, ctx, (to, word), again);
                let data = self.touch(n, (to, at), Kind::WRITE);
                self.touch(n, (to, word), Kind::atomic(CLASS, true)) | data
            }
            Does::Add { ctx, to, word } => {
                let n = self.tell(pe, ctx, (to, word), again);
                self.touch(n, (to, word), Kind::atomic(CLASS, true))
            }
            Does::FetchAdd { ctx, to, word } => {
                let issue = self.step(pe, &[]);
                let fenced = self.fenced_before(pe, ctx, to);
                let n = self.node([vec![issue], fenced.clone()].concat());
                let race = self.touch(n, (to, word), Kind::atomic(CLASS, true));
                self.word[to][word].extend([vec![n], fenced].concat());
                let known = self.word[to][word].clone();
                self.step(pe, &[known, vec![n]].concat());
                race
            }
            Does::Wait(word) => {
                let known = self.word[pe][word].clone();
                let n = self.step(pe, &known);
                self.touch(n, (pe, word), Kind::waiting(CLASS))
            }
            Does::Quiet(ctx) => {
                let over = self.pending(pe, ctx, None);
                self.step(pe, &over);
                false
            }
            Does::PeQuiet(ctx, to) => {
                let over = self.pending(pe, ctx, Some(to));
                self.step(pe, &over);
                false
            }
            Does::Fence(ctx) => {
                self.fenced[pe][ctx as usize] = self.issued[pe].len();
                false
            }
            Does::Barrier => {
                (0..PES).for_each(|pe| {
                    self.run(pe, Does::Quiet(0), false);
                });
                self.run(pe, Does::Sync, false)
            }
            Does::Sync => {
                let met: Vec<usize> = self.last.iter().flatten().copied().collect();
                (0..PES).for_each(|pe| {
                    self.step(pe, &met);
                });
                false
            }
            Does::SetLock => {
                let lock = self.lock.clone();
                self.step(pe, &lock);
                false
            }
            Does::ClearLock => {
                self.run(pe, Does::Quiet(0), false);
                let n = self.step(pe, &[]);
                self.lock.push(n);
                false
            }
        }
    }
}

/// The synchronisation word of a place.
pub fn word_of(pe: usize, place: usize) -> u64 {
    (1 + pe * PLACES + place) as u64
}
