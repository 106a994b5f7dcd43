//! C prototypes of all routines.

use crate::spec::{Function, Group, Spec, shifted};
use anyhow::Result;

/// Longest line of a header.
const WIDTH: usize = 120;

/// C types that a header must spell otherwise to be valid in C++ too; the frame of shmem.h defines the right side.
const RESPELLED: [(&str, &str); 2] = [("double _Complex", "oshmpi_complexd"), ("float _Complex", "oshmpi_complexf")];

/// Prototypes for shmem.h.
pub fn shmem(spec: &Spec) -> Result<String> {
    all(spec, str::to_string)
}

/// Prototypes for pshmem.h.
pub fn pshmem(spec: &Spec) -> Result<String> {
    all(spec, shifted)
}

/// A C type as the headers spell it.
pub fn spelled(c_type: &str) -> String {
    RESPELLED.iter().fold(c_type.to_string(), |t, (from, to)| t.replace(from, to))
}

fn all(spec: &Spec, rename: fn(&str) -> String) -> Result<String> {
    let groups: Result<Vec<String>> = spec.groups.iter().map(|g| group(spec, g, rename)).collect();
    Ok(groups?.join("\n"))
}

fn group(spec: &Spec, group: &Group, rename: fn(&str) -> String) -> Result<String> {
    let mut text = format!("/* {} */\n", group.title);
    for t in &group.templates {
        for f in spec.expand(t)? {
            text += &prototype(&f, &rename(&f.name));
        }
    }
    Ok(text)
}

fn prototype(f: &Function, name: &str) -> String {
    let attribute = if f.noreturn { "OSHMPI_NORETURN " } else { "" };
    wrap(&spelled(&format!("{attribute}{};", f.declared_as(name))))
}

/// Breaks a declaration after commas, parameters aligned behind the bracket.
fn wrap(line: &str) -> String {
    let indent = line.find('(').map_or(4, |at| at + 1);
    let mut text = String::new();
    let mut column = 0;
    for (i, part) in line.split(", ").enumerate() {
        if i > 0 {
            text.push(',');
            // Two for `, ` before this part, one for the comma behind it.
            if column + 2 + part.len() + 1 > WIDTH {
                text.push('\n');
                text.push_str(&" ".repeat(indent));
                column = indent;
            } else {
                text.push(' ');
                column += 2;
            }
        }
        text.push_str(part);
        column += part.len();
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_declarations_break_after_commas() {
        let short = "void f(int a, int b);";
        assert_eq!(wrap(short), format!("{short}\n"));
        let long = format!("void f({}int z);", "int abcdefghijklmnop, ".repeat(10));
        let text = wrap(&long);
        assert!(text.lines().count() > 1 && text.lines().all(|l| l.len() <= WIDTH), "{text}");
        assert!(text.lines().skip(1).all(|l| l.starts_with("       int")), "{text}");
        let flat: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(flat.join(" "), long);
    }

    #[test]
    fn complex_types_are_respelled() {
        assert_eq!(spelled("const double _Complex *"), "const oshmpi_complexd *");
        assert_eq!(spelled("double *"), "double *");
    }
}
