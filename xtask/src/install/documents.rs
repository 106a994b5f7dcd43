//! The documents and examples that are installed below share/doc/oshmpi, in the folders that they have in the
//! repository, so that their references to each other hold; and the module file.

use super::layout::Item;
use super::product::{HOME, SUMMARY, VERSION};
use crate::util::{read, root};
use anyhow::{Context, Result};
use std::path::Path;
use walkdir::WalkDir;

/// Where they lie below the prefix.
pub const PLACE: &str = "share/doc/oshmpi";

/// Files, and folders with all that is in them. What is not here is for those who work on oshmpi itself.
const INSTALLED: [&str; 10] = [
    "README.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "CITATION.cff",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "docs",
    "examples",
    "benches/README.md",
    "shmem/README.md",
];

/// Paths below the top of the repository.
pub fn installed() -> Result<Vec<String>> {
    let top = root();
    let mut paths = Vec::new();
    for name in INSTALLED {
        for entry in WalkDir::new(top.join(name)).sort_by_file_name() {
            let entry = entry.with_context(|| format!("cannot list {name}"))?;
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(&top).expect("it was found below");
                paths.push(path.to_string_lossy().into_owned());
            }
        }
    }
    Ok(paths)
}

/// Documents, examples and the module file.
pub fn items() -> Result<Vec<Item>> {
    let mut items = vec![Item::text(format!("share/modulefiles/oshmpi/{VERSION}"), module_file())];
    for path in installed()? {
        let from = root().join(&path);
        let place = format!("{PLACE}/{path}");
        items.push(match path.strip_suffix(".md") {
            Some(_) => Item::text(place, with_addresses(&from, &path)?),
            None => Item::file(place, from),
        });
    }
    Ok(items)
}

/// The document, with the repository's address where it refers to a file that is not installed.
pub fn with_addresses(from: &Path, path: &str) -> Result<String> {
    let text = read(from)?;
    let known = installed()?;
    Ok(references(&text).into_iter().fold(text.clone(), |text, reference| {
        let target = target(path, reference);
        let here = known.iter().any(|k| *k == target || k.starts_with(&format!("{target}/")));
        match here {
            true => text,
            false => text.replace(&format!("]({reference})"), &format!("]({HOME}/blob/main/{target})")),
        }
    }))
}

/// What a document refers to in the repository: `../README.md#installing`. Addresses and its own headings are left out.
pub fn references(text: &str) -> Vec<&str> {
    let ends = text.match_indices("](").filter_map(|(at, _)| text[at + 2..].split_once(')')).map(|(r, _)| r);
    ends.filter(|r| !r.contains("://") && !r.starts_with('#') && !r.contains(char::is_whitespace)).collect()
}

/// The path from the repository's top that a reference in the document `path` means.
pub fn target(path: &str, reference: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in reference.split('#').next().unwrap_or_default().split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// For `module use PREFIX/share/modulefiles; module load oshmpi`, by Environment Modules or Lmod. It finds the prefix
/// from where it lies, so that a prefix can be moved. `file normalize` follows no link at the end of a path, and a site
/// may have a link to this file among its modules.
fn module_file() -> String {
    format!(
        "#%Module1.0
set prefix [file normalize [file join $ModulesCurrentModulefile x]]
for {{set up 0}} {{$up < 5}} {{incr up}} {{ set prefix [file dirname $prefix] }}

module-whatis \"{SUMMARY}\"
proc ModulesHelp {{ }} {{
    puts stderr \"oshmpi {VERSION}: oshcc, oshc++ and oshfort compile, oshrun starts; see man oshmpi\"
}}
conflict oshmpi

setenv OSHMPI_PREFIX $prefix
prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
prepend-path PKG_CONFIG_PATH $prefix/lib/pkgconfig
prepend-path CMAKE_PREFIX_PATH $prefix
# An empty part of MANPATH stands for the system's own pages.
append-path MANPATH {{}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of each document, by its path.
    fn documents() -> Vec<(String, String)> {
        let paths = installed().unwrap().into_iter().filter(|p| p.ends_with(".md"));
        paths.map(|p| (p.clone(), std::fs::read_to_string(root().join(&p)).unwrap())).collect()
    }

    #[test]
    fn what_documents_refer_to_exists() {
        let mut number = 0;
        for (path, text) in documents() {
            for reference in references(&text) {
                let target = target(&path, reference);
                assert!(root().join(&target).exists(), "{path} refers to {reference}: there is no {target}");
                number += 1;
            }
            for (at, _) in text.match_indices("](") {
                let reference = text[at + 2..].split(')').next().unwrap_or_default();
                let Some((file, heading)) = reference.split_once('#').filter(|_| !reference.contains("://")) else {
                    continue;
                };
                let file = if file.is_empty() { path.clone() } else { target(&path, file) };
                let there = std::fs::read_to_string(root().join(&file)).unwrap();
                assert!(headings(&there).contains(&heading.to_string()), "{path}: {file} has no heading #{heading}");
            }
        }
        assert!(number > 50, "{number} references were found");
    }

    /// The headings of a document as references name them.
    fn headings(text: &str) -> Vec<String> {
        let kept = |c: char| c.is_alphanumeric() || "-_ ".contains(c);
        let lines = text.lines().filter(|line| line.starts_with('#'));
        let titles = lines.map(|line| line.trim_start_matches('#').trim().to_lowercase());
        titles.map(|title| title.chars().filter(|c| kept(*c)).collect::<String>().replace(' ', "-")).collect()
    }

    #[test]
    fn every_example_is_in_the_index() {
        let index = std::fs::read_to_string(root().join("examples/README.md")).unwrap();
        let programs = installed().unwrap().into_iter().filter_map(|p| Some(p.strip_prefix("examples/")?.to_string()));
        for program in programs.filter(|p| p.contains('/') && !p.ends_with(".h")) {
            assert!(index.contains(&format!("]({program})")), "examples/README.md does not name {program}");
        }
    }

    #[test]
    fn a_reference_that_is_not_installed_becomes_an_address() {
        assert_eq!(target("docs/design/a.md", "../../pmi-shm/src/x.rs#y"), "pmi-shm/src/x.rs");
        assert_eq!(target("docs/a.md", "../README.md"), "README.md");
        assert_eq!(references("[a](b.md#c) [d](https://e) [f](#g) `x[1](2, 3)`"), ["b.md#c"]);
        let readme = with_addresses(&root().join("README.md"), "README.md").unwrap();
        assert!(readme.contains(&format!("]({HOME}/blob/main/ARCHITECTURE.md)")));
        assert!(readme.contains("](docs/guide.md)"));
    }
}
