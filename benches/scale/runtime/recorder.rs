//! A member that records its schedule. Its code runs alone and moves no data. The schedules of the algorithms between
//! nodes do not depend on data, so buffers need not exist.

use super::hierarchy::{Hierarchy, NodeStage, Side};
use super::messages::{MemberMessages, Message};
use super::recording::{self, copied, note, uncounted};
use crate::env::coll_select::CollSelect;
use crate::memory::local::{Dest, Source};
use crate::memory::node::EAGER_BYTES;
use crate::team::Layout;
use bench_scale::{NodeStage as Stage, Program};

/// A destination at an address that is not mapped.
pub(super) fn dest(len: usize) -> Dest<'static> {
    // SAFETY: while a schedule is recorded, nothing is read or written.
    unsafe { Dest::of::<u8>(core::ptr::without_provenance_mut(1 << 46), len) }
}

pub(super) fn source(len: usize) -> Source<'static> {
    // SAFETY: while a schedule is recorded, nothing is read.
    unsafe { Source::of::<u8>(core::ptr::without_provenance(1 << 45), len) }
}

/// A member of a group with this layout.
pub(super) struct Recorder<'a> {
    layout: &'a Layout,
    /// The member's number in the group.
    member: usize,
    here: Here,
    chosen: CollSelect,
}

/// The node stage of the recorded member: how many members the node has, and which of them is recorded.
#[derive(Clone, Copy)]
pub(super) struct Here {
    size: usize,
    me: usize,
}

impl MemberMessages for Recorder<'_> {
    type Node = Here;

    fn size(&self) -> usize {
        self.layout.members()
    }

    fn me(&self) -> usize {
        self.member
    }

    async fn transfer<'m>(&self, messages: impl IntoIterator<Item = Message<'m>>) {
        let messages = messages.into_iter().filter_map(|message| {
            let (peer, bytes) = match &message {
                Message::Send(to, from) => (*to as u32, from.len() as u64),
                Message::Receive(from, to) => (*from as u32, to.len() as u64),
            };
            (bytes > 0).then_some(match message {
                Message::Send(..) => bench_scale::Message::Send { to: peer, bytes },
                Message::Receive(..) => bench_scale::Message::Receive { from: peer, bytes },
            })
        });
        // Evaluated before the messages are recorded, because the iterator may copy data.
        let messages: Vec<_> = uncounted(|| messages.collect());
        note(|program| program.transfer(messages));
    }

    fn hierarchy(&self) -> Option<Hierarchy<'_, Here>> {
        let layout = self.layout;
        let node = layout.node(self.me());
        (layout.nodes() < layout.members()).then_some(Hierarchy { here: self.here, layout, node })
    }

    fn chosen(&self) -> CollSelect {
        self.chosen
    }
}

impl NodeStage for Here {
    fn size(&self) -> usize {
        self.size
    }

    fn me(&self) -> usize {
        self.me
    }

    async fn barrier(&self) {
        note(|program| program.node(Stage::Barrier));
    }

    async fn notify_root(&self, root: usize) {
        note(|program| program.node(Stage::Gather { root: root as u32 }));
    }

    async fn wait_for_root(&self, root: usize) {
        note(|program| program.node(Stage::Release { root: root as u32 }));
    }

    fn eager(&self) -> usize {
        EAGER_BYTES
    }

    async fn place(&self, from: Source<'_>) {
        assert!(from.len() <= EAGER_BYTES, "more than an eager buffer holds");
    }

    fn placed(&self, _member: usize, len: usize) -> Source<'_> {
        source(len)
    }

    fn writable(&self, _side: Side) -> bool {
        true
    }

    fn mapped(&self, _side: Side, _member: usize, off: usize, len: usize) -> Option<Dest<'_>> {
        Some(dest(off + len).part(off, len))
    }

    fn read(&self, _side: Side, _member: usize, _off: usize, to: Dest) {
        copied(to.len());
    }
}

/// Records `body` as a member of a group, the `local`-th of its node.
pub(super) fn record(layout: &Layout, member: usize, local: usize, body: impl FnOnce(&Recorder<'_>)) -> Program {
    measured(layout, member, local, body).0
}

/// The schedule of [`record`], and the most bytes that the member has allocated at a time.
pub(super) fn measured(
    layout: &Layout,
    member: usize,
    local: usize,
    body: impl FnOnce(&Recorder<'_>),
) -> (Program, usize) {
    let here = Here { size: layout.count(layout.node(member)), me: local };
    recording::all_of(|| body(&Recorder { layout, member, here, chosen: CollSelect::NONE }))
}
