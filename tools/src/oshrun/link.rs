//! The channel between oshrun and a node server: messages over a stream that does not wait.
//!
//! For a node on this machine the stream is a pair of sockets; for another host it is standard input and output of the
//! launcher's command, so that oshrun listens nowhere.

use crate::front::OURS;
use crate::plan::Plan;
use crate::sys;
use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// From oshrun to a node server.
#[derive(Serialize, Deserialize, Debug)]
pub enum Down {
    /// The job: the same bytes for every node. Comes first.
    Plan(Box<Plan>),
    /// Which node of it the receiver is. Comes second.
    You(u32),
    /// Where the parent in the tree of node servers listens.
    Parent(SocketAddr),
    /// Standard input for rank 0; nothing at its end.
    Input(Vec<u8>),
    /// To be passed on to every rank.
    Signal(i32),
    /// End all ranks now.
    Kill,
    /// Everybody is done: say what it cost and go.
    Finish,
}

/// From a node server to oshrun.
#[derive(Serialize, Deserialize, Debug)]
pub enum Up {
    /// The first word of a server that has called back: what Slurm calls its host.
    Here(String),
    /// Where children in the tree may connect.
    Listening(SocketAddr),
    /// All ranks of the node are started.
    Started,
    Output {
        error: bool,
        bytes: Vec<u8>,
    },
    /// So many bytes of standard input have been passed on.
    InputTaken(u32),
    /// The job cannot succeed any more; the node has killed its own ranks.
    Failed(Failure),
    /// All ranks of the node have ended, well or killed.
    Done,
    /// The answer to Finish.
    Cost(Cost),
}

/// Why a job ends early.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The exit code of oshrun.
    pub code: i32,
    /// A line for the user; empty when nothing needs to be said.
    pub text: String,
}

/// What a node's part of the job cost.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
pub struct Cost {
    /// CPU seconds of the ranks and their children.
    pub ranks_user: f64,
    pub ranks_system: f64,
    /// The largest resident set of a rank, in KiB.
    pub rank_memory: u64,
    /// CPU seconds of the node server.
    pub server_user: f64,
    pub server_system: f64,
    pub server_memory: u64,
    /// Seconds from the plan's arrival until the last fork.
    pub forked: f64,
    /// What the process management did: name and number.
    pub pmi: Vec<(String, u64)>,
}

/// What a node server on another host says first, on a line of its own: shells may print greetings before it.
pub const GREETING: &[u8] = b"\n#oshrun node server 1#\n";

/// No message is longer.
const LONGEST: usize = 1 << 30;

/// A message as it travels.
pub fn encoded(message: &impl Serialize) -> Vec<u8> {
    let body = postcard::to_stdvec(message).expect("our messages have a plain form");
    [&(body.len() as u32).to_le_bytes()[..], &body].concat()
}

pub struct Link {
    /// For reading and for writing; none while the other side has not come yet.
    ends: Option<(OwnedFd, OwnedFd)>,
    inbox: Vec<u8>,
    outbox: VecDeque<u8>,
}

impl Link {
    /// Over two descriptors, which may be two copies of one.
    pub fn new(read: OwnedFd, write: OwnedFd) -> Result<Link> {
        sys::set_nonblocking(&read)?;
        sys::set_nonblocking(&write)?;
        Ok(Link { ends: Some((read, write)), ..Link::awaited() })
    }

    /// To somebody who has not come yet: what is sent waits.
    pub fn awaited() -> Link {
        Link { ends: None, inbox: Vec::new(), outbox: VecDeque::new() }
    }

    /// The awaited one has come, over `link`. What it is sent `first` goes before what has waited.
    pub fn attach(&mut self, link: Link, first: &[u8]) {
        let waiting = std::mem::replace(self, link).outbox;
        self.outbox.extend(first);
        self.outbox.extend(waiting);
        self.flush();
    }

    /// Whether there is another side.
    pub fn is_open(&self) -> bool {
        self.ends.is_some()
    }

    pub fn over_socket(fd: OwnedFd) -> Result<Link> {
        let copy = fd.try_clone().context("cannot copy a descriptor")?;
        Link::new(fd, copy)
    }

    /// The same, after `read` has been read from it.
    pub fn resumed(fd: OwnedFd, read: Vec<u8>) -> Result<Link> {
        Ok(Link { inbox: read, ..Link::over_socket(fd)? })
    }

    /// Of a link that has another side.
    pub fn reader(&self) -> impl AsFd + '_ {
        self.ends.as_ref().expect("only links with another side are waited for").0.as_fd()
    }

    /// Of a link that has another side.
    pub fn writer(&self) -> impl AsFd + '_ {
        self.ends.as_ref().expect("only links with another side are waited for").1.as_fd()
    }

    /// Bytes that go before all messages.
    pub fn greet(&mut self) {
        self.outbox.extend(GREETING);
    }

    /// Queues a message and sends what can be sent.
    pub fn send(&mut self, message: &impl Serialize) {
        self.send_encoded(&encoded(message));
    }

    /// The same for a message that many get: it is encoded once.
    pub fn send_encoded(&mut self, bytes: &[u8]) {
        self.outbox.extend(bytes);
        self.flush();
    }

    /// Bytes that still have to go.
    pub fn waiting(&self) -> usize {
        self.outbox.len()
    }

    /// Sends what can be sent without waiting. That the other side has gone is noticed by reading.
    pub fn flush(&mut self) {
        let Some((_, writer)) = &self.ends else { return };
        while !self.outbox.is_empty() {
            let (front, _) = self.outbox.as_slices();
            match sys::write(writer.as_fd(), front) {
                Ok(0) => return,
                Ok(n) => drop(self.outbox.drain(..n)),
                Err(_) => return self.outbox.clear(),
            }
        }
    }

    /// Sends what is left, with a little patience: these are the last words.
    pub fn flush_last(&mut self) {
        let end = Instant::now() + Duration::from_secs(2);
        while self.waiting() > 0 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
            self.flush();
        }
    }

    /// Says that a node server cannot go on, and why: its end alone would not tell.
    pub fn give_up(&mut self, text: String) {
        self.send(&Up::Failed(Failure { code: OURS, text }));
        self.flush_last();
    }

    /// Reads what is there. False: the other side has gone.
    pub fn fill(&mut self) -> bool {
        let Some((reader, _)) = &self.ends else { return true };
        let mut buffer = [0; 16 * 1024];
        loop {
            match sys::read(reader.as_fd(), &mut buffer) {
                None => return true,
                Some(0) => return false,
                Some(n) => self.inbox.extend_from_slice(&buffer[..n]),
            }
        }
    }

    /// Whether the greeting has come; it and all before it is taken away.
    pub fn greeted(&mut self) -> bool {
        // A greeting may be the very first bytes, or follow a line of somebody else.
        let at = self.inbox.windows(GREETING.len()).position(|w| w == GREETING);
        if let Some(at) = at {
            self.inbox.drain(..at + GREETING.len());
        }
        at.is_some()
    }

    /// The next whole message.
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>> {
        let Some(head) = self.inbox.first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*head) as usize;
        if length > LONGEST {
            bail!("a message of {length} bytes: the other side is no oshrun, or another version of it");
        }
        let Some(body) = self.inbox.get(4..4 + length) else { return Ok(None) };
        let message =
            postcard::from_bytes(body).context("a message is not understood: is it another version of oshrun?");
        self.inbox.drain(..4 + length);
        message.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Link, Link) {
        let (a, b) = sys::stream_pair().unwrap();
        (Link::over_socket(a).unwrap(), Link::over_socket(b).unwrap())
    }

    #[test]
    fn messages_arrive_whole_and_in_order() {
        let (mut a, mut b) = pair();
        a.send(&Down::Signal(15));
        let big = vec![7u8; 3 << 20];
        a.send(&Down::Input(big.clone()));
        a.send(&Down::Finish);
        let mut got = Vec::new();
        while got.len() < 3 {
            a.flush();
            assert!(b.fill());
            while let Some(m) = b.next::<Down>().unwrap() {
                got.push(m);
            }
        }
        assert!(matches!(got[0], Down::Signal(15)));
        assert!(matches!(&got[1], Down::Input(i) if *i == big));
        assert!(matches!(got[2], Down::Finish));
        drop(a);
        assert!(!b.fill());
    }

    #[test]
    fn what_is_sent_before_the_other_side_has_come_waits() {
        let (mut a, b) = pair();
        let mut late = Link::awaited();
        late.send(&Down::Signal(15));
        assert!(!late.is_open() && late.fill() && late.waiting() > 0);
        late.attach(b, &encoded(&Down::You(3)));
        assert!(late.is_open() && a.fill());
        assert!(matches!(a.next().unwrap(), Some(Down::You(3))));
        assert!(matches!(a.next().unwrap(), Some(Down::Signal(15))));
    }

    #[test]
    fn noise_before_the_greeting_is_skipped() {
        let (mut a, mut b) = pair();
        a.outbox.extend(b"Welcome to host a\n\n#oshrun node");
        a.flush();
        b.fill();
        assert!(!b.greeted());
        a.outbox.extend(b"s\n");
        a.greet();
        a.send(&Up::Started);
        b.fill();
        assert!(b.greeted());
        assert!(matches!(b.next().unwrap(), Some(Up::Started)));
    }

    #[test]
    fn nonsense_is_an_error() {
        let (mut a, mut b) = pair();
        a.outbox.extend([0xff; 8]);
        a.flush();
        b.fill();
        assert!(b.next::<Up>().is_err());
    }
}
