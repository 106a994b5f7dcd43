//! The rights of pages: which pages of a range the program may read, write and execute.

use core::ffi::c_int;
use std::fs::File;
use std::io::Read;

/// Stretches of a range whose pages are not readable and writable, with the rights they have. It is filled without an
/// allocation, because a fork needs it.
#[derive(Clone, Copy)]
pub(crate) struct Rights {
    stretches: [(usize, usize, c_int); MOST],
    used: usize,
}

/// Stretches that are remembered; a range with more of them loses the rights of the rest. Programs protect single pages
/// of their static data, as guards.
const MOST: usize = 64;

const READ_WRITE: c_int = libc::PROT_READ | libc::PROT_WRITE;

impl Rights {
    /// The rights of what is mapped in `[from, to)`, as the kernel lists them now. Without /proc there are none to
    /// keep.
    pub(crate) fn of(from: usize, to: usize) -> Rights {
        let mut rights = Rights { stretches: [(0, 0, 0); MOST], used: 0 };
        let Ok(mut list) = File::open("/proc/self/maps") else { return rights };
        let (mut bytes, mut held) = ([0u8; 4096], 0);
        loop {
            let Ok(n @ 1..) = list.read(&mut bytes[held..]) else { return rights };
            held += n;
            while let Some(len) = bytes[..held].iter().position(|&b| b == b'\n') {
                if let Some((start, end, prot)) = mapping(&bytes[..len]) {
                    if start >= to {
                        return rights; // the list is in order
                    }
                    rights.add(start.max(from), end.min(to), prot);
                }
                bytes.copy_within(len + 1..held, 0);
                held -= len + 1;
            }
            if held == bytes.len() {
                held = 100; // the rest of a long file name is not needed
            }
        }
    }

    fn add(&mut self, start: usize, end: usize, prot: c_int) {
        if start < end && prot != READ_WRITE && self.used < MOST {
            self.stretches[self.used] = (start, end, prot);
            self.used += 1;
        }
    }

    fn each(&self) -> impl Iterator<Item = (usize, usize, c_int)> {
        self.stretches[..self.used].iter().copied()
    }

    /// Some of the pages can be executed.
    pub(crate) fn any_executable(&self) -> bool {
        self.each().any(|(_, _, prot)| prot & libc::PROT_EXEC != 0)
    }

    /// Makes the pages readable that are not.
    pub(crate) fn let_read(&self) {
        self.each().filter(|(_, _, prot)| prot & libc::PROT_READ == 0).for_each(|(from, to, _)| {
            protect(from, to, libc::PROT_READ);
        });
    }

    /// Gives the pages the rights that they had, after something else was mapped there.
    pub(crate) fn give_back(&self) {
        self.each().for_each(|(from, to, prot)| protect(from, to, prot));
    }
}

/// A refusal leaves the pages as they are: the kernel has no room for another mapping then.
fn protect(from: usize, to: usize, prot: c_int) {
    // SAFETY: the callers give pages of the program the rights that the program has given them, or let them be read.
    unsafe { libc::mprotect(from as *mut libc::c_void, to - from, prot) };
}

/// A line of the list, such as `55d0c0e00000-55d0c0e01000 r--p 00000000 fe:00 123 /bin/true`: from, to, rights.
fn mapping(line: &[u8]) -> Option<(usize, usize, c_int)> {
    let line = core::str::from_utf8(line.get(..line.len().min(60))?).ok()?;
    let (range, rest) = line.split_once(' ')?;
    let (from, to) = range.split_once('-')?;
    let number = |text: &str| usize::from_str_radix(text, 16).ok();
    let rights = rest.as_bytes().iter().take(3).map(|byte| match byte {
        b'r' => libc::PROT_READ,
        b'w' => libc::PROT_WRITE,
        b'x' => libc::PROT_EXEC,
        _ => 0,
    });
    Some((number(from)?, number(to)?, rights.sum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_list() {
        assert_eq!(mapping(b"1000-3000 r-xp 00000000 fe:00 123 /a b"), Some((0x1000, 0x3000, 5)));
        assert_eq!(
            mapping(b"7f0000000000-7f0000001000 ---p 00000000 00:00 0"),
            Some((0x7f00_0000_0000, 0x7f00_0000_1000, 0))
        );
        assert_eq!(mapping("1000-3000 rw-s 0 0 0 /ä".as_bytes()), Some((0x1000, 0x3000, 3)));
        assert_eq!([&b""[..], b"x", b"1000 rw", b"z-3 rw"].map(mapping), [None; 4]);
    }
}
