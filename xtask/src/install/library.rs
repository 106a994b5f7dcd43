//! liboshmpi.a from what cargo builds, and liboshmpi.so linked from it.

use super::product::soname;
use super::worth_showing;
use super::{archive, cross};
use crate::util::{Stream, cargo, listen, root};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;

/// The names that the libraries export: the standard's in both forms and its handles, those from before the standard,
/// Fortran's, and those with oshmpi's prefix.
const EXPORTED: &str = "\
    SHMEM_* shmem_* pshmem_* shmemx_* pshmemx_* start_pes pstart_pes _my_pe p_my_pe _num_pes p_num_pes shmalloc \
    pshmalloc shfree pshfree shrealloc pshrealloc shmemalign pshmemalign start_pes_* pstart_pes_* my_pe_* pmy_pe_* \
    num_pes_* pnum_pes_* shpalloc_ pshpalloc_ shpdeallc_ pshpdeallc_ shpclmove_ pshpclmove_ oshmpi_*";

/// Calls of MPI that the library intercepts, so that MPI and OpenSHMEM may start and end in any order.
const MPI_CALLS: [&str; 6] = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Finalized", "MPI_Wtime", "MPI_Wtick"];

/// A question of Open MPI to PMIx. The library answers it while oshmpi is the client of PMIx and MPI is not.
const PMIX_CALL: &str = "PMIx_Initialized";

/// Calls of the C library that the library intercepts: a PE that leaves by the first two says so, and a process that is
/// made by the others has its own static variables.
const C_CALLS: [&str; 5] = ["_exit", "_Exit", "_Fork", "clone", "syscall"];

/// All calls that the library intercepts: their names in C, and those that Fortran compilers and Fortran bindings make
/// of MPI's.
pub fn intercepted() -> impl Iterator<Item = String> {
    let mpi = MPI_CALLS.into_iter().flat_map(|c| {
        let (lower, upper) = (c.to_lowercase(), c.to_uppercase());
        [c.to_string(), format!("{lower}_"), format!("{lower}__"), format!("{lower}_f08_"), lower, upper]
    });
    mpi.chain([PMIX_CALL].into_iter().chain(C_CALLS).map(str::to_string))
}

pub struct Built {
    pub archive: PathBuf,
    /// System libraries that a program must link beside the archive: `-lgcc_s`, `-lm`, ...
    pub native_libs: Vec<String>,
    /// No other process builds it meanwhile.
    _lock: File,
}

/// How the library is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    Release,
    /// Without link-time optimisation.
    Quick,
    /// As `Quick`, and the library's own code is not optimised: it compiles in seconds instead of a minute.
    Debug,
    /// Cargo's own, in which this task is built: most crates are there already.
    Dev,
}

impl Profile {
    /// Cargo's name of the quick profile, and of its directory.
    pub const QUICK_DIR: &str = "quick";

    /// Cargo's name of it, the directory that cargo calls after it, that of what is made from cargo's archive, and what
    /// cargo is told beside the name. Each other crate is compiled once for `Quick` and `Debug`.
    fn parts(self) -> (&'static str, &'static str, &'static str, &'static [&'static str]) {
        let not_optimised = &["--config", "profile.quick.package.oshmpi.opt-level=0"];
        match self {
            Profile::Release => ("release", "release", "library-release", &[]),
            Profile::Quick => (Profile::QUICK_DIR, Profile::QUICK_DIR, "library-quick", &[]),
            Profile::Debug => (Profile::QUICK_DIR, Profile::QUICK_DIR, "library-debug", not_optimised),
            Profile::Dev => ("dev", "debug", "library-dev", &[]),
        }
    }

    /// The cargo target directory.
    pub fn target_dir(self) -> PathBuf {
        if self == Profile::Dev { root().join("target") } else { cross::target_dir() }
    }
}

/// Builds liboshmpi.a, once for all MPIs.
pub fn build(profile: Profile) -> Result<Built> {
    let mut named = None;
    let (name, cargos, place, config) = profile.parts();
    let (dir, lock) = cross::without_mpi(place)?;
    let mut c = cargo();
    c.args(["rustc", "--profile", name, "-p", "oshmpi", "--lib", "--locked"]).args(config);
    c.env("CARGO_TARGET_DIR", profile.target_dir());
    cross::aim(&mut c);
    // The answer below is read: CARGO_TERM_COLOR=always would put colours into it.
    c.args(["--color", "never"]);
    // rustc is asked on every build, also when nothing is to be done: cargo repeats the answer.
    c.args(["--", "--print", "native-static-libs"]);
    listen(&mut c, Stream::Err, |line| {
        if let Some((_, libs)) = line.split_once("native-static-libs: ") {
            named = Some(libs.to_string());
        }
        worth_showing(line) && !line.starts_with("note: ") && !line.is_empty()
    })?;
    let named = named.context("rustc did not say which native libraries liboshmpi.a needs")?;
    let cargos = cross::results(&profile.target_dir(), cargos).join("liboshmpi.a");
    let archive = dir.join("liboshmpi.a");
    archive::one_object(&archive, &[], &cargos, &exported(), &[])?;
    let mut native_libs: Vec<String> = named.split_whitespace().map(str::to_string).collect();
    let mut seen = BTreeSet::new();
    native_libs.retain(|lib| seen.insert(lib.clone()));
    Ok(Built { archive, native_libs, _lock: lock })
}

/// Links liboshmpi.so from the archive, unless the one that is there was linked the same way from this archive.
pub fn link_shared(built: &Built) -> Result<PathBuf> {
    let dir = built.archive.parent().expect("the archive lies in a directory");
    let shared = dir.join("liboshmpi.so");

    let mut c = cross::compiler();
    c.args(["-shared", "-o"]).arg(&shared);
    c.arg("-Wl,--whole-archive").arg(&built.archive).arg("-Wl,--no-whole-archive");
    c.arg(format!("-Wl,-soname,{}", soname("liboshmpi.so"))).arg("-Wl,--gc-sections");
    // dlclose() must leave its exit and fork handlers, its threads and its thread-local variables where they are.
    c.arg("-Wl,-z,defs,-z,relro,-z,nodelete");
    // What it loads lies beside it.
    c.args(["-Wl,--as-needed,--enable-new-dtags", "-Wl,-rpath,$ORIGIN"]);
    c.args(&built.native_libs);
    archive::shared(c, &shared, &exported(), "", &built.archive)?;
    Ok(shared)
}

/// Names and patterns of all that the libraries show.
fn exported() -> Vec<String> {
    EXPORTED.split_whitespace().map(str::to_string).chain(intercepted()).collect()
}
