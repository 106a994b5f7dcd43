//! `OSHMPI_CONNECT=eager`: a PE gets in touch with all its peers in init, so that the first operation to one takes no
//! longer than a later one. On demand, which is the default, all of this happens at first use.

use super::BootError;
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::local::Dest;
use crate::memory::translate::{self, Reach};
use crate::state::Runtime;
use crate::transport::remote::Returns;

/// What is read at each peer: a word at the start of each segment.
const WORD: usize = size_of::<u64>();

/// Reads a word of each segment of every peer: through memory where it is mapped, which fills in the page tables, and
/// through MPI elsewhere, which makes the connection and, on dynamic windows, fetches the peer's addresses.
pub(super) fn all(rt: &Runtime) -> Result<(), BootError> {
    // The next one first: not everybody at PE 0's listener.
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
                    // SAFETY: a local of as many bytes, which stays until the get has returned.
                    let dest = unsafe { Dest::of::<u8>(word.as_mut_ptr(), WORD) };
                    remote.get(remote.ledger(), range, pe, dest, Returns::Done)?;
                }
                // The kernel copies, or a window of statics on one node: nothing is made at first use.
                _ => {}
            }
        }
    }
    Ok(())
}
