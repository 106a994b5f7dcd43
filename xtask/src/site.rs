//! `cargo xtask site`: the documentation as a site of HTML pages, made by mdBook from the documents that are installed
//! and from the manual pages. mdBook is not a dependency: `cargo install mdbook` has it.

use crate::install::documents;
use crate::install::manual;
use crate::util::{command_exists, root, run};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;
use walkdir::WalkDir;

#[derive(clap::Args)]
pub struct Args {
    /// Only lay out the sources below target/site, and do not call mdbook
    #[arg(long)]
    sources: bool,
}

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

pub fn run_task(args: Args) -> Result<()> {
    let dir = root().join("target/site");
    let src = dir.join("src");
    let _ = fs::remove_dir_all(&src);
    lay_out(&src)?;
    put(&dir.join("book.toml"), BOOK)?;
    put(&dir.join("site.css"), STYLE)?;
    if args.sources {
        println!("the sources are in {}", dir.display());
        return Ok(());
    }
    ensure!(command_exists("mdbook"), "mdbook is missing; run this, then try again: cargo install mdbook");
    run(Command::new("mdbook").arg("build").arg(&dir))?;
    let html = dir.join("html");
    println!("{} links of {} lead somewhere", check_links(&html)?, html.display());
    Ok(())
}

/// Counts the links of all pages; an error names those that lead nowhere.
fn check_links(html: &Path) -> Result<usize> {
    let (mut number, mut broken) = (0, Vec::new());
    let pages = WalkDir::new(html).into_iter().filter_map(|entry| Some(entry.ok()?.into_path()));
    for page in pages.filter(|path| path.extension().is_some_and(|e| e == "html")) {
        let text = fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
        for link in ["href=\"", "src=\""].iter().flat_map(|name| text.split(name).skip(1)) {
            let link = link.split('"').next().unwrap_or_default();
            if link.contains(':') || link.is_empty() {
                continue; // An address.
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            let leads = match fs::read(&target) {
                Ok(there) => {
                    heading.is_empty() || String::from_utf8_lossy(&there).contains(&format!("id=\"{heading}\""))
                }
                Err(_) => target.is_dir(),
            };
            number += 1;
            if !leads {
                broken.push(format!("{}: {link}", page.strip_prefix(html).unwrap_or(&page).display()));
            }
        }
    }
    if !broken.is_empty() {
        bail!("links that lead nowhere:\n{}", broken.join("\n"));
    }
    Ok(number)
}

/// Documents in their folders, manual pages in man/, and the list of all.
fn lay_out(src: &Path) -> Result<()> {
    let mut summary = "# Summary\n\n".to_string();
    let all = documents::installed()?;
    for path in &all {
        if path.ends_with(".md") {
            put(&src.join(path), &documents::with_addresses(&root().join(path), path)?)?;
        } else {
            // Examples are shown by their references.
            let text = fs::read(root().join(path)).with_context(|| format!("cannot read {path}"))?;
            make_parent(&src.join(path))?;
            fs::write(src.join(path), text).with_context(|| format!("cannot write {path}"))?;
        }
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
        put(&src.join(&path), &text)?;
        summary += &format!("- [{name}({section})]({path})\n");
    }
    put(&src.join("SUMMARY.md"), &summary)
}

/// The first heading of a document.
fn title(file: &Path) -> Result<String> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let heading = text.lines().find_map(|l| l.strip_prefix("# "));
    Ok(heading.with_context(|| format!("{} has no heading", file.display()))?.to_string())
}

fn put(file: &Path, text: &str) -> Result<()> {
    make_parent(file)?;
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

fn make_parent(file: &Path) -> Result<()> {
    let dir = file.parent().expect("it lies in a directory");
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let page = r##"<a href="b.html#x">b</a> <a href="#y">y</a> <a href="https://c">c</a> <h2 id="y"></h2>"##;
        put(&dir.path().join("a.html"), page).unwrap();
        put(&dir.path().join("b.html"), "<h2 id=\"x\"></h2>").unwrap();
        assert_eq!(check_links(dir.path()).unwrap(), 2);
        put(&dir.path().join("b.html"), "<h2 id=\"z\"></h2>").unwrap();
        assert!(check_links(dir.path()).unwrap_err().to_string().ends_with("\na.html: b.html#x"));
    }

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
