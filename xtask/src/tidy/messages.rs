//! docs/troubleshooting.md has an entry for each message of the runtime, the launcher and the compiler wrappers.
//!
//! A message is a string of the source that reads like one: three words or more. An entry is a row of the page; what
//! stands in code style in its first cell is looked for in messages. `...` stands for what a message fills in.

use super::Source;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

const PAGE: &str = "docs/troubleshooting.md";

/// Where messages are: beginnings of paths.
const ROOMS: [&str; 5] = ["oshmpi/src/", "pmi-shm/src/", "profile/", "race/runtime/", "tools/src/"];

/// Files that only tests compile.
const TEST_FILES: [&str; 5] = ["fuzz.rs", "model.rs", "played.rs", "tests.rs", "threads.rs"];

/// What may hold strings that no user reads: these macros and methods, and modules of tests.
const INTERNAL: &str =
    "asm assert assert_eq assert_ne concat debug_assert env expect global_asm panic tests unreachable";

/// Fewer letters would find what was not meant.
const SHORTEST: usize = 6;

/// Strings that are no messages: beginnings of paths, a part of the string, and why.
const LEFT_OUT: &[(&str, &str, &str)] = &[
    (
        "oshmpi/src/boot/info.rs oshmpi/src/boot/job.rs oshmpi/src/boot/locality.rs oshmpi/src/boot/pages.rs \
         oshmpi/src/boot/pmix.rs oshmpi/src/boot/remote.rs oshmpi/src/boot/segments.rs \
         oshmpi/src/boot/topology.rs oshmpi/src/sync/wait.rs",
        "",
        INFO,
    ),
    ("oshmpi/src/boot/mod.rs", "started through", INFO),
    ("oshmpi/src/boot/mod.rs", "collectives between nodes", INFO),
    ("oshmpi/src/boot/liveness/mod.rs", "hosts: each watches", INFO),
    ("oshmpi/src/memory/statics.rs", "executable", INFO),
    ("oshmpi/src/memory/statics.rs", "a thread has its stack", INFO),
    ("pmi-shm/src/job.rs", "no launcher", INFO),
    ("oshmpi/src/env.rs oshmpi/src/env/choices.rs oshmpi/src/env/coll_select.rs", "", INFO),
    ("oshmpi/src/boot/watch/ tools/src/oshrun/front/top.rs pmi-shm/src/table.rs pmi-shm/src/top.rs", "", TABLE),
    ("tools/src/oshrun/front/hang.rs", "computes", TABLE),
    ("oshmpi/src/ops/stats.rs", "", "what OSHMPI_STATS prints"),
    ("race/runtime/src/report.rs", "", "docs/races.md describes reports"),
    ("tools/src/osh_info/ tools/src/oshrun/report.rs", "", HELP),
    ("tools/src/oshrun/cli/", "", "a mistake in the command line, which ends with words that have an entry; or help"),
    ("tools/src/cmdline.rs", "-f", "options that are looked for"),
    ("tools/src/cmdline.rs", "-isystem", "options that are looked for"),
    ("tools/src/oshrun/below/", "streams are pipes", "an assertion"),
    ("tools/src/oshrun/srun.rs", "lacks support", "words of srun that are looked for"),
    ("oshmpi/src/memory/local.rs", "used by nobody else", "a part of a doc comment"),
    (
        "oshmpi/src/net/am/ oshmpi/src/net/fabric.rs oshmpi/src/net/ofi/ops.rs oshmpi/src/net/ofi/mod.rs \
         oshmpi/src/net/ucx/mod.rs oshmpi/src/net/ucx/worker.rs oshmpi/src/diag/ pmi-shm/src/client/ \
         pmi-shm/src/pairs.rs pmi-shm/src/server/ pmi-shm/src/wire/ \
         tools/src/oshrun/node/pmi.rs tools/src/oshrun/pmix/ffi.rs tools/src/oshrun/profile/parts.rs",
        "",
        PART,
    ),
    ("oshmpi/src/net/ofi/info.rs", "", PART),
    ("oshmpi/src/os/library.rs", "", "what a test prints"),
    ("oshmpi/src/net/native/record.rs", "it is damaged", PART),
    ("tools/src/oshrun/allocation.rs", " of a", PART),
    ("tools/src/oshrun/pmix/need.rs", "has no pipe", "an assertion"),
    ("tools/src/oshrun/pmix/need.rs", "libgcc_s", "names that are looked for"),
    ("oshmpi/src/ops/coll/active_set.rs", "PE_start", PART),
    ("oshmpi/src/ops/coll/check.rs", "the number of elements", PART),
    ("oshmpi/src/team/mod.rs", "says more", PART),
    ("oshmpi/src/boot/liveness/absent.rs", "of this host", PART),
    ("tools/src/oshrun/hostlist.rs", "of node", PART),
    ("tools/src/oshrun/profile/mod.rs", "is written", HELP),
    ("tools/src/oshrun/spawn.rs", "its ", PART),
    ("tools/src/oshrun/spawn.rs", "stop for a debugger", PART),
    ("tools/src/oshrun/bind.rs", "bound to CPU", HELP),
    ("tools/src/oshrun/bind.rs", "rank \0 is", HELP),
    ("tools/src/oshrun/debug.rs", "has stopped at its start", HELP),
    ("tools/src/oshrun/debug.rs", "handle SIGSTOP", HELP),
    ("tools/src/oshrun/below/", "it was launched", "an assertion"),
    ("tools/src/oshrun/below/member.rs", "timed out", "words of ssh that are looked for"),
];

const INFO: &str = "a line of SHMEM_INFO";
const TABLE: &str = "a part of the tables of waits and of --top, which docs/guide.md describes";
const PART: &str = "a reason or a name within a message that has an entry";
const HELP: &str = "text that was asked for";

/// A string that reads like a message, with its line. A `\0` stands for what is filled in.
struct Message {
    path: String,
    line: usize,
    text: String,
}

/// What an entry looks for: pieces that follow each other.
struct Phrase {
    line: usize,
    written: String,
}

impl Phrase {
    fn is_in(&self, text: &str) -> bool {
        let pieces = self.written.split("...").map(str::trim);
        pieces.into_iter().try_fold(text, |rest, piece| rest.split_once(piece).map(|(_, rest)| rest)).is_some()
    }
}

/// Complaints about messages without an entry, and about entries that no message has.
pub fn check(sources: &[Source]) -> Vec<String> {
    let Some(page) = sources.iter().find(|s| s.path == PAGE) else { return Vec::new() };
    let (phrases, messages) = (phrases(page), messages(sources));
    let mut problems = Vec::new();
    let is_left_out = |m: &&Message| {
        LEFT_OUT.iter().any(|(paths, part, _)| paths.split(' ').any(|p| m.path.starts_with(p)) && m.text.contains(part))
    };
    let open = |m: &&Message| !phrases.iter().any(|p| p.is_in(&m.text)) && !is_left_out(m);
    for m in messages.iter().filter(open) {
        let shown = m.text.replace('\0', "...").replace('\n', " ");
        problems.push(format!("{}:{}: {PAGE} has no entry for `{shown}`", m.path, m.line));
    }
    for Phrase { line, written } in &phrases {
        if written.chars().filter(|c| c.is_alphabetic()).count() < SHORTEST {
            problems.push(format!("{PAGE}:{line}: `{written}` is too short: at least {SHORTEST} letters"));
        }
    }
    for p in phrases.iter().filter(|p| !messages.iter().any(|m| p.is_in(&m.text))) {
        problems.push(format!("{PAGE}:{}: no message has `{}`", p.line, p.written));
    }
    problems
}

/// What stands in code style in the first cell of rows that begin with it.
fn phrases(page: &Source) -> Vec<Phrase> {
    let rows = page.lines().filter_map(|(line, text)| Some((line, text.strip_prefix("| `")?.split(" | ").next()?)));
    rows.flat_map(|(line, cell)| cell.split('`').step_by(2).map(move |p| Phrase { line, written: p.to_string() }))
        .collect()
}

fn messages(sources: &[Source]) -> Vec<Message> {
    let mut messages = Vec::new();
    for s in sources.iter().filter(|s| ROOMS.iter().any(|room| s.path.starts_with(room))) {
        let strings = match s.path.rsplit_once('.') {
            Some((_, "rs")) if !TEST_FILES.iter().any(|name| s.path.ends_with(&format!("/{name}"))) => of_rust(s),
            Some((_, "c")) => of_c(s),
            _ => continue,
        };
        let read_like_one = strings.into_iter().map(|(line, text)| (line, with_holes(&text)));
        let read_like_one = read_like_one.filter(|(_, text)| is_message(text));
        messages.extend(read_like_one.map(|(line, text)| Message { path: s.path.clone(), line, text }));
    }
    messages
}

/// The text with a `\0` for each `{...}`.
fn with_holes(text: &str) -> String {
    let mut depth = 0;
    let shown = |c| {
        depth += usize::from(c == '{');
        let inside = depth > 0;
        depth -= usize::from(c == '}' && inside);
        (!inside || c == '{').then_some(if c == '{' { '\0' } else { c })
    };
    text.chars().filter_map(shown).collect()
}

fn is_message(text: &str) -> bool {
    let words = || text.split_whitespace();
    let lower = |word: &&str| word.chars().filter(char::is_ascii_lowercase).count() > 1;
    words().filter(|w| w.contains(|c: char| c.is_alphabetic() || c == '\0')).count() > 2
        && words().filter(lower).count() > 1
        && !text.starts_with([' ', '.', ',', '\n'])
}

/// The first string of each `fprintf(stderr, ...)`.
fn of_c(s: &Source) -> Vec<(usize, String)> {
    let begin = "fprintf(stderr, \"";
    let line = |at| 1 + s.text[..at].matches('\n').count();
    let text = |at: usize| s.text[at + begin.len()..].split('"').next().unwrap_or_default().to_string();
    s.text.match_indices(begin).map(|(at, _)| (line(at), text(at))).collect()
}

/// All strings but those of attributes, and those that no user reads.
fn of_rust(s: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let tokens: TokenStream = s.text.parse().unwrap_or_else(|e| panic!("{} cannot be read: {e}", s.path));
    collect(tokens, &mut found);
    found
}

fn collect(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    let mut before = [String::new(), String::new()];
    for token in tokens {
        match &token {
            TokenTree::Literal(l) => found.extend(string(&l.to_string()).map(|text| (l.span().start().line, text))),
            TokenTree::Group(g) if is_read(g, &before) => collect(g.stream(), found),
            _ => {}
        }
        before.rotate_left(1);
        before[1] = if let TokenTree::Group(_) = token { String::new() } else { token.to_string() };
    }
}

/// Whether users may read the strings in a group, by the two tokens before it.
fn is_read(group: &Group, before: &[String; 2]) -> bool {
    let attribute = group.delimiter() == Delimiter::Bracket && before.iter().any(|b| b == "#");
    // Of thiserror.
    let of_error = || group.stream().into_iter().next().is_some_and(|first| first.to_string() == "error");
    let name = if before[1] == "!" { &before[0] } else { &before[1] };
    (!attribute || of_error()) && !INTERNAL.split(' ').any(|internal| internal == name)
}

/// The value of a literal, if it is a string.
fn string(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        return Some(raw.trim_matches('#').trim_matches('"').to_string());
    }
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    // A line that goes on: its break and the blanks of the next one are not in the string.
    let mut parts = text.split("\\\n");
    let first = parts.next()?.to_string();
    Some(parts.fold(first, |all, part| all + part.trim_start()).replace("\\n", "\n").replace("\\\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    fn found(code: &str, rows: &str) -> Vec<String> {
        check(&[source("oshmpi/src/x.rs", code), source(PAGE, rows)])
    }

    #[test]
    fn a_message_without_an_entry_and_an_entry_without_a_message_are_found() {
        let code = "fn f() {\n    fatal(r, format_args!(\"pe {pe} is out \\\n        of range 0..{}\", n));\n}\n";
        assert_eq!(found(code, "| `pe ... is out of range` | text `x` |\n"), [""; 0]);
        let open = "oshmpi/src/x.rs:2: docs/troubleshooting.md has no entry for `pe ... is out of range 0.....`";
        let stale = "docs/troubleshooting.md:2: no message has `is not there`";
        assert_eq!(found(code, "| a | b |\n| `is not there` | text |\n"), [open, stale]);
        let short = "docs/troubleshooting.md:1: `is out` is too short: at least 6 letters";
        assert_eq!(found(code, "| `is out` | text |\n"), [short]);
    }

    #[test]
    fn strings_that_nobody_reads_do_not_count() {
        let code = "/// Words of a comment.\n#[arg(help = \"words of a help\")]\n#[error(\"the {0} is too small\")]\n\
                    fn f() { x.expect(\"words that nobody reads\"); panic!(\"nor are these\"); g(\"two words\") }\n\
                    mod tests { fn f() { g(\"words of a test\") } }\n";
        let open = "oshmpi/src/x.rs:3: docs/troubleshooting.md has no entry for `the ... is too small`";
        assert_eq!(found(code, ""), [open]);
    }

    #[test]
    fn entries_are_found_by_the_text_of_a_line() {
        let text = std::fs::read_to_string(crate::util::root().join(PAGE)).unwrap();
        let phrases = phrases(&source(PAGE, &text));
        for line in include_str!("faults.txt").lines() {
            assert!(phrases.iter().any(|p| p.is_in(line)), "no entry for {line}");
        }
    }
}
