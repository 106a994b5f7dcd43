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

/// Callers that are accepted between two looks at all sockets. With more of them, callers that come together fill all
/// places before any of them is read. With fewer, a start of many servers takes more system calls.
const AT_A_TIME: usize = 16;

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
    /// Callers that have not proved anything, in the order in which they came.
    unproven: VecDeque<Caller>,
    /// How many of them there may be.
    most: usize,
    /// How many times callers were accepted.
    batch: u64,
}

struct Caller {
    number: usize,
    /// When the caller's time is over.
    until: Instant,
    /// The batch of callers with which this one was accepted.
    batch: u64,
    /// The caller has begun as a server does.
    greeted: bool,
}

impl Listener {
    /// `expected` servers will call.
    pub fn new(listener: TcpListener, silence: Option<Duration>, expected: usize) -> Result<Listener> {
        listener.set_nonblocking(true).context("cannot set a listener's flags")?;
        let address = listener.local_addr().context("cannot tell a listener's address")?;
        let (unproven, most) = (VecDeque::new(), expected.saturating_add(STRANGERS));
        Ok(Listener { listener, address, silence, token: 0, paused: None, unproven, most, batch: 0 })
    }

    /// Waits for callers from now on.
    pub fn watch(&mut self, poller: &Poller, token: u64) -> Result<()> {
        self.token = token;
        poller.add(self.listener.as_fd(), token, true, false)?;
        Ok(())
    }

    /// Accepts the next connections, if there are any: a few, so that callers are read before many more are accepted.
    pub fn accept(&mut self, poller: &Poller) -> Vec<OwnedFd> {
        self.batch += 1;
        let mut accepted = Vec::new();
        // A caller that has greeted may be a server, and makes no room for others. Its time ends soon.
        if self.unproven.iter().filter(|c| c.greeted).count() >= self.most {
            self.pause(poller);
            return accepted;
        }
        while accepted.len() < AT_A_TIME {
            match self.listener.accept() {
                Ok((stream, _)) if stream.set_nonblocking(true).is_ok() => {
                    let fd = OwnedFd::from(stream);
                    tune(&fd, self.silence);
                    accepted.push(fd);
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                // A caller that has gone again does not count.
                Ok(_) => {}
                Err(e) if has_gone(&e) => {}
                // Most likely a lack of descriptors. The poller would report the same caller again and again.
                Err(_) => {
                    self.pause(poller);
                    break;
                }
            }
        }
        accepted
    }

    /// Accepts nobody for a while.
    fn pause(&mut self, poller: &Poller) {
        poller.remove(self.listener.as_fd());
        self.paused = Some(Instant::now() + PAUSE);
    }

    /// A connection was accepted, and is known as `number`. Returns the caller that has to make room for it.
    ///
    /// That is the first caller that has not greeted although its socket was looked at. What has lain in a socket when
    /// it was accepted is read before the listener is reported for the second time after that: the poller reports what
    /// is ready in turn. So there are never more than `most` callers, and two batches that were not looked at.
    pub fn came(&mut self, number: usize) -> Option<usize> {
        let (until, batch) = (Instant::now() + TO_PROVE, self.batch);
        self.unproven.push_back(Caller { number, until, batch, greeted: false });
        let silent = |c: &Caller| !c.greeted && c.batch + 2 <= batch;
        let out = self.unproven.iter().position(silent).filter(|_| self.unproven.len() > self.most)?;
        self.unproven.remove(out).map(|c| c.number)
    }

    /// The caller has sent what a server begins with. A stranger could send it too.
    pub fn greeted(&mut self, number: usize) {
        self.unproven.iter_mut().filter(|c| c.number == number).for_each(|c| c.greeted = true);
    }

    /// The caller has proved that it belongs to the job, or has gone.
    pub fn settled(&mut self, caller: usize) {
        self.unproven.retain(|c| c.number != caller);
    }

    /// Callers that have proved nothing.
    pub fn strangers(&self) -> Vec<usize> {
        self.unproven.iter().map(|c| c.number).collect()
    }

    /// Accepts again when the pause is over. Returns the callers whose time is over.
    pub fn look_at_clock(&mut self, poller: &Poller) -> Vec<usize> {
        let now = Instant::now();
        if self.paused.take_if(|until| now >= *until).is_some() && self.watch(poller, self.token).is_err() {
            self.paused = Some(now + PAUSE);
        }
        let late = self.unproven.iter().take_while(|c| now >= c.until).count();
        self.unproven.drain(..late).map(|c| c.number).collect()
    }

    /// When to look at the clock.
    pub fn next_time(&self) -> Option<Instant> {
        self.paused.into_iter().chain(self.unproven.front().map(|c| c.until)).min()
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
    use std::collections::HashMap;
    use std::io::Write;
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
        listener.greeted(2);
        listener.batch = 2;
        assert_eq!(listener.came(1000), None);
        assert_eq!([1001, 1002].map(|caller| listener.came(caller)), [1, 3].map(Some), "the first silent ones");
        assert!(listener.next_time().is_some() && listener.look_at_clock(&poller).is_empty());
        listener.unproven.iter_mut().take(3).for_each(|c| c.until = Instant::now());
        assert_eq!(listener.look_at_clock(&poller), [2, 4, 5]);
    }

    /// A server is accepted together with many strangers behind it, and has greeted before.
    #[test]
    fn strangers_drive_no_server_away() {
        let (mut listener, mut poller) = listener(1);
        listener.watch(&poller, 0).unwrap();
        let mut server = TcpStream::connect(listener.address).unwrap();
        server.write_all(b"hello").unwrap();
        let (mut strangers, mut callers, mut ready, mut gone) = (Vec::new(), HashMap::new(), Vec::new(), Vec::new());
        while gone.len() < 2 * STRANGERS {
            // Few wait to be accepted, because the queue of a listener is short.
            strangers.extend((0..AT_A_TIME).map(|_| TcpStream::connect(listener.address).unwrap()));
            poller.wait(None, &mut ready).unwrap();
            for token in ready.iter().map(|&token| token as usize) {
                if token > 0 {
                    listener.greeted(token);
                    poller.remove(&callers[&token]);
                    continue;
                }
                let accepted = listener.accept(&poller);
                assert!(accepted.len() <= AT_A_TIME);
                for fd in accepted {
                    let number = callers.len() + 1;
                    poller.add(&fd, number as u64, true, false).unwrap();
                    callers.insert(number, fd);
                    gone.extend(listener.came(number));
                }
            }
        }
        assert!(!gone.contains(&1) && listener.strangers()[0] == 1, "{gone:?}");
        assert!(listener.strangers().len() <= listener.most + 2 * AT_A_TIME);
    }

    #[test]
    fn who_has_greeted_makes_no_room() {
        let (mut listener, poller) = listener(0);
        listener.watch(&poller, 0).unwrap();
        let _caller = TcpStream::connect(listener.address).unwrap();
        for number in 0..STRANGERS {
            assert_eq!(listener.came(number), None);
            listener.greeted(number);
        }
        assert!(listener.accept(&poller).is_empty() && listener.paused.is_some());
        listener.settled(0);
        assert_eq!(listener.accept(&poller).len(), 1);
        listener.batch += 1;
        assert_eq!([1000, 1001].map(|number| listener.came(number)), [None, None], "nobody is silent for long");
        assert_eq!(listener.strangers().len(), STRANGERS + 1);
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
        assert!(listener.accept(&poller).len() == 1 && listener.accept(&poller).is_empty());
    }
}
