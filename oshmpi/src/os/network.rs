//! The kind of network that this machine has, the machine's name, and this process's connections to others.

use nix::sys::socket::{SockaddrStorage, getpeername, getsockname};
use std::net::IpAddr;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// This machine has an adapter that may access other machines' memory without their processors: InfiniBand, RoCE,
/// Omni-Path, EFA or Slingshot. Whether MPI uses it so is another question, which the probe of windows answers.
pub(crate) fn may_reach_memory() -> bool {
    ["/sys/class/infiniband", "/sys/class/cxi"].into_iter().any(|class| has_devices(Path::new(class)))
}

/// This machine has an adapter of InfiniBand or RoCE that UCX knows.
pub(crate) fn is_infiniband() -> bool {
    let known = |name: &[u8]| name.starts_with(b"mlx");
    let devices = Path::new("/sys/class/infiniband").read_dir();
    devices.is_ok_and(|all| all.flatten().any(|device| known(device.file_name().as_encoded_bytes())))
}

/// Whether this process may lock so many bytes of memory, as registering them with an adapter does. The kernel is
/// asked, with pages that nobody touches.
pub(crate) fn can_lock(bytes: usize) -> bool {
    let (prot, flags) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: a new mapping, which nobody else knows; it is gone when this returns.
    unsafe {
        let at = libc::mmap(core::ptr::null_mut(), bytes.max(1), prot, flags, -1, 0);
        let locked = at != libc::MAP_FAILED && libc::mlock2(at, bytes.max(1), libc::MLOCK_ONFAULT) == 0;
        if at != libc::MAP_FAILED {
            libc::munmap(at, bytes.max(1));
        }
        locked
    }
}

/// The name of this host in its UTS namespace; empty if the kernel does not tell.
pub(crate) fn host_name() -> Vec<u8> {
    nix::unistd::gethostname().unwrap_or_default().into_vec()
}

fn has_devices(class: &Path) -> bool {
    class.read_dir().is_ok_and(|mut devices| devices.next().is_some())
}

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

    #[test]
    fn a_directory_without_entries_is_no_device() {
        // A process that reads this directory has an open file.
        assert!(has_devices(Path::new("/proc/self/fd")));
        assert!(!has_devices(Path::new("/nowhere")) && !has_devices(Path::new("/proc/self/maps")));
    }

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
