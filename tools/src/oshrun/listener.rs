//! A listening socket, and its callers until they have proved that they belong to the job.
//!
//! Anybody who reaches the address may connect. So callers that have proved nothing are few, and none stays long. A
//! lack of descriptors neither stops the other work nor keeps this process busy.

use crate::poll::{self, Kind, Poller};
use anyhow::{Context, Result, bail};
use pmi_shm::server::auth::{Handshake, Step};
use pmi_shm::tcp;
use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// How long a caller may take to prove that it belongs to the job. A shorter time turns servers of very busy hosts
/// away; with a longer one strangers delay the start for longer.
const TO_PROVE: Duration = Duration::from_secs(5);

/// Strangers at a time, beside the servers that are awaited. Silent ones give way to those who come later; where all
/// have sent something, others wait in the kernel's queue. More of them take descriptors.
const STRANGERS: usize = 64;

/// How long nobody is accepted where there are too many strangers, or the system lacks descriptors or memory. A shorter
/// pause takes processor time, and a longer one delays the start of the job.
const PAUSE: Duration = Duration::from_millis(500);

pub struct Listener {
    listener: TcpListener,
    pub address: SocketAddr,
    secret: [u8; 32],
    silence: Option<Duration>,
    /// Nobody is accepted before this time.
    paused: Option<Instant>,
    callers: BTreeMap<usize, Caller>,
    /// How many of them there may be.
    most: usize,
    next: usize,
}

struct Caller {
    fd: OwnedFd,
    handshake: Handshake,
    /// When the caller's time is over.
    until: Instant,
}

/// A caller that belongs to the job.
pub struct Came {
    pub role: u8,
    pub node: u32,
    pub fd: OwnedFd,
    /// What was read behind the handshake.
    pub rest: Vec<u8>,
}

impl Listener {
    /// `expected` servers will call.
    pub fn new(
        listener: TcpListener,
        secret: [u8; 32],
        silence: Option<Duration>,
        expected: usize,
        poller: &Poller,
    ) -> Result<Listener> {
        listener.set_nonblocking(true).context("cannot set a listener's flags")?;
        let address = listener.local_addr().context("cannot tell a listener's address")?;
        poller.add(&listener, (Kind::Listener, 0))?;
        let (callers, most) = (BTreeMap::new(), expected.saturating_add(STRANGERS));
        Ok(Listener { listener, address, secret, silence, paused: None, callers, most, next: 0 })
    }

    /// Accepts those who have called.
    pub fn accept(&mut self, poller: &Poller) -> Result<()> {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) if stream.set_nonblocking(true).is_ok() => {
                    let fd = OwnedFd::from(stream);
                    tune(&fd, self.silence);
                    poller.add(&fd, (Kind::Caller, self.next))?;
                    let (handshake, until) = (Handshake::callee(&self.secret), Instant::now() + TO_PROVE);
                    self.callers.insert(self.next, Caller { fd, handshake, until });
                    self.next += 1;
                    if self.callers.len() > self.most && !self.turn_away(poller) {
                        break;
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // A caller that has gone again does not count.
                Ok(_) => {}
                Err(e) if has_gone(&e) => {}
                Err(_) => break,
            }
        }
        // The poller would report the same caller again and again.
        poller.remove(&self.listener);
        self.paused = Some(Instant::now() + PAUSE);
        Ok(())
    }

    /// Turns away the oldest caller that has sent nothing, but not the last that came: a server sends its hello as soon
    /// as it is accepted.
    fn turn_away(&mut self, poller: &Poller) -> bool {
        let mut before = self.callers.range(..self.next - 1);
        let silent = before.find(|(_, caller)| !caller.handshake.has_greeted());
        let caller = silent.map(|(number, _)| *number).and_then(|number| self.callers.remove(&number));
        caller.inspect(|caller| poller.remove(&caller.fd)).is_some()
    }

    /// A caller has sent something. Returns it if that proves that it belongs to the job.
    pub fn ready(&mut self, number: usize, poller: &Poller) -> Option<Came> {
        let mut caller = self.callers.remove(&number)?;
        let came = shake(&caller.fd, &mut caller.handshake);
        if let Ok(None) = came {
            self.callers.insert(number, caller);
            return None;
        }
        poller.remove(&caller.fd);
        // Anybody may connect; nothing is lost by an error.
        let (role, node, rest) = came.ok()??;
        Some(Came { role, node, fd: caller.fd, rest })
    }

    /// Accepts again when the pause is over, and turns away callers whose time is over.
    pub fn look_at_clock(&mut self, poller: &Poller) {
        let now = Instant::now();
        if self.paused.take_if(|until| now >= *until).is_some()
            && poller.add(&self.listener, (Kind::Listener, 0)).is_err()
        {
            self.paused = Some(now + PAUSE);
        }
        self.callers.retain(|_, caller| {
            let stays = now < caller.until;
            if !stays {
                poller.remove(&caller.fd);
            }
            stays
        });
    }

    pub fn next_time(&self) -> Option<Instant> {
        self.paused.into_iter().chain(self.callers.values().map(|c| c.until)).min()
    }

    /// Listens no more.
    pub fn close(self, poller: &Poller) {
        poller.remove(&self.listener);
        self.callers.values().for_each(|caller| poller.remove(&caller.fd));
    }
}

/// The caller has gone before it was accepted, or the call was interrupted.
fn has_gone(e: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(e.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

/// Goes on with a handshake. The result is what the other side has proved to be, and what was read behind that; `None`:
/// it has to send more.
pub fn shake(fd: &OwnedFd, handshake: &mut Handshake) -> Result<Option<(u8, u32, Vec<u8>)>> {
    let mut buffer = [0; 1024];
    let mut done = None;
    loop {
        let answer = handshake.output();
        // A new connection has room for these few bytes.
        if !answer.is_empty() {
            poll::write(fd.as_fd(), &answer)?;
        }
        if done.is_some() {
            return Ok(done);
        }
        match poll::read(fd.as_fd(), &mut buffer) {
            None => return Ok(None),
            Some(0) => bail!("it closed the connection"),
            Some(n) => {
                if let Step::Done { role, node, rest } = handshake.input(&buffer[..n])? {
                    done = Some((role, node, rest));
                }
            }
        }
    }
}

/// Sends small messages at once, and notices a host that is lost.
pub fn tune(fd: &OwnedFd, silence: Option<Duration>) {
    tcp::no_delay(fd);
    if let Some(silence) = silence {
        tcp::keep_alive(fd, silence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpStream};

    fn listener(expected: usize) -> (Listener, Poller) {
        let (socket, poller) = (TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap(), Poller::new().unwrap());
        (Listener::new(socket, [7; 32], None, expected, &poller).unwrap(), poller)
    }

    #[test]
    fn a_lack_of_places_is_a_pause_and_the_silent_give_way() {
        let (mut listener, mut poller) = listener(1);
        let call = || TcpStream::connect(listener.address).unwrap();
        let _first = call();
        let _second = call();
        assert_eq!(poller.wait(None).unwrap(), [(Kind::Listener, 0)]);
        listener.most = 0;
        listener.accept(&poller).unwrap();
        assert!(listener.callers.len() == 1 && listener.paused.is_some());
        assert!(poller.wait(Some(Instant::now() + PAUSE / 10)).unwrap().is_empty(), "the second is not reported");
        assert!(poller.wait(listener.next_time()).unwrap().is_empty());
        (listener.most, _) = (1, listener.look_at_clock(&poller));
        assert_eq!(poller.wait(None).unwrap(), [(Kind::Listener, 0)]);
        listener.accept(&poller).unwrap();
        assert!(listener.callers.keys().eq([&1]) && listener.paused.is_none(), "the first gives way");
        // As accept does at EMFILE: to run out of descriptors here would disturb the other tests.
        assert!(!has_gone(&io::Error::from_raw_os_error(libc::EMFILE)));
    }
}
