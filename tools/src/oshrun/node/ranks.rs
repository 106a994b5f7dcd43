//! The ranks of a node: their processes and what they write.

use crate::bind;
use crate::control::{Failure, Pids};
use crate::foreign;
use crate::node::PROMPT;
use crate::node::files::Files;
use crate::node::pmi::Pmi;
use crate::output::{Lines, filled};
use crate::plan::{Plan, Session};
use crate::poll::{self, Kind, Poller};
use crate::spawn::{self, Common, Ends, Prepared, Start};
use crate::sys::{self, Ended, Inherited};
use crate::topology::CpuGroup;
use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, setpgid};
use pmi_shm::limits::{Room, SHARED_MEMORY};
use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::time::Instant;

/// The most bytes of a stream that are read before the others have their turn. A rank that writes without end must not
/// keep them waiting.
const AT_ONCE: usize = 64 * 1024;

struct Rank {
    rank: u32,
    pid: Pid,
    alive: bool,
    /// The exit code, as a shell tells it.
    code: Option<i32>,
    /// Standard output and standard error, or one pipe for both.
    streams: [Option<OwnedFd>; 2],
    lines: [Lines; 2],
    files: [Option<usize>; 2],
}

pub struct Ranks<'a> {
    plan: &'a Plan,
    node: u32,
    /// Those of the ranks, in order.
    pub numbers: Vec<u32>,
    /// Whether there are more ranks than cores.
    crowded: bool,
    ranks: Vec<Rank>,
    by_pid: HashMap<Pid, usize>,
    common: Common,
    /// What is to be passed on of standard output and of standard error.
    pub outs: [Vec<u8>; 2],
    files: Files,
    pub unwritten: Option<Failure>,
    /// Reading is suspended because nobody takes the output.
    held: bool,
    /// When incomplete lines, such as questions, are shown on a terminal.
    pub prompt_at: Option<Instant>,
}

impl Ranks<'_> {
    pub fn new(plan: &Plan, node: u32, inherited: Inherited, exec_failure: OwnedFd) -> Ranks<'_> {
        let numbers = plan.ranks_on(node);
        // A machine that plays several nodes has all their ranks on its cores.
        let here = if plan.fake { plan.size() as usize } else { numbers.len() };
        let crowded = here > std::thread::available_parallelism().map_or(1, |n| n.get());
        let session = match plan.session {
            Session::Rank => true,
            Session::Node => false,
            // See docs/design/launcher.md.
            Session::Auto => !crowded,
        };
        Ranks {
            plan,
            node,
            numbers,
            crowded,
            ranks: Vec::new(),
            by_pid: HashMap::new(),
            common: Common { session, inherited, exec_failure },
            outs: Default::default(),
            files: Files::default(),
            unwritten: None,
            held: false,
            prompt_at: None,
        }
    }

    /// Starts all ranks. `stdin`: the ranks that have standard input. The inner error is a mistake of the user.
    pub fn start(
        &mut self,
        mut stdin: Vec<(u32, OwnedFd)>,
        groups: &[Option<CpuGroup>],
        poller: &Poller,
        pmi: &mut Pmi,
    ) -> Result<Result<(), Failure>> {
        let (plan, node) = (self.plan, self.node);
        let mut prepared: Vec<Option<Prepared>> = plan.programs.iter().map(|_| None).collect();
        for &rank in &self.numbers {
            let p = plan.program_of(rank);
            if prepared[p].is_none() {
                prepared[p] = match Prepared::new(plan, &plan.programs[p]) {
                    Ok(found) => Some(found),
                    Err(e) => return Ok(Err(e)),
                };
            }
        }
        let null = spawn::null()?;
        let foreign = foreign::variables(plan, pmi.dir(), self.crowded);
        let host = plan.hosts.get(node);
        for (index, rank) in self.numbers.clone().into_iter().enumerate() {
            let program = prepared[plan.program_of(rank)].as_ref().expect("all were found above");
            let (out, out_end) = sys::pipe()?;
            let (err, err_end) = match plan.form.merged {
                true => (None, out_end.try_clone().context("cannot copy a descriptor")?),
                false => sys::pipe().map(|(err, end)| (Some(err), end))?,
            };
            let files = match self.files.open(&plan.form, node, rank, &host) {
                Ok(files) => files,
                Err(e) => return Ok(Err(e)),
            };
            let input = stdin.iter().position(|(r, _)| *r == rank).map(|at| stdin.swap_remove(at).1);
            let wiring = pmi.wire(rank, poller)?;
            let own: Vec<(String, String)> = wiring.variables.iter().chain(&foreign).cloned().collect();
            let keep = wiring.ends().into_iter().chain(pmi.shared()).collect();
            let ends = Ends {
                stdin: input.as_ref().unwrap_or(&null).as_fd(),
                stdout: out_end.as_fd(),
                stderr: err_end.as_fd(),
                keep,
            };
            let cpus = groups[index].as_ref().map(|group| bind::set(group)).transpose()?;
            let stops = plan.stops(rank);
            let pid = program.start(&self.common, rank, &own, Start { cpus, stops }, &ends)?;
            if stops {
                spawn::leave_stopped(pid);
            }
            if !self.common.session {
                // The child does the same. Whichever is first, a signal to the group reaches the child.
                let _ = setpgid(pid, pid);
            }
            let streams = [Some(out), err];
            for (stream, fd) in streams.iter().enumerate().filter_map(|(i, fd)| Some((i, fd.as_ref()?))) {
                sys::set_nonblocking(fd)?;
                poller.add(fd, (Kind::Output, 2 * index + stream))?;
            }
            let label = filled(&plan.form.label, rank, node, &host);
            let lines = [label.clone(), label].map(|label| Lines::new(label, plan.form.stamped));
            self.by_pid.insert(pid, index);
            self.ranks.push(Rank { rank, pid, alive: true, code: None, streams, lines, files });
        }
        Ok(Ok(()))
    }

    /// The processes, as runs of neighbouring numbers in the order of the ranks.
    pub fn pids(&self) -> Pids {
        let mut runs: Vec<(i32, u32)> = Vec::new();
        for pid in self.ranks.iter().map(|r| r.pid.as_raw()) {
            match runs.last_mut() {
                Some((first, n)) if *first + *n as i32 == pid => *n += 1,
                _ => runs.push((pid, 1)),
            }
        }
        Pids { node: self.node, runs }
    }

    pub fn codes(&self) -> Vec<(u32, i32)> {
        self.ranks.iter().filter_map(|r| Some((r.rank, r.code?))).collect()
    }

    pub fn alive(&self) -> usize {
        self.ranks.iter().filter(|r| r.alive).count()
    }

    /// The rank whose process has ended. `None`: the process is no rank; a rank has left it behind.
    pub fn of(&self, ended: &Ended) -> Option<u32> {
        Some(self.ranks[*self.by_pid.get(&ended.pid)?].rank)
    }

    pub fn named(&self, rank: u32) -> String {
        format!("rank {rank} ({})", self.plan.programs[self.plan.program_of(rank)].name().display())
    }

    pub fn is_alive(&self, rank: u32) -> bool {
        self.ranks.iter().any(|r| r.rank == rank && r.alive)
    }

    /// Whether a rank other than `but` is ending: its connections may be closed, and its end will be reported soon.
    pub fn any_is_ending(&self, but: Option<u32>) -> bool {
        self.ranks.iter().any(|r| r.alive && Some(r.rank) != but && sys::is_ending(r.pid))
    }

    /// A child has ended. Returns the failure, if the child was a rank that has failed. `active`: the rank has used the
    /// process management without saying goodbye, so others may wait for it for ever.
    pub fn ended(&mut self, ended: Ended, active: bool) -> Option<Failure> {
        let index = self.by_pid.remove(&ended.pid)?;
        self.ranks[index].alive = false;
        let (status, number) = (ended.status, ended.status.signal().unwrap_or_default());
        self.ranks[index].code = Some(status.code().unwrap_or(128 + number));
        let who = self.named(self.ranks[index].rank);
        match status.code() {
            Some(0) if active => {
                let text = format!("{who} ended without finalizing (shmem_finalize or MPI_Finalize was not called)");
                Some(Failure { code: 1, text })
            }
            Some(0) => None,
            Some(code) => Some(Failure { code, text: format!("{who} ended with exit code {code}") }),
            None => {
                let core = if status.core_dumped() { ", core dumped" } else { "" };
                let name = sys::signal_name(number);
                let full = Room::of(SHARED_MEMORY).filter(|room| number == libc::SIGBUS && room.is_short());
                let full = full.map_or(String::new(), |room| format!("; {room}"));
                Some(Failure { code: 128 + number, text: format!("{who} was ended by {name}{core}{full}") })
            }
        }
    }

    /// Sends a signal to the process groups of all ranks.
    pub fn signal(&self, signal: Signal) {
        for r in self.ranks.iter().filter(|r| r.alive) {
            // Nobody has waited for the rank, so its number cannot belong to another process.
            if killpg(r.pid, signal).is_err() {
                let _ = kill(r.pid, signal);
            }
        }
    }

    pub fn kill(&self) {
        self.signal(Signal::SIGKILL);
    }

    pub fn give_up(&mut self) {
        self.ranks.iter_mut().for_each(|r| r.alive = false);
    }

    /// Reads all that is left in stream `index` when nobody is to write to it any more. A process that could not be
    /// killed may still write, so no more is read than the pipe holds.
    pub fn read_rest(&mut self, index: usize, poller: &Poller) {
        let holds = self.ranks[index / 2].streams[index % 2].as_ref().map_or(0, sys::pipe_size);
        for _ in 0..=holds / AT_ONCE {
            self.read(index, poller);
        }
    }

    /// Reads stream `index`, which is twice the index of the rank, plus one for standard error. Whole lines are passed
    /// on.
    pub fn read(&mut self, index: usize, poller: &Poller) {
        let rank = &mut self.ranks[index / 2];
        let (stream, lines) = (&mut rank.streams[index % 2], &mut rank.lines[index % 2]);
        let mut buffer = [0; 16 * 1024];
        let mut taken = Vec::new();
        for _ in 0..AT_ONCE / buffer.len() {
            let Some(fd) = stream else { break };
            match poll::read(fd.as_fd(), &mut buffer) {
                None => break,
                Some(0) => {
                    poller.remove(fd);
                    *stream = None;
                    lines.finish(&mut taken);
                }
                Some(n) => lines.take(&buffer[..n], &mut taken),
            }
        }
        if self.plan.terminal && lines.is_partial() {
            self.prompt_at.get_or_insert(Instant::now() + PROMPT);
        }
        self.give(index, taken);
    }

    /// Passes on what stream `index` gave: to its file, to `outs`, or to both.
    fn give(&mut self, index: usize, mut bytes: Vec<u8>) {
        let file = self.ranks[index / 2].files[index % 2].filter(|_| !bytes.is_empty());
        if let Some(Err(e)) = file.map(|file| self.files.write(file, &bytes)) {
            self.unwritten.get_or_insert(e);
        }
        if file.is_none() || self.plan.form.copied {
            self.outs[index % 2].append(&mut bytes);
        }
    }

    pub fn prompt(&mut self) {
        self.prompt_at = None;
        self.give_partial(Lines::flush);
    }

    fn give_partial(&mut self, take: fn(&mut Lines, &mut Vec<u8>)) {
        for index in 0..2 * self.ranks.len() {
            let mut taken = Vec::new();
            take(&mut self.ranks[index / 2].lines[index % 2], &mut taken);
            self.give(index, taken);
        }
    }

    /// Whether output is not read for now.
    pub fn is_held(&self) -> bool {
        self.held
    }

    pub fn hold(&mut self, held: bool, poller: &Poller) {
        if held == self.held {
            return;
        }
        self.held = held;
        for (i, rank) in self.ranks.iter().enumerate() {
            for (stream, fd) in rank.streams.iter().enumerate() {
                if let Some(fd) = fd {
                    // epoll always reports a closed pipe, so the pipe is removed.
                    match held {
                        true => poller.remove(fd),
                        false => drop(poller.add(fd, (Kind::Output, 2 * i + stream))),
                    }
                }
            }
        }
    }

    /// The streams that are open.
    pub fn streams(&self) -> Vec<usize> {
        (0..2 * self.ranks.len()).filter(|i| self.ranks[i / 2].streams[i % 2].is_some()).collect()
    }

    pub fn close_streams(&mut self) {
        self.ranks.iter_mut().for_each(|r| r.streams = [None, None]);
    }

    pub fn finish(&mut self) {
        self.give_partial(Lines::finish);
    }
}
