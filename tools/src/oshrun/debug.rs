//! Debuggers of parallel programs, and a debugger for single ranks.
//!
//! **MPIR.** A debugger such as TotalView or DDT runs oshrun under its control or attaches to it, and reads the
//! processes of the job from a table in oshrun's memory, which it finds by the names below (the MPIR Process
//! Acquisition Interface, version 1.0). Where it has set `MPIR_being_debugged` before `main`, all ranks stop at their
//! first instruction; oshrun fills the table and calls `MPIR_Breakpoint`, where the debugger stops oshrun and attaches
//! to the ranks; then they go on. The table is there for later, too.
//!
//! **`--gdb`.** The named ranks stop in the same way, and each is shown to a gdb: in a window of tmux if oshrun runs in
//! one, otherwise by a line that says how to attach. No port is open meanwhile.

use crate::below::Below;
use crate::cli::Job;
use crate::control::{Down, Pids};
use crate::launch::quoted;
use crate::output::Sink;
use crate::plan::{Plan, Program};
use crate::topology;
use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use std::ffi::{CString, c_char, c_int};
use std::ops::Range;
use std::os::unix::ffi::OsStringExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

/// An entry of the table: a process of the job. The layout is that of the interface.
#[repr(C)]
pub struct Process {
    host_name: *const c_char,
    executable_name: *const c_char,
    pid: c_int,
}

// A debugger reads and writes these while oshrun stands still.
#[unsafe(no_mangle)]
#[used]
pub static MPIR_being_debugged: AtomicI32 = AtomicI32::new(0);

#[unsafe(no_mangle)]
#[used]
pub static MPIR_debug_state: AtomicI32 = AtomicI32::new(0);

#[unsafe(no_mangle)]
#[used]
pub static MPIR_proctable: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());

#[unsafe(no_mangle)]
#[used]
pub static MPIR_proctable_size: AtomicI32 = AtomicI32::new(0);

/// That it is there says: oshrun is no rank itself.
#[unsafe(no_mangle)]
#[used]
pub static MPIR_i_am_starter: AtomicI32 = AtomicI32::new(1);

/// That it is there says: a debugger need not attach to every rank, because oshrun lets them go on.
#[unsafe(no_mangle)]
#[used]
pub static MPIR_partial_attach_ok: AtomicI32 = AtomicI32::new(1);

const SPAWNED: c_int = 1;
const ABORTING: c_int = 2;

/// Where a debugger has its breakpoint.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn MPIR_Breakpoint() {
    // The call must not be removed.
    std::hint::black_box(MPIR_debug_state.load(Ordering::Relaxed));
}

fn is_debugged() -> bool {
    // The linker drops what nothing refers to.
    std::hint::black_box([&MPIR_i_am_starter, &MPIR_partial_attach_ok]);
    MPIR_being_debugged.load(Ordering::Relaxed) != 0
}

/// The ranks that stop at their first instruction: all under a debugger of parallel programs, or those of `--gdb`.
pub fn stopped(o: &Job, size: u32) -> Result<Vec<Range<u32>>> {
    let all = || std::iter::once(0..size).collect();
    let Some(list) = &o.gdb else { return Ok(if is_debugged() { all() } else { Vec::new() }) };
    if list == "all" {
        return Ok(all());
    }
    let ranks = topology::cpu_list(list).ok().filter(|ranks| !ranks.is_empty());
    let ranks = ranks.with_context(|| format!("--gdb={list}: expected ranks such as 0,2-3"))?;
    if let Some(rank) = ranks.iter().find(|&&rank| rank >= size as usize) {
        bail!("--gdb={list}: the job has {size} ranks from 0, and none is {rank}");
    }
    Ok(ranks.into_iter().map(|rank| rank as u32..rank as u32 + 1).collect())
}

/// All ranks are started, as these processes: fills the table, and shows stopped ranks to their debuggers.
pub fn all_started(plan: &Plan, pids: &[Pids], below: &mut Below, stderr: &mut Sink) {
    let mut processes = vec![0; plan.size() as usize];
    for Pids { node, runs } in pids {
        let numbers = runs.iter().flat_map(|&(first, n)| first..first + n as i32);
        plan.ranks_on(*node).into_iter().zip(numbers).for_each(|(rank, pid)| processes[rank as usize] = pid);
    }
    fill_table(plan, &processes);
    MPIR_debug_state.store(SPAWNED, Ordering::Relaxed);
    if is_debugged() {
        MPIR_Breakpoint();
        below.send(&Down::Signal(Signal::SIGCONT as i32));
        return;
    }
    for rank in plan.stopped.iter().cloned().flatten() {
        let command = attach(plan, rank, processes[rank as usize]);
        if !in_tmux(rank, &command) {
            stderr.push(format!("oshrun: rank {rank} has stopped at its start; debug it by: {command}\n").as_bytes());
        }
    }
}

/// The job fails: a debugger is told.
pub fn aborting() {
    if is_debugged() {
        MPIR_debug_state.store(ABORTING, Ordering::Relaxed);
        MPIR_Breakpoint();
    }
}

/// The table and its texts stay until oshrun ends.
fn fill_table(plan: &Plan, processes: &[i32]) {
    let text = |text: Vec<u8>| CString::new(text).unwrap_or_default().into_raw().cast_const();
    let own = || nix::unistd::gethostname().unwrap_or_default().to_string_lossy().into_owned();
    let names = if plan.local { Vec::new() } else { plan.reach.all().unwrap_or_default() };
    let name = |node| names.get(node).filter(|name: &&String| !name.is_empty()).cloned().unwrap_or_else(own);
    let hosts: Vec<*const c_char> = (0..plan.nodes() as usize).map(|node| text(name(node).into_bytes())).collect();
    let path = |p: &Program| {
        let file = crate::spawn::file(plan, p);
        file.map_or_else(|| p.argv[0].clone(), |f| f.into_os_string().into_vec())
    };
    let programs: Vec<*const c_char> = plan.programs.iter().map(|p| text(path(p))).collect();
    let entry = |(rank, (&pid, node)): (u32, (&i32, u32))| Process {
        host_name: hosts[node as usize],
        executable_name: programs[plan.program_of(rank)],
        pid,
    };
    let table: Box<[Process]> = (0..).zip(processes.iter().zip(plan.map.iter())).map(entry).collect();
    MPIR_proctable_size.store(table.len() as c_int, Ordering::Relaxed);
    MPIR_proctable.store(Box::leak(table).as_mut_ptr(), Ordering::Relaxed);
}

/// The command that attaches a gdb to a rank.
fn attach(plan: &Plan, rank: u32, pid: i32) -> String {
    // Without -q gdb's greeting fills a window of 24 lines, where it waits for a key. Without the last words it would
    // tell of the signal that stopped the rank, before it goes on.
    let gdb = format!("gdb -q -p {pid} -ex 'handle SIGSTOP nostop noprint nopass'");
    let node = plan.map.node_of(rank);
    match plan.local || crate::hosts::is_own(&plan.hosts.get(node)) {
        true => gdb,
        false => format!("ssh -t {} {}", plan.reach.get(node), quoted(gdb.as_bytes())),
    }
}

/// Opens a window of the tmux that oshrun runs in.
fn in_tmux(rank: u32, command: &str) -> bool {
    if std::env::var_os("TMUX").is_none_or(|v| v.is_empty()) {
        return false;
    }
    let name = format!("rank {rank}");
    let mut tmux = Command::new("tmux");
    tmux.args(["new-window", "-d", "-n", &name, command]).stdin(Stdio::null()).stdout(Stdio::null());
    tmux.stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}
