//! Inputs that nobody would write, for every parser. `cargo xtask test unit` gives each parser a few hundred; here it
//! is any number.

use crate::util::{self, Mpi, cargo_over};
use anyhow::Result;

/// Package and test. The tests lie beside the parsers.
const PARSERS: [(&str, &str); 9] = [
    ("pmi-shm", "fuzz_pmi1"),
    ("pmi-shm", "fuzz_pmi2"),
    ("pmi-shm", "fuzz_clients_cannot_bring_a_server_down"),
    ("pmi-shm", "fuzz_tree_frames"),
    ("pmi-shm", "fuzz_neighbours_cannot_bring_a_server_down"),
    ("oshmpi-tools", "fuzz_host_lists"),
    ("oshmpi-tools", "fuzz_host_files"),
    ("oshmpi-tools", "fuzz_command_line"),
    ("oshmpi", "fuzz_settings"),
];

/// Gives the parsers so many inputs together.
pub fn run(mpi: Mpi, inputs: u64) -> Result<()> {
    let each = inputs.div_ceil(PARSERS.len() as u64);
    for package in ["pmi-shm", "oshmpi-tools", "oshmpi"] {
        let mut c = cargo_over(mpi);
        c.args(["test", "--release", "--locked", "--lib", "--bins", "-p", package, "fuzz_"]);
        // A mistake is told with the smallest input that shows it.
        c.env("PROPTEST_CASES", each.to_string()).env("PROPTEST_FAILURE_PERSISTENCE", "off");
        util::run(&mut c)?;
    }
    println!("{} parsers, {each} inputs each: {}", PARSERS.len(), each * PARSERS.len() as u64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::{output, root};

    /// All tests of that kind are counted, and those that are counted are there.
    #[test]
    fn every_parser_is_in_the_list() {
        let found = output(
            std::process::Command::new("grep")
                .args(["-rhoE", "fn fuzz_[a-z0-9_]+"])
                .args(["pmi-shm/src", "tools/src", "oshmpi/src"].map(|dir| root().join(dir))),
        );
        let found = found.unwrap();
        let mut found: Vec<&str> = found.lines().map(|l| l.trim_start_matches("fn ")).collect();
        let mut listed: Vec<&str> = PARSERS.iter().map(|(_, test)| *test).collect();
        found.sort_unstable();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
