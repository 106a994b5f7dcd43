//! The Fortran interface as data: what `spec/fortran-1.4.api` says. The head of that file documents its format.

use super::parse::{self, pattern, statements};
use super::{Hole, Pattern, once, shifted};
use crate::util::{read, root};
use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;

/// A subroutine or a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// Lower case, without the compiler's underscores.
    pub name: String,
    /// None for a subroutine.
    pub result: Option<Type>,
    pub args: Vec<String>,
    pub deprecated: Option<String>,
    /// Not in the standard.
    pub extension: bool,
    /// Takes the hidden length of its character argument behind all others.
    pub length: bool,
}

/// What a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Default INTEGER or LOGICAL.
    Default,
    /// What a Cray pointer holds.
    Address,
    Integer4,
    Integer8,
    Real4,
    Real8,
}

impl Type {
    fn of(word: &str) -> Result<Type> {
        Ok(match word {
            "integer" | "logical" => Type::Default,
            "address" => Type::Address,
            "integer*4" => Type::Integer4,
            "integer*8" => Type::Integer8,
            "real*4" => Type::Real4,
            "real*8" => Type::Real8,
            _ => bail!("{word} is no type of a function"),
        })
    }

    /// As Fortran programs declare it.
    pub fn fortran(self) -> &'static str {
        match self {
            Type::Default => "integer or logical",
            Type::Address => "a Cray pointer",
            Type::Integer4 => "integer(4)",
            Type::Integer8 => "integer(8)",
            Type::Real4 => "real(4)",
            Type::Real8 => "real(8)",
        }
    }

    /// The C type with the same ABI when default integers have 8 bytes.
    pub fn c_ilp64(self) -> &'static str {
        match self {
            Type::Default | Type::Integer8 => "int64_t",
            Type::Address => "void *",
            Type::Integer4 => "int32_t",
            Type::Real4 => "float",
            Type::Real8 => "double",
        }
    }
}

impl Routine {
    /// Its names for the linker: one underscore behind, and two when there is one in the name (`-fsecond-underscore`).
    pub fn symbols(&self) -> Vec<String> {
        let one = format!("{}_", self.name);
        if self.name.contains('_') { vec![one.clone(), one + "_"] } else { vec![one] }
    }

    /// The type that the function in C returns.
    pub fn c_result(&self) -> &'static str {
        match self.result {
            None => "void",
            Some(Type::Default) => "int32_t",
            Some(kind) => kind.c_ilp64(),
        }
    }

    /// The parameters of the function in C, with this before their names.
    pub fn c_params(&self, before: &str) -> String {
        let hidden = self.length.then(|| format!("size_t {before}len"));
        let params: Vec<String> = self.args.iter().map(|a| format!("void *{before}{a}")).chain(hidden).collect();
        if params.is_empty() { "void".to_string() } else { params.join(", ") }
    }

    /// What is passed on in a call of another function with the same parameters.
    pub fn passed(&self) -> String {
        let hidden = self.length.then_some("len");
        self.args.iter().map(String::as_str).chain(hidden).collect::<Vec<_>>().join(", ")
    }

    /// The strong name behind all of them.
    pub fn strong(&self) -> String {
        shifted(&self.name) + "_"
    }

    /// The name of the routine with 8-byte default integers.
    pub fn ilp64(&self) -> String {
        format!("oshmpi_ilp64_{}", self.name)
    }
}

/// Where the list lies.
pub fn path() -> PathBuf {
    root().join("spec/fortran-1.4.api")
}

/// Reads and checks the list of this checkout.
pub fn load() -> Result<Vec<Routine>> {
    let path = path();
    let text = read(&path)?;
    parse(&text).with_context(|| path.display().to_string())
}

/// Reads and checks a list.
pub fn parse(text: &str) -> Result<Vec<Routine>> {
    let mut all = Vec::new();
    for (number, line) in statements(text) {
        if line.split_whitespace().next() != Some("group") {
            all.extend(statement(&line).with_context(|| format!("line {number}"))?);
        }
    }
    once("", all.iter().map(|r| &r.name))?;
    ensure!(!all.is_empty(), "it names no routine");
    Ok(all)
}

/// `TYPE NAME ( ARGS ) [deprecated V] [extension] [length]`
fn statement(line: &str) -> Result<Vec<Routine>> {
    let (head, rest) = line.split_once('(').context("a routine has brackets")?;
    let (args, tail) = rest.split_once(')').context("no closing bracket")?;
    let (kind, name) = head.trim().split_once(char::is_whitespace).context("expected `call NAME` or `TYPE NAME`")?;
    let args: Vec<String> = args.split(',').map(|a| a.trim().to_string()).filter(|a| !a.is_empty()).collect();
    let (deprecated, [extension, length]) = parse::tail(tail, ["extension", "length"])?;
    let Pattern { before, hole, after } = pattern(name.trim())?;
    let words = match hole {
        Hole::None => vec![String::new()],
        Hole::Words(words) => words,
        Hole::Types(_) => bail!("there are no type tables here"),
    };
    let one = |word: String| {
        let result = match kind {
            "call" => None,
            _ => Some(Type::of(&kind.replace("{}", &word))?),
        };
        Ok(Routine {
            name: format!("{before}{word}{after}"),
            result,
            args: args.clone(),
            deprecated: deprecated.clone(),
            extension,
            length,
        })
    };
    words.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_the_standard() {
        let all = load().unwrap();
        let standard = all.iter().filter(|r| !r.extension).count();
        // Counted in the standard's synopses: 169, and the three names that only its list of deprecated names has
        // (MY_PE, NUM_PES, SHMEM_PUT).
        assert_eq!(standard, 169 + 3);
        assert_eq!(all.len() - standard, 12 + 6);
    }

    #[test]
    fn mistakes_name_the_line() {
        for (text, reason) in [
            ("call f ( )\ncall f ( )", "stands there twice"),
            ("\nreal f ( )", "line 2"),
            ("call f ( ) obsolete", "unknown word obsolete"),
            ("group G", "no routine"),
        ] {
            let e = format!("{:#}", parse(text).unwrap_err());
            assert!(e.contains(reason), "{text:?} gave {e}");
        }
    }
}
