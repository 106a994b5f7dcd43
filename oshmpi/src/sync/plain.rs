//! Types any bits of which are a value.

/// A type of elements that PEs write as bytes and read as values: any bits are a value, and no byte is padding.
///
/// # Safety
/// Both hold for the type.
pub(crate) unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($t:ty),*) => { $(
        // SAFETY: numbers have a value for all bits, and no padding.
        unsafe impl Plain for $t {}
    )* };
}
plain!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);

// SAFETY: elements with nothing between them.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
