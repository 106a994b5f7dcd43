//! C prototypes of all routines.

use crate::spec::{Function, Group, Spec, shifted, wrapped};
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
    let line = spelled(&format!("{attribute}{};", f.declared_as(name)));
    wrapped(&line, WIDTH, line.find('(').map_or(4, |at| at + 1), "") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complex_types_are_respelled() {
        assert_eq!(spelled("const double _Complex *"), "const oshmpi_complexd *");
        assert_eq!(spelled("double *"), "double *");
    }
}
