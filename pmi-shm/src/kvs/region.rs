//! Memory of the server that clients can only read.
//!
//! A memfd has no name, so it leaves nothing behind. The server first maps it for writing and then seals it. From then
//! on the kernel refuses every new writable mapping, every `write`, every punched hole and every truncation, to every
//! process and for every descriptor. Further seals are refused too, because a client could forbid growth. A client with
//! a writable descriptor can only make the file longer, which does the server no harm.

use super::Error;
use super::sync::Ordering;
use super::words::{Words, word_of, words_for};
use crate::fd;
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// What keeps clients from writing; the stronger guard is the larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// The memory is not shared, because nothing can be shared for reading only. Clients have to ask the server.
    Private,
    /// Clients get a descriptor for reading of a memfd whose size is sealed (Linux 3.17).
    Descriptor,
    /// The kernel refuses writing, whatever a client does (Linux 5.1 and later).
    Sealed,
}

/// Bytes of a page: 4 KiB on x86-64; on AArch64 4, 16 or 64 KiB, as the kernel was built.
fn page() -> usize {
    // SAFETY: sysconf reads a constant.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// Bytes of a large page of x86-64, and of AArch64 with small pages of 4 KiB. Elsewhere the alignment is only unneeded.
const LARGE: usize = 2 << 20;
/// Since Linux 6.1. Not every version of libc lists it.
const MADV_COLLAPSE: libc::c_int = 25;

/// Consecutive mapped words. The mapping has another owner.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    base: NonNull<u64>,
    words: usize,
    writable: bool,
}

// SAFETY: a window is an address and a length; the words there are reached by atomic accesses only.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl Window {
    /// The `words` words from `at` on, checked together instead of one by one. `None`: not all are there.
    #[inline(always)]
    fn run(&self, at: usize, words: usize) -> Option<Run<'_>> {
        let inside = at <= self.words && words <= self.words - at;
        // SAFETY: `at` words lie inside the mapping, or at its end.
        inside.then(|| Run { base: unsafe { self.base.add(at) }, words, of: std::marker::PhantomData })
    }
}

/// Words that are known to lie inside a mapping.
struct Run<'a> {
    base: NonNull<u64>,
    words: usize,
    of: std::marker::PhantomData<&'a Window>,
}

impl Run<'_> {
    #[inline(always)]
    fn get(&self, i: usize, order: Ordering) -> u64 {
        debug_assert!(i < self.words);
        // SAFETY: callers below ask for no word beyond the run, which lies inside the mapping; aligned as in
        // Window::get.
        unsafe { AtomicU64::from_ptr(self.base.as_ptr().add(i)) }.load(order)
    }
}

impl Words for Window {
    #[inline(always)]
    fn len(&self) -> usize {
        self.words
    }

    #[inline(always)]
    fn get(&self, at: usize, order: Ordering) -> Option<u64> {
        // SAFETY: the word lies inside the mapping, which is aligned to pages and outlives its windows; writers of
        // other processes store whole words as well.
        (at < self.words).then(|| unsafe { AtomicU64::from_ptr(self.base.as_ptr().add(at)) }.load(order))
    }

    #[inline(always)]
    fn some<const N: usize>(&self, at: usize, order: Ordering) -> Option<[u64; N]> {
        let run = self.run(at, N)?;
        Some(std::array::from_fn(|i| run.get(i, order)))
    }

    #[inline(always)]
    fn equals(&self, at: usize, bytes: &[u8]) -> bool {
        let Some(run) = self.run(at, words_for(bytes.len())) else { return false };
        let (whole, rest) = bytes.as_chunks::<8>();
        // Without a branch for each word, so that the processor can look ahead; Relaxed: see the trait.
        let mut other = 0;
        for (i, word) in whole.iter().enumerate() {
            other |= run.get(i, Ordering::Relaxed) ^ u64::from_ne_bytes(*word);
        }
        if !rest.is_empty() {
            other |= run.get(whole.len(), Ordering::Relaxed) ^ word_of(bytes, whole.len());
        }
        other == 0
    }

    #[inline(always)]
    fn read(&self, at: usize, out: &mut [u8]) -> bool {
        let Some(run) = self.run(at, words_for(out.len())) else { return false };
        let (whole, rest) = out.as_chunks_mut::<8>();
        // Relaxed: see the trait.
        for (i, word) in whole.iter_mut().enumerate() {
            *word = run.get(i, Ordering::Relaxed).to_ne_bytes();
        }
        if !rest.is_empty() {
            let last = run.get(whole.len(), Ordering::Relaxed).to_ne_bytes();
            rest.iter_mut().zip(last).for_each(|(to, from)| *to = from);
        }
        true
    }

    #[inline(always)]
    fn expect(&self, at: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: every x86-64 processor has the instruction, which ignores an address that is not mapped.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.base.as_ptr().wrapping_add(at) as *const i8) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = at;
    }

    #[inline(always)]
    fn set(&self, at: usize, word: u64, order: Ordering) -> bool {
        let inside = at < self.words && self.writable;
        if inside {
            // SAFETY: as in `get`, and the mapping is writable.
            unsafe { AtomicU64::from_ptr(self.base.as_ptr().add(at)) }.store(word, order);
        }
        inside
    }
}

/// A mapping, which is undone when dropped.
pub(crate) struct Mapping {
    base: NonNull<u64>,
    bytes: usize,
    writable: bool,
}

// SAFETY: see Window; the mapping itself is undone once, by its owner.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// A mapping of a file, or of private memory.
    fn new(fd: Option<BorrowedFd<'_>>, bytes: usize, writable: bool) -> io::Result<Mapping> {
        let access = if writable { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
        let reserved = Reservation::new(bytes)?;
        let (kind, fd) = match fd {
            Some(fd) => (libc::MAP_SHARED, fd.as_raw_fd()),
            None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1),
        };
        // SAFETY: a new mapping at an address that the kernel chooses, or over the addresses just reserved.
        let base = unsafe { libc::mmap(reserved.at, bytes, access, kind | reserved.fixed(), fd, 0) };
        match NonNull::new(base.cast::<u64>()) {
            Some(start) if base != libc::MAP_FAILED => {
                reserved.take();
                Ok(Mapping { base: start, bytes, writable })
            }
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Makes the mapping `bytes` bytes long. It may move.
    fn grow(&mut self, bytes: usize) -> io::Result<()> {
        let reserved = Reservation::new(bytes)?;
        let how = libc::MREMAP_MAYMOVE | if reserved.fixed() == 0 { 0 } else { libc::MREMAP_FIXED };
        // SAFETY: nobody else uses the mapping (`&mut`) or the reserved addresses.
        let base = unsafe { libc::mremap(self.base.as_ptr().cast(), self.bytes, bytes, how, reserved.at) };
        match NonNull::new(base.cast::<u64>()) {
            Some(start) if base != libc::MAP_FAILED => {
                reserved.take();
                (self.base, self.bytes) = (start, bytes);
                Ok(())
            }
            _ => Err(io::Error::last_os_error()),
        }
    }

    pub(crate) fn window(&self) -> Window {
        Window { base: self.base, words: self.bytes / 8, writable: self.writable }
    }

    fn advise(&self, words: usize, advice: libc::c_int) -> io::Result<()> {
        let bytes = (words * 8).next_multiple_of(page()).min(self.bytes);
        // SAFETY: the range is part of this mapping; no advice used here discards anything.
        let rc = unsafe { libc::madvise(self.base.as_ptr().cast(), bytes, advice) };
        if rc == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Reads the pages of the first `words` words once, so that later reads do not fault. `words` is what is in use: a
    /// page that nobody has written would begin to take memory.
    pub(crate) fn touch(&self, words: usize) {
        let words = words.min(self.bytes / 8);
        if words > 0 && self.advise(words, libc::MADV_POPULATE_READ).is_err() {
            // Before Linux 5.14.
            for at in (0..words).step_by(page() / 8) {
                std::hint::black_box(self.window().get(at, Ordering::Relaxed));
            }
        }
    }
}

/// Reserved addresses for a mapping. A mapping of a large page or more is aligned to large pages, so that these can be
/// used; for a smaller one the kernel chooses the address, and nothing is reserved.
struct Reservation {
    at: *mut libc::c_void,
    bytes: usize,
}

impl Reservation {
    fn new(bytes: usize) -> io::Result<Reservation> {
        if bytes < LARGE {
            return Ok(Reservation { at: std::ptr::null_mut(), bytes: 0 });
        }
        let bytes = bytes.next_multiple_of(page());
        let wide = bytes + LARGE;
        let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address that the kernel chooses; both its ends, which nobody uses, are unmapped.
        unsafe {
            let base = libc::mmap(std::ptr::null_mut(), wide, libc::PROT_NONE, how, -1, 0);
            if base == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let before = (base as usize).next_multiple_of(LARGE) - base as usize;
            let at = base.byte_add(before);
            for (at, bytes) in [(base, before), (at.byte_add(bytes), LARGE - before)] {
                if bytes > 0 {
                    libc::munmap(at, bytes);
                }
            }
            Ok(Reservation { at, bytes })
        }
    }

    /// The flag that makes mmap use these addresses.
    fn fixed(&self) -> libc::c_int {
        if self.bytes == 0 { 0 } else { libc::MAP_FIXED }
    }

    /// Something is mapped there now.
    fn take(mut self) {
        self.bytes = 0;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: reserved in `new`, and nothing else has been mapped there.
            unsafe { libc::munmap(self.at, self.bytes) };
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is owned, and nobody has a window any more: users of windows borrow the owner.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

/// A region of the server: writable, and it can grow.
pub(crate) struct Region {
    map: Mapping,
    /// The file, and a descriptor of it for reading. `None`: the memory is private.
    files: Option<(OwnedFd, OwnedFd)>,
    guard: Guard,
    /// Bytes at the beginning for which large pages have been requested.
    large: usize,
}

impl Region {
    /// A region of at least `words` words, all zero.
    pub(crate) fn create(words: usize, strongest: Guard) -> Result<Region, Error> {
        let bytes = whole_pages(words)?;
        let mut first = None;
        for guard in [Guard::Sealed, Guard::Descriptor, Guard::Private] {
            // Tests ask for a weaker guard than the kernel offers.
            if guard > strongest {
                continue;
            }
            match Region::guarded(bytes, guard) {
                Ok(region) => return Ok(region),
                Err(e) => first = first.or(Some(e)),
            }
        }
        Err(first.expect("at least one guard was tried"))
    }

    fn guarded(bytes: usize, guard: Guard) -> Result<Region, Error> {
        let mapped = |file| Mapping::new(file, bytes, true).map_err(|e| Error::os("cannot map the store", e));
        if guard == Guard::Private {
            return Ok(Region { map: mapped(None)?, files: None, guard, large: 0 });
        }
        let file = memfd().map_err(|e| Error::os("cannot make a memfd", e))?;
        resize(&file, bytes)?;
        let map = mapped(Some(file.as_fd()))?;
        // A child between fork and exec needs no writable copy. Where the kernel does not know the advice, exec removes
        // the mapping.
        let _ = map.advise(bytes / 8, libc::MADV_DONTFORK);
        let reader = reader(&file);
        let size = libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL;
        let readers = if guard == Guard::Sealed {
            seal(&file, libc::F_SEAL_FUTURE_WRITE | size).map_err(|e| Error::os("cannot seal the store", e))?;
            // Without /proc clients get the writable descriptor: the seals forbid writing all the same.
            reader.or_else(|_| file.try_clone())
        } else {
            seal(&file, size).map_err(|e| Error::os("cannot seal the size of the store", e))?;
            close_to_others(&file).and(reader)
        };
        let readers = readers.map_err(|e| Error::os("cannot open the store for reading through /proc", e))?;
        Ok(Region { map, files: Some((file, readers)), guard, large: 0 })
    }

    /// Makes room for at least `words` words. Nothing that readers have mapped moves.
    pub(crate) fn grow(&mut self, words: usize) -> Result<(), Error> {
        let bytes = whole_pages(words)?;
        if bytes <= self.map.bytes {
            return Ok(());
        }
        if let Some((file, _)) = &self.files {
            resize(file, bytes)?;
        }
        self.map.grow(bytes).map_err(|e| Error::os("cannot map more of the store", e))
    }

    /// Asks the kernel to replace the small pages of the first `words` words by large ones, once for each large page:
    /// many Gets spend most of their time on address translation. Only large pages that are in use as a whole are asked
    /// for, so this takes no memory. Nothing happens where the system has no large pages.
    pub(crate) fn use_large_pages(&mut self, words: usize) {
        let whole = words.saturating_mul(8).min(self.map.bytes) / LARGE * LARGE;
        if whole > self.large {
            // SAFETY: the range is part of this mapping, and keeps its contents.
            unsafe {
                libc::madvise(self.map.base.as_ptr().byte_add(self.large).cast(), whole - self.large, MADV_COLLAPSE)
            };
            self.large = whole;
        }
    }

    pub(crate) fn window(&self) -> Window {
        self.map.window()
    }

    /// Words of the region, used or not.
    pub(crate) fn words(&self) -> usize {
        self.map.bytes / 8
    }

    /// The descriptor for clients, if there is one. It is closed on exec: who starts a client passes a copy on.
    pub(crate) fn readers(&self) -> Option<BorrowedFd<'_>> {
        self.files.as_ref().map(|(_, readers)| readers.as_fd())
    }

    pub(crate) fn guard(&self) -> Guard {
        self.guard
    }
}

fn whole_pages(words: usize) -> Result<usize, Error> {
    let bytes = words.checked_mul(8).and_then(|b| b.checked_next_multiple_of(page()));
    bytes.filter(|b| *b > 0 && i64::try_from(*b).is_ok()).ok_or(Error::Full)
}

fn memfd() -> io::Result<OwnedFd> {
    // Linux 6.3; not every version of libc lists it. Some systems refuse a memfd that could be executed.
    const MFD_NOEXEC_SEAL: libc::c_uint = 8;
    let plain = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
    let memfd = |flags| memfd_create(c"pmi-shm", flags);
    Ok(memfd(plain | MFdFlags::from_bits_retain(MFD_NOEXEC_SEAL)).or_else(|_| memfd(plain))?)
}

/// A descriptor of `file` for reading only.
fn reader(file: &OwnedFd) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(File::options().read(true).custom_flags(libc::O_CLOEXEC).open(path)?.into())
}

/// Lets nobody but the superuser open the file for writing again.
fn close_to_others(file: &OwnedFd) -> io::Result<()> {
    File::from(file.try_clone()?).set_permissions(Permissions::from_mode(0o400))
}

fn seal(file: &OwnedFd, seals: libc::c_int) -> io::Result<()> {
    fcntl(file, FcntlArg::F_ADD_SEALS(SealFlag::from_bits_retain(seals)))?;
    Ok(())
}

/// Makes the file `bytes` long.
fn resize(file: &OwnedFd, bytes: usize) -> Result<(), Error> {
    let failed = |e| Error::os("cannot make the store larger", e);
    let file = File::from(file.try_clone().map_err(failed)?);
    // A client may have made it longer already. To make it shorter is forbidden, and not needed.
    if file.metadata().map_err(failed)?.len() >= bytes as u64 {
        return Ok(());
    }
    fd::check_size(bytes as u64)
        .map_err(|e| Error::os("the limit for file sizes (ulimit -f) is too low for the store", e))?;
    file.set_len(bytes as u64).map_err(failed)
}

/// Maps at most `most` words of a file for reading. `None`: the file is not larger than `than` words.
pub(crate) fn map_readable(file: BorrowedFd<'_>, than: usize, most: usize) -> Result<Option<Mapping>, Error> {
    let failed = |e| Error::os("cannot map the store", e);
    let about = File::from(file.try_clone_to_owned().map_err(failed)?).metadata().map_err(failed)?;
    let words = usize::try_from(about.len() / 8).unwrap_or(usize::MAX).min(most);
    if words <= than {
        return Ok(None);
    }
    Mapping::new(Some(file), words * 8, false).map(Some).map_err(failed)
}

/// Refuses a file that another user could make shorter while it is mapped, which would end this process by a signal.
/// The size must be sealed, or the file must belong to this user or to the superuser.
pub(crate) fn check_shrink(file: BorrowedFd<'_>) -> Result<(), Error> {
    let sealed = |seals: libc::c_int| seals & libc::F_SEAL_SHRINK != 0;
    if fcntl(file, FcntlArg::F_GET_SEALS).is_ok_and(sealed) {
        return Ok(());
    }
    let failed = |e| Error::os("cannot look at the store", e);
    let about = File::from(file.try_clone_to_owned().map_err(failed)?).metadata().map_err(failed)?;
    if about.is_file() && [0, nix::unistd::geteuid().as_raw()].contains(&about.uid()) {
        return Ok(());
    }
    Err(Error::Foreign(format!("its size is not sealed and it belongs to user {}", about.uid())))
}

/// 64 bits that nobody can guess.
pub(crate) fn random() -> Result<u64, Error> {
    getrandom::u64().map_err(|e| Error::os("cannot get random numbers", io::Error::other(e)))
}
