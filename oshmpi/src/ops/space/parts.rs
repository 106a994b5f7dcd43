//! The memory of a space on one node: a file, and the parts of the team's members in it, mapped side by side.

use super::Kind;
use crate::env::Pages;
use crate::memory::addr::Span;
use crate::memory::node::Limit;
use crate::memory::places::Places;
use crate::memory::spaces::Parts;
use crate::os::pass::{self, Counter};
use crate::os::{disk, huge, map, memfd, numa, process};
use crate::state::Runtime;
use crate::team::{Backing, NodeTeam, Team};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

/// Sizes in bytes. They are equal on all members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Of a part, a multiple of the page.
    len: usize,
    /// From one part to the next: parts begin at multiples of a huge page.
    stride: usize,
}

impl Shape {
    /// The shape of parts of `size` bytes. None if those of `members` do not fit into the address space.
    pub(super) fn new(size: usize, members: usize) -> Option<Shape> {
        let (len, stride) = (map::round_up(size, map::page())?, map::round_up(size, huge::SIZE)?);
        (stride.checked_mul(members)? < map::ADDRESS_SPACE).then_some(Shape { len, stride })
    }
}

/// What this PE has of a space.
pub(super) struct Mapped {
    pub(super) own: Span,
    pub(super) parts: Parts,
    pub(super) backing: Backing,
}

/// Why this PE has no part. None: another PE of the node knows it.
pub(super) type Lack = Option<String>;

/// The words that the first member of a node posts about the file.
const MADE: usize = 0;
const PID: usize = 1;
const FD: usize = 2;
const COUNTER: usize = 3;
const IDENTITY: usize = 4;

/// Maps the parts of the members on this node. Collective over these members, none of which waits for other nodes.
pub(super) fn map(
    rt: &'static Runtime,
    routine: &'static str,
    team: &'static Team,
    shape: Shape,
    kind: &Kind,
) -> Result<Mapped, Lack> {
    let here = team.here(&rt.node, routine);
    let mut pes: Vec<u32> = (0..here.size()).map(|member| here.pe(member)).collect();
    pes.sort_unstable();
    let seats = Places::new(pes, rt.n_pes);
    // A file with a name has the parts of all members of the team, at the same places whoever shares a node. It may be
    // one file of several nodes, and a later job finds the parts again.
    let number = |seat: usize| match kind {
        Kind::File(_) => team.members.index(seats.pe(seat).0).expect("a seat is a member's") as usize,
        _ => seat,
    };
    let in_file = if matches!(kind, Kind::File(_)) { team.size() } else { here.size() };
    let made = (here.me() == 0).then(|| make(kind, shape.stride, in_file));
    let file = share(rt, &here, made)?;
    let me = seats.local(rt.pe).expect("a member of this node has a seat");
    let total = shape.stride * seats.count();
    let lack = |e: io::Error| Some(format!("cannot map {} parts of {} bytes: {e}", seats.count(), shape.len));
    let first = map::reserve(total, huge::SIZE).map_err(lack)?;
    let own = Span { base: first + me * shape.stride, len: shape.len };
    let mapped = (0..seats.count()).try_for_each(|seat| {
        let offset = (number(seat) * shape.stride) as u64;
        // SAFETY: a part of the range that was reserved above, and nobody else knows its address.
        unsafe { map::shared_over(first + seat * shape.stride, file.as_fd(), offset, shape.stride) }
    });
    if let Err(why) = mapped.map_err(lack).and_then(|()| place(kind, own.base, shape.stride)) {
        // SAFETY: reserved above, and nobody has used it.
        unsafe { map::unmap(first, total) };
        return Err(why);
    }
    match rt.env.pages {
        Pages::Small => map::advise_small(first, total),
        // Where the kernel has none, pages are small.
        _ => drop(map::advise_huge(first, total)),
    }
    // A core file of one PE must not hold the parts of all, as for the slots of the node.
    map::keep_out_of_cores(first, own.base - first);
    map::keep_out_of_cores(own.base + shape.stride, first + total - own.base - shape.stride);
    let begin = (number(me) * shape.stride) as u64;
    let backing = Backing { file, begin, limit: limit(rt, kind) };
    Ok(Mapped { own, parts: Parts { first, stride: shape.stride, seats }, backing })
}

/// Makes the file for `n` parts.
fn make(kind: &Kind, stride: usize, n: usize) -> Result<OwnedFd, String> {
    let len = (stride * n) as u64;
    match kind {
        Kind::Huge => huge::file(stride / huge::SIZE * n, huge::From::Anywhere)
            .map_err(|lack| format!("{lack}; SHMEMX_SPACE_DEFAULT has no need of them")),
        Kind::File(path) => disk::open(path, len).map_err(|e| match e.raw_os_error() {
            Some(libc::EOPNOTSUPP | libc::ENOSYS) => format!(
                "the file system of {} cannot reserve room for memory (fallocate: {e}); ext4, xfs and tmpfs can",
                path.display()
            ),
            _ => format!("cannot have a file of {len} bytes at {}: {e}", path.display()),
        }),
        Kind::Default | Kind::Numa(_) | Kind::Interleaved | Kind::Device(_) => {
            let refused = |e: io::Error| format!("no memory for {len} bytes on this node: {e}");
            let made = memfd::create().map_err(refused)?;
            memfd::resize(&made.fd, len).map_err(|e| refused(made.located(e)))?;
            memfd::seal_size(&made.fd);
            Ok(made.fd)
        }
    }
}

/// How much of the file may be missing when it is used.
fn limit(rt: &Runtime, kind: &Kind) -> Option<Limit> {
    match kind {
        Kind::Huge => Some(Limit::HugeSpace),
        Kind::File(_) => Some(Limit::Disk),
        // Where the kernel refuses a memfd, the node's memory lies in /dev/shm, too.
        Kind::Default | Kind::Numa(_) | Kind::Interleaved | Kind::Device(_) => rt.node.limit,
    }
}

/// Gives the file that the first member has made to the others. It is proved to be that file: a process id may belong
/// to another process in another PID namespace.
fn share(rt: &Runtime, here: &NodeTeam<'_>, made: Option<Result<OwnedFd, String>>) -> Result<OwnedFd, Lack> {
    let mut counter = None;
    let made = made.map(|made| {
        made.and_then(|file| match disk::identity(&file) {
            Ok(identity) => Ok((file, identity)),
            Err(e) => Err(format!("cannot look at the file of the space: {e}")),
        })
    });
    let told = made.as_ref().and_then(|made| {
        let (file, [device, number]) = made.as_ref().ok()?;
        counter = Counter::open().ok();
        let name = counter.as_ref().map_or(0, |counter| counter.name);
        Some([1, process::pid().into(), file.as_raw_fd() as u64, name, *device, *number])
    });
    here.post(&told.unwrap_or_default());
    here.barrier();
    let told: [u64; 6] = std::array::from_fn(|i| here.read(0, i));
    let open = || {
        let file = memfd::open_of(told[PID] as u32, told[FD] as i32)?;
        let is_it = disk::identity(&file)? == told[IDENTITY..];
        is_it.then_some(file).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    };
    let mine = match made {
        Some(made) => made.map(|(file, _)| file).map_err(Some),
        None if told[MADE] == 0 => Err(None),
        None => open().map_err(|e| Some(format!("cannot open the file of PE {}: {e}", here.pe(0)))),
    };
    here.post(&[mine.is_ok().into()]);
    here.barrier();
    if told[MADE] == 0 || (0..here.size()).all(|member| here.read(member, 0) == 1) {
        return mine;
    }
    // A member that may not open the descriptors of others asks for it before this barrier, so that nobody is waited
    // for behind it.
    let token = rt.node.token();
    let asked = mine.is_err().then(|| pass::ask(told[COUNTER], token));
    here.barrier();
    if let (Some(counter), Ok(file)) = (counter, &mine) {
        counter.serve(token, &[file.as_fd()]);
    }
    let Some(asked) = asked else { return mine };
    let given = asked.and_then(pass::Asked::receive).ok().and_then(|mut files| files.pop());
    given.map_or(mine, Ok)
}

/// Has the memory of this PE's part come from where its kind says. It is set before anybody writes there.
fn place(kind: &Kind, at: usize, len: usize) -> Result<(), Lack> {
    let done = match kind {
        Kind::Numa(node) => numa::prefer(at, len, *node),
        Kind::Interleaved => numa::interleave(at, len),
        Kind::Default | Kind::Huge | Kind::File(_) | Kind::Device(_) => Ok(()),
    };
    done.map_err(|e| Some(format!("the kernel refuses a NUMA policy (mbind: {e}); SHMEMX_SPACE_DEFAULT needs none")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_at_huge_pages_and_fit_into_an_address_space() {
        let shape = |size, members| Shape::new(size, members).map(|shape| (shape.len, shape.stride));
        let page = map::page();
        assert_eq!(shape(1, 3), Some((page, huge::SIZE)));
        assert_eq!(shape(huge::SIZE + 1, 3), Some((huge::SIZE + page, 2 * huge::SIZE)));
        assert_eq!((shape(usize::MAX, 1), shape(1 << 50, 1 << 10)), (None, None));
    }
}
