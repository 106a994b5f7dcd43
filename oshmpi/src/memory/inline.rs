//! Copies of the fast path's numbers in programs that were compiled with `oshcc -oshmpi-inline`: one in the executable
//! and one in each of its shared objects. `include/oshmpi/inline.h` has the same struct, and reads it in place of a
//! call. [`super::translate`] writes it. A copy of another layout stays all zeros, so that its program calls the
//! routines.

use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// The version of the layout. Every change of [`Numbers`] raises it, here and in the header.
pub(crate) const LAYOUT: u32 = 1;

macro_rules! copy {
    ($($(#[$doc:meta])* $field:ident,)*) => {
        /// The numbers, all 0 at first.
        #[repr(C)]
        #[derive(Default)]
        pub(crate) struct Numbers {
            $($(#[$doc])* pub(super) $field: AtomicU64,)*
        }

        #[cfg(test)]
        const FIELDS: &[&str] = &[$(stringify!($field)),*];
    };
}

copy! {
    /// PEs whose memory is mapped: the first in the high half, and the number of consecutive PEs in the low half. Read
    /// first; 0 sends every put to the routine.
    pes,
    /// PEs for gets, in the form of `pes`.
    reads,
    /// PEs for AMOs, in the form of `pes`.
    fetches,
    stride,
    heap_base,
    heap_len,
    heap_first,
    data_base,
    data_len,
    data_first,
}

/// Programs and shared objects with a copy, at most. Those beyond call the routines. More make a change of the numbers
/// slower.
const MOST: usize = 64;

static COPIES: [AtomicPtr<Numbers>; MOST] = [const { AtomicPtr::new(null_mut()) }; MOST];

/// Adds a copy, which stays until [`remove`]. Returns whether it is to be filled in.
pub(crate) fn add(copy: *mut Numbers, layout: u32) -> bool {
    let there = |place: &AtomicPtr<Numbers>| place.load(Ordering::Acquire) == copy;
    if layout != LAYOUT || COPIES.iter().any(there) {
        return false; // each source file of a program adds the same copy
    }
    let free = |place: &AtomicPtr<Numbers>| {
        // SYNC inline: pairs with each
        place.compare_exchange(null_mut(), copy, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    };
    COPIES.iter().any(free)
}

/// Removes a copy: its program or shared object is unloaded.
pub(crate) fn remove(copy: *mut Numbers) {
    for place in &COPIES {
        // SYNC inline: pairs with each
        let _ = place.compare_exchange(copy, null_mut(), Ordering::AcqRel, Ordering::Relaxed);
    }
}

/// All copies.
pub(super) fn each() -> impl Iterator<Item = &'static Numbers> {
    // SYNC inline: pairs with add and remove SAFETY: null, or a struct of this layout in a loaded object, which removes
    // its copy before it is unloaded.
    COPIES.iter().filter_map(|place| unsafe { place.load(Ordering::Acquire).as_ref() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The structs of C and Rust have the same number of fields, in the same order, all of 8 bytes.
    #[test]
    fn the_header_has_this_layout() {
        let header = include_str!("../../../include/oshmpi/inline.h");
        let of_c = header.split_once("struct oshmpi_inline {\n").and_then(|(_, rest)| rest.split_once("};"));
        let of_c: Vec<&str> = of_c.expect("the struct").0.lines().map(str::trim).collect();
        let of_rust: Vec<String> = FIELDS.iter().map(|field| format!("uint64_t {field};")).collect();
        assert_eq!(of_c, of_rust);
        assert_eq!(size_of::<Numbers>(), 8 * FIELDS.len());
        assert!(header.contains(&format!("#define OSHMPI_INLINE_LAYOUT {LAYOUT}\n")));
    }

    /// A copy is added once, however many source files add it. A copy of another layout is not added.
    #[test]
    fn copies_come_and_go() {
        let copies: [Numbers; 2] = Default::default();
        let [one, other] = copies.each_ref().map(|copy| (&raw const *copy).cast_mut());
        let all = || each().map(|copy| (&raw const *copy).cast_mut()).collect::<Vec<_>>();
        assert!(add(one, LAYOUT) && !add(one, LAYOUT) && !add(other, LAYOUT + 1));
        assert!(all().contains(&one) && !all().contains(&other));
        remove(one);
        assert!(!all().contains(&one) && add(one, LAYOUT));
        remove(one);
    }
}
