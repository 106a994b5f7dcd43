//! The calls whose cost is shown, and what cannot be bettered.

use crate::bounds::{self, Collective};
use crate::layout::Layout;
use crate::model::Model;

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
}
