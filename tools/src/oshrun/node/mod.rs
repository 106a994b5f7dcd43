//! The server of one node. It starts the node's ranks, serves their process management, passes on their output, and
//! makes sure that none of them outlives the job.
//!
//! The server has one thread with one loop. The ranks are its children. It leads a session of its own, apart from other
//! work on the machine, and adopts the processes that its ranks leave behind.

mod callback;
mod cause;
mod files;
mod input;
pub mod pmi;
mod ranks;
pub mod relay;

pub use callback::call_back;
pub use relay::remote;

use crate::bind;
use crate::control::{Control, Cost, Down, Failure, Up};
use crate::output::WAITING;
use crate::plan::Plan;
use crate::pmix::{self, CapturedStderr, JobEvent};
use crate::poll::{self, Kind, Poller, Token, WriteWatch};
use crate::spawn::ExecFailure;
use crate::sys;
use anyhow::{Result, bail};
use cause::Cause;
use input::Input;
use nix::sys::signal::Signal;
use nix::sys::signalfd::SignalFd;
use nix::unistd::{Pid, getppid};
use pmi::Pmi;
use ranks::Ranks;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// How long output is waited for when all ranks have ended. Processes that they have left may still write; a shorter
/// time loses their output, and a longer one delays the end of every job that leaves such processes.
const LAST_OUTPUT: Duration = Duration::from_millis(250);

/// How long the cause of a connection's end is waited for. Usually a process has died, whose end comes a moment later.
/// A shorter time could blame the wrong rank; a longer one delays the message.
const CAUSE_WAIT: Duration = Duration::from_secs(1);

/// How long an incomplete line waits before it is shown on a terminal. A shorter time shows more pieces of lines; with
/// a longer one a question of the program appears late.
const PROMPT: Duration = Duration::from_millis(100);

/// Whose connection has ended.
#[derive(Clone, Copy)]
enum Lost {
    Rank(u32),
    Neighbour(u32),
}

pub struct NodeServer<'a> {
    plan: &'a Plan,
    node: u32,
    control: &'a mut Control,
    watch: WriteWatch,
    signals: SignalFd,
    poller: Poller,
    ranks: Ranks<'a>,
    pmi: Pmi,
    /// The rank whose connection to the process management has ended, and when that becomes a failure if nothing
    /// explains it.
    lost: Vec<(Instant, Lost)>,
    /// A failure whose cause may still come.
    cause: Cause,
    /// Children report through this pipe that they could not become their program.
    exec_failure: OwnedFd,
    input: Input,
    /// What libpmix writes to standard error, where it is used.
    captured: Option<CapturedStderr>,
    /// The ranks are being killed, so the end of a rank is no failure any more.
    dying: bool,
    /// When killed ranks that have not ended are given up, because a debugger or the kernel holds them.
    gone_by: Option<Instant>,
    /// When ranks that were asked to end by a signal are killed, and that signal.
    kill_at: Option<(Instant, Signal)>,
    last_output: Option<Instant>,
    done: bool,
    /// The process that has forked this server. When it ends, the job is over.
    parent: Pid,
    cost: Cost,
}

pub struct ServerStart<'a> {
    pub plan: &'a Plan,
    pub node: u32,
    pub inherited: sys::Inherited,
    /// Standard input for rank 0, if rank 0 gets the descriptor itself.
    pub stdin: Option<OwnedFd>,
}

/// Serves the node to the job's end. Returns when oshrun has told that the job is over, or has gone. oshrun has been
/// told of an error.
pub fn serve(start: ServerStart, control: &mut Control) -> Result<()> {
    let begun = Instant::now();
    let ServerStart { plan, node: number, stdin, .. } = start;
    let words = |e: &anyhow::Error| plan.located(number, &sys::told(e));
    let mut node = match NodeServer::new(plan, number, start.inherited, control) {
        Ok(node) => node,
        Err(e) => {
            control.give_up(words(&e));
            return Err(e);
        }
    };
    let end = node.start(begun, stdin).and_then(|()| node.run());
    if let Err(e) = &end {
        node.ranks.kill();
        node.control.give_up(words(e));
    }
    node.kill();
    end
}

impl<'a> NodeServer<'a> {
    fn new(plan: &'a Plan, node: u32, inherited: sys::Inherited, control: &'a mut Control) -> Result<NodeServer<'a>> {
        sys::adopt_orphans();
        sys::raise_descriptor_limit();
        // SIGTERM tells of the parent's end, also where it is ignored.
        let signals = sys::signals(&[Signal::SIGCHLD, Signal::SIGTERM])?;
        let poller = Poller::new()?;
        poller.add(&signals, (Kind::Signals, 0))?;
        poller.add(control.reader(), (Kind::ControlIn, 0))?;
        let (exec_failure, report) = sys::pipe()?;
        sys::set_nonblocking(&exec_failure)?;
        poller.add(&exec_failure, (Kind::ExecFailure, 0))?;
        let ranks = Ranks::new(plan, node, inherited, report);
        let pmi = Pmi::new(plan, node)?;
        Ok(NodeServer {
            plan,
            node,
            control,
            watch: WriteWatch::default(),
            signals,
            poller,
            ranks,
            pmi,
            lost: Vec::new(),
            cause: Cause::default(),
            exec_failure,
            input: Input::default(),
            captured: None,
            dying: false,
            gone_by: None,
            kill_at: None,
            last_output: None,
            done: false,
            parent: getppid(),
            cost: Cost::default(),
        })
    }

    fn start(&mut self, begun: Instant, stdin: Option<OwnedFd>) -> Result<()> {
        // Before the ranks are started: children in the tree may be waiting for the address.
        if let Some(address) = self.pmi.listen(self.plan, self.node, &self.poller)? {
            self.control.send(&Up::Listening(address));
        }
        if let Some((server, captured)) = pmix::start(self.plan, self.node)? {
            self.captured = captured;
            self.pmi.add_pmix(server, &self.poller)?;
        }
        self.start_ranks(stdin)?;
        self.cost.forked = begun.elapsed().as_secs_f64();
        Ok(())
    }

    fn start_ranks(&mut self, stdin: Option<OwnedFd>) -> Result<()> {
        let plan = self.plan;
        let takers = self.ranks.numbers.iter().copied().filter(|&rank| plan.stdin.is_for(rank));
        let mut given = stdin;
        let mut stdin = Vec::new();
        for rank in takers {
            let end = match given.take() {
                Some(given) => given,
                None => {
                    let (read, write) = sys::pipe()?;
                    sys::set_nonblocking(&write)?;
                    self.input.open(write);
                    read
                }
            };
            stdin.push((rank, end));
        }
        let groups = bind::groups(plan, &self.ranks.numbers)?;
        if plan.report_bindings {
            let report = bind::report(plan, self.node, &self.ranks.numbers, &groups);
            self.ranks.outs[1].extend(report.bytes());
        }
        match self.ranks.start(stdin, &groups, &self.poller, &mut self.pmi)? {
            Ok(()) => {
                self.control.send(&Up::Pids(vec![self.ranks.pids()]));
                self.control.send(&Up::Started);
            }
            Err(e) => self.fail(Failure { text: self.located(&e.text), ..e }),
        }
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        // Messages that came together with the plan.
        if !self.messages()? {
            return Ok(());
        }
        loop {
            self.send_output();
            self.look_at_files();
            self.look_for_end();
            self.watch_output();
            let lost = self.lost.iter().map(|l| l.0).min();
            let kill = self.kill_at.map(|k| k.0);
            let callers = self.pmi.next_time();
            let times = [lost, kill, callers, self.gone_by, self.last_output, self.ranks.prompt_at, self.cause.until()];
            for token in self.poller.wait(times.into_iter().flatten().min())? {
                if !self.handle(token)? {
                    return Ok(());
                }
            }
            self.look_at_clock();
        }
    }

    /// Handles a descriptor that is ready. False: oshrun has gone, or the job is over.
    fn handle(&mut self, (kind, index): Token) -> Result<bool> {
        let mut events = Vec::new();
        match kind {
            Kind::Signals => {
                // The end of the parent makes a signal that is not for the ranks; see launch::with_parent.
                if getppid() != self.parent {
                    return Ok(false);
                }
                self.signals_came();
            }
            Kind::ControlIn => return Ok(self.control.fill() && self.messages()?),
            Kind::ControlOut => self.control.flush(),
            Kind::ExecFailure => self.exec_failure_came(),
            Kind::Input => self.give_input(0),
            Kind::Output => self.ranks.read(index, &self.poller),
            Kind::Pmi => self.pmi.ready(index, &self.poller, &mut events),
            Kind::Pmix => {
                self.pmi.serve_pmix(&self.poller, &mut events);
                // The end of one rank may be why another one wants the job to end.
                self.look_for_ends();
            }
            Kind::Listener => self.pmi.accept(&self.poller)?,
            Kind::Caller => self.pmi.caller_came(index, &self.poller, &mut events)?,
            Kind::Parent => self.pmi.parent_came(&self.poller, &mut events)?,
            // Of oshrun and of relays.
            Kind::UpIn | Kind::UpOut | Kind::LauncherStderr | Kind::StepStderr | Kind::Sink => {}
        }
        self.take_news(events);
        Ok(true)
    }

    fn signals_came(&mut self) {
        while let Some(signal) = sys::next_signal(&self.signals) {
            match signal {
                Signal::SIGCHLD => {}
                s if sys::is_ignored(s) => {}
                // A signal to this process alone is treated as one to oshrun.
                s => self.forward(s as i32),
            }
        }
        self.look_for_ends();
    }

    fn look_for_ends(&mut self) {
        let mut later = Vec::new();
        // Children's ends may come before the signal is read; none is lost this way.
        while let Ok(Some(ended)) = sys::ended_child() {
            let Some(rank) = self.ranks.of(&ended) else { continue };
            let outside = ended.status.success().then(|| self.ranks.named(rank));
            // Before exec it reports through another pipe, and that report may not have been read.
            self.exec_failure_came();
            // What the rank has sent before may explain its end, or show that the end is regular. A rank that asks for
            // the job's end stays until it is killed. So if other ranks have asked for the job's end, this rank has
            // ended before, and its end may be their reason.
            let mut events = Vec::new();
            self.pmi.read_rest(rank, &self.poller, &mut events);
            let (others, own) =
                events.into_iter().partition(|n| matches!(n, JobEvent::Abort { rank: r, .. } if *r != rank));
            self.take_news(own);
            later.extend::<Vec<JobEvent>>(others);
            if let Some(who) = outside.filter(|_| !self.pmi.has_joined(rank)) {
                self.control.send(&Up::Outside(self.located(&who)));
            }
            let active = self.pmi.is_active(rank);
            let may_be_consequence = ended.status.code().is_some_and(|code| code != 0);
            if let Some(failure) = self.ranks.ended(ended, active)
                && !self.dying
            {
                let text = self.located(&failure.text);
                self.fail_for(rank, Failure { text, ..failure }, may_be_consequence);
            }
        }
        self.take_news(later);
        if let Some(failure) = self.cause.due(|| self.ranks.any_is_ending(None)) {
            self.fail(failure);
        }
    }

    /// Rank `rank` has failed. `may_be_consequence`: perhaps because another rank has failed.
    fn fail_for(&mut self, rank: u32, failure: Failure, may_be_consequence: bool) {
        let under_way = may_be_consequence && self.ranks.any_is_ending(Some(rank));
        if let Some(failure) = self.cause.weigh(failure, may_be_consequence, under_way) {
            self.fail(failure);
        }
    }

    fn take_news(&mut self, events: Vec<JobEvent>) {
        for n in events {
            let later = Instant::now() + CAUSE_WAIT;
            match n {
                _ if self.dying || self.done => {}
                JobEvent::Joined => self.control.send(&Up::Joined),
                JobEvent::Table { head, rows } => self.control.send(&Up::Table { head, rows }),
                JobEvent::Lost(rank) => self.lost.push((later, Lost::Rank(rank))),
                JobEvent::NeighbourLost(node) => self.lost.push((later, Lost::Neighbour(node))),
                JobEvent::Abort { rank, code, message } => {
                    let code = if code != 0 && code & 0xff == 0 { 1 } else { code & 0xff };
                    let line = message.lines().next().unwrap_or_default();
                    let said = if line.is_empty() { String::new() } else { format!(": {line}") };
                    let text = format!("rank {rank} ended the job with code {code}{said}");
                    let text = if code == 0 { String::new() } else { self.located(&text) };
                    self.fail_for(rank, Failure { code, text }, true);
                }
                JobEvent::Broken(text) => self.fail(Failure { code: 125, text: self.located(&text) }),
            }
        }
    }

    /// Handles the messages that have come. False: the job is over.
    fn messages(&mut self) -> Result<bool> {
        while let Some(message) = self.control.next::<Down>()? {
            match message {
                Down::Plan(_) | Down::You(_) => bail!("a second plan came"),
                Down::Parent(address) => self.pmi.join(address, self.plan),
                Down::Input(bytes) => {
                    let unwanted = self.input.push(&bytes);
                    self.give_input(unwanted);
                }
                Down::Signal(number) => self.forward(number),
                Down::Ask => sys::ask_descendants(Signal::SIGQUIT),
                Down::Kill => self.kill_ranks(),
                Down::Finish => {
                    self.finish();
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Passes standard input on to ranks as far as they take it. `unwanted`: bytes that nobody is to get.
    fn give_input(&mut self, unwanted: usize) {
        let taken = self.input.give(&self.poller) + unwanted;
        if taken > 0 {
            self.control.send(&Up::InputTaken(taken as u32));
        }
    }

    /// Sends a signal to all ranks. After a signal that ends programs, ranks that stay are killed when the grace time
    /// is over, and after a second one at once.
    fn forward(&mut self, number: i32) {
        let Ok(signal) = Signal::try_from(number) else { return };
        if sys::ends(signal) {
            let grace = if self.kill_at.is_some() { 0.0 } else { self.plan.grace };
            self.kill_at = Some((Instant::now() + Duration::from_secs_f64(grace), signal));
        }
        // SIGTSTP does nothing in a process group whose session has no terminal.
        self.ranks.signal(if signal == Signal::SIGTSTP { Signal::SIGSTOP } else { signal });
    }

    fn exec_failure_came(&mut self) {
        let mut buffer = [0; 64 * ExecFailure::LENGTH];
        while let Some(n) = poll::read(self.exec_failure.as_fd(), &mut buffer).filter(|&n| n > 0) {
            for exec_failure in buffer[..n].chunks(ExecFailure::LENGTH).filter_map(ExecFailure::read) {
                // All ranks of a program fail alike, so it does not matter which one reports.
                let e = exec_failure.told(self.plan.programs[self.plan.program_of(exec_failure.rank)].name());
                if !self.dying {
                    self.fail(Failure { text: self.located(&e.text), ..e });
                }
            }
        }
    }

    fn look_at_clock(&mut self) {
        let now = Instant::now();
        let mut events = Vec::new();
        self.pmi.look_at_clock(self.plan, self.node, &self.poller, &mut events);
        self.take_news(events);
        if self.cause.until().is_some_and(|t| now >= t) {
            self.look_for_ends();
        }
        // Taken in any case: a time that has passed would keep the loop from waiting.
        if let Some((_, signal)) = self.kill_at.take_if(|k| now >= k.0)
            && !self.dying
        {
            let text = format!("ranks that had not ended after {} were killed", sys::signal_name(signal as i32));
            self.fail(Failure { code: 128 + signal as i32, text });
        }
        if self.gone_by.is_some_and(|t| now >= t) {
            self.gone_by = None;
            self.ranks.give_up();
        }
        let overdue = self.lost.iter().position(|l| now >= l.0).map(|i| self.lost.swap_remove(i).1);
        match overdue {
            _ if self.dying || self.done => {}
            Some(Lost::Rank(rank)) if self.ranks.is_alive(rank) => {
                let text = format!("rank {rank} closed its connection to the process management without finalizing");
                self.fail(Failure { code: 1, text: self.located(&text) });
            }
            Some(Lost::Neighbour(node)) => {
                let host = self.plan.hosts.get(node);
                let text = format!("the connection to the node server of host {host} broke");
                self.fail(Failure { code: 125, text: self.located(&text) });
                if self.plan.starter(self.node) == Some(node) {
                    self.control.send(&Up::Orphaned);
                }
            }
            _ => {}
        }
        if self.ranks.prompt_at.is_some_and(|t| now >= t) {
            self.ranks.prompt();
        }
    }

    /// When the last rank has ended and its output has been read, the node is done.
    fn look_for_end(&mut self) {
        if self.done || self.ranks.alive() > 0 {
            return;
        }
        if !self.ranks.streams().is_empty() {
            // While nobody takes the output, who writes it cannot go on, and the job has no end anyway.
            let held = self.ranks.is_held() && self.kill_at.is_none();
            let now = Instant::now();
            let until = self.last_output.filter(|_| !held).unwrap_or(now + LAST_OUTPUT);
            self.last_output = Some(until);
            if now < until && !self.dying {
                return;
            }
            // A process that a rank has started keeps the rank's output open.
            sys::kill_descendants(&[]);
            for index in self.ranks.streams() {
                self.ranks.read_rest(index, &self.poller);
            }
            self.ranks.close_streams();
        }
        (self.last_output, self.kill_at) = (None, None);
        let said = self.captured.as_ref().map(CapturedStderr::take).filter(|_| !self.dying);
        self.ranks.outs[1].extend(said.unwrap_or_default());
        self.ranks.finish();
        self.send_output();
        self.look_at_files();
        self.done = true;
        sys::kill_descendants(&[]);
        if self.plan.exit_codes {
            self.control.send(&Up::Codes(self.ranks.codes()));
        }
        self.control.send(&Up::Done);
    }

    /// Passes on what ranks have written.
    fn send_output(&mut self) {
        for (stream, out) in std::mem::take(&mut self.ranks.outs).iter().enumerate() {
            for piece in out.chunks(1 << 20) {
                self.control.send(&Up::Output { error: stream == 1, bytes: piece.to_vec() });
            }
        }
    }

    /// A file of the ranks' output could not be written.
    fn look_at_files(&mut self) {
        if let Some(failure) = self.ranks.unwritten.take()
            && !self.dying
        {
            self.fail(Failure { text: self.located(&failure.text), ..failure });
        }
    }

    /// Makes ranks wait while too much is on its way to oshrun.
    fn watch_output(&mut self) {
        let waiting = self.control.waiting();
        self.ranks.hold(waiting > WAITING, &self.poller);
        self.watch.set(waiting > 0, &self.poller, self.control.writer(), (Kind::ControlOut, 0));
    }

    /// The job cannot succeed: kills the ranks of this node and tells oshrun, which has the others killed.
    fn fail(&mut self, failure: Failure) {
        self.kill_ranks();
        self.control.send(&Up::Failed(failure));
    }

    fn kill_ranks(&mut self) {
        self.dying = true;
        self.cause = Cause::default();
        self.gone_by.get_or_insert(Instant::now() + sys::KILLED);
        self.ranks.kill();
    }

    fn located(&self, text: &str) -> String {
        self.plan.located(self.node, text)
    }

    fn finish(&mut self) {
        let mut costs = Vec::new();
        if self.plan.stats {
            self.cost.add_usage();
            self.cost.pmi = self.pmi.stats();
            costs.push((self.node, self.cost.clone()));
        }
        self.control.send(&Up::Costs(costs));
        self.control.flush_last();
    }

    fn kill(&mut self) {
        self.ranks.kill();
        sys::kill_descendants(&[]);
        pmix::dir::remove(self.plan, self.node);
    }
}
