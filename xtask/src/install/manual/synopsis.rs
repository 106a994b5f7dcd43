//! The synopsis of a page, from the list of routines.

use super::source::Block;
use crate::spec::{Hole, Pattern, Spec, Template, wrapped};
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
fn templates<'a>(spec: &'a Spec, name: &'a str) -> impl Iterator<Item = &'a Template> {
    spec.groups.iter().flat_map(|g| &g.templates).filter(move |t| shown(&t.name) == name)
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

/// A declaration, broken after commas.
fn prototype(t: &Template, name: &str) -> String {
    wrapped(&format!("{};", t.function(name.to_owned(), "TYPE").declared_as(name)), WIDTH, 8, "")
}

/// The section: generic forms, C functions, deprecated ones, types.
pub fn blocks(spec: &Spec, routines: &[String]) -> Result<Vec<Block>> {
    let all: Vec<(&String, &Template)> =
        routines.iter().flat_map(|n| templates(spec, n).map(move |t| (n, t))).collect();
    let lines = |version: Option<&String>| {
        let of = all.iter().filter(|(_, t)| t.deprecated.as_ref() == version).map(|(name, t)| prototype(t, name));
        of.collect::<Vec<_>>()
    };
    let mut blocks = vec![Block::Heading("Synopsis".into())];
    let (generic, current, include) = (generic_forms(spec, routines)?, lines(None), "#include <shmem.h>".to_owned());
    if generic.is_empty() {
        let gap = (!current.is_empty()).then(String::new);
        blocks.push(Block::Synopsis([include].into_iter().chain(gap).chain(current).collect()));
    } else {
        let head = Block::Paragraph("C11, for any *TYPE* below:".into());
        blocks.extend([Block::Synopsis(vec![include]), head, Block::Synopsis(generic)]);
        if !current.is_empty() {
            blocks.extend([Block::Paragraph("C and C++:".into()), Block::Synopsis(current)]);
        }
    }
    for version in all.iter().filter_map(|(_, t)| t.deprecated.as_ref()).collect::<BTreeSet<_>>() {
        let head = Block::Paragraph(format!("Deprecated in OpenSHMEM {version}:"));
        blocks.extend([head, Block::Synopsis(lines(Some(version)))]);
    }
    blocks.extend(types(spec, &all)?.into_iter().map(Block::Paragraph));
    Ok(blocks)
}

/// The prototypes that the generic macros on this page take, in words of the C functions behind them.
fn generic_forms(spec: &Spec, routines: &[String]) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for g in routines.iter().filter_map(|name| spec.generics().find(|g| g.name == *name)) {
        let with_other = std::iter::once(&g.plain).chain(g.other.as_ref().map(|(p, _)| p));
        for pattern in with_other {
            let t = spec.behind(pattern).with_context(|| format!("nothing stands behind {}", g.name))?;
            // A macro over one function is that function: it is listed below.
            if matches!(pattern.hole, Hole::Types(_)) && t.deprecated.is_none() {
                all.push(prototype(t, &g.name));
            }
        }
    }
    Ok(all)
}

/// What TYPE and SIZE stand for, a paragraph each.
fn types(spec: &Spec, all: &[(&String, &Template)]) -> Result<Vec<String>> {
    // Sets of types, with the routines that have them, in the order of their first use.
    let mut sets: Vec<(&Vec<String>, Vec<&String>)> = Vec::new();
    let mut sizes: Option<&Vec<String>> = None;
    for (name, t) in all {
        match &t.name.hole {
            Hole::Types(tables) => match sets.iter_mut().find(|(known, _)| *known == tables) {
                Some((_, names)) => names.push(name),
                None => sets.push((tables, vec![*name])),
            },
            Hole::Words(words) if sizes.is_none_or(|s| s.len() < words.len()) => sizes = Some(words),
            _ => {}
        }
    }
    let mut text = Vec::new();
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
        text.push(format!("*TYPE*{of}{what} {}.", rows.join(", ")));
    }
    if let Some(words) = sizes {
        text.push(format!("*SIZE* is the width of an element in bits: {}.", words.join(", ")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(routines: &[&str]) -> String {
        let routines: Vec<String> = routines.iter().map(|r| r.to_string()).collect();
        let lines = blocks(&Spec::load().unwrap(), &routines).unwrap().into_iter().map(|block| match block {
            Block::Synopsis(lines) => lines.join("\n"),
            Block::Paragraph(text) => text.replace('*', ""),
            _ => String::new(),
        });
        lines.collect::<Vec<_>>().join("\n")
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
        assert!(t.lines().all(|l| !l.contains("shmem_") || l.len() <= WIDTH), "{t}");
    }

    #[test]
    fn deprecated_forms_stand_apart() {
        let t = text(&["shmem_atomic_fetch", "shmem_TYPE_atomic_fetch", "shmem_TYPE_fetch", "shmem_fetch"]);
        let at = |s: &str| t.find(s).unwrap_or_else(|| panic!("{s} in\n{t}"));
        assert!(at("TYPE shmem_TYPE_atomic_fetch(") < at("Deprecated in OpenSHMEM 1.4:"));
        assert!(at("Deprecated in OpenSHMEM 1.4:") < at("TYPE shmem_TYPE_fetch("));
    }
}
