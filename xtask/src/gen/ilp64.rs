//! fortran/ilp64.c: the Fortran names for programs whose default integers have 8 bytes.

use crate::spec::fortran::Routine;

const WHAT: &str = "\
liboshmpi_ilp64.a: stands before liboshmpi when a Fortran program is linked whose default INTEGER and LOGICAL have 8
 * bytes, and sends its calls to the routines for them.";

pub fn file(routines: &[Routine]) -> String {
    forwards(WHAT, routines, |r| (r.ilp64(), r.symbols()))
}

/// A source that forwards calls: `names` gives of a routine what is called, and the names that call it. `what`: what
/// the file is for.
pub fn forwards(what: &str, routines: &[Routine], names: impl Fn(&Routine) -> (String, Vec<String>)) -> String {
    let mut text = format!(
        "/* Written by `cargo xtask gen` from spec/fortran-1.4.api, do not edit.\n *\n \
         * {what} Weak, so that a profiling tool may stand before this. */\n\
         #include <stddef.h>\n#include <stdint.h>\n\n#define WEAK __attribute__((weak))\n"
    );
    for r in routines {
        let (behind, names) = names(r);
        text += "\n";
        text += &forward(r, &behind, &names);
    }
    text
}

/// The declaration of the routine behind, and a definition per name that calls it.
fn forward(r: &Routine, behind: &str, names: &[String]) -> String {
    let returns = r.result.map_or("void", |t| t.c_ilp64());
    let gap = if returns.ends_with('*') { "" } else { " " };
    let mut params: Vec<String> = r.args.iter().map(|a| format!("void *{a}")).collect();
    let mut args = r.args.clone();
    if r.length {
        params.push("size_t len".to_string());
        args.push("len".to_string());
    }
    let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
    let word = if r.result.is_some() { "return " } else { "" };
    let mut text = format!("{returns}{gap}{behind}({params});\n");
    for name in names {
        text += &format!("WEAK {returns}{gap}{name}({params})\n{{\n    {word}{behind}({});\n}}\n", args.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::fortran::parse;

    #[test]
    fn names_types_and_arguments_are_passed_on() {
        let all = parse("group G\ninteger*{} a_x{4} ( dest, pe )\ncall b ( )\ncall c ( name ) length").unwrap();
        let text = file(&all);
        for line in [
            "int32_t oshmpi_ilp64_a_x4(void *dest, void *pe);",
            "WEAK int32_t a_x4_(void *dest, void *pe)\n{\n    return oshmpi_ilp64_a_x4(dest, pe);\n}",
            "WEAK int32_t a_x4__(void *dest, void *pe)\n",
            "WEAK void b_(void)\n{\n    oshmpi_ilp64_b();\n}",
            "oshmpi_ilp64_c(name, len);",
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
        assert!(!text.contains("b__("), "{text}");
    }
}
