//! Ends that a launcher should notice and may not: of a process before it has joined ([`absent`]), of the launcher's
//! own process ([`orphan`]), and of a host.
//!
//! The liveness ring: hosts watch each other, if the launcher does not watch them. The first PE of each node has a TCP
//! connection to the first PE of the next node (docs/design/launcher.md). Nothing is sent on it until shmem_finalize.
//! A connection that ends is no death: the job ends if the neighbour takes no new one at any of its addresses.
//!
//! Bound: two connections, three threads and a port in the first PE of each node, which knows the endpoints of all
//! nodes during the start; nothing in other PEs. A connection that proves nothing takes a thread for some seconds.

pub(super) mod absent;
pub(super) mod orphan;

use crate::diag;
use crate::env::Seconds;
use crate::memory::addr::Pe;
use crate::os::{network, pass, process};
use crate::state;
use nix::sys::socket::{setsockopt, sockopt::ReceiveTimeout};
use nix::sys::time::TimeVal;
use pmi_shm::server::auth::{Handshake, Step};
use pmi_shm::{client, fd, tcp};
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The byte that a PE sends after its last finalize. The end of the connection is no failure after it.
const CLEAN_EXIT: u8 = b'.';
/// The byte that a PE sends when it has initialised OpenSHMEM again. The end of the connection is a failure from then
/// on.
const BACK: u8 = b'!';
/// The byte that a listener sends when it has taken a connection for its neighbour's. Before it, the end of the
/// connection means nothing: the listener may have dropped it.
const WELCOME: u8 = b'+';
/// The role of a connecting PE in the handshake: see [`pmi_shm::server::auth`].
const NEIGHBOUR: u8 = 2;
/// Addresses of a host that are tried, at most. More make the time of [`TO_COME`] longer.
const ADDRESSES: usize = 4;
/// Time to connect to one of these addresses. Slower hosts are not watched; a longer time delays the next address.
const TO_CONNECT: Duration = Duration::from_secs(2);
/// Time for each message of a process that has connected, until it has proved that it knows the secret.
const TO_GREET: Duration = Duration::from_secs(5);
/// Time for the listener to accept the connection and answer. Strangers may keep it busy for some of that.
const TO_OPEN: Duration = Duration::from_secs(60);
/// How long a listener waits for its neighbour, which tries each address once. Then the port is closed.
const TO_COME: Duration = Duration::from_secs((TO_CONNECT.as_secs() + TO_OPEN.as_secs()) * ADDRESSES as u64 + 60);
/// Connections in the handshake at a time, at most. With fewer, strangers could delay the neighbour longer; more take
/// descriptors and threads.
const STRANGERS: usize = 64;
/// Pause after a failed accept, so that a lack of descriptors does not keep a core busy.
const TO_RECOVER: Duration = Duration::from_secs(1);
/// Time for a silent host's PE to answer by what carries data. Its progress thread sleeps for less.
const TO_ANSWER: Duration = Duration::from_secs(3);
/// Time for the launcher to end the job after a process has ended. Then this PE ends it. A launcher that ends the job
/// by itself has a page or a code of its own, and needs 0.1 to 0.3 s.
const LAUNCHER_GRACE: Duration = Duration::from_secs(1);
/// Time for MPI or the launcher to end the job. Then this process kills itself.
const ORDERLY_END: Duration = Duration::from_secs(15);

type Secret = [u8; 16];

/// The connections to the neighbours, whether this PE has finalized OpenSHMEM, and whether it is ending MPI, for which
/// it needs the other PEs again.
static HELD: Mutex<Held> = Mutex::new(Held { streams: Vec::new(), clean_exit: false, ending: false });

struct Held {
    streams: Vec<Arc<TcpStream>>,
    clean_exit: bool,
    ending: bool,
}

fn held() -> std::sync::MutexGuard<'static, Held> {
    HELD.lock().unwrap_or_else(|e| e.into_inner())
}

/// The listener to which the neighbour in the ring connects.
pub(super) struct Listener {
    listener: TcpListener,
    secret: Secret,
    pe: u32,
    /// How long a neighbour's host may be silent.
    silence: Duration,
}

/// How a listener is reached. PEs exchange endpoints at start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Endpoint {
    pe: u32,
    secret: Secret,
    addresses: Vec<SocketAddr>,
    host: String,
}

impl Listener {
    /// A listener. None if hosts are not to be watched, if oshrun's servers watch them, or if no port can be opened.
    pub(super) fn wanted(pe: u32, silence: Seconds) -> Option<Listener> {
        let wanted = silence.0 > 0 && !client::is_oshruns();
        let silence = Duration::from_secs(silence.0.into()).max(tcp::LEAST);
        wanted.then(|| Listener::open(pe, silence).ok()).flatten()
    }

    fn open(pe: u32, silence: Duration) -> io::Result<Listener> {
        // One address family, because it depends on the system whether a listener for IPv6 accepts IPv4 too.
        let any = match addresses().first() {
            Some(IpAddr::V6(_)) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
            _ => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        };
        let listener = TcpListener::bind((any, 0)).and_then(fd::off_stdio)?;
        Ok(Listener { listener, secret: pass::token_bytes(process::random_token()), pe, silence })
    }

    pub(super) fn endpoint(&self) -> Endpoint {
        let at = self.listener.local_addr().ok();
        let same_family = |ip: &IpAddr| at.is_some_and(|at| at.is_ipv4() == ip.is_ipv4());
        let ips = addresses().into_iter().filter(same_family).take(ADDRESSES);
        let addresses = ips.map(|ip| SocketAddr::new(ip, at.map_or(0, |at| at.port()))).collect();
        let host = String::from_utf8_lossy(&network::host_name()).into_owned();
        Endpoint { pe: self.pe, secret: self.secret, addresses, host }
    }

    /// Takes connections, and calls `watch` for each of the neighbour's, in a thread of its own, with the bytes that
    /// were read behind the handshake. Returns when the neighbour has not come within `time`.
    fn serve(self, time: Duration, watch: impl Fn(TcpStream, &[u8]) + Send + Sync + 'static) {
        let Listener { listener, secret, .. } = self;
        let _ =
            setsockopt(&listener, ReceiveTimeout, &TimeVal::new(time.as_secs() as i64, time.subsec_micros().into()));
        let (watch, met, seats) = (Arc::new(watch), Arc::new(AtomicBool::new(false)), Arc::new(()));
        loop {
            match listener.accept() {
                Ok((stream, _)) => {
                    let (watch, met, seat) = (Arc::clone(&watch), Arc::clone(&met), Arc::clone(&seats));
                    // Without a thread the neighbour is not watched from here.
                    let _ = process::quiet_thread("oshmpi-watch", move || {
                        let greeted = greeted(stream, &secret);
                        drop(seat);
                        if let Ok((stream, rest)) = greeted {
                            met.store(true, Ordering::Relaxed); // one word, nothing behind it
                            watch(stream, &rest);
                        }
                    });
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock && !met.load(Ordering::Relaxed) => return,
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                // The connection is closed already, or there are no descriptors.
                Err(_) => std::thread::sleep(TO_RECOVER),
            }
            while Arc::strong_count(&seats) > STRANGERS {
                std::thread::sleep(TO_RECOVER);
            }
        }
    }
}

/// Addresses by which other hosts may reach this one: IPv4 first, those of bridges (mostly of containers) last.
fn addresses() -> Vec<IpAddr> {
    let link_local = |ip: &IpAddr| matches!(ip, IpAddr::V6(v6) if v6.is_unicast_link_local());
    let mut all = tcp::interfaces();
    all.retain(|(_, ip)| !ip.is_loopback() && !link_local(ip));
    let is_bridge = |name: &str| Path::new("/sys/class/net").join(name).join("bridge").exists();
    all.sort_by_cached_key(|(name, ip)| (ip.is_ipv6(), is_bridge(name)));
    all.into_iter().map(|(_, ip)| ip).collect()
}

/// The endpoints before and after that of PE `me` in the ring. `endpoints` are in the order of their PEs.
fn neighbours(mut endpoints: Vec<Endpoint>, me: u32) -> Option<(Endpoint, Endpoint)> {
    let own = endpoints.iter().position(|endpoint| endpoint.pe == me)?;
    let n = endpoints.len();
    (n > 1).then(|| {
        let before = endpoints[(own + n - 1) % n].clone();
        (before, endpoints.swap_remove((own + 1) % n))
    })
}

/// What a PE needs to join the ring: its listener, and the endpoints of the first PEs of all nodes, in the order of
/// PEs.
pub(super) struct LivenessPlan {
    pub(super) listener: Listener,
    pub(super) endpoints: Vec<Endpoint>,
}

/// Begins to watch the neighbours, and returns the line for `SHMEM_INFO`. Called after static variables have moved,
/// because threads use them.
pub(super) fn begin(LivenessPlan { listener, endpoints }: LivenessPlan, debug: bool) -> Option<String> {
    let (before, behind) = neighbours(endpoints, listener.pe)?;
    let silence = listener.silence;
    let connecting = process::quiet_thread("oshmpi-watch", move || match behind.connect(silence) {
        Some(stream) => ended(behind.until_end(stream, silence), &behind, silence),
        // This is no error, because the network may let only MPI through.
        None if debug => diag::print(format_args!("{} cannot be reached by TCP: it is not watched", behind.name())),
        None => {}
    });
    let listening = process::quiet_thread("oshmpi-watch", move || {
        let newest = AtomicU32::new(0);
        listener.serve(TO_COME, move |stream, rest| {
            let own = newest.fetch_add(1, Ordering::Relaxed) + 1; // numbers for this thread and the next ones
            let end = until_end(stream, rest, silence);
            if end != End::InGoodOrder {
                // The neighbour notices the end no later than this, and tries all addresses.
                std::thread::sleep(silence + TO_CONNECT * ADDRESSES as u32);
            }
            if newest.load(Ordering::Relaxed) == own {
                ended(end, &before, silence);
            }
        });
    });
    let both = connecting.is_ok() && listening.is_ok();
    both.then(|| format!("hosts: each watches the next; one that is silent for {} s ends the job", silence.as_secs()))
}

/// Announces this PE's clean exit, after a barrier of all PEs.
pub(crate) fn clean_exit() {
    let mut held = held();
    held.clean_exit = true;
    for stream in &held.streams {
        let _ = (&**stream).write_all(&[CLEAN_EXIT]); // a neighbour that has ended need not know
    }
}

/// Takes the clean exit back: this PE has initialised OpenSHMEM again. After a barrier of all PEs.
pub(crate) fn back() {
    let mut held = held();
    if core::mem::take(&mut held.clean_exit) {
        for stream in &held.streams {
            let _ = (&**stream).write_all(&[BACK]); // a neighbour that has ended is found by its connection
        }
    }
}

/// Notes that this PE is about to end MPI, which needs all PEs.
pub(super) fn ending() {
    held().ending = true;
}

impl Endpoint {
    /// The host's name for messages.
    fn name(&self) -> String {
        format!("host {} (PE {})", self.host, self.pe)
    }

    /// Connects. Both sides prove that they know the secret, without sending it. So another program at that address is
    /// not taken for the neighbour, and a listener on the network learns nothing. The caller's proof comes last. From
    /// then on the caller does not give up as long as the host is there, so a PE that has given up is not taken for the
    /// neighbour.
    fn connect(&self, silence: Duration) -> Option<TcpStream> {
        self.addresses.iter().find_map(|address| self.connect_to(address, silence).ok())
    }

    /// Waits for the end of a connection to this neighbour, and connects again as long as it answers.
    fn until_end(&self, mut stream: TcpStream, silence: Duration) -> End {
        loop {
            match until_end(stream, &[], silence) {
                End::InGoodOrder => return End::InGoodOrder,
                end => match self.connect(silence) {
                    Some(again) => stream = again,
                    None => return end,
                },
            }
            std::thread::sleep(TO_RECOVER); // it may be closed again at once
        }
    }

    fn connect_to(&self, address: &SocketAddr, silence: Duration) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect_timeout(address, TO_CONNECT).and_then(fd::off_stdio)?;
        let handshake = Handshake::caller(&self.secret, NEIGHBOUR, self.pe).map_err(io::Error::other)?;
        tcp::keep_alive(&stream, silence);
        shake(&mut stream, handshake, TO_OPEN)?;
        let mut word = [0];
        stream.read_exact(&mut word)?;
        if word == [WELCOME] { Ok(stream) } else { Err(ErrorKind::InvalidData.into()) }
    }
}

/// A connection that was accepted, if it is the neighbour's, and the bytes that were read behind the handshake.
fn greeted(stream: TcpStream, secret: &Secret) -> io::Result<(TcpStream, Vec<u8>)> {
    let mut stream = fd::off_stdio(stream)?;
    let (role, rest) = shake(&mut stream, Handshake::callee(secret), TO_GREET)?;
    if role != NEIGHBOUR {
        return Err(ErrorKind::InvalidData.into());
    }
    stream.write_all(&[WELCOME])?;
    Ok((stream, rest))
}

/// One side of a handshake, which may take `time`. What has come by then is read: this process may have been stopped.
/// Gives the caller's role, and the bytes that were read behind the handshake.
fn shake(stream: &mut TcpStream, mut handshake: Handshake, time: Duration) -> io::Result<(u8, Vec<u8>)> {
    let begun = Instant::now();
    loop {
        stream.write_all(&handshake.output())?;
        stream.set_read_timeout(Some(time.saturating_sub(begun.elapsed()).max(Duration::from_millis(1))))?;
        let mut bytes = [0; 256];
        let n = match stream.read(&mut bytes) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(n) => n,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        if let Step::Done { role, rest, .. } = handshake.input(&bytes[..n]).map_err(io::Error::other)? {
            stream.write_all(&handshake.output())?;
            stream.set_read_timeout(None)?;
            return Ok((role, rest));
        }
    }
}

/// How a connection to a neighbour has ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The neighbour or this PE has finalized OpenSHMEM.
    InGoodOrder,
    /// The process has ended, and its host is there.
    Gone,
    /// The host does not answer.
    Silent,
}

/// Ends the job if a neighbour has not ended in good order.
fn ended(end: End, neighbour: &Endpoint, silence: Duration) {
    let name = neighbour.name();
    match end {
        End::InGoodOrder => {}
        End::Gone => {
            if !held().clean_exit {
                diag::is_gone(&name);
            }
            std::thread::sleep(LAUNCHER_GRACE);
            if !held().clean_exit {
                give_up(&name, "its process has ended before shmem_finalize, and the launcher has not ended the job")
            }
        }
        End::Silent => {
            // A PE that has finalized OpenSHMEM may still have work to do. Where TCP alone has failed, the PE answers
            // by what carries data.
            while held().clean_exit && !held().ending || answers(neighbour.pe) {
                std::thread::sleep(TO_RECOVER);
            }
            let seconds = silence.as_secs();
            let what = format!("no sign of life for {seconds} s, so it is down or cut off (OSHMPI_HOST_TIMEOUT)");
            give_up(&name, &what)
        }
    }
}

fn answers(pe: u32) -> bool {
    state::made().and_then(|rt| rt.remote.as_ref()).is_some_and(|remote| remote.answers(Pe(pe), TO_ANSWER))
}

/// Waits for the end of a connection. `rest` was read from it before.
fn until_end(stream: TcpStream, rest: &[u8], silence: Duration) -> End {
    tcp::keep_alive(&stream, silence);
    let stream = Arc::new(stream);
    {
        let mut held = held();
        held.streams.retain(|held| Arc::strong_count(held) > 1); // who waits for the end has the other
        held.streams.push(Arc::clone(&stream));
        if held.clean_exit {
            let _ = (&*stream).write_all(&[CLEAN_EXIT]);
        }
    }
    let mut left = rest.last() == Some(&CLEAN_EXIT);
    loop {
        let mut word = [0u8];
        match (&*stream).read(&mut word) {
            Ok(0) if left => return End::InGoodOrder,
            Ok(0) => return End::Gone,
            Ok(_) => left = word == [CLEAN_EXIT],
            Err(e) => match e.kind() {
                ErrorKind::Interrupted => {}
                ErrorKind::TimedOut | ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => return End::Silent,
                _ if left => return End::InGoodOrder,
                _ => return End::Gone,
            },
        }
    }
}

/// Ends the job, even if MPI or the launcher hangs: their connection to that host may be the reason.
fn give_up(name: &str, what: &str) -> ! {
    let _ = process::quiet_thread("oshmpi-end", || {
        std::thread::sleep(ORDERLY_END);
        process::kill_self();
    });
    diag::fatal(name, what)
}

#[cfg(test)]
mod tests;
