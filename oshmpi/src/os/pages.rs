//! Which pages of a range hold something.

use super::map;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// A page is in memory (bit 63 of its pagemap entry) or swapped out (bit 62): both hold data of this process.
const HOLDS_DATA: u64 = 0b11 << 62;

/// Calls `found(start, len)` for every run of pages in `[at, at+len)` that holds data; everything where the kernel
/// or an emulator does not tell. `at` and `len` are multiples of `page`.
pub(crate) fn present(at: usize, len: usize, page: usize, mut found: impl FnMut(usize, usize)) {
    const CHUNK: usize = 4096;
    let Ok(map) = File::open("/proc/self/pagemap") else {
        return found(at, len);
    };
    let mut entries = [0u8; CHUNK * 8];
    if !is_ours(&map, page) {
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
            let entry = u64::from_ne_bytes(entry.try_into().expect("chunks of eight"));
            match (entry & HOLDS_DATA != 0, run) {
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

/// Whether the table is about the addresses that this program sees. An emulator (qemu-user) shows that of its own process, in which
/// they stand for something else, and where that is memory of ours too, single pages may look right. So a pattern of pages is written.
fn is_ours(table: &File, page: usize) -> bool {
    const WRITTEN: u32 = 0xb1e5_4d27;
    let len = 32 * page;
    let Ok(at) = map::private(len) else { return false };
    map::advise_small(at, len);
    let written = |i: usize| WRITTEN >> i & 1 == 1;
    for i in (0..32).filter(|i| written(*i)) {
        // SAFETY: inside the mapping made above.
        unsafe { ((at + i * page) as *mut u8).write_volatile(1) };
    }
    let same = (0..32).all(|i| holds_data(table, at / page + i) == written(i));
    // SAFETY: nobody else knows of it.
    unsafe { map::unmap(at, len) };
    same
}

/// What the table says of one page, the `number`th of the address space.
fn holds_data(map: &File, number: usize) -> bool {
    let mut entry = [0u8; 8];
    map.read_exact_at(&mut entry, (number * 8) as u64).is_ok() && u64::from_ne_bytes(entry) & HOLDS_DATA != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_whether_it_holds_data() {
        let page = map::page();
        let at = map::private(2 * page).unwrap();
        // SAFETY: inside the mapping made above.
        unsafe { *(at as *mut u8) = 1 };
        let table = File::open("/proc/self/pagemap").unwrap();
        assert_eq!([at, at + page].map(|at| holds_data(&table, at / page)), [true, false]);
        assert!(is_ours(&table, page));
        // A table of other addresses: nothing is where it is looked for.
        assert!(!is_ours(&File::open("/dev/zero").unwrap(), page));
        // SAFETY: nobody uses it any more.
        unsafe { map::unmap(at, 2 * page) };
    }

    #[test]
    fn finds_touched_pages_and_only_those() {
        let page = map::page();
        let at = map::private(100 * page).unwrap();
        for touched in [3, 4, 50] {
            // SAFETY: inside the mapping made above.
            unsafe { *((at + touched * page) as *mut u8) = 1 };
        }
        let mut runs = Vec::new();
        present(at, 100 * page, page, |from, len| runs.push(((from - at) / page, len / page)));
        // SAFETY: nobody uses it any more.
        unsafe { map::unmap(at, 100 * page) };
        let holds = |p: usize| runs.iter().any(|&(from, n)| (from..from + n).contains(&p));
        assert!(holds(3) && holds(4) && holds(50), "{runs:?}");
        // Where pagemap can be read (it can for the own process) nothing else is reported.
        assert!(!holds(0) && !holds(49) && !holds(99), "{runs:?}");
    }
}
