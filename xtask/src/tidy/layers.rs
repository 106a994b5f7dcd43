//! The layers of the runtime point one way: modules at the top of oshmpi/src, and what lies inside its folders. In the
//! folders of other crates that are listed here no files use each other in a circle.

use super::{Source, code};
use std::collections::BTreeSet;

/// A module and the modules it may use beside itself, with blanks in between.
type Layers = &'static [(&'static str, &'static str)];

/// Each module at the top of oshmpi/src. Lower layers stand further down. A new edge is a decision about the
/// architecture, so it is made here and in ARCHITECTURE.md.
const LAYERS: Layers = &[
    ("api", "args boot ctx diag env memory mpi net ops os state sync team transport"),
    ("ops", "args boot ctx diag env memory mpi net os state sync team transport"),
    ("args", "ctx diag memory os state sync team"),
    ("boot", "ctx diag env hooks memory mpi net os state sync team transport"),
    ("state", "ctx diag env memory net os sync team transport"),
    ("ctx", "diag os sync team"),
    ("team", "diag memory sync"),
    ("net", "diag memory mpi os sync transport"),
    ("transport", "diag memory os sync"),
    ("memory", "diag os sync"),
    ("mpi", "diag env hooks memory os"),
    ("sync", "os"),
    ("env", "diag os"),
    ("diag", "hooks os"),
    ("hooks", ""),
    ("os", ""),
];

/// Folders in which no files and subfolders use each other in a circle; `.` is the top. Two are none of them. In
/// `ops/coll` of the runtime a group calls the barrier and the allgather that are written over groups. In `server` of
/// pmi-shm one state machine is spread over files by the requests it serves.
const ORDERED: &[(&str, &str)] = &[
    (RUNTIME, "api boot memory mpi net ops os sync team transport"),
    ("pmi-shm/src/", ". client kvs pmix wire"),
    ("tools/src/", "."),
    ("tools/src/oshrun/", ". below cli front node pmix profile"),
    (
        "xtask/src/",
        ". bench cluster ctest faults gen headers install install/manual scale spec symbols test test/limits tidy",
    ),
];

const RUNTIME: &str = "oshmpi/src/";

/// Complaints about uses that the table does not allow, modules that are not in it, and circles inside a folder.
pub fn check(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for s in sources {
        let Some(module) = room(RUNTIME, &s.path, &[]) else { continue };
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else {
            problems.push(format!("{}: module {module} has no line in xtask/src/tidy/layers.rs", s.path));
            continue;
        };
        for (line, path) in uses(RUNTIME, s) {
            // A name that is no module is a macro or another item.
            let Some(used) = path.first().filter(|used| LAYERS.iter().any(|(name, _)| name == used)) else { continue };
            if *used != module && !is_in(allowed, used) {
                problems.push(format!("{}:{line}: {module} may not use crate::{used}", s.path));
            }
        }
    }
    for (top, folders) in ORDERED {
        problems.extend(folders.split(' ').filter_map(|folder| circle(sources, top, folder)));
    }
    problems
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|w| w == word)
}

/// Complains about the rooms of a folder, its files and subfolders, that use each other in a circle. `top`: where the
/// crate's sources are.
fn circle(sources: &[Source], top: &str, folder: &str) -> Option<String> {
    let path: Vec<&str> = folder.split('/').filter(|part| *part != ".").collect();
    let mut edges = BTreeSet::<(String, String)>::new();
    for s in sources {
        let Some(from) = room(top, &s.path, &path) else { continue };
        let below =
            |used: &[String]| used.iter().zip(&path).all(|(a, b)| a == b).then(|| used.get(path.len()).cloned());
        let used = uses(top, s).into_iter().filter_map(|(_, used)| below(&used)?);
        edges.extend(used.filter(|to| *to != from).map(|to| (from.clone(), to)));
    }
    // A room that uses none of the others, or is used by none, is in no circle.
    loop {
        let within = |(from, to): &(String, String)| {
            edges.iter().any(|(other, _)| other == to) && edges.iter().any(|(_, other)| other == from)
        };
        let rest: BTreeSet<_> = edges.iter().filter(|edge| within(edge)).cloned().collect();
        if rest.len() == edges.len() {
            break;
        }
        edges = rest;
    }
    let names: BTreeSet<&str> = edges.iter().map(|(from, _)| from.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    (!names.is_empty()).then(|| format!("{top}{folder}: {} use each other in a circle", names.join(", ")))
}

/// The module that a file is: `ops/rma.rs` is `[ops, rma]`, `ops/mod.rs` is `[ops]`. None: the file is not below `top`.
fn module(top: &str, path: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = path.strip_prefix(top)?.strip_suffix(".rs")?.split('/').map(str::to_string).collect();
    parts.pop_if(|last| last == "mod");
    Some(parts)
}

/// The file or subfolder of `folder` that a file belongs to, `mod` for its mod.rs. lib.rs and main.rs belong to none.
fn room(top: &str, path: &str, folder: &[&str]) -> Option<String> {
    let module = module(top, path)?;
    let below = module.strip_prefix(&folder.iter().map(|f| f.to_string()).collect::<Vec<_>>()[..])?;
    let name = below.first().map_or("mod", String::as_str);
    (!["lib", "main"].contains(&name)).then(|| name.to_string())
}

/// Every path of a file that begins with `crate::` or `super::`, from the top of the crate, with its line. Test modules
/// do not count, in files of their own neither.
fn uses(top: &str, s: &Source) -> Vec<(usize, Vec<String>)> {
    if s.path.ends_with("/tests.rs") {
        return Vec::new();
    }
    // Comments go, lines stay: the paths of a group may stand on several lines.
    let lines = s.text.lines().take_while(|l| !l.starts_with("mod tests {"));
    let clean: String = lines.map(|l| format!("{}\n", code(l))).collect();
    let mut found = Vec::new();
    for word in ["crate::", "super::"] {
        for (at, _) in clean.match_indices(word) {
            // `my_crate::x` is another crate's path; the second of `super::super::` belongs to the first.
            if clean[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let mut prefix = if word == "crate::" { Vec::new() } else { module(top, &s.path).unwrap_or_default() };
            let mut rest = &clean[at..];
            while let Some(inner) = rest.strip_prefix("super::") {
                prefix.pop();
                rest = inner;
            }
            let mut paths = Vec::new();
            expand(rest.strip_prefix("crate::").unwrap_or(rest), &prefix, &mut paths);
            let line = 1 + clean[..at].matches('\n').count();
            found.extend(paths.into_iter().map(|path| (line, path)));
        }
    }
    found
}

/// The paths that begin with `prefix` and go on with `text`: `a::b` gives one, `{a, b::{c, d}}` three.
fn expand(text: &str, prefix: &[String], paths: &mut Vec<Vec<String>>) {
    let Some(group) = text.strip_prefix('{') else {
        let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let path = [prefix, std::slice::from_ref(&name)].concat();
        match text[name.len()..].strip_prefix("::").filter(|_| !name.is_empty()) {
            Some(rest) => expand(rest, &path, paths),
            None => paths.push(path),
        }
        return;
    };
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                let item = group[start..at].trim();
                if !item.is_empty() {
                    expand(item, prefix, paths);
                }
                start = at + 1;
                if c == '}' {
                    return;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn the_table_names_only_its_modules_and_points_one_way() {
        for (module, allowed) in LAYERS {
            for used in allowed.split_whitespace() {
                let back = LAYERS.iter().find(|(name, _)| *name == used).unwrap_or_else(|| panic!("no {used}")).1;
                assert!(!is_in(back, module), "{module} and {used} use each other");
            }
        }
    }

    #[test]
    fn a_use_upward_is_found_in_every_form() {
        let text = "use crate::os::map;\nlet x = crate::api::f();\n\
                    use crate::{\n    sync, // crate::boot\n    ops::{a, b},\n};\n";
        let found = check(&[source("oshmpi/src/memory/heap.rs", text)]);
        let line = |n, module| format!("oshmpi/src/memory/heap.rs:{n}: memory may not use crate::{module}");
        assert_eq!(found, [line(2, "api"), line(3, "ops"), line(3, "ops")]);
    }

    #[test]
    fn a_circle_inside_a_folder_is_found() {
        let files = |texts: &[(&str, &str)]| -> Vec<Source> {
            texts.iter().map(|(name, text)| source(&format!("oshmpi/src/boot/{name}.rs"), text)).collect()
        };
        let one_way = [("mod", "use crate::boot::{high, low::x};\n"), ("high/part", "use super::super::low::f;\n")];
        assert_eq!(circle(&files(&[&one_way[..], &[("low", "fn f() {}\n")]].concat()), RUNTIME, "boot"), None);
        let back = ("low", "x(crate::boot::middle::f)\n");
        let round = files(&[&one_way[..], &[back, ("middle", "use super::{high, low};\n")]].concat());
        let found = "oshmpi/src/boot: high, low, middle use each other in a circle";
        assert_eq!((circle(&round, RUNTIME, "boot").as_deref(), circle(&round, RUNTIME, "ops")), (Some(found), None));
        let in_tests = ("low", "mod tests {\nuse crate::boot::high;\n");
        assert_eq!(circle(&files(&[&one_way[..], &[in_tests]].concat()), RUNTIME, "boot"), None);
        let deeper =
            [source("oshmpi/src/boot/a/b.rs", "use super::c;"), source("oshmpi/src/boot/a/c.rs", "use super::b;")];
        assert_eq!((circle(&deeper, RUNTIME, "boot"), circle(&deeper, RUNTIME, "boot/a").is_some()), (None, true));
    }

    #[test]
    fn comments_macros_and_other_crates_do_not_count() {
        let text = "//! crate::api\nuse crate::rt;\nuse the_crate::api;\nuse pmi_shm::api;\n";
        assert_eq!(check(&[source("oshmpi/src/os.rs", text)]), [""; 0]);
        assert_eq!(check(&[source("oshmpi/src/lib.rs", "use crate::api;")]), [""; 0]);
        assert_eq!(check(&[source("pmi-shm/src/x.rs", "use crate::api;")]), [""; 0]);
    }
}
