//! What tasks share: where the tree is, which MPIs there are, how to run a command.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The top of the checkout.
pub fn root() -> PathBuf {
    // xtask/ is one level below the top; the path is fixed when xtask is built, which is always in the checkout.
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

/// Calls `work` for every item, on so many threads.
pub fn each<T: Sync>(items: &[T], workers: usize, work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|s| {
        for _ in 0..workers {
            s.spawn(|| {
                // Relaxed: only the numbers must differ; the items are there since before the threads.
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}

/// An MPI that oshmpi is built over.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum)]
pub enum Mpi {
    Mpich,
    Openmpi,
}

/// An MPI that is not Debian's.
#[derive(Debug)]
struct Examined {
    /// Its compiler wrapper.
    mpicc: PathBuf,
    /// Distinguishes MPIs with the same path: alternatives, modules and upgrades can replace one by another.
    identity: u64,
}

static OTHER: OnceLock<Examined> = OnceLock::new();

impl Examined {
    fn target_dir(&self) -> PathBuf {
        let place = self.mpicc.strip_prefix("/").unwrap_or(&self.mpicc);
        builds().join(place).join(format!("{:016x}", self.identity))
    }
}

/// The target directories of all builds.
fn builds() -> PathBuf {
    root().join("target/build")
}

/// Where a command is: as it is called, or on the path.
fn find(command: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return std::path::absolute(command).ok().filter(|p| p.is_file());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|dir| dir.join(command)).find(|p| p.is_file())
}

/// Whether a command is there.
pub fn command_exists(command: &str) -> bool {
    find(command).is_some()
}

/// `/opt/mpi/bin/mpicc.x` and `mpicxx` give `/opt/mpi/bin/mpicxx.x`. The launcher of `mpicc_abi` is `mpiexec`.
fn beside(mpicc: &Path, tool: &str) -> String {
    let name = mpicc.file_name().unwrap_or_default().to_string_lossy().replacen("mpicc", tool, 1);
    let [same, without] = [&*name, name.trim_end_matches("_abi")].map(|name| mpicc.with_file_name(name));
    if same.exists() { same } else { without }.display().to_string()
}

/// The MPI whose compiler wrapper is `mpicc`, and which of the two it is or descends from.
fn examine(mpicc: &str) -> Result<(Examined, Mpi)> {
    let found = find(mpicc).with_context(|| format!("there is no command {mpicc}"))?;
    let name = found.file_name().unwrap_or_default().to_string_lossy();
    if !name.contains("mpicc") {
        bail!("{name} is not called mpicc, so mpicxx, mpifort and mpiexec cannot be told from its name");
    }
    let ask = |words: &[&str]| {
        let mut c = Command::new(&found);
        // Intel's wrappers that pip has installed do not know where they lie.
        if std::env::var_os("I_MPI_ROOT").is_none() {
            c.envs(found.parent().and_then(Path::parent).map(|root| ("I_MPI_ROOT", root)));
        }
        output(c.args(words))
    };
    let macros = ask(&["-dM", "-E", "-include", "mpi.h", "-x", "c", "/dev/null"])?;
    let is_openmpi = macros.lines().any(|l| l.starts_with("#define OPEN_MPI "));
    let mut identity = DefaultHasher::new();
    (&macros, ask(&["-show"])?).hash(&mut identity);
    let examined = Examined { mpicc: found, identity: identity.finish() };
    Ok((examined, if is_openmpi { Mpi::Openmpi } else { Mpi::Mpich }))
}

impl Mpi {
    pub const ALL: [Mpi; 2] = [Mpi::Mpich, Mpi::Openmpi];

    /// Name as used in file names and options.
    pub fn name(self) -> &'static str {
        match self {
            Mpi::Mpich => "mpich",
            Mpi::Openmpi => "openmpi",
        }
    }

    /// The command of this MPI, as Debian's alternatives name it: `mpicc.mpich`, `mpiexec.openmpi`. Another MPI than
    /// Debian's has it beside its mpicc.
    pub fn command(self, tool: &str) -> String {
        match OTHER.get() {
            Some(other) => beside(&other.mpicc, tool),
            None => self.debians_command(tool),
        }
    }

    /// The command of this MPI of Debian's.
    pub fn debians_command(self, tool: &str) -> String {
        format!("{tool}.{}", self.name())
    }

    /// Makes this process build over the MPI whose compiler wrapper `mpicc` is. Returns which of the two MPIs it is or
    /// descends from.
    pub fn other(mpicc: &str) -> Result<Mpi> {
        let (found, kind) = examine(mpicc)?;
        OTHER.set(found).expect("one MPI is chosen, once");
        Ok(kind)
    }

    /// Whether an MPI is chosen that is not Debian's.
    pub fn is_other(self) -> bool {
        OTHER.get().is_some()
    }

    /// Where `cargo xtask test`, `demo` and `bench` install oshmpi for this MPI.
    pub fn prefix(self) -> PathBuf {
        root().join("target/prefix").join(self.name())
    }

    /// The cargo target directory of builds over this MPI. Each MPI has a separate one: cargo does not notice when
    /// MPICC changes, and would mix the two.
    pub fn target_dir(self) -> PathBuf {
        match OTHER.get() {
            Some(other) => other.target_dir(),
            None => self.debians_target_dir(),
        }
    }

    /// That of builds over this MPI of Debian's.
    pub fn debians_target_dir(self) -> PathBuf {
        builds().join(self.name())
    }

    /// What `OSHMPI_MPI_LIBRARY` is set to where no launcher of the MPI tells that it is to be loaded.
    pub fn library(self) -> PathBuf {
        let is_standard = OTHER.get().is_some_and(|other| other.mpicc.to_string_lossy().ends_with("_abi"));
        let names = match self {
            _ if is_standard => ["libmpi_abi.so.1"; 2],
            Mpi::Mpich => ["libmpi.so.12", "libmpich.so.12"],
            Mpi::Openmpi => ["libmpi.so.40"; 2],
        };
        let lib = OTHER.get().and_then(|other| Some(other.mpicc.parent()?.parent()?.join("lib")));
        let beside = lib.iter().flat_map(|lib| names.map(|name| lib.join(name))).find(|file| file.exists());
        beside.unwrap_or_else(|| names[1].into())
    }

    /// A launcher call for `n` PEs, before the program's name. More PEs than cores is the normal case.
    pub fn mpiexec(self, n: usize) -> Command {
        let mut c = Command::new(self.command("mpiexec"));
        if self == Mpi::Openmpi {
            c.args(["--oversubscribe", "--bind-to", "none"]);
            // Open MPI refuses to run as root (containers, CI) unless told.
            c.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        }
        c.arg("-n").arg(n.to_string());
        c
    }

    /// A call of Open MPI 5's launcher as it is without MPI, before the program's name.
    pub fn prterun(self, n: usize) -> Command {
        let mut c = Command::new(self.command("prterun"));
        c.args(["--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none", "-n", &n.to_string()]);
        c
    }

    /// Whether this MPI's mpiexec, mpifort and the like are there.
    pub fn has(self, tool: &str) -> bool {
        find(&self.command(tool)).is_some()
    }
}

/// Who starts a job on this host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launcher {
    Oshrun,
    Mpiexec,
}

impl Launcher {
    pub const ALL: [Launcher; 2] = [Launcher::Oshrun, Launcher::Mpiexec];

    pub fn name(self) -> &'static str {
        match self {
            Launcher::Oshrun => "oshrun",
            Launcher::Mpiexec => "mpiexec",
        }
    }

    /// Its call for `n` PEs, before the program's name: oshrun as tasks install it for this MPI, or the MPI's mpiexec.
    pub fn command(self, mpi: Mpi, n: usize) -> Command {
        match self {
            Launcher::Mpiexec => mpi.mpiexec(n),
            Launcher::Oshrun => {
                let mut c = Command::new(mpi.prefix().join("bin/oshrun"));
                c.env("OSHMPI_MPI_LIBRARY", mpi.library()).arg("-n").arg(n.to_string());
                c
            }
        }
    }
}

impl fmt::Display for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a program's source names MPI's header.
pub fn calls_mpi(source: &Path) -> Result<bool> {
    let text = std::fs::read(source).with_context(|| format!("cannot read {}", source.display()))?;
    let text = String::from_utf8_lossy(&text);
    Ok(["#include <mpi.h>", "include 'mpif.h'"].iter().any(|line| text.contains(line)))
}

/// The text of a file.
pub fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a text file.
pub fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// A directory, which is made if it is not there.
pub fn made(dir: PathBuf) -> Result<PathBuf> {
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    Ok(dir)
}

/// The files of a directory with this ending, sorted.
pub fn files(dir: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))?;
    let mut files = entries.map(|e| Ok(e?.path())).collect::<Result<Vec<PathBuf>>>()?;
    files.retain(|p| p.extension().is_some_and(|e| e == ending));
    files.sort();
    Ok(files)
}

/// Runs a command to its end; an error names the command.
pub fn run(c: &mut Command) -> Result<()> {
    let status = c.status().with_context(|| format!("cannot start {c:?}"))?;
    if !status.success() {
        bail!("{c:?} ended with {status}");
    }
    Ok(())
}

/// What a job may take if its time is not tested. On an idle machine the slowest takes two seconds.
const LIMIT: Duration = Duration::from_secs(120);

/// `c` with a time limit, at which it and all that it has started are ended. It reads nothing.
pub fn limited(c: &Command) -> Command {
    limited_to(c, LIMIT)
}

/// `c` with this time limit.
pub fn limited_to(c: &Command, limit: Duration) -> Command {
    let mut t = Command::new("timeout");
    t.args(["-k", "5", &limit.as_secs_f64().to_string()]).stdin(Stdio::null());
    behind(t, c)
}

/// `first` with `c` as its last arguments, in the environment and directory of `c`. `first` is a command that runs
/// another one.
pub fn behind(mut first: Command, c: &Command) -> Command {
    first.arg(c.get_program()).args(c.get_args());
    for (name, value) in c.get_envs() {
        match value {
            Some(value) => first.env(name, value),
            None => first.env_remove(name),
        };
    }
    if let Some(dir) = c.get_current_dir() {
        first.current_dir(dir);
    }
    first
}

/// The cargo that runs this task, at the top of the checkout.
pub fn cargo() -> Command {
    let mut c = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // The results of a build for a named target lie in another directory. Old results would be taken for the new ones.
    c.current_dir(root()).env_remove("CARGO_BUILD_TARGET");
    c
}

/// Lets cargo build over the MPI of this compiler wrapper, with results of its own.
pub fn over_mpi(c: &mut Command, mpicc: &str, target_dir: &Path) {
    c.env("MPICC", mpicc).env("CARGO_TARGET_DIR", target_dir);
    // A user's `build.build-dir` would be common to all MPIs, and cargo does not notice when the MPI is another.
    c.env("CARGO_BUILD_BUILD_DIR", target_dir);
    // The crate `mpi` asks these before MPICC. Crays set the second one.
    c.env_remove("MPI_PKG_CONFIG").env_remove("CRAY_MPICH_DIR");
}

/// Cargo for tests beside this MPI, and for what is compiled over its headers.
pub fn cargo_over(mpi: Mpi) -> Command {
    let mut c = cargo();
    over_mpi(&mut c, &mpi.command("mpicc"), &mpi.target_dir());
    // What shmem-sys links with.
    c.env("OSHMPI_PREFIX", mpi.prefix());
    c
}

/// Runs a command and returns what it printed on stdout; an error names the command and quotes its stderr.
pub fn output(c: &mut Command) -> Result<String> {
    let out = c.output().with_context(|| format!("cannot start {c:?}"))?;
    if !out.status.success() {
        let printed = String::from_utf8_lossy(&out.stderr);
        bail!("{c:?} ended with {}\n{}", out.status, printed.trim_end());
    }
    String::from_utf8(out.stdout).with_context(|| format!("{c:?} did not print UTF-8"))
}

/// The middle value; of an even number of values, the mean of the two in the middle. `values` must not be empty.
pub fn median(values: &mut [f64]) -> f64 {
    assert!(!values.is_empty(), "the median of nothing");
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// One of the two streams of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    Out,
    Err,
}

/// Runs a command and shows its output while it runs. `visible` gets each line of one stream and tells whether it is
/// shown.
pub fn listen(c: &mut Command, to: Stream, mut visible: impl FnMut(&str) -> bool) -> Result<()> {
    match to {
        Stream::Out => c.stdout(Stdio::piped()),
        Stream::Err => c.stderr(Stdio::piped()),
    };
    let mut child = c.spawn().with_context(|| format!("cannot start {c:?}"))?;
    let pipe: Box<dyn Read> = match to {
        Stream::Out => Box::new(child.stdout.take().expect("stdout is piped")),
        Stream::Err => Box::new(child.stderr.take().expect("stderr is piped")),
    };
    for line in BufReader::new(pipe).split(b'\n') {
        let line = line.with_context(|| format!("cannot read what {c:?} prints"))?;
        let line = String::from_utf8_lossy(&line);
        match (visible(&line), to) {
            (false, _) => {}
            (true, Stream::Out) => println!("{line}"),
            (true, Stream::Err) => eprintln!("{line}"),
        }
    }
    let status = child.wait().with_context(|| format!("cannot wait for {c:?}"))?;
    if !status.success() {
        bail!("{c:?} ended with {status}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut c = Command::new("sh");
        c.args(["-c", script]);
        c
    }

    #[test]
    fn the_other_commands_of_an_mpi_are_beside_its_compiler() {
        assert_eq!(beside(Path::new("/opt/mpi/bin/mpicc"), "mpiexec"), "/opt/mpi/bin/mpiexec");
        assert_eq!(beside(Path::new("/usr/bin/mpicc.x"), "mpicxx"), "/usr/bin/mpicxx.x");
        assert_eq!(beside(Path::new("/opt/mpi/bin/mpicc_abi"), "mpiexec"), "/opt/mpi/bin/mpiexec");
        assert_eq!(find("oshmpi-no-such-command"), None);
        assert!(find("sh").is_some());
        assert!(examine("/bin/sh").unwrap_err().to_string().contains("not called mpicc"));
        assert!(examine("oshmpi-no-such-mpicc").unwrap_err().to_string().contains("no command"));
        for mpi in Mpi::ALL {
            assert_eq!(examine(&mpi.command("mpicc")).unwrap().1, mpi);
        }
    }

    #[test]
    fn a_target_of_the_callers_does_not_move_the_results() {
        for c in [cargo(), cargo_over(Mpi::Mpich)] {
            assert!(c.get_envs().any(|(name, value)| name == "CARGO_BUILD_TARGET" && value.is_none()), "{c:?}");
        }
    }

    #[test]
    fn nothing_but_the_wrapper_tells_which_mpi_is_built_over() {
        let mut c = cargo();
        over_mpi(&mut c, "mpicc.x", Path::new("/results"));
        let value =
            |name: &str| c.get_envs().find(|(n, _)| *n == name).map(|(_, value)| value.and_then(|v| v.to_str()));
        assert_eq!(value("MPICC"), Some(Some("mpicc.x")));
        assert_eq!(["CARGO_TARGET_DIR", "CARGO_BUILD_BUILD_DIR"].map(value), [Some(Some("/results")); 2]);
        assert_eq!(["MPI_PKG_CONFIG", "CRAY_MPICH_DIR"].map(value), [Some(None); 2]);
    }

    #[test]
    fn a_limited_command_is_the_same_with_an_end() {
        let mut c = sh("pwd; echo $A$HOME; cat /proc/$PPID/comm; cat");
        let printed = output(&mut limited(c.current_dir("/").env("A", "b").env_remove("HOME"))).unwrap();
        assert_eq!(printed, "/\nb\ntimeout\n");
    }

    #[test]
    fn listen_hears_every_line_and_the_status() {
        let mut lines = Vec::new();
        let keep = |l: &str| {
            lines.push(l.to_string());
            false
        };
        listen(&mut sh("echo a; printf b"), Stream::Out, keep).unwrap();
        assert_eq!(lines, ["a", "b"]);
        let e = listen(&mut sh("echo c >&2; exit 3"), Stream::Err, |_| false).unwrap_err();
        assert!(e.to_string().contains("exit status: 3"), "{e}");
    }
}
