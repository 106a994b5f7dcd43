//! The tests of both libraries: they compile C programs, link them with a library and run them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A library that cargo has built for this test, under the name that the dynamic linker looks for.
pub struct Library {
    name: &'static str,
    dir: PathBuf,
}

impl Library {
    /// `name` is "pmi" or "pmi2".
    pub fn new(name: &'static str) -> Library {
        let exe = env::current_exe().unwrap();
        let deps = exe.parent().unwrap();
        // Each test program has its own directory, because they run at the same time.
        let dir = exe.with_extension("lib");
        fs::create_dir_all(&dir).unwrap();
        let so = dir.join(format!("lib{name}.so.0"));
        let beside = dir.join(format!("{}.{:?}", so.display(), std::thread::current().id()));
        fs::copy(deps.join(format!("lib{name}.so")), &beside).unwrap();
        fs::rename(&beside, &so).unwrap();
        Library { name, dir }
    }

    pub fn file(&self) -> PathBuf {
        self.dir.join(format!("lib{}.so.0", self.name))
    }

    /// Checks the exported names, the library's name, and that it needs nothing that a program's machine may lack.
    pub fn check_names(&self, wanted: &str) {
        let mut wanted: Vec<&str> = wanted.split_whitespace().collect();
        wanted.sort_unstable();
        assert_eq!(self.symbols(), wanted);
        assert_eq!(self.dynamic("SONAME"), [format!("lib{}.so.0", self.name)]);
        let system = ["libc.so.6", "libgcc_s.so.1", "ld-linux-"];
        assert!(self.dynamic("NEEDED").iter().all(|n| system.iter().any(|s| n.starts_with(s))));
    }

    /// Compiles the library's C test and links it.
    pub fn program(&self) -> PathBuf {
        let capi = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let program = self.dir.join(format!("{}.{:?}.exe", self.name, std::thread::current().id()));
        let mut c = Command::new("cc");
        c.args(["-std=c99", "-pthread", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]).arg(capi.join("include"));
        c.arg(capi.join(format!("tests/{}.c", if self.name == "pmi" { "pmi1" } else { "pmi2" })));
        c.arg("-o").arg(&program).arg(self.file());
        c.arg(format!("-Wl,-rpath,{}", self.dir.display()));
        assert!(c.status().unwrap().success(), "{c:?}");
        program
    }

    /// The names that the library exports.
    pub fn symbols(&self) -> Vec<String> {
        let out = Command::new("nm").args(["-D", "--defined-only"]).arg(self.file()).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let mut names: Vec<String> = text.lines().filter_map(|l| Some(l.split(' ').nth(2)?.to_owned())).collect();
        names.sort();
        names
    }

    /// Values of the dynamic section.
    pub fn dynamic(&self, tag: &str) -> Vec<String> {
        let out = Command::new("readelf").arg("-d").arg(self.file()).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let value = |l: &str| Some(l.split_once('[')?.1.split_once(']')?.0.to_owned());
        text.lines().filter(|l| l.contains(&format!("({tag})"))).filter_map(value).collect()
    }
}

/// The header compiles alone, twice, as C and as C++.
pub fn header(name: &str) {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("include");
    let header = include.join(name);
    let source = env::current_exe().unwrap().with_extension("header.c");
    fs::write(&source, format!("#include \"{0}\"\n#include \"{0}\"\n", header.display())).unwrap();
    for (compiler, standard) in [("cc", "-std=c99"), ("cc", "-std=c17"), ("c++", "-std=c++17")] {
        let mut c = Command::new(compiler);
        c.args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]);
        c.args(if compiler == "cc" { ["-x", "c"] } else { ["-x", "c++"] }).arg(&source);
        assert!(c.status().unwrap().success(), "{c:?}");
    }
}

/// Checks that all of `n` ranks have printed that they are content.
pub fn content(out: &std::process::Output, n: u32) {
    let text = String::from_utf8_lossy(&out.stdout);
    let all = (0..n).all(|r| text.contains(&format!("rank {r} of {n} is content")));
    assert!(out.status.success() && all, "{}\n{text}\n{}", out.status, String::from_utf8_lossy(&out.stderr));
}

/// A program without a launcher's environment.
pub fn alone(program: &Path) -> Command {
    let mut c = Command::new(program);
    for name in ["PMI_FD", "PMI_PORT", "PMI_ID", "PMI_RANK", "PMI_SIZE", "PMI_JOBID", "PMI_SPAWNED"] {
        c.env_remove(name);
    }
    c
}

/// Runs a program under Hydra.
pub fn hydra(n: u32, options: &[&str], program: &Path, args: &[&str]) -> std::process::Output {
    let mut c = alone(Path::new("mpiexec.mpich"));
    c.args(["-n", &n.to_string()]).args(options).arg(program).args(args);
    c.output().expect("these tests need mpiexec.mpich (Debian: mpich)")
}
