//! Programs that make one mistake per run (tests/openshmem/cases.h): the cases of each, and what is said to them.

use super::list::{Entry, Expect};
use anyhow::{Result, ensure};

/// A case's name, and texts of the library's line.
type Case = (String, Vec<String>);

/// All `MISUSE(name, "text", ...)` of a source, and others whose names begin so.
pub fn of(source: &str) -> Vec<Case> {
    let head = |line: &str| {
        let (_, head) = line.strip_prefix("MISUSE")?.split_once('(')?;
        let (name, mut rest) = head.split_at(head.find([',', ')'])?);
        let mut says = Vec::new();
        while let Some(next) = rest.strip_prefix(", \"") {
            let (text, behind) = next.split_once('"')?;
            says.push(text.to_string());
            rest = behind;
        }
        Some((name.to_string(), says))
    };
    source.lines().filter_map(head).collect()
}

/// Makes a run of each case where a line has a star behind the beginning of its names, and adds the texts of its case
/// to each run. `cases` are those of a program.
pub fn expand(list: Vec<Entry>, cases: impl Fn(&str) -> Result<Vec<Case>>) -> Result<Vec<Entry>> {
    let named = |e: &Entry| list.iter().any(|other| other.program == e.program && other.args == e.args);
    let mut all = Vec::new();
    for e in &list {
        let name = e.args.first().map_or("", String::as_str);
        let mut runs = vec![(e.clone(), Vec::new())];
        if matches!(e.expect, Expect::Abort(_) | Expect::Prints(_)) {
            let cases = cases(&e.program)?;
            if let Some(begin) = name.strip_suffix('*') {
                let of_case =
                    |(name, says): Case| (Entry { args: [&[name][..], &e.args[1..]].concat(), ..e.clone() }, says);
                let begin_so = cases.into_iter().filter(|case| case.0.starts_with(begin));
                runs = begin_so.map(of_case).filter(|run| !named(&run.0)).collect();
            } else if let Some((_, says)) = cases.into_iter().find(|case| case.0 == name) {
                runs[0].1 = says;
            }
        }
        for (mut run, says) in runs {
            match &mut run.expect {
                Expect::Abort(texts) => {
                    texts.extend(says);
                    ensure!(!texts.is_empty(), "tests.list:{}: expect=abort accepts any failure", run.line);
                }
                Expect::Prints(text) if text.is_empty() => *text = says.concat(),
                _ => {}
            }
            all.push(run);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctest::list::parse;

    #[test]
    fn stars_and_texts() {
        let source =
            "MISUSE(o_one, \"a (b), \", \"c\") { f(\"d\"); }\nMISUSE_OF_ALL(o_two, \"e\")\n{\n}\nMISUSE(o_three) {}\n";
        let runs = |list: &str| -> Result<Vec<String>> {
            let runs = expand(parse(list)?, |_| Ok(of(source)))?;
            Ok(runs.iter().map(|e| format!("{} {:?}", e.args.join(" "), e.expect)).collect())
        };
        let list = "a/b 1 args=\"o_* x\" expect=abort says=g\na/b 2 args=\"o_three x\" expect=abort says=h\n\
                    a/b 2 args=o_two prints=\na/b 2 args=o_two prints=i";
        let expected = [
            r#"o_one x Abort(["g", "a (b), ", "c"])"#,
            r#"o_two x Abort(["g", "e"])"#,
            r#"o_three x Abort(["h"])"#,
            r#"o_two Prints("e")"#,
            r#"o_two Prints("i")"#,
        ];
        assert_eq!(runs(list).unwrap(), expected);
        let error = format!("{:#}", runs("a/b 2 args=o_three expect=abort").unwrap_err());
        assert!(error.starts_with("tests.list:1: expect=abort accepts"), "{error}");
    }
}
