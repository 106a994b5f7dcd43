//! A node as oshrun sees it.

use crate::link::{Cost, Link};
use crate::sys::{self, Poller};
use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Instant;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// The launcher is at work; the node server has not spoken yet.
    Starting,
    Up,
    /// Its ranks have ended.
    Done,
    /// Its link has closed before its time; until then we wait to learn why.
    Lost(Instant),
    Gone,
}

pub struct Member {
    pub state: State,
    pub link: Link,
    pub link_waits: bool,
    /// The process whose end is the end of the node server: the server itself, or the launcher's command.
    pub process: Option<Pid>,
    /// The launcher's command.
    command: Option<String>,
    /// How the process ended.
    pub ended: Option<String>,
    /// Standard error of the launcher's command.
    pub noise: Option<OwnedFd>,
    /// What came from there before the node server spoke.
    pub said: Vec<u8>,
    pub started: bool,
    /// Whether the server has spoken.
    pub spoke: bool,
    /// Whether the process has started the servers of other nodes as well.
    step: bool,
    /// Whether the server writes its ranks' output itself.
    pub direct: bool,
    /// When something came over the link, or could have been read again.
    pub heard: Instant,
    pub cost: Cost,
}

impl Member {
    /// A node whose server is forked by this process. `own`: the process serves no other node.
    pub fn forked(link: Link, pid: Pid, own: bool, direct: bool) -> Member {
        Member { spoke: true, direct, ..Member::new(State::Up, link, own.then_some(pid)) }
    }

    /// A node whose server is started by the launcher's command.
    pub fn launched(mut child: Child, command: &str) -> Result<Member> {
        let missing = "the launcher's streams are pipes";
        let (stdin, stdout) = (child.stdin.take().context(missing)?, child.stdout.take().context(missing)?);
        let noise: OwnedFd = child.stderr.take().context(missing)?.into();
        sys::set_nonblocking(&noise)?;
        let link = Link::new(stdout.into(), stdin.into())?;
        let mut m = Member::new(State::Starting, link, Some(Pid::from_raw(child.id() as i32)));
        m.command = Some(command.to_string());
        m.noise = Some(noise);
        Ok(m)
    }

    /// A node whose server is started together with others by the command `srun`, and calls back.
    pub fn in_step(srun: Pid, command: &str) -> Member {
        let command = Some(command.to_string());
        Member { command, step: true, ..Member::new(State::Starting, Link::awaited(), Some(srun)) }
    }

    fn new(state: State, link: Link, process: Option<Pid>) -> Member {
        Member {
            state,
            link,
            link_waits: false,
            process,
            command: None,
            ended: None,
            noise: None,
            said: Vec::new(),
            started: false,
            spoke: false,
            step: false,
            direct: false,
            heard: Instant::now(),
            cost: Cost::default(),
        }
    }

    /// Whether there is somebody at the other end of the link.
    pub fn is_connected(&self) -> bool {
        self.link.is_open() && !matches!(self.state, State::Lost(_) | State::Gone)
    }

    /// Its server has not called back yet.
    pub fn is_awaited(&self) -> bool {
        self.step && self.state == State::Starting
    }

    /// Its server has called back.
    pub fn came(&mut self, link: Link, first: &[u8]) {
        self.link.attach(link, first);
        (self.state, self.spoke, self.heard) = (State::Up, true, Instant::now());
    }

    /// Its process has ended. The connections of a step's servers do not end with `srun`.
    pub fn process_ended(&mut self, how: String, job_over: bool) {
        self.ended = Some(how);
        if self.step && !job_over && matches!(self.state, State::Starting | State::Up) {
            self.state = State::Lost(Instant::now());
        }
    }

    /// Waits for nothing more from there. What is left of it here goes with us, elsewhere when its link ends.
    pub fn give_up(&mut self, poller: &Poller) {
        if let Some(pid) = self.process.filter(|_| self.ended.is_none()) {
            // Killed, srun would not end what it has started.
            let _ = kill(pid, if self.step { Signal::SIGTERM } else { Signal::SIGKILL });
        }
        if self.link.is_open() {
            poller.remove(self.link.reader());
        }
        self.state = State::Gone;
    }

    /// A line about a node server that has gone.
    pub fn why_lost(&self, host: &str, said: &str) -> String {
        let ended = self.ended.as_deref().unwrap_or("closed its connection");
        match (&self.command, self.spoke) {
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
        let text = String::from_utf8_lossy(&self.said);
        match text.lines().map(str::trim).rfind(|l| !l.is_empty()) {
            Some(line) => format!(": {line}"),
            None => String::new(),
        }
    }
}
