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

/// What every PE does at the same time with memory of other PEs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traffic {
    /// A fetch-add on one word of PE 0.
    HotSpot,
    /// [`UPDATES`] exclusive ors on words of any PEs, and a quiet.
    Gups,
    /// Puts of [`FACE`] bytes to six neighbours in a grid of three dimensions, and a quiet.
    Halo,
}

pub const UPDATES: u32 = 64;
pub const FACE: u64 = 64 << 10;

pub const TRAFFIC: [(&str, Traffic); 3] = [
    ("fetch-add on one word", Traffic::HotSpot),
    ("64 updates (GUPS)", Traffic::Gups),
    ("halo, 6 x 64 KiB", Traffic::Halo),
];

impl Traffic {
    /// The PEs that a PE uses, one for each operation. Seen from its node they are the same for each node, but for the
    /// hot spot.
    pub fn targets(self, layout: &Layout, member: u32) -> Vec<u32> {
        let (nodes, size, local) = (layout.nodes(), layout.size(), layout.local(member));
        let per_node = size / nodes;
        match self {
            Traffic::HotSpot => vec![0],
            Traffic::Gups => (0..UPDATES)
                .map(|update| {
                    let random = u64::from(local * UPDATES + update).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                    let node = (layout.node(member) + random as u32 % nodes) % nodes;
                    node * per_node + (random >> 20) as u32 % per_node
                })
                .collect(),
            Traffic::Halo => {
                let side = f64::from(size).cbrt() as u32;
                let away = [1, side, side * side];
                away.iter().flat_map(|away| [(member + away) % size, (member + size - away) % size]).collect()
            }
        }
    }

    /// What no network of these adapters can do better, in us: an operation's way there and back, and what the adapter
    /// of the busiest node has to take in.
    pub fn bound(self, model: &Model, layout: &Layout) -> f64 {
        let per_node = u64::from(layout.size() / layout.nodes());
        let outside = |node: u32| {
            let operations = layout.on(node).iter().flat_map(|&member| self.targets(layout, member));
            operations.filter(|&on| layout.node(on) != node).count() as u64
        };
        let least = match self {
            Traffic::HotSpot => model.through_adapter((u64::from(layout.nodes()) - 1) * per_node, 0),
            Traffic::Gups => model.through_adapter(outside(0), 0),
            Traffic::Halo => model.through_adapter(outside(0), outside(0) * FACE),
        };
        (2 * model.wire + least) as f64 * 1e-6
    }
}

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
