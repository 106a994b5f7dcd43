//! The C11 generic macros.
//!
//! A `_Generic` list may not hold two compatible types, yet the tables name `long` and `int64_t`, which are one type.
//! An exact-width name is therefore left out when the table has the basic type that stands behind it, and is the
//! association itself when the table has not: a `long *` reaches the bitwise atomics, and a `long long *` does not
//! compile.

use super::spelled;
use crate::spec::{Generic, Hole, Pattern, Spec};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};

/// The basic type that a name stands for on 64-bit Linux, which is all that oshmpi is built for.
const BEHIND: [(&str, &str); 10] = [
    ("int8", "schar"),
    ("int16", "short"),
    ("int32", "int"),
    ("int64", "long"),
    ("uint8", "uchar"),
    ("uint16", "ushort"),
    ("uint32", "uint"),
    ("uint64", "ulong"),
    ("size", "ulong"),
    ("ptrdiff", "long"),
];

/// All macros and the lists they share, under the condition that the compiler has `_Generic`.
pub fn all(spec: &Spec) -> Result<String> {
    let mut lists = BTreeMap::new();
    let mut macros = String::new();
    for g in spec.generics() {
        macros += &one(spec, g, &mut lists).with_context(|| format!("generic {}", g.name))?;
    }
    let lists: String = lists.into_values().collect();
    Ok(format!("#if OSHMPI_HAVE_GENERICS\n\n{lists}\n{macros}\n#endif /* OSHMPI_HAVE_GENERICS */\n"))
}

/// One macro; adds the lists it uses.
fn one(spec: &Spec, g: &Generic, lists: &mut BTreeMap<String, String>) -> Result<String> {
    let name = &g.name;
    if matches!(g.plain.hole, Hole::None) {
        let (other, c_type) = g.other.as_ref().context("reaches one function only")?;
        let (first, other, plain) = (pick(0)?, whole(other)?, whole(&g.plain)?);
        return Ok(format!(
            "#define {name}(...) \\\n    _Generic(({first}), {c_type}: {other}, default: {plain})(__VA_ARGS__)\n"
        ));
    }
    let (at, constant) = selector(spec, &g.plain)?;
    let plain = list_call(spec, &g.plain, constant, lists)?;
    let Some((other, c_type)) = &g.other else {
        let pick = pick(at)?;
        return Ok(format!("#define {name}(...) \\\n    _Generic(({pick}), {plain})(__VA_ARGS__)\n"));
    };
    ensure!(selector(spec, other)? == (at + 1, constant), "the two forms must differ by the first argument");
    let (first, second) = (pick(at)?, pick(at + 1)?);
    let other = list_call(spec, other, constant, lists)?;
    // The inner selection needs a default: unused, it must compile for whatever the plain form's second argument is.
    Ok(format!(
        "#define {name}(...) \\\n    \
             _Generic(({first}), \\\n        \
                 {c_type}: _Generic(({second}), {other}, \\\n                \
                     default: oshmpi_no_routine_for_this_type), \\\n        \
                 {plain})(__VA_ARGS__)\n"
    ))
}

/// Which argument decides, counted from 0, and whether it points to const.
fn selector(spec: &Spec, pattern: &Pattern) -> Result<(usize, bool)> {
    let template = spec.behind(pattern).context("no such routine")?;
    let at = template.params.iter().position(|p| p.c_type.ends_with("{T} *")).context("no argument points to {T}")?;
    Ok((at, template.params[at].c_type.starts_with("const ")))
}

/// The zeros keep the helper macros' `...` from being empty, which C11 does not allow.
fn pick(at: usize) -> Result<&'static str> {
    match at {
        0 => Ok("OSHMPI_1ST(__VA_ARGS__, 0)"),
        1 => Ok("OSHMPI_2ND(__VA_ARGS__, 0, 0)"),
        _ => bail!("the type is decided by argument {at}: only 0 and 1 are provided for"),
    }
}

fn whole(pattern: &Pattern) -> Result<&str> {
    ensure!(matches!(pattern.hole, Hole::None), "mixes typed and untyped functions");
    Ok(&pattern.before)
}

/// `OSHMPI_LIST_rma(shmem_, _put)`, and the definition of that list.
fn list_call(spec: &Spec, pattern: &Pattern, constant: bool, lists: &mut BTreeMap<String, String>) -> Result<String> {
    let Hole::Types(tables) = &pattern.hole else { bail!("mixes typed and untyped functions") };
    let name = format!("OSHMPI_LIST_{}{}", tables.join("_"), if constant { "_const" } else { "" });
    if !lists.contains_key(&name) {
        lists.insert(name.clone(), list(spec, &name, tables, constant)?);
    }
    Ok(format!("{name}({}, {})", pattern.before, pattern.after))
}

/// One association per distinct type. A pointer to const is accepted only where the routine reads.
fn list(spec: &Spec, name: &str, tables: &[String], constant: bool) -> Result<String> {
    let mut lines = Vec::new();
    for row in distinct(&spec.rows(tables)?) {
        let c_type = spelled(spec.c_type(row)?);
        lines.push(format!("    {c_type} *: before##{row}##after"));
        if constant {
            lines.push(format!("    const {c_type} *: before##{row}##after"));
        }
    }
    Ok(format!("#define {name}(before, after) \\\n{}\n", lines.join(", \\\n")))
}

/// The rows of a table, each type once.
fn distinct<'a>(rows: &[&'a str]) -> Vec<&'a str> {
    let behind = |row: &'a str| BEHIND.iter().find(|(name, _)| *name == row).map_or(row, |(_, basic)| *basic);
    let mut seen = BTreeSet::new();
    let basic_first = rows.iter().filter(|row| behind(row) == **row || !rows.contains(&behind(row)));
    basic_first.copied().filter(|row| seen.insert(behind(row))).collect()
}
