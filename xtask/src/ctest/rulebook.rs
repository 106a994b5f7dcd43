//! docs/conformance.md: its tables have a row per rule, whose last cell names the programs that exercise the rule, or
//! says `none:` and why. The names come from the programs' heads; the rest is written by hand.

use super::rules::{self, Programs, Rule};

/// What a cell without programs begins with.
const NONE: &str = "none: ";

/// A table row of a rule: the rule, and the row without and with its last cell.
fn row(line: &str) -> Option<(Rule, &str, &str)> {
    let cells = line.strip_prefix('|')?;
    let rule = rules::rule(cells.split_once('|')?.0.trim()).ok()?;
    let (rest, last) = line.trim_end().strip_suffix('|')?.rsplit_once('|')?;
    Some((rule, rest, last.trim()))
}

fn cell(programs: &[String]) -> String {
    programs.iter().map(|p| format!("`{p}`")).collect::<Vec<_>>().join(" ")
}

/// The document with the present programs in the last cells. Rules without a program keep their reason.
pub fn fill(doc: &str, all: &Programs) -> String {
    let lines = doc.lines().map(|line| match row(line).and_then(|(rule, rest, _)| Some((rest, all.get(&rule)?))) {
        Some((rest, programs)) => format!("{rest}| {} |\n", cell(programs)),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// Where document and programs disagree, a sentence each: rules that are missing, twice, out of order, with other
/// programs than in the sources, or with neither programs nor a reason.
pub fn disagreements(doc: &str, all: &Programs) -> Vec<String> {
    let mut out = Vec::new();
    let mut expected = rules::every();
    for (rule, _, last) in doc.lines().filter_map(row) {
        match expected.next() {
            Some(next) if next == rule => {}
            Some(next) => {
                out.push(format!("{rule} stands where {next} should"));
                return out; // what follows is shifted
            }
            None => out.push(format!("{rule} stands behind the last rule")),
        }
        match all.get(&rule) {
            Some(programs) if cell(programs) != last => {
                out.push(format!("{rule} says \"{last}\", the programs say \"{}\"", cell(programs)));
            }
            None if last.strip_prefix(NONE).is_none_or(|why| why.is_empty()) => {
                out.push(format!("{rule} has no program and does not say \"{NONE}\" and why"));
            }
            _ => {}
        }
    }
    out.extend(expected.map(|rule| format!("{rule} is missing")));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::root;

    fn programs() -> Programs {
        [(Rule::Point(1), vec!["a/b".to_owned(), "c/d".to_owned()]), (Rule::Misuse(2), vec!["e/f".to_owned()])].into()
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
        let says = |doc: &str, what: &str| disagreements(doc, &programs()).iter().any(|d| d.contains(what));
        assert!(says("| 1 | first | `a/b` |", "1 says"));
        assert!(!says("| 1 | first | `a/b` `c/d` |", "1 says"));
        assert!(says("| 1 | first | `a/b` `c/d` |\n| 2 | second | |", "2 has no program"));
        assert!(says("| 1 | first | `a/b` `c/d` |\n| 2 | second | none:  |", "2 has no program"));
        assert!(!says("| 1 | first | `a/b` `c/d` |\n| 2 | second | none: no way |", "2 has"));
        assert!(says("| 2 | second | none: no way |", "2 stands where 1 should"));
        assert!(says("| 1 | first | `a/b` `c/d` |", "U58 is missing"));
    }

    /// `cargo xtask ctest --rules --write` mends it.
    #[test]
    fn the_document_agrees_with_the_programs() {
        let doc = std::fs::read_to_string(root().join("docs/conformance.md")).unwrap();
        let all = rules::collect(&root().join("tests/openshmem")).unwrap();
        assert_eq!(disagreements(&doc, &all), Vec::<String>::new());
    }
}
