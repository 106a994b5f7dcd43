//! Filling the holes of templates with the rows of their tables.

use super::{Function, Hole, Param, Pattern, Spec, Template};
use anyhow::{Context, Result};

impl Spec {
    /// The type names of some tables, one after the other.
    pub fn rows(&self, tables: &[String]) -> Result<Vec<&str>> {
        let mut rows = Vec::new();
        for t in tables {
            rows.extend(self.tables.get(t).with_context(|| format!("no table {t}"))?.iter().map(String::as_str));
        }
        Ok(rows)
    }

    /// The C type behind a type name.
    pub fn c_type(&self, name: &str) -> Result<&str> {
        self.types.get(name).map(String::as_str).with_context(|| format!("no type {name}"))
    }

    /// All names that a pattern stands for.
    pub fn fill(&self, pattern: &Pattern) -> Result<Vec<String>> {
        Ok(self.words(pattern)?.into_iter().map(|w| format!("{}{w}{}", pattern.before, pattern.after)).collect())
    }

    /// All functions that a template stands for.
    pub fn expand(&self, t: &Template) -> Result<Vec<Function>> {
        let typed = matches!(t.name.hole, Hole::Types(_));
        let mut functions = Vec::new();
        for word in self.words(&t.name)? {
            let c_type = if typed { self.c_type(word)? } else { "" };
            functions.push(t.function(format!("{}{word}{}", t.name.before, t.name.after), c_type));
        }
        Ok(functions)
    }

    /// The template that a generic's pattern reaches: its tables may be several joined ones.
    pub fn behind(&self, p: &Pattern) -> Option<&Template> {
        let is_behind = |t: &&Template| {
            (&t.name.before, &t.name.after) == (&p.before, &p.after)
                && matches!(t.name.hole, Hole::None) == matches!(p.hole, Hole::None)
        };
        self.groups.iter().flat_map(|g| &g.templates).find(is_behind)
    }

    /// What goes into the hole: one empty word when there is none.
    fn words<'a>(&'a self, pattern: &'a Pattern) -> Result<Vec<&'a str>> {
        match &pattern.hole {
            Hole::None => Ok(vec![""]),
            Hole::Words(w) => Ok(w.iter().map(String::as_str).collect()),
            Hole::Types(tables) => self.rows(tables),
        }
    }
}

impl Template {
    /// One function that the template stands for: its name, and the type in place of `{T}`.
    pub fn function(&self, name: String, c_type: &str) -> Function {
        let param = |p: &Param| Param { c_type: p.c_type.replace("{T}", c_type), name: p.name.clone() };
        Function {
            name,
            returns: self.returns.replace("{T}", c_type),
            params: self.params.iter().map(param).collect(),
            deprecated: self.deprecated.clone(),
            noreturn: self.noreturn,
            extension: self.extension,
        }
    }
}
