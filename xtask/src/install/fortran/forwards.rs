//! Sources of archives that stand before the library in programs whose default kinds are not the usual ones, or whose
//! names have no underscore: Fortran names that forward their calls.

use crate::spec::fortran::Routine;
use anyhow::{Context, Result};

/// A kind as it stands in the names of routines, and the size that stands in the names of the routines for the wider
/// kind. Up to 8 the size is in bytes, above in bits.
type Wider = (&'static str, &'static str);

/// What `-fdefault-real-8` makes of REAL and COMPLEX.
const REAL8: &[Wider] = &[("real", "8"), ("complex", "128")];
/// What it makes of DOUBLE PRECISION, unless `-fdefault-double-8` is there too.
const DOUBLE16: &[Wider] = &[("double", "128")];

const ILP64: &str = "\
liboshmpi_ilp64.a: stands before liboshmpi when a Fortran program is linked whose default INTEGER and LOGICAL have 8
 * bytes, and sends its calls to the routines for them.";

const PLAIN: &str = "\
liboshmpi_plain.a: stands before all other libraries of oshmpi when a Fortran program is linked that was compiled with
 * -fno-underscoring, and sends its calls to the routines for Fortran. Their names are those of the C routines, which
 * take their arguments by value: such a program can have no C parts that call OpenSHMEM, and cannot use the module. A
 * result of 4 bytes is passed on as it is in a register of 8.";

/// The source of each `liboshmpi_KIND.a`, by its kind.
pub fn files(routines: &[Routine]) -> Result<[(&'static str, String); 4]> {
    // The first symbol of a routine has one underscore.
    let plain = |r: &Routine| (r.symbols().swap_remove(0), vec![r.name.clone()]);
    Ok([
        ("ilp64", file(ILP64, routines, |r| (r.ilp64(), r.symbols()))),
        ("plain", file(PLAIN, routines, plain)),
        ("real8", wider("real8", "REAL has 8 bytes and COMPLEX 16", routines, REAL8)?),
        ("double16", wider("double16", "DOUBLE PRECISION has 16 bytes", routines, DOUBLE16)?),
    ])
}

/// A source that forwards calls. `names`: of a routine, the function to call and the names that call it.
fn file<'a>(
    what: &str,
    routines: impl IntoIterator<Item = &'a Routine>,
    names: impl Fn(&Routine) -> (String, Vec<String>),
) -> String {
    let mut text = format!(
        "/* {what} Weak, so that a profiling tool may stand before this. */\n\
         #include <stddef.h>\n#include <stdint.h>\n\n#define WEAK __attribute__((weak))\n"
    );
    for r in routines {
        let (behind, names) = names(r);
        text += "\n";
        text += &forward(r, &behind, &names);
    }
    text
}

/// The declaration of the function behind, and a definition per name that calls it.
fn forward(r: &Routine, behind: &str, names: &[String]) -> String {
    let returns = r.result.map_or("void", |t| t.c_ilp64());
    let (params, args) = (r.c_params(""), r.passed());
    let word = if r.result.is_some() { "return " } else { "" };
    let mut text = format!("{returns} {behind}({params});\n");
    for name in names {
        text += &format!("WEAK {returns} {name}({params})\n{{\n    {word}{behind}({args});\n}}\n");
    }
    text
}

/// The source of `liboshmpi_ARCHIVE.a`: routines of default kinds call those of a size.
fn wider(archive: &str, what: &str, routines: &[Routine], kinds: &[Wider]) -> Result<String> {
    let mut forwarded = Vec::new();
    for r in routines {
        let Some(behind) = sized(&r.name, kinds) else { continue };
        let fits = |other: &&Routine| other.name == behind && other.args == r.args;
        let missing = || format!("{behind} is no routine with the arguments of {}", r.name);
        routines.iter().find(fits).with_context(missing)?;
        forwarded.push(r);
    }
    let what = format!(
        "liboshmpi_{archive}.a: stands before liboshmpi when a Fortran program is linked whose {what},\n \
         * and sends its calls to the routines for that size, by their Fortran names: liboshmpi_ilp64.a may stand\n \
         * between."
    );
    let names = |r: &Routine| (sized(&r.name, kinds).unwrap_or_default() + "_", r.symbols());
    Ok(file(&what, forwarded, names))
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
    fn names_types_and_arguments_are_passed_on() {
        let all = parse("group G\ninteger*{} a_x{4} ( dest, pe )\ncall b ( )\ncall c ( name ) length").unwrap();
        let [(_, ilp64), (_, plain), ..] = files(&all).unwrap();
        for line in [
            "int32_t oshmpi_ilp64_a_x4(void *dest, void *pe);",
            "WEAK int32_t a_x4_(void *dest, void *pe)\n{\n    return oshmpi_ilp64_a_x4(dest, pe);\n}",
            "WEAK int32_t a_x4__(void *dest, void *pe)\n",
            "WEAK void b_(void)\n{\n    oshmpi_ilp64_b();\n}",
            "oshmpi_ilp64_c(name, len);",
        ] {
            assert!(ilp64.contains(line), "{line} is not in {ilp64}");
        }
        assert!(!ilp64.contains("b__("), "{ilp64}");
        assert!(plain.contains("WEAK void c(void *name, size_t len)\n{\n    c_(name, len);\n}"), "{plain}");
        assert!(!plain.contains("a_x4__"), "{plain}");
    }

    #[test]
    fn names_tell_the_size_and_calls_go_to_a_routine_that_is_there() {
        assert_eq!(sized("shmem_real_iput", REAL8).as_deref(), Some("shmem_iput8"));
        assert_eq!(sized("shmem_complex_get_nbi", REAL8).as_deref(), Some("shmem_get128_nbi"));
        assert_eq!(sized("shmem_double_put", DOUBLE16).as_deref(), Some("shmem_put128"));
        for other in ["shmem_double_put", "shmem_real8_swap", "shmem_put8", "shmem_integer_put", "num_pes"] {
            assert_eq!(sized(other, REAL8), None);
        }
        let all = parse("group G\ncall shmem_{real_put,put8} ( dest, pe )").unwrap();
        let text = wider("x", "...", &all, REAL8).unwrap();
        assert!(text.contains("WEAK void shmem_real_put__(void *dest, void *pe)\n{\n    shmem_put8_(dest, pe);\n}"));
        let all = parse("group G\ncall shmem_real_put ( dest, pe )\ncall shmem_put8 ( dest )").unwrap();
        assert!(wider("x", "...", &all, REAL8).is_err());
    }
}
