//! `-show` and its relatives: prints command lines and flags instead of compiling.

use crate::cmdline::{Request, Shown, split_words};
use crate::flags;
use crate::installed::{Compiler, Installed, Language};
use anyhow::{Result, bail};
use oshmpi_tools::write_out;
use std::ffi::OsString;

/// An input that is added to a line without inputs and removed from the result. Without an input Open MPI's wrapper
/// would leave its flags out.
const STAND_IN: &str = "oshmpi-stand-in.o";

pub fn show(i: &Installed, language: Language, request: &Request, what: &Shown) -> Result<()> {
    let compiler = i.compiler(language);
    let ask = |args: Vec<OsString>| last_line(i, language, &compiler, args);
    let line = match what {
        Shown::Line => {
            // A bare `oshcc -show` asks for everything it would add.
            let links = request.links() || (request.may_link() && !request.has_inputs);
            ask(line_of(i, language, request, links))?
        }
        Shown::CompileLine => {
            let mut args = line_of(i, language, request, false);
            args.push("-c".into());
            ask(args)?
        }
        Shown::LinkLine => ask(line_of(i, language, request, true))?,
        Shown::Version => format!("oshmpi {}", i.config.version),
        _ => {
            let compiling = split_words(&ask(vec!["-c".into(), STAND_IN.into()])?);
            let linking = split_words(&ask(vec![STAND_IN.into()])?);
            part(i, language, request, what, &compiling, &linking)
        }
    };
    write_out(std::io::stdout(), &format!("{line}\n"))
}

/// The arguments of a compilation. Without an input the stand-in takes the place of the inputs.
fn line_of(i: &Installed, language: Language, request: &Request, links: bool) -> Vec<OsString> {
    let mut line = flags::command_line(i, language, request, false);
    if !request.has_inputs {
        line.push(STAND_IN.into());
    }
    if links {
        line.extend(flags::link(i, language, request));
    }
    line
}

/// The line that would be run in the end for these arguments, without the stand-in: that of the MPI's wrapper, if it is
/// one.
fn last_line(i: &Installed, l: Language, compiler: &Compiler, args: Vec<OsString>) -> Result<String> {
    if !compiler.is_of_mpi() {
        let words = [&compiler.program].into_iter().chain(&compiler.first).chain(&args);
        let words: Vec<_> = words.filter(|word| *word != STAND_IN).map(|word| word.to_string_lossy()).collect();
        return Ok(words.join(" "));
    }
    let out = compiler.command().arg("-show").args(args).output().map_err(|e| i.cannot_start(l, compiler, &e))?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        let said = said.lines().next().unwrap_or("").trim();
        bail!("{} -show failed ({}): {said}", compiler.program.display(), out.status);
    }
    let line = String::from_utf8_lossy(&out.stdout);
    Ok(line.trim_end().replace(&format!(" {STAND_IN}"), ""))
}

/// One part of the flags, from the lines for compiling and for linking (their first word is the compiler).
fn part(i: &Installed, l: Language, r: &Request, what: &Shown, compiling: &[String], linking: &[String]) -> String {
    let text = |v: Vec<OsString>| -> Vec<String> { v.into_iter().map(|f| f.to_string_lossy().into_owned()).collect() };
    let mut compile = text(flags::compile(i, l, r));
    compile.extend(compiling.iter().skip(1).filter(|w| *w != "-c").cloned());
    let mut link = text(flags::link(i, l, r));
    link.extend(linking.iter().skip(1).filter(|w| !compiling.contains(w)).cloned());
    let values = |words: &[String], option: &str| -> Vec<String> {
        words.iter().filter_map(|w| w.strip_prefix(option)).map(String::from).collect()
    };
    match what {
        Shown::Command => linking.first().cloned().unwrap_or_default(),
        Shown::IncDirs => values(&compile, "-I").join(" "),
        Shown::LibDirs => values(&link, "-L").join(" "),
        Shown::Libs => values(&link, "-l").join(" "),
        Shown::Compile => compile.join(" "),
        _ => link.join(" "),
    }
}
