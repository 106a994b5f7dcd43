//! `osh_info`: what this installation of oshmpi is, and how it is set.

mod collect;
mod describe;

use anyhow::Result;
use clap::{CommandFactory, Parser};
use describe::Report;
use oshmpi_tools::site::Site;
use oshmpi_tools::{config, prefix, print_for_install, write_out};
use std::process::ExitCode;

/// Prints what this installation of oshmpi is: its version, the MPI of `oshcc -mpi`, where it lies, how remote memory
/// is reached, and every environment variable with its default and the value in force here.
#[derive(Parser)]
#[command(name = "osh_info", version, about = "Shows what an oshmpi installation is and how it is set", long_about)]
#[command(after_help = "Example:\n  osh_info --json | jq -r '.settings[] | .name + \" \" + .value'")]
struct Cli {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print what a bug report needs: versions, system, limits, network devices, libraries, settings
    #[arg(long, conflicts_with_all = ["json", "name"])]
    report: bool,
    /// Print only this: version, standard, mpi, prefix, or the name of an environment variable
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

fn main() -> ExitCode {
    match perform() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("osh_info: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform() -> Result<()> {
    if print_for_install(Cli::command)? {
        return Ok(());
    }
    let cli = Cli::parse();
    let prefix = prefix()?;
    let site = Site::of_prefix(&prefix);
    let report = Report::new(config(&prefix)?, prefix, &site, |name| std::env::var(name).ok());
    let lossy = |word: std::ffi::OsString| word.to_string_lossy().into_owned();
    let variables = std::env::vars_os().map(|(name, value)| (lossy(name), lossy(value)));
    let text = match (&cli.name, cli.json) {
        _ if cli.report => collect::report(&report.installation(), variables),
        (Some(name), json) => report.one(name, json)?,
        (None, true) => format!("{:#}\n", serde_json::to_value(&report)?),
        (None, false) => report.to_string(),
    };
    write_out(std::io::stdout(), &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
