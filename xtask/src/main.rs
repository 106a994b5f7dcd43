//! The project's tasks. `cargo xtask --help` lists them; each module below is one task or one thing tasks share.

mod bench;
mod cluster;
mod ctest;
mod demo;
mod deps;
mod faults;
mod r#gen;
mod headers;
mod install;
mod processes;
mod refuse;
/// Of the runtime's source: its settings.
#[path = "../../oshmpi/src"]
#[allow(dead_code)]
mod runtime {
    pub mod env;
}
mod scale;
mod seed;
mod settings;
mod site;
mod spec;
mod symbols;
mod test;
mod tidy;
mod util;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks of the oshmpi project")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build what C programs need, compile examples/c/heat2d.c with oshcc and run it on 4 PEs
    Demo(demo::Args),
    /// Everything CI runs: format, lints, unit tests, models, symbols, headers, C tests with both MPIs
    Test(test::Args),
    /// Build oshmpi and lay it out under a prefix, for every MPI: bin, include, lib, share
    Install(install::Args),
    /// Remove an installation, by the list of files it made
    Uninstall(install::UninstallArgs),
    /// Make what is installed without compiling: an archive, a wheel for pip, a Debian package
    Dist(install::dist::Args),
    /// Run the C programs of tests/openshmem/tests.list
    Ctest(ctest::Args),
    /// Measure oshmpi beside the machine's limits, plain MPI RMA and Open MPI's OSHMEM
    Bench(bench::Args),
    /// What collectives cost up to a million PEs, by recorded schedules and a model: a table
    Scale(scale::Args),
    /// Run a program on several hosts made of network namespaces on this machine
    Cluster(cluster::Args),
    /// Kill, stop and break processes of jobs in every phase, and judge how the jobs end
    Faults(faults::Args),
    /// Run a command to which the kernel refuses some system calls, as the filter of a container does
    Refuse(refuse::Args),
    /// Write the headers, below target/include, and the table of docs/env.md (--check: only compare it)
    Gen(r#gen::Args),
    /// Compare the symbols of the libraries with spec/openshmem-1.6.api, both ways
    Symbols(symbols::Args),
    /// Compile every header alone, as C99 to C++17, with gcc and clang
    Headers,
    /// Make the documentation as HTML pages below target/site, by mdBook
    Site,
    /// House rules: layers, circles, file sizes, machine paths, SYNC pairs, calls of shmem_, messages
    Tidy,
}

fn main() -> std::process::ExitCode {
    match perform() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e:#}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn perform() -> anyhow::Result<()> {
    match Cli::parse().task {
        Task::Demo(a) => demo::run(a),
        Task::Test(a) => test::run(a),
        Task::Install(a) => install::run(a),
        Task::Uninstall(a) => install::uninstall(a),
        Task::Dist(a) => install::dist::run_task(a),
        Task::Ctest(a) => ctest::run(a),
        Task::Bench(a) => bench::run(a),
        Task::Scale(a) => scale::run(a),
        Task::Cluster(a) => cluster::run(a),
        Task::Faults(a) => faults::run(a),
        Task::Refuse(a) => refuse::run(a),
        Task::Gen(a) => r#gen::run(a),
        Task::Symbols(a) => symbols::run(a),
        Task::Headers => headers::run(),
        Task::Site => site::run_task(),
        Task::Tidy => tidy::run(),
    }
}
