//! Functions for the routines of Fortran's own interface, `shmem.fh`, before the library's. A routine has the row of
//! the C routine that does what it does.

use super::{Row, noted};
use crate::spec::fortran::Routine;
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// What a routine's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    bytes: usize,
    /// As `CLASS` of `race/runtime/c/effects.h` says it for C; 0: no AMO has this type.
    class: u32,
}

/// Types as they stand in names, of default kinds.
const TYPES: [(&str, Element); 14] = [
    ("character", Element { bytes: 1, class: 0 }),
    ("complex", Element { bytes: 8, class: 0 }),
    ("double", Element { bytes: 8, class: 4 }),
    ("integer", Element { bytes: 4, class: 1 }),
    ("logical", Element { bytes: 4, class: 1 }),
    ("real", Element { bytes: 4, class: 3 }),
    ("int2", Element { bytes: 2, class: 0 }),
    ("int4", Element { bytes: 4, class: 1 }),
    ("int8", Element { bytes: 8, class: 2 }),
    ("real4", Element { bytes: 4, class: 3 }),
    ("real8", Element { bytes: 8, class: 4 }),
    ("real16", Element { bytes: 16, class: 0 }),
    ("comp4", Element { bytes: 8, class: 0 }),
    ("comp8", Element { bytes: 16, class: 0 }),
];

/// Old names without a type: what stands in their place.
const UNTYPED: [(&str, &str); 10] = [
    ("shmem_put", "shmem_put64"),
    ("shmem_get", "shmem_get64"),
    ("shmem_swap", "shmem_int4_swap"),
    ("shmem_cswap", "shmem_int4_cswap"),
    ("shmem_fadd", "shmem_int4_fadd"),
    ("shmem_finc", "shmem_int4_finc"),
    ("shmem_add", "shmem_int4_add"),
    ("shmem_inc", "shmem_int4_inc"),
    ("shmem_wait", "shmem_int4_wait"),
    ("shmem_wait_until", "shmem_int4_wait_until"),
];

/// Bytes of an element of a routine; 1 where its name does not tell.
pub fn element_bytes(name: &str) -> usize {
    meant(name).1.bytes
}

/// Which row a routine has, and its elements.
pub fn meant(name: &str) -> (String, Element) {
    let name = UNTYPED.iter().find(|(old, _)| *old == name).map_or(name, |(_, typed)| typed);
    let rest = name.strip_prefix("shmem_").unwrap_or(name);
    let (word, tail) = rest.split_once('_').map_or((rest, String::new()), |(word, tail)| (word, format!("_{tail}")));
    if let Some((_, element)) = TYPES.iter().find(|(of, _)| *of == word) {
        return (format!("shmem_*{tail}"), *element);
    }
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
    match word[stem.len()..].parse::<usize>() {
        // 4 and 8 are bytes, and more are bits.
        Ok(size) => {
            let bytes = if size <= 8 { size } else { size / 8 };
            (format!("shmem_{stem}*{tail}"), Element { bytes, class: 0 })
        }
        Err(_) => (name.to_string(), Element { bytes: 1, class: 0 }),
    }
}

/// An argument under the name that the rows have for it. Scalars are read from the address that Fortran passes.
fn local(arg: &str) -> String {
    let name = match arg {
        "pe_root" => "PE_root",
        "pe_start" => "PE_start",
        "log_stride" => "logPE_stride",
        "pe_size" => "PE_size",
        "psync" => "pSync",
        _ => arg,
    };
    let declared = match arg {
        // The library ends the job if it is negative.
        "nelems" | "nreduce" => format!("const size_t {name} = *(int *)_{arg} > 0 ? *(int *)_{arg} : 0;"),
        "dst" | "sst" => format!("const ptrdiff_t {name} = *(int *)_{arg};"),
        "pe" | "status" | "pe_root" | "pe_start" | "log_stride" | "pe_size" => {
            format!("const int {name} = *(int *)_{arg};")
        }
        _ => format!("void *{name} = _{arg};"),
    };
    format!("{declared} (void){name};")
}

/// Appends the functions of routines that have an effect to `text`, and their names to `names`.
pub fn functions(
    routines: &[Routine],
    rows: &BTreeMap<&str, &Row>,
    text: &mut String,
    names: &mut Vec<String>,
) -> Result<()> {
    for r in routines {
        let (row, element) = meant(&r.name);
        let row = rows.get(row.as_str()).with_context(|| format!("{} of shmem.fh: {row} has no row", r.name))?;
        if row.has_effect() {
            *text += &function(r, row, element, names.len());
            names.push(format!("\"{}\"", r.name));
        }
    }
    Ok(())
}

fn function(r: &Routine, row: &Row, element: Element, number: usize) -> String {
    let params = r.c_params("_");
    let locals: Vec<String> = r.args.iter().map(|a| local(a)).collect();
    let passed: Vec<String> = r
        .args
        .iter()
        .map(|a| match &row.status {
            Some(status) if status == a => format!("&(int){{race_status({status})}}"),
            _ => format!("_{a}"),
        })
        .collect();
    let result = r.c_result();
    let call = format!("{}({})", r.strong(), passed.join(", "));
    let symbols = r.symbols();
    let first = &symbols[0];
    let aliases: String = symbols[1..]
        .iter()
        .map(|name| format!("{result} {name}({params}) __attribute__((alias(\"{first}\")));\n"))
        .collect();
    let Element { bytes, class } = element;
    let head = format!("{result} {}({params});\n{result} {first}({params})", r.strong());
    let known = format!(
        "enum {{ SIZE = {bytes}, CLASS_T = {class} }};\n    const shmem_ctx_t CTX = SHMEM_CTX_DEFAULT;\n    {}",
        locals.join(" ")
    );
    noted(row, number, &head, &known, result, &call) + &aliases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_row_of_c() {
        let is = |name, row: &str, bytes, class| assert_eq!(meant(name), (row.to_string(), Element { bytes, class }));
        is("shmem_double_iput", "shmem_*_iput", 8, 4);
        is("shmem_put4_nbi", "shmem_put*_nbi", 4, 0);
        is("shmem_put128", "shmem_put*", 16, 0);
        is("shmem_put", "shmem_put*", 8, 0);
        is("shmem_get", "shmem_get*", 8, 0);
        is("shmem_finc", "shmem_*_finc", 4, 1);
        is("shmem_real8_sum_to_all", "shmem_*_sum_to_all", 8, 4);
        is("shmem_broadcast64", "shmem_broadcast*", 8, 0);
        is("shmem_int8_fadd", "shmem_*_fadd", 8, 2);
        is("shmem_wait_until", "shmem_*_wait_until", 4, 1);
        is("shmem_barrier_all", "shmem_barrier_all", 1, 0);
        is("shpalloc", "shpalloc", 1, 0);
    }
}
