//! The small programs of spec/snippets.
//!
//! The first line of each says what to do with it: `snippet: c11 c17; wrong 2` compiles it in those languages, and then
//! twice more with WRONG defined as 1 and 2, which must not compile. It compiles without WRONG, which shows that the
//! compiler refuses the wrong line and nothing else.

use super::Tally;
use super::compile::Dialect;
use crate::spec::Spec;
use crate::util::{files, read, root};
use anyhow::{Context, Result, bail, ensure};

/// What a snippet's first line says.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    standards: Vec<String>,
    wrong: usize,
}

/// Every snippet in every dialect that it asks for: as it stands, then with each of its wrong lines.
pub fn check(_: &Spec) -> Result<Tally> {
    let mut tally = Tally::default();
    let dir = root().join("spec/snippets");
    for path in [files(&dir, "c")?, files(&dir, "cc")?].concat() {
        let text = read(&path)?;
        let plan = plan(&text).with_context(|| path.display().to_string())?;
        for dialect in Dialect::all().filter(|d| plan.standards.iter().any(|s| s == d.standard)) {
            let what = format!("snippet {}", path.file_name().unwrap_or_default().display());
            for wrong in [None].into_iter().chain((1..=plan.wrong).map(Some)) {
                tally.compile(&what, dialect, wrong, &path)?;
            }
        }
    }
    Ok(tally)
}

fn plan(text: &str) -> Result<Plan> {
    let first = text.lines().next().unwrap_or_default().trim_end_matches("*/");
    let (_, rest) = first.split_once("snippet:").context("the first line lacks `snippet:`")?;
    let mut parts = rest.split(';').map(str::trim);
    let standards: Vec<String> = parts.next().unwrap_or_default().split_whitespace().map(str::to_string).collect();
    for s in &standards {
        ensure!(Dialect::all().any(|d| d.standard == s), "unknown language {s}");
    }
    ensure!(!standards.is_empty(), "the first line names no language");
    let wrong = match parts.next().map(|part| part.split_once(' ').unwrap_or((part, ""))) {
        None => 0,
        Some(("wrong", n)) => n.parse().context("`wrong` wants a number")?,
        Some((word, _)) => bail!("unknown word `{word}` in the first line"),
    };
    // A wrong line beyond the count would never be tried.
    let written = (1..).take_while(|n| text.contains(&format!("WRONG == {n}\n"))).count();
    ensure!(written == wrong, "says wrong {wrong}, has {written} WRONG lines");
    Ok(Plan { standards, wrong })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_would_do_nothing_is_refused() {
        assert!(plan("int x;").is_err());
        assert!(plan("/* snippet: */").is_err());
        assert!(plan("/* snippet: c90 */").is_err());
        assert!(plan("/* snippet: c11; often */").is_err());
        assert!(plan("/* snippet: c11; wrong 2 */\n#if WRONG == 1\n").is_err());
        assert!(plan("/* snippet: c11 */\n#if WRONG == 1\n").is_err());
    }
}
