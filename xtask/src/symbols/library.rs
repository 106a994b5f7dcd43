//! What a library offers to the linker and what it asks for.

use anyhow::{Context, Result, ensure};
use object::elf::{DF_1_NODELETE, DT_FLAGS_1, DT_NEEDED};
use object::read::archive::ArchiveFile;
use object::read::elf::{Dyn, ElfFile64};
use object::{Object, ObjectSymbol, ObjectSymbolTable, RelocationTarget, SymbolKind, SymbolSection};
use std::collections::BTreeSet;
use std::path::Path;

/// The section of an object in which compilers of the LLVM family put bitcode beside the code.
const BITCODE: &str = ".llvmbc";

/// A symbol that other objects can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub weak: bool,
    pub code: bool,
    /// Archive member, section and offset: equal for two symbols exactly when they name one byte.
    pub place: (usize, usize, u64),
}

/// The symbols of a static or shared library.
#[derive(Debug, Default)]
pub struct Library {
    pub shared: bool,
    /// A shared library that dlclose() leaves in the process.
    pub stays: bool,
    /// Bytes of the file.
    pub size: u64,
    /// Members with LLVM bitcode.
    pub bitcode: Vec<String>,
    pub defined: Vec<Symbol>,
    /// Names that the library's code refers to through the linker. A program can put another routine in their place.
    pub referred: Vec<String>,
    /// The libraries that the loader loads with it.
    pub needed: Vec<String>,
}

/// Reads a static library. Members that are no object files are an error: nothing else belongs into it.
pub fn archive(path: &Path) -> Result<Library> {
    let data = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut library = Library { size: data.len() as u64, ..Library::default() };
    let archive = ArchiveFile::parse(&*data).with_context(|| path.display().to_string())?;
    for (number, member) in archive.members().enumerate() {
        let member = member.with_context(|| path.display().to_string())?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let what = || format!("{}({name})", path.display());
        let elf: ElfFile64 = ElfFile64::parse(member.data(&*data).with_context(what)?).with_context(what)?;
        if elf.section_by_name(BITCODE).is_some() {
            library.bitcode.push(name.clone());
        }
        for s in elf.symbols() {
            let text = s.name().with_context(what)?;
            if s.is_undefined() {
                library.referred.push(text.to_string());
            } else if s.is_global() {
                library.defined.push(symbol(&s, text, number));
            }
        }
    }
    ensure!(!library.defined.is_empty(), "{}: defines nothing", path.display());
    Ok(library)
}

/// The names that a program's file has for debuggers.
pub fn names(path: &Path) -> Result<BTreeSet<String>> {
    let data = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let elf: ElfFile64 = ElfFile64::parse(&*data).with_context(|| path.display().to_string())?;
    Ok(elf.symbols().filter_map(|s| Some(s.name().ok()?.to_string())).collect())
}

/// Reads the dynamic symbols of a shared library.
pub fn shared(path: &Path) -> Result<Library> {
    let data = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let elf: ElfFile64 = ElfFile64::parse(&*data).with_context(|| path.display().to_string())?;
    let (stays, needed) = dynamic(&elf).with_context(|| path.display().to_string())?;
    let mut library = Library { shared: true, stays, needed, size: data.len() as u64, ..Library::default() };
    for s in elf.dynamic_symbols() {
        // An absolute symbol is the name of a version, which the linker puts there.
        if !s.is_undefined() && s.is_global() && s.section() != SymbolSection::Absolute {
            let text = s.name().with_context(|| path.display().to_string())?;
            library.defined.push(symbol(&s, text, 0));
        }
    }
    let table = elf.dynamic_symbol_table();
    for (_, relocation) in elf.dynamic_relocations().into_iter().flatten() {
        let RelocationTarget::Symbol(index) = relocation.target() else {
            continue;
        };
        let table = table.as_ref().context("relocations without symbols")?;
        let target = table.symbol_by_index(index).with_context(|| path.display().to_string())?;
        library.referred.push(target.name().with_context(|| path.display().to_string())?.to_string());
    }
    ensure!(!library.defined.is_empty(), "{}: exports nothing", path.display());
    Ok(library)
}

/// Whether the library was linked with `-z nodelete`, and the libraries that it names.
fn dynamic(elf: &ElfFile64) -> Result<(bool, Vec<String>)> {
    let endian = elf.endian();
    let sections = elf.elf_section_table();
    let (dynamic, strings) = sections.dynamic(endian, elf.data())?.context("no dynamic section")?;
    let strings = sections.strings(endian, elf.data(), strings)?;
    let flags = dynamic.iter().find(|d| d.tag(endian) == DT_FLAGS_1).map_or(0, |d| d.val(endian));
    let needed = dynamic
        .iter()
        .filter(|d| d.tag(endian) == DT_NEEDED)
        .map(|d| Ok(String::from_utf8_lossy(d.string(endian, strings)?).into_owned()));
    Ok((flags & DF_1_NODELETE.0 != 0, needed.collect::<Result<_>>()?))
}

fn symbol<'d>(s: &impl ObjectSymbol<'d>, name: &str, member: usize) -> Symbol {
    let section = s.section_index().map_or(0, |i| i.0);
    Symbol {
        name: name.to_string(),
        weak: s.is_weak(),
        code: s.kind() == SymbolKind::Text,
        place: (member, section, s.address()),
    }
}
