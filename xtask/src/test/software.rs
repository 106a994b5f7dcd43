//! The installed software: three ways to build the same program give the same result, also from a prefix that was
//! moved; osh_info says what the library says; manual pages and completions are in order; pip installs a wheel of it;
//! uninstall leaves nothing.

use crate::install;
use crate::util::{Mpi, limited, made, output, root, run};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Moved {
    mpi: Mpi,
    dir: PathBuf,
    prefix: PathBuf,
}

pub fn check(mpi: Mpi) -> Result<()> {
    let dir = root().join("target/software").join(mpi.name());
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(dir.parent().context("it lies below target")?)?;
    run(Command::new("cp").arg("-a").arg(root().join("tests/software")).arg(&dir))?;
    // A path without blanks: neither pkg-config nor the MPIs' wrappers take one with a blank.
    let prefix = dir.join("moved");
    run(Command::new("cp").arg("-a").arg(mpi.prefix()).arg(&prefix))?;
    let m = Moved { mpi, dir, prefix };
    m.same_program()?;
    m.profile()?;
    m.heap()?;
    m.info()?;
    m.manual()?;
    m.completions()?;
    m.wheel()?;
    m.uninstall()
}

impl Moved {
    /// What a program prints on 2 PEs, sorted.
    fn prints(&self, program: &str) -> Result<Vec<String>> {
        let printed = output(&mut limited(self.mpi.mpiexec(2).arg(self.dir.join(program))))?;
        let mut lines: Vec<String> = printed.lines().map(str::to_string).collect();
        lines.sort();
        Ok(lines)
    }

    /// A page and a trace of hello: a put of each of 3 PEs to its neighbour, from the line where it stands.
    fn profile(&self) -> Result<()> {
        let (page, trace) = (self.dir.join("page.html"), self.dir.join("trace.json"));
        let mut c = install::wrapper(&self.prefix, "oshcc");
        run(c.args(["-g", "-o"]).arg(self.dir.join("hello-g")).arg(root().join("examples/c/hello.c")))?;
        let mut c = install::wrapper(&self.prefix, "oshrun");
        c.args(["-n", "3", "--profile"]).arg(&page).arg("--trace").arg(&trace).arg(self.dir.join("hello-g"));
        output(&mut limited(&c))?;
        let text = fs::read_to_string(&page).context("oshrun --profile wrote no page")?;
        for part in ["\"pairs\":[[0,1,0,1,4],[1,2,0,1,4],[2,0,0,1,4]]", "[\"shmem_int_p\",0,\"hello.c:"] {
            ensure!(text.contains(part), "the page of hello lacks {part}");
        }
        let text = fs::read_to_string(&trace).context("oshrun --trace wrote no trace")?;
        let events = serde_json::from_str::<serde_json::Value>(&text).context("the trace is no JSON")?;
        ensure!(events["traceEvents"].as_array().is_some_and(|e| e.len() >= 6), "the trace of hello is empty");
        let left =
            fs::read_dir(&self.dir)?.filter_map(|e| e.ok()).any(|e| e.file_name().to_string_lossy().contains("parts"));
        ensure!(!left, "the PEs' files are left");
        let mut c = install::wrapper(&self.prefix, "oshrun");
        c.args(["-n", "2", "--profile", "/dev/full"]).arg(self.dir.join("hello-g"));
        let full = limited(&c).output()?;
        let words = String::from_utf8_lossy(&full.stderr).into_owned();
        let as_told = full.status.code() == Some(125) && words.contains("cannot write /dev/full");
        ensure!(as_told, "a page that cannot be written: {:?}, {words}", full.status);
        println!("profile: a page and a trace of hello, and a line where there is no room for it");
        Ok(())
    }

    /// What the recorder writes of the heap's use, in a program that no launcher starts.
    fn heap(&self) -> Result<()> {
        let program = self.dir.join("heap");
        run(install::wrapper(&self.prefix, "oshcc").arg(self.dir.join("heap.c")).arg("-o").arg(&program))?;
        let library = self.prefix.join("lib").join(install::profile::NAME);
        let mut c = Command::new("env");
        c.arg(format!("LD_PRELOAD={}", library.display())).arg(program).env("OSHRUN_PROFILE_DIR", &self.dir);
        output(&mut limited(&c))?;
        let text = fs::read_to_string(self.dir.join("pe-0")).context("the recorder wrote nothing")?;
        let samples = text.lines().filter_map(|line| line.strip_prefix("heap\t")?.split('\t').nth(1));
        let used: Vec<&str> = samples.collect();
        ensure!(used == ["100", "1000", "1040", "1000", "1160", "160", "0"], "the recorder has the use {used:?}");
        ensure!(text.contains("site\tshpclmove\tM\t") && text.ends_with("end\n"), "the recorder wrote {text}");
        println!("profile: the use of the heap is right after a pause and a new length");
        Ok(())
    }

    fn same_program(&self) -> Result<()> {
        let hello = root().join("examples/c/hello.c");
        run(install::wrapper(&self.prefix, "oshcc").arg(&hello).arg("-o").arg(self.dir.join("hello-oshcc")))?;

        let pc = self.prefix.join("lib/pkgconfig");
        for (package, program) in [("oshmpi", "hello-pkg-config"), ("oshmem", "hello-pkg-config-oshmem")] {
            let mut ask = Command::new("pkg-config");
            let flags = output(ask.env("PKG_CONFIG_PATH", &pc).args(["--cflags", "--libs", package]))?;
            let mut c = Command::new("gcc");
            c.arg(&hello).args(flags.split_whitespace()).arg("-o").arg(self.dir.join(program));
            run(&mut c)?;
        }

        // The module is there when the installation was made with a Fortran compiler.
        let fortran = self.prefix.join("include/shmem.mod").exists();
        if fortran {
            let mut c = install::wrapper(&self.prefix, "oshfort");
            run(c.arg("-w").arg(self.dir.join("fortran.f90")).arg("-o").arg(self.dir.join("fortran-oshfort")))?;
        }

        let quiet = || std::process::Stdio::null();
        run(Command::new("cmake")
            .current_dir(&self.dir)
            .args(["-S", ".", "-B", ".", "-DCMAKE_BUILD_TYPE=Debug"])
            .arg(format!("-DSOURCE={}", hello.display()))
            .arg(format!("-DFORTRAN={}", if fortran { "ON" } else { "OFF" }))
            .arg(format!("-DCMAKE_PREFIX_PATH={}", self.prefix.display()))
            .stdout(quiet()))?;
        run(Command::new("cmake").current_dir(&self.dir).args(["--build", "."]).stdout(quiet()))?;

        let first = self.prints("hello-oshcc")?;
        ensure!(first.len() == 2, "hello built with oshcc printed {first:?}");
        let others =
            ["hello-pkg-config", "hello-pkg-config-oshmem", "hello-cmake", "hello-cmake-static", "hello-by-name"];
        for other in others {
            let lines = self.prints(other)?;
            ensure!(lines == first, "{other} printed {lines:?}, hello-oshcc {first:?}");
        }
        if fortran {
            let first = self.prints("fortran-oshfort")?;
            ensure!(first == ["member 0 of 2", "member 1 of 2"], "built with oshfort: {first:?}");
            let lines = self.prints("fortran-cmake")?;
            ensure!(lines == first, "fortran-cmake printed {lines:?}");
            println!("oshfort and CMake: the same result");
            self.last_words()?;
        } else {
            println!("no Fortran compiler: CMake's component was not tried");
        }
        // Each must run with the moved library, not with the one it was copied from.
        let needed = output(Command::new("ldd").arg(self.dir.join("hello-pkg-config")))?;
        let name = install::product::soname("liboshmpi.so");
        let line = needed.lines().find_map(|l| l.trim().strip_prefix(&format!("{name} => "))).unwrap_or_default();
        let library = line.split(" (").next().map(Path::new).and_then(|p| p.canonicalize().ok());
        let ours = self.prefix.join("lib").join(name).canonicalize()?;
        ensure!(library == Some(ours), "hello-pkg-config runs with another library:\n{needed}");
        println!("oshcc, pkg-config, CMake, CMake with the archive: the same result, from a moved prefix");
        Ok(())
    }

    /// Default kinds that options make wider, and a job that ends early with its output going to a file, which gfortran
    /// buffers.
    fn last_words(&self) -> Result<()> {
        let mut c = install::wrapper(&self.prefix, "oshfort");
        run(c.arg("-w").arg(self.dir.join("kinds.f90")).arg("-o").arg(self.dir.join("kinds-oshfort")))?;
        for (program, wanted) in [
            ("kinds-oshfort", "32 10 10. 4. 10.\n"),
            ("kinds/kinds-cmake", "64 10 10. 4. 10.\n"),
            ("old/kinds-old", "64 10 10. 4. 10.\n"),
        ] {
            let file = self.dir.join("last-words");
            let out = fs::File::create(&file).context("cannot make a file for the output")?;
            // The file is the standard output of the rank itself.
            let mut c = install::wrapper(&self.prefix, "oshrun");
            c.args(["-n", "2", "sh", "-c", r#"exec "$1" >> "$2""#, "sh"]).arg(self.dir.join(program)).arg(&file);
            drop(out);
            let status = limited(&c).stderr(std::process::Stdio::null()).status().context("cannot start oshrun")?;
            let printed = fs::read_to_string(&file).context("cannot read the output")?;
            ensure!(
                status.code() == Some(7) && printed.trim_start() == wanted,
                "{program} ended with {status} and {printed:?}"
            );
        }
        println!("default kinds of 4 and 8 bytes, by oshfort and CMake; nothing written is lost at the end");
        Ok(())
    }

    /// osh_info names the settings that the library names.
    fn info(&self) -> Result<()> {
        let info = || {
            let mut c = install::wrapper(&self.prefix, "osh_info");
            c.env("SHMEM_SYMMETRIC_SIZE", "3m").env("SHMEM_INFO", "1");
            c
        };
        let text = output(info().arg("--json"))?;
        let json: serde_json::Value = serde_json::from_str(&text).context("osh_info --json printed no JSON")?;
        let place = json["prefix"].as_str().unwrap_or_default();
        ensure!(Path::new(place) == self.prefix.canonicalize()?, "osh_info takes {place} for its prefix");
        let settings = json["settings"].as_array().context("osh_info --json has no settings")?;
        let names: BTreeSet<&str> = settings.iter().filter_map(|s| s["name"].as_str()).collect();

        // One PE without a launcher: what the library says on standard error, a setting in each line.
        let mut hello = Command::new(self.dir.join("hello-oshcc"));
        hello.env("SHMEM_SYMMETRIC_SIZE", "3m").env("SHMEM_INFO", "1");
        let out = limited(&hello).output().context("cannot start hello-oshcc")?;
        let library = String::from_utf8_lossy(&out.stderr).into_owned();
        let is_setting = |w: &&str| (w.starts_with("SHMEM_") || w.starts_with("OSHMPI_")) && !w.ends_with(':');
        let told: BTreeSet<&str> =
            library.lines().filter_map(|l| l.split_whitespace().next()).filter(is_setting).collect();
        let size = library.lines().any(|l| l.contains("SHMEM_SYMMETRIC_SIZE") && l.contains(" 3145728 bytes "));
        ensure!(!told.is_empty() && told == names && size, "osh_info: {names:?}\nthe library: {library}");

        let human = output(&mut info())?;
        let all = names.iter().all(|name| human.contains(name));
        ensure!(all && human.contains("* SHMEM_SYMMETRIC_SIZE = 3m"), "osh_info printed\n{human}");
        let report = output(info().env_clear().env("UCX_TLS", "tcp").arg("--report"))?;
        let parts = ["\nsystem\n  kernel ", "\n  Max locked memory ", "\nnetwork devices\n", "\n  UCX_TLS=tcp\n"];
        ensure!(parts.iter().all(|part| report.contains(part)), "osh_info --report printed\n{report}");
        println!("osh_info: {} settings, as the library has them", names.len());
        Ok(())
    }

    /// Pages have no mistakes that groff would warn of, and all links lead to one.
    fn manual(&self) -> Result<()> {
        let man = self.prefix.join("share/man");
        let mut pages = Vec::new();
        for section in ["man1", "man3", "man7"] {
            let dir = man.join(section);
            for entry in fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))? {
                let path = entry?.path();
                ensure!(path.is_file(), "{} leads nowhere", path.display());
                if !path.is_symlink() {
                    pages.push(path);
                }
            }
        }
        let out = Command::new("groff").args(["-man", "-ww", "-z", "-Tutf8"]).args(&pages).output();
        match out {
            Ok(out) => {
                let warnings = String::from_utf8_lossy(&out.stderr).into_owned();
                ensure!(out.status.success() && warnings.is_empty(), "groff complains of manual pages:\n{warnings}");
                println!("manual: {} pages without a warning", pages.len());
            }
            Err(_) => println!("manual: {} pages; groff is not installed, so their form was not checked", pages.len()),
        }
        Ok(())
    }

    fn completions(&self) -> Result<()> {
        let file = self.prefix.join("share/bash-completion/completions/osh_info");
        let script = "source \"$1\"; COMP_WORDS=(osh_info --js); COMP_CWORD=1; \
                      _osh_info osh_info --js osh_info; echo \"${COMPREPLY[*]}\"";
        let printed = output(Command::new("bash").args(["-c", script, "bash"]).arg(&file))?;
        ensure!(printed.trim() == "--json", "completing `osh_info --js` gave {printed:?}");
        println!("completion: ok");
        Ok(())
    }

    /// A wheel of the installation: pip takes it without the network, and its commands compile and run hello.
    fn wheel(&self) -> Result<()> {
        let tag = format!("linux_{}", std::env::consts::ARCH);
        let wheel = install::wheel::write(&self.prefix, &tag, &self.dir)?;
        let venv = self.dir.join("venv");
        let python = Command::new("python3").args(["-m", "venv"]).arg(&venv).output();
        if !python.is_ok_and(|out| out.status.success()) {
            println!("wheel: python3-venv is not installed, so it was not tried");
            return Ok(());
        }
        let (bin, hello) = (venv.join("bin"), self.dir.join("hello-wheel"));
        run(Command::new(bin.join("pip"))
            .args(["-q", "--disable-pip-version-check", "install", "--no-index"])
            .arg(wheel))?;
        // As where pip builds a package: the environment's own packages are off Python's path.
        let isolated = made(self.dir.join("isolated"))?;
        let without = "import sys\nsys.path[:] = [p for p in sys.path if not p.endswith('-packages')]\n";
        fs::write(isolated.join("sitecustomize.py"), without).context("cannot write sitecustomize.py")?;
        let mut oshcc = Command::new(bin.join("oshcc"));
        run(oshcc.env("PYTHONPATH", isolated).arg("-o").arg(&hello).arg(root().join("examples/c/hello.c")))?;
        let mut oshrun = Command::new(bin.join("python"));
        let printed = output(&mut limited(oshrun.args(["-m", "oshmpi", "oshrun", "-n", "2"]).arg(&hello)))?;
        ensure!(printed.lines().count() == 2, "hello by the wheel's commands printed {printed:?}");
        println!("wheel: installed without the network, hello is compiled and runs");
        Ok(())
    }

    fn uninstall(&self) -> Result<()> {
        let mine = self.prefix.join("share/mine");
        fs::write(&mine, "").context("cannot write a file of my own")?;
        let uninstall = || {
            run(Command::new("/proc/self/exe")
                .args(["uninstall", "--prefix"])
                .arg(&self.prefix)
                .stdout(std::process::Stdio::null()))
        };
        uninstall()?;
        let left = output(Command::new("find").arg(&self.prefix).args(["-type", "f"]))?;
        ensure!(left.trim() == mine.display().to_string(), "uninstall left\n{left}");
        println!("uninstall: nothing left but a file that is not ours");
        Ok(())
    }
}
