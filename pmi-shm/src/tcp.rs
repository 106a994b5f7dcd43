//! Options of TCP connections between hosts.

use nix::sys::socket::{setsockopt, sockopt};
use std::net::IpAddr;
use std::os::fd::AsFd;
use std::time::Duration;

/// How long a host may be silent before it is considered lost, by default. A shorter time takes a busy network for a
/// lost host; a longer one lets a job wait longer for a host that is gone.
pub const SILENCE: Duration = Duration::from_secs(30);

/// The shortest silence that can be set: the kernel counts whole seconds, and asks several times.
pub const LEAST: Duration = Duration::from_secs(6);

/// Sends small messages at once.
pub fn no_delay(socket: &impl AsFd) {
    let _ = setsockopt(socket, sockopt::TcpNoDelay, &true); // where it is refused, messages are late
}

/// Makes a connection fail when the other host has been silent for `silence`, at least [`LEAST`]. The kernels on both
/// sides ask each other for signs of life, so a process that is stopped or busy is not silent.
pub fn keep_alive(socket: &impl AsFd, silence: Duration) {
    const QUESTIONS: u64 = 4;
    // About a third of the time passes before the first question. The questions share the rest.
    let whole = silence.max(LEAST).as_secs();
    let between = whole / 6;
    let first = whole - QUESTIONS * between;
    let seconds = |s: u64| u32::try_from(s).unwrap_or(u32::MAX).min(32767); // the kernel's limit
    // A kernel that refuses an option notices the silence later, or not at all.
    let _ = setsockopt(socket, sockopt::KeepAlive, &true);
    let _ = setsockopt(socket, sockopt::TcpKeepIdle, &seconds(first));
    let _ = setsockopt(socket, sockopt::TcpKeepInterval, &seconds(between));
    let _ = setsockopt(socket, sockopt::TcpKeepCount, &(QUESTIONS as u32));
    let _ = setsockopt(socket, sockopt::TcpUserTimeout, &seconds(whole).saturating_mul(1000));
}

/// Name and address of each network interface.
pub fn interfaces() -> Vec<(String, IpAddr)> {
    let Ok(all) = nix::ifaddrs::getifaddrs() else { return Vec::new() };
    all.filter_map(|i| {
        let a = i.address?;
        let ip = match (a.as_sockaddr_in(), a.as_sockaddr_in6()) {
            (Some(v4), _) => IpAddr::V4(v4.ip()),
            (_, Some(v6)) => IpAddr::V6(v6.ip()),
            _ => return None,
        };
        Some((i.interface_name, ip))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::socket::getsockopt;
    use std::net::{Ipv4Addr, TcpListener};

    #[test]
    fn silence_is_shared_out() {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        for (asked, whole) in [(30, 30), (6, 6), (1, 6), (100, 100)] {
            keep_alive(&socket, Duration::from_secs(asked));
            let first = getsockopt(&socket, sockopt::TcpKeepIdle).unwrap();
            let between = getsockopt(&socket, sockopt::TcpKeepInterval).unwrap();
            let count = getsockopt(&socket, sockopt::TcpKeepCount).unwrap();
            assert!(first > 0 && between > 0);
            assert_eq!(first + between * count, whole, "{asked}");
            assert_eq!(getsockopt(&socket, sockopt::TcpUserTimeout).unwrap(), whole * 1000);
        }
    }

    #[test]
    fn this_machine_has_itself() {
        assert!(interfaces().iter().any(|(_, ip)| ip.is_loopback()));
    }
}
