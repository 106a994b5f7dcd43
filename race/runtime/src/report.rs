//! Races as text on the error stream and as JSON in a file; suppressions; the exit code.

use crate::collective::block_of;
use crate::memory::{self, Place};
use crate::node::{self, Node, REPORTS, node};
use crate::options::{fail_alike, log, options};
use crate::site::{self, Frame, Site, mix};
use crate::symbols::{self, Named};
use crate::thread::{self, Inside};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};
use oshmpi_race::cell::{Cell, Kind};
use oshmpi_race::clock::View;
use oshmpi_race::table::RoleKind;
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

unsafe extern "C" {
    /// Names of the routines by their numbers: a generated file.
    static oshmpi_race_routines: [*const c_char; 0];
    static stdout: *mut libc::FILE;
    fn ftrylockfile(stream: *mut libc::FILE) -> c_int;
    fn funlockfile(stream: *mut libc::FILE);
    fn on_exit(f: extern "C" fn(c_int, *mut c_void), arg: *mut c_void) -> c_int;
    fn pthread_atfork(
        before: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// Two accesses without order.
pub struct Race<'a> {
    pub place: Place,
    pub new: Cell,
    pub new_site: u32,
    pub earlier: Cell,
    pub earlier_site: Option<u32>,
    /// What the new access knows to be over.
    pub view: View<'a>,
}

/// Begins to note accesses.
pub fn start() {
    let node = node::start();
    options();
    suppressions();
    crate::collective::start();
    thread::start(node);
    thread::start_with_others();
    memory::start();
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let m = &node.memory;
        if m.count < m.n_pes && !node.far && m.pe == 0 {
            eprintln!(
                "oshmpi-race: of the {} PEs, those of one node see each other's accesses, and PE 0's node has {}; \
                 accesses between nodes are not seen, because {}",
                m.n_pes,
                m.count,
                match m.n_pes > node::MOST_PES {
                    true => "the job has too many PEs",
                    false => "OSHMPI_TRANSPORT has them not all go by messages",
                }
            );
        }
    });
    crate::far::start(node);
}

/// Registers the exit handler when the program is loaded, so that it is called last.
#[used]
// SAFETY: the loader calls each function of this section once, with the program's arguments, which a C function may
// ignore.
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = {
    extern "C" fn register() {
        // SAFETY: the function stays loaded: it is in the program or a library that is linked.
        unsafe {
            on_exit(at_exit, core::ptr::null_mut());
            pthread_atfork(None, None, Some(forked));
        }
        crate::far::ask();
    }
    register
};

/// This process is the child of a PE.
static FORKED: AtomicBool = AtomicBool::new(false);

/// A child of a PE is no PE: nothing is noted there, and its exit code is its own. Another thread of the PE may have
/// held a lock, which stays taken in the child.
extern "C" fn forked() {
    if node().is_some() {
        FORKED.store(true, Ordering::Relaxed);
        thread::stay_inside();
    }
}

/// Ends a program that had races with the code that says so.
extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    let with_races = race_status(status);
    if with_races != status {
        flush();
        // SAFETY: the streams are written, and nothing else is to be done: handlers of the program have run.
        unsafe { libc::_exit(with_races) }
    }
}

/// Writes out the streams of the C library. One that another thread holds, as who waits for input does, is not waited
/// for without end.
fn flush() {
    const LONGEST: Duration = Duration::from_secs(5);
    let _inside = Inside::begin();
    // Standard output first: the walk over all streams ends at one that is held, and begins with those opened last.
    // SAFETY: `stdout` is a stream for the life of the process. It is unlocked only after it was locked here.
    unsafe {
        if ftrylockfile(stdout) == 0 {
            libc::fflush(stdout);
            funlockfile(stdout);
        }
    }
    // SAFETY: a null stream stands for all streams.
    let all = || unsafe { libc::fflush(core::ptr::null_mut()) };
    let (done, wait) = std::sync::mpsc::channel();
    let flush = move || {
        all();
        // The send fails if the wait below is over.
        let _ = done.send(());
    };
    if std::thread::Builder::new().spawn(flush).is_ok() {
        let _ = wait.recv_timeout(LONGEST);
    } else {
        all();
    }
}

/// The status with which a program ends that would end with `status`.
#[unsafe(no_mangle)]
extern "C" fn race_status(status: c_int) -> c_int {
    let pe = node().filter(|_| !FORKED.load(Ordering::Relaxed));
    let races = pe.map_or(0, |node| node.report_word(0).load(Ordering::Relaxed));
    if status == 0 && races > 0 { options().exitcode } else { status }
}

/// A race was found. It is reported unless the pair was before, or it is suppressed.
#[cold]
pub fn race(race: &Race<'_>) {
    let Some(node) = node() else { return };
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(|e| e.into_inner());
    let (new, earlier) = (site::read(node, race.new_site), race.earlier_site.and_then(|s| site::read(node, s)));
    if !is_first(node, &new, &earlier) {
        return;
    }
    let report = Report::new(node, race, new, earlier);
    if suppressions().iter().any(|pattern| report.matches(pattern)) {
        return;
    }
    let n = node.report_word(0).fetch_add(1, Ordering::Relaxed) + 1;
    if n > options().reports {
        return;
    }
    let text = report.text();
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
    if n == options().reports {
        eprintln!("oshmpi-race: no more reports ({n}; OSHMPI_RACE=reports=N changes that)");
    }
    if let Some(file) = log() {
        let line = format!("{}\n", report.json());
        let opened = std::fs::File::options().append(true).create(true).open(&file);
        if let Err(e) = opened.and_then(|mut f| f.write_all(line.as_bytes())) {
            eprintln!("oshmpi-race: cannot write {}, which OSHMPI_RACE_LOG names: {e}", file.to_string_lossy());
        }
    }
    if options().halt {
        flush();
        // SAFETY: ends the process, and its launcher the job.
        unsafe { libc::_exit(options().exitcode.max(1)) }
    }
}

/// Whether no PE of the node has reported this pair of places.
fn is_first(node: &Node, new: &Option<Site>, earlier: &Option<Site>) -> bool {
    let hash = |site: &Option<Site>| match site {
        Some(s) => match s.frames.first() {
            Some(Frame::Program(at) | Frame::Elsewhere(at)) => mix(u64::from(s.routine), *at),
            None => u64::from(s.routine),
        },
        None => 0,
    };
    let (a, b) = (hash(new), hash(earlier));
    let key = mix(a.min(b), a.max(b)) | 1;
    for i in 0..REPORTS - 1 {
        let at = node.report_word(1 + (key as usize).wrapping_add(i) % (REPORTS - 1));
        match at.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return true,
            Err(found) if found == key => return false,
            Err(_) => {}
        }
    }
    false
}

struct Report {
    variable: String,
    bytes: u32,
    of: String,
    accesses: [Accessed; 2],
    missing: String,
    allocated: Vec<Named>,
}

struct Accessed {
    pe: Option<u32>,
    does: String,
    stack: Vec<Named>,
}

impl Accessed {
    fn new(node: &Node, cell: Cell, site: Option<Site>) -> Accessed {
        let role = node.table.role(cell.by().actor);
        let kind = cell.kind();
        let verb = if kind.writes() { "writes" } else { "reads" };
        let does = match site.as_ref().map(|s| s.routine) {
            None => format!("an access that is not known any more {verb}"),
            Some(0) if kind.is_atomic() => format!("an atomic operation {verb}"),
            Some(0) if kind == Kind::READ => "load".into(),
            Some(0) => "store".into(),
            Some(n) => format!("{} {verb}", routine(n)),
        };
        let pending = match role.map(|r| r.kind) {
            Some(RoleKind::Puts | RoleKind::Gets | RoleKind::Tells | RoleKind::Request) => ", not complete",
            _ => "",
        };
        let depth = options().stack.max(1);
        let mut frames = site.map_or(Vec::new(), |s| s.frames);
        // What calls main.
        while frames.len() > 1 && matches!(frames.last(), Some(Frame::Elsewhere(_))) {
            frames.pop();
        }
        Accessed {
            pe: role.map(|r| r.pe),
            does: format!("{does}{pending}"),
            stack: frames.into_iter().take(depth).flat_map(symbols::name).collect(),
        }
    }

    fn pe(&self) -> String {
        self.pe.map_or_else(|| "a PE".into(), |pe| format!("PE {pe}"))
    }
}

fn routine(n: u32) -> String {
    // SAFETY: numbers come from the table itself, which holds C strings.
    let name = unsafe { CStr::from_ptr(*(&raw const oshmpi_race_routines).cast::<*const c_char>().add(n as usize)) };
    name.to_string_lossy().into_owned()
}

impl Named {
    fn text(&self) -> String {
        let function = self.function.as_deref().unwrap_or("(outside the program)");
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{function} {file}:{line}"),
            (Some(file), None) => format!("{function} {file}"),
            _ => function.to_string(),
        }
    }

    fn json(&self) -> serde_json::Value {
        json!({ "function": self.function, "file": self.file, "line": self.line })
    }
}

impl Report {
    fn new(node: &Node, race: &Race<'_>, new: Option<Site>, earlier: Option<Site>) -> Report {
        let both = race.new.bytes() & race.earlier.bytes();
        let low = both.trailing_zeros() as usize;
        let (variable, of, allocated) = name_of(node, race.place, low);
        let second = Accessed::new(node, race.new, new);
        let first = Accessed::new(node, race.earlier, earlier);
        let missing = missing(node, race, &first, &second);
        Report { variable, bytes: both.count_ones(), of, accesses: [first, second], missing, allocated }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "oshmpi-race: data race on {}, {} bytes {}", self.variable, self.bytes, self.of);
        for access in &self.accesses {
            let _ = writeln!(text, "  {}: {}", access.pe(), access.does);
            for (i, named) in access.stack.iter().enumerate() {
                let _ = writeln!(text, "      #{i} {}", named.text());
            }
        }
        if let Some(at) = self.allocated.first() {
            let _ = writeln!(text, "  allocated at {}", at.text());
        }
        let _ = writeln!(text, "  missing: {}", self.missing);
        text
    }

    fn json(&self) -> serde_json::Value {
        let access = |a: &Accessed| {
            let stack: Vec<_> = a.stack.iter().map(Named::json).collect();
            json!({ "pe": a.pe, "access": a.does, "stack": stack })
        };
        json!({
            "variable": self.variable,
            "bytes": self.bytes,
            "of": self.of,
            "accesses": self.accesses.iter().map(access).collect::<Vec<_>>(),
            "allocated": self.allocated.iter().map(Named::json).collect::<Vec<_>>(),
            "missing": self.missing,
        })
    }

    /// Whether a suppression names the variable, a function, a file or a routine.
    fn matches(&self, pattern: &str) -> bool {
        let names = self.accesses.iter().flat_map(|a| {
            let stack = a.stack.iter().flat_map(|n| n.function.iter().chain(&n.file).map(String::as_str));
            stack.chain(a.does.split(' ').next())
        });
        names.chain([self.variable.split('+').next().unwrap_or("")]).any(|name| glob(pattern, name))
    }
}

/// The variable at a place, whose memory it is, and where it was allocated.
fn name_of(node: &Node, place: Place, low: usize) -> (String, String, Vec<Named>) {
    let m = &node.memory;
    let (slot, addr) = match place {
        Place::Private(addr) => (m.index as usize, addr + low),
        Place::Symmetric(from_slots) => {
            let (slot, off) = (from_slots / m.stride, from_slots % m.stride + low);
            let in_data = off.checked_sub(m.data_in_slot).filter(|off| *off < m.data_len && m.data_len > 0);
            (slot, in_data.map_or(m.heap + off, |off| m.data + off))
        }
    };
    let of = format!("of PE {}", node.pe_in(slot));
    let plus = |name: String, offset: u64| if offset == 0 { name } else { format!("{name}+{offset}") };
    if let Some((name, offset)) = symbols::offset_in_program(addr).and_then(symbols::variable) {
        return (plus(name, offset), of, Vec::new());
    }
    if let Some((start, bytes, site)) = block_of(addr) {
        let stack = site.map_or(Vec::new(), |s| s.frames.into_iter().take(1).flat_map(symbols::name).collect());
        return (plus(format!("a block of {bytes} bytes"), (addr - start) as u64), of, stack);
    }
    match place {
        Place::Private(_) => (format!("private memory {addr:#x}"), of, Vec::new()),
        Place::Symmetric(_) => (format!("symmetric memory {addr:#x}"), of, Vec::new()),
    }
}

/// What would have ordered the two.
fn missing(node: &Node, race: &Race<'_>, first: &Accessed, second: &Accessed) -> String {
    let earlier = race.earlier.by();
    let role = node.table.role(earlier.actor);
    let pending = role.is_some_and(|r| r.kind != RoleKind::Thread);
    let (one, two) = (first.pe(), second.pe());
    if race.earlier.kind().is_atomic() && race.new.kind().is_atomic() {
        return "both are atomic, but not with respect to each other: they differ in type or in atomicity domain"
            .into();
    }
    if role.is_some_and(|r| r.kind == RoleKind::Request) {
        return format!("a shmemx_req_wait of {one} between the two, or a test that says that the request is complete");
    }
    // What a started collect writes is noted when it is complete.
    let new = race.new.by();
    let is_request = node.table.role(new.actor).is_some_and(|r| r.kind == RoleKind::Request);
    let start = node.table.issued_by(new).filter(|start| is_request && start.actor == earlier.actor);
    if start.is_some_and(|start| start.epoch < earlier.epoch) {
        return format!(
            "a shmemx_req_wait of {two} before the first, or a test that says that the request is complete"
        );
    }
    if pending && first.pe == second.pe {
        let gets = role.is_some_and(|r| r.kind == RoleKind::Gets);
        // A fence orders operations, and not what a thread does itself.
        let both_operations = node.table.role(race.new.by().actor).is_some_and(|r| r.kind != RoleKind::Thread);
        let how = match (gets, both_operations) {
            (true, _) => "quiet (fence does not order gets)",
            (false, true) => "quiet, or fence between operations to this PE",
            (false, false) => "quiet",
        };
        return format!("a {how} of {one} on its context between the two");
    }
    if pending {
        let met = node.table.issued_by(earlier).is_some_and(|issuer| race.view.is_over(issuer));
        return match met {
            true => format!("a quiet of {one} on its context before the synchronisation with {two}"),
            false => format!("a quiet of {one}, and then a synchronisation with {two} (barrier, wait, lock)"),
        };
    }
    if first.pe == second.pe {
        return format!("a synchronisation between two threads or operations of {one}");
    }
    format!("a synchronisation of {one} with {two} between the two accesses (barrier, wait, lock)")
}

/// The patterns of the file of suppressions: one `race:PATTERN` a line.
fn suppressions() -> &'static [String] {
    static ALL: OnceLock<Vec<String>> = OnceLock::new();
    ALL.get_or_init(|| {
        let Some(file) = &options().suppressions else { return Vec::new() };
        let text = std::fs::read_to_string(file)
            .unwrap_or_else(|e| fail_alike(&format!("cannot read the suppressions in {file}: {e}")));
        let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
        lines
            .map(|line| match line.strip_prefix("race:") {
                Some(pattern) if !pattern.trim().is_empty() => pattern.trim().to_string(),
                _ => fail_alike(&format!("{file}: {line:?} is not understood, expected race:PATTERN")),
            })
            .collect()
    })
}

/// Whether a name is what a pattern says; `*` stands for anything.
fn glob(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((front, rest)) => match name.strip_prefix(front) {
            None => false,
            Some(tail) => {
                rest.is_empty() || (0..=tail.len()).any(|i| tail.is_char_boundary(i) && glob(rest, &tail[i..]))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(glob("main", "main") && glob("*solver.c", "/a/solver.c") && glob("a*b*c", "a1b2c") && glob("*", ""));
        assert!(!glob("main", "main2") && !glob("*solver.c", "solver.cc") && !glob("a*b", "ac"));
    }
}
