//! Remote memory access. Elements of 64 and 128 bits may be made of smaller parts (default COMPLEX is two 4-byte
//! REALs), so nothing but 4-byte alignment is expected of them.

use super::args::{Count, Int, Stride};
use crate::memory::local::{Dest, Source};
use crate::ops::rma;
use crate::ops::strided::{self, Strides};

type Bits64 = [u32; 2];
type Bits128 = [u32; 4];

tables! { $
    /// The types that have strided forms, of default kind.
    f_numbers = [] "complex" [f32; 2], "double" f64, "integer" K, "logical" K, "real" f32;

    /// The types of contiguous forms: characters too. The compiler passes their lengths behind all other arguments. The
    /// lengths do not matter, because elements are single characters.
    f_types = [f_numbers] "character" u8;

    /// Sizes in routine names: bytes of an element for 4 and 8, bits for 32, 64 and 128.
    f_sizes = [] "4" u32, "8" Bits64, "32" u32, "64" Bits64, "128" Bits128;

    /// Sized routines and the `mem` form, whose elements are bytes.
    f_sizes_and_mem = [f_sizes] "mem" u8;

    /// The old names without a size: elements of 64 bits.
    f_unsized = [] "" Bits64;
}

families! {
    f_default f_types: "" _ "_put", f_sizes_and_mem: "put" _ "", f_unsized: "put" _ ""
        (dest: *mut T, source: *const T, nelems: Count<K>, pe: Int<K>)
        = rma::put(dest, Source::of(source, nelems), pe);
    f_default f_types: "" _ "_put_nbi", f_sizes_and_mem: "put" _ "_nbi"
        (dest: *mut T, source: *const T, nelems: Count<K>, pe: Int<K>)
        = rma::put_nbi(dest, Source::of(source, nelems), pe);

    f_default f_types: "" _ "_get", f_sizes_and_mem: "get" _ "", f_unsized: "get" _ ""
        (dest: *mut T, source: *const T, nelems: Count<K>, pe: Int<K>)
        = rma::get(Dest::of(dest, nelems), source, pe);
    f_default f_types: "" _ "_get_nbi", f_sizes_and_mem: "get" _ "_nbi"
        (dest: *mut T, source: *const T, nelems: Count<K>, pe: Int<K>)
        = rma::get_nbi(Dest::of(dest, nelems), source, pe);

    f_default f_numbers: "" _ "_iput", f_sizes: "iput" _ ""
        (dest: *mut T, source: *const T, dst: Stride<K>, sst: Stride<K>, nelems: Count<K>, pe: Int<K>)
        = strided::put(dest, Source::blocks(source, sst, 1, nelems), Strides::elements(dst, sst, nelems), pe);
    f_default f_numbers: "" _ "_iget", f_sizes: "iget" _ ""
        (dest: *mut T, source: *const T, dst: Stride<K>, sst: Stride<K>, nelems: Count<K>, pe: Int<K>)
        = strided::get(Dest::blocks(dest, dst, 1, nelems), source, Strides::elements(dst, sst, nelems), pe);
}
