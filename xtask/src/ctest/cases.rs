//! Programs that make one mistake per run (tests/openshmem/cases.h): the cases of each, and what is said to them.

use super::list::{Entry, Expect};
use anyhow::{Context, Result, ensure};

/// A case's name, and texts of the library's line.
type Case = (String, Vec<String>);

/// All `MISUSE(name, "text", ...)` of a source, and others whose names begin so. A part of one that is not read is an
/// error: the library could say anything in its place.
pub fn of(source: &str) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut lines = source.lines().peekable();
    let mut in_macro = false;
    while let Some(line) = lines.next() {
        let is_case = !in_macro && line.trim_start().starts_with("MISUSE");
        in_macro = line.ends_with('\\');
        if is_case {
            let below = lines.peek().copied().unwrap_or_default();
            cases.push(case(line, below).with_context(|| {
                format!("name and texts of a case stand on one line, as in MISUSE(name, \"text\", \"text\"): {line}")
            })?);
        }
    }
    Ok(cases)
}

/// The case of a line. None: a part of it is not read. Behind the texts there may be code, on this line or below.
fn case(line: &str, below: &str) -> Option<Case> {
    let (_, head) = line.strip_prefix("MISUSE")?.split_once('(')?;
    let (name, mut rest) = head.split_at(head.find([',', ')'])?);
    let mut says = Vec::new();
    while let Some(next) = rest.strip_prefix(", \"") {
        let (text, behind) = next.split_once('"')?;
        says.push(text.to_string());
        rest = behind;
    }
    let is_read = match rest.strip_prefix(',').map(str::trim_start) {
        Some("") => !below.trim_start().starts_with('"'),
        Some(code) => !code.starts_with('"'),
        None => rest.starts_with(')'),
    };
    is_read.then(|| (name.to_string(), says))
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
                ensure!(!runs.is_empty(), "tests.list:{}: {name} stands for no case of {}", e.line, e.program);
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
            let runs = expand(parse(list)?, |_| of(source))?;
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
        let error = format!("{:#}", runs("a/b 2 args=p_* expect=abort").unwrap_err());
        assert!(error.starts_with("tests.list:1: p_* stands for no case"), "{error}");
    }

    #[test]
    fn what_is_not_read_is_an_error() {
        let macros = "#define MISUSE_THERE(NAME, TEXT, CALL) \\\n    MISUSE(NAME) { CALL; }\n";
        let there = "MISUSE_THERE(o_one, \"a\", f(\"b\"))\nMISUSE_THERE(o_two, \"c\",\n    g())\n";
        let says: Vec<_> = of(&[macros, there].concat()).unwrap().into_iter().map(|(_, says)| says.concat()).collect();
        assert_eq!(says, ["a", "c"]);
        for bad in [
            "MISUSE(o_one,\"a\") {}",
            "MISUSE(o_one, \"a\",\"b\") {}",
            "MISUSE(o_one, \"a\" \"b\") {}",
            "MISUSE(o_one, \"a \\\"b\\\"\") {}",
            "MISUSE(o_one, \"a\",\n       \"b\") {}",
            "MISUSE(o_one,\n       \"a\") {}",
            "MISUSE(\n    o_one, \"a\") {}",
            "    MISUSE(o_one, \"a\") {}",
            "MISUSE o_one",
        ] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
