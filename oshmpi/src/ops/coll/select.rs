//! Selects the algorithm of a collective: one table, read from top to bottom, and the conditions of each algorithm.
//!
//! All members of a group get the same answer, because they ask with equal numbers. An algorithm that
//! `OSHMPI_COLL_SELECT` names is taken before the table is read, if it is [`possible`].

use super::hierarchy::{NodeStage, Side};
use super::intra_node::IntraNode;
use super::messages::MemberMessages;
use crate::env::coll_select::{Algorithm, CollSelect, Collective};
use crate::memory::node::EAGER_BYTES;
use Algorithm::*;
use Collective as C;

/// The numbers on which the choice depends.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Bytes of a member's data, or of the root's in a broadcast.
    pub(super) bytes: usize,
    /// Bytes of all members' data together.
    pub(super) total: usize,
    pub(super) members: usize,
    /// The number of nodes that the members are on; the number of members if they do not use each other's nodes.
    pub(super) nodes: usize,
    /// Bytes of an eager buffer; 0 if there are none.
    pub(super) eager: usize,
    /// Members of a node can write into each other's dests. Between nodes: they can also read each other's sources.
    pub(super) writable: bool,
    /// Between nodes: the members of each node follow each other.
    pub(super) blocks: bool,
    /// Between nodes: dest is the symmetric buffer of the call.
    pub(super) symmetric: bool,
    /// Elements are combined from left to right.
    pub(super) strict: bool,
}

impl Shape {
    /// The shape of a call of a group on one node.
    #[inline]
    pub(super) fn on_node(g: &IntraNode<'_>, bytes: usize, writable: bool) -> Shape {
        let (members, eager) = (g.size(), if matches!(g, IntraNode::Team(_)) { EAGER_BYTES } else { 0 });
        let total = bytes.saturating_mul(members);
        Shape { bytes, total, members, nodes: 1, eager, writable, blocks: true, symmetric: true, strict: true }
    }

    /// The shape of a call of a group that sends messages, whose members have `total` bytes together. For reductions
    /// see also `of_op`.
    pub(super) fn between(w: &impl MemberMessages, bytes: usize, total: usize) -> Shape {
        let members = w.size();
        let apart = Shape {
            bytes,
            total,
            members,
            nodes: members,
            eager: 0,
            writable: false,
            blocks: true,
            symmetric: false,
            strict: w.strict(),
        };
        w.hierarchy().map_or(apart, |nodes| Shape {
            nodes: nodes.layout.nodes(),
            eager: nodes.here.eager(),
            writable: nodes.here.writable(Side::Dest) && nodes.here.writable(Side::Source),
            blocks: nodes.layout.blocks(),
            ..apart
        })
    }

    /// Whether the leader of a node can pass on all blocks by its eager buffer.
    pub(super) fn hands_on(&self) -> bool {
        self.blocks && self.eager > 0 && self.total <= self.eager
    }

    /// The shape of a reduction or scan. `any_order`: its result does not depend on the order.
    pub(super) fn of_op(self, any_order: bool) -> Shape {
        Shape { strict: self.strict && !any_order, ..self }
    }
}

/// A row of the table. Its algorithm is taken for a call that is within all bounds, if it is [`possible`] for the call.
struct Row {
    /// The least and (`to`) the most bytes of a member.
    from: usize,
    to: usize,
    /// The most bytes of all members together.
    total: usize,
    /// The least and (`most_members`) the greatest number of members.
    members: usize,
    most_members: usize,
    /// The least number of members per node: the average, rounded up.
    per_node: usize,
    /// Only if the number of members is no power of two.
    odd: bool,
    /// Only if elements are combined from left to right.
    strict: bool,
    algorithm: Algorithm,
}

/// A row for every call.
const fn always(algorithm: Algorithm) -> Row {
    let max = usize::MAX;
    Row {
        from: 0,
        to: max,
        total: max,
        members: 1,
        most_members: max,
        per_node: 1,
        odd: false,
        strict: false,
        algorithm,
    }
}

/// Bytes from which members write into each other's dests: of a block, in an alltoall of all blocks of a member. That
/// is one copy less than by an eager buffer, and one barrier less than reading. OpenSHMEM permits it: dest must be
/// ready on all members when one of them calls. A lower value overwrites results early in more programs that use dest
/// again without synchronising.
const WRITE_FROM: usize = 512;

/// Bytes from which the root of a broadcast copies a part for the others, because it has nothing to do while they read.
const ROOT_HELPS_FROM: usize = 32 << 10;

/// The table. The last row of each collective is possible for every call.
#[rustfmt::skip]
#[inline(always)]
const fn rows(collective: Collective, one_node: bool) -> &'static [Row] {
    match (collective, one_node) {
        // --- on one node
        (C::Barrier, true) => const { &[] },
        (C::Broadcast, true) => const { &[
            always(Eager),
            Row { from: ROOT_HELPS_FROM, ..always(ReadWrite) },
            always(Read),
        ] },
        (C::Allgather | C::Alltoall, true) => const { &[
            Row { to: WRITE_FROM - 1, ..always(Eager) },
            always(Write),
            always(Eager), // reading takes two barriers
            always(Read),
        ] },
        // For each block separately: it travels with its length or after it.
        (C::Collect, true) => const { &[
            Row { to: WRITE_FROM - 1, ..always(Eager) },
            always(Write),
            always(Read),
        ] },
        (C::Reduce | C::Scan, true) => const { &[
            always(Eager),
            always(Write),
            always(Read),
        ] },
        // --- between nodes: up to these sizes, fewer messages save more time than sending each byte once
        (C::Barrier, false) => const { &[
            Row { per_node: 2, ..always(Hierarchical) },
            always(Dissemination),
        ] },
        (C::Broadcast, false) => const { &[
            Row { per_node: 2, ..always(Hierarchical) },
            Row { from: 64 << 10, members: 3, ..always(ScatterAllgather) },
            always(Binomial),
        ] },
        (C::Collect, false) => const { &[
            Row { per_node: 2, ..always(Hierarchical) },
            always(Allgather),
        ] },
        (C::Allgather, false) => const { &[
            Row { per_node: 2, ..always(Hierarchical) },
            // By the bytes of a block: each round of a ring costs a message, and each byte in Bruck's algorithm costs a
            // copy.
            Row { members: 4, to: 8 << 10, ..always(Bruck) },
            always(Ring),
        ] },
        (C::Alltoall, false) => const { &[
            Row { per_node: 2, to: 256, ..always(Hierarchical) },
            // Two more copies instead of one message for each member.
            Row { per_node: 2, members: 256, to: 4 << 10, ..always(Hierarchical) },
            Row { members: 8, to: 256, ..always(Bruck) },
            always(Pairwise),
        ] },
        (C::Reduce, false) => const { &[
            Row { strict: true, most_members: 2, ..always(Allgather) },
            Row { strict: true, total: 32 << 10, ..always(Allgather) },
            Row { strict: true, ..always(ReduceScatter) },
            Row { per_node: 2, ..always(Hierarchical) },
            Row { to: 16 << 10, ..always(RecursiveDoubling) },
            // Two members send as many bytes either way. Halves cost a message more and save half of the combining.
            Row { to: 512 << 10, most_members: 2, ..always(RecursiveDoubling) },
            // With few members, folding those beyond a power of two costs more than messages.
            Row { odd: true, most_members: 16, ..always(ReduceScatter) },
            always(Rabenseifner),
            always(ReduceScatter),
        ] },
        (C::Scan, false) => const { &[
            Row { strict: true, most_members: 2, ..always(Allgather) },
            Row { strict: true, total: 32 << 10, ..always(Allgather) },
            Row { strict: true, ..always(Pairwise) },
            Row { per_node: 2, ..always(Hierarchical) },
            // Scattered members of a node share its border.
            Row { per_node: 2, from: 64 << 10, members: 5, most_members: 4096, ..always(Pairwise) },
            Row { from: 64 << 10, members: 5, most_members: 64, ..always(Pairwise) },
            always(RecursiveDoubling),
            always(Pairwise),
        ] },
    }
}

/// Whether the algorithm can do the call.
#[inline(always)]
fn possible(collective: Collective, algorithm: Algorithm, s: &Shape) -> bool {
    match algorithm {
        Eager => s.eager > 0 && s.bytes <= s.eager,
        Write | ReadWrite => s.writable,
        Tree => false, // of a node's barrier, which no table chooses
        Hierarchical if s.nodes == s.members => false,
        Hierarchical => match collective {
            C::Barrier | C::Broadcast | C::Collect => true,
            // The leader of a node passes on all blocks by its dest or its eager buffer.
            C::Allgather => s.symmetric || s.hands_on(),
            C::Alltoall => s.writable,
            C::Reduce => !s.strict,
            C::Scan => !s.strict && s.blocks && (s.writable || s.bytes <= s.eager),
        },
        RecursiveDoubling | Rabenseifner => !s.strict,
        ScatterAllgather => s.members > 1,
        Read | Dissemination | Binomial | Bruck | Ring | Pairwise | Allgather | ReduceScatter => true,
    }
}

/// The algorithm for a call on one node or between nodes.
#[inline(always)]
pub(super) fn select(collective: Collective, one_node: bool, s: &Shape, chosen: CollSelect) -> Algorithm {
    let rows = rows(collective, one_node);
    if !chosen.is_empty()
        && let Some(algorithm) = overridden(collective, rows, *s, chosen)
    {
        return algorithm;
    }
    for row in rows {
        let bytes = row.from <= s.bytes && s.bytes <= row.to && s.total <= row.total;
        let members = row.members <= s.members && s.members <= row.most_members;
        let nodes = row.per_node <= s.members.div_ceil(s.nodes);
        let kind = (!row.odd || !s.members.is_power_of_two()) && (!row.strict || s.strict);
        if bytes && members && nodes && kind && possible(collective, row.algorithm, s) {
            return row.algorithm;
        }
    }
    unreachable!("the last row is for every call")
}

/// The first algorithm of the rows that the setting names and that is possible.
#[cold]
fn overridden(collective: Collective, rows: &[Row], s: Shape, chosen: CollSelect) -> Option<Algorithm> {
    let algorithms = rows.iter().map(|row| row.algorithm);
    algorithms.filter(|&a| chosen.has(collective, a)).find(|&a| possible(collective, a, &s))
}

/// The algorithm for a call of a group that sends messages.
pub(super) fn between(w: &impl MemberMessages, collective: Collective, bytes: usize, total: usize) -> Algorithm {
    select(collective, false, &Shape::between(w, bytes, total), w.chosen())
}

/// Whether the setting names an algorithm between nodes for this collective. Then MPI does not do it.
pub(super) fn names_one(collective: Collective, chosen: CollSelect) -> bool {
    !chosen.is_empty() && rows(collective, false).iter().any(|row| chosen.has(collective, row.algorithm))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Read as _;

    fn on_node(bytes: usize, writable: bool) -> Shape {
        let total = 4 * bytes;
        Shape { bytes, total, members: 4, nodes: 1, eager: 2048, writable, blocks: true, symmetric: true, strict: true }
    }

    fn between(bytes: usize, members: usize, nodes: usize) -> Shape {
        let (total, shared) = (bytes * members, nodes < members);
        let eager = if shared { 2048 } else { 0 };
        Shape { bytes, total, members, nodes, eager, writable: shared, blocks: true, symmetric: true, strict: false }
    }

    #[test]
    fn the_table_chooses() {
        let on_node = |c, bytes, writable| select(c, true, &on_node(bytes, writable), CollSelect::NONE);
        let between = |c, bytes, members, nodes| select(c, false, &between(bytes, members, nodes), CollSelect::NONE);
        assert_eq!([511, 512, 4096].map(|b| on_node(C::Allgather, b, true)), [Eager, Write, Write]);
        assert_eq!([511, 512, 4096].map(|b| on_node(C::Alltoall, b, false)), [Eager, Eager, Read]);
        assert_eq!([2048, 2049, 40_000].map(|b| on_node(C::Broadcast, b, true)), [Eager, Read, ReadWrite]);
        assert_eq!([2048, 2049].map(|b| on_node(C::Reduce, b, true)), [Eager, Write]);
        assert_eq!([(8, 4), (8, 8)].map(|(m, n)| between(C::Barrier, 0, m, n)), [Hierarchical, Dissemination]);
        assert_eq!([2, 3].map(|m| between(C::Broadcast, 64 << 10, m, m)), [Binomial, ScatterAllgather]);
        assert_eq!([3, 4, 1 << 14].map(|m| between(C::Allgather, 8, m, m)), [Ring, Bruck, Bruck]);
        assert_eq!([8, 1 << 20].map(|bytes| between(C::Allgather, bytes, 8, 4)), [Hierarchical; 2]);
        assert_eq!([256, 257].map(|bytes| between(C::Alltoall, bytes, 8, 4)), [Hierarchical, Pairwise]);
        assert_eq!([4, 8].map(|m| between(C::Alltoall, 256, m, m)), [Pairwise, Bruck]);
        let reduces = [2, 3, 4, 16, 17].map(|m| between(C::Reduce, 1 << 20, m, m));
        assert_eq!(reduces, [Rabenseifner, ReduceScatter, Rabenseifner, Rabenseifner, Rabenseifner]);
        assert_eq!(between(C::Reduce, 512 << 10, 2, 2), RecursiveDoubling);
        assert_eq!([8, 1 << 20].map(|bytes| between(C::Reduce, bytes, 8, 4)), [Hierarchical; 2]);
        assert_eq!([4, 8].map(|nodes| between(C::Scan, 8, 8, nodes)), [Hierarchical, RecursiveDoubling]);
    }

    /// With the strict order, elements are combined neither by nodes nor in a tree.
    #[test]
    fn the_strict_order_has_its_own_rows() {
        let strict =
            |c, bytes, nodes| select(c, false, &Shape { strict: true, ..between(bytes, 8, nodes) }, CollSelect::NONE);
        assert_eq!([8, 4097].map(|bytes| strict(C::Reduce, bytes, 4)), [Allgather, ReduceScatter]);
        assert_eq!([8, 4097].map(|bytes| strict(C::Scan, bytes, 8)), [Allgather, Pairwise]);
        let exact = Shape { strict: true, ..between(8, 8, 4) }.of_op(true);
        assert_eq!(select(C::Reduce, false, &exact, CollSelect::NONE), Hierarchical);
    }

    /// An algorithm that is not possible for a call is not taken for it, whatever the setting says.
    #[test]
    fn overrides_that_cannot_be_applied_fall_back_to_the_table() {
        let read = |text| CollSelect::read(text).expect("names are known");
        let chosen = read("broadcast:hierarchical,broadcast:binomial,broadcast:eager,reduce:read");
        let take = |c, one_node, shape| select(c, one_node, &shape, chosen);
        assert_eq!(take(C::Broadcast, false, between(1 << 20, 8, 4)), Hierarchical);
        assert_eq!(take(C::Broadcast, false, between(1 << 20, 8, 8)), Binomial);
        assert_eq!(take(C::Broadcast, true, on_node(2048, true)), Eager);
        assert_eq!(take(C::Broadcast, true, on_node(2049, true)), Read);
        assert_eq!(take(C::Reduce, true, on_node(8, true)), Read);
        assert_eq!(take(C::Reduce, false, between(8, 4, 4)), RecursiveDoubling);
        assert!(names_one(C::Broadcast, chosen) && !names_one(C::Reduce, chosen));
    }
}
