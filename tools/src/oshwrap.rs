//! oshcc, oshc++ and oshfort: a compiler, or an MPI's wrapper of one, plus the flags of oshmpi.
//!
//! This is one program under several names. It finds its installation from where it lies: `bin/oshcc` reads
//! `share/oshmpi/config.json` and adds `include` and `lib` of the same prefix, so a prefix can be moved.
//!
//! * compiling: `-I PREFIX/include` stands first, before an MPI's directories (Open MPI ships a `shmem.h` too);
//! * linking: the library stands after the program's objects and before an MPI's libraries, which the MPI's wrapper
//!   appends.

mod cmdline;
mod flags;
mod installed;
mod show;

use anyhow::{Result, bail};
use cmdline::Request;
use installed::{Installed, Language};
use pmi_shm::limits::Room;
use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let called = args.next().unwrap_or_default();
    let name = installed::name_of(&called);
    match wrap(&name, args.collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{name}: {e:#}");
            ExitCode::FAILURE
        }
    }
}

/// Does what the command line asks. A compilation replaces this process, so that its exit code is the compiler's. Then
/// this function returns only if the compiler could not be started.
fn wrap(name: &str, args: Vec<OsString>) -> Result<()> {
    let Some(language) = Language::of(name) else {
        bail!("call this program as oshcc, oshc++ or oshfort");
    };
    let request = Request::parse(args)?;
    let installed = Installed::read(oshmpi_tools::prefix()?, request.mpi.clone())?;
    if request.race && !installed.race("race.specs").exists() {
        bail!("-oshmpi-race: the race detector is not installed here; osh_info says what is");
    }
    if request.race && request.ilp64 {
        bail!("-oshmpi-race: calls with 8-byte default INTEGERs are not seen; compile with the usual ones");
    }
    let compiler = installed.compiler(language);
    if compiler.is_wrapper(language) {
        let variable = language.variable();
        bail!("the compiler behind {name} would be {name} again, without an end; {variable} may name another compiler");
    }
    match &request.shown {
        None => {
            if request.links()
                && let Some(word) = &request.static_all
            {
                bail!(
                    "{word}: a program without shared libraries cannot load MPI, UCX or PMIx; -oshmpi-static links \
                     oshmpi alone statically"
                );
            }
            if request.has_inputs {
                tell_if_full(name);
            }
            let line = flags::command_line(&installed, language, &request, request.links());
            let error = compiler.command().args(line).exec();
            Err(installed.cannot_start(language, &compiler, &error))
        }
        Some(what) => show::show(&installed, language, &request, what),
    }
}

/// Compilers write to TMPDIR. Where it is full, some of them name none of the two.
fn tell_if_full(name: &str) {
    let place = CString::new(std::env::temp_dir().into_os_string().into_vec()).unwrap_or_default();
    if let Some(room) = Room::of(&place).filter(Room::is_full) {
        eprintln!("{name}: {room}; TMPDIR names another place for the compiler's files");
    }
}
