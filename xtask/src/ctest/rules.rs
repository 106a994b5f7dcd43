//! Which rule of OpenSHMEM 1.6 is exercised by which program. The programs claim rules in the `rules:` comments at
//! their heads. docs/conformance.md has a row per rule, whose last cell names these programs, or says `none:` and why:
//! the names come from the heads, and the rest is written by hand. The rules are 1 to 269 by chapter, and U1 to U58
//! for misuses.

use crate::util::read;
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use walkdir::WalkDir;

/// Programs by rule.
pub type Programs = BTreeMap<String, Vec<String>>;

/// All rules in order.
fn every() -> impl Iterator<Item = String> {
    (1..=269).map(|n| n.to_string()).chain((1..=58).map(|n| format!("U{n}")))
}

/// What a cell without programs begins with.
const NONE: &str = "none: ";

/// Programs by rule, read from the sources below `dir`.
pub fn collect(dir: &Path) -> Result<Programs> {
    let mut all = Programs::new();
    for entry in WalkDir::new(dir).sort_by_file_name() {
        let path = entry.context("cannot list the programs")?.into_path();
        if path.extension().is_some_and(|e| e == "c" || e == "cc") {
            let text = read(&path)?;
            let name = path.strip_prefix(dir).unwrap_or(&path).with_extension("").display().to_string();
            for rule in of_source(&text).with_context(|| path.display().to_string())? {
                all.entry(rule).or_default().push(name.clone());
            }
        }
    }
    all.values_mut().for_each(|v| v.sort());
    Ok(all)
}

/// The rules in the first comment of a source: after `rules:`, to the end of the comment.
fn of_source(text: &str) -> Result<Vec<String>> {
    let head = text.split("*/").next().unwrap_or("");
    let list = head.split_once("rules:").map_or("", |(_, list)| list);
    let known: BTreeSet<String> = every().collect();
    let words = list.split(|c: char| c.is_whitespace() || c == '*').filter(|w| !w.is_empty());
    words
        .map(|word| {
            ensure!(known.contains(word), "{word:?} is not a rule");
            Ok(word.to_owned())
        })
        .collect()
}

/// A table row of a rule: the rule, and the row without and with its last cell.
fn row(line: &str) -> Option<(&str, &str, &str)> {
    let rule = line.strip_prefix('|')?.split_once('|')?.0.trim();
    let (rest, last) = line.trim_end().strip_suffix('|')?.rsplit_once('|')?;
    let is_rule = rule.trim_start_matches('U').parse::<u32>().is_ok();
    is_rule.then_some((rule, rest, last.trim()))
}

fn cell(programs: &[String]) -> String {
    programs.iter().map(|p| format!("`{p}`")).collect::<Vec<_>>().join(" ")
}

/// The document with the present programs in the last cells. Rules without a program keep their reason.
pub fn fill(doc: &str, all: &Programs) -> String {
    let lines = doc.lines().map(|line| match row(line).and_then(|(rule, rest, _)| Some((rest, all.get(rule)?))) {
        Some((rest, programs)) => format!("{rest}| {} |\n", cell(programs)),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// Where document and programs disagree, a sentence each: rules that are missing, twice or out of order, with other
/// programs than in the sources, or with neither programs nor a reason; and programs that are not `listed`.
pub fn disagreements(doc: &str, all: &Programs, listed: &BTreeSet<&str>) -> Vec<String> {
    let claiming: BTreeSet<&str> = all.values().flatten().map(String::as_str).collect();
    let unlisted = claiming.difference(listed);
    let mut out: Vec<String> =
        unlisted.map(|p| format!("{p} has rules at its head and is not in tests.list")).collect();
    let rows: Vec<(&str, &str, &str)> = doc.lines().filter_map(row).collect();
    let expected: Vec<String> = every().collect();
    if let Some((there, wanted)) = rows.iter().zip(&expected).find(|((rule, ..), wanted)| rule != wanted) {
        out.push(format!("{} stands where {wanted} should", there.0));
    } else if rows.len() != expected.len() {
        out.push(format!("there are {} rules, not {}", rows.len(), expected.len()));
    }
    out.extend(rows.into_iter().filter_map(|(rule, _, last)| {
        match all.get(rule) {
            Some(programs) => {
                let says = cell(programs);
                (says != last).then(|| format!("{rule} says \"{last}\", the programs say \"{says}\""))
            }
            None => last
                .strip_prefix(NONE)
                .is_none_or(str::is_empty)
                .then(|| format!("{rule} has no program and does not say \"{NONE}\" and why")),
        }
    }));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::root;

    fn programs() -> Programs {
        [("1", vec!["a/b", "c/d"]), ("U2", vec!["e/f"])]
            .map(|(rule, all)| (rule.to_owned(), all.into_iter().map(String::from).collect()))
            .into()
    }

    #[test]
    fn rules_are_read_from_the_first_comment_only() {
        let text = "/* what\n * rules: 29 30\n *   U4 269 */\n/* rules: 1 */\n";
        assert_eq!(of_source(text).unwrap(), ["29", "30", "U4", "269"]);
        assert!(of_source("int x;").unwrap().is_empty());
        for junk in ["29, 30", "300", "U0", "U59"] {
            assert!(of_source(&format!("/* rules: {junk} */")).is_err(), "{junk}");
        }
    }

    #[test]
    fn only_last_cells_of_rules_are_filled() {
        let doc = "| no. | rule | tests |\n|---|---|---|\n| 1 | first | `x/y` |\n| 2 | second | none: why |\n\
                   | U2 | misuse | always | |\n| A-1 | text | text |\nprose | 1 | 2 |\n";
        let filled = "| no. | rule | tests |\n|---|---|---|\n| 1 | first | `a/b` `c/d` |\n| 2 | second | none: why |\n\
                      | U2 | misuse | always | `e/f` |\n| A-1 | text | text |\nprose | 1 | 2 |\n";
        assert_eq!(fill(doc, &programs()), filled);
    }

    #[test]
    fn disagreements_are_named() {
        let listed = ["a/b", "c/d"].into();
        let says = |doc: &str, what: &str| disagreements(doc, &programs(), &listed).iter().any(|d| d.contains(what));
        assert!(says("| 1 | first | `a/b` |", "1 says"));
        assert!(!says("| 1 | first | `a/b` `c/d` |", "1 says"));
        assert!(says("| 1 | first | `a/b` `c/d` |\n| 2 | second | |", "2 has no program"));
        assert!(says("| 1 | first | `a/b` `c/d` |\n| 2 | second | none:  |", "2 has no program"));
        assert!(!says("| 1 | first | `a/b` `c/d` |\n| 2 | second | none: no way |", "2 has"));
        assert!(says("| 2 | second | none: no way |", "2 stands where 1 should"));
        assert!(says("| 1 | first | `a/b` `c/d` |", "there are 1 rules, not 327"));
        assert!(says("", "e/f has rules at its head and is not in tests.list"));
    }

    /// `cargo xtask ctest --rules --write` mends it.
    #[test]
    fn the_document_agrees_with_the_programs() {
        let doc = std::fs::read_to_string(root().join("docs/conformance.md")).unwrap();
        let all = collect(&root().join("tests/openshmem")).unwrap();
        let entries = super::super::entries().unwrap();
        let listed = entries.iter().map(|e| e.program.as_str()).collect();
        assert_eq!(disagreements(&doc, &all, &listed), Vec::<String>::new());
    }
}
