//! Whether a job needs PMIx, and where the library is.
//!
//! A server makes the start some ten milliseconds longer, so only programs that need it get one. Before anything is
//! started, the libraries that each program's file names are read.

use crate::plan::{Plan, When, Word};
use crate::poll::{self, Kind, Poller};
use crate::sys;
use anyhow::{Context, Result};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::{Endianness, ReadCache, ReadRef, elf};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub const LIBRARY: &str = "OSHRUN_PMIX_LIBRARY";

/// The variable that names the MPI which a program over oshmpi loads.
const MPI: &str = "OSHMPI_MPI_LIBRARY";

/// The prefix of the variables of the library's settings.
pub const SETTINGS: &str = "PMIX_MCA_";

/// The library's name for the loader.
const NAME: &str = "libpmix.so.2";

/// How long the loader may take to list a program's libraries. It takes some ten milliseconds. A shorter time could
/// miss the list on a slow file system; a longer one delays the start if the file system does not answer.
const LOADER: Duration = Duration::from_secs(5);

/// PMIx is served by the first of these libraries that can be loaded.
pub struct Served {
    pub libraries: Vec<PathBuf>,
    /// Why nothing is started if there is none. `None`: the job goes on without.
    pub reason: Option<String>,
}

/// A program's need of PMIx, from its file.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Needs {
    Nothing,
    /// An OpenSHMEM program may get along without.
    Helped(Vec<PathBuf>),
    Pmix(Vec<PathBuf>),
}

/// What is served on a node, if anything is.
pub fn decide(plan: &Plan, node: u32) -> Option<Served> {
    let served = |beside: Vec<PathBuf>, reason| {
        let libraries = match &plan.pmix_library {
            Some(path) => vec![PathBuf::from(OsStr::from_bytes(path))],
            None => beside.into_iter().chain([PathBuf::from(NAME)]).collect(),
        };
        Some(Served { libraries, reason })
    };
    let home = home();
    let beside_home = || home.iter().flat_map(|dir| beside(dir)).collect::<Vec<_>>();
    let local = plan.ranks_on(node);
    let here = |p: &&crate::plan::Program| local.iter().any(|rank| p.ranks.contains(rank));
    match plan.pmix {
        When::No => return None,
        When::Yes => return served(beside_home(), Some("--pmix yes asks for".into())),
        When::Auto => {}
    }
    // Over Open MPI most programs need it, and the programs that a script starts are unknown.
    let mut most = if home.is_some() { served(beside_home(), None) } else { None };
    for program in plan.programs.iter().filter(here) {
        let Some(file) = crate::spawn::file(plan, program) else { continue };
        match needs(&file, &plan.env, &program.env) {
            Needs::Pmix(beside) => {
                let why = format!("{} is linked with an MPI that needs", program.name().display());
                return served(beside, Some(why));
            }
            Needs::Helped(beside) => most = served(beside, None),
            Needs::Nothing => {}
        }
    }
    most
}

/// The directory of Open MPI's libraries, if oshmpi is installed over Open MPI, or beside it in an environment of
/// Python.
fn home() -> Option<PathBuf> {
    let prefix = oshmpi_tools::prefix().ok()?;
    if let Some(lib) = of_environment(&prefix) {
        return Some(lib);
    }
    let config: Value = oshmpi_tools::config(&prefix).ok()?;
    let mpicc = Path::new(config["mpicc"].as_str()?);
    // Without a directory the wrapper is found by PATH, and the loader finds the libraries.
    (config["mpi"] == "openmpi").then(|| mpicc.parent().and_then(Path::parent).unwrap_or(Path::new("/")).join("lib"))
}

/// The libraries of the environment in which this prefix is a package, if Open MPI is the only MPI there.
fn of_environment(prefix: &Path) -> Option<PathBuf> {
    let lib = prefix.ancestors().find(|dir| dir.ends_with("site-packages"))?.ancestors().nth(2)?;
    (lib.join("libmpi.so.40").exists() && !lib.join("libmpi.so.12").exists()).then(|| lib.to_owned())
}

/// The paths at which an MPI with libraries in `dir` may have its own libpmix.
fn beside(dir: &Path) -> Vec<PathBuf> {
    ["", "openmpi", "pmix/lib"].iter().map(|below| dir.join(below).join(NAME)).filter(|p| p.is_file()).collect()
}

/// Whether it is a library of the system that needs no PMIx.
fn is_plain(name: &str) -> bool {
    // MPICH and MPIs derived from it speak PMI-1 and PMI-2 too.
    const PLAIN: &str = "libc. libm. libpthread. libdl. librt. ld-linux libgcc_s. libstdc++. libgfortran. libquadmath. \
                         libgomp. libatomic. libpmi libmpich libmpi.so.12 libmpicxx.so.12 libmpifort.so.12";
    // The oshmpi runtime loads its MPI itself.
    is_oshmpi(name) || !name.starts_with("libpmix") && PLAIN.split(' ').any(|p| name.starts_with(p))
}

fn is_open_mpi(name: &str) -> bool {
    (name.starts_with("libmpi") || name.starts_with("liboshmem")) && name.contains(".so.40")
}

fn is_oshmpi(name: &str) -> bool {
    name.starts_with("liboshmpi.")
}

fn needs(file: &Path, env: &[(Word, Word)], own: &[(Word, Word)]) -> Needs {
    // The loader does not load this: a script, or a program that is linked statically.
    let Some(elf) = Elf::read(file) else { return Needs::Nothing };
    let of = |set: &[(Word, Word)]| set.iter().rfind(|(name, _)| name == MPI.as_bytes()).map(|(_, file)| file.clone());
    let set = of(own).or_else(|| of(env)).map(|file| PathBuf::from(OsStr::from_bytes(&file)));
    let chosen = set.or_else(|| oshmpi_tools::of_site(MPI).map(PathBuf::from));
    if let Some(mpi) = chosen.filter(|mpi| is_open_mpi(&mpi.file_name().unwrap_or_default().to_string_lossy())) {
        return Needs::Helped(mpi.parent().map(beside).unwrap_or_default());
    }
    // Then the loader, which takes some ten milliseconds, is not run.
    if !elf.by_glibc || elf.named.iter().all(|name| is_plain(name)) {
        return Needs::Nothing;
    }
    judge(elf.named.iter().any(|name| is_oshmpi(name)), &loaded(file, env, own))
}

/// The need of a program from all libraries that the loader finds, with their paths.
fn judge(over_oshmpi: bool, all: &[(String, PathBuf)]) -> Needs {
    let pmix = all.iter().find(|(name, _)| name.starts_with("libpmix.so"));
    let mpi = all.iter().find(|(name, _)| is_open_mpi(name));
    if pmix.is_none() && mpi.is_none() {
        return Needs::Nothing;
    }
    let own = pmix.map(|(_, path)| path.clone());
    let close_by = mpi.and_then(|(_, path)| path.parent()).map(beside).unwrap_or_default();
    let paths = own.into_iter().chain(close_by).collect();
    if over_oshmpi { Needs::Helped(paths) } else { Needs::Pmix(paths) }
}

/// The libraries that a program's or a library's file names.
struct Elf {
    named: Vec<String>,
    /// It is a program that glibc's loader loads.
    by_glibc: bool,
}

impl Elf {
    /// Reads a file; `None`: it is not one that the loader loads.
    fn read(file: &Path) -> Option<Elf> {
        let cache = ReadCache::new(File::open(file).ok()?);
        Elf::parse::<elf::FileHeader64<Endianness>, _>(&cache)
    }

    fn parse<'a, E: FileHeader<Endian = Endianness>, R: ReadRef<'a>>(data: R) -> Option<Elf> {
        let header = E::parse(data).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, data).ok()?;
        let (entries, strings) = sections.dynamic(endian, data).ok()??;
        let strings = sections.strings(endian, data, strings).ok()?;
        let needed = entries.iter().filter(|e| e.tag(endian) == elf::DT_NEEDED);
        let text = |e: &E::Dyn| Some(String::from_utf8_lossy(strings.get(e.val32(endian)?).ok()?).into_owned());
        let mut segments = header.program_headers(endian, data).ok()?.iter();
        let loader = segments.find_map(|segment| segment.interpreter(endian, data).ok()?);
        Some(Elf { named: needed.filter_map(text).collect(), by_glibc: loader.is_some_and(is_glibcs) })
    }
}

/// Whether the loader with this path is glibc's. Other loaders do not know LD_TRACE_LOADED_OBJECTS, and would run the
/// program.
fn is_glibcs(loader: &[u8]) -> bool {
    let name = Path::new(OsStr::from_bytes(loader)).file_name().unwrap_or_default().as_bytes();
    name.starts_with(b"ld-linux") || name.starts_with(b"ld64")
}

/// The libraries that glibc's loader finds for a program in its environment, with their paths. The loader itself is
/// run, because its rules are many.
fn loaded(file: &Path, env: &[(Word, Word)], own: &[(Word, Word)]) -> Vec<(String, PathBuf)> {
    let os = |w: &Word| OsStr::from_bytes(w).to_os_string();
    let asked = Command::new(file)
        .env_clear()
        .envs(env.iter().chain(own).map(|(n, v)| (os(n), os(v))))
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut loader) = asked else { return Vec::new() };
    let text = output(&mut loader, Instant::now() + LOADER).unwrap_or_default();
    let _ = loader.kill();
    let _ = loader.wait();
    String::from_utf8_lossy(&text).lines().filter_map(line).collect()
}

/// What a child writes to its standard output, to its end or until then.
fn output(child: &mut Child, until: Instant) -> Result<Vec<u8>> {
    let stdout = child.stdout.take().context("the child has no pipe")?;
    sys::set_nonblocking(&stdout)?;
    let mut poller = Poller::new()?;
    poller.add(&stdout, (Kind::Output, 0))?;
    let mut text = Vec::new();
    while poll::read_some(stdout.as_fd(), |bytes| text.extend_from_slice(bytes)) && Instant::now() < until {
        poller.wait(Some(until))?;
    }
    Ok(text)
}

/// Reads a line such as `libmpi.so.40 => /usr/lib/libmpi.so.40 (0x...)`.
fn line(text: &str) -> Option<(String, PathBuf)> {
    let (name, rest) = text.trim().split_once(" => ")?;
    let (path, _) = rest.rsplit_once(" (").unwrap_or((rest, ""));
    Some((name.to_string(), PathBuf::from(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_judged_by_its_libraries() {
        let all = |list: &[&str]| list.iter().map(|n| (n.to_string(), Path::new("/x").join(n))).collect::<Vec<_>>();
        assert_eq!(judge(false, &all(&["libz.so.1", "libc.so.6"])), Needs::Nothing);
        assert_eq!(judge(false, &all(&["libmpi.so.40"])), Needs::Pmix(vec![]));
        let own = vec![PathBuf::from("/x/libpmix.so.2")];
        let five = all(&["libmpi.so.40", "libopen-pal.so.80", "libpmix.so.2"]);
        assert_eq!(judge(false, &five), Needs::Pmix(own.clone()));
        assert_eq!(judge(true, &five), Needs::Helped(own));
    }

    #[test]
    fn open_mpi_is_found_in_an_environment_of_python() {
        let dir = tempfile::tempdir().unwrap();
        let (lib, prefix) = (dir.path().join("lib"), dir.path().join("lib/python3/site-packages/oshmpi"));
        std::fs::create_dir_all(&prefix).unwrap();
        assert_eq!(of_environment(&prefix), None);
        std::fs::write(lib.join("libmpi.so.40"), "").unwrap();
        assert_eq!(of_environment(&prefix), Some(lib.clone()));
        std::fs::write(lib.join("libmpi.so.12"), "").unwrap();
        assert_eq!(of_environment(&prefix), None, "MPICH is found before it");
        assert_eq!(of_environment(&dir.path().join("opt/oshmpi")), None);
    }

    #[test]
    fn plain_programs_are_not_asked_further() {
        for plain in ["libc.so.6", "libm.so.6", "libmpich.so.12", "libmpi.so.12", "libpmi2.so.0", "liboshmpi.so.1"] {
            assert!(is_plain(plain), "{plain}");
        }
        for other in ["libmpi.so.40", "libpmix.so.2", "libz.so.1"] {
            assert!(!is_plain(other), "{other}");
        }
    }

    #[test]
    fn the_loaders_lines_are_read() {
        let found = line("\tlibmpi.so.40 => /opt/a (b)/libmpi.so.40 (0x00007f)");
        assert_eq!(found, Some(("libmpi.so.40".into(), "/opt/a (b)/libmpi.so.40".into())));
        assert_eq!(line("\tlinux-vdso.so.1 (0x00007ffd)"), None);
    }

    #[test]
    fn only_glibcs_loader_is_asked() {
        for own in ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib64/ld64.so.2", "ld-linux.so.2"] {
            assert!(is_glibcs(own.as_bytes()), "{own}");
        }
        for other in ["/lib/ld-musl-x86_64.so.1", "/lib/ld-linux/ld.so", "/system/bin/linker64", ""] {
            assert!(!is_glibcs(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_programs_libraries_are_found() {
        let program = std::env::current_exe().unwrap();
        let own = Elf::read(&program).unwrap();
        assert!(own.named.iter().any(|n| n.starts_with("libc.")) && own.by_glibc, "{:?}", own.named);
        let all = loaded(&program, &[], &[]);
        assert!(all.iter().any(|(name, path)| name.starts_with("libc.") && path.is_file()), "{all:?}");
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("script");
        std::fs::write(&script, "#!/bin/sh\n").unwrap();
        assert!(Elf::read(&script).is_none());
        assert!(Elf::read(&dir.path().join("nothing")).is_none());
    }
}
