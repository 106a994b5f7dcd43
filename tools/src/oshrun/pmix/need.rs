//! Whether a job needs PMIx, and where the library lies.
//!
//! A server costs some ten milliseconds at the start, which programs that do not need it should not pay. So before anything is
//! started each program's file is asked for the libraries that it names.

use crate::plan::{Plan, Word};
use object::read::elf::{Dyn, FileHeader};
use object::{Endianness, ReadCache, ReadRef, elf};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// `--pmix`
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum When {
    /// Where a program needs it.
    Auto,
    Yes,
    No,
}

/// The setting that names the library.
pub const LIBRARY: &str = "OSHRUN_PMIX_LIBRARY";

/// The library's name for the loader.
const NAME: &str = "libpmix.so.2";

/// What to do about PMIx.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    No,
    /// Serve it by the first of these that there is; without one go on.
    Try(Vec<PathBuf>),
    /// The same, but without one nothing can be started; with the reason.
    Must(Vec<PathBuf>, String),
}

/// What a program's file says.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Needs {
    Nothing,
    /// It may do with another process management: Open MPI 4 does with PMI-1, an OpenSHMEM program with none.
    Helped(Vec<PathBuf>),
    Pmix(Vec<PathBuf>),
}

/// Decides for the programs that node `node` runs.
pub fn decide(plan: &Plan, node: u32) -> Decision {
    let named = std::env::var_os(LIBRARY).filter(|v| !v.is_empty()).map(PathBuf::from);
    let choose = |beside: Vec<PathBuf>| match &named {
        Some(path) => vec![path.clone()],
        None => beside.into_iter().chain([PathBuf::from(NAME)]).collect(),
    };
    let home = home();
    let beside_ours = || home.iter().flat_map(|dir| beside(dir)).collect::<Vec<_>>();
    let here = |p: &&crate::plan::Program| plan.node_of[p.ranks.start as usize..p.ranks.end as usize].contains(&node);
    match plan.pmix {
        When::No => return Decision::No,
        When::Yes => return Decision::Must(choose(beside_ours()), "--pmix yes asks for".into()),
        When::Auto => {}
    }
    let mut most = if home.is_some() { Decision::Try(choose(beside_ours())) } else { Decision::No };
    for program in plan.programs.iter().filter(here) {
        let Some(file) = crate::spawn::file(plan, program) else { continue };
        match needs(&file, &plan.env, &program.env) {
            Needs::Pmix(beside) => {
                let why = format!("{} is linked with an MPI that needs", program.name().display());
                return Decision::Must(choose(beside), why);
            }
            Needs::Helped(beside) => most = Decision::Try(choose(beside)),
            Needs::Nothing => {}
        }
    }
    most
}

/// Where Open MPI's libraries lie, if oshmpi is installed over it.
fn home() -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Config {
        mpi: String,
        cc: PathBuf,
    }
    let prefix = oshmpi_tools::prefix().ok()?;
    let text = std::fs::read_to_string(oshmpi_tools::config_file(&prefix)).ok()?;
    let config: Config = serde_json::from_str(&text).ok()?;
    // A wrapper that is found by PATH has libraries that the loader finds.
    (config.mpi == "openmpi").then(|| config.cc.parent().and_then(Path::parent).unwrap_or(Path::new("/")).join("lib"))
}

/// Where an MPI whose libraries lie in `dir` may have its own libpmix.
fn beside(dir: &Path) -> Vec<PathBuf> {
    ["", "openmpi", "pmix/lib"].iter().map(|below| dir.join(below).join(NAME)).filter(|p| p.is_file()).collect()
}

/// Libraries of the system, and ours, that need no PMIx.
fn is_plain(name: &str) -> bool {
    const PLAIN: [&str; 14] = [
        "libc.",
        "libm.",
        "libpthread.",
        "libdl.",
        "librt.",
        "ld-linux",
        "libgcc_s.",
        "libstdc++.",
        "libgfortran.",
        "libquadmath.",
        "libgomp.",
        "libatomic.",
        "liboshmpi.",
        "libpmi",
    ];
    // MPICH and its relatives speak PMI-1 and PMI-2 as well.
    let other_mpi = ["libmpich", "libmpi.so.12", "libmpicxx.so.12", "libmpifort.so.12"];
    !name.starts_with("libpmix") && PLAIN.iter().chain(&other_mpi).any(|p| name.starts_with(p))
}

/// Whether a library is Open MPI's: that of versions 4 and 5.
fn is_open_mpi(name: &str) -> bool {
    (name.starts_with("libmpi") || name.starts_with("liboshmem")) && name.contains(".so.40")
}

fn needs(file: &Path, env: &[(Word, Word)], own: &[(Word, Word)]) -> Needs {
    // No program for the loader: a script, or linked statically without one.
    let Some(named) = libraries(file) else { return Needs::Nothing };
    if named.iter().all(|n| is_plain(n)) {
        return Needs::Nothing;
    }
    let all = loaded(file, env, own);
    judge(&named, &all)
}

/// `named`: libraries that the program names itself; `all`: those that the loader finds for it, and where.
fn judge(named: &[String], all: &[(String, PathBuf)]) -> Needs {
    let pmix = all.iter().find(|(name, _)| name.starts_with("libpmix.so"));
    let mpi = all.iter().find(|(name, _)| is_open_mpi(name));
    if pmix.is_none() && mpi.is_none() {
        return Needs::Nothing;
    }
    let own = pmix.map(|(_, path)| path.clone());
    let near = mpi.and_then(|(_, path)| path.parent()).map(beside).unwrap_or_default();
    let paths = own.into_iter().chain(near).collect();
    let version_4 = all.iter().any(|(name, _)| name.starts_with("libopen-rte."));
    let of_ours = named.iter().any(|n| n.starts_with("liboshmpi."));
    if version_4 || of_ours { Needs::Helped(paths) } else { Needs::Pmix(paths) }
}

/// The libraries that a program names; none: it is no program with a loader.
fn libraries(file: &Path) -> Option<Vec<String>> {
    let cache = ReadCache::new(File::open(file).ok()?);
    named::<elf::FileHeader64<Endianness>, _>(&cache)
}

fn named<'a, E: FileHeader<Endian = Endianness>, R: ReadRef<'a>>(data: R) -> Option<Vec<String>> {
    let header = E::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    let (entries, strings) = sections.dynamic(endian, data).ok()??;
    let strings = sections.strings(endian, data, strings).ok()?;
    let name = |e: &E::Dyn| {
        let at = (e.tag(endian) == elf::DT_NEEDED).then(|| e.val32(endian)).flatten()?;
        Some(String::from_utf8_lossy(strings.get(at).ok()?).into_owned())
    };
    Some(entries.iter().filter_map(name).collect())
}

/// The libraries that the loader finds for a program, with its environment, and where. The loader itself is asked: nobody else
/// knows all its rules.
fn loaded(file: &Path, env: &[(Word, Word)], own: &[(Word, Word)]) -> Vec<(String, PathBuf)> {
    let os = |w: &Word| OsStr::from_bytes(w).to_os_string();
    let asked = Command::new(file)
        .env_clear()
        .envs(env.iter().chain(own).map(|(n, v)| (os(n), os(v))))
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let text = asked.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    text.lines().filter_map(line).collect()
}

/// `libmpi.so.40 => /usr/lib/libmpi.so.40 (0x...)`
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
        let named = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let all = |list: &[&str]| list.iter().map(|n| (n.to_string(), Path::new("/x").join(n))).collect::<Vec<_>>();
        assert_eq!(judge(&named(&["libz.so.1"]), &all(&["libz.so.1", "libc.so.6"])), Needs::Nothing);
        assert_eq!(judge(&named(&["libmpi.so.40"]), &all(&["libmpi.so.40"])), Needs::Pmix(vec![]));
        let own = vec![PathBuf::from("/x/libpmix.so.2")];
        let five = all(&["libmpi.so.40", "libopen-pal.so.80", "libpmix.so.2"]);
        assert_eq!(judge(&named(&["libmpi.so.40"]), &five), Needs::Pmix(own.clone()));
        assert_eq!(judge(&named(&["libpetsc.so"]), &five), Needs::Pmix(own.clone()));
        assert_eq!(judge(&named(&["liboshmpi.so.1", "libmpi.so.40"]), &five), Needs::Helped(own));
        let four = all(&["libmpi.so.40", "libopen-rte.so.40"]);
        assert_eq!(judge(&named(&["libmpi.so.40"]), &four), Needs::Helped(vec![]));
    }

    #[test]
    fn plain_programs_are_not_asked_further() {
        for plain in ["libc.so.6", "libm.so.6", "libmpich.so.12", "libmpi.so.12", "liboshmpi.so.1", "libpmi2.so.0"] {
            assert!(is_plain(plain), "{plain}");
        }
        for other in ["libmpi.so.40", "libpmix.so.2", "libz.so.1", "libpetsc.so.3"] {
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
    fn a_programs_libraries_are_found() {
        let own = libraries(&std::env::current_exe().unwrap()).unwrap();
        assert!(own.iter().any(|n| n.starts_with("libc.")), "{own:?}");
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("script");
        std::fs::write(&script, "#!/bin/sh\n").unwrap();
        assert_eq!(libraries(&script), None);
        assert_eq!(libraries(&dir.path().join("nothing")), None);
    }
}
