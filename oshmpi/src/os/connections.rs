//! The connections that this process has to other hosts.

use nix::sys::socket::{SockaddrStorage, getpeername, getsockname};
use std::net::IpAddr;
use std::os::fd::RawFd;

/// The number of this process's open sockets with another host at the other end; 0 without /proc. What an adapter does
/// without sockets (InfiniBand) is not seen.
pub(crate) fn to_other_hosts() -> usize {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else { return 0 };
    between_hosts(open.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()))
}

fn between_hosts(descriptors: impl Iterator<Item = RawFd>) -> usize {
    descriptors.filter_map(ends).filter(|[own, other]| own != other).count()
}

/// The addresses at the two ends of a connection; None: it is no such connection.
fn ends(fd: RawFd) -> Option<[IpAddr; 2]> {
    Some([address(&getsockname(fd).ok()?)?, address(&getpeername(fd).ok()?)?])
}

fn address(of: &SockaddrStorage) -> Option<IpAddr> {
    let v4 = of.as_sockaddr_in().map(|a| IpAddr::V4(a.ip()));
    v4.or_else(|| of.as_sockaddr_in6().map(|a| a.ip().to_canonical()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    /// A connection from one address of the loopback network to another looks as one between two hosts does.
    #[test]
    fn connections_with_one_address_stay_on_the_host() {
        let listener = |ip: [u8; 4]| TcpListener::bind((Ipv4Addr::from(ip), 0)).unwrap();
        let (same, other) = (listener([127, 0, 0, 1]), listener([127, 0, 0, 2]));
        let [inside, outside] = [&same, &other].map(|to| TcpStream::connect(to.local_addr().unwrap()).unwrap());
        let file = std::fs::File::open("/dev/null").unwrap();
        let all = [same.as_raw_fd(), other.as_raw_fd(), inside.as_raw_fd(), file.as_raw_fd()];
        assert_eq!(between_hosts(all.into_iter()), 0);
        assert_eq!(between_hosts(all.into_iter().chain([outside.as_raw_fd()])), 1);
        assert!(to_other_hosts() > 0);
        let address = |text: &str| address(&SockaddrStorage::from(text.parse::<std::net::SocketAddr>().unwrap()));
        assert_eq!(address("[::ffff:10.0.0.1]:9"), address("10.0.0.1:8"));
    }
}
