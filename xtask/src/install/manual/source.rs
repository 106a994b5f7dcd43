//! The text of a page, as it stands in man/: a few lines of facts, then a small part of Markdown.
//!
//! ```text
//! # shmem_put(3) - one line about it
//! routines: shmem_put shmem_TYPE_put ...     what the page is about; makes the synopsis and the links
//! aliases: NAME ...                          further names of the page
//! see: shmem_get(3) ...
//!
//! Paragraphs. `code` is bold, *emphasis* italic.
//! ## Heading
//! - term: explanation
//! * point
//! @fragment                                  a part of man/common.md
//! @settings                                  the environment variables of the runtime
//! @fortran                                   Fortran's routines, whose names are further names of the page
//! ```
//! What stands before the first heading is the description. Indented by four blanks is code.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    pub name: String,
    pub section: u8,
    pub summary: String,
    pub routines: Vec<String>,
    pub aliases: Vec<String>,
    /// `shmem_get(3)`
    pub see: Vec<String>,
    pub body: Vec<Block>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    Heading(String),
    Paragraph(String),
    /// What is explained, and the explanation.
    Item(String, String),
    Bullet(String),
    Code(Vec<String>),
    /// Declarations of C.
    Synopsis(Vec<String>),
    /// Other pages.
    See(Vec<String>),
    /// Stands for the table of settings.
    Settings,
    /// Stands for the list of Fortran's routines.
    Fortran,
}

pub type Fragments = BTreeMap<String, Vec<Block>>;

/// Reads a page; `common` are the parts that pages share.
pub fn page(text: &str, common: &Fragments) -> Result<Page> {
    let mut lines = text.lines();
    let title = lines.next().and_then(|l| l.strip_prefix("# ")).context("the first line is not a title")?;
    let (name, summary) = title.split_once(" - ").context("the title lacks ` - `")?;
    let (name, section) = reference(name)?;
    let (mut routines, mut aliases, mut see) = (Vec::new(), Vec::new(), Vec::new());
    let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<String>>();
    let mut rest = Vec::new();
    for line in lines {
        // Facts stand at the top only.
        match line.split_once(": ").filter(|_| rest.iter().all(|l: &&str| l.is_empty())) {
            Some(("routines", names)) => routines.extend(words(names)),
            Some(("aliases", names)) => aliases.extend(words(names)),
            Some(("see", names)) => see.extend(words(names)),
            _ => rest.push(line),
        }
    }
    for name in &see {
        reference(name)?;
    }
    let mut body = vec![Block::Heading("Description".into())];
    body.extend(blocks(&rest, common)?);
    ensure!(body.len() > 1, "the page has no text");
    let summary = summary.trim().to_string();
    Ok(Page { name, section, summary, routines, aliases, see, body })
}

/// The parts of man/common.md: one under each heading.
pub fn fragments(text: &str) -> Result<Fragments> {
    let mut all = Fragments::new();
    let mut name = None;
    for block in blocks(&text.lines().filter(|l| !l.starts_with("# ")).collect::<Vec<_>>(), &Fragments::new())? {
        match (block, &name) {
            (Block::Heading(h), _) => name = Some(h),
            (block, Some(name)) => all.entry(name.clone()).or_default().push(block),
            // An introduction for those who edit the file.
            (_, None) => {}
        }
    }
    Ok(all)
}

/// `shmem_get(3)` gives the name and the section.
fn reference(text: &str) -> Result<(String, u8)> {
    let parts = text.strip_suffix(')').and_then(|t| t.split_once('('));
    let (name, section) = parts.with_context(|| format!("{text} is not a NAME(SECTION)"))?;
    Ok((name.to_string(), section.parse().with_context(|| format!("{text} has no section number"))?))
}

/// The terms that an item explains: "`dest`, `source`" are two.
#[cfg(test)]
pub fn terms(term: &str) -> impl Iterator<Item = &str> {
    term.split(',').map(|t| t.trim().trim_matches('`'))
}

fn blocks(lines: &[&str], common: &Fragments) -> Result<Vec<Block>> {
    let mut all: Vec<Block> = Vec::new();
    // Whether the next plain line goes on with the last block.
    let mut open = false;
    for line in lines {
        let goes_on = std::mem::take(&mut open);
        if line.trim().is_empty() {
            if let Some(Block::Code(code)) = all.last_mut() {
                code.push(String::new());
            }
        } else if let Some(heading) = line.strip_prefix("## ") {
            all.push(Block::Heading(heading.trim().to_string()));
        } else if *line == "@settings" {
            all.push(Block::Settings);
        } else if *line == "@fortran" {
            all.push(Block::Fortran);
        } else if let Some(name) = line.strip_prefix('@') {
            let Some(part) = common.get(name.trim()) else { bail!("man/common.md has no part {name}") };
            all.extend(part.iter().cloned());
        } else if let Some(point) = line.strip_prefix("* ") {
            all.push(Block::Bullet(point.trim().to_string()));
            open = true;
        } else if let Some(item) = line.strip_prefix("- ") {
            let (term, text) = item.split_once(": ").with_context(|| format!("no `: ` in {line:?}"))?;
            all.push(Block::Item(term.trim().to_string(), text.trim().to_string()));
            open = true;
        } else if let Some(code) = line.strip_prefix("    ").filter(|_| !goes_on) {
            match all.last_mut() {
                Some(Block::Code(lines)) => lines.push(code.to_string()),
                _ => all.push(Block::Code(vec![code.to_string()])),
            }
        } else if goes_on {
            open = true;
            match all.last_mut() {
                Some(Block::Paragraph(t) | Block::Bullet(t) | Block::Item(_, t)) => {
                    t.push(' ');
                    t.push_str(line.trim());
                }
                _ => bail!("{line:?} goes on with nothing"),
            }
        } else {
            all.push(Block::Paragraph(line.trim().to_string()));
            open = true;
        }
    }
    for block in &mut all {
        if let Block::Code(lines) = block {
            while lines.last().is_some_and(String::is_empty) {
                lines.pop();
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# shmem_x(3) - does x
routines: shmem_x shmem_TYPE_x
see: shmem_y(3)

Goes on:
over two lines.

    code a

    code b

- `dest`, `pe`: where
  to
## Errors
@all
* a point
";

    #[test]
    fn a_page_has_its_parts() {
        let common = fragments("# Shared\nAn introduction.\n## all\nEverything.\n").unwrap();
        let p = page(PAGE, &common).unwrap();
        assert_eq!((p.name.as_str(), p.section, p.summary.as_str()), ("shmem_x", 3, "does x"));
        assert_eq!(p.routines, ["shmem_x", "shmem_TYPE_x"]);
        assert_eq!(
            p.body,
            [
                Block::Heading("Description".into()),
                Block::Paragraph("Goes on: over two lines.".into()),
                Block::Code(vec!["code a".into(), String::new(), "code b".into()]),
                Block::Item("`dest`, `pe`".into(), "where to".into()),
                Block::Heading("Errors".into()),
                Block::Paragraph("Everything.".into()),
                Block::Bullet("a point".into()),
            ]
        );
        assert_eq!(terms("`dest`, `pe`").collect::<Vec<_>>(), ["dest", "pe"]);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let none = Fragments::new();
        for text in ["shmem_x", "# shmem_x - y\n\ntext", "# x(3) - y\n", "# x(3) - y\n\n@no", "# x(3) - y\n\n- term"] {
            assert!(page(text, &none).is_err(), "{text:?}");
        }
    }
}
