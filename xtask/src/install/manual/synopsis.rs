//! The SYNOPSIS of a page, from the list of routines.

use super::troff::{Troff, code};
use crate::spec::{Function, Hole, Pattern, Spec, Template};
use anyhow::{Context, Result};
use std::collections::BTreeSet;

/// Widest line of a prototype.
const WIDTH: usize = 76;

/// A pattern as pages name it: `shmem_TYPE_put`, `shmem_putSIZE`.
fn shown(p: &Pattern) -> String {
    let hole = match p.hole {
        Hole::None => "",
        Hole::Types(_) => "TYPE",
        Hole::Words(_) => "SIZE",
    };
    format!("{}{hole}{}", p.before, p.after)
}

/// All names that a page can be about: routines and generic macros.
pub fn names(spec: &Spec) -> BTreeSet<String> {
    let routines = spec.groups.iter().flat_map(|g| &g.templates).map(|t| shown(&t.name));
    routines.chain(spec.generics().map(|g| g.name.clone())).collect()
}

/// The templates of a name. Two may share it, with different types.
fn templates<'a>(spec: &'a Spec, name: &str) -> Vec<&'a Template> {
    spec.groups.iter().flat_map(|g| &g.templates).filter(|t| shown(&t.name) == name).collect()
}

/// The names of C that a page's name stands for.
pub fn expand(spec: &Spec, name: &str) -> Result<Vec<String>> {
    let mut all: Vec<String> = spec.generics().filter(|g| g.name == name).map(|g| g.name.clone()).collect();
    for t in templates(spec, name) {
        all.extend(spec.fill(&t.name)?);
    }
    Ok(all)
}

/// The names of all parameters.
#[cfg(test)]
pub fn parameters(spec: &Spec, routines: &[String]) -> Result<BTreeSet<String>> {
    let all = routines.iter().flat_map(|r| templates(spec, r)).flat_map(|t| &t.params);
    Ok(all.map(|p| p.name.clone()).filter(|n| !n.is_empty()).collect())
}

/// The C declarations without markup, a line each. A hole of a name is `TYPE` or `SIZE`.
pub fn plain(spec: &Spec, routines: &[String]) -> String {
    let mut text = "#include <shmem.h>\n\n".to_string();
    for name in routines {
        for t in templates(spec, name) {
            let old = t.deprecated.as_ref().map_or(String::new(), |v| format!("  // deprecated in OpenSHMEM {v}"));
            text += &format!("{};{old}\n", t.function(name.clone(), "TYPE").declared_as(name));
        }
    }
    text
}

/// Writes it: generic forms, C functions, deprecated ones, types.
pub fn write(spec: &Spec, routines: &[String], out: &mut Troff) -> Result<()> {
    out.verbatim(["\\fB#include <shmem.h>\\fP".to_string()]);

    let generic = generic_forms(spec, routines)?;
    let (mut current, mut deprecated) = (Vec::new(), Vec::new());
    for name in routines {
        for t in templates(spec, name) {
            match &t.deprecated {
                None => current.push(prototype(&t.function(name.clone(), "TYPE"))),
                Some(version) => deprecated.push((version.clone(), prototype(&t.function(name.clone(), "TYPE")))),
            }
        }
    }
    if !generic.is_empty() {
        out.paragraph("C11, for any *TYPE* below:");
        out.verbatim(generic.into_iter().flatten());
        if !current.is_empty() {
            out.paragraph("C and C++:");
        }
    } else {
        out.new_paragraph();
    }
    out.verbatim(current.into_iter().flatten());
    let versions: BTreeSet<&String> = deprecated.iter().map(|(v, _)| v).collect();
    for version in versions {
        out.paragraph(&format!("Deprecated in OpenSHMEM {version}:"));
        out.verbatim(deprecated.iter().filter(|(v, _)| v == version).flat_map(|(_, lines)| lines.clone()));
    }
    types(spec, routines, out)
}

/// The prototypes that the generic macros on this page take, in words of the C functions behind them.
fn generic_forms(spec: &Spec, routines: &[String]) -> Result<Vec<Vec<String>>> {
    let mut all = Vec::new();
    for g in routines.iter().filter_map(|name| spec.generics().find(|g| g.name == *name)) {
        let with_other = std::iter::once(&g.plain).chain(g.other.as_ref().map(|(p, _)| p));
        for pattern in with_other {
            let t = behind(spec, pattern).with_context(|| format!("nothing stands behind {}", g.name))?;
            // A macro over one function is that function: it is listed below.
            if matches!(pattern.hole, Hole::Types(_)) && t.deprecated.is_none() {
                all.push(prototype(&t.function(g.name.clone(), "TYPE")));
            }
        }
    }
    Ok(all)
}

/// The template that a generic's pattern reaches: its tables may be several joined ones.
fn behind<'a>(spec: &'a Spec, p: &Pattern) -> Option<&'a Template> {
    let mut all = spec.groups.iter().flat_map(|g| &g.templates);
    all.find(|t| {
        t.name.before == p.before
            && t.name.after == p.after
            && matches!(t.name.hole, Hole::None) == matches!(p.hole, Hole::None)
    })
}

/// A declaration, broken after commas, names of parameters in italics.
fn prototype(f: &Function) -> Vec<String> {
    let gap = if f.returns.ends_with('*') { "" } else { " " };
    let mut lines = vec![format!("\\fB{}{gap}{}(\\fP", code(&f.returns), code(&f.name))];
    let mut column = f.returns.len() + gap.len() + f.name.len() + 1;
    if f.params.is_empty() {
        return vec![format!("\\fB{}{gap}{}(void);\\fP", code(&f.returns), code(&f.name))];
    }
    for (i, p) in f.params.iter().enumerate() {
        let end = if i + 1 == f.params.len() { ");" } else { "," };
        let gap = if p.c_type.ends_with('*') || p.name.is_empty() { "" } else { " " };
        let width = p.c_type.len() + gap.len() + p.name.len() + end.len();
        let lead = if i == 0 { "" } else { " " };
        if i > 0 && column + lead.len() + width > WIDTH {
            lines.push("        ".to_string());
            column = 8;
        } else if let Some(line) = lines.last_mut() {
            line.push_str(lead);
            column += lead.len();
        }
        if let Some(line) = lines.last_mut() {
            *line += &format!("\\fB{}\\fP{gap}\\fI{}\\fP\\fB{end}\\fP", code(&p.c_type), code(&p.name));
        }
        column += width;
    }
    lines
}

/// What TYPE and SIZE stand for.
fn types(spec: &Spec, routines: &[String], out: &mut Troff) -> Result<()> {
    let all: Vec<&Template> = routines.iter().flat_map(|r| templates(spec, r)).collect();
    // Sets of types, with the routines that have them, in the order of their first use.
    let mut sets: Vec<(&Vec<String>, Vec<String>)> = Vec::new();
    let mut sizes: Option<&Vec<String>> = None;
    for t in &all {
        match &t.name.hole {
            Hole::Types(tables) => match sets.iter_mut().find(|(known, _)| *known == tables) {
                Some((_, names)) => names.push(shown(&t.name)),
                None => sets.push((tables, vec![shown(&t.name)])),
            },
            Hole::Words(words) if sizes.is_none_or(|s| s.len() < words.len()) => sizes = Some(words),
            _ => {}
        }
    }
    for (i, (tables, names)) in sets.iter().enumerate() {
        let mut rows = Vec::new();
        for row in spec.rows(tables)? {
            let c_type = spec.c_type(row)?;
            rows.push(if c_type == row { row.to_string() } else { format!("{row} (`{c_type}`)") });
        }
        let of = match &sets[..] {
            [_] => String::new(),
            // Context forms have the same types: one name is enough.
            _ => {
                let plain = names.iter().filter(|n| !n.contains("_ctx_"));
                format!(" of {}", plain.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))
            }
        };
        let what = if i == 0 { " is the name of a type, and the type itself in arguments and results:" } else { ":" };
        out.paragraph(&format!("*TYPE*{of}{what} {}.", rows.join(", ")));
    }
    if let Some(words) = sizes {
        out.paragraph(&format!("*SIZE* is the width of an element in bits: {}.", words.join(", ")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(routines: &[&str]) -> String {
        let spec = Spec::load().unwrap();
        let mut out = Troff::page("x", 3, "", "");
        let routines: Vec<String> = routines.iter().map(|r| r.to_string()).collect();
        write(&spec, &routines, &mut out).unwrap();
        out.finish().replace("\\fB", "").replace("\\fI", "").replace("\\fP", "")
    }

    #[test]
    fn all_forms_are_shown() {
        let t = text(&["shmem_put", "shmem_TYPE_put", "shmem_ctx_TYPE_put", "shmem_putSIZE", "shmem_putmem"]);
        for line in [
            "void shmem_put(TYPE *dest, const TYPE *source, size_t nelems, int pe);",
            "void shmem_put(shmem_ctx_t ctx, TYPE *dest, const TYPE *source,",
            "void shmem_TYPE_put(TYPE *dest, const TYPE *source, size_t nelems, int pe);",
            "void shmem_putSIZE(void *dest, const void *source, size_t nelems, int pe);",
            "TYPE is the name of a type, and the type itself in arguments and results: float, double, ",
            "SIZE is the width of an element in bits: 8, 16, 32, 64, 128.",
        ] {
            assert!(t.lines().any(|l| l.starts_with(line)), "{line}\n{t}");
        }
        assert!(t.lines().all(|l| !l.contains("shmem_") || l.len() <= WIDTH + 2), "{t}");
    }

    #[test]
    fn deprecated_forms_stand_apart() {
        let t = text(&["shmem_atomic_fetch", "shmem_TYPE_atomic_fetch", "shmem_TYPE_fetch", "shmem_fetch"]);
        let at = |s: &str| t.find(s).unwrap_or_else(|| panic!("{s} in\n{t}"));
        assert!(at("TYPE shmem_TYPE_atomic_fetch(") < at("Deprecated in OpenSHMEM 1.4:"));
        assert!(at("Deprecated in OpenSHMEM 1.4:") < at("TYPE shmem_TYPE_fetch("));
    }

    #[test]
    fn a_name_stands_for_its_functions() {
        let spec = Spec::load().unwrap();
        assert_eq!(expand(&spec, "shmem_put").unwrap(), ["shmem_put"]);
        assert_eq!(expand(&spec, "shmem_TYPE_put").unwrap().len(), 24);
        // Two tables under one name.
        assert!(expand(&spec, "shmem_TYPE_test").unwrap().contains(&"shmem_ushort_test".to_string()));
    }
}
