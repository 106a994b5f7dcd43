//! OpenSHMEM 1.6 as data: what `spec/openshmem-1.6.api` says, read by [`parse`] and expanded over the type tables by
//! [`expand`]. The head of that file documents its format.

pub mod effects;
mod expand;
pub mod fortran;
mod parse;

use crate::util::{read, root};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

/// Everything the list says, in its order.
#[derive(Debug, Default)]
pub struct Spec {
    /// C type of each type name: `uint` is `unsigned int`.
    pub types: BTreeMap<String, String>,
    /// Type names of each table.
    pub tables: BTreeMap<String, Vec<String>>,
    pub groups: Vec<Group>,
    pub constants: Vec<Constant>,
    /// `shmem_` routines beyond the standard that the libraries may export.
    pub extensions: BTreeSet<String>,
}

/// Routines under one heading.
#[derive(Debug)]
pub struct Group {
    pub title: String,
    pub templates: Vec<Template>,
    pub generics: Vec<Generic>,
}

/// A routine, or one routine per row of a table.
pub type Template = Routine<Pattern>;

/// A C function with all holes filled.
pub type Function = Routine<String>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine<Name> {
    pub name: Name,
    /// C type of the result; may hold `{T}`.
    pub returns: String,
    pub params: Vec<Param>,
    /// Version of the standard that deprecated it.
    pub deprecated: Option<String>,
    pub noreturn: bool,
    /// Not in the standard.
    pub extension: bool,
}

/// A name with at most one hole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub before: String,
    pub hole: Hole,
    pub after: String,
}

/// What stands between the two parts of a [`Pattern`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hole {
    /// Nothing: the name is `before`.
    None,
    /// `{T:amo+shorts}`: the type names of these tables.
    Types(Vec<String>),
    /// `{8,16,32}`: these words.
    Words(Vec<String>),
}

/// A parameter. The variadic `...` is one whose name is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// C type as written before the name: `const {T} *`.
    pub c_type: String,
    pub name: String,
}

/// A C11 macro of the standard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generic {
    pub name: String,
    /// Functions reached.
    pub plain: Pattern,
    /// Functions reached when the first argument has the named type.
    pub other: Option<(Pattern, String)>,
}

/// A constant of the standard. The standard leaves its value open, and the header has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    pub name: String,
    pub kind: Kind,
    /// The name with `_` in front is defined too.
    pub underscore: bool,
    pub deprecated: Option<String>,
}

/// What a program may do with a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Case labels, array sizes.
    Number,
    /// Case labels and array sizes, and ORed with the other constants that have this set number.
    Flag(usize),
    /// A string literal.
    Text,
    /// Static initialiser of this handle type.
    Handle(String),
}

impl Spec {
    /// Where the list lies.
    pub fn path() -> PathBuf {
        root().join("spec/openshmem-1.6.api")
    }

    /// Reads and checks the list of this checkout.
    pub fn load() -> Result<Spec> {
        let path = Spec::path();
        let text = read(&path)?;
        Spec::from_text(&text).with_context(|| path.display().to_string())
    }

    /// The families of `shmemx.h`, with the types of the standard.
    pub fn of_shmemx() -> Result<Spec> {
        let (standard, own) = (read(&Spec::path())?, read(&root().join("spec/shmemx.api"))?);
        let mut all = Spec::from_text(&format!("{standard}\n{own}")).context("spec/shmemx.api")?;
        all.groups.drain(..Spec::from_text(&standard)?.groups.len());
        Ok(all)
    }

    /// Reads and checks a list.
    pub fn from_text(text: &str) -> Result<Spec> {
        let spec = parse::parse(text)?;
        spec.check()?;
        Ok(spec)
    }

    /// Every C function, in the order of the list.
    pub fn functions(&self) -> Result<Vec<Function>> {
        let mut all = Vec::new();
        for t in self.groups.iter().flat_map(|g| &g.templates) {
            all.extend(self.expand(t)?);
        }
        Ok(all)
    }

    /// Every generic macro, in the order of the list.
    pub fn generics(&self) -> impl Iterator<Item = &Generic> {
        self.groups.iter().flat_map(|g| &g.generics)
    }

    /// Names, once each, of the standard's C functions.
    pub fn names(&self) -> Result<BTreeSet<String>> {
        Ok(self.functions()?.into_iter().filter(|f| !f.extension).map(|f| f.name).collect())
    }

    /// Names of functions beyond the standard: those that only have a name here, and those with a prototype.
    pub fn beyond(&self) -> Result<BTreeSet<String>> {
        let declared = self.functions()?.into_iter().filter(|f| f.extension).map(|f| f.name);
        Ok(self.extensions.iter().cloned().chain(declared).collect())
    }

    /// Complains about what can be written but makes no sense: a name twice, a generic that reaches nothing.
    fn check(&self) -> Result<()> {
        let functions = self.functions()?;
        let routines = once("", functions.iter().map(|f| &f.name))?;
        once("generic ", self.generics().map(|g| &g.name))?;
        once("constant ", self.constants.iter().map(|c| &c.name))?;
        for g in self.generics() {
            for pattern in std::iter::once(&g.plain).chain(g.other.as_ref().map(|(p, _)| p)) {
                for name in self.fill(pattern)? {
                    ensure!(routines.contains(&&name), "generic {} reaches {name}, which is no routine", g.name);
                }
            }
        }
        match self.extensions.iter().find(|name| routines.contains(name)) {
            Some(name) => bail!("{name} is both an extension and a routine of the standard"),
            None => Ok(()),
        }
    }
}

/// These names, none of which may be there twice. `what` they are.
fn once<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<BTreeSet<&'a String>> {
    let mut seen = BTreeSet::new();
    for name in names {
        ensure!(seen.insert(name), "{what}{name} stands there twice");
    }
    Ok(seen)
}

/// The name under which a profiling tool reaches the routine it replaces. The standard names only `shmem_x`; the old
/// names without that prefix follow the same rule, as they do in other libraries.
pub fn shifted(name: &str) -> String {
    format!("p{name}")
}

/// Breaks a declaration after commas, with `mark` at the end of a line that goes on, and the next line indented.
pub fn wrapped(line: &str, width: usize, indent: usize, mark: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    let mut parts = line.split(", ").peekable();
    while let Some(part) = parts.next() {
        if column > 0 {
            // Two for `, ` before this part, and what stands behind it.
            let behind = parts.peek().map_or(0, |_| 1 + mark.len());
            if column + 2 + part.len() + behind > width {
                text += &format!(",{mark}\n{:indent$}", "");
                column = indent;
            } else {
                text += ", ";
                column += 2;
            }
        }
        text += part;
        column += part.len();
    }
    text
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.c_type.ends_with('*') || self.name.is_empty() { "" } else { " " };
        write!(f, "{}{gap}{}", self.c_type, self.name)
    }
}

impl Function {
    /// The C declaration under another name, without attributes and semicolon.
    pub fn declared_as(&self, name: &str) -> String {
        let gap = if self.returns.ends_with('*') { "" } else { " " };
        let params: Vec<String> = self.params.iter().map(Param::to_string).collect();
        let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
        format!("{}{gap}{name}({params})", self.returns)
    }
}

/// What the race detector notes at each routine: `spec/race.effects`.
pub fn effects_text() -> Result<String> {
    read(&root().join("spec/race.effects"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_the_1788_names_of_the_standard() {
        let names: Vec<String> = Spec::load().unwrap().names().unwrap().into_iter().collect();
        assert_eq!(names.len(), 1788);
        // FNV-1a over the sorted names, a line each: no name changes unnoticed.
        let text = names.join("\n");
        let hash =
            text.bytes().fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        assert_eq!(hash, 0xb491_22da_8401_c654, "a name has changed; {hash:#x} is the new sum");
    }

    #[test]
    fn counts_of_the_standard() {
        let spec = Spec::load().unwrap();
        assert_eq!(spec.generics().count(), 73);
        assert_eq!(spec.generics().filter(|g| g.other.as_ref().is_some_and(|(_, t)| t == "shmem_ctx_t")).count(), 36);
        assert_eq!(spec.functions().unwrap().iter().filter(|f| f.deprecated.is_some()).count(), 103 + 7);
        assert_eq!(spec.constants.iter().filter(|c| c.underscore).count(), 16);
        // 26 current, 9 deprecated in 1.5, 3 predefined handles
        assert_eq!(spec.constants.len(), 38);
        assert_eq!(spec.functions().unwrap().iter().filter(|f| f.name.starts_with("shmem_ctx_")).count(), 583);
    }

    /// Configure scripts take one name of another library for the whole of it: with Cray's `shmemx_alltoallv` alone,
    /// bale called Cray's teams, which were not there.
    #[test]
    fn names_of_other_libraries_come_with_all_that_belongs_to_them() {
        let beyond = Spec::load().unwrap().beyond().unwrap();
        let theirs: Vec<&String> = beyond.iter().filter(|name| name.starts_with("shmemx_")).collect();
        assert_eq!(theirs.len(), 6, "Sandia's counters");
        assert!(theirs.iter().all(|name| name.starts_with("shmemx_pcntr_get_")), "{theirs:?}");
    }
}
