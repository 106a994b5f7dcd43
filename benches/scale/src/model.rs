//! The model's parameters, all of them. LogGOPS with a node level: a message costs its two PEs `cpu` each, its bytes
//! pass the adapter of the sender's node, the wire and the adapter of the receiver's node, and each adapter serves one
//! message after the other. Inside a node a message is copied by both PEs. PEs of a node share its memory. A long
//! message is announced first, and the answer costs a way back: its receive is posted by then. The target's adapter
//! carries out puts and AMOs, or a progress thread of the target does, which has a core of its own.
//!
//! Not in the model: routes that cross, and noise.

/// Times in picoseconds, rates in picoseconds per KiB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Model {
    /// Latency from adapter to adapter.
    pub wire: u64,
    /// A PE's time for a message, at each end.
    pub cpu: u64,
    /// From one PE's store to another PE's load on the node.
    pub hop: u64,
    /// Children of a member in the tree by which a node synchronises.
    pub fan: u32,
    /// KiB through a node's adapter, in each direction.
    pub adapter: u64,
    /// An adapter's time for a message, however short, in each direction.
    pub gap: u64,
    /// Time of an AMO by an adapter, which the next one on the same word waits for. Each PE has one such word.
    pub atomic: u64,
    /// A PE's time to hand a put or an AMO to its adapter.
    pub post: u64,
    /// KiB of the longest message that leaves without a handshake.
    pub eager: u64,
    /// A PE's time before its first message to another PE: it reads that PE's record, and both connect.
    pub contact: u64,
    /// KiB that a PE copies.
    pub copy: u64,
    /// KiB that a PE combines.
    pub combine: u64,
    /// KiB copied or combined by the PEs of a node together.
    pub memory: u64,
    /// KiB that a PE finds in caches: moving at most so many at a time does not need the memory's rate.
    pub cached: u64,
}

/// KiB at so many GB/s, in picoseconds.
const fn gb_per_s(rate: u64) -> u64 {
    1_024_000 / rate
}

impl Model {
    /// A cluster with nodes of 128 PEs. Estimates, right in their order of magnitude:
    ///
    /// | what | figure | from |
    /// |---|---|---|
    /// | wire | 1.3 us | latency of InfiniBand and Slingshot with a switch or two, 1.0 to 1.8 us by their vendors |
    /// | cpu | 0.5 us | half of MPI's overhead of a short message, 0.3 to 1 us by LogGP measurements |
    /// | adapter | 25 GB/s | one port of 200 Gbit/s |
    /// | gap | 10 ns | 100 to 200 million messages a second, by the vendors of such adapters |
    /// | atomic | 0.25 us | a read and a write of the node's memory over PCIe, one after the other on one word |
    /// | post | 0.1 us | a descriptor and a doorbell |
    /// | eager | 16 KiB | where UCX and libfabric begin to ask first, 8 to 64 KiB |
    /// | contact | 0 | connections are there already: see [`Model::FIRST`] |
    /// | hop | 0.8 us | a line from a core of another socket, with the release of the word before (0.2 to 1 us) |
    /// | fan | 16 | members of a last cache or of a NUMA domain on nodes of 64 to 192 cores |
    /// | copy, combine | 10, 5 GB/s | one core, memory to memory |
    /// | memory | 200 GB/s | twelve channels of DDR5, read and written |
    /// | cached | 512 KiB | a core's second-level cache and its part of the last one, of which a copy needs two |
    pub const CLUSTER: Model = Model {
        wire: 1_300_000,
        cpu: 500_000,
        hop: 800_000,
        fan: 16,
        adapter: gb_per_s(25),
        gap: 10_000,
        atomic: 250_000,
        post: 100_000,
        eager: 16,
        contact: 0,
        copy: gb_per_s(10),
        combine: gb_per_s(5),
        memory: gb_per_s(200),
        cached: 512,
    };

    /// The cluster before PEs have exchanged messages. A connection takes 50 us: two ways of the network, and the
    /// kernel's part of a queue pair (20 to 100 us).
    pub const FIRST: Model = Model { contact: 50_000_000, ..Model::CLUSTER };

    /// An adapter's time for so many messages of together so many bytes.
    pub(crate) fn through_adapter(&self, messages: u64, bytes: u64) -> u64 {
        Model::bytes(self.adapter, bytes).max(messages * self.gap)
    }

    pub(crate) fn bytes(per_kib: u64, bytes: u64) -> u64 {
        ((u128::from(per_kib) * u128::from(bytes)) >> 10) as u64
    }

    /// Time until a word of all members of a node has reached one of them, or the other way round.
    pub(crate) fn up(&self, members: u32) -> u64 {
        let mut levels = 0;
        let mut reached = 1u64;
        while reached < u64::from(members) {
            reached *= u64::from(self.fan.max(2));
            levels += 1;
        }
        levels * self.hop
    }
}
