//! Every constant of the list can be used as the standard promises: in `case` labels and array sizes, in initialisers
//! of static objects, ORed; and the old spellings mean the same.

use super::Tally;
use super::compile::{Dialect, temporary};
use crate::spec::{Constant, Kind, Spec};
use anyhow::Result;
use std::fmt::Write;

pub fn check(spec: &Spec) -> Result<Tally> {
    let source = program(&spec.constants);
    let mut tally = Tally::default();
    for dialect in Dialect::all() {
        let file = temporary(&source, dialect)?;
        tally.compile("all constants", dialect, None, file.path())?;
    }
    Ok(tally)
}

/// A program that compiles when all constants are right.
fn program(constants: &[Constant]) -> String {
    let mut text = String::from("#include <shmem.h>\n");
    for c in constants {
        text += &uses(c);
    }
    for (i, a) in constants.iter().enumerate() {
        let Kind::Flag(set) = a.kind else { continue };
        let (a, mut claims) = (&a.name, vec![format!("{0} != 0 && ({0} & ({0} - 1)) == 0", a.name)]);
        let others = constants[i + 1..].iter().filter(|b| b.kind == Kind::Flag(set));
        claims.extend(others.map(|b| format!("({a} & {}) == 0", b.name)));
        text += &claim(&format!("bits_{a}"), &claims.join(" && "));
    }
    text
}

fn uses(c: &Constant) -> String {
    let name = &c.name;
    let mut text = String::new();
    let written = match &c.kind {
        Kind::Number | Kind::Flag(_) => writeln!(
            text,
            "extern char size_{name}[{name} + 1];\n\
             int case_{name}(long x) {{ switch (x) {{ case {name}: return 1; default: return 0; }} }}"
        ),
        Kind::Text => writeln!(
            text,
            "extern const char text_{name}[];\nconst char text_{name}[] = \"\" {name};\n{}",
            claim(&format!("fits_{name}"), &format!("sizeof({name}) <= SHMEM_MAX_NAME_LEN"))
        ),
        Kind::Handle(c_type) => {
            writeln!(text, "{c_type} handle_{name} = {name};\nint same_{name}({c_type} x) {{ return x == {name}; }}")
        }
    };
    written.expect("writing to a string does not fail");
    if c.underscore {
        let same = match c.kind {
            Kind::Text => format!("sizeof(_{name}) == sizeof({name})"),
            _ => format!("_{name} == {name}"),
        };
        text += &claim(&format!("old_{name}"), &same);
    }
    text
}

/// A static assertion that C99 understands too.
fn claim(name: &str, condition: &str) -> String {
    format!("extern char {name}[({condition}) ? 1 : -1];\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_one_set_are_compared_in_pairs() {
        let flag = |name: &str, set| Constant {
            name: name.to_string(),
            kind: Kind::Flag(set),
            underscore: false,
            deprecated: None,
        };
        let text = program(&[flag("A", 0), flag("B", 0), flag("C", 2)]);
        assert!(text.contains("(A & B) == 0"), "{text}");
        assert!(!text.contains("(A & C)") && !text.contains("(B & C)"), "{text}");
        assert!(text.contains("C != 0 && (C & (C - 1)) == 0"), "{text}");
    }
}
