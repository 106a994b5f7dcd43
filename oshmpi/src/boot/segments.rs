//! Puts this PE's heap and static variables where its peers can reach them.

use super::{BootError, pages};
use crate::diag;
use crate::env::{Env, Statics};
use crate::memory::addr::Span;
use crate::memory::heap::MAX_ALIGN;
use crate::memory::node::Node;
use crate::memory::statics;
use crate::memory::translate::{Reach, Segments};
use crate::os::exe::DataSegment;
use crate::os::{map, peer};
use crate::team::Team;
use crate::transport::kernel::StaticsLocation;
use core::sync::atomic::AtomicBool;

/// The address of each PE's heap, if nothing else is there. One address on every PE makes debugging easier; nothing
/// depends on it. It is far away from where Linux puts programs, libraries and stacks.
const PREFERRED_HEAP: usize = 0x1000_0000_0000;

/// Bytes: heaps that MPI allocates start at a multiple of this, the largest page that MPI may use for them. The
/// allocator answers requests for larger alignments with a null pointer in such jobs.
pub(super) const ALLOCATED_ALIGN: usize = 2 << 20;

/// Maps the PE's heap, unless MPI has allocated it as `heap`. Makes the statics reachable in the first way that works
/// on all PEs of the node. Collective on the node.
pub(crate) fn make(
    env: &Env,
    node: &Node,
    heap: Option<Span>,
    on_node: &Team,
    exe: Option<DataSegment>,
    same_program: bool,
    notes: &mut Vec<String>,
) -> Result<Segments, BootError> {
    let (allocated, mut collapse) = (heap.is_some(), 0);
    let heap = heap.map_or_else(|| own_heap(node), Ok).map_err(BootError::CannotMapHeap)?;
    if allocated {
        notes.push(format!("heap: {} bytes at {:#x}, allocated by MPI", heap.len, heap.base));
    } else if heap.len > 0 {
        let at = if heap.base == PREFERRED_HEAP { "the preferred address" } else { "another address than preferred" };
        let pages = pages::ask(env, node, heap);
        notes.push(format!("heap: {} bytes at {:#x} ({at}), {}", heap.len, heap.base, pages.text));
        collapse = pages.collapse;
    }

    let mut segments = Segments {
        heap,
        heaps: if allocated { Reach::Window } else { Reach::Mapped },
        heap_align: if allocated { ALLOCATED_ALIGN } else { MAX_ALIGN },
        collapse,
        data: Span::default(),
        statics: Reach::None,
        statics_mapped: AtomicBool::new(false),
    };
    match exe {
        Some(seg) if same_program => {
            segments.data = Span { base: seg.start, len: seg.end - seg.start };
            segments.statics = reach_statics(env.statics, &seg, node, on_node, notes);
        }
        Some(_) => notes.push("statics: off, the PEs run different executables".to_owned()),
        None => notes.push("statics: the executable has none".to_owned()),
    }
    // Other nodes are asked later.
    segments.statics_mapped = (segments.statics == Reach::Mapped && node.places.everybody()).into();
    Ok(segments)
}

/// Maps the PE's heap a second time: at the preferred address, else at a multiple of [`MAX_ALIGN`].
fn own_heap(node: &Node) -> std::io::Result<Span> {
    let (len, room) = (node.shape.heap, node.shape.heap_room);
    if len == 0 {
        // The heap has no byte. Its base appears in messages only.
        return Ok(Span { base: PREFERRED_HEAP, len: 0 });
    }
    // A file of huge pages can be mapped in whole huge pages only.
    let (file, offset) = node.heap_file();
    if let Ok(base) = map::shared_if_free(PREFERRED_HEAP, file, offset, room) {
        return Ok(Span { base, len });
    }
    let base = map::reserve(room, MAX_ALIGN)?;
    // SAFETY: the range was reserved above for this mapping.
    unsafe { map::shared_over(base, file, offset, room)? };
    Ok(Span { base, len })
}

/// Tries the way that the setting names, then the other, until one works on all PEs of the node. One barrier round per
/// way.
fn reach_statics(wanted: Statics, seg: &DataSegment, node: &Node, on_node: &Team, notes: &mut Vec<String>) -> Reach {
    let mut why = ["as OSHMPI_STATICS says", "another PE of the node says why"].map(str::to_owned);
    if wanted == Statics::Remap {
        let moved = statics::remap(seg, node);
        why[0] = "another PE of the node says why".to_owned();
        if let Err(e) = &moved {
            why[0] = e.to_string();
            notes.push(format!("statics: cannot be moved onto shared memory: {e}"));
        }
        if all_agree(node, on_node, moved.is_ok()) {
            notes.push(format!("statics: {} bytes moved onto shared memory", seg.end - seg.start));
            return Reach::Mapped;
        }
    }
    peer::allow();
    StaticsLocation::own(seg.start).publish(node);
    let tried = kernel_works(node);
    if let Err(e) = &tried {
        why[1] = e.to_string();
        notes.push(format!("statics: the kernel does not copy between processes: {e}"));
    }
    if all_agree(node, on_node, tried.is_ok()) {
        notes.push("statics: copied by the kernel (process_vm_readv, process_vm_writev)".to_owned());
        return Reach::Kernel;
    }
    if !node.places.everybody() {
        // The transport to other nodes reaches the statics of this node, too.
        notes.push("statics: by the transport to other nodes".to_owned());
        return Reach::Window;
    }
    if node.me == 0 {
        let [moved, copied] = why;
        diag::print(format_args!(
            "static variables are not remotely accessible: they can neither be moved onto shared memory ({moved}) nor \
             copied by the kernel ({copied})"
        ));
    }
    Reach::None
}

/// Reads the token in the next PE's memory by the kernel's copying, and so proves that the copying works.
fn kernel_works(node: &Node) -> std::io::Result<()> {
    StaticsLocation::of(node, (node.me + 1) % node.shape.n).check()
}

/// Whether `yes` is true on every PE of the node. One barrier round of the node's team.
pub(super) fn all_agree(node: &Node, on_node: &Team, yes: bool) -> bool {
    let node_team = on_node.on(node, "shmem_init").expect("the PEs of a node are on it");
    node_team.post(&[u64::from(yes)]);
    node_team.barrier();
    (0..node.shape.n).all(|member| node_team.read(member, 0) == 1)
}
