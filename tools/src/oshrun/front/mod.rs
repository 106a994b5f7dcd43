//! oshrun itself: starts the node servers, passes input, output and signals on, and knows how the job ended.

mod input;
mod member;
mod step;

use crate::cli;
use crate::launch::{self, Launcher, Routes};
use crate::link::{Cost, Down, Failure, Up, encoded};
use crate::node;
use crate::output::Sink;
use crate::plan::Plan;
use crate::pmix;
use crate::sys::{self, How, Poller};
use anyhow::{Context, Result};
use input::Input;
use member::{Member, State};
use nix::sys::signal::{Signal, raise};
use nix::sys::signalfd::SignalFd;
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};
use step::{Step, encoded_plan};

/// The exit code at the time limit, as that of timeout(1).
const LATE: i32 = 124;

/// The exit code when oshrun itself cannot go on.
pub const OURS: i32 = 125;

/// How long the end of a node server's process is waited for after its link has closed, to tell why.
const REASON: Duration = Duration::from_millis(500);

/// How long processes that have been told to go may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long a node server that has to end its part of the job may say nothing: as long as processes may take to be
/// killed, and a little more. A link need not tell that the host at its other end is lost: it may be a pipe to a command that does not know either.
const PATIENCE: Duration = Duration::from_secs(node::KILLED.as_secs() + 5);

/// How long servers of a step that have not called back are waited for after a failure: srun ends all of them.
const LATE_CALLS: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
enum Kind {
    Signals,
    LinkIn,
    LinkOut,
    Noise,
    Sink,
    Input,
    Door,
    Caller,
    StepNoise,
}

const KINDS: [Kind; 9] = [
    Kind::Signals,
    Kind::LinkIn,
    Kind::LinkOut,
    Kind::Noise,
    Kind::Sink,
    Kind::Input,
    Kind::Door,
    Kind::Caller,
    Kind::StepNoise,
];

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
    /// The servers that `srun` has started, if so.
    step: Option<Step>,
    sinks: [Sink; 2],
    sink_waits: [bool; 2],
    /// Links are not read because output is not taken.
    held: bool,
    input: Input,
    /// The first thing that went wrong.
    failure: Option<Failure>,
    /// A signal that ends programs has been passed on: that they end by it is no news.
    asked_to_end: bool,
    /// From when on node servers have only to say that their ranks have ended or, at the end, to go.
    over_by: Option<Instant>,
    begun: Instant,
    started: Option<f64>,
    time_limit: Option<Instant>,
    seconds_allowed: f64,
    finishing: bool,
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
        sink_waits: [false; 2],
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
    };
    let result = front.start(inherited).and_then(|()| front.serve());
    if result.is_err() {
        front.members.iter_mut().for_each(|m| m.link.send(&Down::Kill));
    }
    let processes: Vec<Pid> = front.members.iter().filter_map(|m| m.process.filter(|_| m.ended.is_none())).collect();
    // Node servers end their ranks when their links close.
    let costs = front.members.drain(..).map(|m| m.cost).collect();
    let (failure, started) = (front.failure.take(), front.started.unwrap_or_default());
    drop(front);
    sys::wait_for_ends(processes, FAREWELL);
    sys::kill_descendants(Duration::from_secs(10), &before);
    // Where a node server was killed; those of other hosts have a process beside them that does the same.
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
                    let mut member = Member::launched(launch::start(&words)?, &words[0])?;
                    member.link.send_encoded(&plan);
                    member.link.send(&Down::You(node));
                    members.insert(node, member);
                }
            }
        }
        let root_here = local.contains(&self.plan.node_of[0]);
        let stdin = self.plan_input(root_here)?;
        if !local.is_empty() {
            let direct = self.plan.hosts.len() == 1;
            let (pid, links) = launch::fork(self.plan, &local, inherited, direct, stdin)?;
            for (&node, link) in local.iter().zip(links) {
                members.insert(node, Member::forked(link, pid, local.len() == 1, direct));
            }
        }
        self.members = members.into_values().collect();
        for (i, m) in self.members.iter().enumerate().filter(|(_, m)| m.link.is_open()) {
            self.poller.add(m.link.reader(), token(Kind::LinkIn, i), true, false)?;
            if let Some(noise) = &m.noise {
                self.poller.add(noise, token(Kind::Noise, i), true, false)?;
            }
        }
        Ok(())
    }

    /// A server of the step has called back, or a stranger.
    fn caller_came(&mut self, caller: usize) -> Result<()> {
        let Some(step) = &mut self.step else { return Ok(()) };
        let Some((node, link)) = step.hear(caller, &self.poller)? else { return Ok(()) };
        let first = [&step.plan, &encoded(&Down::You(node))[..]].concat();
        let index = node as usize;
        let m = &mut self.members[index];
        m.came(link, &first);
        if !self.held {
            self.poller.add(m.link.reader(), token(Kind::LinkIn, index), true, false)?;
        }
        self.link_came(index)
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
        match KINDS[(token >> 32) as usize] {
            Kind::Signals => self.signals_came(),
            Kind::LinkIn => self.link_came(index)?,
            Kind::LinkOut => self.members[index].link.flush(),
            Kind::Noise => self.noise_came(index),
            Kind::Sink => {}
            Kind::Input => self.input_came(),
            Kind::Door => self.step.as_mut().map_or(Ok(()), |s| s.accept(&self.poller))?,
            Kind::Caller => self.caller_came(index)?,
            Kind::StepNoise => self.step.iter_mut().for_each(|s| s.noise_came(&self.poller)),
        }
        Ok(())
    }

    fn signals_came(&mut self) {
        while let Some(signal) = sys::next_signal(&self.signals) {
            if signal == Signal::SIGCHLD {
                continue;
            }
            if sys::ends(signal) {
                self.asked_to_end_by(Instant::now());
            }
            for m in &mut self.members {
                m.link.send(&Down::Signal(signal as i32));
            }
            if signal == Signal::SIGTSTP {
                let _ = raise(Signal::SIGSTOP);
            }
            if signal == Signal::SIGCONT && self.input.terminal {
                // The terminal may be ours again.
                self.stop_input();
            }
        }
        while let Ok(Some(ended)) = sys::ended_child() {
            for m in self.members.iter_mut().filter(|m| m.process == Some(ended.pid)) {
                m.process_ended(words(ended.how), self.finishing);
            }
        }
    }

    /// Knows as well as the node servers do when ranks that stay are killed.
    fn asked_to_end_by(&mut self, now: Instant) {
        let patience = if self.asked_to_end { 0.0 } else { self.plan.grace };
        self.asked_to_end = true;
        if self.failure.is_none() && !self.finishing {
            self.over_by = Some(now + Duration::from_secs_f64(patience));
        }
    }

    fn link_came(&mut self, index: usize) -> Result<()> {
        let m = &mut self.members[index];
        m.heard = Instant::now();
        let open = m.link.fill();
        if m.state == State::Starting && m.link.greeted() {
            m.state = State::Up;
            m.spoke = true;
        }
        while self.members[index].state != State::Starting {
            let host = &self.plan.hosts[index];
            let message = self.members[index].link.next::<Up>().with_context(|| format!("host {host}"))?;
            let Some(message) = message else { break };
            self.message(index, message);
        }
        if !open {
            let m = &mut self.members[index];
            self.poller.remove(m.link.reader());
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
            // A server that has been heard does not say it again.
            Up::Here(_) => {}
            Up::Listening(address) => {
                for child in self.plan.children(index as u32) {
                    self.members[child as usize].link.send(&Down::Parent(address));
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
            Up::Failed(failure) => self.fail(failure),
            Up::Done => self.members[index].state = State::Done,
            Up::Cost(cost) => self.members[index].cost = cost,
        }
    }

    /// Takes the first failure as the job's and ends what still runs.
    fn fail(&mut self, failure: Failure) {
        if self.failure.is_some() {
            return;
        }
        // Whoever pressed Ctrl-C knows why the ranks ended.
        let by_request = self.asked_to_end && failure.code > 128;
        self.failure = Some(if by_request { Failure { text: String::new(), ..failure } } else { failure });
        self.over_by = Some(Instant::now());
        for m in &mut self.members {
            m.link.send(&Down::Kill);
        }
    }

    fn noise_came(&mut self, index: usize) {
        let m = &mut self.members[index];
        let mut buffer = [0; 4096];
        while let Some(fd) = &m.noise {
            match sys::read(fd.as_fd(), &mut buffer) {
                None => return,
                Some(0) => {
                    self.poller.remove(fd);
                    m.noise = None;
                }
                Some(n) => {
                    // Before the node server is there this says why it is not; then it is shown as it comes.
                    if !m.spoke {
                        m.said.extend_from_slice(&buffer[..n]);
                    } else {
                        self.sinks[1].push(&buffer[..n]);
                    }
                }
            }
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

    /// Sets what is waited for: room for output, links while their output is taken, input while there is room for it.
    fn watch(&mut self) {
        let mut full = false;
        for i in 0..2 {
            let sink = &mut self.sinks[i];
            full |= sink.full();
            if sink.waits() != self.sink_waits[i] {
                self.sink_waits[i] = sink.waits();
                match sink.waits() {
                    true => drop(self.poller.add(sink.as_fd(), token(Kind::Sink, i), false, true)),
                    false => self.poller.remove(sink.as_fd()),
                }
            }
        }
        for (i, m) in self.members.iter_mut().enumerate() {
            let waits = m.link.waiting() > 0 && m.is_connected();
            if waits != m.link_waits {
                m.link_waits = waits;
                match waits {
                    true => drop(self.poller.add(m.link.writer(), token(Kind::LinkOut, i), false, true)),
                    false => self.poller.remove(m.link.writer()),
                }
            }
            if full != self.held && m.is_connected() {
                match full {
                    true => self.poller.remove(m.link.reader()),
                    false => {
                        drop(self.poller.add(m.link.reader(), token(Kind::LinkIn, i), true, false));
                        m.heard = Instant::now();
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
        let silent = self.members.iter().filter_map(|m| self.patience_ends(m));
        let awaited = self.members.iter().any(Member::is_awaited).then(|| self.late_calls_end()).flatten();
        lost.chain(starting).chain(awaited).chain(silent).chain(self.time_limit).min()
    }

    /// When a node server that says nothing is given up.
    fn patience_ends(&self, m: &Member) -> Option<Instant> {
        let awaited = match m.state {
            // One that writes its ranks' output itself may be waiting for room, however long that takes.
            State::Up => !m.direct,
            State::Done => self.finishing,
            // These have limits of their own.
            State::Starting | State::Lost(_) | State::Gone => false,
        };
        let over_by = self.over_by.filter(|_| awaited && !self.held)?;
        Some(over_by.max(m.heard) + PATIENCE)
    }

    /// When servers of a step that have not called are given up in a job that has failed.
    fn late_calls_end(&self) -> Option<Instant> {
        self.failure.as_ref().and(self.over_by).map(|t| t + LATE_CALLS)
    }

    fn launch_limit(&self) -> Instant {
        self.begun + Duration::from_secs_f64(self.options.launch_timeout)
    }

    fn look_at_clock(&mut self) {
        let now = Instant::now();
        if self.time_limit.is_some_and(|t| now >= t) {
            self.time_limit = None;
            let text = format!("the job was ended at its time limit of {} s", self.seconds_allowed);
            self.fail(Failure { code: LATE, text });
        }
        let late = now >= self.launch_limit();
        let no_more_calls = self.late_calls_end().is_some_and(|t| now >= t);
        for i in 0..self.members.len() {
            // What the launcher's command said may come after its end.
            if self.members[i].ended.is_some() {
                self.noise_came(i);
            }
            let said = match (self.members[i].state, &mut self.step) {
                (State::Up | State::Done | State::Gone, _) => String::new(),
                (State::Starting, _) if !late => String::new(),
                (_, Some(step)) => {
                    step.noise_came(&self.poller);
                    step.reason()
                }
                (_, None) => self.members[i].said(),
            };
            let host = &self.plan.hosts[i];
            let silent = self.patience_ends(&self.members[i]).is_some_and(|t| now >= t);
            let m = &mut self.members[i];
            match m.state {
                // No end of a process will come that explains more than we know.
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
                // Nobody there to tell that all is over.
                State::Starting if self.failure.is_some() && !m.is_awaited() => m.give_up(&self.poller),
                State::Starting if no_more_calls => m.give_up(&self.poller),
                // Its ranks have ended, and nothing but their cost is missing.
                State::Done if silent => m.give_up(&self.poller),
                State::Up if silent => {
                    m.give_up(&self.poller);
                    self.fail(Failure { code: OURS, text: format!("the node server on host {host} does not answer") });
                }
                _ => {}
            }
        }
    }

    /// When every node is done, all may go.
    fn look_for_end(&mut self) {
        let over = |m: &Member| matches!(m.state, State::Done | State::Gone);
        // Output first: that it cannot be written is a failure.
        if !self.finishing && self.members.iter().all(over) && !self.sinks[0].waits() {
            self.finishing = true;
            self.over_by = Some(Instant::now());
            // The job has kept it: a node server that is slow to go does not change how the ranks ended.
            self.time_limit = None;
            // After all that the ranks had to say.
            if let Some(failure) = self.failure.as_ref().filter(|f| !f.text.is_empty()) {
                self.sinks[1].push(format!("oshrun: {}\n", failure.text).as_bytes());
                self.drain();
            }
            for m in &mut self.members {
                m.link.send(&Down::Finish);
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
