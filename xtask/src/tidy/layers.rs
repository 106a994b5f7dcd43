//! The layers of the runtime point one way.

use super::{Source, code};

/// Each module at the top of oshmpi/src and the modules it may use beside itself. Lower layers stand further down;
/// a new edge is a decision about the architecture, so it is made here and in ARCHITECTURE.md.
const LAYERS: &[(&str, &[&str])] = &[
    (
        "api",
        &["args", "boot", "ctx", "diag", "env", "memory", "mpi", "ops", "os", "state", "sync", "team", "transport"],
    ),
    ("ops", &["args", "boot", "ctx", "diag", "env", "memory", "mpi", "os", "state", "sync", "team", "transport"]),
    ("args", &["ctx", "diag", "memory", "os", "state", "team"]),
    ("boot", &["ctx", "diag", "env", "hooks", "memory", "mpi", "os", "state", "sync", "team", "transport"]),
    ("state", &["ctx", "diag", "env", "memory", "os", "sync", "team", "transport"]),
    ("ctx", &["diag", "os", "sync", "team"]),
    ("team", &["diag", "memory", "sync"]),
    ("transport", &["diag", "memory", "mpi", "os", "sync"]),
    ("memory", &["diag", "os", "sync"]),
    ("mpi", &["diag", "hooks", "memory", "os"]),
    ("sync", &["os"]),
    ("env", &["diag"]),
    ("diag", &["hooks", "os"]),
    ("hooks", &[]),
    ("os", &[]),
];

const TOP: &str = "oshmpi/src/";

/// Complaints about uses that the table does not allow, and about modules that are not in it.
pub fn check(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for s in sources {
        let Some(module) = module_of(&s.path) else {
            continue;
        };
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else {
            problems.push(format!("{}: module {module} has no line in xtask/src/tidy/layers.rs", s.path));
            continue;
        };
        for (line, used) in uses(&s.text) {
            if used != module && !allowed.contains(&used.as_str()) && is_module(&used) {
                problems.push(format!("{}:{line}: {module} may not use crate::{used}", s.path));
            }
        }
    }
    problems
}

/// `oshmpi/src/ops/rma.rs` and `oshmpi/src/ops.rs` belong to `ops`; lib.rs belongs to none.
fn module_of(path: &str) -> Option<&str> {
    let below = path.strip_prefix(TOP)?.strip_suffix(".rs")?;
    let module = below.split('/').next()?;
    (module != "lib").then_some(module)
}

/// Names after `crate::` that are no module are macros and items of lib.rs.
fn is_module(name: &str) -> bool {
    LAYERS.iter().any(|(module, _)| *module == name)
}

/// The first name of every `crate::` path in a file, with its line: `crate::a::b` and `crate::{a, b::{c, d}}`.
fn uses(text: &str) -> Vec<(usize, String)> {
    // Comments go, lines stay: the paths of a group may stand on several lines.
    let clean: String = text.lines().map(|l| format!("{}\n", code(l))).collect();
    let mut found = Vec::new();
    for (at, _) in clean.match_indices("crate::") {
        // `my_crate::x` is another crate's path.
        if clean[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let line = 1 + clean[..at].matches('\n').count();
        let rest = &clean[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(group_heads(group).into_iter().map(|name| (line, name))),
            None => found.push((line, identifier(rest))),
        }
    }
    found
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The first names in `a, b::{c, d}, e}`: a, b, e.
fn group_heads(group: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 0;
    let mut expected = true;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => expected = true,
            c if expected && !c.is_whitespace() => {
                heads.push(identifier(&group[at..]));
                expected = false;
            }
            _ => {}
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn the_table_names_only_its_own_modules_and_points_one_way() {
        for (module, allowed) in LAYERS {
            for used in *allowed {
                assert!(is_module(used), "{module} -> {used}");
                let back = LAYERS.iter().find(|(name, _)| name == used).unwrap().1;
                assert!(!back.contains(module), "{module} and {used} use each other");
            }
        }
    }

    #[test]
    fn a_use_upward_is_found_in_every_form() {
        let text = "use crate::os::map;\nlet x = crate::api::f();\nuse crate::{\n    sync, // crate::boot\n    ops::{a, b},\n};\n";
        let found = check(&[source("oshmpi/src/memory/heap.rs", text)]);
        assert_eq!(
            found,
            [
                "oshmpi/src/memory/heap.rs:2: memory may not use crate::api",
                "oshmpi/src/memory/heap.rs:3: memory may not use crate::ops",
            ]
        );
    }

    #[test]
    fn comments_macros_and_other_crates_do_not_count() {
        let text = "//! crate::api\nuse crate::rt;\nuse the_crate::api;\nuse pmi_shm::api;\n";
        assert_eq!(check(&[source("oshmpi/src/os.rs", text)]), [""; 0]);
        assert_eq!(check(&[source("oshmpi/src/lib.rs", "use crate::api;")]), [""; 0]);
        assert_eq!(check(&[source("pmi-shm/src/x.rs", "use crate::api;")]), [""; 0]);
    }

    #[test]
    fn a_new_module_must_be_put_into_the_table() {
        let found = check(&[source("oshmpi/src/magic/mod.rs", "")]);
        assert_eq!(found, ["oshmpi/src/magic/mod.rs: module magic has no line in xtask/src/tidy/layers.rs"]);
    }
}
