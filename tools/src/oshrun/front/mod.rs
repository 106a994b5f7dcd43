//! The front, which is oshrun itself: starts the node servers, passes on input, output and signals, and knows how the
//! job ended.

mod hang;
mod input;
mod member;
mod step;
pub mod top;

use crate::cli;
use crate::control::{Cost, Down, Failure, Up, encode};
use crate::launch::{self, Launcher, Routes};
use crate::node;
use crate::output::Sink;
use crate::plan::Plan;
use crate::pmix;
use crate::sys::{self, How, Poller, WriteWatch};
use anyhow::{Context, Result};
use hang::{Due, Hang};
use input::Input;
use member::{Member, State};
use nix::sys::signal::{Signal, raise};
use nix::sys::signalfd::SignalFd;
use nix::unistd::Pid;
use pmi_shm::top::HEAD;
use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};
use step::{Step, encoded_plan};
use top::Live;

/// The exit code at the time limit: that of timeout(1).
const LATE: i32 = 124;

/// The exit code when oshrun itself cannot go on.
pub const OURS: i32 = 125;

/// How long the front waits for the end of a node server's process after its control connection has closed. The end
/// tells why. A shorter time misses it on a busy machine; a longer one delays the message if no end comes.
const REASON: Duration = Duration::from_millis(500);

/// How long processes that have been told to end may take before they are killed. A shorter time kills servers that
/// write their last output; a longer one delays the end of oshrun.
const END_LIMIT: Duration = Duration::from_secs(1);

/// How long a node server that has to end its part of the job may be silent: as long as processes may take to be
/// killed, and 5 s for the message. A shorter time gives up servers that are busy; a longer one makes the user wait. A
/// control connection does not always tell that the host at its other end is lost: it may be a pipe to a command that
/// does not know either.
const SILENCE_LIMIT: Duration = Duration::from_secs(node::KILLED.as_secs() + 5);

/// How long the front waits, after a failure, for servers of a step that have not called back. srun ends all of them; a
/// shorter time would end oshrun before srun, and a longer one delays the message.
const LATE_CALLS: Duration = Duration::from_secs(5);

/// What a descriptor of the loop is for. The low half of a token is a number of that kind.
#[derive(Clone, Copy, strum::FromRepr)]
#[repr(u64)]
enum Kind {
    Signals,
    ControlIn,
    ControlOut,
    LauncherStderr,
    Sink,
    Input,
    Listener,
    Caller,
    StepStderr,
}

fn token(kind: Kind, index: usize) -> u64 {
    (kind as u64) << 32 | index as u64
}

/// How a job ended.
pub struct End {
    pub code: i32,
    /// By node.
    pub costs: Vec<Cost>,
    /// Seconds until the last node had started its ranks, and of the whole job.
    pub started: f64,
    pub took: f64,
}

struct Front<'a> {
    plan: &'a Plan,
    routes: &'a Routes,
    options: &'a cli::Job,
    signals: SignalFd,
    poller: Poller,
    members: Vec<Member>,
    /// The step of `srun` that has started the servers on other hosts, if there is one.
    step: Option<Step>,
    sinks: [Sink; 2],
    sink_watches: [WriteWatch; 2],
    /// Control connections and standard error of launchers are not read, because nobody takes the output.
    held: bool,
    input: Input,
    /// The first thing that went wrong.
    failure: Option<Failure>,
    /// A signal that ends programs has been passed on: so it is no failure that they end by it.
    asked_to_end: bool,
    /// From this time on node servers only have to tell that their ranks have ended or, at the end, to end themselves.
    over_by: Option<Instant>,
    begun: Instant,
    started: Option<f64>,
    time_limit: Option<Instant>,
    seconds_allowed: f64,
    finishing: bool,
    hang: Hang,
    live: Live,
}

/// Runs the job.
pub fn run(plan: &Plan, routes: &Routes, options: &cli::Job, time_limit: Option<f64>) -> Result<End> {
    let begun = Instant::now();
    let before = sys::children();
    sys::adopt_orphans();
    let inherited = sys::Inherited::now()?;
    sys::raise_descriptor_limit();
    let signals = sys::signals(&[Signal::SIGCHLD])?;
    let poller = Poller::new()?;
    poller.add(&signals, token(Kind::Signals, 0), true, false)?;
    let mut front = Front {
        plan,
        routes,
        options,
        signals,
        poller,
        members: Vec::new(),
        step: None,
        sinks: [Sink::stdout(), Sink::stderr()],
        sink_watches: Default::default(),
        held: false,
        input: Input::default(),
        failure: None,
        asked_to_end: false,
        over_by: None,
        begun,
        started: None,
        time_limit: time_limit.map(|s| begun + Duration::from_secs_f64(s)),
        seconds_allowed: time_limit.unwrap_or_default(),
        finishing: false,
        hang: Hang::new(plan.size()),
        live: Live::new(plan.size()),
    };
    let result = front.start(inherited).and_then(|()| front.serve());
    if result.is_err() {
        front.members.iter_mut().for_each(|m| m.control.send(&Down::Kill));
    }
    let processes: Vec<Pid> = front.members.iter().filter_map(|m| m.process.filter(|_| m.ended.is_none())).collect();
    // Node servers end their ranks when their control connections close.
    let costs = front.members.drain(..).map(|m| m.cost).collect();
    let (failure, started) = (front.failure.take(), front.started.unwrap_or_default());
    drop(front);
    sys::wait_for_ends(processes, END_LIMIT);
    sys::kill_descendants(Duration::from_secs(10), &before);
    // A node server that was killed has not done this. On other hosts the process beside the server does it.
    (0..plan.hosts.len() as u32).for_each(|node| pmix::dir::remove(plan, node));
    result?;
    let code = failure.map_or(0, |f| f.code);
    Ok(End { code, costs, started, took: begun.elapsed().as_secs_f64() })
}

impl Front<'_> {
    fn start(&mut self, inherited: sys::Inherited) -> Result<()> {
        let nodes = 0..self.plan.hosts.len() as u32;
        let (local, remote): (Vec<u32>, Vec<u32>) = nodes.partition(|&n| self.routes.local[n as usize]);
        let mut members: BTreeMap<u32, Member> = BTreeMap::new();
        match &self.routes.launcher {
            _ if remote.is_empty() => {}
            Launcher::Srun(command) => {
                let step = Step::start(self.plan, &remote, command, self.options, &inherited, &self.poller)?;
                members.extend(remote.iter().map(|&node| (node, Member::in_step(step.process, command))));
                self.step = Some(step);
            }
            launcher => {
                let plan = encoded_plan(self.plan);
                for &node in &remote {
                    let words = launcher.words(&self.plan.hosts[node as usize], self.options)?;
                    let mut member = Member::launched(launch::start(&words, &inherited)?, &words[0])?;
                    member.control.send_encoded(&plan);
                    member.control.send(&Down::You(node));
                    members.insert(node, member);
                }
            }
        }
        let root_here = local.contains(&self.plan.node_of[0]);
        let stdin = self.plan_input(root_here)?;
        if !local.is_empty() {
            let direct = self.plan.hosts.len() == 1;
            let (pid, links) = launch::fork(self.plan, &local, inherited, direct, stdin)?;
            for (&node, control) in local.iter().zip(links) {
                members.insert(node, Member::forked(control, pid, local.len() == 1, direct));
            }
        }
        self.members = members.into_values().collect();
        for (i, m) in self.members.iter().enumerate().filter(|(_, m)| m.control.is_open()) {
            self.poller.add(m.control.reader(), token(Kind::ControlIn, i), true, false)?;
            if let Some(stderr) = &m.stderr {
                self.poller.add(stderr, token(Kind::LauncherStderr, i), true, false)?;
            }
        }
        Ok(())
    }

    /// Something has come from a caller: a server of the step, or anybody else.
    fn caller_came(&mut self, caller: usize) -> Result<()> {
        let Some(step) = &mut self.step else { return Ok(()) };
        let Some((node, control)) = step.read(caller, &self.poller)? else { return Ok(()) };
        let first = [&step.plan, &encode(&Down::You(node))[..]].concat();
        let index = node as usize;
        let m = &mut self.members[index];
        m.came(control, &first);
        if !self.held {
            self.poller.add(m.control.reader(), token(Kind::ControlIn, index), true, false)?;
        }
        self.control_came(index)
    }

    fn serve(&mut self) -> Result<()> {
        let mut ready = Vec::new();
        loop {
            self.drain();
            self.look_for_end();
            self.watch();
            if self.members.iter().all(|m| m.state == State::Gone) && !self.sinks.iter().any(Sink::waits) {
                return Ok(());
            }
            let until =
                if self.input.always_ready && self.input.polled { Some(Instant::now()) } else { self.next_time() };
            self.poller.wait(until, &mut ready)?;
            for token in std::mem::take(&mut ready) {
                self.handle(token)?;
            }
            if self.input.always_ready && self.input.polled {
                self.input_came();
            }
            self.look_at_clock();
        }
    }

    fn handle(&mut self, token: u64) -> Result<()> {
        let index = (token & 0xffff_ffff) as usize;
        let Some(kind) = Kind::from_repr(token >> 32) else { return Ok(()) };
        match kind {
            Kind::Signals => self.signals_came(),
            Kind::ControlIn => self.control_came(index)?,
            Kind::ControlOut => self.members[index].control.flush(),
            Kind::LauncherStderr => self.stderr_came(index),
            Kind::Sink => {}
            Kind::Input => self.input_came(),
            Kind::Listener => self.step.as_mut().map_or(Ok(()), |s| s.accept(&self.poller))?,
            Kind::Caller => self.caller_came(index)?,
            Kind::StepStderr => self.step.iter_mut().for_each(|s| s.stderr_came(&self.poller)),
        }
        Ok(())
    }

    fn signals_came(&mut self) {
        while let Some(signal) = sys::next_signal(&self.signals) {
            if signal == Signal::SIGCHLD {
                continue;
            }
            if sys::ends(signal) {
                self.end_requested(Instant::now());
            }
            for m in &mut self.members {
                m.control.send(&Down::Signal(signal as i32));
            }
            if signal == Signal::SIGTSTP {
                let _ = raise(Signal::SIGSTOP);
            }
            if signal == Signal::SIGCONT && self.input.terminal {
                // The terminal may belong to this job again.
                self.stop_input();
            }
        }
        while let Ok(Some(ended)) = sys::ended_child() {
            for m in self.members.iter_mut().filter(|m| m.process == Some(ended.pid)) {
                m.process_ended(words(ended.how), self.finishing);
            }
        }
    }

    /// The node servers kill the ranks that do not end. Computes when that is over.
    fn end_requested(&mut self, now: Instant) {
        self.members.iter().for_each(Member::wake);
        let grace = if self.asked_to_end { 0.0 } else { self.plan.grace };
        self.asked_to_end = true;
        if self.failure.is_none() && !self.finishing {
            self.over_by = Some(now + Duration::from_secs_f64(grace));
        }
    }

    fn control_came(&mut self, index: usize) -> Result<()> {
        let m = &mut self.members[index];
        m.last_seen = Instant::now();
        let open = m.control.fill();
        let host = &self.plan.hosts[index];
        if m.state == State::Starting && m.control.greeted().with_context(|| format!("host {host}"))? {
            m.state = State::Up;
            m.spoke = true;
        }
        while self.members[index].state != State::Starting {
            let host = &self.plan.hosts[index];
            let message = self.members[index].control.next::<Up>().with_context(|| format!("host {host}"))?;
            let Some(message) = message else { break };
            self.message(index, message);
        }
        if !open {
            let m = &mut self.members[index];
            self.poller.remove(m.control.reader());
            if self.finishing {
                m.state = State::Gone;
            } else {
                m.state = State::Lost(Instant::now() + REASON);
            }
        }
        Ok(())
    }

    fn message(&mut self, index: usize, message: Up) {
        match message {
            // Only a server that calls back sends it, before it gets here.
            Up::Here(_) => {}
            Up::Listening(address) => {
                for child in self.plan.children(index as u32) {
                    self.members[child as usize].control.send(&Down::Parent(address));
                }
            }
            Up::Started => {
                self.members[index].started = true;
                if self.members.iter().all(|m| m.started) {
                    self.started = Some(self.begun.elapsed().as_secs_f64());
                }
            }
            Up::Output { error, bytes } => self.sinks[error as usize].push(&bytes),
            Up::InputTaken(n) => self.input.on_its_way = self.input.on_its_way.saturating_sub(n as usize),
            Up::Joined => self.hang.joined(Instant::now()),
            Up::Outside(rank) => self.hang.outside(rank, Instant::now()),
            Up::Table { head, rows } if head == HEAD => self.live.take(&rows, Instant::now()),
            Up::Table { head, rows } => {
                if self.hang.table(&head, &rows, Instant::now()) {
                    self.ask();
                }
            }
            Up::Failed(failure) => self.fail(failure),
            Up::Done => self.members[index].state = State::Done,
            Up::Cost(cost) => self.members[index].cost = cost,
        }
    }

    /// Asks all ranks what they do.
    fn ask(&mut self) {
        self.members.iter_mut().for_each(|m| m.control.send(&Down::Ask));
    }

    /// Takes the first failure as the job's and ends what still runs.
    fn fail(&mut self, failure: Failure) {
        if self.failure.is_some() {
            return;
        }
        // A user who has pressed Ctrl-C knows why the ranks ended.
        let by_request = self.asked_to_end && failure.code > 128;
        self.failure = Some(if by_request { Failure { text: String::new(), ..failure } } else { failure });
        self.over_by = Some(Instant::now());
        for m in &mut self.members {
            m.wake();
            m.control.send(&Down::Kill);
        }
    }

    fn stderr_came(&mut self, index: usize) {
        let m = &mut self.members[index];
        let Some(fd) = &m.stderr else { return };
        // Before the node server has sent anything, this text may say why it does not come. Later it is shown at once.
        let (spoke, said) = (m.spoke, &mut m.said);
        let open = sys::read_some(fd.as_fd(), |bytes| match spoke {
            false => said.hear(bytes),
            true => self.sinks[1].push(bytes),
        });
        if !open {
            self.poller.remove(fd);
            m.stderr = None;
        }
    }

    /// Writes what can be written.
    fn drain(&mut self) {
        for i in 0..2 {
            if let Some(failure) = self.sinks[i].drain() {
                self.fail(failure);
            }
        }
    }

    /// Sets what is waited for: room for output, control connections while output is taken, input while there is room
    /// for it.
    fn watch(&mut self) {
        let mut full = false;
        for i in 0..2 {
            let sink = &mut self.sinks[i];
            full |= sink.full();
            self.sink_watches[i].set(sink.waits(), &self.poller, sink.as_fd(), token(Kind::Sink, i));
        }
        for (i, m) in self.members.iter_mut().enumerate() {
            if m.control.is_open() {
                let wait = m.control.waiting() > 0 && m.is_connected();
                m.watch.set(wait, &self.poller, m.control.writer(), token(Kind::ControlOut, i));
            }
            if let Some(stderr) = m.stderr.as_ref().filter(|_| full != self.held) {
                match full {
                    true => self.poller.remove(stderr),
                    false => drop(self.poller.add(stderr, token(Kind::LauncherStderr, i), true, false)),
                }
            }
            if full != self.held && m.is_connected() {
                match full {
                    true => self.poller.remove(m.control.reader()),
                    false => {
                        drop(self.poller.add(m.control.reader(), token(Kind::ControlIn, i), true, false));
                        m.last_seen = Instant::now();
                    }
                }
            }
        }
        self.held = full;
        self.watch_input();
    }

    fn next_time(&self) -> Option<Instant> {
        let lost = self.members.iter().filter_map(|m| match m.state {
            State::Lost(until) => Some(until),
            _ => None,
        });
        let starting = self.members.iter().any(|m| m.state == State::Starting).then(|| self.launch_limit());
        let silent = self.members.iter().filter_map(|m| self.silence_ends(m));
        let awaited = self.members.iter().any(Member::is_awaited).then(|| self.late_calls_end()).flatten();
        let callers = self.step.as_ref().and_then(Step::next_time);
        let limits = callers.into_iter().chain(self.time_limit).chain(self.hang.until()).chain(self.live.until());
        lost.chain(starting).chain(awaited).chain(silent).chain(limits).min()
    }

    /// When a silent node server is given up.
    fn silence_ends(&self, m: &Member) -> Option<Instant> {
        let awaited = match m.state {
            // A server that writes its ranks' output itself may be waiting for room, however long that takes.
            State::Up => !m.direct,
            State::Done => self.finishing,
            // These states have other limits.
            State::Starting | State::Lost(_) | State::Gone => false,
        };
        let over_by = self.over_by.filter(|_| awaited && !self.held)?;
        Some(over_by.max(m.last_seen) + SILENCE_LIMIT)
    }

    /// When servers of a step that have not called back are given up in a job that has failed.
    fn late_calls_end(&self) -> Option<Instant> {
        self.failure.as_ref().and(self.over_by).map(|t| t + LATE_CALLS)
    }

    fn launch_limit(&self) -> Instant {
        self.begun + Duration::from_secs_f64(self.options.launch_timeout)
    }

    fn look_at_clock(&mut self) {
        let now = Instant::now();
        self.step.iter_mut().for_each(|step| step.look_at_clock(&self.poller));
        if self.time_limit.is_some_and(|t| now >= t) {
            self.time_limit = None;
            let text = format!("the job was ended at its time limit of {} s", self.seconds_allowed);
            self.hang.fail_behind_table(Failure { code: LATE, text }, now);
            self.ask();
        }
        if let Some(table) = self.live.due(now, Live::terminal()) {
            self.sinks[1].push(table.as_bytes());
        }
        for due in self.hang.due(now) {
            match due {
                Due::Show(text) => self.sinks[1].push(text.as_bytes()),
                Due::Fail(failure) if !self.finishing => self.fail(failure),
                Due::Fail(_) => {}
            }
        }
        let late = now >= self.launch_limit();
        let no_more_calls = self.late_calls_end().is_some_and(|t| now >= t);
        for i in 0..self.members.len() {
            // The text of the launcher's command may come after its end.
            if self.members[i].ended.is_some() {
                self.stderr_came(i);
            }
            let said = match (self.members[i].state, &mut self.step) {
                (State::Up | State::Done | State::Gone, _) => String::new(),
                (State::Starting, _) if !late => String::new(),
                (_, Some(step)) => {
                    step.stderr_came(&self.poller);
                    step.reason()
                }
                (_, None) => self.members[i].said(),
            };
            let host = &self.plan.hosts[i];
            let silent = self.silence_ends(&self.members[i]).is_some_and(|t| now >= t);
            let m = &mut self.members[i];
            match m.state {
                // There is no process whose end could explain more.
                State::Lost(_) if m.process.is_none() && self.failure.is_some() => m.state = State::Gone,
                State::Lost(until) if m.ended.is_some() || now >= until => {
                    let text = m.why_lost(host, &said);
                    m.state = State::Gone;
                    self.fail(Failure { code: OURS, text });
                }
                State::Starting if late => {
                    let limit = self.options.launch_timeout;
                    let text = format!("host {host} gave no answer within {limit} s{said}");
                    m.give_up(&self.poller);
                    self.fail(Failure { code: OURS, text });
                }
                // There is no server yet to be told that the job is over.
                State::Starting if self.failure.is_some() && !m.is_awaited() => m.give_up(&self.poller),
                State::Starting if no_more_calls => m.give_up(&self.poller),
                // Its ranks have ended, and only their cost is missing.
                State::Done if silent => m.give_up(&self.poller),
                State::Up if silent => {
                    m.give_up(&self.poller);
                    self.fail(Failure { code: OURS, text: format!("the node server on host {host} does not answer") });
                }
                _ => {}
            }
        }
    }

    /// When every node is done, the servers are told to end.
    fn look_for_end(&mut self) {
        let over = |m: &Member| matches!(m.state, State::Done | State::Gone);
        // Output first: that it cannot be written is a failure.
        if !self.finishing && self.members.iter().all(over) && !self.sinks[0].waits() {
            self.finishing = true;
            self.over_by = Some(Instant::now());
            // The job has kept the limit: a node server that is slow to end does not change how the ranks ended.
            self.time_limit = None;
            // Behind all output of the ranks.
            if let Some(failure) = self.failure.as_ref().filter(|f| !f.text.is_empty()) {
                self.sinks[1].push(format!("oshrun: {}\n", failure.text).as_bytes());
                self.drain();
            }
            for m in &mut self.members {
                m.control.send(&Down::Finish);
            }
        }
    }
}

fn words(how: How) -> String {
    match how {
        How::Exit(code) => format!("ended with exit code {code}"),
        How::Signal { number, .. } => format!("was ended by {}", sys::signal_name(number)),
    }
}
