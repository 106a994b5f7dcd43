//! The node servers that this process has started: oshrun itself, or a relay on the host of a node.
//!
//! Node servers are started down a k-ary tree, k being `--fanout`, by forks on this machine and by the launcher's
//! command on others. The tree is that of the process management (`pmi_shm::server`), with oshrun in the place of its
//! root: it starts the root and the root's children, and the others start theirs. Messages go along it in both
//! directions.
//!
//! Bound, for N nodes: a process has connections to k + 1 others at most, and the last server is started after log(N) /
//! log(k) others. It sends each of them the plan, whose length does not depend on N where names and ranks are regular.
//! Of what every node tells, it passes on one message for all below it. Output is passed on as it is. When more than
//! [`crate::output::WAITING`] bytes wait, nothing more is read from below, so a process holds 2 MiB for each
//! connection.
//!
//! In an allocation of Slurm, and with `--start=front`, oshrun has connections to all N servers.

mod member;
mod step;

use crate::cli;
use crate::control::{Control, Down, Failure, Least, OURS, Up, encode};
use crate::launch;
use crate::listener::Listener;
use crate::plan::Plan;
use crate::pmix;
use crate::poll::{self, Kind, Poller};
use crate::sys::{self, Inherited};
use anyhow::{Context, Result};
pub use member::{Member, State};
use nix::unistd::Pid;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};
use step::Step;

/// How long the end of a node server's process is waited for after its control connection has closed. The end tells
/// why. A shorter time misses it on a busy machine; a longer one delays the message if no end comes.
const REASON: Duration = Duration::from_millis(500);

/// How long processes that have been told to end may take before they are killed. A shorter time kills servers that
/// write their last output; a longer one delays the end of oshrun.
const END_LIMIT: Duration = Duration::from_secs(1);

/// How long a node server that has to end its part of the job may be silent: as long as processes may take to be
/// killed, and 5 s for the message. A shorter time gives up servers that are busy; a longer one makes the user wait. A
/// control connection does not always tell that the host at its other end is lost: it may be a pipe to a command that
/// does not know either. A relay that waits for servers below tells meanwhile that it is there.
pub const SILENCE_LIMIT: Duration = Duration::from_secs(sys::KILLED.as_secs() + 5);

/// Time between two tries to reach a host that the network does not reach. A shorter time makes more of them while it
/// is down; a longer one delays the start when it is back.
const AGAIN: Duration = Duration::from_secs(1);

/// How long servers of a step that have not called back are waited for after a failure. srun ends all of them; a
/// shorter time would end oshrun before srun, and a longer one delays the message.
const LATE_CALLS: Duration = Duration::from_secs(5);

/// What has come from the node servers, or what is wrong with one.
pub enum News {
    /// A message of the member with this index.
    Message(usize, Up),
    Failed(Failure),
}

pub struct Below<'a> {
    pub plan: &'a Plan,
    /// The node whose relay this is; `None`: this is oshrun.
    by: Option<u32>,
    pub poller: Poller,
    pub members: Vec<Member>,
    /// The step of `srun` that has started the servers on other hosts, if there is one.
    step: Option<Step>,
    pub news: VecDeque<News>,
    /// Control connections and standard error of launchers are not read, because nobody takes the output.
    held: bool,
    /// A signal that ends programs has been passed on: so it is no failure that they end by it.
    pub asked_to_end: bool,
    /// The job has failed, and all are told to end it.
    failed: bool,
    /// From this time on node servers only have to tell that their ranks have ended or, at the end, to end themselves.
    over_by: Option<Instant>,
    pub finishing: bool,
    begun: Instant,
    /// What all members have taken of standard input.
    taken: Least,
    inherited: Option<Inherited>,
}

impl<'a> Below<'a> {
    pub fn new(plan: &'a Plan, by: Option<u32>) -> Result<Below<'a>> {
        Ok(Below {
            plan,
            by,
            poller: Poller::new()?,
            members: Vec::new(),
            step: None,
            news: VecDeque::new(),
            held: false,
            asked_to_end: false,
            failed: false,
            over_by: None,
            finishing: false,
            begun: Instant::now(),
            taken: Least::default(),
            inherited: None,
        })
    }

    /// Forks the servers of these nodes, which run `work`. To be called before servers are launched, whose connections
    /// the children would keep open otherwise.
    pub fn fork(
        &mut self,
        nodes: &[u32],
        session: bool,
        up: &mut Option<Control>,
        work: impl FnMut(u32, Control) -> Result<()>,
    ) -> Result<()> {
        // A process that holds several is nobody's server.
        let own = !session || nodes.len() == 1;
        for (node, (pid, control)) in nodes.iter().copied().zip(launch::fork(nodes, session, up, work)?) {
            self.members.push(Member::forked(node, control, own.then_some(pid)));
        }
        Ok(())
    }

    pub fn launch(&mut self, node: u32, host: &str, inherited: &Inherited) -> Result<()> {
        let words = launch::command_line(self.plan, host);
        self.members.push(Member::launched(node, launch::start(&words, inherited)?, words)?);
        self.inherited = Some(*inherited);
        Ok(())
    }

    /// Starts the launcher's command for a member again: the network has failed it.
    fn launch_again(&mut self, index: usize) -> Result<()> {
        let (m, inherited) = (&mut self.members[index], self.inherited.context("it was launched")?);
        m.relaunch(&inherited)?;
        self.listen(index)
    }

    /// Listens to a member from now on, unless nobody takes the output.
    fn listen(&self, index: usize) -> Result<()> {
        let m = &self.members[index];
        if !self.held {
            self.poller.add(m.control.reader(), (Kind::ControlIn, index))?;
            m.stderr.as_ref().map_or(Ok(true), |stderr| self.poller.add(stderr, (Kind::LauncherStderr, index)))?;
        }
        Ok(())
    }

    /// A member has passed on so many bytes of standard input: how many more all have that get it.
    pub fn input_taken(&mut self, index: usize, n: u32) -> u32 {
        if self.plan.input_for_all() { self.taken.add(index, self.members.len(), n as usize) as u32 } else { n }
    }

    /// Starts servers by one `srun`, from which on they call back.
    pub fn launch_step(&mut self, nodes: &[u32], command: &str, o: &cli::Job, inherited: &Inherited) -> Result<()> {
        let step = Step::start(self.plan, nodes, command, o, inherited, &self.poller)?;
        self.members.extend(nodes.iter().map(|&node| Member::in_step(node, step.process, command)));
        self.step = Some(step);
        Ok(())
    }

    /// Sends the plan to the servers that have none, and listens to all from now on.
    pub fn begin(&mut self) -> Result<()> {
        self.members.sort_by_key(|m| m.node);
        // It is the same for all, and encoded once.
        let mut plan = None;
        for m in self.members.iter_mut().filter(|m| m.control.is_open() && self.by != Some(m.node)) {
            m.control.send_encoded(plan.get_or_insert_with(|| encoded_plan(self.plan)));
            m.control.send(&Down::You(m.node));
        }
        (0..self.members.len()).filter(|&i| self.members[i].control.is_open()).try_for_each(|i| self.listen(i))
    }

    pub fn all(&self, is: impl Fn(&State) -> bool) -> bool {
        self.members.iter().all(|m| is(&m.state))
    }

    /// Whether the ranks of all have ended, or their servers have.
    pub fn is_over(&self) -> bool {
        self.all(|s| matches!(s, State::Done | State::Gone))
    }

    /// Whether the servers below have to end their parts of the job.
    pub fn is_ending(&self) -> bool {
        self.over_by.is_some()
    }

    pub fn send(&mut self, message: &Down) {
        self.members.iter_mut().for_each(|m| m.control.send(message));
    }

    /// Sends a message to the server of one node, if this process has started it.
    pub fn send_to(&mut self, node: u32, message: &Down) {
        self.members.iter_mut().filter(|m| m.node == node).for_each(|m| m.control.send(message));
    }

    /// Tells the children of `node` in the tree where its server listens. False: this process has started none of them.
    pub fn tell_children(&mut self, node: u32, address: SocketAddr) -> bool {
        let children = self.plan.children(node);
        let mut told = false;
        for m in self.members.iter_mut().filter(|m| children.contains(&m.node)) {
            m.control.send(&Down::Parent(address));
            told = true;
        }
        told
    }

    /// A member has started all its ranks. True: it was the last one.
    pub fn started(&mut self, index: usize) -> bool {
        self.members[index].started = true;
        self.members.iter().all(|m| m.started)
    }

    /// A member has told that its ranks have ended. Its connection may have closed behind this message, which counts.
    pub fn done(&mut self, index: usize) {
        let state = &mut self.members[index].state;
        if *state == State::Up {
            *state = State::Done;
        }
    }

    pub fn kill(&mut self) {
        self.failed = true;
        self.over_by = Some(Instant::now());
        self.members.iter().for_each(Member::wake);
        self.send(&Down::Kill);
    }

    /// Passes a signal on. The node servers kill the ranks that do not end. Computes when that is over.
    pub fn signal(&mut self, number: i32, ends: bool) {
        if ends {
            self.members.iter().for_each(Member::wake);
            let grace = if self.asked_to_end { 0.0 } else { self.plan.grace };
            self.asked_to_end = true;
            if !self.failed && !self.finishing {
                self.over_by = Some(Instant::now() + Duration::from_secs_f64(grace));
            }
        }
        self.send(&Down::Signal(number));
    }

    /// All nodes are done: the servers are told to end.
    pub fn finish(&mut self) {
        self.finishing = true;
        self.over_by = Some(Instant::now());
        self.send(&Down::Finish);
    }

    pub fn handle(&mut self, kind: Kind, index: usize) -> Result<()> {
        match kind {
            Kind::ControlIn => self.control_came(index)?,
            Kind::ControlOut => self.members[index].control.flush(),
            Kind::LauncherStderr => self.stderr_came(index),
            Kind::Listener => listener(&mut self.step).map_or(Ok(()), |l| l.accept(&self.poller))?,
            Kind::Caller => self.caller_came(index)?,
            Kind::StepStderr => self.step.iter_mut().for_each(|s| s.stderr_came(&self.poller)),
            _ => {}
        }
        Ok(())
    }

    pub fn reap(&mut self) {
        while let Ok(Some(ended)) = sys::ended_child() {
            for m in self.members.iter_mut().filter(|m| m.process == Some(ended.pid)) {
                m.process_ended(words(ended.status), self.finishing);
            }
        }
    }

    /// Something has come from a caller: a server of the step, or anybody else.
    fn caller_came(&mut self, caller: usize) -> Result<()> {
        let Some(step) = &mut self.step else { return Ok(()) };
        let Some((node, control)) = step.read(caller, &self.poller)? else { return Ok(()) };
        // They are sorted by their nodes.
        let Ok(index) = self.members.binary_search_by_key(&node, |m| m.node) else { return Ok(()) };
        if !self.members[index].is_awaited() {
            return Ok(());
        }
        self.members[index].came(control, &[&step.plan, &encode(&Down::You(node))[..]].concat());
        step.one_came(&self.poller);
        self.listen(index)?;
        self.control_came(index)
    }

    fn control_came(&mut self, index: usize) -> Result<()> {
        let m = &mut self.members[index];
        m.last_seen = Instant::now();
        let open = m.control.fill();
        let at = || format!("host {}", self.plan.hosts.get(m.node));
        if m.state == State::Starting && m.control.greeted().with_context(at)? {
            m.state = State::Up;
            m.spoke = true;
        }
        while m.state != State::Starting {
            let at = || format!("host {}", self.plan.hosts.get(m.node));
            let Some(message) = m.control.next::<Up>().with_context(at)? else { break };
            self.news.push_back(News::Message(index, message));
        }
        if !open {
            self.poller.remove(m.control.reader());
            m.state = if self.finishing { State::Gone } else { State::Lost(Instant::now() + REASON) };
        }
        Ok(())
    }

    fn stderr_came(&mut self, index: usize) {
        let m = &mut self.members[index];
        let Some(fd) = &m.stderr else { return };
        // Before the node server has sent anything, this text may say why it does not come. Later it is shown at once.
        let (spoke, said, news) = (m.spoke, &mut m.said, &mut self.news);
        let open = poll::read_some(fd.as_fd(), |bytes| match spoke {
            false => said.hear(bytes),
            true => news.push_back(News::Message(index, Up::Output { error: true, bytes: bytes.to_vec() })),
        });
        if !open {
            self.poller.remove(fd);
            m.stderr = None;
        }
    }

    /// Sets what is waited for: room in the connections, and what comes over them while output is taken. `full`: it is
    /// not taken.
    pub fn watch(&mut self, full: bool) {
        for (i, m) in self.members.iter_mut().enumerate() {
            if m.control.is_open() {
                let wait = m.control.waiting() > 0 && m.is_connected();
                m.watch.set(wait, &self.poller, m.control.writer(), (Kind::ControlOut, i));
            }
            if full == self.held {
                continue;
            }
            let switch = |fd: BorrowedFd, kind| match full {
                true => self.poller.remove(fd),
                false => drop(self.poller.add(fd, (kind, i))),
            };
            m.stderr.iter().for_each(|stderr| switch(stderr.as_fd(), Kind::LauncherStderr));
            if m.is_connected() {
                switch(m.control.reader().as_fd(), Kind::ControlIn);
                m.last_seen = Instant::now();
            }
        }
        self.held = full;
    }

    pub fn next_time(&self) -> Option<Instant> {
        let lost = self.members.iter().filter_map(|m| match m.state {
            State::Lost(until) => Some(until),
            State::Again(at) => Some(at),
            _ => None,
        });
        let starting = self.members.iter().any(|m| m.state == State::Starting);
        let starting = (starting && !self.held).then(|| self.launch_limit());
        let silent = self.members.iter().filter_map(|m| self.silence_ends(m));
        let awaited = self.members.iter().any(Member::is_awaited).then(|| self.late_calls_end()).flatten();
        let callers = self.step.as_ref().and_then(|step| step.listener.as_ref()?.next_time());
        lost.chain(starting).chain(awaited).chain(silent).chain(callers).min()
    }

    /// When a silent node server is given up.
    fn silence_ends(&self, m: &Member) -> Option<Instant> {
        let awaited = match m.state {
            State::Up => true,
            State::Done => self.finishing,
            // These states have other limits.
            State::Starting | State::Again(_) | State::Lost(_) | State::Gone => false,
        };
        let over_by = self.over_by.filter(|_| awaited && !self.held)?;
        Some(over_by.max(m.last_seen) + SILENCE_LIMIT)
    }

    /// When servers of a step that have not called back are given up in a job that has failed.
    fn late_calls_end(&self) -> Option<Instant> {
        self.over_by.filter(|_| self.failed).map(|t| t + LATE_CALLS)
    }

    fn launch_limit(&self) -> Instant {
        self.begun + Duration::from_secs_f64(self.plan.launch_timeout)
    }

    pub fn look_at_clock(&mut self) {
        let now = Instant::now();
        listener(&mut self.step).into_iter().for_each(|l| l.look_at_clock(&self.poller));
        // The greeting of a server is not read while nobody takes the output.
        let late = now >= self.launch_limit() && !self.held;
        let mut again = Vec::new();
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
            let silent = self.silence_ends(&self.members[i]).is_some_and(|t| now >= t);
            let (plan, by) = (self.plan, self.by);
            let m = &mut self.members[i];
            let node = m.node;
            let host = || plan.hosts.get(node);
            let mut failed = |text| self.news.push_back(News::Failed(Failure { code: OURS, text }));
            match m.state {
                State::Again(_) if self.failed => m.state = State::Gone,
                State::Again(_) if late => {
                    let text = m.why_lost(&host(), &said);
                    m.state = State::Gone;
                    failed(format!("{text} (tried again for {} s)", plan.launch_timeout));
                }
                State::Again(at) if now >= at => again.push(i),
                State::Lost(_) if !late && !self.failed && m.can_be_started_again(&said) => {
                    let text = format!("oshrun: {}; trying again\n", m.why_lost(&host(), &said));
                    if m.wait_until(now + AGAIN) {
                        let output = Up::Output { error: true, bytes: text.into_bytes() };
                        self.news.push_back(News::Message(i, output));
                    }
                }
                // There is no process whose end could explain more.
                State::Lost(_) if m.process.is_none() && self.failed => m.state = State::Gone,
                State::Lost(until) if m.ended.is_some() || now >= until => {
                    let hint = if m.spoke { String::new() } else { hint(plan, by) };
                    let text = m.why_lost(&host(), &format!("{said}{hint}"));
                    m.state = State::Gone;
                    failed(text);
                }
                State::Starting if late => {
                    let limit = self.plan.launch_timeout;
                    let text = format!("host {} gave no answer within {limit} s{said}{}", host(), hint(plan, by));
                    m.give_up(&self.poller);
                    failed(text);
                }
                // There is no server yet to be told that the job is over.
                State::Starting if self.failed && !m.is_awaited() => m.give_up(&self.poller),
                State::Starting if no_more_calls => m.give_up(&self.poller),
                // Its ranks have ended, and only their cost is missing.
                State::Done if silent => m.give_up(&self.poller),
                State::Up if silent => {
                    let text = format!("the node server on host {} does not answer", host());
                    m.give_up(&self.poller);
                    failed(text);
                }
                _ => {}
            }
        }
        for index in again {
            if let Err(e) = self.launch_again(index) {
                self.news.push_back(News::Failed(Failure { code: OURS, text: sys::told(&e) }));
            }
        }
    }

    /// Ends all that is left of the job on this host. Node servers end their ranks when their connections close.
    ///
    /// `before` are children that were there before the job. Returns the bytes that were sent and read.
    pub fn end(self, before: &[sys::Child]) -> (u64, u64) {
        let unended = |m: &Member| m.process.filter(|_| m.ended.is_none());
        let processes: Vec<Pid> = self.members.iter().filter_map(unended).collect();
        let counts = self.members.iter().map(|m| m.control.counts);
        let counts = counts.fold((0, 0), |(sent, read), (s, r)| (sent + s, read + r));
        let here: Vec<u32> = self.members.iter().filter(|m| m.is_here()).map(|m| m.node).collect();
        let plan = self.plan;
        drop(self);
        sys::wait_for_ends(processes, END_LIMIT);
        sys::kill_descendants(before);
        // A node server that was killed has not done this.
        here.into_iter().for_each(|node| pmix::dir::remove(plan, node));
        counts
    }
}

fn listener(step: &mut Option<Step>) -> Option<&mut Listener> {
    step.as_mut()?.listener.as_mut()
}

/// What to do if the host of node `by` does not reach another one, as the end of a message.
pub fn hint(plan: &Plan, by: Option<u32>) -> String {
    let Some(node) = by.filter(|_| !plan.fake) else { return String::new() };
    format!(" (host {} was to start it; --start=front makes oshrun start all)", plan.hosts.get(node))
}

fn encoded_plan(plan: &Plan) -> Vec<u8> {
    encode(&Down::Plan(Box::new(plan.clone())))
}

fn words(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => format!("was ended by {}", sys::signal_name(status.signal().unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::make::tests::plan;

    #[test]
    fn a_server_that_is_not_read_is_not_late() {
        let mut plan = plan("-n 2 --fake-nodes 2 x").unwrap();
        plan.launch_timeout = 0.0;
        let mut below = Below::new(&plan, None).unwrap();
        let (ours, _theirs) = sys::stream_pair().unwrap();
        below.members.push(Member::forked(1, Control::over_socket(ours).unwrap(), None));
        below.members[0].state = State::Starting;
        below.watch(true);
        below.look_at_clock();
        assert!(below.news.is_empty() && below.next_time().is_none());
        below.watch(false);
        below.look_at_clock();
        assert!(matches!(below.news.pop_front(), Some(News::Failed(_))));
    }

    /// The end of a connection is seen together with the messages before it.
    #[test]
    fn a_server_that_ends_too_early_is_lost_whatever_it_has_sent() {
        let plan = plan("-n 2 --fake-nodes 2 x").unwrap();
        for finishing in [false, true] {
            let mut below = Below::new(&plan, None).unwrap();
            let (ours, theirs) = sys::stream_pair().unwrap();
            below.members.push(Member::forked(1, Control::over_socket(ours).unwrap(), None));
            let mut server = Control::over_socket(theirs).unwrap();
            server.send(&Up::Done);
            drop(server);
            below.finishing = finishing;
            below.handle(Kind::ControlIn, 0).unwrap();
            assert!(matches!(below.news.pop_front(), Some(News::Message(0, Up::Done))));
            below.done(0);
            let state = below.members[0].state;
            assert!(if finishing { state == State::Gone } else { matches!(state, State::Lost(_)) }, "{state:?}");
        }
    }
}
