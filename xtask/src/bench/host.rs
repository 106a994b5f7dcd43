//! The machine and the versions a result belongs to.

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::Command;

#[derive(Serialize, Default)]
pub struct Host {
    pub cpu: String,
    pub cores: usize,
    pub kernel: String,
    /// Load average of the last minute when the run began: above about 0.5, somebody else was measured too.
    pub load: f64,
}

impl Host {
    fn here() -> Result<Host> {
        let cpuinfo = read("/proc/cpuinfo")?;
        let cpu = cpuinfo
            .lines()
            .find_map(|l| l.strip_prefix("model name").and_then(|r| r.split_once(':')))
            .map_or(std::env::consts::ARCH, |(_, name)| name.trim());
        let load = read("/proc/loadavg")?;
        Ok(Host {
            cpu: cpu.to_string(),
            cores: std::thread::available_parallelism()?.get(),
            kernel: read("/proc/sys/kernel/osrelease")?.trim().to_string(),
            load: load.split_whitespace().next().and_then(|l| l.parse().ok()).unwrap_or(0.0),
        })
    }

    /// The machine before a run, with a warning when it is busy.
    pub fn idle() -> Result<Host> {
        let host = Host::here()?;
        if host.load > 0.5 {
            eprintln!("the machine is busy (load {:.1}): figures will be worse than they are", host.load);
        }
        Ok(host)
    }

    /// The processor's name as part of a file name.
    pub fn slug(&self) -> String {
        slug(&self.cpu)
    }
}

fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))
}

/// Lower-case words joined by dashes; marks in parentheses such as (R) and what follows an @ are left out.
fn slug(name: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0;
    for c in name.split('@').next().unwrap_or_default().chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth > 0 => {}
            c if c.is_ascii_alphanumeric() => plain.push(c.to_ascii_lowercase()),
            _ => plain.push(' '),
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join("-")
}

/// Today's date, as 2026-01-31.
pub fn today() -> Result<String> {
    let out = Command::new("date").args(["-u", "+%Y-%m-%d"]).output().context("cannot start date")?;
    ensure!(out.status.success(), "date failed");
    Ok(String::from_utf8(out.stdout)?.trim().to_string())
}

/// Versions of everything that takes part; what is not installed is left out.
pub fn versions() -> BTreeMap<String, String> {
    let oshcc = super::contest::oshmem_compiler();
    let mut found = BTreeMap::from([("oshmpi".to_string(), env!("CARGO_PKG_VERSION").to_string())]);
    let root = crate::util::root();
    let root = root.to_string_lossy();
    let asked: [(&str, &str, &[&str]); 7] = [
        ("oshmpi commit", "git", &["-C", &root, "describe", "--always", "--dirty"]),
        ("mpich", "mpiexec.mpich", &["--version"]),
        ("openmpi", "mpiexec.openmpi", &["--version"]),
        ("openmpi-oshmem", oshcc.as_deref().unwrap_or(""), &["--showme:version"]),
        ("gcc", "gcc", &["--version"]),
        ("rustc", "rustc", &["--version"]),
        ("glibc", "ldd", &["--version"]),
    ];
    for (name, program, args) in asked {
        if let Some(version) = version(program, args) {
            found.insert(name.to_string(), version);
        }
    }
    found
}

/// The line that names the version: hydra's second line, everybody else's first.
fn version(program: &str, args: &[&str]) -> Option<String> {
    let out = Command::new(program).args(args).output().ok()?;
    let text = String::from_utf8_lossy(if out.stdout.is_empty() { &out.stderr } else { &out.stdout }).into_owned();
    let line = text.lines().find(|l| l.trim_start().starts_with("Version:")).or_else(|| text.lines().next())?;
    Some(line.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs() {
        assert_eq!(slug("Intel(R) Xeon(R) Processor"), "intel-xeon-processor");
        assert_eq!(slug("Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz"), "intel-core-i7-8700-cpu");
        assert_eq!(slug("AMD EPYC 7B13"), "amd-epyc-7b13");
    }

    #[test]
    fn a_date_has_its_form() {
        let date = today().unwrap();
        let parts: Vec<usize> = date.split('-').map(str::len).collect();
        assert_eq!(parts, [4, 2, 2], "{date}");
    }
}
