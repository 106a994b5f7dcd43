//! A header of oshmpi defines the macros of the standard and macros with its prefix, and includes no header of MPI.

use super::compile::{Dialect, compiler, temporary};
use super::{HEADERS, Tally};
use crate::spec::Spec;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;

/// C11, because only there the generic macros exist.
const DIALECTS: [Dialect; 2] =
    [Dialect { compiler: "gcc", standard: "c11" }, Dialect { compiler: "clang", standard: "c11" }];

/// Macros of other implementations by which programs tell that an implementation is complete.
const TELLING: [&str; 2] = ["SHMEM_DEF_H", "SHMEM_FUNCTION_ATTRIBUTES"];

pub fn check(spec: &Spec) -> Result<Tally> {
    let constants = spec.constants.iter().map(|c| c.name.clone());
    let old = spec.constants.iter().filter(|c| c.underscore).map(|c| format!("_{}", c.name));
    let standard: BTreeSet<String> = constants.chain(old).chain(spec.generics().map(|g| g.name.clone())).collect();
    let mut tally = Tally::default();
    for dialect in DIALECTS {
        let before = macros(dialect, "#include <stddef.h>\n#include <stdint.h>\n#include <time.h>\n")?;
        for header in HEADERS {
            let source = format!("#include <{header}>\n");
            let ours: BTreeSet<String> = macros(dialect, &source)?.difference(&before).cloned().collect();
            // Names beyond the standard stand in this header only.
            let extended =
                |name: &str| header.ends_with("shmemx.h") && name.to_ascii_lowercase().starts_with("shmemx_");
            let foreign = |name: &&String| {
                !extended(name)
                    && !standard.contains(*name)
                    && !name.starts_with("OSHMPI_")
                    && !TELLING.contains(&name.as_str())
            };
            let extra: Vec<&String> = ours.iter().filter(foreign).collect();
            let missing: Vec<&String> = standard.difference(&ours).collect();
            tally.note((!extra.is_empty()).then(|| format!("{header}: defines foreign macros {extra:?}")));
            tally.note((!missing.is_empty()).then(|| format!("{header}: does not define {missing:?}")));
            let mpi = preprocess(dialect, "-M", &source)?.contains("mpi.h");
            tally.note(mpi.then(|| format!("{header}: includes mpi.h")));
        }
    }
    Ok(tally)
}

/// Names of all macros that are defined behind `source`.
fn macros(dialect: Dialect, source: &str) -> Result<BTreeSet<String>> {
    let text = preprocess(dialect, "-dM", source)?;
    let name = |line: &str| line.strip_prefix("#define ")?.split([' ', '(']).next().map(str::to_string);
    let names: BTreeSet<String> = text.lines().filter_map(name).collect();
    ensure!(!names.is_empty(), "{} lists no macros", dialect.compiler);
    Ok(names)
}

fn preprocess(dialect: Dialect, flag: &str, source: &str) -> Result<String> {
    let file = temporary(source, dialect)?;
    let mut c = compiler(dialect)?;
    let out = c.args(["-E", flag]).arg(file.path()).output();
    let out = out.with_context(|| format!("cannot start {}", dialect.compiler))?;
    ensure!(out.status.success(), "{c:?} failed: {}", String::from_utf8_lossy(&out.stderr));
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}
