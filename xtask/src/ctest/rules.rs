//! Which rule of OpenSHMEM 1.6 is exercised by which program: the `rules:` comments at the programs' heads.
//!
//! The numbers are those of the project's behaviour checklist: 1 to 269 by chapter, and U1 to U58 for misuses.

use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// Programs by rule.
pub type Programs = BTreeMap<Rule, Vec<String>>;

/// A rule: the checklist's number, or a misuse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    Point(u32),
    Misuse(u32),
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rule::Point(n) => write!(f, "{n}"),
            Rule::Misuse(n) => write!(f, "U{n}"),
        }
    }
}

/// Chapters of the checklist: title, first and last rule.
const CHAPTERS: &[(&str, u32, u32)] = &[
    ("1 headers, names", 1, 12),
    ("2 constants, handles", 13, 21),
    ("3 environment", 22, 28),
    ("4 memory model", 29, 38),
    ("5 atomicity", 39, 44),
    ("6 progress", 45, 49),
    ("7 common rules", 50, 56),
    ("8 setup, exit, query", 57, 76),
    ("9 threads", 77, 85),
    ("10 heap", 86, 101),
    ("11 teams", 102, 125),
    ("12 contexts", 126, 137),
    ("13 blocking RMA", 138, 147),
    ("14 nonblocking RMA", 148, 150),
    ("15 atomics", 151, 161),
    ("16 signals", 162, 171),
    ("17 sessions", 172, 179),
    ("18 collectives", 180, 192),
    ("19 barrier, sync", 193, 199),
    ("20 data movement", 200, 208),
    ("21 reductions, scans", 209, 218),
    ("22 active sets", 219, 228),
    ("23 waits, order, locks, profiling, other models", 229, 269),
];
const MISUSES: u32 = 58;

/// All rules in order.
pub fn every() -> impl Iterator<Item = Rule> {
    let last = CHAPTERS[CHAPTERS.len() - 1].2;
    (1..=last).map(Rule::Point).chain((1..=MISUSES).map(Rule::Misuse))
}

/// Programs by rule, read from the sources below `dir`.
pub fn collect(dir: &Path) -> Result<Programs> {
    let mut all = Programs::new();
    for entry in WalkDir::new(dir) {
        let path = entry.context("cannot list the programs")?.into_path();
        if path.extension().is_some_and(|e| e == "c" || e == "cc") {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
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
fn of_source(text: &str) -> Result<Vec<Rule>> {
    let head = text.split("*/").next().unwrap_or("");
    let Some((_, list)) = head.split_once("rules:") else { return Ok(Vec::new()) };
    list.split(|c: char| c.is_whitespace() || c == '*').filter(|w| !w.is_empty()).map(rule).collect()
}

/// A rule by its name: a number, or U and a number.
pub fn rule(word: &str) -> Result<Rule> {
    let (make, digits): (fn(u32) -> Rule, &str) = match word.strip_prefix('U') {
        Some(digits) => (Rule::Misuse, digits),
        None => (Rule::Point, word),
    };
    let found = digits.parse().map(make).ok().filter(|&r| every().any(|e| e == r));
    found.with_context(|| format!("{word:?} is not a rule"))
}

/// Programs that claim rules but are not among those that are run.
pub fn not_run(all: &Programs, listed: &BTreeSet<&str>) -> Vec<String> {
    let claiming: BTreeSet<&str> = all.values().flatten().map(String::as_str).collect();
    claiming.difference(listed).map(|p| format!("{p} has rules at its head and is not in tests.list")).collect()
}

/// Prints every rule with its programs, then per chapter the rules without any.
pub fn print(all: &Programs) {
    for (rule, programs) in all {
        println!("{rule:>5}  {}", programs.join(" "));
    }
    println!("\nwithout a program:");
    let line = |title: &str, rules: Vec<Rule>| {
        let missing: Vec<_> = rules.iter().filter(|r| !all.contains_key(r)).map(Rule::to_string).collect();
        println!(
            "  {title}: {} of {} have one{}{}",
            rules.len() - missing.len(),
            rules.len(),
            if missing.is_empty() { "" } else { "; not " },
            missing.join(" ")
        );
    };
    for &(title, first, last) in CHAPTERS {
        line(title, (first..=last).map(Rule::Point).collect());
    }
    line("24 misuses", (1..=MISUSES).map(Rule::Misuse).collect());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_from_the_first_comment_only() {
        let text = "/* what\n * rules: 29 30\n *   U4 269 */\n/* rules: 1 */\n";
        assert_eq!(of_source(text).unwrap(), [Rule::Point(29), Rule::Point(30), Rule::Misuse(4), Rule::Point(269)]);
        assert!(of_source("int x;").unwrap().is_empty());
    }

    #[test]
    fn junk_is_refused() {
        assert!(of_source("/* rules: 29, 30 */").is_err());
        assert!(of_source("/* rules: 300 */").is_err());
        assert!(of_source("/* rules: U0 */").is_err());
        assert!(of_source("/* rules: U59 */").is_err());
    }

    #[test]
    fn programs_that_are_not_run_count_for_nothing() {
        let all = Programs::from([(Rule::Point(3), vec!["a/b".to_owned(), "c/d".to_owned()])]);
        assert!(not_run(&all, &["a/b", "c/d", "e/f"].into()).is_empty());
        assert_eq!(not_run(&all, &["a/b"].into()), ["c/d has rules at its head and is not in tests.list"]);
    }

    #[test]
    fn chapters_are_without_gaps() {
        let mut next = 1;
        for (title, first, last) in CHAPTERS {
            assert_eq!(*first, next, "{title}");
            next = last + 1;
        }
        assert_eq!(next, 270);
    }
}
