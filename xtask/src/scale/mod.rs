//! `cargo xtask scale`: a table of what collectives, allocation and team creation cost up to a million PEs, by a model.
//! What they cost comes from the runtime's code, which a unit test records. Lower bounds come from `benches/scale`.

mod network;

use crate::util::{Mpi, Stream, cargo_over, listen};
use anyhow::{Result, ensure};
use bench_scale::rows::{NODES, PER_NODE, ROWS};
use bench_scale::{Layout, Model};
use std::collections::HashMap;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// Count only the calls that reach the network in start, quiet and end, on so many PEs, and judge how they grow
    #[arg(long, value_name = "P", value_delimiter = ',', num_args = 0.., default_missing_value = "4,8,16,32,64")]
    network: Vec<u64>,
    /// The MPI below it
    #[arg(long, value_name = "MPI", default_value = "mpich", requires = "network")]
    mpi: Mpi,
    /// Check the oshmpi installed here instead of the one below target/prefix
    #[arg(long, value_name = "DIR", requires = "network")]
    prefix: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<()> {
    if !args.network.is_empty() {
        return network::check(args.mpi, &args.prefix.unwrap_or_else(|| args.mpi.prefix()), &args.network);
    }
    let layouts = NODES.map(layout_name);
    print(&recorded(&layouts)?);
    Ok(())
}

/// What the runtime's own code does, by the names of a row and of a layout.
type Recorded = HashMap<(String, String), Now>;

/// So many nodes of the table.
fn layout_name(nodes: u32) -> String {
    format!("{nodes}x{PER_NODE}")
}

/// A line that the recording test prints.
struct Now {
    us: f64,
    /// Messages that a member sends at most, and that it receives between two completions.
    messages: u64,
    in_degree: u64,
    /// Bytes over the border of the busiest node, and the fewest possible.
    border: u64,
    optimum: u64,
}

/// Has a unit test of the runtime record its collectives on layouts such as 16x128, and play them by the model.
fn recorded(layouts: &[String]) -> Result<Recorded> {
    let mut c = cargo_over(Mpi::Mpich);
    c.args(["test", "--quiet", "--locked", "-p", "oshmpi", "--lib", "--", "--ignored", "--nocapture"]);
    c.args(["--exact", "ops::coll::recorded::figures_at_scale"]);
    c.env("SCALE_LAYOUTS", layouts.join(" "));
    let mut now = Recorded::new();
    let mut wrong = None;
    listen(&mut c, Stream::Out, |line| {
        match line.strip_prefix("scale\t").map(read) {
            Some(Some((key, figures))) => drop(now.insert(key, figures)),
            Some(None) => wrong = Some(line.to_owned()),
            None => {}
        }
        false
    })?;
    ensure!(wrong.is_none(), "the recording test printed {wrong:?}");
    ensure!(!now.is_empty(), "the recording test printed nothing");
    Ok(now)
}

/// Name, layout, picoseconds, messages, their bytes, in-degree, border, optimum.
fn read(line: &str) -> Option<((String, String), Now)> {
    let words: Vec<&str> = line.split('\t').collect();
    let [name, layout, ref numbers @ ..] = words[..] else { return None };
    let numbers: Vec<u64> = numbers.iter().map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let [time, messages, _, in_degree, border, optimum] = numbers[..] else { return None };
    let figures = Now { us: time as f64 * 1e-6, messages, in_degree, border, optimum };
    Some(((name.to_owned(), layout.to_owned()), figures))
}

/// The table, from 16 to 10,000 nodes.
fn print(now: &Recorded) {
    println!("us by the model, nodes of {PER_NODE} PEs (lower bound)\n");
    let layouts = NODES.map(|nodes| Layout::blocks(nodes, PER_NODE));
    let heads = NODES.map(|nodes| format!("{} PEs", grouped(u64::from(nodes * PER_NODE))));
    println!("| call | {} |\n|---|---|---|---|---|---|", heads.join(" | "));
    for row in &ROWS {
        let cell = |layout: &Layout| {
            let bound = row.bound(&Model::CLUSTER, layout);
            let now =
                now.get(&(row.name.to_owned(), layout_name(layout.nodes()))).map_or("?".into(), |now| time(now.us));
            format!("{now} ({})", time(bound))
        };
        println!("| {} | {} |", row.name, layouts.each_ref().map(cell).join(" | "));
    }
    println!(
        "\nmost messages a member sends / most it receives between two completions / bytes over a node's border and"
    );
    println!("the fewest possible\n\n| call | {} |\n|---|---|---|---|---|---|", heads.join(" | "));
    for row in &ROWS {
        let cell = |layout: &Layout| match now.get(&(row.name.to_owned(), layout_name(layout.nodes()))) {
            Some(n) => format!("{} / {} / {} of {}", n.messages, n.in_degree, grouped(n.border), grouped(n.optimum)),
            None => "?".into(),
        };
        println!("| {} | {} |", row.name, layouts.each_ref().map(cell).join(" | "));
    }
}

/// Microseconds with two significant digits or none behind the point.
fn time(us: f64) -> String {
    if us < 10.0 { format!("{us:.1}") } else { grouped(us.round() as u64) }
}

/// 1048576 as 1,048,576.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_readable() {
        assert_eq!([grouped(0), grouped(999), grouped(1000), grouped(1048576)], ["0", "999", "1,000", "1,048,576"]);
        assert_eq!([time(1.26), time(640000.4)], ["1.3", "640,000"]);
    }
}
