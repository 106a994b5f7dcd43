//! For tools that are loaded with the program, such as the race detector: where the symmetric memory of the node's PEs
//! is mapped in this process.

use crate::diag;
use crate::memory::addr::{Pe, SegId};
use crate::memory::local::{Dest, Source};
use crate::net::{ByMessage, Remote, am};
use crate::ops::heap;
use crate::state;
use crate::sync::ledger::Lane;
use crate::team::{SpaceHandle, TeamHandle};
use core::ffi::{c_int, c_void};
use core::sync::atomic::AtomicU64;

/// What a tool is told. `race/runtime/src/node.rs` has the same struct.
#[repr(C)]
struct ToolMemory {
    pe: u32,
    n_pes: u32,
    /// This PE's slot, and how many slots the node has.
    index: u32,
    count: u32,
    heap: usize,
    heap_len: usize,
    data: usize,
    data_len: usize,
    /// Where the first slot is mapped, the bytes from slot to slot, and where in a slot the statics are.
    slots: usize,
    stride: usize,
    data_in_slot: usize,
    /// A word of the node, 0 at first, that the library does not use.
    word: *const AtomicU64,
}

/// Fills `memory`. Returns 0, or 1 if the library is not initialised.
#[unsafe(no_mangle)]
unsafe extern "C" fn oshmpi_tool_memory(memory: *mut ToolMemory) -> c_int {
    let Some(rt) = state::made().filter(|_| state::inits() > 0) else { return 1 };
    let (node, segments) = (&rt.node, &rt.segments);
    let told = ToolMemory {
        pe: rt.pe.0,
        n_pes: rt.n_pes,
        index: node.me as u32,
        count: node.shape.n as u32,
        heap: segments.heap.base,
        heap_len: segments.heap.len,
        data: segments.data.base,
        data_len: segments.data.len,
        slots: node.first(SegId::Heap),
        stride: node.shape.stride,
        data_in_slot: node.shape.heap_room,
        word: node.tool_word(),
    };
    // SAFETY: the tool passes a struct of this layout.
    unsafe { memory.write(told) };
    0
}

/// The slot of a PE, or -1 if the PE is on another node.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_tool_slot(pe: c_int) -> c_int {
    let slot = |pe: u32| state::made().and_then(|rt| rt.node.places.local(Pe(pe)));
    u32::try_from(pe).ok().and_then(slot).map_or(-1, |slot| slot as c_int)
}

/// The team whose members call the routines of a space together; 0 if there is no such space.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_tool_space_team(space: SpaceHandle) -> TeamHandle {
    let found = state::made().filter(|_| state::inits() > 0).and_then(|rt| rt.spaces.find(space));
    found.map_or(TeamHandle::INVALID, |(_, space)| space.team)
}

/// The team whose members call `shmem_free` and `shmem_realloc` of a block together.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_tool_block_team(block: *mut c_void) -> TeamHandle {
    let found = state::made().filter(|_| state::inits() > 0);
    found.map_or(TeamHandle::WORLD, |rt| heap::team_of_block(rt, block))
}

/// Before the library is initialised: `take` takes the notes of other PEs. Operations between nodes then go by
/// messages, as far as the settings of the job leave that open, so that notes come in their order.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_tool_notes(take: am::Take) {
    am::take_by(take);
}

/// The number of the node of a PE. -1: the PE is on this node. -2: its notes would not come in the order of operations,
/// so it takes none.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_tool_node(pe: c_int) -> c_int {
    let Some(rt) = state::made() else { return -2 };
    let pe = Pe(pe as u32);
    if rt.node.places.local(pe).is_some() {
        return -1;
    }
    match rt.remote.as_ref().and_then(Remote::notes) {
        Some(_) if am::Notes::of_program().are_taken() => rt.node.placement.node(pe) as c_int,
        _ => -2,
    }
}

/// Carries notes to other nodes. None: nobody does, or this is a child that a PE has forked.
fn messages() -> Option<&'static dyn ByMessage> {
    state::made().filter(|_| !state::is_child())?.remote.as_ref()?.notes()
}

/// Sends a note to a PE of another node that takes notes. With `room` bytes for the answer it returns when that is
/// there. Otherwise the note is taken before operations on the PE that are issued later.
#[unsafe(no_mangle)]
unsafe extern "C" fn oshmpi_tool_note(pe: c_int, text: *const u8, len: usize, answer: *mut u8, room: usize) {
    let Some(messages) = messages() else { return };
    // SAFETY: the tool passes as many bytes, which stay until the call has returned.
    let (text, answer) = unsafe { (Source::of::<u8>(text, len), Dest::of::<u8>(answer, room)) };
    messages.note(Pe(pe as u32), text, answer).unwrap_or_else(|e| {
        diag::broken(format_args!("a note of the tool to PE {pe} cannot be sent: {e}"));
    });
}

/// All notes to a PE, and all operations on it, have been taken when this returns.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_tool_noted(pe: c_int) {
    let Some(messages) = messages() else { return };
    messages.quiet_pe(Lane::MAIN, Pe(pe as u32)).unwrap_or_else(|e| {
        diag::broken(format_args!("the notes of the tool to PE {pe} are not answered: {e}"));
    });
}
