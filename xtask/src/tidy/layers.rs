//! The layers of the runtime point one way: modules at the top of oshmpi/src, and rooms inside some of them.

use super::{Source, code};

/// A module and the modules it may use beside itself.
type Layers = &'static [(&'static str, &'static [&'static str])];

/// Each module at the top of oshmpi/src. Lower layers stand further down. A new edge is a decision about the
/// architecture, so it is made here and in ARCHITECTURE.md.
const LAYERS: Layers = &[
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

/// The rooms of a folder of oshmpi/src: its files and subfolders by name, `mod` for its mod.rs. A folder without an
/// entry here is not ordered. `cargo xtask tidy --rooms transport` prints the edges of today as rows for this table.
const ROOMS: &[(&str, Layers)] = &[];

const TOP: &str = "oshmpi/src/";

/// Complaints about uses that the tables do not allow, and about modules that are not in them.
pub fn check(sources: &[Source]) -> Vec<String> {
    let mut problems = against(sources, &[], LAYERS);
    for (folder, rooms) in ROOMS {
        problems.extend(against(sources, &[folder], rooms));
    }
    problems
}

/// The edges between the rooms of a folder, as rows of `ROOMS`.
pub fn rooms(sources: &[Source], folder: &str) -> Vec<String> {
    let mut edges = std::collections::BTreeMap::<String, std::collections::BTreeSet<String>>::new();
    let all = || sources.iter().filter_map(|s| Some((s, room(&s.path, &[folder])?)));
    let names: Vec<String> = all().map(|(_, name)| name).collect();
    for (s, from) in all() {
        let used =
            uses(s).into_iter().filter_map(|(_, path)| path.strip_prefix(&[folder.to_string()])?.first().cloned());
        let to: Vec<_> = used.filter(|to| *to != from && names.contains(to)).collect();
        edges.entry(from).or_default().extend(to);
    }
    edges.into_iter().map(|(from, to)| format!("({from:?}, &{:?}),", to.into_iter().collect::<Vec<_>>())).collect()
}

fn against(sources: &[Source], folder: &[&str], layers: Layers) -> Vec<String> {
    let mut problems = Vec::new();
    let is_room = |name: &str| layers.iter().any(|(module, _)| *module == name);
    let prefix: String = folder.iter().map(|f| format!("{f}::")).collect();
    for s in sources {
        let Some(module) = room(&s.path, folder) else { continue };
        let Some((_, allowed)) = layers.iter().find(|(name, _)| *name == module) else {
            problems.push(format!("{}: module {prefix}{module} has no line in xtask/src/tidy/layers.rs", s.path));
            continue;
        };
        for (line, path) in uses(s) {
            let below = path.len() > folder.len() && path.iter().zip(folder).all(|(a, b)| a == b);
            // A name after the prefix that is no module is a macro or another item.
            let Some(used) = path.get(folder.len()).filter(|used| below && is_room(used)) else { continue };
            if *used != module && !allowed.contains(&used.as_str()) {
                problems.push(format!("{}:{line}: {prefix}{module} may not use crate::{prefix}{used}", s.path));
            }
        }
    }
    problems
}

/// The module of oshmpi/src that a file is: `ops/rma.rs` is `[ops, rma]`, `ops/mod.rs` is `[ops]`.
fn module(path: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = path.strip_prefix(TOP)?.strip_suffix(".rs")?.split('/').map(str::to_string).collect();
    parts.pop_if(|last| last == "mod");
    Some(parts)
}

/// The room of a file below `folder`. lib.rs belongs to none.
fn room(path: &str, folder: &[&str]) -> Option<String> {
    let module = module(path)?;
    let below = module.strip_prefix(&folder.iter().map(|f| f.to_string()).collect::<Vec<_>>()[..])?;
    let name = below.first().map_or("mod", String::as_str);
    (name != "lib").then(|| name.to_string())
}

/// Every path of a file that begins with `crate::` or `super::`, from the top of the crate, with its line. Test modules
/// do not count.
fn uses(s: &Source) -> Vec<(usize, Vec<String>)> {
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
            let mut prefix = if word == "crate::" { Vec::new() } else { module(&s.path).unwrap_or_default() };
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
    fn the_tables_name_only_their_modules_and_point_one_way() {
        for layers in std::iter::once(LAYERS).chain(ROOMS.iter().map(|(_, rooms)| *rooms)) {
            for (module, allowed) in layers {
                for used in *allowed {
                    let back = layers.iter().find(|(name, _)| name == used).unwrap_or_else(|| panic!("no {used}")).1;
                    assert!(!back.contains(module), "{module} and {used} use each other");
                }
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
    fn rooms_of_a_folder_are_ordered() {
        const ROOMS: Layers = &[("mod", &["high", "low"]), ("high", &["low"]), ("low", &[])];
        let of = |path: &str, text: &str| against(&[source(path, text)], &["boot"], ROOMS);
        assert_eq!(of("oshmpi/src/boot/mod.rs", "use self::high;\nuse crate::boot::{high, low::x};\n"), [""; 0]);
        assert_eq!(of("oshmpi/src/boot/high/part.rs", "use super::inner;\nuse super::super::low::f;\n"), [""; 0]);
        let up = "oshmpi/src/boot/low.rs:1: boot::low may not use crate::boot::high";
        assert_eq!(of("oshmpi/src/boot/low.rs", "use super::{high::f, low};\n"), [up]);
        assert_eq!(of("oshmpi/src/boot/low.rs", "x(crate::boot::high::f)\n"), [up]);
        assert_eq!(of("oshmpi/src/boot/low.rs", "mod tests {\nuse crate::boot::high;\n"), [""; 0]);
        assert_eq!(of("oshmpi/src/ops/low.rs", "use crate::boot::high;\n"), [""; 0]);
        let new = "oshmpi/src/boot/new.rs: module boot::new has no line in xtask/src/tidy/layers.rs";
        assert_eq!(of("oshmpi/src/boot/new.rs", ""), [new]);
        let files = [source("oshmpi/src/boot/a.rs", "use super::b;"), source("oshmpi/src/boot/b.rs", "")];
        assert_eq!(rooms(&files, "boot"), ["(\"a\", &[\"b\"]),", "(\"b\", &[]),"]);
    }

    #[test]
    fn comments_macros_and_other_crates_do_not_count() {
        let text = "//! crate::api\nuse crate::rt;\nuse the_crate::api;\nuse pmi_shm::api;\n";
        assert_eq!(check(&[source("oshmpi/src/os.rs", text)]), [""; 0]);
        assert_eq!(check(&[source("oshmpi/src/lib.rs", "use crate::api;")]), [""; 0]);
        assert_eq!(check(&[source("pmi-shm/src/x.rs", "use crate::api;")]), [""; 0]);
    }
}
