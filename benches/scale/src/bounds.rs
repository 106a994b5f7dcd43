//! What no algorithm can do better: rounds between nodes, bytes over a node's border.

use crate::layout::Layout;
use crate::model::Model;

/// What is to be done. `bytes` are those that a member brings (to each other member, in an alltoall), or the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Collective {
    Barrier,
    Broadcast,
    Allgather,
    Reduce,
    Scan,
    Alltoall,
}

/// The fewest bytes that must pass the border of the busiest node, in its busier direction.
pub fn border(collective: Collective, layout: &Layout, bytes: u64) -> u64 {
    let (nodes, all) = (u64::from(layout.nodes()), u64::from(layout.size()));
    if nodes < 2 {
        return 0;
    }
    let sizes = || (0..layout.nodes()).map(|node| layout.on(node).len() as u64);
    match collective {
        // A node that hears nothing cannot know.
        Collective::Barrier => 1,
        Collective::Broadcast | Collective::Scan => bytes,
        // What a node sends and receives of its own sum and of the others': with every byte of the sum combined
        // somewhere, nodes send 2 (nodes - 1) times the bytes together.
        Collective::Reduce => 2 * bytes * (nodes - 1) / nodes,
        Collective::Allgather => sizes().map(|here| (all - here) * bytes).max().unwrap_or(0),
        Collective::Alltoall => sizes().map(|here| here * (all - here) * bytes).max().unwrap_or(0),
    }
}

/// The least time by the model if one PE of each node sends, in picoseconds: the larger of what news takes to all
/// nodes, and of the border's bytes. Every node that has the news sends it on as often as its PE can (LogP's optimal
/// tree). Inside: a way down the node's tree, and a way up where all bring something.
pub fn time(collective: Collective, model: &Model, layout: &Layout, bytes: u64) -> u64 {
    let ways = if collective == Collective::Broadcast { 1 } else { 2 };
    let latency = news(model, layout.nodes()) + ways * model.up(layout.widest());
    latency.max(Model::bytes(model.adapter, border(collective, layout, bytes)))
}

/// When the last of so many nodes has what one of them knows.
fn news(model: &Model, nodes: u32) -> u64 {
    let (gap, way) = (model.cpu, model.wire + 2 * model.cpu);
    // When nodes are reached: each of them sends at any time from then on, a gap apart.
    let mut arrivals = std::collections::BinaryHeap::from([std::cmp::Reverse(way)]);
    let mut last = 0;
    for _ in 1..nodes {
        let std::cmp::Reverse(at) = arrivals.pop().expect("somebody always sends");
        last = at;
        arrivals.push(std::cmp::Reverse(at + gap));
        arrivals.push(std::cmp::Reverse(at + way));
    }
    last
}
