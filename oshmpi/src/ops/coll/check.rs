//! Checks of collectives. With `SHMEM_DEBUG` the members of a team compare their calls before they move data.

use super::agree::ANY;
use super::buffer::{Buffer, Buffers};
use super::exchange::Posted;
use super::group::Group;
use crate::args::{self, Alone};
use crate::diag::fatal_once;
use crate::env::coll_select::Collective;
use crate::memory::addr::SymRange;
use crate::state::Runtime;
use crate::team::Team;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The address and the bytes of a buffer.
pub(super) type Range = (usize, usize);

/// Checks that dest and source are symmetric. With `SHMEM_DEBUG` they must also be disjoint; with `in_place` dest may
/// be source.
#[inline(always)]
pub(super) fn buffers<'a>(
    rt: &'a Runtime,
    routine: &'static str,
    dest: Range,
    source: Range,
    in_place: bool,
) -> Buffers<'a> {
    let checked = Buffers {
        dest: Buffer::new(rt, routine, "dest", dest.0, dest.1),
        source: Buffer::new(rt, routine, "source", source.0, source.1),
    };
    if !(in_place && dest.0 == source.0) {
        args::disjoint(rt, routine, dest, source);
    }
    checked
}

/// With `SHMEM_DEBUG`: a barrier of all members of the team, which must be in the same routine with equal arguments.
/// These are the places of dest and source, and `rest`: number of elements or bytes, strides or the kind of a
/// scan, root. The result holds the team
/// until the collective ends, because two threads of a PE must not be in it at the same time.
#[must_use]
#[cold]
#[inline(never)]
pub(super) fn alike(
    rt: &Runtime,
    routine: &str,
    team: &'static Team,
    group: &Group<'_>,
    [dest, source]: [usize; 2],
    rest: [u64; 3],
) -> Alone {
    let alone = args::collective(rt, routine, team);
    let mine = [name(routine), place_of(rt, dest), place_of(rt, source), rest[0], rest[1], rest[2]];
    let Err(posted) = group.agree(&mine, mine.len()) else { return alone };
    same_routine(routine, group, &posted);
    for member in 0..group.size() {
        let theirs: [u64; 6] = std::array::from_fn(|i| posted.word(member, i));
        let differs = |i: usize| theirs[i] != mine[i] && theirs[i] != ANY && mine[i] != ANY;
        if !(0..6).any(differs) {
            continue;
        }
        let pe = group.pe(member);
        // One line per mistake: the first member that differs from member 0 reports it.
        let alike = |a: u64, b: u64| a == b || a == ANY || b == ANY;
        let as_first = |member: usize| (0..6).all(|i| alike(posted.word(member, i), posted.word(0, i)));
        let reports = is_first_to_differ(group, as_first);
        let what = ["dest", "source", "the number of elements", "a stride", "the root"];
        let which = (0..5).find(|&i| differs(1 + i)).map_or("an argument", |i| what[i]);
        fatal_once(routine, reports, format_args!("{which} differs between PE {pe} and PE {}", rt.pe.0));
    }
    alone
}

/// Ends the job if members are in different routines. All have posted their routine's name as their first word.
pub(crate) fn same_routine(routine: &str, group: &Group<'_>, posted: &Posted<'_>) {
    let own = name(routine);
    let Some(other) = (0..group.size()).find(|&i| posted.word(i, 0) != own) else { return };
    let reports = is_first_to_differ(group, |member| posted.word(member, 0) == posted.word(0, 0));
    fatal_once(routine, reports, format_args!("PE {} is in another collective of this team", group.pe(other)));
}

/// Whether the caller is the first member that is not as member 0.
fn is_first_to_differ(group: &Group<'_>, as_first: impl Fn(usize) -> bool) -> bool {
    let me = group.me();
    !as_first(me) && (1..me).all(as_first)
}

/// A number that identifies a routine.
pub(crate) fn name(routine: &str) -> u64 {
    let mut hash = DefaultHasher::new();
    routine.hash(&mut hash);
    hash.finish()
}

/// The signature of a call: a number made of the collective, the bytes, the strides and the root, but not of the
/// operation, the type or the addresses. Members compare signatures where they read bytes that another member has
/// placed, except in a collect on one node. That of a collect has no bytes, which may differ. The number is no random
/// hash; a test shows that calls with small differences have different numbers.
#[inline]
pub(super) fn signature(kind: Collective, [dest, source]: [usize; 2], [nelems, strides, root]: [u64; 3]) -> u64 {
    // An odd number with random bits spreads small differences over the word.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let sizes = match kind {
        Collective::Collect => 0,
        _ => (dest as u64).wrapping_mul(SPREAD) ^ (source as u64).rotate_left(32) ^ nelems ^ strides.rotate_left(17),
    };
    ((sizes ^ root.rotate_left(40)).wrapping_add(kind as u64 + 1)).wrapping_mul(SPREAD)
}

/// The place of a null pointer of 0 elements: a member of a collect with no elements needs no source.
pub(super) const NOWHERE: u64 = ANY;

/// The place of an address, which is equal on all PEs: the segment and the offset in it, as one number.
pub(super) fn place_of(rt: &Runtime, addr: usize) -> u64 {
    match rt.segments.find(addr, 0) {
        Some(range) => range.place(),
        None if addr == 0 => NOWHERE,
        None => u64::MAX,
    }
}

/// The address on this PE of a place that another PE has posted.
pub(super) fn address_of(rt: &Runtime, place: u64) -> usize {
    SymRange::at_place(place).map_or(0, |range| rt.segments.address(range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_calls_have_different_numbers() {
        let kinds =
            [Collective::Broadcast, Collective::Allgather, Collective::Alltoall, Collective::Reduce, Collective::Scan];
        let mut all: Vec<u64> = Vec::new();
        for kind in kinds {
            for n in 0..300u64 {
                for root in 0..4 {
                    let len = 8 * n as usize;
                    all.push(signature(kind, [len, len], [n, 0, root]));
                }
                all.push(signature(kind, [8 * n as usize, 8], [n, 1 << 32 | 1, 0]));
            }
        }
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
        let collect = |n: u64| signature(Collective::Collect, [8 * n as usize; 2], [n, 0, 0]);
        assert_eq!(collect(1), collect(2));
    }
}
