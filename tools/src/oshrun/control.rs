//! The control connection between oshrun and a node server: messages over a stream that does not block.
//!
//! To a node on this machine the stream is a pair of sockets. To another host it is standard input and output of the
//! launcher's command, so that oshrun listens nowhere.

use crate::front::OURS;
use crate::plan::Plan;
use crate::sys;
use anyhow::{Context, Result};
use pmi_shm::frame::Inbox;
pub use pmi_shm::frame::encode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// From oshrun to a node server.
#[derive(Serialize, Deserialize, Debug)]
pub enum Down {
    /// The job: the same bytes for every node. This is the first message.
    Plan(Box<Plan>),
    /// Which node of the plan the receiver is. This is the second message.
    You(u32),
    /// Where the parent in the tree of node servers listens.
    Parent(SocketAddr),
    /// Standard input for rank 0. No bytes: the end.
    Input(#[serde(with = "serde_bytes")] Vec<u8>),
    /// A signal for every rank.
    Signal(i32),
    /// Ask the ranks what they do: see `front::hang`.
    Ask,
    /// End all ranks now.
    Kill,
    /// All nodes are done: tell what it cost, and end.
    Finish,
}

/// From a node server to oshrun.
#[derive(Serialize, Deserialize, Debug)]
pub enum Up {
    /// First message of a server that has called back: Slurm's name of its host.
    Here(String),
    /// Where children in the tree may connect.
    Listening(SocketAddr),
    /// All ranks of the node are started.
    Started,
    Output {
        error: bool,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    /// This many bytes of standard input have been passed on.
    InputTaken(u32),
    /// The first rank of the node uses the process management: it has joined the job.
    Joined,
    /// A rank has ended well without joining the job: which one, in words.
    Outside(String),
    /// What ranks of the node do: a line, and rows of a `pmi_shm::table`.
    Table { head: String, rows: String },
    /// The job cannot succeed any more. The node has killed its ranks.
    Failed(Failure),
    /// All ranks of the node have ended, by themselves or killed.
    Done,
    /// The answer to Finish.
    Cost(Cost),
}

/// Why a job ends early.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The exit code of oshrun.
    pub code: i32,
    /// A line for the user, or nothing.
    pub text: String,
}

/// What a node's part of the job has cost.
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
    /// The resident set of the node server, in KiB.
    pub server_memory: u64,
    /// Seconds from the plan's arrival until the last fork.
    pub forked: f64,
    /// What the process management has done: name and number.
    pub pmi: Vec<(String, u64)>,
}

/// What a node server on another host sends first, on a line of its own: shells may print greetings before it.
pub const GREETING: &[u8] = b"\n#oshrun node server 1#\n";

pub struct Control {
    /// For reading and for writing. `None`: the other side has not come yet.
    ends: Option<(OwnedFd, OwnedFd)>,
    inbox: Inbox,
    outbox: VecDeque<u8>,
}

impl Control {
    /// A connection over two descriptors, which may be copies of one.
    pub fn new(read: OwnedFd, write: OwnedFd) -> Result<Control> {
        sys::set_nonblocking(&read)?;
        sys::set_nonblocking(&write)?;
        Ok(Control { ends: Some((read, write)), ..Control::awaited() })
    }

    /// A connection to a node server that has not come yet. What is sent is kept until it comes.
    pub fn awaited() -> Control {
        Control { ends: None, inbox: Inbox::default(), outbox: VecDeque::new() }
    }

    /// The awaited server has come, over `control`. The bytes `first` are sent to it before those that were kept.
    pub fn attach(&mut self, control: Control, first: &[u8]) {
        let kept = std::mem::replace(self, control).outbox;
        self.outbox.extend(first);
        self.outbox.extend(kept);
        self.flush();
    }

    /// Whether the other side has come.
    pub fn is_open(&self) -> bool {
        self.ends.is_some()
    }

    pub fn over_socket(fd: OwnedFd) -> Result<Control> {
        let copy = fd.try_clone().context("cannot copy a descriptor")?;
        Control::new(fd, copy)
    }

    /// A connection over a socket from which `read` has been read already.
    pub fn resumed(fd: OwnedFd, read: &[u8]) -> Result<Control> {
        let mut control = Control::over_socket(fd)?;
        control.inbox.push(read);
        Ok(control)
    }

    /// The descriptor to read from. The other side must have come.
    pub fn reader(&self) -> impl AsFd + '_ {
        self.ends.as_ref().expect("only connections whose other side has come are waited for").0.as_fd()
    }

    /// The descriptor to write to. The other side must have come.
    pub fn writer(&self) -> impl AsFd + '_ {
        self.ends.as_ref().expect("only connections whose other side has come are waited for").1.as_fd()
    }

    /// Sends the greeting, which goes before all messages.
    pub fn greet(&mut self) {
        self.outbox.extend(GREETING);
    }

    /// Queues a message and sends as many bytes as the stream takes.
    pub fn send(&mut self, message: &impl Serialize) {
        self.send_encoded(&encode(message));
    }

    /// Sends a message for several nodes, which is encoded once.
    pub fn send_encoded(&mut self, bytes: &[u8]) {
        self.outbox.extend(bytes);
        self.flush();
    }

    /// Number of bytes that are not sent yet.
    pub fn waiting(&self) -> usize {
        self.outbox.len()
    }

    /// Sends as many bytes as the stream takes. If the other side has gone, a read will find out.
    pub fn flush(&mut self) {
        if let Some((_, writer)) = &self.ends
            && sys::write_queue(writer.as_fd(), &mut self.outbox).is_err()
        {
            self.outbox.clear();
        }
    }

    /// Sends the last bytes before this process ends. It waits up to 2 s for a slow reader: a shorter time could lose
    /// the line that explains a failure, and a longer one delays the end if nobody reads.
    pub fn flush_last(&mut self) {
        let end = Instant::now() + Duration::from_secs(2);
        while self.waiting() > 0 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
            self.flush();
        }
    }

    /// Tells oshrun why this node server cannot go on.
    pub fn give_up(&mut self, text: String) {
        self.send(&Up::Failed(Failure { code: OURS, text }));
        self.flush_last();
    }

    /// Reads what has come. False: the other side has gone.
    pub fn fill(&mut self) -> bool {
        let Some((reader, _)) = &self.ends else { return true };
        sys::read_all(reader.as_fd(), |bytes| self.inbox.push(bytes))
    }

    /// Whether the greeting has come. It is removed with everything before it.
    pub fn greeted(&mut self) -> bool {
        self.inbox.skip_past(GREETING)
    }

    /// The next whole message.
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>> {
        self.inbox.take().context("the other side is no oshrun, or another version of it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Control, Control) {
        let (a, b) = sys::stream_pair().unwrap();
        (Control::over_socket(a).unwrap(), Control::over_socket(b).unwrap())
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
        let mut late = Control::awaited();
        late.send(&Down::Signal(15));
        assert!(!late.is_open() && late.fill() && late.waiting() > 0);
        late.attach(b, &encode(&Down::You(3)));
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
}
