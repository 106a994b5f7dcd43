//! `OSHMPI_CONNECT=eager`: a PE contacts all its peers in init, so that the first operation to a peer takes no longer
//! than a later one. With `demand`, the default, a PE contacts a peer at its first operation to it.

use super::BootError;
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::local::Dest;
use crate::memory::translate::{self, Reach};
use crate::net::Returns;
use crate::state::Runtime;

/// Bytes that are read at each peer: the word at the start of each segment.
const WORD: usize = size_of::<u64>();

/// Reads a word of each segment of every peer. A read of mapped memory fills in the page tables. A read through MPI
/// makes the connection and, on dynamic windows, fetches the peer's addresses. O(P) messages for P PEs.
pub(super) fn all(rt: &Runtime) -> Result<(), BootError> {
    // Each PE begins with the PE after it, so that not all PEs connect to PE 0 at once.
    for pe in (1..rt.n_pes).map(|i| Pe((rt.pe.0 + i) % rt.n_pes)) {
        for (seg, len) in [(SegId::Heap, rt.segments.heap.len), (SegId::Data, rt.segments.data.len)] {
            let range = SymRange { seg, off: 0, len: WORD };
            match (rt.node.places.local(pe), rt.segments.reach(seg), &rt.remote) {
                (_, Reach::None, _) => {}
                _ if len < WORD => {}
                (Some(slot), Reach::Mapped, _) => {
                    let word = translate::mapped(&rt.node, range, slot) as *const u64;
                    // SAFETY: the word lies in the peer's segment, which is mapped; nothing is done with the value.
                    unsafe { word.read_volatile() };
                }
                (_, _, Some(remote)) => {
                    let mut word = [0_u8; WORD];
                    remote.get(remote.ledger(), range, pe, Dest::of_slice(&mut word), Returns::Done)?;
                }
                // The kernel copies, or a window serves the statics of one node. Neither makes anything at first use.
                _ => {}
            }
        }
    }
    Ok(())
}
