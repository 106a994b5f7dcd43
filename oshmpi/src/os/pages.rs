//! Which pages of a range hold data.

use super::map;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// Bits of a page's entry in `/proc/self/pagemap`: the page is in memory (63) or swapped out (62). In both cases it
/// holds data of this process.
const HOLDS_DATA: u64 = 0b11 << 62;

/// Calls `found(start, len)` for every run of pages in `[at, at+len)` that hold data. Where neither the kernel nor an
/// emulator tells, the whole range is one run. `at` and `len` are multiples of `page`.
pub(crate) fn present(at: usize, len: usize, page: usize, mut found: impl FnMut(usize, usize)) {
    // Entries that are read by one call: 32 KiB of stack. A smaller number costs more calls, a larger one more stack.
    const CHUNK: usize = 4096;
    let Ok(map) = File::open("/proc/self/pagemap") else {
        return found(at, len);
    };
    let mut entries = [0u8; CHUNK * 8];
    static DESCRIBES_THIS_PROCESS: OnceLock<bool> = OnceLock::new();
    if !DESCRIBES_THIS_PROCESS.get_or_init(|| describes_this_process(&map, page)) {
        return found(at, len);
    }
    let (first, pages) = (at / page, len / page);
    let mut run: Option<usize> = None;
    for start in (0..pages).step_by(CHUNK) {
        let n = CHUNK.min(pages - start);
        let bytes = &mut entries[..n * 8];
        if map.read_exact_at(bytes, ((first + start) * 8) as u64).is_err() {
            let from = run.take().unwrap_or(at + start * page);
            return found(from, at + len - from);
        }
        for (i, entry) in bytes.chunks_exact(8).enumerate() {
            let here = at + (start + i) * page;
            match (holds_data(entry), run) {
                (true, None) => run = Some(here),
                (false, Some(from)) => {
                    found(from, here - from);
                    run = None;
                }
                _ => {}
            }
        }
    }
    if let Some(from) = run {
        found(from, at + len - from);
    }
}

/// Whether the table describes the addresses that this program sees. An emulator (qemu-user) shows the table of its own
/// process, in which the same addresses stand for other memory. Single pages may look right there. So a pattern of
/// pages is written, and all of its entries are compared.
fn describes_this_process(table: &File, page: usize) -> bool {
    const WRITTEN: u32 = 0xb1e5_4d27;
    const PAGES: usize = u32::BITS as usize;
    let len = PAGES * page;
    let Ok(at) = map::private(len) else { return false };
    map::advise_small(at, len);
    let written = |i: usize| WRITTEN >> i & 1 == 1;
    for i in (0..PAGES).filter(|i| written(*i)) {
        // SAFETY: page `i` of `PAGES` lies inside the mapping made above, which nobody else knows.
        unsafe { ((at + i * page) as *mut u8).write_volatile(1) };
    }
    let mut entries = [0u8; PAGES * 8];
    let read = table.read_exact_at(&mut entries, (at / page * 8) as u64).is_ok();
    let same = read && (0..PAGES).all(|i| holds_data(&entries[i * 8..][..8]) == written(i));
    // SAFETY: the mapping was made above, and nobody else knows its address.
    unsafe { map::unmap(at, len) };
    same
}

/// The entry of a page tells that the page holds data.
fn holds_data(entry: &[u8]) -> bool {
    u64::from_ne_bytes(entry.try_into().expect("an entry has eight bytes")) & HOLDS_DATA != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_tells_which_pages_hold_data() {
        let page = map::page();
        let at = map::private(2 * page).unwrap();
        // SAFETY: the first byte of the mapping made above.
        unsafe { *(at as *mut u8) = 1 };
        let table = File::open("/proc/self/pagemap").unwrap();
        let holds = |at: usize| {
            let mut entry = [0; 8];
            table.read_exact_at(&mut entry, (at / page * 8) as u64).unwrap();
            holds_data(&entry)
        };
        assert_eq!([at, at + page].map(holds), [true, false]);
        assert!(describes_this_process(&table, page));
        // A table of other addresses does not show the pattern.
        assert!(!describes_this_process(&File::open("/dev/zero").unwrap(), page));
        // SAFETY: the mapping was made above, and nothing uses it any more.
        unsafe { map::unmap(at, 2 * page) };
    }

    #[test]
    fn finds_touched_pages_and_only_those() {
        let page = map::page();
        let at = map::private(100 * page).unwrap();
        for touched in [3, 4, 50] {
            // SAFETY: the page lies inside the mapping made above.
            unsafe { *((at + touched * page) as *mut u8) = 1 };
        }
        let mut runs = Vec::new();
        present(at, 100 * page, page, |from, len| runs.push(((from - at) / page, len / page)));
        // SAFETY: the mapping was made above, and nothing uses it any more.
        unsafe { map::unmap(at, 100 * page) };
        let holds = |p: usize| runs.iter().any(|&(from, n)| (from..from + n).contains(&p));
        assert!(holds(3) && holds(4) && holds(50), "{runs:?}");
        // A process can always read its own pagemap, so no other page is reported.
        assert!(!holds(0) && !holds(49) && !holds(99), "{runs:?}");
    }
}
