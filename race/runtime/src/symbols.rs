//! Names of places: functions, files and lines from debug information, variables from the symbol table.

use crate::site::Frame;
use addr2line::Loader;
use object::{Object, ObjectSymbol};
use std::sync::{Mutex, OnceLock};

/// The executable's place in this process: the difference to its addresses in the file, and its range.
#[derive(Clone, Copy)]
struct Program {
    base: usize,
    start: usize,
    end: usize,
}

fn program() -> Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    *PROGRAM.get_or_init(|| {
        let mut found = Program { base: 0, start: 0, end: 0 };
        // SAFETY: the callback gets the pointer passed here, and ends before this returns.
        unsafe { libc::dl_iterate_phdr(Some(first_object), (&raw mut found).cast()) };
        found
    })
}

/// The first object is the executable.
unsafe extern "C" fn first_object(info: *mut libc::dl_phdr_info, _: usize, found: *mut libc::c_void) -> i32 {
    // SAFETY: the loader passes a valid object, and program() passed a Program.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Program>()) };
    found.base = info.dlpi_addr as usize;
    found.start = usize::MAX;
    for i in 0..info.dlpi_phnum as usize {
        // SAFETY: the object has as many headers.
        let header = unsafe { &*info.dlpi_phdr.add(i) };
        if header.p_type == libc::PT_LOAD {
            let start = found.base + header.p_vaddr as usize;
            found.start = found.start.min(start);
            found.end = found.end.max(start + header.p_memsz as usize);
        }
    }
    1
}

/// The address in the executable's file, for an address of this process.
pub fn offset_in_program(addr: usize) -> Option<u64> {
    let program = program();
    (program.start..program.end).contains(&addr).then(|| (addr - program.base) as u64)
}

/// What is known of a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
}

static LOADER: Mutex<Option<Option<Loader>>> = Mutex::new(None);

/// The places of a frame: where functions are inlined there are several, the innermost first.
pub fn name(frame: Frame) -> Vec<Named> {
    let address = match frame {
        // A return address: the call is before it.
        Frame::Program(offset) => offset.saturating_sub(1),
        Frame::Elsewhere(_) => return vec![Named::default()],
    };
    let mut loader = LOADER.lock().unwrap_or_else(|e| e.into_inner());
    let loader = loader.get_or_insert_with(|| Loader::new("/proc/self/exe").ok());
    let Some(loader) = loader else { return vec![Named::default()] };
    let mut all = Vec::new();
    if let Ok(mut frames) = loader.find_frames(address) {
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref().and_then(|f| f.demangle().ok().map(|n| n.into_owned()));
            let at = frame.location.as_ref();
            all.push(Named {
                function: name,
                file: at.and_then(|l| l.file).map(str::to_string),
                line: at.and_then(|l| l.line),
            });
        }
    }
    if all.iter().all(|n| n.function.is_none()) {
        let function = loader.find_symbol(address).map(str::to_string);
        match all.last_mut() {
            Some(last) => last.function = function,
            None => all.push(Named { function, ..Named::default() }),
        }
    }
    all
}

/// The variable of the executable at an address of its file, and the offset in it.
pub fn variable(offset: u64) -> Option<(String, u64)> {
    static VARIABLES: OnceLock<Vec<(u64, u64, String)>> = OnceLock::new();
    let all = VARIABLES.get_or_init(|| {
        let Ok(file) = std::fs::File::open("/proc/self/exe") else { return Vec::new() };
        // SAFETY: the program that runs: the kernel lets nobody write to its file.
        let Ok(bytes) = (unsafe { memmap2::Mmap::map(&file) }) else { return Vec::new() };
        let Ok(file) = object::File::parse(&*bytes) else { return Vec::new() };
        let data = file.symbols().filter(|s| s.kind() == object::SymbolKind::Data && s.size() > 0);
        let mut all: Vec<_> = data.filter_map(|s| Some((s.address(), s.size(), s.name().ok()?.to_string()))).collect();
        all.sort();
        all
    });
    let at = all.partition_point(|v| v.0 <= offset).checked_sub(1)?;
    let (start, size, name) = &all[at];
    (offset < start + size).then(|| (plain(name), offset - start))
}

/// A static variable of a function is called `name.1` by gcc and `function.name` by clang. Names of C++ are coded.
fn plain(name: &str) -> String {
    // One letter is a type of C++ without this prefix: `x` is `long long`.
    if name.starts_with("_Z") || name.starts_with("_R") {
        return addr2line::demangle_auto(name.into(), None).into_owned();
    }
    match name.rsplit_once('.') {
        Some((front, number)) if number.bytes().all(|b| b.is_ascii_digit()) => plain(front),
        Some((_, own)) => own.to_string(),
        None => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static COUNTED: [u64; 4] = [1, 2, 3, 4];

    #[test]
    fn static_variables_have_their_names() {
        assert_eq!(
            (plain("count.12"), plain("main.count"), plain("count")),
            ("count".into(), "count".into(), "count".into())
        );
        assert_eq!((plain("x"), plain("i")), ("x".into(), "i".into()));
        assert_eq!((plain("_ZL3box"), plain("_ZN5space5countE")), ("box".into(), "space::count".into()));
    }

    #[test]
    fn places_of_this_program_are_named() {
        assert!(COUNTED.iter().sum::<u64>() == 10);
        let here = offset_in_program(places_of_this_program_are_named as fn() as usize).unwrap();
        let named = name(Frame::Program(here + 1));
        let function = named.last().unwrap().function.clone().unwrap();
        assert!(function.contains("places_of_this_program_are_named"), "{named:?}");
        assert!(named.last().unwrap().file.as_ref().unwrap().ends_with("symbols.rs"), "{named:?}");
        assert_eq!(offset_in_program(1), None);
    }
}
