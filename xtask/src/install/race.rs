//! liboshmpi_race.a and liboshmpi_race.so: what `oshcc -oshmpi-race` links before the library. Beside the shared one it
//! links liboshmpi_race_calls.a: what the compiler's calls do first, so that they need no jump over a table.

use super::library::Built;
use super::product::soname;
use super::recipe::{state, unless_made};
use super::{archive, cross, tools};
use crate::r#gen::headers;
use crate::spec::{self, Spec};
use crate::util::{made, read, root, run, write};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The libraries, and the options with which a program's calls of the C library reach them.
pub struct Race {
    pub archive: PathBuf,
    pub shared: PathBuf,
    pub calls: PathBuf,
    /// For the linker: `--wrap=NAME` in each line.
    pub wraps: String,
    /// What gcc reads with `-specs` for C and C++, beside [`SPECS`]: which functions stay calls.
    pub c_specs: String,
}

/// What gcc reads with `-specs`: the compiler proper instruments the code, and the linker does not get the option. With
/// a call before each load and store few values can stay in registers, which the compiler is asked to see in loops.
pub const SPECS: &str = "*cc1_options:\n+ -fsanitize=thread -fira-loop-pressure\n\n";

/// The parts in C, and the routines, which are generated.
const PARTS: [&str; 8] = ["accesses", "instrumented", "intercepted", "library", "format", "signals", "openmp", "ompt"];
/// What each C and C++ file is compiled with.
pub const HEADER: &str = include_str!("../../../race/runtime/c/race.h");

/// Names that the libraries show beside the routines: what compilers call, what `--wrap` asks for, and what the
/// program's own copy of `accesses.c` uses.
const SHOWN: &str = "__tsan_* oshmpi_race_calls oshmpi_race_pages \
                     oshmpi_race_reserve oshmpi_race_access oshmpi_race_first __wrap_* shmem_* shmemx_* start_pes* \
                     _my_pe _num_pes shmalloc shfree shrealloc shmemalign \
                     shpalloc_ shpdeallc_ shpclmove_ pthread_create pthread_join ompt_start_tool";

/// Builds both.
pub fn build(oshmpi: &Path, built: &Built) -> Result<Race> {
    let from = tools::cargo_build(cross::aim)?.join("liboshmpi_race_runtime.a");
    let (dir, _lock) = cross::without_mpi("race")?;
    let source = root().join("race/runtime/c");
    let routines = dir.join("routines.c");
    let specs = [Spec::load()?, Spec::of_shmemx()?];
    let functions = spec::effects::functions(&specs, &spec::fortran::load()?, &spec::effects_text()?)?;
    let text = format!("#include \"effects.h\"\n{functions}");
    if !fs::read_to_string(&routines).is_ok_and(|old| old == text) {
        write(&routines, &text)?;
    }
    let mut objects = Vec::new();
    for part in PARTS {
        objects.push(object(&source.join(format!("{part}.c")), &source, &dir, &[])?);
    }
    objects.push(object(&routines, &source, &dir, &[])?);
    let library = listed(&source, "library.txt")?;
    let wrapped = [library.clone(), listed(&source, "wrapped.txt")?].concat();
    let (archive, shared) = (dir.join("liboshmpi_race.a"), dir.join("liboshmpi_race.so"));
    // The runtime's own calls of what is wrapped are those of the real functions.
    let real: Vec<(&str, String)> = wrapped.iter().map(|name| (name.as_str(), format!("__real_{name}"))).collect();
    let shown: Vec<String> = SHOWN.split_whitespace().map(str::to_string).collect();
    archive::one_object(&archive, &objects, &from, &shown, &real)?;
    link(&from, &objects, oshmpi, built, &shared, &shown)?;
    let calls = calls(&source, &dir)?;
    let wraps = wrapped.iter().map(|name| format!("--wrap={name}\n")).collect();
    Ok(Race { archive, shared, calls, wraps, c_specs: c_specs(&library) })
}

/// These functions stay calls, whose memory is noted. gcc's own code for them is not instrumented.
fn c_specs(library: &[String]) -> String {
    let options: String = library.iter().map(|name| format!(" -fno-builtin-{name}")).collect();
    format!("*cc1_options:\n+{options}\n\n")
}

/// The archive of the functions that each program has a copy of. No other library sees the copy.
fn calls(source: &Path, dir: &Path) -> Result<PathBuf> {
    let own = made(dir.join("calls"))?;
    let object = object(&source.join("accesses.c"), source, &own, &["-fvisibility=hidden"])?;
    let archive = dir.join("liboshmpi_race_calls.a");
    unless_made(&archive, "", &object, || archive::pack(&archive, &object))?;
    Ok(archive)
}

/// Compiles a part.
fn object(from: &Path, include: &Path, dir: &Path, more: &[&str]) -> Result<PathBuf> {
    let object = dir.join(from.file_name().context("a file")?).with_extension("o");
    let mut c = cross::compiler();
    c.args(["-c", "-O2", "-fPIC", "-std=gnu11", "-fno-builtin", "-Wall", "-Wno-deprecated-declarations"]);
    c.args(more).arg("-I").arg(headers::dir()?);
    c.arg("-I").arg(include).arg("-o").arg(&object).arg(from);
    let headers = ["calls.h", "effects.h", "tasks.h", "wrap.h"]
        .map(|name| fs::read_to_string(include.join(name)).unwrap_or_default());
    let recipe = format!("{c:?}\n{}", headers.concat());
    unless_made(&object, &recipe, from, || run(&mut c))?;
    Ok(object)
}

/// Functions that have a `__wrap_` form: library.txt has those of the C library that compilers have code of their own
/// for, wrapped.txt the others.
fn listed(source: &Path, name: &str) -> Result<Vec<String>> {
    let text = read(&source.join(name))?;
    Ok(text.split_whitespace().map(str::to_string).collect())
}

/// The shared library, which stands before liboshmpi.so.
fn link(from: &Path, objects: &[PathBuf], oshmpi: &Path, built: &Built, shared: &Path, shown: &[String]) -> Result<()> {
    let mut c = cross::compiler();
    c.args(["-shared", "-o"]).arg(shared).args(objects);
    c.arg("-Wl,--whole-archive").arg(from).arg("-Wl,--no-whole-archive").arg(oshmpi);
    c.arg(format!("-Wl,-soname,{}", soname("liboshmpi_race.so"))).args(["-Wl,--gc-sections", "-Wl,-z,defs,-z,relro"]);
    // Some linkers drop a library if the program calls none of its routines. They would drop liboshmpi.so from a
    // program, because this library stands before it; so this library names it.
    c.args(["-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN"]);
    c.args(&built.native_libs);
    archive::shared(c, shared, shown, &states(objects), from)
}

fn states(objects: &[PathBuf]) -> String {
    objects.iter().filter_map(|o| state(o).ok()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_wrapped() {
        let source = root().join("race/runtime/c");
        let listed = ["library.txt", "wrapped.txt"].map(|name| listed(&source, name).unwrap()).concat();
        let text = ["intercepted.c", "library.c", "signals.c", "openmp.c"]
            .map(|f| fs::read_to_string(source.join(f)).unwrap())
            .concat();
        for name in &listed {
            // Some names are put together by macros.
            let last = name.rsplit('_').next().unwrap();
            assert!(
                text.contains(&format!("__wrap_{name}")) || text.contains(&format!("({name}")) || text.contains(last)
            );
        }
        assert!(listed.len() > 50);
    }
}
