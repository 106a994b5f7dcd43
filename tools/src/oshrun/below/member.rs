//! A node server, seen from the process that has started it.

use crate::control::Control;
use crate::launch;
use crate::poll::{Poller, WriteWatch};
use crate::sys;
use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Instant;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// The launcher is at work, and the node server has sent nothing yet.
    Starting,
    /// The launcher has failed to reach the host, and is started again then.
    Again(Instant),
    Up,
    Done,
    /// Its control connection has closed too early. Until then its end is waited for, to learn why.
    Lost(Instant),
    Gone,
}

/// The end of what the launcher's command has written to standard error: the last line is told.
#[derive(Default)]
pub struct Said(Vec<u8>);

impl Said {
    /// Bytes that are kept. With fewer, the last line could be cut.
    const KEPT: usize = 16 * 1024;

    pub fn hear(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        self.0.drain(..self.0.len().saturating_sub(Said::KEPT));
    }
}

/// What ssh and its kin say where a network is down for a while, or a host has too many callers at once.
const PASSING: &str = "Connection refused; Connection reset; Connection closed; Connection timed out; \
                       Operation timed out; No route to host; Network is unreachable; Network is down; \
                       Temporary failure in name resolution";

pub struct Member {
    pub node: u32,
    pub state: State,
    pub control: Control,
    pub watch: WriteWatch,
    /// The process whose end is the end of the node server: the server itself, or the launcher's command.
    pub process: Option<Pid>,
    command: Option<Vec<String>>,
    /// Whether it has been started more than once.
    retried: bool,
    pub ended: Option<String>,
    pub stderr: Option<OwnedFd>,
    /// What came from there before the node server has sent anything.
    pub said: Said,
    pub started: bool,
    pub spoke: bool,
    /// Whether the process has started the servers of other nodes as well.
    step: bool,
    /// When something last came over the control connection, or reading was resumed.
    pub last_seen: Instant,
}

impl Member {
    pub fn forked(node: u32, control: Control, process: Option<Pid>) -> Member {
        Member { spoke: true, ..Member::new(node, State::Up, control, process) }
    }

    /// A node whose server is started by the launcher's command, of which `child` is a process.
    pub fn launched(node: u32, child: Child, command: Vec<String>) -> Result<Member> {
        let mut m = Member::new(node, State::Starting, Control::awaited(), None);
        m.command = Some(command);
        m.connect(child)?;
        Ok(m)
    }

    fn connect(&mut self, mut child: Child) -> Result<()> {
        let missing = "the launcher's streams are pipes";
        let (stdin, stdout) = (child.stdin.take().context(missing)?, child.stdout.take().context(missing)?);
        let stderr: OwnedFd = child.stderr.take().context(missing)?.into();
        sys::set_nonblocking(&stderr)?;
        self.control.attach(Control::new(stdout.into(), stdin.into())?.of_server().until_greeted(), &[]);
        self.stderr = Some(stderr);
        self.process = Some(Pid::from_raw(child.id() as i32));
        Ok(())
    }

    /// Whether its launcher has ended because the network does not reach the host, which may pass.
    pub fn can_be_started_again(&self, said: &str) -> bool {
        let launched = self.command.is_some() && !self.step && !self.spoke && self.ended.is_some();
        launched && PASSING.split("; ").any(|text| said.contains(text))
    }

    /// Waits for the next try. True: it is the first one.
    pub fn wait_until(&mut self, time: Instant) -> bool {
        self.state = State::Again(time);
        !std::mem::replace(&mut self.retried, true)
    }

    pub fn relaunch(&mut self, inherited: &sys::Inherited) -> Result<()> {
        let command = self.command.clone().context("it was launched")?;
        (self.ended, self.said, self.state) = (None, Said::default(), State::Starting);
        self.connect(launch::start(&command, inherited)?)
    }

    /// A node whose server is started by `srun`, together with others, and calls back.
    pub fn in_step(node: u32, srun: Pid, command: &str) -> Member {
        let command = Some(vec![command.to_string()]);
        Member { command, step: true, ..Member::new(node, State::Starting, Control::awaited(), Some(srun)) }
    }

    fn new(node: u32, state: State, control: Control, process: Option<Pid>) -> Member {
        Member {
            node,
            state,
            control,
            watch: WriteWatch::default(),
            process,
            command: None,
            retried: false,
            ended: None,
            stderr: None,
            said: Said::default(),
            started: false,
            spoke: false,
            step: false,
            last_seen: Instant::now(),
        }
    }

    pub fn is_here(&self) -> bool {
        self.command.is_none()
    }

    pub fn is_connected(&self) -> bool {
        self.control.is_open() && !matches!(self.state, State::Again(_) | State::Lost(_) | State::Gone)
    }

    /// Whether its server has yet to call back.
    pub fn is_awaited(&self) -> bool {
        self.step && self.state == State::Starting
    }

    pub fn came(&mut self, control: Control, first: &[u8]) {
        self.control.attach(control.of_server(), first);
        (self.state, self.spoke, self.last_seen) = (State::Up, true, Instant::now());
    }

    /// Its process has ended. When `srun` ends, the connections of its servers may stay open.
    pub fn process_ended(&mut self, how: String, job_over: bool) {
        self.ended = Some(how);
        if self.step && !job_over && matches!(self.state, State::Starting | State::Up) {
            self.state = State::Lost(Instant::now());
        }
    }

    /// A server of this host that somebody has stopped goes on, to end its ranks.
    pub fn wake(&self) {
        if let Some(pid) = self.process.filter(|_| self.is_here() && self.ended.is_none()) {
            let _ = kill(pid, Signal::SIGCONT);
        }
    }

    /// Waits for nothing more from this node. What is left of it on this machine is killed at the end; elsewhere the
    /// node server ends it when the control connection closes.
    pub fn give_up(&mut self, poller: &Poller) {
        if let Some(pid) = self.process.filter(|_| self.ended.is_none()) {
            // If srun were killed, it could not end what it has started.
            let _ = kill(pid, if self.step { Signal::SIGTERM } else { Signal::SIGKILL });
        }
        if self.control.is_open() {
            poller.remove(self.control.reader());
        }
        self.state = State::Gone;
    }

    /// The line about a node server that is lost.
    pub fn why_lost(&self, host: &str, said: &str) -> String {
        let ended = self.ended.as_deref().unwrap_or("closed its connection");
        match (self.command.as_ref().map(|words| &words[0]), self.spoke) {
            (Some(command), false) => format!("cannot start on host {host}: {command} {ended}{said}"),
            (Some(command), true) if self.step => {
                format!("the node server on host {host} is lost: {command} {ended}{said}")
            }
            (Some(command), true) => format!("the node server on host {host} is lost: {command} {ended}"),
            (None, _) => format!("the node server on host {host} is lost: it {ended}"),
        }
    }

    /// The last line that the launcher's command wrote, as the end of a message.
    pub fn said(&self) -> String {
        let text = String::from_utf8_lossy(&self.said.0);
        let last = text.lines().map(str::trim).rfind(|l| !l.is_empty());
        last.map_or(String::new(), |line| format!(": {line}"))
    }
}
