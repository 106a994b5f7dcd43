//! Clients as forked processes: held until all are ready, let go together, asked for their figures.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};

/// Forked clients that wait for `go`, and later, when they have given their figures, for `release`.
pub struct Crew {
    members: Vec<(libc::pid_t, File)>,
    go: Option<File>,
    stay: Option<File>,
}

fn pipe() -> (File, File) {
    let mut ends = [0; 2];
    // SAFETY: pipe2 fills the array. Both descriptors are new, and nothing else owns them.
    unsafe {
        assert_eq!(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC), 0, "pipe: {}", std::io::Error::last_os_error());
        (OwnedFd::from_raw_fd(ends[0]).into(), OwnedFd::from_raw_fd(ends[1]).into())
    }
}

impl Crew {
    /// Forks `n` clients. Each calls `prepare` with its number, waits, calls what that returned, gives its figures,
    /// and stays until it is released, holding all its memory. Returns when all are prepared.
    ///
    /// This program has one thread, so a child may do anything.
    pub fn start<W: FnOnce() -> Vec<f64>>(n: usize, prepare: impl Fn(usize) -> W) -> Crew {
        let (wait_go, go) = pipe();
        let (wait_end, stay) = pipe();
        let mut crew = Crew { members: Vec::new(), go: Some(go), stay: Some(stay) };
        for i in 0..n {
            let (from, to) = pipe();
            // SAFETY: one thread, see above.
            let pid = unsafe { libc::fork() };
            assert!(pid >= 0, "fork: {}", std::io::Error::last_os_error());
            if pid == 0 {
                // The child's copies of the parent's ends, without which the pipes would never end.
                drop((crew.go.take(), crew.stay.take(), std::mem::take(&mut crew.members), from));
                child(&prepare, i, (&wait_go, &wait_end), to);
            }
            crew.members.push((pid, from));
        }
        for (_, from) in &mut crew.members {
            let mut ready = [0];
            from.read_exact(&mut ready).expect("a client ended before it was ready");
        }
        crew
    }

    pub fn pids(&self) -> Vec<libc::pid_t> {
        self.members.iter().map(|(pid, _)| *pid).collect()
    }

    /// Lets all work.
    pub fn go(&mut self) {
        self.go = None;
    }

    /// The figures of all, as they end their work.
    pub fn figures(&mut self) -> Vec<Vec<f64>> {
        self.go();
        let figures = self.members.iter_mut().map(|(_, from)| {
            let mut count = [0; 8];
            from.read_exact(&mut count).expect("a client ended without its figures");
            let mut bytes = vec![0; 8 * u64::from_ne_bytes(count) as usize];
            from.read_exact(&mut bytes).expect("a client ended within its figures");
            let numbers = bytes.chunks_exact(8).map(|b| f64::from_ne_bytes(b.try_into().expect("8 bytes")));
            numbers.collect()
        });
        figures.collect()
    }
}

fn child<W: FnOnce() -> Vec<f64>>(prepare: &impl Fn(usize) -> W, i: usize, waits: (&File, &File), mut to: File) -> ! {
    let until_closed = |mut pipe: &File| pipe.read(&mut [0]).is_ok_and(|n| n == 0);
    let work = prepare(i);
    let mut fine = to.write_all(&[1]).is_ok() && until_closed(waits.0);
    if fine {
        let figures = work();
        let mut bytes = (figures.len() as u64).to_ne_bytes().to_vec();
        bytes.extend(figures.iter().flat_map(|f| f.to_ne_bytes()));
        fine = to.write_all(&bytes).is_ok() && until_closed(waits.1);
    }
    // SAFETY: ends this process without the parent's exit handlers and buffers.
    unsafe { libc::_exit(i32::from(!fine)) }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.go = None;
        self.stay = None;
        for (pid, _) in &self.members {
            let mut status = 0;
            // SAFETY: waits for a child of this process that nothing else waits for.
            unsafe { libc::waitpid(*pid, &raw mut status, 0) };
            if status != 0 && !std::thread::panicking() {
                panic!("a client ended with status {status:#x}");
            }
        }
    }
}
