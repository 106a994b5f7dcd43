//! The calls whose cost is shown: what textbooks do, what cannot be bettered.

use crate::bounds::{self, Collective};
use crate::layout::Layout;
use crate::model::Model;
use crate::schedule::Program;
use crate::simulate::{self, Played, Symmetry};
use crate::textbook::{self, Member};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    Barrier,
    Broadcast,
    Fcollect,
    Collect,
    Reduce,
    Scan,
    Alltoall,
    /// `shmem_malloc`, with what its members agree on.
    Malloc,
    /// `shmem_team_split_strided`, the same.
    Split,
}

/// A call with so many bytes of each member (to each other member, in an alltoall), or of the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    pub call: Call,
    pub bytes: u64,
    pub name: &'static str,
}

const fn row(name: &'static str, call: Call, bytes: u64) -> Row {
    Row { call, bytes, name }
}

/// What is shown.
pub const ROWS: [Row; 13] = [
    row("barrier", Call::Barrier, 0),
    row("broadcast 8 B", Call::Broadcast, 8),
    row("broadcast 64 KiB", Call::Broadcast, 64 << 10),
    row("fcollect 8 B", Call::Fcollect, 8),
    row("fcollect 1 KiB", Call::Fcollect, 1 << 10),
    row("collect 8 B", Call::Collect, 8),
    row("reduce 8 B", Call::Reduce, 8),
    row("reduce 64 KiB", Call::Reduce, 64 << 10),
    row("reduce 4 MiB", Call::Reduce, 4 << 20),
    row("scan 8 B", Call::Scan, 8),
    row("alltoall 8 B", Call::Alltoall, 8),
    row("malloc", Call::Malloc, 40),
    row("team split", Call::Split, 72),
];

/// Nodes of 128 members.
pub const PER_NODE: u32 = 128;
/// Nodes for which the table is made; the last makes 1,048,576 PEs.
pub const NODES: [u32; 5] = [16, 100, 1000, 10_000, 8192];

/// Steps of a ring or a pairwise exchange that are played, twice as many to see how long the rest takes.
const PLAYED: u32 = 256;

impl Row {
    pub fn collective(&self) -> Collective {
        match self.call {
            Call::Barrier | Call::Malloc | Call::Split => Collective::Barrier,
            Call::Broadcast => Collective::Broadcast,
            Call::Fcollect | Call::Collect => Collective::Allgather,
            Call::Reduce => Collective::Reduce,
            Call::Scan => Collective::Scan,
            Call::Alltoall => Collective::Alltoall,
        }
    }

    /// The lower bound, in us.
    pub fn bound(&self, model: &Model, layout: &Layout) -> f64 {
        bounds::time(self.collective(), model, layout, self.bytes) as f64 * 1e-6
    }

    /// Textbook algorithms, flat over the members, and the times that they take.
    pub fn textbook(&self, model: &Model, layout: &Layout) -> Vec<(&'static str, Played)> {
        let (members, bytes) = (layout.size(), self.bytes);
        let make = |rule: &dyn Fn(&mut Program, Member), me: u32| {
            let mut p = Program::default();
            rule(&mut p, Member::new(members, me));
            p
        };
        let shift = |rule: &dyn Fn(&mut Program, Member)| shifted(model, layout, &|me| make(rule, me));
        let xor = |rule: &dyn Fn(&mut Program, Member)| {
            simulate::one_node(model, layout, Symmetry::Xor, &|me| make(rule, me))
        };
        let long = |rule: &dyn Fn(&mut Program, Member, u32)| {
            simulate::extrapolated(members - 1, PLAYED, &|steps| shift(&|p, m| rule(p, m, steps)))
        };
        let at = move |i: u32| u64::from(i) * bytes;
        let doubles = members.is_power_of_two();
        match self.call {
            Call::Barrier => vec![("dissemination", shift(&textbook::dissemination))],
            Call::Broadcast => {
                let tree = |me| make(&|p, m| textbook::binomial(p, m, 0, bytes), me);
                vec![("binomial", simulate::all(model, layout, &tree))]
            }
            Call::Fcollect => vec![
                ("Bruck", shift(&|p, m| textbook::bruck(p, m, at))),
                ("ring", long(&|p, m, steps| textbook::ring(p, m, at, steps))),
            ],
            Call::Reduce if doubles => {
                let mut all = vec![
                    ("recursive doubling", xor(&|p, m| textbook::recursive_doubling(p, m, bytes))),
                    ("ring", long(&|p, m, steps| textbook::ring_reduce(p, m, bytes, steps))),
                ];
                // Where every member has a share of it: else members differ, and one does not stand for all.
                if bytes.is_multiple_of(8 * u64::from(members)) {
                    all.push(("Rabenseifner", xor(&|p, m| textbook::rabenseifner(p, m, bytes))));
                }
                all
            }
            Call::Alltoall => vec![
                ("Bruck", shift(&|p, m| textbook::bruck_alltoall(p, m, bytes))),
                ("pairwise", long(&|p, m, steps| textbook::pairwise(p, m, |_, _| bytes, steps))),
            ],
            _ => Vec::new(),
        }
    }
}

fn shifted(model: &Model, layout: &Layout, program: &dyn Fn(u32) -> Program) -> Played {
    simulate::one_node(model, layout, Symmetry::Shift, program)
}
