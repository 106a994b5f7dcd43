//! The commands that the wrappers run. They are in a temporary prefix, over a fake MPI compiler that prints its
//! arguments.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard};
use tempfile::TempDir;

/// A prefix with bin/oshcc, bin/oshc++, bin/oshfort and a configuration.
struct Prefix {
    dir: TempDir,
    /// One test at a time: a program cannot be started while it is being written, and a process that another thread
    /// starts meanwhile holds the file open for a moment.
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

/// The fake compiler. It prints its name and each argument on a line, and ends with 7. With -show it prints one line,
/// as the MPIs do. Like Open MPI's wrapper it adds its flags only if there is an input.
const COMPILER: &str = r#"#!/bin/sh
if [ "$1" = -show ]; then
    shift
    flags=
    case " $* " in
        *" -c "*) flags=" -I/mpi/include" ;;
        *.c\ * | *.o\ *) flags=" -I/mpi/include -Wl,-z,relro -L/mpi/lib -lmpi" ;;
    esac
    echo "gcc $*$flags"
    exit 0
fi
echo "${0##*/}"
for a in "$@"; do echo "$a"; done
exit 7
"#;

impl Prefix {
    fn new() -> Prefix {
        Prefix::over("mpich", "cc", "cxx", "fc")
    }

    /// A prefix whose compilers are in its directory `fake`, and those of its MPI.
    fn over(mpi: &str, cc: &str, cxx: &str, fc: &str) -> Prefix {
        let alone = ALONE.lock().unwrap_or_else(|failed| failed.into_inner());
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for d in ["bin", "fake", "share/oshmpi"] {
            fs::create_dir_all(top.join(d)).unwrap();
        }
        for name in ["oshcc", "oshc++", "oshfort", "oshother"] {
            fs::copy(env!("CARGO_BIN_EXE_oshwrap"), top.join("bin").join(name)).unwrap();
        }
        for name in ["cc", "cxx", "fc", "mine", "mpicc", "mpicxx", "mpifort"] {
            let file = top.join("fake").join(name);
            fs::write(&file, COMPILER).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let fake = |name: &str| format!("{}/fake/{name}", top.display());
        let config = serde_json::json!({
            "version": "1.2.3", "mpi": mpi, "cc": fake(cc), "cxx": fake(cxx), "fc": fake(fc),
            "mpicc": fake("mpicc"), "mpicxx": fake("mpicxx"), "mpifort": fake("mpifort"),
            "fc_flags": ["-fthis"], "native_libs": ["-lgcc_s", "-lm"],
        });
        fs::write(top.join("share/oshmpi/config.json"), config.to_string()).unwrap();
        Prefix { dir, _alone: alone }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn wrapper(&self, name: &str) -> Command {
        let mut c = Command::new(self.path().join("bin").join(name));
        for variable in ["OSHMPI_CC", "OSHMPI_CXX", "OSHMPI_FC", "MPICH_FC", "OMPI_FC"] {
            c.env_remove(variable);
        }
        c
    }

    /// Runs a wrapper and returns its output, with the prefix's path replaced by P.
    fn run(&self, name: &str, args: &[&str]) -> Ran {
        Ran::of(self.wrapper(name).args(args).output().unwrap(), &self.path())
    }
}

#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    out: Vec<String>,
    err: String,
}

impl Ran {
    fn of(o: Output, prefix: &Path) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&prefix.display().to_string(), "P");
        Ran { code: o.status.code(), out: text(&o.stdout).lines().map(String::from).collect(), err: text(&o.stderr) }
    }
}

const LINK: [&str; 4] = ["-LP/lib", "-Wl,--enable-new-dtags", "-Wl,-rpath,P/lib", "-loshmpi"];

/// The line of a call that links, as the fake compiler prints it.
fn linked(compiler: &str, user: &[&str]) -> Vec<String> {
    let head = [compiler, "-IP/include"];
    head.iter().chain(user).chain(&LINK).map(|s| s.to_string()).collect()
}

#[test]
fn compile_and_link() {
    let p = Prefix::new();
    let args = ["a.c", "b.o", "-o", "a", "-lz"];
    assert_eq!(p.run("oshcc", &args).out, linked("cc", &args));
    assert_eq!(p.run("oshc++", &args).out, linked("cxx", &args));
    assert_eq!(p.run("oshfort", &args).out, linked("fc", &[&["-fthis"], &args[..]].concat()));
    for args in [&["-c", "a.c"][..], &["--version"]] {
        assert_eq!(p.run("oshcc", args).out, [&["cc", "-IP/include"], args].concat());
    }
}

#[test]
fn exit_code_and_odd_arguments_pass_through() {
    let p = Prefix::new();
    let args = ["-DTEXT=\"a b\"", "-D", "X=$HOME *", "", "a.c"];
    let ran = p.run("oshcc", &args);
    assert_eq!(ran.code, Some(7));
    assert_eq!(ran.out, linked("cc", &args));
    assert_eq!(ran.err, "");
}

#[test]
fn static_runtime() {
    let p = Prefix::new();
    let line = |args: &[&str]| p.run("oshcc", args).out[2..].to_vec();
    // Before the user's words: a later --no-gc-sections counts.
    const GC: &str = "-Wl,--gc-sections";
    assert_eq!(
        line(&["-oshmpi-static", "a.o"]),
        [GC, "a.o", LINK[0], LINK[1], LINK[2], "-l:liboshmpi.a", "-lgcc_s", "-lm"]
    );
    for all in ["-static", "--static", "-static-pie"] {
        let ran = p.run("oshcc", &[all, "a.o"]);
        assert_eq!((ran.code, ran.err.lines().count()), (Some(1), 1), "{ran:?}");
        assert!(
            ran.err.starts_with(&format!("oshcc: {all}: a program without shared libraries cannot load MPI")),
            "{ran:?}"
        );
        assert_eq!(line(&[all, "-c", "a.c"]), [all, "-c", "a.c"]);
    }
    assert_eq!(line(&["-oshmpi-static", "-c", "a.c"]), ["-c", "a.c"]);
    // A user who names the library means this one, which is linked in any case.
    for name in ["-lsma", "-loshmem", "-loshmpi", "-lpmi_simple"] {
        assert_eq!(
            line(&["-oshmpi-static", "a.o", name]),
            [GC, "a.o", LINK[0], LINK[1], LINK[2], "-l:liboshmpi.a", "-lgcc_s", "-lm"]
        );
        assert_eq!(line(&["a.o", name])[..2], ["a.o", name]);
    }
    let ran = p.run("oshcc", &["-oshmpi-static", "-shared", "a.o"]);
    assert_eq!((ran.code, ran.err.lines().count()), (Some(1), 1), "{ran:?}");
    assert!(ran.err.starts_with("oshcc: -oshmpi-static does not go with -shared"), "{ran:?}");
}

#[test]
fn whole_lines_shown() {
    let p = Prefix::new();
    let add = LINK.join(" ");
    let mpi = "-I/mpi/include -Wl,-z,relro -L/mpi/lib -lmpi";
    for show in ["-show", "--showme", "-showme"] {
        let ran = p.run("oshcc", &["-mpi", show, "a.c", "-o", "a"]);
        assert_eq!(ran.out, [format!("gcc -IP/include a.c -o a {add} {mpi}")]);
        assert_eq!(ran.code, Some(0));
    }
    assert_eq!(p.run("oshcc", &["-mpi", "-show"]).out, [format!("gcc -IP/include {add} {mpi}")]);
    for show in ["-link-info", "-link_info"] {
        assert_eq!(p.run("oshcc", &["-mpi", show]).out, [format!("gcc -IP/include {add} {mpi}")]);
    }
    // Before other options too, of which the compiler sees none of the wrapper's own.
    let ran = p.run("oshcc", &["-mpi", "-oshmpi-static", "-show", "-c", "a.c"]);
    assert_eq!(ran.out, ["gcc -IP/include -c a.c -I/mpi/include"]);
    let compile = "gcc -IP/include -c -I/mpi/include";
    assert_eq!(p.run("oshcc", &["-mpi", "-show", "-c"]).out, [compile]);
    assert_eq!(p.run("oshcc", &["-mpi", "-compile-info"]).out, [compile]);
    // Without an MPI.
    assert_eq!(p.run("oshcc", &["-show", "a.c", "-o", "a"]).out, [format!("P/fake/cc -IP/include a.c -o a {add}")]);
    assert_eq!(p.run("oshcc", &["-show"]).out, [format!("P/fake/cc -IP/include {add}")]);
    assert_eq!(p.run("oshcc", &["-compile-info"]).out, ["P/fake/cc -IP/include -c"]);
}

#[test]
fn parts_shown() {
    let p = Prefix::new();
    let part = |what: &str| p.run("oshcc", &["-mpi", &format!("--showme:{what}")]).out.join("\n");
    assert_eq!(part("compile"), "-IP/include -I/mpi/include");
    assert_eq!(part("link"), format!("{} -Wl,-z,relro -L/mpi/lib -lmpi", LINK.join(" ")));
    assert_eq!(part("command"), "gcc");
    assert_eq!(part("incdirs"), "P/include /mpi/include");
    assert_eq!(p.run("oshcc", &["-mpi", "-showme:incdirs"]).out, ["P/include /mpi/include"]);
    assert_eq!(part("libdirs"), "P/lib /mpi/lib");
    assert_eq!(part("libs"), "oshmpi mpi");
    assert_eq!(part("version"), "oshmpi 1.2.3");
    let part = |what: &str| p.run("oshcc", &[&format!("--showme:{what}")]).out.join("\n");
    assert_eq!([part("compile"), part("link")], ["-IP/include".to_owned(), LINK.join(" ")]);
    assert_eq!([part("command"), part("libs")], ["P/fake/cc", "oshmpi"]);
}

#[test]
fn programs_that_call_mpi_too_are_compiled_by_its_wrapper() {
    let p = Prefix::new();
    for (name, of_mpi) in [("oshcc", "mpicc"), ("oshc++", "mpicxx"), ("oshfort", "mpifort")] {
        let flags: &[&str] = if name == "oshfort" { &["-fthis"] } else { &[] };
        assert_eq!(p.run(name, &["-mpi", "a.c"]).out, linked(of_mpi, &[flags, &["a.c"]].concat()));
        let mine = format!("-mpi={}/fake/mine", p.path().display());
        let named = p.wrapper(name).env("OSHMPI_CC", "other").args([&mine, "a.c"]).output().unwrap();
        assert_eq!(Ran::of(named, &p.path()).out, linked("mine", &["a.c"]));
    }
}

#[test]
fn another_compiler_by_environment() {
    let p = Prefix::new();
    let mine = p.path().join("fake/mine");
    for (name, variable) in [("oshcc", "OSHMPI_CC"), ("oshc++", "OSHMPI_CXX"), ("oshfort", "OSHMPI_FC")] {
        let out = p.wrapper(name).env(variable, &mine).arg("a.c").output().unwrap();
        assert_eq!(Ran::of(out, &p.path()).out, linked("mine", &["a.c"]));
        let out = p.wrapper(name).env(variable, "").args(["-c", "a.c"]).output().unwrap();
        assert_ne!(Ran::of(out, &p.path()).out[0], "mine");
    }
}

#[test]
fn gfortrans_flags_are_for_gfortran() {
    let chosen = [("flang-new", false), ("/opt/x/gfortran-14", true), ("ccache gfortran", true), ("", true)];
    let p = Prefix::new();
    for variable in ["MPICH_FC", "OMPI_FC"] {
        let passed = |value: &str, more: &[&str]| {
            let out = p.wrapper("oshfort").env(variable, value).args(more).args(["-c", "a.f"]).output().unwrap();
            Ran::of(out, &p.path()).out.contains(&"-fthis".to_string())
        };
        for (value, wanted) in chosen {
            assert_eq!(passed(value, &["-mpi"]), wanted, "{variable}={value}");
            assert!(passed(value, &[]), "no MPI's wrapper is called");
        }
    }
}

#[test]
fn an_old_gfortran_gets_no_flags_that_it_does_not_know_and_any_other_gets_all() {
    let p = Prefix::new();
    let config = p.path().join("share/oshmpi/config.json");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("\"-fthis\"", "\"-fallow-x\",\"-fthis\"")).unwrap();
    for (version, wanted) in [("8.5.0", &["-fthis"][..]), ("9", &["-fthis"]), ("12", &["-fallow-x", "-fthis"])] {
        let gfortran = p.path().join("fake/gfortran-x");
        let script = format!("#!/bin/sh\n[ \"$1\" = -dumpversion ] && echo {version} && exit\necho \"$@\"\n");
        fs::write(&gfortran, script).unwrap();
        fs::set_permissions(&gfortran, fs::Permissions::from_mode(0o755)).unwrap();
        let mut c = p.wrapper("oshfort");
        c.env("OSHMPI_FC", &gfortran).args(["-c", "a.f"]);
        let line = format!("-IP/include {} -c a.f", wanted.join(" "));
        assert_eq!(Ran::of(c.output().unwrap(), &p.path()).out, [line], "{version}");
    }
}

#[test]
fn a_wrapper_does_not_call_itself() {
    let p = Prefix::new();
    for before in ["", "env "] {
        let value = format!("{before}{}/bin/oshcc", p.path().display());
        let out = p.wrapper("oshcc").env("OSHMPI_CC", &value).args(["-c", "a.c"]).output().unwrap();
        let ran = Ran::of(out, &p.path());
        assert_eq!((ran.code, ran.err.lines().count()), (Some(1), 1), "{ran:?}");
        assert!(ran.err.starts_with("oshcc: the compiler behind oshcc would be oshcc again"), "{ran:?}");
    }
}

#[test]
fn another_compiler_of_several_words() {
    let p = Prefix::new();
    let value = format!("{0}/fake/mine {0}/fake/fc", p.path().display());
    let out = p.wrapper("oshcc").env("OSHMPI_CC", &value).arg("a.c").output().unwrap();
    let mut wanted = linked("mine", &["a.c"]);
    wanted.insert(1, "P/fake/fc".to_string());
    assert_eq!(Ran::of(out, &p.path()).out, wanted);
    let out = p.wrapper("oshcc").env("OSHMPI_CC", "no-such-ccache mpicc").arg("a.c").output().unwrap();
    let err = Ran::of(out, &p.path()).err;
    assert!(err.starts_with("oshcc: OSHMPI_CC is set to \"no-such-ccache mpicc\", but no-such-ccache cannot"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}

#[test]
fn a_missing_compiler_is_one_line() {
    for (mpi, package) in [("mpich", "libmpich-dev"), ("openmpi", "libopenmpi-dev")] {
        let p = Prefix::over(mpi, "gone", "cxx", "fc");
        fs::remove_file(p.path().join("fake/mpicc")).unwrap();
        let missing = |args: &[&str], name: &str, package: &str| {
            let ran = p.run("oshcc", args);
            let advice = format!("(Debian: apt-get install {package}); OSHMPI_CC may name another compiler");
            assert_eq!((ran.code, ran.err), (Some(1), format!("oshcc: P/fake/{name} is not installed {advice}\n")));
        };
        missing(&["a.c"], "gone", "gcc");
        for args in [&["a.c"][..], &["-show"], &["--showme:link"]] {
            missing(&[&["-mpi"], args].concat(), "mpicc", package);
        }
        // It is not the variable's compiler that is missing.
        let out = p.wrapper("oshcc").env("OSHMPI_CC", "true").args(["-mpi=no-such-mpicc", "a.c"]).output().unwrap();
        let err = Ran::of(out, &p.path()).err;
        assert!(err.starts_with("oshcc: no-such-mpicc is not installed"), "{err}");
    }
}

#[test]
fn a_prefix_can_be_moved_and_linked_to() {
    let p = Prefix::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("moved here");
    fs::rename(p.path(), &moved).unwrap();
    let cc = moved.join("fake/cc");
    let link = elsewhere.path().join("oshcc");
    symlink(moved.join("bin/oshcc"), &link).unwrap();
    for program in [moved.join("bin/oshcc"), link] {
        let out = Command::new(program).env("OSHMPI_CC", &cc).arg("a.c").output().unwrap();
        let moved = moved.canonicalize().unwrap();
        assert_eq!(Ran::of(out, &moved).out, linked("cc", &["a.c"]));
    }
}

#[test]
fn an_unknown_name_is_refused() {
    let ran = Prefix::new().run("oshother", &["a.c"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.err, "oshother: call this program as oshcc, oshc++ or oshfort\n");
}

/// Without a namespace of its own this is not tested.
#[test]
fn a_full_directory_for_the_compilers_files_is_named() {
    let p = Prefix::new();
    let full = tempfile::tempdir().unwrap();
    let place = full.path().display();
    let script = format!("mount -t tmpfs -o size=16k none {place} && ! head -c 99999 /dev/zero >{place}/x && \"$@\"");
    let run = |args: &[&str]| {
        let mut c = Command::new("unshare");
        c.args(["-Urm", "sh", "-c", &script, "sh"]).arg(p.path().join("bin/oshcc")).args(args);
        Ran::of(c.env("TMPDIR", full.path()).env_remove("OSHMPI_CC").output().unwrap(), &p.path())
    };
    let ran = run(&["a.c"]);
    if ran.code != Some(7) {
        return eprintln!("not tested: no file system can be mounted here");
    }
    let said: Vec<&str> = ran.err.lines().filter(|l| l.starts_with("oshcc: ")).collect();
    assert!(matches!(said[..], [one] if one.starts_with(&format!("oshcc: {place} has 0 of 16 KiB free: "))), "{ran:?}");
    assert_eq!(ran.out, linked("cc", &["a.c"]));
}
