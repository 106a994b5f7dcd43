//! The liveness ring: hosts watch each other, where the launcher does not watch them.
//!
//! A PE that waits in MPI for a host that has been cut off waits for ever: MPI does not say that a connection is dead,
//! and a launcher may not know. So the first PE of each node holds a TCP connection to the first PE of the next node,
//! in a ring. Nothing is sent on it until shmem_finalize. The kernels ask each other whether they are there, so a PE
//! that computes, or stands in a debugger, counts as alive. Where these connections do not get through (a firewall)
//! there is no watch, and the job runs all the same.

use crate::diag;
use crate::env::Seconds;
use crate::os::{network, process};
use pmi_shm::{client, fd, tcp};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a PE sends when it has left OpenSHMEM in good order: from then on its end is nobody's concern.
const CLEAN_EXIT: u8 = b'.';
/// What a connecting PE sends when the listener has proved to be its neighbour's.
const RIGHT: u8 = b'+';
/// Addresses of a host that are tried, at most.
const ADDRESSES: usize = 4;
/// Time to connect to one of these addresses.
const TO_CONNECT: Duration = Duration::from_secs(2);
/// Time for a PE that has connected to send the token; time for the listener to accept it and answer.
const TO_GREET: Duration = Duration::from_secs(5);
const TO_OPEN: Duration = Duration::from_secs(60);
/// Pause after a failed accept, before the next one.
const TO_RECOVER: Duration = Duration::from_secs(1);
/// Time for the launcher to end the job after a process has gone. Then this PE ends it.
const LAUNCHER_GRACE: Duration = Duration::from_secs(10);
/// Time for the orderly ways to end the job, which need MPI or the launcher to listen. Then this process kills itself.
const ORDERLY_END: Duration = Duration::from_secs(15);

type Token = [u8; 16];

/// The connections there are, whether this PE has left OpenSHMEM, and whether it is ending MPI, for which the others
/// are needed again.
static HELD: Mutex<Held> = Mutex::new(Held { streams: Vec::new(), clean_exit: false, ending: false });

struct Held {
    streams: Vec<Arc<TcpStream>>,
    clean_exit: bool,
    ending: bool,
}

fn held() -> std::sync::MutexGuard<'static, Held> {
    HELD.lock().unwrap_or_else(|e| e.into_inner())
}

/// Where the neighbour in the ring connects.
pub(super) struct Listener {
    listener: TcpListener,
    token: Token,
    pe: u32,
    /// How long a neighbour's host may be silent.
    silence: Duration,
}

/// How a listener is reached: what other PEs are told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    pe: u32,
    token: Token,
    addresses: Vec<SocketAddr>,
    host: String,
}

impl Listener {
    /// None where hosts are not to be watched, where oshrun's servers do it themselves, or where there is no port to be
    /// had.
    pub(super) fn wanted(pe: u32, silence: Seconds) -> Option<Listener> {
        let wanted = silence.0 > 0 && !client::is_oshruns();
        let silence = Duration::from_secs(silence.0.into()).max(tcp::LEAST);
        wanted.then(|| Listener::open(pe, silence).ok()).flatten()
    }

    fn open(pe: u32, silence: Duration) -> io::Result<Listener> {
        // One family: whether a listener for IPv6 is one for IPv4 too is the system's setting.
        let any = match addresses().first() {
            Some(IpAddr::V6(_)) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
            _ => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        };
        let listener = TcpListener::bind((any, 0)).and_then(fd::off_stdio)?;
        let [a, b] = process::random_token().map(u64::to_le_bytes);
        let mut token = Token::default();
        token[..8].copy_from_slice(&a);
        token[8..].copy_from_slice(&b);
        Ok(Listener { listener, token, pe, silence })
    }

    pub(super) fn endpoint(&self) -> Endpoint {
        let at = self.listener.local_addr().ok();
        let same_family = |ip: &IpAddr| at.is_some_and(|at| at.is_ipv4() == ip.is_ipv4());
        let ips = addresses().into_iter().filter(same_family).take(ADDRESSES);
        let addresses = ips.map(|ip| SocketAddr::new(ip, at.map_or(0, |at| at.port()))).collect();
        let host = String::from_utf8_lossy(&network::host_name()).into_owned();
        Endpoint { pe: self.pe, token: self.token, addresses, host }
    }
}

/// Addresses by which others may reach this host: IPv4 first, those of bridges (of containers, mostly) last.
fn addresses() -> Vec<IpAddr> {
    let link_local = |ip: &IpAddr| matches!(ip, IpAddr::V6(v6) if v6.is_unicast_link_local());
    let mut all = tcp::interfaces();
    all.retain(|(_, ip)| !ip.is_loopback() && !link_local(ip));
    let is_bridge = |name: &str| Path::new("/sys/class/net").join(name).join("bridge").exists();
    all.sort_by_cached_key(|(name, ip)| (ip.is_ipv6(), is_bridge(name)));
    all.into_iter().map(|(_, ip)| ip).collect()
}

impl Endpoint {
    /// PE, token, then addresses and the host's name in words.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = self.pe.to_le_bytes().to_vec();
        bytes.extend(self.token);
        let addresses: Vec<String> = self.addresses.iter().map(SocketAddr::to_string).collect();
        bytes.extend(format!("{} {}", addresses.join(","), self.host).into_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Endpoint> {
        let (pe, rest) = bytes.split_first_chunk::<4>()?;
        let (token, rest) = rest.split_first_chunk::<16>()?;
        let (addresses, host) = core::str::from_utf8(rest).ok()?.split_once(' ')?;
        let addresses =
            addresses.split(',').filter(|a| !a.is_empty()).map(|a| a.parse().ok()).collect::<Option<_>>()?;
        Some(Endpoint { pe: u32::from_le_bytes(*pe), token: *token, addresses, host: host.to_owned() })
    }

    /// In messages.
    fn name(&self) -> String {
        format!("host {} (PE {})", self.host, self.pe)
    }
}

/// The endpoints before and behind that of PE `me` in the ring; `endpoints` are in the order of their PEs.
fn neighbours(mut endpoints: Vec<Endpoint>, me: u32) -> Option<(Endpoint, Endpoint)> {
    let own = endpoints.iter().position(|endpoint| endpoint.pe == me)?;
    let n = endpoints.len();
    (n > 1).then(|| {
        let before = endpoints[(own + n - 1) % n].clone();
        (before, endpoints.swap_remove((own + 1) % n))
    })
}

/// A watch that has not begun: a PE's listener, and the endpoints of the first PEs of all nodes, in the order of PEs.
pub(super) struct LivenessPlan {
    pub(super) listener: Listener,
    pub(super) endpoints: Vec<Endpoint>,
}

/// Begins to watch the neighbours, and gives the line for `SHMEM_INFO`. Called when static variables are where they
/// stay: threads use them.
pub(super) fn begin(LivenessPlan { listener, endpoints }: LivenessPlan, debug: bool) -> Option<String> {
    let (before, behind) = neighbours(endpoints, listener.pe)?;
    let silence = listener.silence;
    let connecting = process::quiet_thread("oshmpi-watch", move || match behind.connect() {
        Some(stream) => watch(stream, &behind, silence),
        // No mistake: PEs may run where only MPI gets through.
        None if debug => diag::print(format_args!("{} cannot be reached by TCP: it is not watched", behind.name())),
        None => {}
    });
    let listening = process::quiet_thread("oshmpi-watch", move || {
        let stream = accept_neighbour(&listener);
        drop(listener);
        watch(stream, &before, silence);
    });
    let both = connecting.is_ok() && listening.is_ok();
    both.then(|| format!("hosts: each watches the next; one that is silent for {} s ends the job", silence.as_secs()))
}

/// This PE leaves OpenSHMEM in good order, after a barrier of all PEs.
pub(crate) fn clean_exit() {
    let mut held = held();
    held.clean_exit = true;
    for stream in &held.streams {
        let _ = (&**stream).write_all(&[CLEAN_EXIT]); // who has gone need not know
    }
}

/// MPI is about to end, which needs everybody.
pub(super) fn ending() {
    held().ending = true;
}

impl Endpoint {
    /// Connects, and sends the token of the listener. The listener answers with the token backwards: another program at
    /// that address is not taken for the neighbour. Then this PE confirms: the listener does not take a PE for its
    /// neighbour that has given up waiting for the answer.
    fn connect(&self) -> Option<TcpStream> {
        self.addresses.iter().find_map(|address| self.connect_to(address).ok().flatten())
    }

    fn connect_to(&self, address: &SocketAddr) -> io::Result<Option<TcpStream>> {
        let mut stream = TcpStream::connect_timeout(address, TO_CONNECT).and_then(fd::off_stdio)?;
        stream.write_all(&self.token)?;
        let mut answer = Token::default();
        read_within(&mut stream, &mut answer, TO_OPEN)?;
        answer.reverse();
        if answer != self.token {
            return Ok(None);
        }
        stream.write_all(&[RIGHT])?;
        Ok(Some(stream))
    }
}

/// The first connection whose other end knows the token and is still there.
fn accept_neighbour(listener: &Listener) -> TcpStream {
    loop {
        match listener.listener.accept() {
            Ok((stream, _)) => {
                if let Ok(Some(stream)) = fd::off_stdio(stream).and_then(|stream| greeted(stream, listener.token)) {
                    return stream;
                }
            }
            // A PE that has gone again, or no descriptors for the moment.
            Err(_) => std::thread::sleep(TO_RECOVER),
        }
    }
}

fn greeted(mut stream: TcpStream, token: Token) -> io::Result<Option<TcpStream>> {
    let mut printed = Token::default();
    read_within(&mut stream, &mut printed, TO_GREET)?;
    if printed != token {
        return Ok(None);
    }
    printed.reverse();
    stream.write_all(&printed)?;
    let mut word = [0];
    read_within(&mut stream, &mut word, TO_GREET)?;
    Ok((word == [RIGHT]).then_some(stream))
}

/// Fills `bytes`, all of them in that time.
fn read_within(stream: &mut TcpStream, bytes: &mut [u8], time: Duration) -> io::Result<()> {
    let (start, mut filled) = (Instant::now(), 0);
    while filled < bytes.len() {
        let left = time.checked_sub(start.elapsed()).filter(|left| !left.is_zero());
        stream.set_read_timeout(Some(left.ok_or(ErrorKind::TimedOut)?))?;
        match stream.read(&mut bytes[filled..]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(n) => filled += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    stream.set_read_timeout(None)
}

/// How a connection to a neighbour has ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The neighbour, or this PE, had left OpenSHMEM.
    InGoodOrder,
    /// The process is gone, its host is not.
    Gone,
    /// Nothing comes from that host any more.
    Silent,
}

fn watch(stream: TcpStream, neighbour: &Endpoint, silence: Duration) {
    let name = neighbour.name();
    match until_end(stream, silence) {
        End::InGoodOrder => {}
        End::Gone => {
            std::thread::sleep(LAUNCHER_GRACE);
            if !held().clean_exit {
                give_up(&name, "its process has ended before shmem_finalize, and the launcher has not ended the job")
            }
        }
        End::Silent => {
            // A PE that has left OpenSHMEM may have work to do still.
            while held().clean_exit && !held().ending {
                std::thread::sleep(TO_RECOVER);
            }
            let seconds = silence.as_secs();
            let what = format!("no sign of life for {seconds} s, so it is down or cut off (OSHMPI_HOST_TIMEOUT)");
            give_up(&name, &what)
        }
    }
}

/// Waits for the end of a connection.
fn until_end(stream: TcpStream, silence: Duration) -> End {
    tcp::keep_alive(&stream, silence);
    let stream = Arc::new(stream);
    {
        let mut held = held();
        held.streams.push(Arc::clone(&stream));
        if held.clean_exit {
            let _ = (&*stream).write_all(&[CLEAN_EXIT]);
        }
    }
    let mut left = false;
    loop {
        let mut word = [0u8];
        match (&*stream).read(&mut word) {
            Ok(0) if left => return End::InGoodOrder,
            Ok(0) => return End::Gone,
            Ok(_) => left = true,
            Err(e) => match e.kind() {
                ErrorKind::Interrupted => {}
                ErrorKind::TimedOut | ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => return End::Silent,
                _ if left => return End::InGoodOrder,
                _ => return End::Gone,
            },
        }
    }
}

/// Ends the job, also when MPI or the launcher does not listen: their connection to that host may be what hangs.
fn give_up(name: &str, what: &str) -> ! {
    let _ = process::quiet_thread("oshmpi-end", || {
        std::thread::sleep(ORDERLY_END);
        process::kill_self();
    });
    diag::fatal(name, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn endpoint(pe: u32) -> Endpoint {
        let addresses = vec!["10.1.2.3:44".parse().unwrap(), "[fd00::1]:44".parse().unwrap()];
        Endpoint { pe, token: [7; 16], addresses, host: format!("host{pe}") }
    }

    #[test]
    fn endpoints_travel_whole() {
        for endpoint in [endpoint(3), Endpoint { addresses: Vec::new(), host: String::new(), ..endpoint(0) }] {
            assert_eq!(Endpoint::decode(&endpoint.encode()), Some(endpoint));
        }
        let bytes = endpoint(3).encode();
        for len in 0..21 {
            assert_eq!(Endpoint::decode(&bytes[..len]), None, "{len} bytes");
        }
        assert_eq!(Endpoint::decode(&[&bytes[..20], b"10.1.2.3 host"].concat()), None, "an address without a port");
    }

    #[test]
    fn neighbours_close_the_ring() {
        let found = |pes: &[u32], me| {
            neighbours(pes.iter().map(|&pe| endpoint(pe)).collect(), me).map(|(before, behind)| (before.pe, behind.pe))
        };
        assert_eq!(found(&[0, 2, 5], 0), Some((5, 2)));
        assert_eq!(found(&[0, 2, 5], 2), Some((0, 5)));
        assert_eq!(found(&[0, 2, 5], 5), Some((2, 0)));
        assert_eq!(found(&[0, 4], 4), Some((0, 0)));
        assert_eq!(found(&[0], 0), None);
        assert_eq!(found(&[0, 4], 1), None, "who leads nobody has no neighbours");
    }

    /// A listener and its endpoint, on this machine's own address.
    fn listener() -> (Listener, Endpoint) {
        let listener = Listener::open(1, tcp::SILENCE).unwrap();
        let port = listener.listener.local_addr().unwrap().port();
        let here = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port);
        let endpoint = Endpoint { addresses: vec![here], ..listener.endpoint() };
        (listener, endpoint)
    }

    /// The neighbour is accepted, though others may have connected before.
    fn neighbour_comes_in(endpoint: &Endpoint, inside: thread::JoinHandle<TcpStream>) {
        let mut outside = endpoint.connect().unwrap();
        outside.write_all(b"x").unwrap();
        let mut word = [0u8];
        inside.join().unwrap().read_exact(&mut word).unwrap();
        assert_eq!(&word, b"x");
    }

    #[test]
    fn only_who_knows_the_token_comes_in() {
        let (listener, endpoint) = listener();
        let inside = thread::spawn(move || accept_neighbour(&listener));
        let stranger = Endpoint { token: [0; 16], ..endpoint.clone() };
        assert!(stranger.connect().is_none());
        neighbour_comes_in(&endpoint, inside);
    }

    /// What has connected and gone again, with the token or without, has not been a neighbour.
    #[test]
    fn who_does_not_stay_is_no_neighbour() {
        let (listener, endpoint) = listener();
        for printed in [&[][..], &endpoint.token[..5], &endpoint.token[..], &[0; 16]] {
            let mut stream = TcpStream::connect(endpoint.addresses[0]).unwrap();
            stream.write_all(printed).unwrap();
        }
        neighbour_comes_in(&endpoint, thread::spawn(move || accept_neighbour(&listener)));
    }

    /// Something else may listen at that address: it is not taken for the neighbour.
    #[test]
    fn a_stranger_is_no_neighbour() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let there = Endpoint { addresses: vec![listener.local_addr().unwrap()], ..endpoint(1) };
        let stranger = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(b"220 this is a mail server, ready");
        });
        assert!(there.connect().is_none());
        stranger.join().unwrap();
    }

    #[test]
    fn who_has_taken_leave_may_go() {
        for (printed, end) in [(&b""[..], End::Gone), (&[CLEAN_EXIT][..], End::InGoodOrder)] {
            let (listener, endpoint) = listener();
            let inside = thread::spawn(move || accept_neighbour(&listener));
            let mut outside = endpoint.connect().unwrap();
            outside.write_all(printed).unwrap();
            drop(outside);
            assert_eq!(until_end(inside.join().unwrap(), Duration::from_secs(30)), end);
        }
    }
}
