//! `cargo xtask site`: the documentation as a site of HTML pages, made by mdBook from the documents that are installed
//! and from the manual pages. mdBook is not a dependency: `cargo install mdbook` has it.

use crate::install::layout::{self, Item};
use crate::install::{documents, manual};
use crate::util::{command_exists, read, root, run};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;

const BOOK: &str = "[book]
title = \"oshmpi\"
src = \"src\"
language = \"en\"

[build]
build-dir = \"html\"
create-missing = false
use-default-preprocessors = false

[output.html]
no-section-label = true
additional-css = [\"site.css\"]

[output.html.fold]
enable = true

[output.html.print]
enable = false

[output.html.search]
limit-results = 40
use-boolean-and = true
heading-split-level = 3
";

/// A line of 120 characters of code fits, and so does a table of measurements. The large arrows to the pages before and
/// behind would lie on the text.
const STYLE: &str = "
:root { --content-max-width: 1080px; }
.nav-wide-wrapper { display: none; }
.nav-wrapper { display: block; }
.content table { margin: 1em 0; }
.content th, .content td { text-align: start; vertical-align: top; }
.content img { max-width: 100%; border-radius: 6px; }
@media (max-width: 700px) { .content th, .content td { padding: 3px 8px; } }
";

pub fn run_task() -> Result<()> {
    let dir = root().join("target/site");
    let src = dir.join("src");
    let _ = fs::remove_dir_all(&src);
    lay_out(&src)?;
    layout::put(&dir, &Item::text("book.toml", BOOK))?;
    layout::put(&dir, &Item::text("site.css", STYLE))?;
    ensure!(command_exists("mdbook"), "mdbook is missing; run this, then try again: cargo install mdbook");
    run(Command::new("mdbook").arg("build").arg(&dir))?;
    println!("the pages are in {}", dir.join("html").display());
    Ok(())
}

/// Documents in their folders, manual pages in man/, and the list of all.
fn lay_out(src: &Path) -> Result<()> {
    let mut summary = "# Summary\n\n".to_string();
    let all = documents::installed()?;
    for path in &all {
        let item = match path.ends_with(".md") {
            true => Item::text(path, documents::with_addresses(&root().join(path), path)?),
            // Examples are shown by their references.
            false => Item::file(path, root().join(path)),
        };
        layout::put(src, &item)?;
    }
    let documents = |start: &'static str| all.iter().filter(move |p| p.ends_with(".md") && p.starts_with(start));
    summary += "[oshmpi](README.md)\n\n";
    let first = ["guide", "recipes", "troubleshooting", "env", "races", "migrating"].map(|n| format!("docs/{n}.md"));
    let first: Vec<String> =
        first.into_iter().chain(["examples/README.md", "CHANGELOG.md"].map(String::from)).collect();
    let design = |path: &&String| path.starts_with("docs/design/");
    let rest = documents("").filter(|p| !first.contains(p) && *p != "README.md" && !design(p));
    for path in first.iter().chain(rest) {
        summary += &format!("- [{}]({path})\n", title(&src.join(path))?);
    }
    summary += "\n# Design\n\n";
    for path in documents("docs/design/") {
        summary += &format!("- [{}]({path})\n", title(&src.join(path))?);
    }
    summary += "\n# Manual pages\n\n";
    for (name, section, text) in manual::markdown()? {
        let path = format!("man/{name}.{section}.md");
        layout::put(src, &Item::text(&path, text))?;
        summary += &format!("- [{name}({section})]({path})\n");
    }
    layout::put(src, &Item::text("SUMMARY.md", summary))
}

/// The first heading of a document.
fn title(file: &Path) -> Result<String> {
    let text = read(file)?;
    let heading = text.lines().find_map(|l| l.strip_prefix("# "));
    Ok(heading.with_context(|| format!("{} has no heading", file.display()))?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_and_manual_page_is_in_the_summary_and_exists() {
        let dir = tempfile::tempdir().unwrap();
        lay_out(dir.path()).unwrap();
        let summary = fs::read_to_string(dir.path().join("SUMMARY.md")).unwrap();
        let named = documents::references(&summary);
        assert!(named.iter().all(|p| dir.path().join(p).is_file()));
        for path in documents::installed().unwrap().iter().filter(|p| p.ends_with(".md")) {
            assert!(named.contains(&path.as_str()), "{path} is not in the summary");
        }
        let put = fs::read_to_string(dir.path().join("man/shmem_put.3.md")).unwrap();
        assert!(put.contains("void shmem_putmem(void *dest, const void *source, size_t nelems, int pe);"), "{put}");
        assert!(put.contains("[shmem_get(3)](shmem_get.3.md)"), "{put}");
    }
}
