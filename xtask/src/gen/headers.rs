//! The headers as programs see them: those of include/, two of which have a line in the place of the routines, and
//! pshmem.h, which has routines alone.

use super::generics;
use crate::spec::{Function, Group, Spec, shifted, wrapped};
use crate::util::{made, read, root};
use anyhow::{Context, Result};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use walkdir::WalkDir;

/// Headers end with these; what else lies in include/ is not installed.
const HEADERS: [&str; 4] = ["h", "fh", "hpp", "inc"];

/// The line in the place of the routines.
const HOLE: &str = "#include \"routines.h\" /* of spec/openshmem-1.6.api: put in here when the header is built */";

const HEAD: &str = r#"/* pshmem.h: the routines of OpenSHMEM 1.6 under the names that a profiling tool calls.
 *
 * A tool defines shmem_x itself and calls pshmem_x. The old names without the prefix shmem_ get a p in front as well
 * (pshmalloc, p_my_pe). Types and constants come from shmem.h; there is no need to include that first.
 */
#ifndef OSHMPI_PSHMEM_H
#define OSHMPI_PSHMEM_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

"#;

const TAIL: &str = "
#ifdef __cplusplus
}
#endif

#endif /* OSHMPI_PSHMEM_H */
";

/// Path below include/ and text of every header.
pub fn all() -> Result<Vec<(String, String)>> {
    let (spec, own) = (Spec::load()?, Spec::of_shmemx()?);
    let mut all = vec![("pshmem.h".to_string(), format!("{HEAD}{}{TAIL}", prototypes(&spec, shifted)?))];
    let include = root().join("include");
    for entry in WalkDir::new(&include).sort_by_file_name() {
        let path = entry.context("cannot list the headers")?.into_path();
        let header = path.strip_prefix(&include).expect("it was found below").display().to_string();
        if !HEADERS.iter().any(|end| header.rsplit_once('.').is_some_and(|(_, e)| e == *end)) {
            continue;
        }
        let text = read(&path)?;
        let text = match &*header {
            "shmem.h" => text
                .replace(HOLE, format!("{}\n{}", prototypes(&spec, str::to_string)?, generics::all(&spec)?).trim_end()),
            "shmemx.h" => {
                let families =
                    [prototypes(&own, str::to_string)?, prototypes(&own, shifted)?, generics::all(&own)?].join("\n");
                text.replace(HOLE, format!("{families}\n{}", earlier_names(&spec)?).trim_end())
            }
            _ => text,
        };
        all.push((header, text));
    }
    Ok(all)
}

/// Routines that other libraries had as `shmemx_` before 1.6 took them in, under those names.
fn earlier_names(spec: &Spec) -> Result<String> {
    let taken_in = |name: &str| {
        ["ibput", "ibget", "_inscan", "_exscan", "signal_add", "signal_set"].iter().any(|part| name.contains(part))
    };
    let mut names: Vec<String> = spec
        .functions()?
        .into_iter()
        .map(|f| f.name)
        .chain(spec.generics().map(|g| g.name.clone()))
        .filter(|name| taken_in(name))
        .collect();
    names.sort();
    names.dedup();
    let line = |name: String| format!("#define {} {name}\n", name.replacen("shmem_", "shmemx_", 1));
    Ok(names.into_iter().map(line).collect())
}

/// Longest line of a header.
const WIDTH: usize = 120;

/// C types that a header must spell otherwise to be valid in C++ too; the frame of shmem.h defines the right side.
const RESPELLED: [(&str, &str); 2] = [("double _Complex", "oshmpi_complexd"), ("float _Complex", "oshmpi_complexf")];

/// A C type as the headers spell it.
pub fn spelled(c_type: &str) -> String {
    RESPELLED.iter().fold(c_type.to_string(), |t, (from, to)| t.replace(from, to))
}

/// Prototypes of all routines, under these names.
fn prototypes(spec: &Spec, rename: fn(&str) -> String) -> Result<String> {
    let groups: Result<Vec<String>> = spec.groups.iter().map(|g| group(spec, g, rename)).collect();
    Ok(groups?.join("\n"))
}

fn group(spec: &Spec, group: &Group, rename: fn(&str) -> String) -> Result<String> {
    let mut text = format!("/* {} */\n", group.title);
    for t in &group.templates {
        for f in spec.expand(t)? {
            text += &prototype(&f, &rename(&f.name));
        }
    }
    Ok(text)
}

fn prototype(f: &Function, name: &str) -> String {
    let attribute = if f.noreturn { "OSHMPI_NORETURN " } else { "" };
    let line = spelled(&format!("{attribute}{};", f.declared_as(name)));
    wrapped(&line, WIDTH, line.find('(').map_or(4, |at| at + 1), "") + "\n"
}

/// A directory below target/ with all of them. Programs that run at the same time may share it.
pub fn dir() -> Result<PathBuf> {
    let dir = made(root().join("target/include"))?;
    for (name, text) in all()? {
        let file = dir.join(name);
        if fs::read_to_string(&file).is_ok_and(|old| old == text) {
            continue;
        }
        let folder = made(file.parent().expect("it has one").to_path_buf())?;
        let mut new = tempfile::NamedTempFile::new_in(&folder).context("cannot make a temporary file")?;
        new.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", file.display()))?;
        new.persist(&file).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routines_stand_where_the_headers_want_them() {
        let text = |name: &str| all().unwrap().into_iter().find(|(n, _)| n == name).unwrap().1;
        let shmem = text("shmem.h");
        assert!(shmem.contains("\nvoid shmem_quiet(void);\n") && shmem.contains("#define shmem_test_some_vector(...)"));
        assert!(text("shmemx.h").contains("#define shmemx_signal_add shmem_signal_add\n"));
        assert!(text("shmemx.h").contains("int shmemx_long_sum_reduce_nb(shmem_team_t team, long *dest,"));
        assert!(text("shmemx.h").contains("#define shmemx_sum_reduce_nb(...)"));
        assert!(text("shmemx.h").contains("int pshmemx_long_sum_reduce_nb(shmem_team_t team, long *dest,"));
        let shifted = text("pshmem.h");
        assert!(shifted.contains("extern \"C\" {\n#endif\n\n/* ") && shifted.contains("\nvoid pshmem_quiet(void);\n"));
        assert!(shifted.contains("\nvoid pshmem_pcontrol(int level, ...);\n\n#ifdef __cplusplus\n}\n"));
        assert_eq!(text("mpp/shmem.h").lines().last(), Some("#include \"../shmem.h\""));
    }
}
