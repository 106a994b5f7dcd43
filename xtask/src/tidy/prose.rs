//! Rules about lines and doc comments.

use super::Source;

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
}
