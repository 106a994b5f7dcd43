//! Short requests: collectives of few bytes that are started on one node, and are one round. At its start a member
//! places its bytes and arrives; who completes it looks whether those have come whom the member needs, and takes their
//! bytes. Nobody needs a member after its arrival, so a short request is no task: it goes on when it is tested or
//! waited for. Nothing is allocated, and no lock is taken.
//!
//! Bound: a member writes one line of at most 56 bytes beside its arrival, and reads one of each member that it needs.
//! It sends no message. Memory: 2 KiB of lines for each team and PE, and what this PE keeps of 16 requests of a team.

use super::intra_node::Placed;
use super::plan::Asked;
use super::{allgather, alltoall, bytes, reduce, scan};
use crate::args;
use crate::memory::local::{Dest, Source};
use crate::memory::node::{SYNC_SLOTS, UNDER_WAY};
use crate::state;
use crate::sync::awaited::Awaited;
use crate::sync::tasks::{self, Standing};
use crate::team::{NodeTeam, PLACED, ShortRequest, Team};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;

/// A short request of this PE.
#[derive(Clone, Copy)]
struct Short {
    request: ShortRequest<'static>,
    asked: Asked,
    dest: Dest<'static>,
    source: Source<'static>,
    /// The members whose bytes or arrivals this one needs.
    needs: (u32, u32),
}

/// What a member does in a short request: bytes that it places, members that it needs, and members that need it.
struct Part {
    places: usize,
    needs: (u32, u32),
    serves: Range<usize>,
}

impl Asked {
    /// The part of member `me` of `n`, if the collective is short.
    #[inline(always)]
    fn part(&self, me: usize, n: usize) -> Option<Part> {
        let all = (0, n as u32);
        let (len, places, needs, serves) = match *self {
            Asked::Barrier => (0, 0, all, 0..n),
            Asked::Broadcast { len, root } if me == root as usize => (len, len, (0, 0), 0..n),
            Asked::Broadcast { len, root } => (len, 0, (root as u32, root as u32 + 1), 0..0),
            Asked::Allgather { len } | Asked::Reduce { len, .. } => (len, len, all, 0..n),
            Asked::Scan { len, .. } => (len, len, (0, me as u32), me + 1..n),
            Asked::Alltoall { unit, ref blocks } => {
                let len = blocks.nelems.saturating_mul(unit * n);
                (len, len, all, 0..n)
            }
            Asked::Collect { .. } => return None, // its members do not know who places few bytes
        };
        (len <= PLACED).then_some(Part { places, needs, serves })
    }
}

/// Places the caller's bytes and arrives: see [`NodeTeam::is_free`].
#[inline(always)]
fn arrive(request: ShortRequest<'_>, asked: Asked, source: Source<'_>, part: Part) {
    let place = request.place(part.places);
    match asked {
        Asked::Alltoall { unit, blocks } => alltoall::pack(place, source, request.team.size(), unit, &blocks),
        _ => bytes::copy(place, source.part(0, part.places)),
    }
    request.arrive(part.serves);
}

impl Placed for Short {
    #[inline(always)]
    fn placed(&self, member: usize, len: usize) -> Source<'_> {
        self.request.placed(member, len)
    }
}

impl Short {
    /// The caller's number and the number of members.
    #[inline]
    fn me_of(&self) -> (usize, usize) {
        (self.request.team.me(), self.request.team.size())
    }

    /// The first member that is needed and has not come.
    #[inline]
    fn missing(&self) -> Option<usize> {
        let (me, (from, to)) = (self.me_of().0, self.needs);
        (from as usize..to as usize).find(|&i| i != me && !self.request.has_come(i))
    }

    /// Takes the bytes of the members that are needed.
    #[inline]
    fn finish(&self) {
        let Short { dest, source, .. } = *self;
        let (me, n) = self.me_of();
        if self.needs == (0, n as u32) {
            self.request.all_have_come();
        }
        match &self.asked {
            Asked::Barrier => {}
            Asked::Broadcast { root, .. } if me != *root as usize => {
                bytes::copy(dest, self.placed(*root as usize, dest.len()));
            }
            Asked::Broadcast { .. } if dest.address() == source.address() => {}
            Asked::Broadcast { .. } => bytes::copy(dest, source),
            Asked::Reduce { op, .. } => reduce::combined(dest, source, me, n, self, |acc, from| op.after(acc, from)),
            Asked::Scan { prefix, .. } => scan::summed(dest, prefix.upto(me), self, |acc, from| prefix.add(acc, from)),
            Asked::Allgather { .. } => allgather::gathered(dest, source, me, n, self),
            Asked::Alltoall { unit, blocks } => {
                alltoall::unpack(dest, source, me, n, *unit, blocks, self);
            }
            Asked::Collect { .. } => unreachable!("a collect is not short"),
        }
    }

    fn awaited(&self) -> Awaited {
        let Short { request, .. } = self;
        self.missing()
            .map_or(Awaited::Other, |member| Awaited::Peer { pe: request.team.pe(member), request: request.number })
    }
}

/// Where a short request is kept while it is under way. Places are used again.
pub(super) struct Place {
    /// The number of the last request that had the place, times 4, and the state in the low bits.
    word: AtomicU64,
    short: UnsafeCell<MaybeUninit<Short>>,
}

// SAFETY: the request is written by the thread that starts it, while the state is [`FREE`], and read by the one that
// has made the state [`TAKEN`], or that alone may call the library.
unsafe impl Sync for Place {}

const FREE: u64 = 0;
/// The request is under way.
const OPEN: u64 = 1;
/// A thread looks at the request.
const TAKEN: u64 = 2;
const STATE: u64 = 3;

/// How many threads may look at a request at a time.
#[derive(Clone, Copy)]
enum By {
    One,
    Several,
}

impl By {
    /// Below SHMEM_THREAD_MULTIPLE one thread at a time is in the library.
    #[inline]
    fn now() -> By {
        if state::threads().0 < args::MULTIPLE { By::One } else { By::Several }
    }
}

type Places = [Place; UNDER_WAY];

/// The places of the requests of each team, by its sync slot and the request's number.
static PLACES: [OnceLock<Box<Places>>; SYNC_SLOTS] = [const { OnceLock::new() }; SYNC_SLOTS];

/// Ids of short requests have this bit, which no id of a task has. Below it are the team's sync slot and the request's
/// number.
const SHORT_ID: usize = 1 << 63;
const NUMBER: u32 = 55;
const _: () = assert!(SYNC_SLOTS <= 1 << (63 - NUMBER), "a sync slot has room in an id");

fn id(slot: usize, number: u64) -> tasks::Id {
    SHORT_ID | slot << NUMBER | (number as usize & ((1 << NUMBER) - 1))
}

/// The sync slot and the number of an id.
#[inline]
fn of_id(id: tasks::Id) -> Option<(usize, u64)> {
    let (slot, number) = ((id & !SHORT_ID) >> NUMBER, id & ((1 << NUMBER) - 1));
    (id & SHORT_ID != 0).then_some((slot, number as u64))
}

/// The place of a request of the team with this sync slot, if the team has had a short request.
#[inline]
pub(super) fn place((slot, number): (usize, u64)) -> Option<&'static Place> {
    PLACES[slot].get().map(|places| &places[(number % UNDER_WAY as u64) as usize])
}

#[cold]
#[inline(never)]
fn make_places(which: (usize, u64)) -> &'static Place {
    let place = || Place { word: AtomicU64::new(FREE), short: UnsafeCell::new(MaybeUninit::uninit()) };
    PLACES[which.0].get_or_init(|| Box::new(core::array::from_fn(|_| place())));
    self::place(which).expect("made a line above")
}

/// Starts a request of the team with this sync slot, if it is short. The one that had its place has ended.
#[inline(always)]
pub(super) fn start(
    team: NodeTeam<'static>,
    which: (usize, u64),
    place: Option<&'static Place>,
    call: u64,
    asked: Asked,
    (dest, source): (Dest<'static>, Source<'static>),
) -> Option<tasks::Id> {
    let part = asked.part(team.me(), team.size()).filter(|_| team.has_shorts())?;
    let (slot, number) = which;
    let request = team.in_short(number, call);
    let short = || Short { request, asked, dest, source, needs: part.needs };
    if !team.is_free(number) {
        return Some(start_later(slot, short(), part));
    }
    let place = place.unwrap_or_else(|| make_places(which));
    // SAFETY: the place is free, and one thread at a time starts requests of a team.
    unsafe { (*place.short.get()).write(short()) };
    arrive(request, asked, source, part);
    place.word.store(number << 2 | OPEN, Ordering::Release); // SYNC short-place: pairs with look
    Some(id(slot, number))
}

/// Starts a short request as a task: its line is still read, because a member is ahead by more requests than are under
/// way, as the root of broadcasts can be.
#[cold]
#[inline(never)]
fn start_later(slot: usize, short: Short, part: Part) -> tasks::Id {
    tasks::start(
        (slot, short.request.number),
        Box::pin(async move {
            let Short { request, asked, source, .. } = short;
            tasks::until(|| request.team.is_free(request.number), || Awaited::Other).await;
            arrive(request, asked, source, part);
            tasks::until(|| short.missing().is_none(), || short.awaited()).await;
            short.finish();
        }),
    )
}

impl Place {
    /// Looks at the request with this number, if it is under way here, and gives what `look` gives. Then it stays under
    /// way, unless `look` gives true beside. None if it is not under way. While another thread looks, it counts as
    /// under way, with `busy`.
    #[inline(always)]
    fn look<R>(&self, number: u64, busy: R, by: By, look: impl FnOnce(&Short) -> (R, bool)) -> Option<R> {
        let (open, taken) = (number << 2 | OPEN, number << 2 | TAKEN);
        let word = match by {
            // SYNC short-place: pairs with start, and with the store below
            By::Several => self.word.compare_exchange(open, taken, Ordering::Acquire, Ordering::Acquire),
            By::One => Ok(self.word.load(Ordering::Acquire)), // SYNC short-place: as above
        };
        match word {
            Ok(word) if word == open => {}
            Err(word) if word == taken => return Some(busy),
            _ => return None,
        }
        // SAFETY: this thread alone is here, and who has opened the place has written the request.
        let (result, ended) = look(unsafe { (*self.short.get()).assume_init_ref() });
        let state = if ended { FREE } else { OPEN };
        // SYNC short-place: pairs with has_room, and with the loads above
        self.word.store(number << 2 | state, Ordering::Release);
        Some(result)
    }

    /// Ends the request with this number that is under way here if it can: how it stands then.
    #[inline(always)]
    fn step(&self, number: u64, by: By) -> Standing {
        self.step_then(number, by, || ())
    }

    /// As `step`. `then` is called if the request ends, before other threads can see that it is not under way any more.
    #[inline(always)]
    fn step_then(&self, number: u64, by: By, then: impl FnOnce()) -> Standing {
        let stands = self.look(number, Standing::GoesOn, by, |short| match short.missing() {
            Some(_) => (Standing::GoesOn, false),
            None => {
                short.finish();
                then();
                (Standing::Ended, true)
            }
        });
        stands.unwrap_or(Standing::Unknown)
    }
}

/// Tells how the request with an id stands, after it has gone on. None if it is no id of a short request, or of one
/// that is not under way.
#[inline(always)]
pub(super) fn take(id: tasks::Id) -> Option<Standing> {
    let (slot, number) = of_id(id)?;
    Some(place((slot, number))?.step(number, By::now())).filter(|&stands| stands != Standing::Unknown)
}

/// For what the request with this id waits.
pub(super) fn awaited(id: tasks::Id) -> Option<Awaited> {
    let (slot, number) = of_id(id)?;
    place((slot, number))?.look(number, Awaited::Other, By::now(), |short| (short.awaited(), false))
}

/// Lets the request end that has the place of this one, if there is one: false while it is under way. One that ends
/// here is taken later.
#[inline]
pub(super) fn make_room(which: (usize, u64), place: Option<&Place>) -> bool {
    let Some(place) = place else { return true };
    let word = place.word.load(Ordering::Acquire); // SYNC short-place: pairs with look
    word & STATE == FREE || end_one(which.0, place, word >> 2)
}

#[cold]
#[inline(never)]
fn end_one(slot: usize, place: &Place, number: u64) -> bool {
    // Noted before the place is free: another thread that tests the request finds it under way, or finds the note.
    let note = || tasks::note_end(id(slot, number));
    place.step_then(number, By::now(), note) != Standing::GoesOn
}

/// For what the request waits that has the place of this one.
pub(super) fn awaited_before(which: (usize, u64)) -> Option<Awaited> {
    let place = place(which)?;
    let number = place.word.load(Ordering::Relaxed) >> 2; // a later one is not looked at
    place.look(number, Awaited::Other, By::now(), |short| (short.awaited(), false))
}

/// Short requests of a team, or of all, that have not ended.
pub(super) fn going_on(team: Option<&Team>) -> usize {
    let slots = team.map_or(0..SYNC_SLOTS, |team| team.sync_slot_number()..team.sync_slot_number() + 1);
    let all = slots.flat_map(|slot| (0..UNDER_WAY as u64).map(move |number| (slot, number)));
    all.filter(|&which| !make_room(which, place(which))).count()
}

#[cfg(test)]
mod tests {
    use super::super::alltoall::Blocks;
    use super::*;
    use crate::team::short::tests::members;
    use std::thread;

    /// Two threads look at the same requests of PE 0: each request is found complete once, and never before the other
    /// PE has come.
    #[test]
    fn one_thread_finds_a_request_complete() {
        const REQUESTS: u64 = if cfg!(miri) { 20 } else { 3000 };
        let all = members(2);
        let place = Place { word: AtomicU64::new(FREE), short: UnsafeCell::new(MaybeUninit::uninit()) };
        let (place, found, come) = (&place, &AtomicU64::new(0), &AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(move || {
                    while found.load(Ordering::Relaxed) < REQUESTS {
                        let number = found.load(Ordering::Acquire) + 1;
                        if place.step(number, By::Several) == Standing::Ended {
                            assert_eq!(come.load(Ordering::Relaxed), number);
                            assert_eq!(found.fetch_add(1, Ordering::AcqRel), number - 1, "it is found once");
                        }
                    }
                });
            }
            for number in 1..=REQUESTS {
                let nothing = Dest::of_slice::<u8>(&mut []);
                let short = Short {
                    request: all[0].in_short(number, 0),
                    asked: Asked::Barrier,
                    dest: nothing,
                    source: bytes::written(nothing),
                    needs: (0, 2),
                };
                // SAFETY: the place is free, because the request before was found complete.
                unsafe { (*place.short.get()).write(short) };
                arrive(short.request, short.asked, short.source, short.asked.part(0, 2).unwrap());
                place.word.store(number << 2 | OPEN, Ordering::Release); // SYNC short-place: pairs with look
                come.store(number, Ordering::Relaxed);
                all[1].in_short(number, 0).arrive(0..2);
                while found.load(Ordering::Acquire) < number {
                    thread::yield_now();
                }
            }
        });
    }

    /// A thread that ends another one's request notes the end before the request is seen not to be under way.
    #[test]
    fn a_request_is_under_way_until_its_end_is_noted() {
        let all = members(1);
        let place = Place { word: AtomicU64::new(FREE), short: UnsafeCell::new(MaybeUninit::uninit()) };
        let nothing = Dest::of_slice::<u8>(&mut []);
        let short = Short {
            request: all[0].in_short(1, 0),
            asked: Asked::Barrier,
            dest: nothing,
            source: bytes::written(nothing),
            needs: (0, 1),
        };
        // SAFETY: the place is free.
        unsafe { (*place.short.get()).write(short) };
        place.word.store(1 << 2 | OPEN, Ordering::Release); // SYNC short-place: pairs with look
        let mut noted = 0;
        let stands = place.step_then(1, By::Several, || {
            assert_eq!(place.step(1, By::Several), Standing::GoesOn);
            noted += 1;
        });
        assert_eq!((stands, noted), (Standing::Ended, 1));
        assert_eq!(place.step(1, By::Several), Standing::Unknown);
    }

    /// What a member places, in bytes, and whom it needs: the bound at the head of the file.
    #[test]
    fn short_requests_keep_their_bound() {
        assert_eq!(size_of::<Places>().next_power_of_two(), 4096, "what a PE keeps of the requests of a team");
        let blocks = |nelems| Blocks { nelems, dst: 1, sst: 1 };
        let few = [
            (Asked::Barrier, 0, (0, 3), 0..3),
            (Asked::Broadcast { len: PLACED, root: 1 }, PLACED, (0, 0), 0..3),
            (Asked::Broadcast { len: PLACED, root: 2 }, 0, (2, 3), 0..0),
            (Asked::Allgather { len: 8 }, 8, (0, 3), 0..3),
            (Asked::Alltoall { unit: 8, blocks: blocks(2) }, 48, (0, 3), 0..3),
        ];
        for (asked, places, needs, serves) in few {
            let part = asked.part(1, 3).unwrap();
            assert_eq!((part.places, part.needs, part.serves), (places, needs, serves));
        }
        let many = [
            Asked::Broadcast { len: PLACED + 1, root: 0 },
            Asked::Allgather { len: PLACED + 8 },
            Asked::Alltoall { unit: 8, blocks: blocks(3) },
            Asked::Alltoall { unit: 8, blocks: blocks(usize::MAX) },
            Asked::Collect { len: 0 },
        ];
        many.iter().for_each(|asked| assert!(asked.part(1, 3).is_none()));
    }
}
