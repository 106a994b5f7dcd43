//! The server of one node: starts its ranks, serves their process management, passes their output on, and sees to it
//! that none of them outlives the job.
//!
//! One thread, one loop. The ranks are its children; it is in a session of its own, apart from other work on the
//! machine, and adopts what its ranks leave behind.

mod called;
pub mod foreign;
mod input;
pub mod pmi;
mod ranks;
mod reason;
mod remote;
pub mod tree;

pub use called::called;
pub use remote::remote;

use crate::link::{Cost, Down, Failure, Link, Up};
use crate::output::Sink;
use crate::plan::Plan;
use crate::pmix::{self, Quiet};
use crate::spawn::Trouble;
use crate::sys::{self, Poller};
use anyhow::{Result, bail};
use input::Input;
use nix::sys::signal::Signal;
use nix::sys::signalfd::SignalFd;
use nix::unistd::{Pid, getppid};
use pmi::{News, Pmi};
use ranks::Ranks;
use reason::Reason;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// How long output is waited for when all ranks have ended: what they left running may still write.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// How long killed processes may take to be gone.
pub const KILLED: Duration = Duration::from_secs(10);

/// How long the reason for the end of a connection may take: as a rule a process has died.
const REASON: Duration = Duration::from_secs(1);

/// An incomplete line is shown after this time if somebody sits before it.
const PROMPT: Duration = Duration::from_millis(100);

/// What a descriptor of the loop is for; the number of a rank or a node is in the low half of the token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
enum Kind {
    Signals,
    LinkIn,
    LinkOut,
    Trouble,
    Sink,
    Input,
    Output,
    Pmi,
    Pmix,
    Listen,
}

const KINDS: [Kind; 10] = [
    Kind::Signals,
    Kind::LinkIn,
    Kind::LinkOut,
    Kind::Trouble,
    Kind::Sink,
    Kind::Input,
    Kind::Output,
    Kind::Pmi,
    Kind::Pmix,
    Kind::Listen,
];

fn token(kind: Kind, index: usize) -> u64 {
    (kind as u64) << 32 | index as u64
}

/// Whose connection ended.
#[derive(Clone, Copy)]
enum Lost {
    Rank(u32),
    Neighbour(u32),
}

/// Where the ranks' output goes.
enum Outlet {
    /// Straight to where oshrun's own goes: the job has one node, which is this machine.
    Direct([Sink; 2], [bool; 2]),
    /// To oshrun.
    Link,
}

pub struct Node<'a> {
    plan: &'a Plan,
    node: u32,
    link: &'a mut Link,
    link_waits: bool,
    signals: SignalFd,
    poller: Poller,
    outlet: Outlet,
    ranks: Ranks,
    pmi: Pmi,
    /// Those whose connection to the process management ended, and when that becomes a failure if nothing explains it.
    lost: Vec<(Instant, Lost)>,
    /// What is known of why the job fails.
    reason: Reason,
    /// Reads children's reports that they could not become their program.
    trouble: OwnedFd,
    input: Input,
    /// What libpmix says, where it is used.
    quiet: Option<Quiet>,
    /// Killed, or about to be: no end of a rank is news any more.
    dying: bool,
    /// When ranks that have been killed and are not gone are given up: a debugger holds them, or the kernel.
    gone_by: Option<Instant>,
    /// When ranks that were asked to end by a signal are killed, and that signal.
    kill_at: Option<(Instant, Signal)>,
    last_words: Option<Instant>,
    done: bool,
    /// Whoever forked us: when it goes, all is over.
    parent: Pid,
    cost: Cost,
}

/// What a node server starts with.
pub struct Start<'a> {
    pub plan: &'a Plan,
    pub node: u32,
    pub inherited: sys::Inherited,
    /// Whether output goes straight to our own.
    pub direct: bool,
    /// Standard input of rank 0, if it has it itself.
    pub stdin: Option<OwnedFd>,
}

/// Serves the node to the job's end; returns when oshrun has said that all is over, or has gone.
/// An error has been told to oshrun.
pub fn serve(start: Start, link: &mut Link) -> Result<()> {
    let begun = Instant::now();
    let Start { plan, node: number, stdin, .. } = start;
    let words = |e: &anyhow::Error| plan.located(number, &format!("{e:#}"));
    let mut node = match Node::new(plan, number, start.inherited, start.direct, link) {
        Ok(node) => node,
        Err(e) => {
            link.give_up(words(&e));
            return Err(e);
        }
    };
    let end = node.start(begun, stdin).and_then(|()| node.run());
    if let Err(e) = &end {
        node.ranks.kill();
        node.link.give_up(words(e));
    }
    node.kill();
    end
}

impl<'a> Node<'a> {
    fn new(plan: &'a Plan, node: u32, inherited: sys::Inherited, direct: bool, link: &'a mut Link) -> Result<Node<'a>> {
        sys::adopt_orphans();
        sys::raise_descriptor_limit();
        // SIGTERM tells of the parent's end, even where it is ignored.
        let signals = sys::signals(&[Signal::SIGCHLD, Signal::SIGTERM])?;
        let poller = Poller::new()?;
        poller.add(&signals, token(Kind::Signals, 0), true, false)?;
        poller.add(link.reader(), token(Kind::LinkIn, 0), true, false)?;
        let (trouble, report) = sys::pipe()?;
        sys::set_nonblocking(&trouble)?;
        poller.add(&trouble, token(Kind::Trouble, 0), true, false)?;
        let outlet = match direct {
            true => Outlet::Direct([Sink::stdout(), Sink::stderr()], [false; 2]),
            false => Outlet::Link,
        };
        let ranks = Ranks::new(plan, node, inherited, report);
        let pmi = Pmi::new(plan, node)?;
        Ok(Node {
            plan,
            node,
            link,
            link_waits: false,
            signals,
            poller,
            outlet,
            ranks,
            pmi,
            lost: Vec::new(),
            reason: Reason::default(),
            trouble,
            input: Input::default(),
            quiet: None,
            dying: false,
            gone_by: None,
            kill_at: None,
            last_words: None,
            done: false,
            parent: getppid(),
            cost: Cost::default(),
        })
    }

    fn start(&mut self, begun: Instant, stdin: Option<OwnedFd>) -> Result<()> {
        // Before the ranks: children of ours may be waiting for it.
        if let Some(address) = self.pmi.listen(self.plan, self.node, &self.poller)? {
            self.link.send(&Up::Listening(address));
        }
        self.start_pmix()?;
        self.start_ranks(stdin)?;
        self.cost.forked = begun.elapsed().as_secs_f64();
        Ok(())
    }

    /// Starts the server of PMIx if a program here needs it.
    fn start_pmix(&mut self) -> Result<()> {
        let Some((server, quiet)) = pmix::start(self.plan, self.node)? else { return Ok(()) };
        if let (Some(quiet), Outlet::Direct(sinks, _)) = (&quiet, &mut self.outlet) {
            sinks[1] = Sink::over(quiet.real());
        }
        self.quiet = quiet;
        self.pmi.add_pmix(server, &self.poller)
    }

    fn start_ranks(&mut self, stdin: Option<OwnedFd>) -> Result<()> {
        let here = self.plan.node_of.first() == Some(&self.node);
        let stdin = match stdin {
            None if here && self.plan.stdin => {
                let (read, write) = sys::pipe()?;
                sys::set_nonblocking(&write)?;
                self.input.open(write);
                Some(read)
            }
            given => given,
        };
        match self.ranks.start(self.plan, stdin, &self.poller, &mut self.pmi)? {
            Ok(()) => self.link.send(&Up::Started),
            Err(e) => self.fail(Failure { code: e.code, text: self.located(&e.text) }),
        }
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        let mut ready = Vec::new();
        // What came together with the plan.
        if !self.messages()? {
            return Ok(());
        }
        loop {
            self.drain_output();
            self.look_for_end();
            self.watch_output();
            let lost = self.lost.iter().map(|l| l.0).min();
            let kill = self.kill_at.map(|k| k.0);
            let times = [lost, kill, self.gone_by, self.last_words, self.ranks.prompt_at, self.reason.until()];
            self.poller.wait(times.into_iter().flatten().min(), &mut ready)?;
            for token in std::mem::take(&mut ready) {
                if !self.handle(token)? {
                    return Ok(());
                }
            }
            self.look_at_clock();
        }
    }

    /// False: oshrun has gone, or all is over.
    fn handle(&mut self, token: u64) -> Result<bool> {
        let index = (token & 0xffff_ffff) as usize;
        match KINDS[(token >> 32) as usize] {
            Kind::Signals => {
                // The end of the parent makes a signal, which is not for the ranks; see launch::with_parent.
                if getppid() != self.parent {
                    return Ok(false);
                }
                self.signals_came();
            }
            Kind::LinkIn => return self.link_came(),
            Kind::LinkOut => self.link.flush(),
            Kind::Trouble => self.trouble_came(),
            Kind::Sink => {}
            Kind::Input => self.give_input(),
            Kind::Output => self.output_came(index),
            Kind::Pmi => {
                let mut news = Vec::new();
                self.pmi.ready(index, &self.poller, &mut news);
                self.take_news(news);
            }
            Kind::Pmix => {
                let mut news = Vec::new();
                self.pmi.serve_pmix(&self.poller, &mut news);
                // Somebody's end may be why another one asks for the end of the job.
                self.look_for_ends();
                self.take_news(news);
            }
            Kind::Listen => self.pmi.accept(&self.poller)?,
        }
        Ok(true)
    }

    fn signals_came(&mut self) {
        while let Some(signal) = sys::next_signal(&self.signals) {
            match signal {
                Signal::SIGCHLD => {}
                s if sys::is_ignored(s) => {}
                // Sent to us alone by somebody: the same as if it had come to oshrun.
                s => self.forward(s as i32),
            }
        }
        self.look_for_ends();
    }

    /// Learns of ranks that have ended.
    fn look_for_ends(&mut self) {
        let mut later = Vec::new();
        // Children's ends may come before the signal is read; none is lost this way.
        while let Ok(Some(ended)) = sys::ended_child() {
            let Some(rank) = self.ranks.of(&ended) else { continue };
            // Before exec it reports through another pipe, and that report may not have been read.
            self.trouble_came();
            // What it has said before its end may explain it, or make it a good one. Who asks for the end of the job stays until
            // that comes; so if others have asked, this end was first, and may be why they ask.
            let mut news = Vec::new();
            self.pmi.last_words(rank, &self.poller, &mut news);
            let (others, own) = news.into_iter().partition(|n| matches!(n, News::Abort { rank: r, .. } if *r != rank));
            self.take_news(own);
            later.extend::<Vec<News>>(others);
            let active = self.pmi.is_active(rank);
            let may_follow = matches!(ended.how, sys::How::Exit(code) if code != 0);
            if let Some(failure) = self.ranks.ended(ended, self.plan, active)
                && !self.dying
            {
                let text = self.located(&failure.text);
                self.fail_for(rank, Failure { text, ..failure }, may_follow);
            }
        }
        self.take_news(later);
        if let Some(failure) = self.reason.due(self.ranks.any_is_ending(None)) {
            self.fail(failure);
        }
    }

    /// Rank `rank` has failed; `may_follow`: perhaps because another one has.
    fn fail_for(&mut self, rank: u32, failure: Failure, may_follow: bool) {
        let under_way = may_follow && self.ranks.any_is_ending(Some(rank));
        if let Some(failure) = self.reason.weigh(failure, may_follow, under_way) {
            self.fail(failure);
        }
    }

    /// What the process management found out about the job.
    fn take_news(&mut self, news: Vec<News>) {
        for n in news {
            let later = Instant::now() + REASON;
            match n {
                _ if self.dying || self.done => {}
                News::Lost(rank) => self.lost.push((later, Lost::Rank(rank))),
                News::NeighbourLost(node) => self.lost.push((later, Lost::Neighbour(node))),
                News::Abort { rank, code, message } => {
                    let code = if code != 0 && code & 0xff == 0 { 1 } else { code & 0xff };
                    let line = message.lines().next().unwrap_or_default();
                    let said = if line.is_empty() { String::new() } else { format!(": {line}") };
                    let text = format!("rank {rank} ended the job with code {code}{said}");
                    let text = if code == 0 { String::new() } else { self.located(&text) };
                    self.fail_for(rank, Failure { code, text }, true);
                }
                News::Broken(text) => self.fail(Failure { code: 125, text: self.located(&text) }),
            }
        }
    }

    fn link_came(&mut self) -> Result<bool> {
        Ok(self.link.fill() && self.messages()?)
    }

    /// What has come over the link. False: all is over.
    fn messages(&mut self) -> Result<bool> {
        while let Some(message) = self.link.next::<Down>()? {
            match message {
                Down::Plan(_) | Down::You(_) => bail!("a second plan came"),
                Down::Parent(address) => self.pmi.join(address, self.plan, self.node, &self.poller)?,
                Down::Input(bytes) => {
                    self.input.push(bytes);
                    self.give_input();
                }
                Down::Signal(number) => self.forward(number),
                Down::Kill => self.kill_ranks(),
                Down::Finish => {
                    self.finish();
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Passes standard input on to rank 0 as far as it takes it.
    fn give_input(&mut self) {
        let taken = self.input.give(&self.poller);
        if taken > 0 {
            self.link.send(&Up::InputTaken(taken as u32));
        }
    }

    /// A signal for all ranks. One that ends programs starts the time after which those that stay are killed; the second
    /// one does not wait.
    fn forward(&mut self, number: i32) {
        let Ok(signal) = Signal::try_from(number) else { return };
        if sys::ends(signal) {
            let patience = if self.kill_at.is_some() { 0.0 } else { self.plan.grace };
            self.kill_at = Some((Instant::now() + Duration::from_secs_f64(patience), signal));
        }
        // SIGTSTP does nothing in a process group whose session has no terminal.
        self.ranks.signal(if signal == Signal::SIGTSTP { Signal::SIGSTOP } else { signal });
    }

    fn trouble_came(&mut self) {
        let mut buffer = [0; 64 * Trouble::LENGTH];
        while let Some(n) = sys::read(self.trouble.as_fd(), &mut buffer).filter(|&n| n > 0) {
            for trouble in buffer[..n].chunks(Trouble::LENGTH).filter_map(Trouble::read) {
                // All ranks of a program have the same trouble; which one reports is of no interest.
                let e = trouble.told(self.plan.programs[self.plan.program_of(trouble.rank)].name());
                if !self.dying {
                    self.fail(Failure { code: e.code, text: self.located(&e.text) });
                }
            }
        }
    }

    fn output_came(&mut self, index: usize) {
        let mut out = Vec::new();
        self.ranks.read(index, &self.poller, &mut out);
        self.give_output(index & 1, &out);
    }

    fn give_output(&mut self, stream: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        match &mut self.outlet {
            Outlet::Direct(sinks, _) => sinks[stream].push(bytes),
            Outlet::Link => {
                for piece in bytes.chunks(1 << 20) {
                    self.link.send(&Up::Output { error: stream == 1, bytes: piece.to_vec() });
                }
            }
        }
    }

    /// Writes what can be written. Whether all is.
    fn drain_output(&mut self) -> bool {
        let Outlet::Direct(sinks, _) = &mut self.outlet else { return true };
        let failures = sinks.each_mut().map(Sink::drain);
        let drained = !sinks.iter().any(Sink::waits);
        if let Some(failure) = failures.into_iter().flatten().next()
            && !self.dying
        {
            self.fail(failure);
        }
        drained
    }

    /// Waits for room where there was none, and lets ranks wait while too much is queued.
    fn watch_output(&mut self) {
        let mut full = self.link.waiting() > 4 << 20;
        if let Outlet::Direct(sinks, waits) = &mut self.outlet {
            for (i, (sink, waits)) in sinks.iter_mut().zip(waits).enumerate() {
                full |= sink.full();
                if sink.waits() != *waits {
                    *waits = sink.waits();
                    match *waits {
                        true => drop(self.poller.add(sink.as_fd(), token(Kind::Sink, i), false, true)),
                        false => self.poller.remove(sink.as_fd()),
                    }
                }
            }
        }
        self.ranks.hold(full, &self.poller);
        let waits = self.link.waiting() > 0;
        if waits != self.link_waits {
            self.link_waits = waits;
            match waits {
                true => drop(self.poller.add(self.link.writer(), token(Kind::LinkOut, 0), false, true)),
                false => self.poller.remove(self.link.writer()),
            }
        }
    }

    fn look_at_clock(&mut self) {
        let now = Instant::now();
        if self.reason.until().is_some_and(|t| now >= t) {
            self.look_for_ends();
        }
        if let Some((_, signal)) = self.kill_at.filter(|k| now >= k.0 && !self.dying) {
            self.kill_at = None;
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
                let host = &self.plan.hosts[node as usize];
                let text = format!("the connection to the node server of host {host} broke");
                self.fail(Failure { code: 125, text: self.located(&text) });
            }
            _ => {}
        }
        if self.ranks.prompt_at.is_some_and(|t| now >= t) {
            let mut outs = [Vec::new(), Vec::new()];
            self.ranks.prompt(&mut outs);
            self.give_output(0, &outs[0]);
            self.give_output(1, &outs[1]);
        }
    }

    /// When the last rank has ended and its output has been read, the node is done.
    fn look_for_end(&mut self) {
        if self.done || self.ranks.alive() > 0 {
            return;
        }
        if self.ranks.open_streams() > 0 {
            let now = Instant::now();
            let until = *self.last_words.get_or_insert(now + LAST_WORDS);
            if now < until && !self.dying {
                return;
            }
            // Something that a rank has started holds its output open.
            sys::kill_descendants(KILLED, &[]);
            for index in self.ranks.streams() {
                self.output_came(index);
            }
            self.ranks.close_streams();
        }
        // From here on only room for output is waited for.
        (self.last_words, self.kill_at) = (None, None);
        let said = self.quiet.as_ref().map(Quiet::take).filter(|_| !self.dying);
        let mut outs = [Vec::new(), said.unwrap_or_default()];
        self.ranks.finish(&mut outs);
        self.give_output(0, &outs[0]);
        self.give_output(1, &outs[1]);
        if !self.drain_output() {
            // Comes back when there is room.
            return;
        }
        self.done = true;
        sys::kill_descendants(KILLED, &[]);
        self.link.send(&Up::Done);
    }

    /// The job cannot succeed: kills the ranks of this node and tells oshrun, which sees to the others.
    fn fail(&mut self, failure: Failure) {
        self.kill_ranks();
        self.link.send(&Up::Failed(failure));
    }

    fn kill_ranks(&mut self) {
        self.dying = true;
        self.reason = Reason::default();
        self.gone_by.get_or_insert(Instant::now() + KILLED);
        self.ranks.kill();
    }

    fn located(&self, text: &str) -> String {
        self.plan.located(self.node, text)
    }

    fn finish(&mut self) {
        use nix::sys::resource::{UsageWho, getrusage};
        let seconds = |t: nix::sys::time::TimeVal| t.tv_sec() as f64 + t.tv_usec() as f64 * 1e-6;
        if let Ok(u) = getrusage(UsageWho::RUSAGE_CHILDREN) {
            (self.cost.ranks_user, self.cost.ranks_system) = (seconds(u.user_time()), seconds(u.system_time()));
            self.cost.rank_memory = u.max_rss() as u64;
        }
        if let Ok(u) = getrusage(UsageWho::RUSAGE_SELF) {
            (self.cost.server_user, self.cost.server_system) = (seconds(u.user_time()), seconds(u.system_time()));
            self.cost.server_memory = u.max_rss() as u64;
        }
        self.cost.pmi = self.pmi.stats();
        self.link.send(&Up::Cost(self.cost.clone()));
        self.link.flush_last();
    }

    /// Nothing of the job stays on this node.
    fn kill(&mut self) {
        self.ranks.kill();
        sys::kill_descendants(KILLED, &[]);
        pmix::dir::remove(self.plan, self.node);
    }
}
