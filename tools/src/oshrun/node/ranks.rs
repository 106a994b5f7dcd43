//! The ranks of a node: their processes and what they write.

use crate::bind;
use crate::cli::Session;
use crate::link::Failure;
use crate::node::foreign;
use crate::node::pmi::Pmi;
use crate::node::{Kind, PROMPT, token};
use crate::output::Lines;
use crate::plan::Plan;
use crate::spawn::{self, CannotStart, Common, Ends, Prepared};
use crate::sys::{self, Ended, How, Inherited, Poller};
use anyhow::Result;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, setpgid};
use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

struct Rank {
    rank: u32,
    pid: Pid,
    alive: bool,
    /// Standard output and standard error.
    streams: [Option<OwnedFd>; 2],
    lines: [Lines; 2],
}

pub struct Ranks {
    numbers: Vec<u32>,
    /// There are more ranks than cores.
    crowded: bool,
    ranks: Vec<Rank>,
    by_pid: HashMap<Pid, usize>,
    common: Common,
    /// Reading is suspended because output is not taken.
    held: bool,
    /// Somebody sits before our output: incomplete lines, such as questions, must be seen.
    terminal: bool,
    /// When they are shown.
    pub prompt_at: Option<Instant>,
}

impl Ranks {
    pub fn new(plan: &Plan, node: u32, inherited: Inherited, trouble: OwnedFd) -> Ranks {
        let numbers = plan.ranks_on(node);
        // A machine that plays several nodes has all their ranks on its cores.
        let here = if plan.fake { plan.size() as usize } else { numbers.len() };
        let crowded = here > std::thread::available_parallelism().map_or(1, |n| n.get());
        let session = match plan.session {
            Session::Rank => true,
            Session::Node => false,
            // See docs/design/oshrun.md.
            Session::Auto => !crowded,
        };
        Ranks {
            numbers,
            crowded,
            ranks: Vec::new(),
            by_pid: HashMap::new(),
            common: Common { session, inherited, trouble },
            held: false,
            terminal: plan.terminal,
            prompt_at: None,
        }
    }

    /// Starts all of them. The inner error is the user's mistake.
    pub fn start(
        &mut self,
        plan: &Plan,
        stdin: Option<OwnedFd>,
        poller: &Poller,
        pmi: &mut Pmi,
    ) -> Result<Result<(), CannotStart>> {
        let places = bind::places(plan.bind, plan.cpus_per_rank)?;
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
        let mut stdin = stdin;
        for (index, rank) in self.numbers.clone().into_iter().enumerate() {
            let program = prepared[plan.program_of(rank)].as_ref().expect("all were found above");
            let (out, out_end) = sys::pipe()?;
            let (err, err_end) = sys::pipe()?;
            let input = if rank == 0 { stdin.take() } else { None };
            let wiring = pmi.wire(rank, poller)?;
            let own: Vec<(String, String)> = wiring.variables.iter().chain(&foreign).cloned().collect();
            let keep = wiring.ends().into_iter().chain(pmi.shared()).collect();
            let ends = Ends {
                stdin: input.as_ref().unwrap_or(&null).as_fd(),
                stdout: out_end.as_fd(),
                stderr: err_end.as_fd(),
                keep,
            };
            let pid = program.start(&self.common, rank, &own, bind::set(&places, index)?, &ends)?;
            if !self.common.session {
                // The child does the same: whoever comes first, a signal to the group finds it.
                let _ = setpgid(pid, pid);
            }
            for (stream, fd) in [&out, &err].into_iter().enumerate() {
                sys::set_nonblocking(fd)?;
                poller.add(fd, token(Kind::Output, 2 * index + stream), !self.held, false)?;
            }
            let prefix = if plan.prepend_rank { format!("[{rank}] ") } else { String::new() };
            let lines = [Lines::new(prefix.clone()), Lines::new(prefix)];
            self.by_pid.insert(pid, index);
            self.ranks.push(Rank { rank, pid, alive: true, streams: [Some(out), Some(err)], lines });
        }
        Ok(Ok(()))
    }

    pub fn alive(&self) -> usize {
        self.ranks.iter().filter(|r| r.alive).count()
    }

    /// Whose process has ended; nobody's if a rank had left it behind.
    pub fn of(&self, ended: &Ended) -> Option<u32> {
        Some(self.ranks[*self.by_pid.get(&ended.pid)?].rank)
    }

    pub fn is_alive(&self, rank: u32) -> bool {
        self.ranks.iter().any(|r| r.rank == rank && r.alive)
    }

    /// Whether a rank, another one than that given, is ending: its connections may be closed, its end comes soon.
    pub fn any_is_ending(&self, but: Option<u32>) -> bool {
        self.ranks.iter().any(|r| r.alive && Some(r.rank) != but && sys::is_ending(r.pid))
    }

    /// A child has ended. The failure, if it was a rank and it failed; `active`: it has begun to use the process
    /// management and has not said that it is done, so that others may wait for it for ever.
    pub fn ended(&mut self, ended: Ended, plan: &Plan, active: bool) -> Option<Failure> {
        let index = self.by_pid.remove(&ended.pid)?;
        let rank = &mut self.ranks[index];
        rank.alive = false;
        let who = format!("rank {} ({})", rank.rank, plan.programs[plan.program_of(rank.rank)].name().display());
        match ended.how {
            How::Exit(0) if active => {
                let text = format!("{who} ended without finalizing (shmem_finalize or MPI_Finalize was not called)");
                Some(Failure { code: 1, text })
            }
            How::Exit(0) => None,
            How::Exit(code) => Some(Failure { code, text: format!("{who} ended with exit code {code}") }),
            How::Signal { number, core } => {
                let core = if core { ", core dumped" } else { "" };
                let name = sys::signal_name(number);
                Some(Failure { code: 128 + number, text: format!("{who} was ended by {name}{core}") })
            }
        }
    }

    /// A signal for every rank and what is in its process group.
    pub fn signal(&self, signal: Signal) {
        for r in self.ranks.iter().filter(|r| r.alive) {
            // Its number cannot belong to somebody else: it has not been waited for.
            if killpg(r.pid, signal).is_err() {
                let _ = kill(r.pid, signal);
            }
        }
    }

    pub fn kill(&self) {
        self.signal(Signal::SIGKILL);
    }

    /// Does not wait for anybody's end any more.
    pub fn give_up(&mut self) {
        self.ranks.iter_mut().for_each(|r| r.alive = false);
    }

    /// Reads what stream `index` (twice the place of the rank, plus one for standard error) has; whole lines go to `out`.
    pub fn read(&mut self, index: usize, poller: &Poller, out: &mut Vec<u8>) {
        let rank = &mut self.ranks[index / 2];
        let (stream, lines) = (&mut rank.streams[index % 2], &mut rank.lines[index % 2]);
        let mut buffer = [0; 16 * 1024];
        // A rank that writes without end must not keep the others waiting.
        for _ in 0..4 {
            let Some(fd) = stream else { return };
            match sys::read(fd.as_fd(), &mut buffer) {
                None => break,
                Some(0) => {
                    poller.remove(fd);
                    *stream = None;
                    lines.finish(out);
                }
                Some(n) => lines.take(&buffer[..n], out),
            }
        }
        if self.terminal && lines.is_partial() {
            self.prompt_at.get_or_insert(Instant::now() + PROMPT);
        }
    }

    /// Shows incomplete lines.
    pub fn prompt(&mut self, outs: &mut [Vec<u8>; 2]) {
        self.prompt_at = None;
        for rank in &mut self.ranks {
            for (lines, out) in rank.lines.iter_mut().zip(outs.iter_mut()) {
                lines.flush(out);
            }
        }
    }

    /// Suspends or resumes reading.
    pub fn hold(&mut self, held: bool, poller: &Poller) {
        if held == self.held {
            return;
        }
        self.held = held;
        for (i, rank) in self.ranks.iter().enumerate() {
            for (stream, fd) in rank.streams.iter().enumerate() {
                if let Some(fd) = fd {
                    let token = token(Kind::Output, 2 * i + stream);
                    // A closed pipe is reported whatever one asks for; so it is taken out.
                    match held {
                        true => poller.remove(fd),
                        false => drop(poller.add(fd, token, true, false)),
                    }
                }
            }
        }
    }

    pub fn open_streams(&self) -> usize {
        self.streams().len()
    }

    pub fn streams(&self) -> Vec<usize> {
        (0..2 * self.ranks.len()).filter(|i| self.ranks[i / 2].streams[i % 2].is_some()).collect()
    }

    pub fn close_streams(&mut self) {
        self.ranks.iter_mut().for_each(|r| r.streams = [None, None]);
    }

    /// The last incomplete lines.
    pub fn finish(&mut self, outs: &mut [Vec<u8>; 2]) {
        for rank in &mut self.ranks {
            for (lines, out) in rank.lines.iter_mut().zip(outs.iter_mut()) {
                lines.finish(out);
            }
        }
    }
}
