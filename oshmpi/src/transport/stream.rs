//! Copies past the caches, for calls that move more than the last-level cache holds. A plain store into memory that is
//! not cached first reads the line that it overwrites, and evicts lines that are needed next.

use crate::os::locality;

/// Bytes of the shortest copy that goes past the caches. Shorter ones gain nothing.
#[cfg(target_arch = "x86_64")]
const SHORTEST: usize = 4 << 10;

/// Whether copies past the caches are faster for a call that reads and writes `bytes` on all PEs of this node together.
pub(crate) fn worth(bytes: usize) -> bool {
    // Half of the cache, because other programs use a part of it, and data that was just written will be read.
    bytes >= 1 << 20 && bytes >= locality::last_level_cache() / 2
}

/// Copies `n` bytes. They are visible to a thread that sees a later store of this thread.
///
/// # Safety
/// As for [`super::node::copy`].
pub(crate) unsafe fn copy(to: *mut u8, from: *const u8, n: usize) {
    // SAFETY: the caller promises that both ranges are mapped for `n` bytes, as both copies want.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if n >= SHORTEST {
            return lines(to, from, n);
        }
        super::node::copy(to, from, n);
    }
}

/// As `copy_past_caches`, for at least one cache line.
///
/// # Safety
/// As for that function, and `n` is at least 64.
#[cfg(target_arch = "x86_64")]
unsafe fn lines(to: *mut u8, from: *const u8, n: usize) {
    use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    const LINE: usize = 64;
    const WORD: usize = size_of::<__m128i>();
    let head = to.align_offset(LINE);
    let whole = (n - head) / LINE * LINE;
    // SAFETY: head, lines and rest are `n` bytes, which the caller promises on both sides. Stores are aligned, as lines
    // are.
    unsafe {
        core::ptr::copy(from, to, head);
        for at in (head..head + whole).step_by(LINE) {
            let word = |i: usize| _mm_loadu_si128(from.add(at + i * WORD).cast());
            let words = [word(0), word(1), word(2), word(3)];
            for (i, word) in words.into_iter().enumerate() {
                _mm_stream_si128(to.add(at + i * WORD).cast(), word);
            }
        }
        // Such stores are not ordered before later stores, not even by a release.
        _mm_sfence();
        core::ptr::copy(from.add(head + whole), to.add(head + whole), n - head - whole);
    }
}

#[cfg(test)]
mod tests {
    /// Copies with every start and end within two lines change the right bytes and no others.
    #[test]
    fn bytes_arrive_and_no_others_change() {
        let from: Vec<u8> = (0..9000).map(|i| (i * 7 % 251) as u8).collect();
        for (start, end) in (0..130).flat_map(|s| [(s, 8800 + s), (130 - s, 8999 - s), (s, 4096 + s), (s, s + 40)]) {
            let mut to = vec![255u8; 9000];
            // SAFETY: both ranges lie inside their vectors.
            unsafe { super::copy(to.as_mut_ptr().add(start), from.as_ptr().add(start / 2), end - start) };
            assert_eq!(to[start..end], from[start / 2..start / 2 + end - start]);
            assert!(to[..start].iter().chain(&to[end..]).all(|&b| b == 255));
        }
    }
}
