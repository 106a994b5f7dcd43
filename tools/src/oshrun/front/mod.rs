//! The front, which is oshrun itself: starts the first node servers, passes on input, output and signals, and knows how
//! the job ended.

mod hang;
mod input;
pub mod top;

use crate::below::{Below, News, State};
use crate::cli;
use crate::control::{Cost, Down, Failure, Pids, Up};
use crate::debug;
use crate::launch::{Launcher, Routes};
use crate::node::relay;
use crate::output::Sink;
use crate::plan::Plan;
use crate::pmix;
use crate::poll::{Kind, WriteWatch};
use crate::sys;
use anyhow::Result;
use hang::{Due, Hang};
use input::Input;
use nix::sys::signal::{Signal, raise};
use nix::sys::signalfd::SignalFd;
use pmi_shm::top::HEAD;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};
use top::Live;

/// The exit code at the time limit: that of timeout(1).
const LATE: i32 = 124;

pub struct End {
    pub code: i32,
    /// By node, where they were asked for.
    pub costs: Vec<(u32, Cost)>,
    pub codes: Vec<(u32, i32)>,
    /// Seconds until the last node had started its ranks, and of the whole job.
    pub started: f64,
    pub took: f64,
    /// How many node servers oshrun has connections to, and the bytes that it has sent to and read from them.
    pub servers: usize,
    pub bytes: (u64, u64),
}

struct Front<'a> {
    plan: &'a Plan,
    below: Below<'a>,
    signals: SignalFd,
    sinks: [Sink; 2],
    sink_watches: [WriteWatch; 2],
    input: Input,
    failure: Option<Failure>,
    costs: Vec<(u32, Cost)>,
    pids: Vec<Pids>,
    codes: Vec<(u32, i32)>,
    begun: Instant,
    started: Option<f64>,
    /// When the job is over at the latest, and the seconds until then from its begin.
    time_limit: Option<(Instant, f64)>,
    hang: Hang,
    live: Live,
}

pub fn run(plan: &Plan, routes: &Routes, options: &cli::Job, time_limit: Option<f64>) -> Result<End> {
    let begun = Instant::now();
    let before = sys::children();
    sys::adopt_orphans();
    let inherited = sys::Inherited::now()?;
    sys::raise_descriptor_limit();
    let signals = sys::signals(&[Signal::SIGCHLD])?;
    let below = Below::new(plan, None)?;
    below.poller.add(&signals, (Kind::Signals, 0))?;
    let mut front = Front {
        plan,
        below,
        signals,
        sinks: Sink::both(),
        sink_watches: Default::default(),
        input: Input::default(),
        failure: None,
        costs: Vec::new(),
        pids: Vec::new(),
        codes: Vec::new(),
        begun,
        started: None,
        time_limit: time_limit.map(|s| (begun + Duration::from_secs_f64(s), s)),
        hang: Hang::new(plan.size()),
        live: Live::new(plan.size()),
    };
    let result = front.start(routes, options, inherited).and_then(|()| front.serve());
    if result.is_err() {
        front.below.send(&Down::Kill);
    }
    let servers = front.below.members.len();
    let bytes = front.below.end(&before);
    if plan.local {
        // Those of servers that were killed together with the one above them.
        (0..plan.nodes()).for_each(|node| pmix::dir::remove(plan, node));
    }
    result?;
    let code = front.failure.map_or(0, |f| f.code);
    let (mut costs, mut codes, started) = (front.costs, front.codes, front.started.unwrap_or_default());
    costs.sort_by_key(|(node, _)| *node);
    codes.sort_unstable();
    Ok(End { code, costs, codes, started, took: begun.elapsed().as_secs_f64(), servers, bytes })
}

impl Front<'_> {
    /// Starts the first node servers: those of this machine by forks.
    fn start(&mut self, routes: &Routes, options: &cli::Job, inherited: sys::Inherited) -> Result<()> {
        let plan = self.plan;
        let (local, remote): (Vec<u32>, Vec<u32>) = plan.starts(None).partition(|&n| routes.local[n as usize]);
        let mut stdin = self.plan_input(local.contains(&0))?;
        if !local.is_empty() {
            self.below.fork(&local, true, &mut None, move |node, control| {
                relay::forked(control, inherited, stdin.take().filter(|_| node == 0))
            })?;
        }
        match &routes.launcher {
            _ if remote.is_empty() => {}
            Launcher::Srun(command) => self.below.launch_step(&remote, command, options, &inherited)?,
            _ => {
                let hosts = plan.hosts.all()?;
                remote.iter().try_for_each(|&n| self.below.launch(n, &hosts[n as usize], &inherited))?;
            }
        }
        self.below.begin()
    }

    fn serve(&mut self) -> Result<()> {
        loop {
            self.take_news();
            self.drain();
            self.look_for_end();
            self.watch();
            if self.below.all(|s| *s == State::Gone) && !self.sinks.iter().any(Sink::waits) {
                return Ok(());
            }
            let until =
                if self.input.always_ready && self.input.polled { Some(Instant::now()) } else { self.next_time() };
            for (kind, index) in self.below.poller.wait(until)? {
                match kind {
                    Kind::Signals => self.signals_came(),
                    Kind::Input => self.input_came(),
                    kind => self.below.handle(kind, index)?,
                }
                self.take_news();
            }
            if self.input.always_ready && self.input.polled {
                self.input_came();
            }
            self.look_at_clock();
        }
    }

    fn signals_came(&mut self) {
        while let Some(signal) = sys::next_signal(&self.signals) {
            if signal == Signal::SIGCHLD {
                continue;
            }
            self.below.signal(signal as i32, sys::ends(signal));
            if matches!(signal, Signal::SIGQUIT | Signal::SIGUSR1) {
                self.hang.asked(Instant::now());
            }
            if signal == Signal::SIGTSTP {
                let _ = raise(Signal::SIGSTOP);
            }
            if signal == Signal::SIGCONT && self.input.terminal {
                // The terminal may belong to this job again.
                self.stop_input();
            }
        }
        self.below.reap();
    }

    fn take_news(&mut self) {
        while let Some(news) = self.below.news.pop_front() {
            match news {
                News::Message(index, message) => self.message(index, message),
                News::Failed(failure) => self.fail(failure),
            }
        }
    }

    fn message(&mut self, index: usize, message: Up) {
        match message {
            // For relays.
            Up::Orphaned | Up::Alive => {}
            Up::Listening(address) => {
                let node = self.below.members[index].node;
                self.below.tell_children(node, address);
            }
            Up::Started => {
                if self.below.started(index) {
                    self.started = Some(self.begun.elapsed().as_secs_f64());
                    debug::all_started(self.plan, &std::mem::take(&mut self.pids), &mut self.below, &mut self.sinks[1]);
                }
            }
            Up::Output { error, bytes } => self.sinks[error as usize].push(&bytes),
            Up::InputTaken(n) => {
                let taken = self.below.input_taken(index, n);
                self.input.on_its_way = self.input.on_its_way.saturating_sub(taken as usize);
            }
            Up::Pids(pids) => self.pids.extend(pids),
            Up::Codes(codes) => self.codes.extend(codes),
            Up::Joined => self.hang.joined(Instant::now()),
            Up::Outside(rank) => self.hang.outside(rank, Instant::now()),
            Up::Table { head, rows } if head == HEAD => self.live.take(&rows, Instant::now()),
            Up::Table { head, rows } => {
                if self.hang.table(&head, &rows, Instant::now()) {
                    self.below.send(&Down::Ask);
                }
            }
            Up::Failed(failure) => self.fail(failure),
            Up::Done => self.below.done(index),
            Up::Costs(costs) => self.costs.extend(costs),
        }
    }

    /// Takes the first failure as the job's and ends what still runs.
    fn fail(&mut self, failure: Failure) {
        if self.failure.is_some() {
            return;
        }
        // A user who has pressed Ctrl-C knows why the ranks ended.
        let by_request = self.below.asked_to_end && failure.code > 128;
        if !failure.text.is_empty() {
            debug::aborting();
        }
        self.failure = Some(if by_request { Failure { text: String::new(), ..failure } } else { failure });
        self.below.kill();
    }

    fn drain(&mut self) {
        for i in 0..2 {
            if let Some(failure) = self.sinks[i].drain() {
                self.fail(failure);
            }
        }
    }

    /// Sets what is waited for: room for output, messages while output is taken, input while there is room for it.
    fn watch(&mut self) {
        let mut full = false;
        for i in 0..2 {
            let sink = &mut self.sinks[i];
            full |= sink.full();
            self.sink_watches[i].set(sink.waits(), &self.below.poller, sink.as_fd(), (Kind::Sink, i));
        }
        self.below.watch(full);
        self.watch_input();
    }

    fn next_time(&self) -> Option<Instant> {
        let below = self.below.next_time().into_iter();
        below.chain(self.time_limit.map(|limit| limit.0)).chain(self.hang.until()).chain(self.live.until()).min()
    }

    fn look_at_clock(&mut self) {
        let now = Instant::now();
        if let Some((_, seconds)) = self.time_limit.take_if(|limit| now >= limit.0) {
            let text = format!("the job was ended at its time limit of {seconds} s");
            self.hang.fail_behind_table(Failure { code: LATE, text }, now);
            self.below.send(&Down::Ask);
        }
        if let Some(table) = self.live.due(now, sys::terminal_lines(std::io::stderr())) {
            self.sinks[1].push(table.as_bytes());
        }
        for due in self.hang.due(now) {
            match due {
                Due::Show(text) => self.sinks[1].push(text.as_bytes()),
                Due::Fail(failure) if !self.below.finishing => self.fail(failure),
                Due::Fail(_) => {}
            }
        }
        self.below.look_at_clock();
    }

    /// When every node is done, the servers are told to end.
    fn look_for_end(&mut self) {
        // Output first: that it cannot be written is a failure.
        if !self.below.finishing && self.below.is_over() && !self.sinks[0].waits() {
            // The job has kept the limit: a node server that is slow to end does not change how the ranks ended.
            self.time_limit = None;
            // Behind all output of the ranks.
            if let Some(failure) = self.failure.as_ref().filter(|f| !f.text.is_empty()) {
                self.sinks[1].push(format!("oshrun: {}\n", failure.text).as_bytes());
                self.drain();
            }
            self.below.finish();
        }
    }
}
