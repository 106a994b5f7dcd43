//! `cargo xtask bench remote --threads`: threads with a context each that call a PE of another host at the same time.
//! Each number of threads is measured with the network as it is, and with a preloaded library that lets each wait on a
//! window take a millisecond: a network whose latency hides what the host's cores can do.

use super::programs::{compile, directory};
use super::report::table;
use crate::cluster::{Launcher, hosts};
use crate::util::{Mpi, median, output, root};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn run(mpi: Mpi, prefix: &Path, quick: bool, rounds: usize) -> Result<()> {
    if let Some(why) = hosts::missing() {
        bail!("cannot be measured: {why}");
    }
    let program = compile(&prefix.join("bin/oshcc"), ("threads", ""))?;
    let delay = preload(mpi)?;
    let hosts = hosts::Hosts::up(2)?;
    let launch = |delayed: bool, calls: &str| {
        let mut c = Launcher::Mpiexec(mpi).command(&hosts, 2, false);
        if delayed {
            c.arg("env").arg(format!("LD_PRELOAD={}", delay.display()));
        }
        output(&mut hosts.in_hub(c.arg(&program).args(["-m", "8:32768", "-i", calls])))
    };
    let [calls, delayed_calls] = if quick { ["10", "3"] } else { ["400", "40"] };
    let (mut plain, mut delayed) = (Rates::default(), Rates::default());
    for _ in 0..rounds {
        plain.read(&launch(false, calls)?)?;
        delayed.read(&launch(true, delayed_calls)?)?;
    }
    print!("{}", show(&plain.medians(), &delayed.medians())?);
    Ok(())
}

/// The library that delays waits, compiled.
fn preload(mpi: Mpi) -> Result<PathBuf> {
    let library = directory()?.join("libdelay.so");
    let mut c = Command::new(mpi.command("mpicc"));
    c.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&library);
    crate::util::run(c.arg(root().join("benches/remote/delay.c")).arg("-ldl"))?;
    Ok(library)
}

/// A row of the program: operation and bytes, threads, calls per second.
type Row = (String, usize, f64);

/// The rows of all launches, in the order of the program.
#[derive(Default)]
struct Rates(Vec<(String, usize, Vec<f64>)>);

impl Rates {
    fn read(&mut self, text: &str) -> Result<()> {
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        let rows: Vec<Row> = rows.map(read).collect::<Result<_>>()?;
        if self.0.is_empty() {
            self.0 = rows.iter().map(|(what, threads, _)| (what.clone(), *threads, Vec::new())).collect();
        }
        ensure!(self.0.len() == rows.len(), "{} rows in place of {}", rows.len(), self.0.len());
        self.0.iter_mut().zip(rows).for_each(|((_, _, rates), (_, _, rate))| rates.push(rate));
        Ok(())
    }

    fn medians(self) -> Vec<Row> {
        self.0.into_iter().map(|(what, threads, mut rates)| (what, threads, median(&mut rates))).collect()
    }
}

fn read(line: &str) -> Result<Row> {
    let words: Vec<_> = line.split_whitespace().collect();
    let [name, bytes, threads, rate] = words[..] else { bail!("{line:?} is no row of operation, bytes and threads") };
    let threads = threads.parse().with_context(|| format!("no number of threads in {line:?}"))?;
    Ok((format!("{name} {bytes}"), threads, rate.parse().with_context(|| format!("no rate in {line:?}"))?))
}

/// Calls per second, and their ratio to those of one thread.
fn show(plain: &[Row], delayed: &[Row]) -> Result<String> {
    ensure!(plain.len() == delayed.len() && !plain.is_empty(), "both have the same rows");
    let heads = ["call", "threads", "per second", "to 1", "with 1 ms", "to 1"].map(str::to_owned).to_vec();
    let cells = |rows: &[Row], (what, _, rate): &Row| -> Result<[String; 2]> {
        let one = rows.iter().find(|(other, threads, _)| other == what && *threads == 1);
        let one = one.with_context(|| format!("{what} of one thread was not measured"))?.2;
        Ok([format!("{rate:.0}"), format!("{:.2}", rate / one)])
    };
    let rows = plain.iter().zip(delayed).map(|(fast, slow)| {
        ensure!(fast.0 == slow.0 && fast.1 == slow.1, "{} where {} was measured", slow.0, fast.0);
        Ok([&[fast.0.clone(), fast.1.to_string()], &cells(plain, fast)?[..], &cells(delayed, slow)?[..]].concat())
    });
    let rows = rows.collect::<Result<Vec<_>>>()?;
    Ok(table("threads with a context each", 1, &[vec![heads], rows].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_compared_with_those_of_one_thread() {
        let mut all = [Rates::default(), Rates::default()];
        for (rates, texts) in
            all.iter_mut().zip([["100", "300"], ["10", "30"]].map(|[a, b]| {
                [format!("get 8 1 {a}\nget 8 2 {b}\n"), format!("# a comment\nget 8 1 {a}\nget 8 2 {a}\n")]
            }))
        {
            texts.iter().for_each(|text| rates.read(text).unwrap());
        }
        let [plain, delayed] = all.map(Rates::medians);
        let table = show(&plain, &delayed).unwrap();
        let line = |n| table.lines().nth(n).unwrap().split_whitespace().collect::<Vec<_>>();
        assert_eq!(line(3), ["get", "8", "1", "100", "1.00", "10", "1.00"]);
        assert_eq!(line(4), ["get", "8", "2", "200", "2.00", "20", "2.00"]);
        assert!(show(&plain, &delayed[..1]).is_err());
        assert!(Rates::default().read("get 8 100\n").is_err());
    }
}
