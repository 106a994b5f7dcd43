//! shmem.hpp: the programs of tests/openshmem/cxx with the other compiler (ctest has built them with g++), and that a
//! template compiles to the instructions of the C call.

use crate::r#gen::headers;
use crate::install;
use crate::util::{Mpi, files, limited, made, output, root, run};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;

pub fn check(mpi: Mpi) -> Result<()> {
    let dir = made(root().join("target/templates").join(mpi.name()))?;
    costs_nothing(&dir)?;
    with_clang(mpi, &dir)
}

fn costs_nothing(dir: &Path) -> Result<()> {
    let text = fs::read_to_string(root().join("tests/openshmem/cxx/pairs.txt")).context("cannot read pairs.txt")?;
    let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty() && !l.starts_with("//")).collect();
    ensure!(lines.len() > 10 && lines.len().is_multiple_of(2), "pairs.txt has {} functions", lines.len());
    for compiler in ["g++", "clang++"] {
        for pair in lines.chunks(2) {
            let (template, plain) = (pair[0], pair[1]);
            let (template, plain) = (instructions(dir, compiler, template)?, instructions(dir, compiler, plain)?);
            ensure!(!plain.is_empty(), "{compiler} made no function");
            ensure!(template == plain, "{compiler} makes other code:\n{template:#?}\ninstead of\n{plain:#?}");
        }
    }
    println!("templates: {} calls are the C calls, instruction by instruction", lines.len() / 2);
    Ok(())
}

/// The instructions of a function, without labels, directives and names of C++.
fn instructions(dir: &Path, compiler: &str, function: &str) -> Result<Vec<String>> {
    let source = dir.join("pair.cc");
    fs::write(&source, format!("#include <shmem.hpp>\n{function}\n")).context("cannot write pair.cc")?;
    let text = output(
        Command::new(compiler)
            .args(["-std=c++17", "-O2", "-S", "-o", "-", "-fno-asynchronous-unwind-tables", "-w", "-I"])
            .arg(headers::dir()?)
            .arg(&source),
    )?;
    Ok(code(&text))
}

fn code(assembly: &str) -> Vec<String> {
    let lines = assembly.lines().filter(|l| l.starts_with('\t') && !l.trim_start().starts_with('.'));
    lines.map(|l| l.split('#').next().unwrap_or_default().trim().to_string()).filter(|l| !l.is_empty()).collect()
}

/// Every program of tests/openshmem/cxx: checked in C++17, built in C++20, and run on 2 PEs.
fn with_clang(mpi: Mpi, dir: &Path) -> Result<()> {
    let tests = root().join("tests/openshmem");
    let programs = files(&tests.join("cxx"), "cc")?;
    ensure!(!programs.is_empty(), "tests/openshmem/cxx is empty");
    for source in &programs {
        let name = source.file_stem().unwrap_or_default();
        let (strict, here) = (["-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"], tests.as_path());
        // Not through oshc++: the MPI's wrapper adds libraries, and clang minds those when it does not link.
        run(Command::new("clang++")
            .args(["-std=c++17", "-fsyntax-only", "-I"])
            .arg(headers::dir()?)
            .args(strict)
            .arg(here)
            .arg(source))?;
        run(install::wrapper(&mpi.prefix(), "oshc++")
            .env("OSHMPI_CXX", "clang++")
            .arg("-std=c++20")
            .args(strict)
            .arg(here)
            .arg(source)
            .arg("-o")
            .arg(dir.join(name)))?;
        let printed = output(&mut limited(mpi.mpiexec(2).arg(dir.join(name))))?;
        ensure!(printed == "ok\n", "{} built with clang printed\n{printed}", name.display());
    }
    println!("clang: {} programs of tests/openshmem/cxx", programs.len());
    Ok(())
}
