//! A listening socket, and its callers until they have proved that they belong to the job.
//!
//! Anybody who reaches the address may connect. So callers that have proved nothing are few, and none stays long; and a
//! lack of descriptors neither stops the other work nor keeps this process busy.

use crate::sys::Poller;
use anyhow::{Context, Result};
use pmi_shm::tcp;
use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// How long a caller may take to prove that it belongs to the job. A shorter time turns servers of very busy hosts
/// away; a longer one keeps more strangers.
const TO_PROVE: Duration = Duration::from_secs(5);

/// Strangers at a time, beside the servers that are awaited. With fewer, strangers could be in the servers' way; more
/// of them take descriptors.
const STRANGERS: usize = 64;

/// How long nobody is accepted when the system lacks descriptors or memory. A shorter pause takes processor time, and a
/// longer one delays the start of the job.
const PAUSE: Duration = Duration::from_millis(500);

pub struct Listener {
    listener: TcpListener,
    pub address: SocketAddr,
    /// How long a host may be silent.
    silence: Option<Duration>,
    /// The number that the poller knows the listener by.
    token: u64,
    /// Nobody is accepted before this time.
    paused: Option<Instant>,
    /// Callers that have not proved anything, in the order in which they came: their time is over at, and their number.
    unproven: VecDeque<(Instant, usize)>,
    /// How many of them there may be.
    most: usize,
}

impl Listener {
    /// `expected` servers will call.
    pub fn new(listener: TcpListener, silence: Option<Duration>, expected: usize) -> Result<Listener> {
        listener.set_nonblocking(true).context("cannot set a listener's flags")?;
        let address = listener.local_addr().context("cannot tell a listener's address")?;
        let (unproven, most) = (VecDeque::new(), expected.saturating_add(STRANGERS));
        Ok(Listener { listener, address, silence, token: 0, paused: None, unproven, most })
    }

    /// Waits for callers from now on.
    pub fn watch(&mut self, poller: &Poller, token: u64) -> Result<()> {
        self.token = token;
        poller.add(self.listener.as_fd(), token, true, false)?;
        Ok(())
    }

    /// Accepts the next connection, if there is one.
    pub fn accept(&mut self, poller: &Poller) -> Option<OwnedFd> {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) if stream.set_nonblocking(true).is_ok() => {
                    let fd = OwnedFd::from(stream);
                    tune(&fd, self.silence);
                    return Some(fd);
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return None,
                // A caller that has gone again does not count.
                Ok(_) => {}
                Err(e) if has_gone(&e) => {}
                // Most likely a lack of descriptors. The poller would report the same caller again and again.
                Err(_) => {
                    poller.remove(self.listener.as_fd());
                    self.paused = Some(Instant::now() + PAUSE);
                    return None;
                }
            }
        }
    }

    /// A connection was accepted, and is known as `caller`. Returns the caller that has to make room for it.
    pub fn came(&mut self, caller: usize) -> Option<usize> {
        self.unproven.push_back((Instant::now() + TO_PROVE, caller));
        // The first: a server proves itself within moments.
        if self.unproven.len() > self.most { self.unproven.pop_front().map(|(_, caller)| caller) } else { None }
    }

    /// The caller has proved that it belongs to the job, or has gone.
    pub fn settled(&mut self, caller: usize) {
        self.unproven.retain(|(_, c)| *c != caller);
    }

    /// Callers that have proved nothing.
    pub fn strangers(&self) -> Vec<usize> {
        self.unproven.iter().map(|(_, caller)| *caller).collect()
    }

    /// Accepts again when the pause is over. Returns the callers whose time is over.
    pub fn look_at_clock(&mut self, poller: &Poller) -> Vec<usize> {
        let now = Instant::now();
        if self.paused.take_if(|until| now >= *until).is_some() && self.watch(poller, self.token).is_err() {
            self.paused = Some(now + PAUSE);
        }
        let late = self.unproven.iter().take_while(|(until, _)| now >= *until).count();
        self.unproven.drain(..late).map(|(_, caller)| caller).collect()
    }

    /// When to look at the clock.
    pub fn next_time(&self) -> Option<Instant> {
        self.paused.into_iter().chain(self.unproven.front().map(|(until, _)| *until)).min()
    }

    /// Listens no more.
    pub fn close(self, poller: &Poller) {
        poller.remove(self.listener.as_fd());
    }
}

/// The caller has gone before it was accepted, or the call was interrupted.
fn has_gone(e: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(e.kind(), ConnectionAborted | ConnectionReset | Interrupted)
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
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        (Listener::new(socket, None, expected).unwrap(), Poller::new().unwrap())
    }

    #[test]
    fn strangers_are_few_and_do_not_stay() {
        let (mut listener, poller) = listener(2);
        for caller in 0..STRANGERS + 2 {
            assert_eq!(listener.came(caller), None);
        }
        listener.settled(0);
        assert_eq!(listener.came(1000), None);
        assert_eq!(listener.came(1001), Some(1), "the first that is still there");
        assert!(listener.next_time().is_some() && listener.look_at_clock(&poller).is_empty());
        listener.unproven.iter_mut().take(3).for_each(|(until, _)| *until = Instant::now());
        assert_eq!(listener.look_at_clock(&poller), [2, 3, 4]);
    }

    #[test]
    fn a_lack_of_descriptors_is_a_pause() {
        let (mut listener, mut poller) = listener(1);
        listener.watch(&poller, 7).unwrap();
        let _caller = TcpStream::connect(listener.address).unwrap();
        let mut ready = Vec::new();
        poller.wait(None, &mut ready).unwrap();
        assert_eq!(ready, [7]);
        // As accept does at EMFILE: to run out of descriptors here would disturb the other tests.
        assert!(!has_gone(&io::Error::from_raw_os_error(libc::EMFILE)));
        poller.remove(listener.listener.as_fd());
        listener.paused = Some(Instant::now() + PAUSE);
        poller.wait(Some(Instant::now() + PAUSE / 10), &mut ready).unwrap();
        assert!(ready.is_empty(), "the poller does not report the caller meanwhile");
        let until = listener.next_time().unwrap();
        poller.wait(Some(until), &mut ready).unwrap();
        assert!(listener.look_at_clock(&poller).is_empty() && listener.paused.is_none());
        poller.wait(None, &mut ready).unwrap();
        assert_eq!(ready, [7]);
        assert!(listener.accept(&poller).is_some() && listener.accept(&poller).is_none());
    }
}
