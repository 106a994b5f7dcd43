//! Who connects to a node server and does not belong to the job.

use super::hosts::launcher;
use super::*;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};

/// The address on which a process listens, from the kernel's tables.
fn listens(pid: i32) -> Option<SocketAddr> {
    let mut sockets = Vec::new();
    for fd in fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten() {
        let target = fs::read_link(fd.path()).unwrap_or_default();
        let inode = target.to_str().and_then(|t| t.strip_prefix("socket:[")?.strip_suffix(']')).map(String::from);
        sockets.extend(inode);
    }
    let table = fs::read_to_string("/proc/net/tcp").ok()?;
    table.lines().skip(1).find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let listening = words[3] == "0A" && sockets.iter().any(|s| s == words[9]);
        let (ip, port) = words[1].split_once(':')?;
        let ip = Ipv4Addr::from(u32::from_str_radix(ip, 16).ok()?.swap_bytes());
        let port = u16::from_str_radix(port, 16).ok()?;
        listening.then_some(SocketAddr::from((ip, port)))
    })
}

/// A job of two hosts, the second of which does not come before the file is there.
struct Waiting {
    job: Running,
    dir: tempfile::TempDir,
    listener: SocketAddr,
    /// The process that listens.
    server: i32,
}

impl Waiting {
    fn start(descriptors: u64) -> Waiting {
        let dir = tempfile::tempdir().unwrap();
        let before = format!("test $host != b || until test -e {}/come; do sleep 0.05; done", dir.path().display());
        let command = launcher(&dir, &before);
        let script = format!("echo $PMI_RANK; until test -e {}/end; do sleep 0.05; done", dir.path().display());
        let words = ["-launcher", &command, "--iface", "lo", "-hosts", "a,b", "-n", "2"];
        let job = shell(&words, &script).descriptors(descriptors, descriptors).start();
        let mut found = None;
        wait_until("nobody listens", || {
            found = job.wait_for("oshrun", 3).into_iter().find_map(|pid| Some((pid, listens(pid)?)));
            found.is_some()
        });
        let (server, listener) = found.unwrap();
        Waiting { job, dir, listener, server }
    }

    fn make(&self, name: &str) {
        fs::write(self.dir.path().join(name), "").unwrap();
    }

    /// The second host comes, all join, and the job ends well.
    fn goes_on(self) {
        self.make("come");
        wait_until("the server still listens when all have joined", || listens(self.server).is_none());
        self.make("end");
        let e = self.job.end();
        assert_eq!((e.code, e.sorted()), (Some(0), vec!["0", "1"]), "{}", e.err);
    }
}

/// How many of these connections the other side has closed.
fn closed(all: &[TcpStream]) -> usize {
    let is_closed = |mut stream: &TcpStream| {
        stream.set_nonblocking(true).unwrap();
        !matches!(stream.read(&mut [0]), Err(e) if e.kind() == std::io::ErrorKind::WouldBlock)
    };
    all.iter().filter(|stream| is_closed(stream)).count()
}

#[test]
fn who_does_not_know_the_secret_is_turned_away() {
    let waiting = Waiting::start(1000);
    assert!(waiting.listener.ip().is_loopback());
    let hello = pmi_shm::server::auth::Handshake::caller(b"not the secret", 0, 1).unwrap().output();
    for said in [&b"GET / HTTP/1.0\r\n\r\n"[..], &hello] {
        let mut stranger = TcpStream::connect(waiting.listener).unwrap();
        stranger.set_read_timeout(Some(LONG)).unwrap();
        stranger.write_all(said).unwrap();
        let mut heard = [0; 48];
        if said == hello {
            // The challenge. A proof made without the secret ends the connection.
            stranger.read_exact(&mut heard).unwrap();
            stranger.write_all(&[7; 32]).unwrap();
        }
        assert!(matches!(stranger.read(&mut heard), Ok(0) | Err(_)), "the connection stays open");
    }
    waiting.goes_on();
}

#[test]
fn silent_strangers_are_few_do_not_stay_and_are_in_nobodys_way() {
    let waiting = Waiting::start(1000);
    let all: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(waiting.listener).unwrap()).collect();
    let begun = Instant::now();
    wait_until("not all are turned away", || closed(&all) == 200);
    assert!(begun.elapsed() > Duration::from_secs(2), "they have some time");
    let _more: Vec<TcpStream> = (0..64).map(|_| TcpStream::connect(waiting.listener).unwrap()).collect();
    waiting.goes_on();
}

/// The server has no descriptors left for a while, and neither ends nor keeps a core busy.
#[test]
fn strangers_that_take_all_descriptors_stop_nothing() {
    let waiting = Waiting::start(50);
    let ticks = || stat(waiting.server)[11..13].iter().map(|field| field.parse::<i64>().unwrap()).sum::<i64>();
    let all: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(waiting.listener).unwrap()).collect();
    thread::sleep(Duration::from_millis(300));
    let before = ticks();
    thread::sleep(Duration::from_secs(2));
    // Hundredths of a second.
    assert!(ticks() - before < 60, "{} of 200 ticks", ticks() - before);
    drop(all);
    waiting.goes_on();
}

/// Other users can read command lines.
#[test]
fn the_secret_is_on_no_command_line() {
    let waiting = Waiting::start(1000);
    let servers: Vec<i32> = waiting.job.wait_for("oshrun", 3).into_iter().filter(|&p| p != waiting.job.pid()).collect();
    for server in servers {
        let words = fs::read(format!("/proc/{server}/cmdline")).unwrap();
        let words: Vec<&[u8]> = words.split(|&b| b == 0).skip(1).filter(|w| !w.is_empty()).collect();
        assert_eq!(words, [b"--node-server"]);
    }
    waiting.goes_on();
}

#[test]
fn nobody_listens_without_need() {
    let job = oshrun(&["-n", "2", "sleep", "1000"]).start();
    job.wait_for("sleep", 2);
    assert!(job.wait_for("oshrun", 2).into_iter().all(|p| listens(p).is_none()));
    job.signal(libc::SIGTERM);
    job.end();
}
