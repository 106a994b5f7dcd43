//! The manual pages: a page per file of man/, with the synopsis of routines from spec/openshmem-1.6.api and the
//! settings from oshmpi/src/env.rs. Every routine has its name: `man shmem_long_put` finds the page of shmem_put.

mod source;
mod synopsis;
mod troff;

use super::facts::Facts;
use super::layout::Item;
use super::product::{STANDARD, VERSION};
use crate::settings::Setting;
use crate::spec::{Spec, fortran};
use crate::util::{self, files, root};
use anyhow::{Context, Result, bail, ensure};
use source::{Block, Page};
use std::collections::{BTreeMap, BTreeSet};

/// Where a page lies below the prefix.
pub fn place(section: u8, name: &str) -> String {
    format!("share/man/man{section}/{name}.{section}")
}

/// All pages and the links to them.
pub fn pages(f: &Facts) -> Result<Vec<Item>> {
    let spec = Spec::load()?;
    let pages = read()?;
    covers_all(&spec, &pages)?;
    see_also_exists(&spec, &pages)?;
    let mut items = Vec::new();
    for page in &pages {
        let text = render(page, &spec, &f.settings).with_context(|| format!("man/{}", page.name))?;
        items.push(Item::text(place(page.section, &page.name), text));
        for alias in aliases(page, &spec)? {
            items.push(Item::link(place(page.section, &alias), format!("{}.{}", page.name, page.section)));
        }
    }
    Ok(items)
}

/// The pages of man/.
fn read() -> Result<Vec<Page>> {
    let dir = root().join("man");
    let common = source::fragments(&util::read(&dir.join("common.md"))?)?;
    let mut pages = Vec::new();
    for path in &files(&dir, "md")? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if name != "common" && name != "README" {
            let page = source::page(&util::read(path)?, &common).with_context(|| path.display().to_string())?;
            ensure!(page.name == name, "{}: the page calls itself {}", path.display(), page.name);
            pages.push(page);
        }
    }
    Ok(pages)
}

/// Every routine and every generic macro stands on exactly one page.
fn covers_all(spec: &Spec, pages: &[Page]) -> Result<()> {
    let known = synopsis::names(spec);
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for page in pages {
        for routine in &page.routines {
            ensure!(known.contains(routine), "man/{}.md: there is no routine {routine}", page.name);
            if let Some(other) = seen.insert(routine, &page.name) {
                bail!("{routine} stands on two pages, {other} and {}", page.name);
            }
        }
    }
    match known.iter().find(|name| !seen.contains_key(name.as_str())) {
        Some(missing) => bail!("{missing} has no manual page: put it on the `routines:` line of a page in man/"),
        None => Ok(()),
    }
}

/// What a page refers to is a page, or another name of one.
fn see_also_exists(spec: &Spec, pages: &[Page]) -> Result<()> {
    // Pages that commands print themselves, and the MPI's.
    let mut known: BTreeSet<String> = ["osh_info(1)", "oshrun(1)", "mpiexec(1)"].map(String::from).into();
    for page in pages {
        let names = aliases(page, spec)?.into_iter().chain([page.name.clone()]);
        known.extend(names.map(|n| format!("{n}({})", page.section)));
    }
    for page in pages {
        if let Some(other) = page.see.iter().find(|s| !known.contains(*s)) {
            bail!("man/{}.md: there is no page {other} to see", page.name);
        }
    }
    Ok(())
}

/// The pages as Markdown, for the documentation site: name, section, text.
pub fn markdown() -> Result<Vec<(String, u8, String)>> {
    let (spec, settings) = (Spec::load()?, crate::settings::all());
    let pages = read()?;
    let own: BTreeSet<String> = pages.iter().map(|p| format!("{}({})", p.name, p.section)).collect();
    let link = |s: &String| match s.split_once('(') {
        Some((name, section)) if own.contains(s) => format!("[{s}]({name}.{}.md)", section.trim_end_matches(')')),
        _ => s.clone(),
    };
    let block = |block: &Block| match block {
        Block::Heading(heading) => format!("\n## {heading}\n"),
        Block::Paragraph(t) => format!("\n{t}\n"),
        Block::Item(term, t) => format!("\n* {term}: {t}\n"),
        Block::Bullet(t) => format!("\n* {t}\n"),
        Block::Code(lines) => format!("\n```text\n{}\n```\n", lines.join("\n")),
        Block::Synopsis(lines) => format!("\n```c\n{}\n```\n", lines.join("\n")),
        Block::See(names) => format!("\n{}\n", names.iter().map(link).collect::<Vec<_>>().join(", ")),
        Block::Fortran | Block::Settings => String::new(),
    };
    let text = |page: &Page| -> Result<String> {
        let head = format!("# {}({})\n\n{} - {}\n", page.name, page.section, title(page).join(", "), page.summary);
        Ok(head + &blocks(page, &spec, &settings)?.iter().map(block).collect::<String>())
    };
    pages.iter().map(|page| Ok((page.name.clone(), page.section, text(page)?))).collect()
}

/// The other names of a page.
fn aliases(page: &Page, spec: &Spec) -> Result<BTreeSet<String>> {
    let mut names: BTreeSet<String> = page.aliases.iter().cloned().collect();
    for routine in &page.routines {
        names.extend(synopsis::expand(spec, routine)?);
    }
    if page.body.contains(&Block::Fortran) {
        // A name that C has too is on the page of the C routine.
        let mut of_c: BTreeSet<String> = spec.functions()?.into_iter().map(|f| f.name).collect();
        of_c.extend(spec.generics().map(|g| g.name.clone()));
        names.extend(fortran::load()?.into_iter().map(|r| r.name).filter(|name| !of_c.contains(name)));
    }
    names.remove(&page.name);
    Ok(names)
}

/// The routines of Fortran as they are called.
fn fortran_lines() -> Result<Vec<String>> {
    let line = |r: fortran::Routine| {
        let (word, kind) = match r.result {
            None => ("call ".to_string(), String::new()),
            Some(t) => (String::new(), format!("  ! {}", t.fortran())),
        };
        format!("{word}{}({}){kind}", r.name, r.args.join(", "))
    };
    Ok(fortran::load()?.into_iter().map(line).collect())
}

/// The names in the title: whole names, without their typed forms. apropos(1) reads them.
fn title(page: &Page) -> Vec<&str> {
    let whole = |name: &&String| !["TYPE", "SIZE", "_ctx_"].iter().any(|part| name.contains(part));
    let mut names = vec![page.name.as_str()];
    for name in page.routines.iter().filter(whole).chain(&page.aliases) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

fn render(page: &Page, spec: &Spec, settings: &[Setting]) -> Result<String> {
    let about = [&*format!("oshmpi {VERSION}"), &*format!("OpenSHMEM {STANDARD}")];
    Ok(troff::page(page, &title(page).join(", "), about, &blocks(page, spec, settings)?))
}

/// All of a page below its title, with what stands for something else filled in.
fn blocks(page: &Page, spec: &Spec, settings: &[Setting]) -> Result<Vec<Block>> {
    let mut all = if page.routines.is_empty() { Vec::new() } else { synopsis::blocks(spec, &page.routines)? };
    for block in &page.body {
        match block {
            Block::Fortran => all.push(Block::Code(fortran_lines()?)),
            Block::Settings => {
                all.extend(settings.iter().map(|s| Block::Item(format!("`{}`", s.name), explain(s))));
            }
            _ => all.push(block.clone()),
        }
    }
    if !page.see.is_empty() {
        all.extend([Block::Heading("See also".into()), Block::See(page.see.clone())]);
    }
    Ok(all)
}

/// A setting's help as sentences.
fn explain(s: &Setting) -> String {
    let mut text = crate::r#gen::sentence(&s.help);
    if !s.more.is_empty() {
        text += &format!(" {}", s.more);
    }
    text += &match s.default.as_str() {
        "not set" => format!(" Takes {}.", s.value),
        default => format!(" Takes {}; default `{default}`.", s.value),
    };
    if !s.old.is_empty() {
        let names: Vec<String> = s.old.iter().map(|name| format!("`{name}`")).collect();
        text += &format!(" Also read: {}.", names.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> (Spec, Vec<Page>) {
        (Spec::load().unwrap(), read().unwrap())
    }

    #[test]
    fn every_routine_of_fortran_has_a_page() {
        let (spec, pages) = all();
        let page = pages.iter().find(|p| p.name == "shmem.fh").unwrap();
        let text = render(page, &spec, &[]).unwrap();
        for routine in fortran::load().unwrap() {
            assert!(text.contains(&format!("{}(", routine.name)), "{}", routine.name);
        }
        let names = aliases(page, &spec).unwrap();
        assert!(names.contains("shmem_integer_put") && names.contains("shpalloc") && !names.contains("shmem_init"));
        assert!(!names.contains("shmem_swap"), "C11 has a macro of this name");
        assert!(!names.contains("shmem_udcflush"), "C has a page of this name");
    }

    #[test]
    fn a_page_about_routines_explains_their_arguments() {
        let (spec, pages) = all();
        for page in pages.iter().filter(|p| !p.routines.is_empty()) {
            let text = render(page, &spec, &[]).unwrap();
            assert!(text.contains(".SH SYNOPSIS") && text.contains(".SH DESCRIPTION"), "{}", page.name);
            for name in synopsis::parameters(&spec, &page.routines).unwrap() {
                let described = page.body.iter().any(|b| match b {
                    Block::Item(term, _) => source::terms(term).any(|t| t == name),
                    Block::Paragraph(t) | Block::Bullet(t) => t.contains(&format!("`{name}`")),
                    _ => false,
                });
                assert!(described, "man/{}.md does not speak of the argument {name}", page.name);
            }
        }
    }
}
