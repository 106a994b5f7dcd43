//! Which pages the heaps of a node are in: reserved huge pages, huge pages that the kernel makes, or small ones. Why:
//! docs/design/memory.md.

use crate::env::{Env, Pages};
use crate::memory::addr::{SegId, Span};
use crate::memory::node::{Limit, Node};
use crate::os::sched::CpuSet;
use crate::os::{huge, map, memfd, numa, process};

/// What the heap of this PE got.
pub(super) struct Got {
    /// For people.
    pub(super) text: String,
    /// Blocks of at least so many bytes have their pages made huge when they are allocated, in pages of this size; 0:
    /// none.
    pub(super) collapse: usize,
}

/// Asks for pages on both views of memory: `heap` is mapped here a second time. Takes the memory if the user wants
/// that.
pub(super) fn ask(env: &Env, node: &Node, heap: Span) -> Got {
    let (first, slots) = (node.first(SegId::Heap), node.shape.stride * node.shape.n);
    let numa_node = numa::node_of(&CpuSet::allowed());
    if let Some(numa_node) = numa_node {
        // A kernel that refuses takes memory where the PE runs that writes first.
        let _ = numa::prefer(node.own(SegId::Heap), node.shape.stride, numa_node);
    }
    let numa_node = numa_node.map_or_else(String::new, |numa_node| format!(", of NUMA node {numa_node}"));
    let (pages, collapse) = if node.heap_limit() == Some(Limit::HugePages) {
        (reserved(env, node, heap), 0)
    } else if env.pages == Pages::Small {
        map::advise_small(first, slots);
        map::advise_small(heap.base, heap.len);
        (small(env, heap), 0)
    } else {
        // A peer may be the first to write to a heap, through the node's view.
        let offered = map::advise_huge(first, slots) && map::advise_huge(heap.base, heap.len);
        transparent(env, heap, offered)
    };
    Got { text: format!("{pages}{numa_node}{}", tables(env)), collapse }
}

/// Memory of the huge pages is promised to the file. Blocks are committed when they are allocated.
fn reserved(env: &Env, node: &Node, heap: Span) -> String {
    let (file, offset) = node.heap_file();
    let taken = env.prefault.then(|| memfd::commit(file, offset, heap.len as u64));
    format!("reserved huge pages of {}{}", in_kib(huge::SIZE), after(taken))
}

fn small(env: &Env, heap: Span) -> String {
    let taken = env.prefault.then(|| map::populate(heap.base, heap.len));
    format!("small pages of {}{}", in_kib(map::page()), after(taken))
}

/// `offered`: the kernel makes huge pages where memory is first written.
fn transparent(env: &Env, heap: Span, offered: bool) -> (String, usize) {
    let asked = !offered && env.pages == Pages::Transparent;
    let size = if env.info || env.prefault || asked { map::transparent_size() } else { 0 };
    if env.prefault {
        let huge = size > 0 && collapsed(heap, size);
        // What is left over for small pages. It finds nothing to do where all pages are huge.
        let taken = after(Some(map::populate(heap.base, heap.len)));
        let text = match huge {
            true => format!("huge pages of {}{taken}", in_kib(size)),
            false => format!("small pages of {}{taken}, not all in huge pages", in_kib(map::page())),
        };
        return (text, 0);
    }
    match (offered, asked && size > 0) {
        (true, _) => (format!("huge pages of {} where it is first written", in_kib(size)), 0),
        (_, true) => (format!("huge pages of {} for blocks as large as that", in_kib(size)), size),
        _ => (format!("small pages of {}", in_kib(map::page())), 0),
    }
}

/// Makes huge pages of all that are whole in the heap. True when the kernel has.
fn collapsed(heap: Span, size: usize) -> bool {
    let len = heap.len / size * size;
    // SAFETY: the range lies in this PE's heap, which is mapped.
    unsafe { map::touch(heap.base, len, size) };
    len > 0 && map::collapse(heap.base, len)
}

/// What became of the wish to take all memory at start.
fn after(taken: Option<std::io::Result<()>>) -> String {
    match taken {
        None => String::new(),
        Some(Ok(())) => ", all of it taken".to_owned(),
        Some(Err(e)) => format!(", not taken at start: {e}"),
    }
}

fn in_kib(bytes: usize) -> String {
    format!("{} KiB", bytes >> 10)
}

/// The size of this process's page tables, if somebody reads it.
fn tables(env: &Env) -> String {
    let kib = if env.info { process::page_tables_kib() } else { None };
    kib.map_or_else(String::new, |kib| format!("; page tables of {kib} KiB so far"))
}
