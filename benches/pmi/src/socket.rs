//! Get as it is without shared memory: PMI-1 lines over a socket pair per client, one server for all.

use super::work::VALUE;
use pmi_shm::kvs::{Answer, Store};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

/// A client's end.
pub struct Client {
    socket: UnixStream,
    line: Vec<u8>,
    answer: Vec<u8>,
}

impl Client {
    pub fn new(socket: UnixStream) -> Client {
        Client { socket, line: Vec::new(), answer: vec![0; 1024] }
    }

    /// One Get, as a PMI-1 client does it: a line there, a line back.
    pub fn get(&mut self, key: &[u8], out: &mut [u8; VALUE]) {
        self.line.clear();
        self.line.extend_from_slice(b"cmd=get kvsname=bench key=");
        self.line.extend_from_slice(key);
        self.line.push(b'\n');
        self.socket.write_all(&self.line).expect("the server is there");
        let mut have = 0;
        while have == 0 || self.answer[have - 1] != b'\n' {
            let n = self.socket.read(&mut self.answer[have..]).expect("the server answers");
            assert!(n > 0, "the server is gone");
            have += n;
        }
        let line = &self.answer[..have - 1];
        out.copy_from_slice(&line[line.len() - VALUE..]);
    }
}

/// Serves until all clients are gone.
pub fn serve(store: &Store, mut sockets: Vec<UnixStream>) {
    let mut buffers = vec![Vec::new(); sockets.len()];
    let mut polls: Vec<libc::pollfd> =
        sockets.iter().map(|s| libc::pollfd { fd: s.as_raw_fd(), events: libc::POLLIN, revents: 0 }).collect();
    let mut left = sockets.len();
    let mut chunk = [0; 4096];
    while left > 0 {
        // SAFETY: an array of that many structs.
        let ready = unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, -1) };
        assert!(ready > 0, "poll: {}", std::io::Error::last_os_error());
        for (i, poll) in polls.iter_mut().enumerate().filter(|(_, p)| p.revents != 0) {
            match sockets[i].read(&mut chunk) {
                Ok(n) if n > 0 => {
                    buffers[i].extend_from_slice(&chunk[..n]);
                    answer(store, &mut buffers[i], &mut sockets[i]);
                }
                _ => {
                    poll.fd = -1;
                    left -= 1;
                }
            }
        }
    }
}

fn answer(store: &Store, buffer: &mut Vec<u8>, socket: &mut UnixStream) {
    while let Some(end) = buffer.iter().position(|b| *b == b'\n') {
        let line: Vec<u8> = buffer.drain(..=end).collect();
        let key = line[..end].split(|b| *b == b' ').find_map(|word| word.strip_prefix(b"key="));
        let mut value = [0; VALUE];
        let mut answer = Vec::with_capacity(128);
        match store.get(key.expect("a Get has a key"), &mut value) {
            Answer::Found(_) => {
                answer.extend_from_slice(b"cmd=get_result rc=0 msg=success value=");
                answer.extend_from_slice(&value);
                answer.push(b'\n');
            }
            other => panic!("the store is filled: {other:?}"),
        }
        // A client that ended early has said why.
        let _ = socket.write_all(&answer);
    }
}
