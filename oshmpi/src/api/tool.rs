//! For tools that are loaded with the program, such as the race detector: where the symmetric memory of the node's PEs
//! is mapped in this process.

use crate::memory::addr::{Pe, SegId};
use crate::state;
use core::ffi::c_int;
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
