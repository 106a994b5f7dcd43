//! What a run may leave behind: nothing. Where the system allows a private mount namespace, each run gets a private
//! /dev/shm and /tmp. Elsewhere TMPDIR is private, and /dev/shm is not looked at.

use crate::processes::{self, Mark};
use crate::util::Mpi;
use anyhow::{Context, Result};
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// How long the helpers of a launcher may take to clean up after its end.
const GRACE: Duration = Duration::from_secs(10);

/// Names that belong to the MPI: (MPI, directory, start of the name). Allowed only where a PE was killed.
///
/// MPICH 4.0 makes named segments inside MPI_Init and unlinks them a moment later: `mpich_shar_tmp*` are its segments,
/// and `ucx_shm_posix_*` those of UCX. A plain MPI program that is killed in between leaves them as well. Open MPI's
/// MPI_Init makes and unlinks `open_mpi.NNNN` to see whether POSIX shared memory works; everything else mpiexec
/// removes. With `OSHMPI_TRANSPORT=ucx` UCX has its segments there, too.
const OF_THE_MPI: &[(Mpi, &str, &str)] = &[
    (Mpi::Mpich, "shm", "mpich_shar_tmp"),
    (Mpi::Mpich, "shm", "ucx_shm_posix_"),
    (Mpi::Openmpi, "shm", "open_mpi."),
    (Mpi::Openmpi, "shm", "ucx_shm_posix_"),
];

/// Names of files of the launcher. They are allowed where a job ends early: Hydra 4.3 and later write the machine's
/// description into such a file, and a proxy that ends with its ranks does not remove it.
const OF_THE_LAUNCHER: &[(Mpi, &str, &str)] = &[(Mpi::Mpich, "tmp", "hydra_hwloc_xmlfile_")];

/// Names of files of the MPI that its launcher would remove. They are allowed where a program runs without a launcher
/// or under that of another MPI. `sm_segment.` belongs to Open MPI 5.
const OF_THE_MPI_ALONE: &[(Mpi, &str, &str)] = &[(Mpi::Openmpi, "tmp", "ompi."), (Mpi::Openmpi, "shm", "sm_segment.")];

/// What is found after a run, in words.
pub struct Remains {
    /// What must not be there.
    pub faults: Vec<String>,
    /// Files of the MPI that may be there (see `OF_THE_MPI` and those below it).
    pub allowed: Vec<String>,
}

/// What is known of a run's end.
#[derive(Default)]
pub struct End<'a> {
    /// A PE was killed on purpose.
    pub killed: bool,
    /// The job did not end by itself.
    pub early: bool,
    /// The job was started without a launcher, or by that of another MPI.
    pub no_launcher: bool,
    /// The launcher, of another project, hung or crashed: only files of this project are judged.
    pub lost: bool,
    /// Only processes that run this program are judged.
    pub only: Option<&'a Path>,
}

/// Names of files of this project begin so.
const OURS: &str = "osh";

/// The places of one run.
pub struct Scene {
    mark: Mark,
    /// Stands for /tmp, or TMPDIR points to it.
    tmp: PathBuf,
    /// Stands for /dev/shm, if both are mounted.
    shm: Option<PathBuf>,
    /// How long what is left may take to go.
    grace: Duration,
}

/// Whether every run has its own /dev/shm and /tmp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Private(bool);

impl Private {
    pub fn is_complete(self) -> bool {
        self.0
    }

    /// What this machine allows for runs that need the files below `visible`: a mount hides what lies below it.
    pub fn with(visible: impl IntoIterator<Item = PathBuf>) -> Result<Private> {
        // Resolved paths: a link may lead below such a directory.
        let real = |path: PathBuf| fs::canonicalize(&path).with_context(|| format!("cannot find {}", path.display()));
        let visible = visible.into_iter().map(real).collect::<Result<Vec<_>>>()?;
        Ok(Private(!hides(&visible) && private_mounts_work()))
    }
}

fn hides(visible: &[PathBuf]) -> bool {
    visible.iter().any(|path| path.starts_with("/dev/shm") || path.starts_with("/tmp"))
}

/// Names of the places of runs begin so; the runner's process id and a number follow.
const SCENE: &str = "oshmpi-ctest.";

/// Removes the places of runners that were ended before they could.
pub fn sweep() {
    for dir in [std::env::temp_dir(), "/dev/shm".into()] {
        for name in names(&dir) {
            let owner = name.strip_prefix(SCENE).and_then(|rest| rest.split('.').next());
            if owner.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
                let _ = fs::remove_dir_all(dir.join(name));
            }
        }
    }
}

/// Whether private mounts work here: a process may make a mount namespace and bind in it.
fn private_mounts_work() -> bool {
    let dir = std::env::temp_dir();
    let mut c = Command::new("true");
    bind_before_exec(&mut c, &[(dir.clone(), dir)]).is_ok() && c.status().is_ok_and(|s| s.success())
}

/// Makes the command run in a new mount namespace, with each first path bound onto its second.
fn bind_before_exec(c: &mut Command, binds: &[(PathBuf, PathBuf)]) -> Result<()> {
    let text = |p: &Path| CString::new(p.as_os_str().as_bytes()).context("a path has a NUL");
    let binds = binds.iter().map(|(a, b)| Ok((text(a)?, text(b)?))).collect::<Result<Vec<_>>>()?;
    let enter = move || {
        let check = |code: libc::c_int| if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) };
        let none = std::ptr::null();
        // SAFETY: no memory is passed.
        check(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
        // SAFETY: the strings are NUL-terminated constants; null is allowed for the others with these flags.
        check(unsafe { libc::mount(none, c"/".as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, none.cast()) })?;
        for (from, to) in &binds {
            // SAFETY: both are NUL-terminated strings that live as long as the closure.
            check(unsafe { libc::mount(from.as_ptr(), to.as_ptr(), none, libc::MS_BIND, none.cast()) })?;
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls only, no allocation and no lock, as is asked between fork and exec.
    unsafe { c.pre_exec(enter) };
    Ok(())
}

impl Scene {
    /// New empty places for one run.
    pub fn new(private: Private) -> Result<Scene> {
        let mark = Mark::new(SCENE);
        // Short names: launchers put sockets below, whose paths have at most 107 bytes.
        let tmp = std::env::temp_dir().join(mark.name());
        fs::create_dir(&tmp).with_context(|| format!("cannot make {}", tmp.display()))?;
        let shm = private.0.then(|| Path::new("/dev/shm").join(mark.name()));
        if let Some(shm) = &shm {
            fs::create_dir(shm).with_context(|| format!("cannot make {}", shm.display()))?;
        }
        Ok(Scene { mark, tmp, shm, grace: GRACE })
    }

    /// Puts the command into the scene, in a new session.
    pub fn enter(&self, c: &mut Command) -> Result<()> {
        self.mark.put(c);
        match &self.shm {
            Some(shm) => {
                c.env_remove("TMPDIR");
                bind_before_exec(c, &[(shm.clone(), "/dev/shm".into()), (self.tmp.clone(), "/tmp".into())])?;
            }
            None => {
                c.env("TMPDIR", &self.tmp);
            }
        }
        // SAFETY: setsid is a system call without arguments, allowed between fork and exec.
        unsafe {
            c.pre_exec(|| {
                libc::setsid();
                Ok(())
            })
        };
        Ok(())
    }

    /// What is left of the run. Waits a little for it to go.
    pub fn remains(&self, mpi: Mpi, end: &End) -> Remains {
        let deadline = Instant::now() + self.grace;
        loop {
            let mut found = Remains { faults: Vec::new(), allowed: Vec::new() };
            match end.only {
                Some(program) if !self.runs(program) => found.allowed.extend(self.running()),
                _ => found.faults.extend(self.running()),
            }
            for (kind, dir, names) in self.files() {
                for name in names {
                    let rule = |&(m, k, start): &(Mpi, &str, &str)| m == mpi && k == kind && name.starts_with(start);
                    let excused = end.killed && OF_THE_MPI.iter().any(rule)
                        || end.early && OF_THE_LAUNCHER.iter().any(rule)
                        || end.no_launcher && OF_THE_MPI_ALONE.iter().any(rule)
                        || end.lost && !name.starts_with(OURS);
                    let list = if excused { &mut found.allowed } else { &mut found.faults };
                    list.push(format!("left behind: {}/{name}", dir.display()));
                }
            }
            if found.faults.is_empty() || Instant::now() > deadline {
                return found;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether a process of the run runs this program.
    pub fn runs(&self, program: &Path) -> bool {
        self.processes().iter().any(|&pid| processes::runs(pid, program))
    }

    /// The processes of the run, in words.
    pub fn running(&self) -> Vec<String> {
        self.processes().iter().map(|&p| format!("process {p} is there: {}", processes::command_line(p))).collect()
    }

    /// Names that are left: (kind, directory as the run saw it, names in it).
    fn files(&self) -> Vec<(&'static str, PathBuf, Vec<String>)> {
        match &self.shm {
            Some(shm) => vec![("tmp", "/tmp".into(), names(&self.tmp)), ("shm", "/dev/shm".into(), names(shm))],
            None => vec![("tmp", self.tmp.clone(), names(&self.tmp))],
        }
    }

    /// The numbers of the run's processes.
    pub fn processes(&self) -> Vec<i32> {
        self.mark.processes()
    }

    /// Ends every process of the run.
    pub fn kill(&self) {
        self.mark.end();
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.tmp);
        if let Some(shm) = &self.shm {
            let _ = fs::remove_dir_all(shm);
        }
    }
}

fn names(dir: &Path) -> Vec<String> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.file_name().to_string_lossy().into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a shell command in a scene and tells what remains of it.
    fn left_by(script: &str) -> Vec<String> {
        let private = Private::with([crate::util::root()]).unwrap();
        let mut scene = Scene::new(private).unwrap();
        scene.grace = Duration::from_millis(500);
        let mut c = Command::new("sh");
        c.args(["-c", script]);
        scene.enter(&mut c).unwrap();
        assert!(c.status().unwrap().success());
        let found = scene.remains(Mpi::Mpich, &End::default()).faults;
        scene.kill();
        assert!(scene.processes().is_empty());
        found
    }

    #[test]
    fn a_file_that_stays_is_found() {
        let found = left_by("touch ${TMPDIR:-/tmp}/stays");
        assert!(found.len() == 1 && found[0].ends_with("/stays"), "{found:?}");
    }

    #[test]
    fn a_process_that_stays_is_found_and_ended() {
        let found = left_by("setsid sleep 60 >/dev/null 2>&1 &");
        assert!(found.iter().any(|f| f.contains("sleep 60")), "{found:?}");
    }

    #[test]
    fn what_a_run_needs_is_not_hidden_from_it() {
        let hides = |paths: &[&str]| hides(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert!(!hides(&["/opt/oshmpi", "/tmpfiles"]));
        assert!(hides(&["/opt/oshmpi", "/tmp/o"]) && hides(&["/dev/shm/tree"]));
    }
}
