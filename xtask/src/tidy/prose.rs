//! Rules about lines and words.

use super::{Source, code};

/// Characters of a line.
const LONGEST: usize = 120;

/// Doc comments that begin so refer to the item above them, which a reader may not have seen.
const BEGINNINGS: [&str; 3] = ["The same", "As above", "And "];

/// Lines of Rust, C, Fortran, CMake and Markdown that are too long, except tables, and lines that one address makes
/// long.
pub fn long_lines(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for s in sources.iter().filter(|s| s.is_code() || [".md", ".cmake"].iter().any(|e| s.path.ends_with(e))) {
        let excepted = |line: &str| {
            let text = line.trim_start().trim_start_matches(['/', '!']).trim_start();
            let table = text.starts_with('|') && (s.path.ends_with(".md") || line.trim_start().starts_with("//"));
            table || line.split_whitespace().any(|word| word.contains("://") && word.chars().count() > LONGEST / 2)
        };
        let long = s.lines().filter(|(_, line)| line.chars().count() > LONGEST && !excepted(line));
        problems.extend(long.map(|(n, _)| format!("{}:{n}: a line of more than {LONGEST} characters", s.path)));
    }
    problems
}

pub fn the_same(sources: &[Source]) -> Vec<String> {
    let is_doc = |line: &str| ["///", "//!"].iter().any(|start| line.trim_start().starts_with(start));
    let mut found = Vec::new();
    for s in sources.iter().filter(|s| s.path.ends_with(".rs")) {
        let mut before = false;
        for (n, line) in s.lines() {
            let begins = !std::mem::replace(&mut before, is_doc(line)) && is_doc(line);
            let text = line.trim_start().get(3..).unwrap_or_default().trim_start();
            if begins && let Some(words) = BEGINNINGS.iter().find(|words| text.starts_with(**words)) {
                found.push(format!("{}:{n}: a doc comment begins with \"{}\"", s.path, words.trim_end()));
            }
        }
    }
    found
}

/// The words that the project has given up. The head of the file says how it is read.
const WORDS: &str = include_str!("words.txt");

/// Where they are not looked for. In `race/` threads tell and hear clocks; the changelog keeps what it said.
const ELSEWHERE: [&str; 2] = ["race/", "CHANGELOG.md"];

/// A row of `WORDS`.
struct Word {
    forms: Vec<&'static str>,
    /// Only in names of Rust code: as an English word it stays.
    in_names: bool,
    instead: &'static str,
    /// Beginnings of paths, and a text of the line.
    except: Vec<(&'static str, &'static str)>,
}

fn words(text: &'static str) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()) {
        match line.trim_start().strip_prefix("except ") {
            Some(rest) => {
                let (path, part) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
                all.last_mut().expect("an exception stands below its word").except.push((path, part.trim()));
            }
            None => {
                let (forms, instead) = line.split_once("->").expect("WORDS -> WHAT TO SAY");
                let in_names = forms.starts_with("name ");
                let forms = forms.trim_start_matches("name ").split_whitespace().collect();
                all.push(Word { forms, in_names, instead: instead.trim(), except: Vec::new() });
            }
        }
    }
    all
}

pub fn old_words(sources: &[Source]) -> Vec<String> {
    let words = words(WORDS);
    let mut problems = Vec::new();
    let searched = |s: &&Source| {
        !ELSEWHERE.iter().any(|p| s.path.starts_with(p))
            && (s.is_code() || s.path.ends_with(".md") || s.path.ends_with(".toml"))
    };
    for s in sources.iter().filter(searched) {
        let has_names = s.path.ends_with(".rs");
        for (n, line) in s.lines() {
            let all = Line::new(line);
            let names = has_names.then(|| without_strings(code(line)));
            let names = names.as_deref().map(Line::new);
            for word in &words {
                let searched = if word.in_names { names.as_ref() } else { Some(&all) };
                let Some(searched) = searched else { continue };
                let Some(form) = word.forms.iter().find(|form| searched.holds(form)) else { continue };
                let excepted = |(path, part): &(&str, &str)| s.path.starts_with(path) && line.contains(part);
                if !word.except.iter().any(excepted) {
                    problems.push(format!("{}:{n}: \"{form}\": write {}", s.path, word.instead));
                }
            }
        }
    }
    problems
}

/// A line and its words. The words are found once, because each of them is compared with all forms.
struct Line<'a> {
    text: &'a str,
    parts: Vec<&'a str>,
}

impl<'a> Line<'a> {
    fn new(text: &'a str) -> Line<'a> {
        Line { text, parts: parts(text).collect() }
    }

    /// Whether the line holds a form: a path or a name of several words as it stands, a word also as a part of a name.
    fn holds(&self, form: &str) -> bool {
        if form.contains(['/', ':', '_']) {
            self.text.contains(form)
        } else {
            self.parts.iter().any(|part| part.eq_ignore_ascii_case(form))
        }
    }
}

/// The words of a line: `node_team`, `NodeTeam` and `node team` have two each.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric()).flat_map(|word| {
        let bytes = word.as_bytes();
        let begins = move |i: usize| i > 0 && bytes[i].is_ascii_uppercase() && !bytes[i - 1].is_ascii_uppercase();
        let mut cuts: Vec<usize> = (0..bytes.len()).filter(|&i| begins(i)).collect();
        cuts.insert(0, 0);
        cuts.push(bytes.len());
        cuts.windows(2).map(|cut| &word[cut[0]..cut[1]]).collect::<Vec<_>>()
    })
}

/// A line of code without what stands between double quotes.
fn without_strings(line: &str) -> String {
    line.split('"').step_by(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn tables_and_addresses_may_be_long() {
        let long = "x ".repeat(61);
        let of = |path: &str, text: String| long_lines(&[source(path, &text)]).len();
        assert_eq!(
            (of("a.rs", format!("{long}\n")), of("a.md", format!("{long}\n")), of("a.txt", long.clone())),
            (1, 1, 0)
        );
        assert_eq!(of("a.md", format!("| {long} |\n")), 0);
        assert_eq!(of("a.rs", format!("// see https://{}\n", "x".repeat(120))), 0);
        assert_eq!(of("a.rs", format!("{}\n", "ü".repeat(120))), 0, "characters count, not bytes");
    }

    #[test]
    fn the_same_is_found_where_a_doc_comment_begins() {
        let text = "/// And again.\nfn a() {}\n/// Text.\n/// The same line goes on.\nfn b() {}\n// The same.\n";
        assert_eq!(the_same(&[source("a.rs", text)]).len(), 1);
    }

    #[test]
    fn words_are_found_in_prose_and_in_names() {
        for (line, form, found) in [
            ("a zebra of each", "zebra", true),
            ("struct ZebraRow;", "zebra", true),
            ("let my_zebra = 1;", "zebra", true),
            ("const ZEBRA_ROW: u8 = 1;", "zebra", true),
            ("the zebras", "zebra", false),
            ("use herd/zebra here", "herd/zebra", true),
        ] {
            assert_eq!(Line::new(line).holds(form), found, "{line}");
        }
        assert_eq!(without_strings("f(\"a zebra\", x)"), "f( , x)");
    }

    #[test]
    fn every_row_is_read_and_an_exception_is_for_its_path_and_text() {
        let all = words("# head\nzebra zebras -> horse\nname gnu -> cow\n  except pmi-shm/ PMI\n");
        assert_eq!((all.len(), all[0].forms.len(), all[0].in_names, all[1].in_names), (2, 2, false, true));
        assert_eq!((all[1].instead, &all[1].except[..]), ("cow", &[("pmi-shm/", "PMI")][..]));
        assert!(words(WORDS).len() > 30);
    }
}
