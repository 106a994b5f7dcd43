//! fortran/real8.c, fortran/double16.c: the Fortran names of default kinds for programs whose REAL and COMPLEX, or
//! DOUBLE PRECISION, are wider than usual.

use crate::spec::fortran::Routine;
use anyhow::{Context, Result};

/// A kind as it stands in names, and the size in names of the routines that fit when it is wider: bytes, above 8 bits.
pub type Wider = (&'static str, &'static str);

/// What `-fdefault-real-8` makes of REAL and COMPLEX.
pub const REAL8: &[Wider] = &[("real", "8"), ("complex", "128")];
/// What it makes of DOUBLE PRECISION, unless `-fdefault-double-8` is there too.
pub const DOUBLE16: &[Wider] = &[("double", "128")];

/// The source of `liboshmpi_ARCHIVE.a`.
pub fn file(archive: &str, what: &str, routines: &[Routine], kinds: &[Wider]) -> Result<String> {
    let mut text = format!(
        "/* Written by `cargo xtask gen` from spec/fortran-1.4.api, do not edit.\n *\n \
         * liboshmpi_{archive}.a: stands before liboshmpi when a Fortran program is linked whose {what},\n \
         * and sends its calls to the routines for that size. By their Fortran names: liboshmpi_ilp64.a may stand\n \
         * between. Weak, so that a profiling tool may stand before this. */\n\n#define WEAK __attribute__((weak))\n"
    );
    for r in routines {
        let Some(behind) = sized(&r.name, kinds) else { continue };
        routines
            .iter()
            .find(|other| other.name == behind && other.args == r.args)
            .with_context(|| format!("{behind} is no routine with the arguments of {}", r.name))?;
        let params: Vec<String> = r.args.iter().map(|a| format!("void *{a}")).collect();
        let (params, args) = (params.join(", "), r.args.join(", "));
        text += &format!("\nvoid {behind}_({params});\n");
        for name in r.symbols() {
            text += &format!("WEAK void {name}({params})\n{{\n    {behind}_({args});\n}}\n");
        }
    }
    Ok(text)
}

/// `shmem_real_put_nbi` gives `shmem_put8_nbi`.
fn sized(name: &str, kinds: &[Wider]) -> Option<String> {
    let (kind, rest) = name.strip_prefix("shmem_")?.split_once('_')?;
    let (_, size) = kinds.iter().find(|(k, _)| *k == kind)?;
    let (verb, end) = rest.split_once('_').map_or((rest, String::new()), |(v, e)| (v, format!("_{e}")));
    Some(format!("shmem_{verb}{size}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::fortran::parse;

    #[test]
    fn names_say_the_size() {
        assert_eq!(sized("shmem_real_iput", REAL8).as_deref(), Some("shmem_iput8"));
        assert_eq!(sized("shmem_complex_get_nbi", REAL8).as_deref(), Some("shmem_get128_nbi"));
        assert_eq!(sized("shmem_double_put", DOUBLE16).as_deref(), Some("shmem_put128"));
        for other in ["shmem_double_put", "shmem_real8_swap", "shmem_put8", "shmem_integer_put", "num_pes"] {
            assert_eq!(sized(other, REAL8), None);
        }
    }

    #[test]
    fn calls_go_to_a_routine_that_is_there() {
        let all = parse("group G\ncall shmem_{real_put,put8} ( dest, pe )").unwrap();
        let text = file("x", "...", &all, REAL8).unwrap();
        assert!(text.contains("WEAK void shmem_real_put__(void *dest, void *pe)\n{\n    shmem_put8_(dest, pe);\n}"));
        let all = parse("group G\ncall shmem_real_put ( dest, pe )\ncall shmem_put8 ( dest )").unwrap();
        assert!(file("x", "...", &all, REAL8).is_err());
    }
}
