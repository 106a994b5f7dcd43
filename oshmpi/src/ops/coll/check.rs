//! With `SHMEM_DEBUG`: the members of a team compare what they called before they do it.

use crate::args::{self, Alone};
use crate::diag::fatal;
use crate::state::Runtime;
use crate::team::Meeting;
use std::hash::{DefaultHasher, Hash, Hasher};

/// All members meet and must be in the same routine with the same arguments. `equal` is what the standard wants equal:
/// offsets of buffers, counts, strides, root.
/// The result holds the team while the collective lasts: two threads in it at a time are a mistake.
#[must_use]
pub(super) fn alike(rt: &Runtime, routine: &str, team: &Meeting<'static>, equal: [u64; 5]) -> Alone {
    if !rt.env.debug {
        return Alone::FREE;
    }
    args::thread(routine);
    let alone = Alone::take(routine, team.busy(), "another thread of this PE is in a collective of this team");
    let mut hash = DefaultHasher::new();
    routine.hash(&mut hash);
    let mine = [hash.finish(), equal[0], equal[1], equal[2], equal[3], equal[4]];
    team.say(&mine);
    team.meet();
    for member in 0..team.size() {
        let theirs: [u64; 6] = std::array::from_fn(|i| team.heard(member, i));
        if theirs == mine {
            continue;
        }
        let pe = team.pe(member);
        if theirs[0] != mine[0] {
            fatal(routine, format_args!("PE {pe} is in another collective of this team"));
        }
        let what = ["dest", "source", "the number of elements", "a stride", "the root"];
        let which = (0..5).find(|&i| theirs[1 + i] != mine[1 + i]).map_or("an argument", |i| what[i]);
        fatal(routine, format_args!("{which} differs between PE {pe} and PE {}", rt.pe.0));
    }
    alone
}

/// An address as what is equal on all PEs: its distance from its segment, told apart by segment.
pub(super) fn place_of(rt: &Runtime, addr: usize) -> u64 {
    match rt.segments.find(addr, 0) {
        Some(range) => (range.off as u64) << 1 | (range.seg as u64),
        None => u64::MAX,
    }
}
