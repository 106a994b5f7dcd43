//! Names for addresses of processes of this machine: function, file and line, variable. They come from the symbol
//! tables and DWARF of the files that the processes have loaded. Reading these takes milliseconds to seconds, so this
//! is for reports only.

use addr2line::Loader;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The place of a call in a program.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct CallSite {
    /// The function's name, without which nothing is known but the address.
    pub(crate) function: Option<String>,
    /// Bytes from the function's begin.
    pub(crate) offset: u64,
    /// The file name without directories, and the line.
    pub(crate) line: Option<(String, u32)>,
    pub(crate) address: u64,
}

/// "at solver.c:214 in exchange", as far as it is known.
impl fmt::Display for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.line, &self.function) {
            (Some((file, line)), Some(function)) => write!(f, "at {file}:{line} in {function}"),
            (Some((file, line)), None) => write!(f, "at {file}:{line}"),
            (None, Some(function)) => write!(f, "in {function}+{:#x}", self.offset),
            (None, None) => write!(f, "at {:#x}", self.address),
        }
    }
}

/// The files that have been read, and what the processes have mapped.
#[derive(Default)]
pub(crate) struct Symbols {
    files: HashMap<PathBuf, Option<File>>,
    processes: HashMap<u32, Vec<Mapping>>,
}

struct Mapping {
    start: u64,
    end: u64,
    /// The offset in the file at which the mapping begins.
    offset: u64,
    path: PathBuf,
}

struct File {
    dwarf: Option<Loader>,
    /// In ascending order of addresses.
    symbols: Vec<Symbol>,
    /// For each load segment: offset in the file, bytes in the file, address.
    segments: Vec<(u64, u64, u64)>,
}

struct Symbol {
    at: u64,
    len: u64,
    data: bool,
    name: String,
}

impl Symbols {
    /// The place of a return address of process `pid`.
    pub(crate) fn place(&mut self, pid: u32, address: u64) -> CallSite {
        // The call is the instruction before the return address.
        let probe = address.saturating_sub(1);
        let mut place = CallSite { address, ..CallSite::default() };
        let Some((path, at)) = self.in_file(pid, probe) else { return place };
        let Some(file) = self.file(&path) else { return place };
        if let Some(symbol) = file.symbol(at, false) {
            (place.function, place.offset) = (Some(symbol.name.clone()), at - symbol.at);
        }
        // The first frame is the innermost function that the compiler has inlined there.
        if let Some(frame) = file.dwarf.as_ref().and_then(|dwarf| dwarf.find_frames(at).ok()?.next().ok()?) {
            if let Some(location) = frame.location
                && let (Some(source), Some(line)) = (location.file, location.line)
            {
                let name = Path::new(source).file_name().map_or(source.into(), |name| name.to_string_lossy());
                place.line = Some((name.into_owned(), line));
            }
            if let Some(name) = frame.function.and_then(|f| f.demangle().ok().map(|name| name.into_owned())) {
                place.function = Some(name);
            }
        }
        place
    }

    /// The name that the symbol table has for the function of a return address of process `pid`.
    pub(crate) fn function(&mut self, pid: u32, address: u64) -> Option<String> {
        let (path, at) = self.in_file(pid, address.saturating_sub(1))?;
        Some(self.file(&path)?.symbol(at, false)?.name.clone())
    }

    /// The variable of this process's executable at an address, and how far behind its begin.
    pub(crate) fn variable(&mut self, address: u64) -> Option<(String, u64)> {
        let pid = std::process::id();
        let path = std::fs::read_link("/proc/self/exe").ok()?;
        // Variables may have been moved onto other memory, which has no file. The code of the executable has not.
        let first = self.mappings(pid).iter().find(|m| m.path == path).map(|m| (m.start, m.offset))?;
        let file = self.file(&path)?;
        let bias = first.0.wrapping_sub(file.address(first.1)?);
        let at = address.wrapping_sub(bias);
        file.symbol(at, true).map(|symbol| (symbol.name.clone(), at - symbol.at))
    }

    /// The file in which an address of a process lies, and the address that the file itself gives to it.
    fn in_file(&mut self, pid: u32, address: u64) -> Option<(PathBuf, u64)> {
        let mapping = self.mappings(pid).iter().find(|m| (m.start..m.end).contains(&address))?;
        let (path, offset) = (mapping.path.clone(), address - mapping.start + mapping.offset);
        let at = self.file(&path)?.address(offset)?;
        Some((path, at))
    }

    fn mappings(&mut self, pid: u32) -> &[Mapping] {
        self.processes.entry(pid).or_insert_with(|| {
            // Paths may be any bytes.
            let maps = std::fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
            maps.split(|byte| *byte == b'\n').filter_map(mapping).collect()
        })
    }

    fn file(&mut self, path: &Path) -> Option<&File> {
        self.files.entry(path.to_owned()).or_insert_with(|| File::read(path)).as_ref()
    }
}

/// A line of /proc/PID/maps that shows a part of a file.
fn mapping(line: &[u8]) -> Option<Mapping> {
    let (range, path) = line.split_at(line.iter().position(|byte| *byte == b'/')?);
    let mut words = std::str::from_utf8(range).ok()?.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let offset = words.nth(1)?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    let path = OsStr::from_bytes(path).into();
    Some(Mapping { start: number(start)?, end: number(end)?, offset: number(offset)?, path })
}

impl File {
    fn read(path: &Path) -> Option<File> {
        let file = std::fs::File::open(path).ok()?;
        // SAFETY: the loader has mapped this file too: whoever writes to it changes the code that runs.
        let bytes = unsafe { memmap2::Mmap::map(&file) }.ok()?;
        let object = object::File::parse(&*bytes).ok()?;
        let mut symbols: Vec<Symbol> = object
            .symbols()
            .chain(object.dynamic_symbols())
            .filter(|s| s.is_definition() && matches!(s.kind(), SymbolKind::Text | SymbolKind::Data))
            .filter_map(|s| {
                let name = s.name().ok()?.to_owned();
                Some(Symbol { at: s.address(), len: s.size(), data: s.kind() == SymbolKind::Data, name })
            })
            .collect();
        symbols.sort_by(|a, b| (a.at, &a.name).cmp(&(b.at, &b.name)));
        let segments = object.segments().map(|s| (s.file_range().0, s.file_range().1, s.address())).collect();
        Some(File { dwarf: Loader::new(path).ok(), symbols, segments })
    }

    /// The address that the file gives to the byte at an offset.
    fn address(&self, offset: u64) -> Option<u64> {
        // Mappings begin at pages, and segments need not.
        let page = !(crate::os::map::page() as u64 - 1);
        let inside = |&&(start, len, _): &&(u64, u64, u64)| (start & page..start + len).contains(&offset);
        // Where a page belongs to two segments, the later one has been mapped over the earlier one.
        let &(start, _, at) = self.segments.iter().rfind(|s| inside(s))?;
        Some(at.wrapping_add(offset).wrapping_sub(start))
    }

    /// The variable or function in which an address lies.
    fn symbol(&self, at: u64, data: bool) -> Option<&Symbol> {
        let end = self.symbols.partition_point(|s| s.at <= at);
        // Symbols of one address follow each other: aliases, of which the last is the one without the profiling prefix.
        self.symbols[..end].iter().rev().take(64).filter(|s| s.data == data).find(|s| at - s.at < s.len.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_has_no_place() {
        let mut symbols = Symbols::default();
        assert_eq!(symbols.place(u32::MAX, 0x1234).function, None);
        assert_eq!(symbols.place(std::process::id(), 16), CallSite { address: 16, ..CallSite::default() });
        assert!(mapping(b"7f00-7f10 r-xp 00000000 00:00 0").is_none());
        let found = mapping(b"7f00-7f10 r-xp 0000a000 08:01 99   /a dir/lib\xe9x.so").unwrap();
        assert_eq!((found.start, found.end, found.offset), (0x7f00, 0x7f10, 0xa000));
        assert_eq!(found.path, Path::new(OsStr::from_bytes(b"/a dir/lib\xe9x.so")));
    }
}
