//! Connections between node servers: where a server listens, and how another one connects.

use crate::hosts;
use crate::listener::{Listener, shake, tune};
use crate::plan::Plan;
use crate::poll::{Kind, Poller};
use anyhow::{Context, Result, anyhow, bail};
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrStorage, socket};
use pmi_shm::limits::hint;
use pmi_shm::server::auth::Handshake;
use pmi_shm::tcp;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// The role in the handshake between node servers. Servers that call oshrun back have another one.
pub const TREE: u8 = 0;

/// Listens for `expected` servers that call back, on the address that `--iface` means on this machine, or on all
/// addresses.
pub fn listen_for_callers(plan: &Plan, expected: usize, poller: &Poller) -> Result<Listener> {
    let listener = match &plan.iface {
        Some(net) => bind(chosen(net, &tcp::interfaces())?)?,
        // Without IPv6 there is IPv4 alone.
        None => TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0))
            .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)))
            .map_err(|e| anyhow!("cannot listen for node servers: {e}{}", hint(&e)))?,
    };
    // All servers may call at once.
    let room = nix::sys::socket::Backlog::MAXCONN;
    nix::sys::socket::listen(&listener, room).context("cannot listen for node servers")?;
    Listener::new(listener, plan.secret, plan.silence, expected, poller)
}

/// Listens on one address that the children can reach.
pub fn listen(plan: &Plan, node: u32, children: Range<u32>, poller: &Poller) -> Result<Listener> {
    let expected = children.len();
    let ip = address(plan, node, children)?;
    Listener::new(bind(ip)?, plan.secret, plan.silence, expected, poller)
}

/// Listens on a port of the address that the system chooses.
fn bind(ip: IpAddr) -> Result<TcpListener> {
    TcpListener::bind((ip, 0)).map_err(|e| anyhow!("cannot listen on {ip}: {e}{}", hint(&e)))
}

/// The address to listen on: the one of `--iface`, or the one from which this machine reaches its first child.
fn address(plan: &Plan, node: u32, children: Range<u32>) -> Result<IpAddr> {
    if let Some(net) = &plan.iface {
        return chosen(net, &tcp::interfaces());
    }
    // All nodes are on this machine.
    if plan.local {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    let usable = |ip: &IpAddr| !ip.is_loopback() && !ip.is_unspecified();
    let toward = children.filter_map(|c| route_to(&plan.reach.get(c))).find(usable);
    let named = || {
        let own = hosts::addresses();
        resolve(&plan.reach.get(node)).into_iter().find(|ip| usable(ip) && own.contains(ip))
    };
    let any = || hosts::addresses().into_iter().find(|ip| usable(ip) && ip.is_ipv4());
    Ok(toward.or_else(named).or_else(any).unwrap_or(Ipv4Addr::LOCALHOST.into()))
}

/// The local address from which packets go to `host`. Nothing is sent.
fn route_to(host: &str) -> Option<IpAddr> {
    let there = resolve(host).into_iter().next()?;
    let here: IpAddr = if there.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((here, 0)).ok()?;
    socket.connect((there, 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

pub fn resolve(host: &str) -> Vec<IpAddr> {
    // `user@host` is for ssh.
    let name = host.rsplit('@').next().unwrap_or(host);
    (name, 0).to_socket_addrs().map(|all| all.map(|a| a.ip()).collect()).unwrap_or_default()
}

/// The address of this machine that `--iface` means. It gives the name of an interface, an address, or a network.
fn chosen(net: &str, interfaces: &[(String, IpAddr)]) -> Result<IpAddr> {
    let own = || interfaces.iter().map(|(_, ip)| *ip);
    let found = if let Some((base, bits)) = net.split_once('/') {
        let (Ok(base), Ok(bits)) = (base.parse::<IpAddr>(), bits.parse::<u32>()) else {
            bail!("--iface {net}: expected an interface, an address or a network such as 10.0.0.0/24");
        };
        own().find(|ip| in_network(*ip, base, bits))
    } else if let Ok(ip) = net.parse::<IpAddr>() {
        own().find(|o| *o == ip)
    } else {
        let mut named: Vec<IpAddr> = interfaces.iter().filter(|(n, _)| n == net).map(|(_, ip)| *ip).collect();
        named.sort_by_key(IpAddr::is_ipv6);
        named.first().copied()
    };
    found.ok_or_else(|| anyhow!("--iface {net}: this machine has no such interface or address"))
}

fn in_network(ip: IpAddr, base: IpAddr, bits: u32) -> bool {
    // Addresses as numbers of 128 bits, the upper of which are the network.
    let number = |ip: IpAddr| match ip {
        IpAddr::V4(v4) => (u32::from(v4) as u128) << 96,
        IpAddr::V6(v6) => u128::from(v6),
    };
    let width = if base.is_ipv4() { 32 } else { 128 };
    ip.is_ipv4() == base.is_ipv4()
        && bits <= width
        && (number(ip) ^ number(base)).checked_shr(128 - bits).unwrap_or(0) == 0
}

/// Time between two tries to reach the parent. A shorter time makes more of them while a network is down; a longer one
/// delays the start when it is back.
const AGAIN: Duration = Duration::from_millis(500);

/// The way to the parent, until it has proved itself. The network may be down for a moment, so it is tried again for as
/// long as a host may take to answer.
pub struct Joining {
    address: SocketAddr,
    trial: Option<(OwnedFd, Handshake)>,
    until: Instant,
    /// The time of the next try.
    pub again: Option<Instant>,
}

impl Joining {
    pub fn new(address: SocketAddr, until: Instant) -> Joining {
        Joining { address, trial: None, until, again: Some(Instant::now()) }
    }

    /// Tries to connect if the time has come.
    pub fn look_at_clock(&mut self, plan: &Plan, node: u32, poller: &Poller) -> Result<()> {
        if self.again.take_if(|at| Instant::now() >= *at).is_some() {
            match connect(self.address, plan.silence) {
                Ok(fd) => {
                    poller.add(&fd, (Kind::Parent, 0))?;
                    // The room for the first words shows that there is a connection.
                    poller.change(&fd, (Kind::Parent, 0), true, true);
                    self.trial = Some((fd, Handshake::caller(&plan.secret, TREE, node)?));
                }
                Err(e) => self.failed(e, Instant::now())?,
            }
        }
        Ok(())
    }

    /// The socket is ready. Returns the connection when the parent has proved itself, and what was read behind that.
    pub fn ready(&mut self, poller: &Poller) -> Result<Option<(OwnedFd, Vec<u8>)>> {
        let Some((fd, mut handshake)) = self.trial.take() else { return Ok(None) };
        match shake(&fd, &mut handshake) {
            Ok(None) => {
                poller.change(&fd, (Kind::Parent, 0), true, false);
                self.trial = Some((fd, handshake));
                Ok(None)
            }
            Ok(Some((.., rest))) => {
                poller.remove(&fd);
                Ok(Some((fd, rest)))
            }
            Err(e) => {
                poller.remove(&fd);
                self.failed(e, Instant::now()).map(|()| None)
            }
        }
    }

    /// A try has failed. An error: it was the last one.
    fn failed(&mut self, e: anyhow::Error, now: Instant) -> Result<()> {
        if now >= self.until {
            bail!("cannot join the parent node server at {}: {e:#} (--iface names the network to use)", self.address);
        }
        self.again = Some(now + AGAIN);
        Ok(())
    }
}

/// Begins to connect. A failure appears as the end of the connection.
pub fn connect(address: SocketAddr, silence: Option<Duration>) -> Result<OwnedFd> {
    let family = if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let fd = socket(family, SockType::Stream, flags, None).context("cannot make a socket")?;
    match nix::sys::socket::connect(fd.as_raw_fd(), &SockaddrStorage::from(address)) {
        Ok(()) | Err(Errno::EINPROGRESS) => tune(&fd, silence),
        Err(e) => bail!("{e}{}", hint(&e.into())),
    }
    Ok(fd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_tried_again_for_as_long_as_a_host_may_take() {
        let now = Instant::now();
        let mut joining = Joining::new(SocketAddr::from(([127, 0, 0, 1], 9)), now + Duration::from_secs(2));
        assert!(joining.again.is_some_and(|at| at <= Instant::now()), "at once");
        joining.failed(anyhow!("refused"), now).unwrap();
        assert_eq!(joining.again, Some(now + AGAIN));
        let last = joining.failed(anyhow!("refused"), now + Duration::from_secs(2)).unwrap_err().to_string();
        assert!(last.starts_with("cannot join the parent node server at 127.0.0.1:9: refused (--iface"), "{last}");
    }

    #[test]
    fn interfaces_are_chosen_by_name_address_and_network() {
        let ip = |t: &str| t.parse::<IpAddr>().unwrap();
        let all = [
            ("lo".to_string(), ip("127.0.0.1")),
            ("eth0".to_string(), ip("fe80::1")),
            ("eth0".to_string(), ip("10.1.2.3")),
            ("ib0".to_string(), ip("192.168.7.9")),
        ];
        for (net, expected) in [
            ("eth0", "10.1.2.3"),
            ("192.168.7.9", "192.168.7.9"),
            ("10.1.0.0/16", "10.1.2.3"),
            ("192.168.7.8/31", "192.168.7.9"),
            ("0.0.0.0/0", "127.0.0.1"),
            ("fe80::/10", "fe80::1"),
        ] {
            assert_eq!(chosen(net, &all).unwrap(), ip(expected), "{net}");
        }
        for net in ["eth1", "10.2.0.0/16", "10.1.2.4", "10.1.0.0/x", "10.1.2.3/33", "x/8"] {
            assert!(chosen(net, &all).is_err(), "{net}");
        }
    }

    #[test]
    fn a_route_has_a_source() {
        assert_eq!(route_to("127.0.0.1"), Some(Ipv4Addr::LOCALHOST.into()));
        assert_eq!(route_to("user@127.0.0.1"), Some(Ipv4Addr::LOCALHOST.into()));
    }
}
