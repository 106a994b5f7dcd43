//! The executable's memory: where its global and static variables lie.

use core::ffi::{CStr, c_int, c_void};
use std::ffi::OsStr;
use std::hash::{Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Parts of the segment with data from the file that are recorded separately. If there are more, the last record covers
/// the rest and what lies between. A usual executable has one part, with `-mcmodel=medium` two.
const PARTS: usize = 4;

/// The writable load segment of the executable, without the part at its begin that the loader makes read-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct DataSegment {
    /// The first address, a page boundary.
    pub(crate) start: usize,
    /// The end of the variables; not aligned.
    pub(crate) end: usize,
    /// Start and end of each part that comes from the file (initialised data), in ascending order. The rest is zero
    /// until it is written. With `-mcmodel=medium`, large initialised arrays lie behind large zeroed ones. Unused
    /// records are 0.
    pub(crate) from_file: [(usize, usize); PARTS],
    /// Some of the segment may be run as code. Such a segment is not moved.
    pub(crate) executable: bool,
    /// A number that differs between executables: a hash of the notes (the build id is one) and of the load segments.
    pub(crate) identity: u64,
}

/// The executable or a library, as the loader knows it.
struct Loaded<'a> {
    base: usize,
    headers: &'a [libc::Elf64_Phdr],
    name: &'a CStr,
    /// How many libraries have been loaded so far.
    adds: u64,
}

/// Calls `visit` for every loaded object, the executable first, until it returns true.
fn until<F: FnMut(Loaded<'_>) -> bool>(mut visit: F) {
    unsafe extern "C" fn call<F: FnMut(Loaded<'_>) -> bool>(
        info: *mut libc::dl_phdr_info,
        _: usize,
        visit: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader passes a valid record, whose header table has dlpi_phnum entries and whose name is a C
        // string, and the pointer that `until` gave it. Nobody else uses the closure during the call.
        let (visit, object) = unsafe {
            let info = &*info;
            let headers = std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
            let (base, name) = (info.dlpi_addr as usize, CStr::from_ptr(info.dlpi_name));
            (&mut *visit.cast::<F>(), Loaded { base, headers, name, adds: info.dlpi_adds })
        };
        visit(object).into()
    }
    // SAFETY: `call` takes the closure, which is what it is given, and which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(call::<F>), (&raw mut visit).cast()) };
}

/// The data segment, from the program headers of the main program. None when it has no writable data.
pub(crate) fn data_segment(page: usize) -> Option<DataSegment> {
    let mut found = None;
    until(|object| {
        found = object.data_segment();
        true
    });
    let mut seg = found?;
    seg.start = seg.start / page * page;
    (seg.start < seg.end).then_some(seg)
}

/// How many libraries have been loaded so far, those that were unloaded since included.
pub(crate) fn loaded() -> u64 {
    let mut loaded = 0;
    until(|object| {
        loaded = object.adds;
        true
    });
    loaded
}

/// The files of the loaded libraries whose file names begin with `name`.
pub(crate) fn loaded_files(name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    until(|object| {
        let path = Path::new(OsStr::from_bytes(object.name.to_bytes()));
        let is_one = path.file_name().is_some_and(|file| file.as_bytes().starts_with(name.as_bytes()));
        found.extend(is_one.then(|| path.to_owned()));
        false
    });
    found
}

impl Loaded<'_> {
    fn data_segment(&self) -> Option<DataSegment> {
        let mut hash = std::hash::DefaultHasher::new();
        let (mut found, mut relro_end) = (None, 0);
        for h in self.headers {
            let (at, len) = (self.base + h.p_vaddr as usize, h.p_memsz as usize);
            match h.p_type {
                libc::PT_GNU_RELRO => relro_end = at + len,
                // The build id is one of the notes. All of them are hashed, so that none has to be parsed.
                // SAFETY: the loader has mapped the `len` bytes that the header describes, and notes are never written.
                libc::PT_NOTE => unsafe { std::slice::from_raw_parts(at as *const u8, len) }.hash(&mut hash),
                libc::PT_LOAD => {
                    (h.p_vaddr, h.p_filesz, h.p_memsz, h.p_flags).hash(&mut hash);
                    if h.p_flags & libc::PF_W != 0 {
                        let seg = found.get_or_insert(DataSegment { start: at, ..Default::default() });
                        seg.start = seg.start.min(at);
                        seg.end = seg.end.max(at + len);
                        add_part(&mut seg.from_file, at, at + h.p_filesz as usize);
                        seg.executable |= h.p_flags & libc::PF_X != 0;
                    }
                }
                _ => {}
            }
        }
        let mut seg = found?;
        seg.identity = hash.finish();
        if (seg.start..=seg.end).contains(&relro_end) {
            seg.start = relro_end;
        }
        Some(seg)
    }
}

fn add_part(parts: &mut [(usize, usize); PARTS], start: usize, end: usize) {
    match parts.iter_mut().find(|p| **p == (0, 0)) {
        Some(free) => *free = (start, end),
        None => parts[PARTS - 1].1 = end,
    }
}

/// What was loaded into this process: the executable, or a shared library with this file name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Object {
    Executable,
    Library(String),
}

/// The object in whose segments an address lies, if any.
pub(crate) fn object_at(addr: usize) -> Option<Object> {
    let (mut found, mut is_first) = (None, true);
    until(|Loaded { base, headers, name, .. }| {
        let is_here = headers.iter().filter(|h| h.p_type == libc::PT_LOAD).any(|h| {
            let at = base + h.p_vaddr as usize;
            (at..at + h.p_memsz as usize).contains(&addr)
        });
        found = is_here.then(|| match is_first {
            true => Object::Executable,
            false => Object::Library(name.to_string_lossy().into_owned()),
        });
        is_first = false;
        is_here
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loaded_library_is_found_by_the_beginning_of_its_name() {
        let found = loaded_files("libc.so");
        assert!(found.len() == 1 && found[0].is_file(), "{found:?}");
        assert!(loaded_files("libnowhere.so").is_empty());
    }

    #[test]
    fn a_library_that_is_loaded_later_is_counted() {
        let before = loaded();
        // SAFETY: the C library's resolver, whose initialisers are trusted.
        assert!(!unsafe { libc::dlopen(c"libresolv.so.2".as_ptr(), libc::RTLD_LAZY) }.is_null());
        assert!(loaded() > before && before > 0);
    }

    #[test]
    fn parts_beyond_the_last_join_it() {
        let mut parts = [(0, 0); PARTS];
        (1..=6).for_each(|i| add_part(&mut parts, i * 10, i * 10 + 1));
        assert_eq!(parts, [(10, 11), (20, 21), (30, 31), (40, 61)]);
    }
}
