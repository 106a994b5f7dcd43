//! Rules about single files and lines.

use super::{Source, code};
use std::collections::BTreeMap;

/// A file longer than this does more than one thing.
const LONGEST: usize = 600;
/// Characters of a line.
const WIDEST: usize = 120;

/// Beginnings of paths that name somebody's machine.
const MACHINE_PATHS: [&str; 3] = [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/")];

/// Length of files and lines, machine paths, calls of `shmem_` symbols; a `SYNC` note at every order and at both its
/// ends.
pub fn check(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for s in sources {
        problems.extend(too_long(s));
        problems.extend(long_lines(s));
        problems.extend(machine_paths(s));
        if s.path.starts_with("oshmpi/src/") {
            problems.extend(calls_of_shmem(s));
        }
        problems.extend(orders_without_note(s));
    }
    problems.extend(lone_sync_notes(sources));
    problems
}

/// The `SYNC` note of an order stands at most so many lines above it.
const CLOSE: usize = 3;

fn too_long(s: &Source) -> Option<String> {
    let lines = s.text.lines().count();
    (s.is_code() && lines > LONGEST).then(|| format!("{}: {lines} lines, at most {LONGEST}: split it by duty", s.path))
}

/// Lines of Rust, C, Fortran, CMake and Markdown that are too long, except tables, and lines that one address makes
/// long.
fn long_lines(s: &Source) -> Vec<String> {
    if !s.is_code() && ![".md", ".cmake"].iter().any(|e| s.path.ends_with(e)) {
        return Vec::new();
    }
    let excepted = |line: &str| {
        let text = line.trim_start().trim_start_matches(['/', '!']).trim_start();
        let table = text.starts_with('|') && (s.path.ends_with(".md") || line.trim_start().starts_with("//"));
        table || line.split_whitespace().any(|word| word.contains("://") && word.chars().count() > WIDEST / 2)
    };
    let long = s.lines().filter(|(_, line)| line.chars().count() > WIDEST && !excepted(line));
    long.map(|(n, _)| format!("{}:{n}: a line of more than {WIDEST} characters", s.path)).collect()
}

fn machine_paths(s: &Source) -> Vec<String> {
    let shows = |line: &str| MACHINE_PATHS.iter().any(|p| line.contains(p));
    let lines = s.lines().filter(|(_, line)| shows(line));
    lines.map(|(n, _)| format!("{}:{n}: a path of one machine", s.path)).collect()
}

/// A profiling tool sees only the user's calls: the runtime calls none of the symbols that it exports. In Rust such a
/// call needs a foreign declaration; in C it is a call inside a function, where lines are indented.
fn calls_of_shmem(s: &Source) -> Vec<String> {
    let rust = s.path.ends_with(".rs");
    let calls = |line: &str| {
        let code = code(line);
        if rust {
            code.contains("link_name = \"shmem_")
                || (code.contains("fn shmem_") && code.trim_end().ends_with(';') && !code.contains('{'))
        } else {
            code.starts_with([' ', '\t']) && names_a_call(code)
        }
    };
    let lines = s.lines().filter(|(_, line)| calls(line));
    lines.map(|(n, _)| format!("{}:{n}: the runtime calls a shmem_ symbol", s.path)).collect()
}

/// `shmem_x(` that is not the end of a longer name such as `pshmem_x(`.
fn names_a_call(code: &str) -> bool {
    code.match_indices("shmem_").any(|(at, _)| {
        let name = |c: char| c.is_alphanumeric() || c == '_';
        !code[..at].ends_with(name) && code[at..].trim_start_matches(name).starts_with('(')
    })
}

fn has_sync_notes(s: &Source) -> bool {
    ["oshmpi/src/", "pmi-shm/src/"].iter().any(|top| s.path.starts_with(top)) && s.path.ends_with(".rs")
}

/// Files and ends of files that only tests and models compile.
const TEST_FILES: [&str; 3] = ["/model.rs", "/tests.rs", "/threads.rs"];
const TESTS_BEGIN: [&str; 2] = ["#[cfg(test)]", "#[cfg(all(test,"];

/// Every acquire or release has a `SYNC` note: on its line, or close above it in its statement or in the comment above
/// the statement.
fn orders_without_note(s: &Source) -> Vec<String> {
    if !has_sync_notes(s) || TEST_FILES.iter().any(|end| s.path.ends_with(end)) {
        return Vec::new();
    }
    let is_test = |line: &&str| TESTS_BEGIN.iter().any(|begin| line.trim_start().starts_with(begin));
    let lines: Vec<&str> = s.text.lines().take_while(|line| !is_test(line)).collect();
    let orders = ["Acquire", "Release", "AcqRel", "SeqCst"].map(|order| format!("Ordering::{order}"));
    let is_order = |&i: &usize| orders.iter().any(|order| code(lines[i]).contains(order.as_str()));
    let without = (0..lines.len()).filter(is_order).filter(|&i| !is_noted(&lines, i));
    without.map(|i| format!("{}:{}: an order without a SYNC note within {CLOSE} lines", s.path, i + 1)).collect()
}

/// Line `i`, those of its statement above it, and the comment above them.
fn is_noted(lines: &[&str], i: usize) -> bool {
    let above = lines[..i].iter().rev().map(|line| line.trim()).take(CLOSE);
    let ends = |line: &str| line.is_empty() || code(line).trim_end().ends_with([';', '{', '}']);
    let (mut statement, mut in_comment) = (vec![lines[i]], false);
    for line in above {
        if line.starts_with("//") {
            in_comment = true;
        } else if in_comment || ends(line) {
            break;
        }
        statement.push(line);
    }
    statement.into_iter().any(|line| sync_name(line).is_some())
}

/// `// SYNC name` stands at each end of a pair that synchronises; a name that stands alone has lost its other end.
fn lone_sync_notes(sources: &[Source]) -> Vec<String> {
    let mut seen: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for s in sources.iter().filter(|s| has_sync_notes(s)) {
        for (n, line) in s.lines() {
            if let Some(name) = sync_name(line) {
                seen.entry(name).or_default().push(format!("{}:{n}", s.path));
            }
        }
    }
    let lone = seen.into_iter().filter(|(_, places)| places.len() == 1);
    lone.map(|(name, places)| format!("{}: SYNC {name} has no other end", places[0])).collect()
}

/// `store(1, Release); // SYNC card: pairs with read` gives `card`.
fn sync_name(line: &str) -> Option<&str> {
    let (_, comment) = line.split_once("//")?;
    let (_, rest) = comment.split_once("SYNC ")?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')).unwrap_or(rest.len());
    (end > 0).then_some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    fn one(path: &str, text: &str) -> Vec<String> {
        check(&[source(path, text)])
    }

    #[test]
    fn orders_have_notes() {
        let away = "// SYNC a\nlet x = a\n    .b()\n    .c()\n    .d()\n    .load(Ordering::Acquire);\n// SYNC a\n";
        let told = |text: &str| one("oshmpi/src/sync/x.rs", text);
        assert_eq!(told(away).len(), 1);
        let pair = "a.store(1, Ordering::Release); // SYNC a: pairs with load\n\
                    // SYNC a\nmatch a\n    .load(Ordering::Acquire)\n{}\n";
        assert!(told(pair).is_empty());
        let bare = "// SYNC a\nlet b = 0; // SYNC a\na.swap(b, Ordering::AcqRel);\n";
        assert_eq!(told(bare), ["oshmpi/src/sync/x.rs:3: an order without a SYNC note within 3 lines"]);
        assert_eq!(told("fence(Ordering::SeqCst);\nx.load(Ordering::Relaxed);\n").len(), 1);
        assert!(told("#[cfg(test)]\nmod tests { fence(Ordering::SeqCst); }\n").is_empty());
        assert!(one("oshmpi/src/transport/am/threads.rs", "fence(Ordering::SeqCst);\n").is_empty());
    }

    #[test]
    fn length() {
        let long = "x\n".repeat(LONGEST + 1);
        assert_eq!(one("oshmpi/src/a.rs", &long).len(), 1);
        for path in ["tests/a.c", "include/a.hpp", "tests/a.f90"] {
            assert_eq!(one(path, &long).len(), 1, "{path}");
        }
        assert_eq!(one("oshmpi/src/a.rs", &long[2..]).len(), 0);
        assert_eq!(one("spec/list.txt", &long).len(), 0);
    }

    #[test]
    fn tables_and_addresses_may_be_long() {
        let long = "x ".repeat(61);
        let of = |path: &str, text: String| long_lines(&source(path, &text)).len();
        assert_eq!(
            (of("a.rs", format!("{long}\n")), of("a.md", format!("{long}\n")), of("a.txt", long.clone())),
            (1, 1, 0)
        );
        assert_eq!(of("a.md", format!("| {long} |\n")), 0);
        assert_eq!(of("a.rs", format!("// see https://{}\n", "x".repeat(120))), 0);
        assert_eq!(of("a.rs", format!("{}\n", "ü".repeat(120))), 0, "characters count, not bytes");
    }

    #[test]
    fn paths_of_a_machine() {
        let text = format!("good\nsee {}me/x\n", MACHINE_PATHS[1]);
        assert_eq!(one("README.md", &text), ["README.md:2: a path of one machine"]);
    }

    #[test]
    fn own_symbols() {
        let c = "void shmem_p(int x)\n{\n    oshmpi_put(x);\n    pshmem_p(x);\n    shmem_quiet();\n}\n// shmem_g(1)\n";
        assert_eq!(one("oshmpi/src/api/x.c", c), ["oshmpi/src/api/x.c:5: the runtime calls a shmem_ symbol"]);
        let rust = "fn shmem_init() { go() }\n    fn shmem_finalize();\n#[link_name = \"shmem_quiet\"]\n";
        assert_eq!(one("oshmpi/src/x.rs", rust).len(), 2);
        assert_eq!(one("tests/x.rs", rust).len(), 0);
    }

    #[test]
    fn sync_notes_come_in_pairs() {
        let a = source("oshmpi/src/a.rs", "x(); // SYNC card: pairs with read\ny(); // SYNC zebra\n");
        let b = source("oshmpi/src/b.rs", "z(); // SYNC card: pairs with publish\n// SYNC\n");
        assert_eq!(check(&[a, b]), ["oshmpi/src/a.rs:2: SYNC zebra has no other end"]);
    }
}
