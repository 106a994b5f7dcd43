//! The flags of oshmpi, and where they stand in the command line.

use crate::cmdline::Request;
use crate::installed::{Installed, Language};
use std::ffi::{OsStr, OsString};

/// The flags that find the headers, and those that the Fortran compiler wants for calls with any type.
pub fn compile(installed: &Installed, language: Language, request: &Request) -> Vec<OsString> {
    let mut flags = vec![joined("-I", installed.prefix.join("include").as_os_str())];
    flags.extend(installed.language_flags(language).into_iter().map(OsString::from));
    if request.inline && language != Language::Fortran {
        flags.push("-DOSHMPI_INLINE".into());
    }
    if request.race {
        flags.push("-g".into());
        flags.extend(instrument(installed, language));
    }
    flags
}

/// The options with which the compiler puts a call before each load and store. They give `-fsanitize=thread` to the
/// compiler proper alone. The linker would add the sanitizer's library for it. Functions of the C library stay calls.
fn instrument(installed: &Installed, language: Language) -> Vec<OsString> {
    let specs = |name| joined("-specs=", installed.race(name).as_os_str());
    let clang = installed.compiler(language).is_clang();
    let mut flags = if clang { vec!["-Xclang".into(), "-fsanitize=thread".into()] } else { vec![specs("race.specs")] };
    if language != Language::Fortran {
        flags.extend((!clang).then(|| specs("race-c.specs")));
        flags.extend(["-include".into(), installed.race("race.h").into()]);
    }
    flags
}

/// The flags that link the runtime: the shared library with a run path, or the archive with what it needs.
pub fn link(installed: &Installed, language: Language, request: &Request) -> Vec<OsString> {
    let lib = installed.prefix.join("lib");
    // The archive too loads MPI's table from there. RUNPATH, not RPATH: LD_LIBRARY_PATH can still put another build
    // before the installed one.
    let run_path = joined("-Wl,-rpath,", lib.as_os_str());
    let mut flags = vec![joined("-L", lib.as_os_str()), "-Wl,--enable-new-dtags".into(), run_path];
    flags.extend(installed.language_libs(language).iter().map(OsString::from));
    // These archives define Fortran names in place of the library, so they stand before it. Each of them calls names of
    // the archives behind it.
    let kinds = [
        (request.plain, "-loshmpi_plain"),
        (request.real8(), "-loshmpi_real8"),
        (request.double16(), "-loshmpi_double16"),
        (request.ilp64, "-loshmpi_ilp64"),
    ];
    flags.extend(kinds.iter().filter(|(wanted, _)| *wanted).map(|(_, lib)| OsString::from(lib)));
    if request.race {
        flags.push(joined("-Wl,@", installed.race("race.wraps").as_os_str()));
        let libraries: &[&str] = match request.static_runtime() {
            true => &["-l:liboshmpi_race.a"],
            // The program's copy of what compilers call comes before the library's.
            false => &["-l:liboshmpi_race_calls.a", "-loshmpi_race"],
        };
        flags.extend(libraries.iter().map(OsString::from));
    }
    if request.static_runtime() {
        // By `-l:` and not by path: after `-x c` a path would be taken for a source file.
        flags.push("-l:liboshmpi.a".into());
        flags.extend(installed.config.native_libs.iter().map(OsString::from));
    } else {
        flags.push("-loshmpi".into());
    }
    flags
}

/// Words by which a line names the library itself, as Makefiles of other OpenSHMEMs do. Beside the archive they would
/// link the shared library too, and without a run path.
const BY_NAME: [&str; 4] = ["-loshmpi", "-loshmem", "-lsma", "-lpmi_simple"];

/// The arguments for the compiler. An MPI's wrapper appends its own include directories and libraries.
pub fn command_line(installed: &Installed, language: Language, request: &Request, links: bool) -> Vec<OsString> {
    let mut line = compile(installed, language, request);
    if links && request.static_runtime() {
        // The archive is one object with everything in it. Before the user's words, of which the last one counts.
        line.push("-Wl,--gc-sections".into());
    }
    let taken = |word: &&OsString| !(request.static_runtime() && BY_NAME.iter().any(|name| *word == name));
    line.extend(request.user.iter().filter(taken).cloned());
    if links {
        line.extend(link(installed, language, request));
    }
    line
}

fn joined(option: &str, value: &OsStr) -> OsString {
    let mut flag = OsString::from(option);
    flag.push(value);
    flag
}
