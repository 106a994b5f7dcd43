//! Creates and destroys spaces: symmetric memory of one kind, which a team shares. A space has an allocator of its own,
//! which is that of the heap ([`heap`](super::heap)).
//!
//! On each node the first member makes a file, the others open it, and each maps the parts of all of them side by side.
//! A space on devices has this memory too, for collectives, and what `device` adds to it.
//! Cost of a member: two rounds on its node, and a third one where a member may not open the file of another process;
//! two agreements of the program's team and four of the space's own; a mapping for each member of its node. On devices
//! there are five more rounds: in one the members tell whether they have this memory, and [`device::map`] has four.

mod device;
mod parts;

use super::coll::{Group, check};
use super::heap::{Area, HeapCall, agree, alloc_as, free_in};
use super::team::{self, Out};
use crate::args;
use crate::diag::{fatal, print};
use crate::memory::addr::{MOST_SPACES, Span};
use crate::memory::heap::Heap;
use crate::memory::spaces::SPACES;
use crate::memory::translate::FAST;
use crate::os::cuda::Device;
use crate::os::numa;
use crate::state::{self, Runtime};
use crate::sync::atomics::AtomicU64;
use crate::team::{Backing, Space, SpaceHandle, Team, TeamHandle};
use core::ffi::{CStr, c_char, c_int, c_void};
use parts::{Lack, Mapped, Shape};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Mutex;

/// `shmemx_space_config_t`.
#[repr(C)]
pub(crate) struct Config {
    size: usize,
    kind: c_int,
    number: c_int,
    path: *const c_char,
}

/// What kind of memory a space has: `SHMEMX_SPACE_*` of shmemx.h, by their numbers.
enum Kind {
    Default,
    /// Reserved huge pages.
    Huge,
    /// Of this NUMA node.
    Numa(usize),
    /// Of all NUMA nodes in turn.
    Interleaved,
    /// In a file of this path, or without a name in this directory.
    File(PathBuf),
    /// Of this device, as the process counts them.
    Device(usize),
}

/// The configuration of a space that the C caller passes: size, number of the kind, and the kind or why it is none.
/// None: the pointer was null.
pub(crate) struct Wanted(Option<(usize, c_int, Result<Kind, String>)>);

impl Wanted {
    /// # Safety
    /// `config` is null or can be read. So can the string at its `path`, if its kind has one.
    pub(crate) unsafe fn new(config: *const Config) -> Wanted {
        // SAFETY: promised.
        let Some(&Config { size, kind, number, path }) = (unsafe { config.as_ref() }) else { return Wanted(None) };
        let number = usize::try_from(number).map_err(|_| format!("config.number is {number}"));
        let found = match kind {
            0 => Ok(Kind::Default),
            1 => Ok(Kind::Huge),
            2 => number.map(Kind::Numa),
            3 => Ok(Kind::Interleaved),
            4 if path.is_null() => Err("config.path is null; SHMEMX_SPACE_FILE needs a directory or a file".to_owned()),
            4 => {
                // SAFETY: not null, so promised.
                let path = unsafe { CStr::from_ptr(path) };
                Ok(Kind::File(PathBuf::from(OsStr::from_bytes(path.to_bytes()))))
            }
            5 => number.map(Kind::Device),
            _ => Err(format!("config.kind {kind} is not one of the SHMEMX_SPACE_ kinds")),
        };
        Wanted(Some((size, kind, found)))
    }
}

/// A space in the making.
struct Creation {
    rt: &'static Runtime,
    routine: &'static str,
    /// The space's own team.
    team: &'static Team,
    group: Group<'static>,
}

/// What this PE has of a space: where its part lies, and the file behind it.
type Part = (Span, Backing);

/// The space was not made. All members get the same error, and one of them has said why.
struct NotMade;

impl Creation {
    /// Agrees whether all members have succeeded; the first that has an error prints it. `alike` words must be equal on
    /// all members. Gives the bits that are set in `mask` on all members.
    fn agree(&self, alike: [u64; 2], mask: u64, outcome: Result<(), Option<String>>) -> Result<u64, NotMade> {
        let (me, group, routine) = (u64::from(self.rt.pe.0), &self.group, self.routine);
        // A member that only fails with another one comes behind all that know why.
        let failed = match &outcome {
            Ok(()) => u64::MAX,
            Err(why) => me + if why.is_some() { 0 } else { 1 << 32 },
        };
        let words = [check::name(routine), alike[0], alike[1], mask, failed];
        let all = group.agree(&words, 3).map_err(|posted| {
            check::same_routine(routine, group, &posted);
            let differs = |&i: &usize| (1..3).any(|w| posted.word(i, w) != posted.word(0, w));
            if let Some(i) = (0..group.size()).find(differs)
                && group.me() == 0
            {
                let (one, other) = (group.pe(0), group.pe(i));
                print(format_args!("{routine}: PE {other} asks for another size or kind than PE {one}"));
            }
            NotMade
        })?;
        match (all.least(4), outcome) {
            (u64::MAX, _) => Ok(all.bits(3)),
            (first, Err(Some(why))) if first == me => {
                print(format_args!("{routine}: {why}"));
                Err(NotMade)
            }
            _ => Err(NotMade),
        }
    }

    /// Takes a place that is free on all members: the same one on each. `free`: those that are free on all.
    fn take_place(&self, mut free: u64) -> Result<u8, NotMade> {
        // Threads of a PE that make spaces of different teams at the same time begin with different places.
        let from = self.team.sync_slot_number();
        for attempt in 0.. {
            let places = (0..MOST_SPACES).map(|d| (from + attempt + d) % MOST_SPACES);
            let found = places.into_iter().find(|place| free >> place & 1 == 1).map(|place| place as u8);
            let full = || format!("a PE of the team has {MOST_SPACES} spaces, the most that there can be; destroy one");
            self.agree([0; 2], 0, found.map(drop).ok_or_else(|| Some(full())))?;
            let place = found.expect("agreed");
            let taken = SPACES.take(place);
            // No bit is left where a member did not get the place.
            match self.agree([0; 2], if taken { u64::MAX } else { 0 }, Ok(()))? {
                u64::MAX => return Ok(place),
                _ if taken => SPACES.give(place),
                _ => {}
            }
            free = self.agree([0; 2], SPACES.free().into(), Ok(()))?;
        }
        unreachable!("the loop ends by a result")
    }

    fn check(&self, size: usize, kind: Result<Kind, String>) -> Result<(Shape, Kind), String> {
        let (rt, kind) = (self.rt, kind?);
        if size == 0 {
            return Err("config.size is 0, and a space has some bytes".to_owned());
        }
        if let Kind::Numa(number) = kind {
            let allowed = numa::allowed().map_err(|e| format!("the kernel tells of no NUMA domains: {e}"))?;
            if !allowed.contains(&number) {
                return Err(format!("config.number is {number}; this process may have memory of domains {allowed:?}"));
            }
        }
        if let Kind::Device(number) = kind {
            Device::open(number)?;
        }
        let spans = self.team.on(&rt.node, self.routine).is_none();
        if spans && rt.remote.as_ref().is_some_and(|remote| !remote.has_messages()) {
            return Err("OSHMPI_TRANSPORT=rma reaches no space of another node; leave it unset".to_owned());
        }
        let shape = Shape::new(size, self.team.size());
        let shape = shape.ok_or_else(|| format!("config.size {size} is more than an address space holds"))?;
        Ok((shape, kind))
    }

    fn run(&self, size: usize, number: c_int, kind: Result<Kind, String>) -> Result<SpaceHandle, NotMade> {
        let (rt, checked) = (self.rt, self.check(size, kind));
        let outcome = checked.as_ref().map(drop).map_err(|why| Some(why.clone()));
        let free = self.agree([size as u64, number as u64], SPACES.free().into(), outcome)?;
        let Ok((shape, kind)) = checked else { unreachable!("all have agreed that it is right") };
        let place = self.take_place(free)?;
        SPACES.forget(place);
        let made = parts::map(rt, self.routine, self.team, shape, &kind);
        let made = made.map(|Mapped { own, parts, backing }| {
            SPACES.insert(place, own, parts);
            (own, backing)
        });
        let made = match kind {
            Kind::Device(number) => self.on_device(place, number, made),
            _ => made,
        };
        let made = made.map(|(own, backing)| {
            rt.spaces.insert(
                place,
                Space {
                    team: self.team.handle,
                    members: self.team.members,
                    own,
                    heap: Mutex::new(Heap::new(own.len)),
                    calls: AtomicU64::new(0),
                    backing,
                },
            )
        });
        // What another member puts right after this has a place already.
        let all = self.agree([0; 2], 0, made.as_ref().map(drop).map_err(Option::clone));
        match (all, made) {
            (Ok(_), Ok(handle)) => Ok(handle),
            _ => {
                remove(rt, self.routine, self.team, place);
                Err(NotMade)
            }
        }
    }

    /// Adds memory of this PE's device `number` to a space of whose memory this PE has its part, or has not. Collective
    /// over the members of the node: a member without a part keeps all of them from it. Cost: a round on the node, and
    /// what [`device::map`] costs.
    fn on_device(&self, place: u8, number: usize, made: Result<Part, Lack>) -> Result<Part, Lack> {
        let here = self.team.here(&self.rt.node, self.routine);
        here.post(&[made.is_ok().into()]);
        here.barrier();
        let all = (0..here.size()).all(|member| here.read(member, 0) == 1);
        let (own, backing) = made?;
        if !all {
            return Err(None);
        }
        let on = device::map(self.rt, self.routine, self.team, own.len, number)?;
        let own = on.own;
        SPACES.insert_device(place, on);
        FAST.close();
        Ok((own, backing))
    }
}

/// Creates a space that the team shares. Collective over the team: 0 on all members, or 1 on all.
pub(crate) fn create(routine: &'static str, wanted: Wanted, team: TeamHandle, space: Out<SpaceHandle>) -> c_int {
    let rt = state::up(routine);
    space.write(routine, "space", SpaceHandle::INVALID);
    if team == TeamHandle::INVALID {
        return 1;
    }
    let (size, number, kind) = wanted.0.unwrap_or_else(|| fatal(routine, "config is null"));
    let parent = args::team(rt, routine, team);
    let Some(own) = team::duplicate(rt, routine, parent) else {
        if parent.me == 0 {
            print(format_args!("{routine}: a space needs a team, and there are too many; destroy one"));
        }
        return 1;
    };
    let team = args::team(rt, routine, own);
    let creation = Creation { rt, routine, team, group: Group::of_team(rt, routine, team) };
    match creation.run(size, number, kind) {
        Ok(handle) => {
            space.write(routine, "space", handle);
            0
        }
        Err(NotMade) => {
            team::destroy(routine, own);
            1
        }
    }
}

/// Removes what this PE has of the space at a place, and gives the place back. With devices it is collective over the
/// members of the node.
fn remove(rt: &Runtime, routine: &'static str, team: &Team, place: u8) {
    if let Some(on) = SPACES.on_device(place) {
        if let Err(why) = on.close() {
            print(format_args!("{routine}: memory of a device stays open: {why}"));
        }
        team.here(&rt.node, routine).barrier();
    }
    rt.spaces.remove(place);
    SPACES.remove(place);
}

/// Destroys a space with all its blocks. Collective over its team. 1: `SHMEMX_SPACE_INVALID` is no space.
pub(crate) fn destroy(routine: &'static str, space: SpaceHandle) -> c_int {
    if state::is_child() {
        return 0; // a forked child does not destroy the parent's space
    }
    let rt = state::up(routine);
    if space == SpaceHandle::INVALID {
        return 1;
    }
    let (place, found) = args::space(rt, routine, space);
    let team = found.team;
    // After this no member uses the memory.
    let _ = agree(Area::of_space(rt, found), routine, HeapCall::Destroy, [0; 2], true);
    remove(rt, routine, args::team(rt, routine, team), place);
    team::destroy(routine, team);
    0
}

/// Destroys the spaces that the program has left, at the last finalize.
pub(super) fn destroy_all(rt: &Runtime) {
    let left: Vec<u8> = rt.spaces.places().collect();
    if rt.env.debug && !left.is_empty() {
        print(format_args!("shmem_finalize: spaces that were not destroyed: {}", left.len()));
    }
    let routine = "shmem_finalize";
    for place in left {
        if let Some(team) = rt.spaces.of_place(place).and_then(|space| rt.teams.find(space.team)) {
            remove(rt, routine, team, place);
            team::remove(rt, routine, team.handle);
        }
    }
}

/// malloc, calloc and align in a space: as in the heap, collective over the space's team.
pub(crate) fn alloc(routine: &'static str, space: SpaceHandle, size: usize, align: usize, zero: bool) -> *mut c_void {
    let rt = state::up(routine);
    let (_, found) = args::space(rt, routine, space);
    alloc_as(Area::of_space(rt, found), routine, HeapCall::Alloc, size, align, zero)
}

/// A zeroed block of `count` times `size` bytes. A product that overflows becomes a size that no space has.
pub(crate) fn calloc(routine: &'static str, space: SpaceHandle, count: usize, size: usize) -> *mut c_void {
    let bytes = if count == 0 || size == 0 { 0 } else { count.saturating_mul(size) };
    alloc(routine, space, bytes, 16, true)
}

/// Frees a block of a space. Null is ignored, without a barrier.
pub(crate) fn free(routine: &'static str, space: SpaceHandle, ptr: *mut c_void) {
    if state::is_child() {
        return; // a forked child does not free the parent's block
    }
    let rt = state::up(routine);
    let (_, found) = args::space(rt, routine, space);
    if !ptr.is_null() {
        free_in(Area::of_space(rt, found), routine, ptr);
    }
}
