//! The control connection between oshrun and a node server: messages over a stream that does not block.
//!
//! To a node on this machine the stream is a pair of sockets. To another host it is standard input and output of the
//! launcher's command, so that oshrun listens nowhere.

use crate::plan::Plan;
use crate::{poll, sys};
use anyhow::{Context, Result, bail};
use pmi_shm::frame::Inbox;
pub use pmi_shm::frame::encode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// From oshrun to a node server, perhaps by the servers above it.
#[derive(Serialize, Deserialize, Debug)]
pub enum Down {
    /// The job: the same bytes for every node. This is the first message.
    Plan(Box<Plan>),
    /// Which node of the plan the receiver is. This is the second message.
    You(u32),
    /// Where the parent in the tree of node servers listens.
    Parent(SocketAddr),
    /// Standard input, for the ranks that get it. No bytes: the end.
    Input(#[serde(with = "serde_bytes")] Vec<u8>),
    Signal(i32),
    /// Ask the ranks what they do: see `front::hang`.
    Ask,
    Kill,
    /// All nodes are done: tell what it cost, and end.
    Finish,
}

/// From a node server to oshrun, perhaps by the servers above it.
#[derive(Serialize, Deserialize, Debug)]
pub enum Up {
    /// Where children in the tree may connect.
    Listening(SocketAddr),
    /// The processes of the ranks of these nodes.
    Pids(Vec<Pids>),
    /// All ranks of the node, and of those below it, are started.
    Started,
    Output {
        error: bool,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    /// This many bytes of standard input have been passed on.
    InputTaken(u32),
    /// A first rank uses the process management: it has joined the job.
    Joined,
    /// A rank has ended well without joining the job: which one, in words.
    Outside(String),
    /// What ranks of the node do: a line, and rows of a `pmi_shm::table`.
    Table { head: String, rows: String },
    /// The job cannot succeed any more. The node has killed its ranks.
    Failed(Failure),
    /// The connection to the server that has started this one broke.
    Orphaned,
    /// The sender is there, and waits for others to end.
    Alive,
    /// Ranks and the codes with which they ended.
    Codes(Vec<(u32, i32)>),
    /// All ranks of the node, and of those below it, have ended, by themselves or killed.
    Done,
    /// The answer to Finish: what the parts of these nodes have cost.
    Costs(Vec<(u32, Cost)>),
}

#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Pids {
    pub node: u32,
    /// The number of a process, and of how many ranks in order the processes have the next numbers.
    pub runs: Vec<(i32, u32)>,
}

/// How many bytes all of several takers have taken.
#[derive(Default)]
pub struct Least {
    by_taker: Vec<usize>,
    told: usize,
}

impl Least {
    /// Taker `index` of `count` has taken `n` more. Returns how many more all have taken.
    pub fn add(&mut self, index: usize, count: usize, n: usize) -> usize {
        self.by_taker.resize(count, 0);
        self.by_taker[index] += n;
        let least = self.by_taker.iter().copied().min().unwrap_or(0);
        let more = least - self.told;
        self.told = least;
        more
    }
}

/// The exit code when oshrun itself cannot go on.
pub const OURS: i32 = 125;

#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub code: i32,
    /// A line for the user, or nothing.
    pub text: String,
}

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

impl Cost {
    pub fn add_usage(&mut self) {
        use nix::sys::resource::{UsageWho, getrusage};
        let seconds = |t: nix::sys::time::TimeVal| t.tv_sec() as f64 + t.tv_usec() as f64 * 1e-6;
        if let Ok(u) = getrusage(UsageWho::RUSAGE_CHILDREN) {
            (self.ranks_user, self.ranks_system) = (seconds(u.user_time()), seconds(u.system_time()));
            self.rank_memory = u.max_rss() as u64;
        }
        if let Ok(u) = getrusage(UsageWho::RUSAGE_SELF) {
            (self.server_user, self.server_system) = (seconds(u.user_time()), seconds(u.system_time()));
            self.server_memory = u.max_rss() as u64;
        }
    }
}

/// What a node server on another host sends first, on a line of its own: shells may print greetings before it.
pub const GREETING: &[u8] = b"\n#oshrun node server 1#\n";

pub struct Control {
    /// For reading and for writing. `None`: the other side has not come yet.
    ends: Option<(OwnedFd, OwnedFd)>,
    inbox: Inbox,
    outbox: VecDeque<u8>,
    /// Bytes that came before the greeting.
    noise: usize,
    /// Nothing is sent before the other side has greeted: if it has to be started again, all is still here.
    held: bool,
    /// Bytes that were queued and that were read, for `--stats`.
    pub counts: (u64, u64),
}

/// The longest message of a node server, in bytes. Output comes in pieces of 1 MiB.
const LONGEST_UP: usize = 4 << 20;

/// Bytes before the greeting that are skipped: shells may print something, but not as much.
const NOISE: usize = 1 << 20;

impl Control {
    /// A connection over two descriptors, which may be copies of one.
    pub fn new(read: OwnedFd, write: OwnedFd) -> Result<Control> {
        sys::set_nonblocking(&read)?;
        sys::set_nonblocking(&write)?;
        Ok(Control { ends: Some((read, write)), ..Control::awaited() })
    }

    /// A connection to a node server that has not come yet. What is sent is kept until it comes.
    pub fn awaited() -> Control {
        Control { ends: None, inbox: Inbox::default(), outbox: VecDeque::new(), noise: 0, held: false, counts: (0, 0) }
    }

    /// The awaited server has come, or comes again, over `control`. The bytes `first` are sent to it before those that
    /// were kept.
    pub fn attach(&mut self, control: Control, first: &[u8]) {
        let Control { outbox: kept, counts: (sent, read), .. } = std::mem::replace(self, control);
        self.counts.0 += sent + first.len() as u64;
        self.counts.1 += read;
        self.outbox.extend(first);
        self.outbox.extend(kept);
        self.flush();
    }

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
        self.counts.0 += bytes.len() as u64;
        self.flush();
    }

    pub fn waiting(&self) -> usize {
        if self.held { 0 } else { self.outbox.len() }
    }

    /// Sends as many bytes as the stream takes. If the other side has gone, a read will find out.
    pub fn flush(&mut self) {
        if let Some((_, writer)) = &self.ends
            && !self.held
            && poll::write_queue(writer.as_fd(), &mut self.outbox).is_err()
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

    /// Reads what has come, or a part of it. False: the other side has gone.
    pub fn fill(&mut self) -> bool {
        let Some((reader, _)) = &self.ends else { return true };
        poll::read_some(reader.as_fd(), |bytes| {
            self.counts.1 += bytes.len() as u64;
            self.inbox.push(bytes);
        })
    }

    /// Whether the greeting has come. It is removed with everything before it. An error: too much has come instead.
    pub fn greeted(&mut self) -> Result<bool> {
        let (greeted, skipped) = self.inbox.skip_past(GREETING);
        self.noise += skipped;
        if self.noise > NOISE {
            bail!("more than {NOISE} bytes came before the node server's greeting");
        }
        if greeted {
            self.held = false;
            self.flush();
        }
        Ok(greeted)
    }

    /// What is sent waits until the other side greets.
    pub fn until_greeted(mut self) -> Control {
        self.held = true;
        self
    }

    /// The other side is a node server, whose messages are short.
    pub fn of_server(mut self) -> Control {
        self.inbox.limit(LONGEST_UP);
        self
    }

    pub fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>> {
        self.inbox.take().context("the other side is no oshrun, or another version of it")
    }
}
