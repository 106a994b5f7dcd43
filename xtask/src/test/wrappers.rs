//! The installed wrappers with the real compilers: every way to build a program with oshcc gives one that runs.
//! (The exact command lines are tested in tools/tests.)

use crate::install;
use crate::install::library::{self, Profile};
use crate::util::{Mpi, limited, output, root, run, write};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Bytes of code and constants of a hello with the archive, at most. Without `--gc-sections` it has 5.4 million.
const LARGEST_TEXT: u64 = 2_900_000;

struct Bench {
    mpi: Mpi,
    dir: PathBuf,
    hello: PathBuf,
}

pub fn check(mpi: Mpi) -> Result<()> {
    let dir = root().join("target/wrappers").join(mpi.name());
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let b = Bench { mpi, dir, hello: root().join("examples/c/hello.c") };
    b.link_line()?;
    b.native_libraries()?;
    b.in_two_steps()?;
    b.archive()?;
    b.link_time_optimisation()?;
    b.shared_object()?;
    b.cxx()?;
    b.another_compiler()?;
    b.race_detector()?;
    b.race_detector_of_clang()
}

/// The variable that names another compiler.
const COMPILER: &str = "OSHMPI_CC";

impl Bench {
    fn wrapper(&self, name: &str) -> Command {
        let mut c = install::wrapper(&self.mpi.prefix(), name);
        c.current_dir(&self.dir);
        c
    }

    fn oshcc(&self) -> Command {
        self.wrapper("oshcc")
    }

    /// Runs a program built from hello.c on 2 PEs.
    fn greets(&self, how: &str, program: &str) -> Result<()> {
        let printed = output(&mut limited(self.mpi.mpiexec(2).arg(self.dir.join(program))))?;
        let greetings = printed.lines().filter(|l| l.contains("greetings from PE")).count();
        ensure!(greetings == 2, "{how}: on 2 PEs it printed\n{printed}");
        println!("{how}: ok");
        Ok(())
    }

    /// The link line has objects first, then oshmpi's library, then the MPI's.
    fn link_line(&self) -> Result<()> {
        let line = output(self.oshcc().args(["-mpi", "-show", "hello.o", "-o", "hello"]))?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = |word: &str| words.iter().position(|w| *w == word).with_context(|| format!("no {word} in {line}"));
        let mpi = match self.mpi {
            Mpi::Mpich => "-lmpich",
            Mpi::Openmpi => "-lmpi",
        };
        let rpath = format!("-Wl,-rpath,{}", self.mpi.prefix().join("lib").display());
        ensure!(
            at("hello.o")? < at("-loshmpi")? && at("-loshmpi")? < at(mpi)? && at(&rpath)? < at(mpi)?,
            "wrong order: {line}"
        );
        let headers = format!("-I{}", self.mpi.prefix().join("include").display());
        let first = words.iter().position(|w| w.starts_with("-I"));
        ensure!(first == Some(at(&headers)?), "the MPI's headers come before ours: {line}");
        println!("-show: ok");
        Ok(())
    }

    /// The libraries that rustc names for the archive are those that are passed with it.
    fn native_libraries(&self) -> Result<()> {
        let built = library::build(Profile::Release)?;
        ensure!(!built.native_libs.is_empty(), "rustc names no native libraries");
        let line = output(self.oshcc().args(["-oshmpi-static", "-show", "hello.o"]))?;
        let passed: Vec<&str> = line.split_whitespace().collect();
        let after = passed.iter().position(|w| *w == "-l:liboshmpi.a").context("no archive in the line")?;
        let passed = passed.get(after + 1..after + 1 + built.native_libs.len()).unwrap_or(&[]);
        ensure!(passed == built.native_libs, "rustc names {:?}, passed is: {line}", built.native_libs);
        println!("native libraries: ok, {}", built.native_libs.join(" "));
        Ok(())
    }

    fn in_two_steps(&self) -> Result<()> {
        run(self.oshcc().arg("-c").arg(&self.hello).args(["-o", "hello.o"]))?;
        run(self.oshcc().args(["hello.o", "-o", "hello"]))?;
        self.greets("compiled, then linked", "hello")
    }

    /// Also with the library's old name on the line, which is a shared library as well.
    fn archive(&self) -> Result<()> {
        run(self.oshcc().args(["-oshmpi-static", "hello.o", "-lsma", "-o", "hello-archive"]))?;
        let needed = output(Command::new("readelf").arg("-d").arg(self.dir.join("hello-archive")))?;
        ensure!(!needed.contains("liboshmpi"), "-oshmpi-static linked the shared library");
        let sizes = output(Command::new("size").arg(self.dir.join("hello-archive")))?;
        let text = sizes.lines().nth(1).and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        let text = text.with_context(|| format!("size printed {sizes}"))?;
        ensure!(text < LARGEST_TEXT, "-oshmpi-static: {text} bytes of text, although hello calls four routines");
        self.greets("-oshmpi-static", "hello-archive")
    }

    /// Programs that are optimised when they are linked, with the archive: linkers hand its objects to the compiler's
    /// plugin.
    fn link_time_optimisation(&self) -> Result<()> {
        for (compiler, options) in [("gcc", &["-flto"][..]), ("clang", &["-flto"]), ("clang", &["-flto=thin"])] {
            let how = format!("{compiler} {} -oshmpi-static", options.join(" "));
            let plain = ["-x", "c", "-O2", "-o", "lto-plain", "plain.c"];
            write(&self.dir.join("plain.c"), "int main(void) { return 0; }\n")?;
            let mut probe = Command::new(compiler);
            if !probe.current_dir(&self.dir).args(options).args(plain).output().is_ok_and(|o| o.status.success()) {
                println!("{how}: skipped, {compiler} cannot do it with any program here");
                continue;
            }
            let mut c = self.oshcc();
            c.env(COMPILER, compiler).args(options).args(["-O2", "-oshmpi-static"]);
            run(c.arg(&self.hello).args(["-o", "hello-lto"]))?;
            self.greets(&how, "hello-lto")?;
        }
        Ok(())
    }

    /// A shared object that calls OpenSHMEM, in a program that does not.
    fn shared_object(&self) -> Result<()> {
        let object = root().join("tests/software/object.c");
        run(self.oshcc().args(["-shared", "-fPIC"]).arg(object).args(["-o", "libhello.so"]))?;
        write(&self.dir.join("main.c"), "int hello(void);\nint main(void) { return hello(); }\n")?;
        let here = format!("-Wl,-rpath,{}", self.dir.display());
        run(Command::new("gcc").current_dir(&self.dir).args([
            "main.c",
            "-L.",
            "-lhello",
            &here,
            "-o",
            "hello-shared",
        ]))?;
        self.greets("-shared", "hello-shared")
    }

    fn cxx(&self) -> Result<()> {
        run(self.wrapper("oshc++").args(["-x", "c++"]).arg(&self.hello).args(["-o", "hello-cxx"]))?;
        self.greets("oshc++", "hello-cxx")
    }

    /// Another compiler, and the MPI's way to choose the one below its wrapper.
    fn another_compiler(&self) -> Result<()> {
        let of_mpi = match self.mpi {
            Mpi::Mpich => "MPICH_CC",
            Mpi::Openmpi => "OMPI_CC",
        };
        for (variable, options) in [(COMPILER, &[][..]), (of_mpi, &["-mpi"])] {
            run(self.oshcc().env(variable, "clang").args(options).arg(&self.hello).args(["-o", "hello-clang"]))?;
            self.greets(&format!("with clang by {variable}"), "hello-clang")?;
        }
        Ok(())
    }

    /// With `-oshmpi-race` the one race of a program is named with its line, and the exit code is the detector's.
    fn race_detector(&self) -> Result<()> {
        let cases = [
            ("oshcc", "gcc", "c", "race.c"),
            ("oshcc", "clang", "c", "race.c"),
            ("oshc++", "g++", "c++", "race.c"),
            ("oshfort", "", "f90", "race.f90"),
            ("oshfort", "", "f90", "race_fh.f90"),
        ];
        for (wrapper, compiler, language, file) in cases {
            for options in [&["-oshmpi-race"][..], &["-oshmpi-race", "-oshmpi-static", "-O2"]] {
                let how = format!("{wrapper} {} {compiler} {file}", options.join(" "));
                let source = root().join("tests/software").join(file);
                let line =
                    fs::read_to_string(&source)?.lines().position(|l| l.contains("the race")).context("no race")?;
                let mut c = self.wrapper(wrapper);
                if wrapper == "oshcc" {
                    c.env(COMPILER, compiler);
                }
                if language == "c++" {
                    c.args(["-x", "c++"]);
                }
                run(c.args(options).arg(&source).args(["-o", "race"]))?;
                let mut started = install::wrapper(&self.mpi.prefix(), "oshrun");
                let ended = limited(started.args(["-n", "3"]).arg(self.dir.join("race"))).output()?;
                let printed = String::from_utf8_lossy(&ended.stderr);
                let place = format!("{}:{}", source.display(), line + 1);
                ensure!(
                    ended.status.code() == Some(66)
                        && printed.matches("oshmpi-race: data race on box").count() == 1
                        && printed.contains(&place),
                    "{how}: {}, and one race at {place} was expected:\n{printed}",
                    ended.status
                );
                println!("{how}: ok");
            }
        }
        Ok(())
    }

    /// What `ctest` tests with gcc alone: whatever code clang makes for functions of the C library, at each level, and
    /// clang's OpenMP.
    fn race_detector_of_clang(&self) -> Result<()> {
        let tests = root().join("tests/openshmem");
        let library = ["-O0", "-O1", "-O2", "-O3"].map(|level| ("library", level, "-I."));
        for (program, level, option) in library.into_iter().chain([("openmp", "-O1", "-fopenmp")]) {
            let mut c = self.oshcc();
            c.env(COMPILER, "clang").args(["-oshmpi-race", level, option, "-I"]).arg(&tests);
            run(c.arg(tests.join("race").join(program).with_extension("c")).args(["-o", program]))?;
            let mut started = install::wrapper(&self.mpi.prefix(), "oshrun");
            started.env("OMP_CANCELLATION", "true");
            let ended = limited(started.args(["-n", "2"]).arg(self.dir.join(program))).output()?;
            let printed = String::from_utf8_lossy(&ended.stdout);
            let said = String::from_utf8_lossy(&ended.stderr);
            let found: Vec<&str> = said.lines().filter(|line| line.contains(&format!("{program}.c:"))).collect();
            ensure!(
                ended.status.success() && printed.trim() == "ok",
                "clang {level}, {program}: {}: {found:?}",
                ended.status
            );
            println!("clang {level}, {program}: ok");
        }
        Ok(())
    }
}
