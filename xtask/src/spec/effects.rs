//! What the routines do to memory and to the order, as `spec/race.effects` says it, and the functions in C that note
//! it. The head of that file documents its format.

mod fortran;

pub use fortran::element_bytes;

use super::fortran::Routine;
use super::{Function, Hole, Spec, Template, shifted};
use crate::r#gen::spelled;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;

/// What stands in one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    names: Vec<String>,
    around: String,
    before: String,
    after: String,
    /// The argument that the program's exit code replaces.
    status: Option<String>,
    skip: bool,
}

impl Row {
    fn has_effect(&self) -> bool {
        self.status.is_some() || [&self.around, &self.before, &self.after].iter().any(|part| !part.is_empty())
    }
}

fn rows(text: &str) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut naming = false;
    for (number, line) in text.lines().enumerate() {
        let words = line.trim();
        let at = || format!("line {}", number + 1);
        if words.is_empty() || words.starts_with('#') {
            continue;
        }
        let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
        if word == "routine" {
            rows.push(Row { names: rest.split_whitespace().map(str::to_string).collect(), ..Row::default() });
            naming = true;
            continue;
        }
        let row = rows.last_mut().with_context(|| format!("{}: no routine before it", at()))?;
        let has_effect = ["around", "before", "after", "status", "none", "skip"].contains(&word);
        match word {
            "around" => row.around = rest.into(),
            "before" => row.before = rest.into(),
            "after" => row.after = rest.into(),
            "status" => row.status = Some(rest.into()),
            "none" => {}
            "skip" => row.skip = true,
            _ if naming => row.names.extend(words.split_whitespace().map(str::to_string)),
            _ => bail!("{}: {word} is not known", at()),
        }
        naming &= !has_effect;
    }
    Ok(rows)
}

/// The name of a template in the table: without `ctx_`, and with `*` for its hole.
fn name_in_table(t: &Template) -> String {
    let star = if t.name.hole == Hole::None { "" } else { "*" };
    let name = format!("{}{star}{}", t.name.before, t.name.after);
    // Routines on contexts themselves have no form without one.
    let own = ["shmem_ctx_create", "shmem_ctx_destroy", "shmem_ctx_get_team"];
    match name.strip_prefix("shmem_ctx_") {
        Some(rest) if !own.contains(&name.as_str()) && !rest.starts_with("session_") => format!("shmem_{rest}"),
        _ => name,
    }
}

/// The file of functions that stand before the library's. `specs`: the routines of `shmem.h` and of `shmemx.h`;
/// `fortran`: those of `shmem.fh`.
pub fn functions(specs: &[Spec], fortran: &[Routine], table: &str) -> Result<String> {
    let rows = rows(table)?;
    let mut by_name = BTreeMap::new();
    for row in &rows {
        for name in &row.names {
            ensure!(by_name.insert(name.as_str(), row).is_none(), "{name} stands there twice");
        }
    }
    let mut text = String::new();
    let mut names = vec!["\"\"".to_string()];
    let templates = specs.iter().flat_map(|spec| spec.groups.iter().map(move |group| (spec, group)));
    for (spec, t) in templates.flat_map(|(spec, group)| group.templates.iter().map(move |t| (spec, t))) {
        let name = name_in_table(t);
        let row = by_name.get(name.as_str()).with_context(|| format!("{name} has no row"))?;
        for f in spec.expand(t)?.iter().filter(|_| !row.skip) {
            text += &function(spec, t, f, row, names.len())?;
            names.push(format!("\"{}\"", f.name));
        }
    }
    fortran::functions(fortran, &by_name, &mut text, &mut names)?;
    text += &format!("const char *const oshmpi_race_routines[] = {{\n{}\n}};\n", names.join(",\n"));
    Ok(text)
}

fn function(spec: &Spec, t: &Template, f: &Function, row: &Row, number: usize) -> Result<String> {
    let ctx = f.params.iter().any(|p| p.name == "ctx" && p.c_type == "shmem_ctx_t");
    let args: Vec<String> = f
        .params
        .iter()
        .map(|p| match &row.status {
            Some(status) if *status == p.name => format!("race_status({status})"),
            _ => p.name.clone(),
        })
        .collect();
    let call = format!("{}({})", shifted(&f.name), args.join(", "));
    let size = size(spec, t, &f.name)?;
    let class = match &size {
        Size::Type(c_type) if !c_type.contains("Complex") && !c_type.contains("complex") => {
            format!("enum {{ CLASS_T = CLASS({c_type}) }};")
        }
        _ => String::new(),
    };
    let size = match size {
        Size::Type(c_type) => format!("sizeof({c_type})"),
        Size::Bytes(n) => n.to_string(),
    };
    let noreturn = if f.noreturn { "OSHMPI_NORETURN " } else { "" };
    let head = format!("{noreturn}{}", spelled(&f.declared_as(&format!("({})", f.name))));
    let ctx = if ctx { "ctx" } else { "SHMEM_CTX_DEFAULT" };
    let first = format!("enum {{ SIZE = {size} }};\n    {class}\n    const shmem_ctx_t CTX = {ctx};");
    Ok(noted(row, number, &head, &first, &spelled(&f.returns), &call))
}

/// A function with what its row notes around the call. `first`: what the row's code refers to.
fn noted(row: &Row, number: usize, head: &str, first: &str, returns: &str, call: &str) -> String {
    // What starts the library is noted although the library was not up when it began.
    let after = if row.around.is_empty() { format!("if (on) {{ {} }}", row.after) } else { row.after.clone() };
    let (kept, given) = match returns {
        "void" => (format!("{call};"), ""),
        _ => (format!("{returns} R = {call};"), "return R;"),
    };
    format!(
        "{head}\n{{\n    {first}\n    (void)CTX;\n    {}\n    int on = oshmpi_race_enter({number}, PC);\n    \
         if (on) {{ {} }}\n    {kept}\n    {after}\n    oshmpi_race_leave();\n    {given}\n}}\n",
        row.around, row.before
    )
}

/// Bytes of an element.
enum Size {
    Type(String),
    Bytes(usize),
}

fn size(spec: &Spec, t: &Template, name: &str) -> Result<Size> {
    let filled = &name[t.name.before.len()..name.len() - t.name.after.len()];
    Ok(match &t.name.hole {
        Hole::None => Size::Bytes(1),
        Hole::Types(_) => Size::Type(spelled(spec.c_type(filled)?)),
        Hole::Words(_) => Size::Bytes(filled.parse::<usize>().context("a size in bits")? / 8),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_routine_has_one_row() {
        let specs = [Spec::load().unwrap(), Spec::of_shmemx().unwrap()];
        let table = super::super::effects_text().unwrap();
        let entered = |list: &[Routine]| functions(&specs, list, &table).unwrap().matches("oshmpi_race_enter(").count();
        // All but shmem_pcontrol, which takes any arguments. 31 are not in the standard, nor those of shmemx.h.
        let all = specs.each_ref().map(|spec| spec.functions().unwrap().len()).iter().sum::<usize>() - 1;
        assert_eq!((entered(&[]), all), (all, 1787 + 31 + 345));
        // Of shmem.fh those that have an effect.
        let list = super::super::fortran::load().unwrap();
        let rows = rows(&table).unwrap();
        let row = |r: &Routine| rows.iter().find(|row| row.names.contains(&fortran::meant(&r.name).0)).unwrap();
        let noted = list.iter().filter(|r| row(r).has_effect()).count();
        assert!(noted > 150, "{noted}");
        assert_eq!(entered(&list), all + noted);
        let groups = specs.iter().flat_map(|spec| &spec.groups);
        let mut used: Vec<String> = groups.flat_map(|g| &g.templates).map(name_in_table).collect();
        used.extend(list.iter().map(|r| fortran::meant(&r.name).0));
        let unused: Vec<_> = rows.iter().flat_map(|r| &r.names).filter(|n| !used.contains(n)).collect();
        assert_eq!(unused, Vec::<&String>::new());
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert!(rows("  before x;").unwrap_err().to_string().contains("line 1"));
        assert!(rows("routine a\n  none\n  befor x;").unwrap_err().to_string().contains("befor is not known"));
    }
}
