//! INTERIM PMI-1 client.

use super::link;
use pmi_shm::{Error, Job};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

pub(crate) struct Pmi1 {
    stream: std::cell::RefCell<BufReader<UnixStream>>,
    space: String,
    rank: u32,
    size: u32,
}

impl Pmi1 {
    pub(crate) fn connect() -> Result<Option<Pmi1>, Error> {
        let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<i32>().ok());
        let Some(fd) = number("PMI_FD") else { return Ok(None) };
        // SAFETY: plain numbers.
        let own = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3) };
        if own < 0 {
            return Ok(None);
        }
        // SAFETY: just made.
        let stream = UnixStream::from(unsafe { OwnedFd::from_raw_fd(own) });
        link::keep(stream.try_clone().map_err(|e| Error(e.to_string()))?);
        let mut pmi = Pmi1 {
            stream: BufReader::new(stream).into(),
            space: String::new(),
            rank: number("PMI_RANK").unwrap_or(0) as u32,
            size: number("PMI_SIZE").unwrap_or(1) as u32,
        };
        pmi.ask("cmd=init pmi_version=1 pmi_subversion=1\n")?;
        let answer = pmi.ask("cmd=get_my_kvsname\n")?;
        pmi.space = field(&answer, "kvsname").unwrap_or_default().to_owned();
        Ok(Some(pmi))
    }

    pub(crate) fn one_node(&self) -> bool {
        super::job::one_node_by_environment(self.size)
    }

    fn ask(&self, line: &str) -> Result<String, Error> {
        let e = |e: std::io::Error| Error(e.to_string());
        let mut stream = self.stream.borrow_mut();
        stream.get_mut().write_all(line.as_bytes()).map_err(e)?;
        let mut answer = String::new();
        stream.read_line(&mut answer).map_err(e)?;
        Ok(answer)
    }
}

fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.trim_end().split(' ').find_map(|f| f.strip_prefix(name)?.strip_prefix('='))
}

impl Job for Pmi1 {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        let hex: String = value.iter().map(|b| format!("{b:02x}")).collect();
        self.ask(&format!("cmd=put kvsname={} key={}-{key} value={hex}\n", self.space, self.rank)).map(drop)
    }

    fn fence(&mut self) -> Result<(), Error> {
        self.ask("cmd=barrier_in\n").map(drop)
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        let answer = self.ask(&format!("cmd=get kvsname={} key={rank}-{key}\n", self.space))?;
        let hex = field(&answer, "value").unwrap_or_default();
        Ok((0..hex.len() / 2).filter_map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).ok()).collect())
    }
}
