//! fortran/plain.c: Fortran names without underscore, which are the names of the C routines.

use super::ilp64::forwards;
use crate::spec::fortran::Routine;

const WHAT: &str = "\
liboshmpi_plain.a: stands before everything else of ours when a Fortran program is linked that was compiled with
 * -fno-underscoring, and sends its calls to the routines for Fortran. Their names are those of C's routines, which take
 * their arguments by value: such a program can have no C parts that call OpenSHMEM, and cannot use the module. A result of
 * 4 bytes is passed on as it is in a register of 8.";

pub fn file(routines: &[Routine]) -> String {
    // The first name has one underscore.
    forwards(WHAT, routines, |r| (r.symbols().swap_remove(0), vec![r.name.clone()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::fortran::parse;

    #[test]
    fn every_name_calls_the_one_with_an_underscore() {
        let text = file(&parse("group G\ninteger a_b ( dest )\ncall c ( name ) length").unwrap());
        for line in [
            "int64_t a_b_(void *dest);\nWEAK int64_t a_b(void *dest)\n{\n    return a_b_(dest);\n}",
            "WEAK void c(void *name, size_t len)\n{\n    c_(name, len);\n}",
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
        assert!(!text.contains("a_b__"), "{text}");
    }
}
