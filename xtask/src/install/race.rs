//! liboshmpi_race.a and liboshmpi_race.so: what `oshcc -oshmpi-race` links before the library.

use super::cross::{self, binutils};
use super::facts::soname;
use super::library::{self, Built, unless_made};
use super::tools;
use crate::spec::{self, Spec};
use crate::util::{Mpi, root, run};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The libraries, and the options with which a program's calls of the C library reach them.
pub struct Race {
    pub archive: PathBuf,
    pub shared: PathBuf,
    /// For the linker: `--wrap=NAME` in each line.
    pub wraps: String,
}

/// What gcc reads with `-specs`: its compilers instrument, and its linker is not told.
pub const SPECS: &str = "*cc1_options:\n+ -fsanitize=thread\n\n";

/// The parts in C, and the routines, which are generated.
const PARTS: [&str; 4] = ["instrumented", "intercepted", "openmp", "ompt"];

/// Names that the libraries show beside the routines: what compilers call, what `--wrap` asks for.
const SHOWN: &str = "__tsan_* __wrap_* shmem_* start_pes* _my_pe _num_pes shmalloc shfree shrealloc shmemalign \
                     shpalloc_ shpdeallc_ shpclmove_ pthread_create pthread_join ompt_start_tool";

/// Builds both over `mpi`.
pub fn build(mpi: Mpi, oshmpi: &Path, built: &Built) -> Result<Race> {
    let from = tools::cargo_build(cross::aim)?.join("liboshmpi_race_runtime.a");
    let dir = cross::results(&mpi.target_dir(), "race");
    fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let source = root().join("race/runtime/c");
    let routines = dir.join("routines.c");
    let text = spec::effects::functions(&Spec::load()?, &spec::fortran::load()?, &spec::effects_text()?)?;
    if !fs::read_to_string(&routines).is_ok_and(|old| old == text) {
        fs::write(&routines, text).with_context(|| format!("cannot write {}", routines.display()))?;
    }
    let mut objects = Vec::new();
    for part in PARTS {
        objects.push(object(mpi, &source.join(format!("{part}.c")), &source, &dir)?);
    }
    objects.push(object(mpi, &routines, &source, &dir)?);
    let wrapped = wrapped(&source)?;
    let (archive, shared) = (dir.join("liboshmpi_race.a"), dir.join("liboshmpi_race.so"));
    collect(&from, &objects, &wrapped, &archive)?;
    link(mpi, &from, &objects, oshmpi, built, &shared)?;
    Ok(Race { archive, shared, wraps: wrapped.iter().map(|name| format!("--wrap={name}\n")).collect() })
}

/// Compiles a part.
fn object(mpi: Mpi, from: &Path, include: &Path, dir: &Path) -> Result<PathBuf> {
    let object = dir.join(from.file_name().context("a file")?).with_extension("o");
    let mut c = Command::new(mpi.command("mpicc"));
    c.args(["-c", "-O2", "-fPIC", "-std=gnu11", "-fno-builtin", "-Wall", "-Wno-deprecated-declarations", "-I"]);
    c.arg(root().join("include")).arg("-I").arg(include).arg("-o").arg(&object).arg(from);
    let headers = ["effects.h", "tasks.h"].map(|name| fs::read_to_string(include.join(name)).unwrap_or_default());
    let recipe = format!("{c:?}\n{}", headers.concat());
    unless_made(&object, &recipe, from, || run(&mut c))?;
    Ok(object)
}

/// The functions that have a `__wrap_` form.
fn wrapped(source: &Path) -> Result<Vec<String>> {
    let dir = source.to_path_buf();
    let text = |name: &str| fs::read_to_string(dir.join(name)).with_context(|| format!("cannot read {name}"));
    let listed = text("wrapped.txt")?;
    Ok(listed.split_whitespace().map(str::to_string).collect())
}

/// One object that shows the names of `SHOWN`, in an archive. Its own calls of what is wrapped are those of the real
/// functions.
fn collect(from: &Path, objects: &[PathBuf], wrapped: &[String], archive: &Path) -> Result<()> {
    let at = |name: &str| archive.with_file_name(name);
    let (whole, shown, object, names) = (at("whole.o"), at("shown.o"), at("oshmpi_race.o"), at("names"));
    let mut join = binutils("ld.bfd");
    join.args(["-r", "-o"]).arg(&whole).args(objects).arg("--whole-archive").arg(from);
    let mut hide = binutils("objcopy");
    hide.args(["--wildcard", "--strip-debug", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
    hide.arg(format!("--keep-global-symbols={}", names.display()));
    hide.args(wrapped.iter().map(|name| format!("--redefine-sym={name}=__real_{name}"))).args([&whole, &shown]);
    let mut sections = binutils("ld.bfd");
    sections.args(["-r", "--gc-sections", "--gc-keep-exported", "-o"]).args([&object, &shown]);
    let mut pack = binutils("ar");
    pack.arg("rcsD").args([archive, &object]);
    let list: String = SHOWN.split_whitespace().map(|name| format!("{name}\n")).collect();
    let recipe = format!("{join:?}\n{hide:?}\n{sections:?}\n{pack:?}\n{list}{}", states(objects));
    unless_made(archive, &recipe, from, || {
        fs::write(&names, &list).with_context(|| format!("cannot write {}", names.display()))?;
        let _ = fs::remove_file(archive);
        for step in [&mut join, &mut hide, &mut sections, &mut pack] {
            run(step)?;
        }
        [&whole, &shown, &object].into_iter().try_for_each(fs::remove_file).context("cannot remove an object")
    })
}

/// The shared library, which stands before liboshmpi.so.
fn link(mpi: Mpi, from: &Path, objects: &[PathBuf], oshmpi: &Path, built: &Built, shared: &Path) -> Result<()> {
    let script = shared.with_extension("exports");
    let mut c = Command::new(mpi.command("mpicc"));
    c.args(["-shared", "-o"]).arg(shared).args(objects);
    c.arg("-Wl,--whole-archive").arg(from).arg("-Wl,--no-whole-archive").arg(oshmpi);
    c.arg(format!("-Wl,-soname,{}", soname("liboshmpi_race.so"))).args(["-Wl,--gc-sections", "-Wl,-z,defs,-z,relro"]);
    c.arg(format!("-Wl,--version-script={}", script.display()));
    // A linker that drops libraries of which a program calls nothing drops liboshmpi.so from it.
    c.args(["-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN"]);
    c.args(&built.native_libs);
    let names: String = SHOWN.split_whitespace().map(|name| format!("    {name};\n")).collect();
    let exports = format!("{{\n  global:\n{names}  local:\n    *;\n}};\n");
    unless_made(shared, &format!("{c:?}\n{exports}{}", states(objects)), from, || {
        fs::write(&script, &exports).with_context(|| format!("cannot write {}", script.display()))?;
        run(&mut c)
    })
}

fn states(objects: &[PathBuf]) -> String {
    objects.iter().filter_map(|o| library::state(o).ok()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_wrapped() {
        let source = root().join("race/runtime/c");
        let listed = wrapped(&source).unwrap();
        let text = ["intercepted.c", "openmp.c"].map(|f| fs::read_to_string(source.join(f)).unwrap()).concat();
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
