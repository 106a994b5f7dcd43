//! Places in the program: a routine or an instruction, with the calls that led there. Sites lie in shared memory, so
//! that a PE can print where another PE's access was.
//!
//! ```text
//! | hash | ready, routine, frames | 14 frames |
//! ```
//! A frame is an offset in the executable, or an address of this process elsewhere.

use crate::node::{Node, SITE_BYTES, SITES};
use crate::symbols;
use core::ops::Range;
use core::sync::atomic::Ordering;

/// Frames of a site.
pub const FRAMES: usize = SITE_BYTES / 8 - 2;
const READY: u64 = 1 << 63;
/// From here on sites have one frame. A program that calls itself has more stacks than there is room for, and each
/// place of it should still have a name.
const ONE_FRAME: usize = SITES - SITES / 8;
/// How far from its first place a site is looked for.
const PROBES: usize = 64;
/// The site of accesses when there is no room for more.
pub const UNKNOWN: u32 = 0;
/// Set in a frame outside the executable.
const ELSEWHERE: u64 = 1 << 63;

/// A site as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// 0: an instruction of the program.
    pub routine: u32,
    pub frames: Vec<Frame>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// In the executable, which is the same file for all PEs.
    Program(u64),
    Elsewhere(u64),
}

impl Frame {
    fn of(pc: usize) -> u64 {
        match symbols::offset_in_program(pc) {
            Some(offset) => offset,
            None => pc as u64 | ELSEWHERE,
        }
    }

    fn from_word(word: u64) -> Frame {
        if word & ELSEWHERE == 0 { Frame::Program(word) } else { Frame::Elsewhere(word & !ELSEWHERE) }
    }
}

/// The number of a site.
pub fn intern(node: &Node, routine: u32, frames: &[usize]) -> u32 {
    let words: Vec<u64> = frames.iter().take(FRAMES).map(|pc| Frame::of(*pc)).collect();
    intern_words(node, routine, &words)
}

/// [`intern`] for frames as another node has them.
pub fn intern_words(node: &Node, routine: u32, words: &[u64]) -> u32 {
    let words = &words[..words.len().min(FRAMES)];
    let one = &words[..words.len().min(1)];
    let found = intern_among(node, routine, words, 1..ONE_FRAME);
    found.or_else(|| intern_among(node, routine, one, ONE_FRAME..SITES)).unwrap_or(UNKNOWN)
}

fn intern_among(node: &Node, routine: u32, words: &[u64], among: Range<usize>) -> Option<u32> {
    let mut hash = mix(u64::from(routine) + 1, words.len() as u64);
    for word in words {
        hash = mix(hash, *word);
    }
    hash |= 1;
    for i in 0..PROBES {
        let site = among.start + (hash as usize >> 1).wrapping_add(i) % among.len();
        let at = node.site_word(site, 0);
        let claimed = at.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed);
        match claimed {
            Ok(_) => {
                for (i, word) in words.iter().enumerate() {
                    node.site_word(site, 2 + i).store(*word, Ordering::Relaxed);
                }
                let head = READY | u64::from(routine) << 8 | words.len() as u64;
                node.site_word(site, 1).store(head, Ordering::Release); // SYNC site: pairs with the load in read
                return Some(site as u32);
            }
            Err(found) if found == hash => return Some(site as u32),
            Err(_) => {}
        }
    }
    None
}

/// The routine and the frames of a site, for another node.
pub fn words(node: &Node, site: u32) -> (u32, Vec<u64>) {
    let Some(site) = read(node, site) else { return (0, Vec::new()) };
    let word = |frame: Frame| match frame {
        Frame::Program(offset) => offset,
        Frame::Elsewhere(at) => at | ELSEWHERE,
    };
    (site.routine, site.frames.into_iter().map(word).collect())
}

/// What a site is. None if it is not known.
pub fn read(node: &Node, site: u32) -> Option<Site> {
    if site == UNKNOWN || site as usize >= SITES {
        return None;
    }
    let head = (0..1000).find_map(|_| {
        // SYNC site: pairs with the store in intern
        let head = node.site_word(site as usize, 1).load(Ordering::Acquire);
        if head & READY == 0 {
            std::thread::yield_now();
        }
        (head & READY != 0).then_some(head)
    })?;
    let frames = (0..(head & 0xff) as usize)
        .map(|i| Frame::from_word(node.site_word(site as usize, 2 + i).load(Ordering::Relaxed)));
    Some(Site { routine: (head & !READY) as u32 >> 8, frames: frames.collect() })
}

/// Mixes a word into a hash.
pub fn mix(hash: u64, word: u64) -> u64 {
    let x = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ x >> 29
}
