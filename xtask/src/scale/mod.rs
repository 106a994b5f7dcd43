//! `cargo xtask scale`: a table of what collectives, allocation, team creation, puts and AMOs cost up to a million PEs,
//! by a model. What they cost comes from the runtime's code, which unit tests record. Lower bounds come from
//! `benches/scale`.

mod network;

use crate::util::{Mpi, Stream, cargo_over, listen};
use anyhow::{Result, ensure};
use bench_scale::rows::{NODES, PER_NODE, ROWS, TRAFFIC};
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

/// The numbers that the recording tests print, by the names of a row and of a layout.
type Recorded = HashMap<(String, String), Vec<u64>>;

/// So many nodes of the table.
fn layout_name(nodes: u32) -> String {
    format!("{nodes}x{PER_NODE}")
}

/// Has unit tests of the runtime record its calls on layouts such as 16x128, and play them by the model.
fn recorded(layouts: &[String]) -> Result<Recorded> {
    let mut c = cargo_over(Mpi::Mpich);
    c.args(["test", "--quiet", "--locked", "-p", "oshmpi", "--lib", "--", "--ignored", "--nocapture"]);
    c.args(["--exact", "ops::coll::recorded::figures_at_scale", "net::traffic::figures_at_scale"]);
    c.env("SCALE_LAYOUTS", layouts.join(" "));
    let mut now = Recorded::new();
    let mut wrong = None;
    listen(&mut c, Stream::Out, |line| {
        // Libtest's own output may stand before it.
        match line.split_once("scale\t").map(|(_, line)| read(line)) {
            Some(Some((key, numbers))) => drop(now.insert(key, numbers)),
            Some(None) => wrong = Some(line.to_owned()),
            None => {}
        }
        false
    })?;
    ensure!(wrong.is_none(), "the recording test printed {wrong:?}");
    ensure!(!now.is_empty(), "the recording test printed nothing");
    Ok(now)
}

/// Name, layout and numbers.
fn read(line: &str) -> Option<((String, String), Vec<u64>)> {
    let mut words = line.split('\t');
    let key = (words.next()?.to_owned(), words.next()?.to_owned());
    Some((key, words.map(|number| number.parse().ok()).collect::<Option<_>>()?))
}

/// The tables, from 16 to 10,000 nodes.
fn print(now: &Recorded) {
    let layouts = NODES.map(|nodes| Layout::blocks(nodes, PER_NODE));
    let heads = NODES.map(|nodes| format!("{} PEs", grouped(u64::from(nodes * PER_NODE))));
    let head = |what: &str| println!("| {what} | {} |\n|---|---|---|---|---|---|", heads.join(" | "));
    let row = |name: &str, cell: &dyn Fn(&Layout, &[u64]) -> String| {
        let cell = |layout: &Layout| {
            let numbers = now.get(&(name.to_owned(), layout_name(layout.nodes())));
            numbers.map_or("?".into(), |numbers| cell(layout, numbers))
        };
        println!("| {name} | {} |", layouts.each_ref().map(cell).join(" | "));
    };
    println!("us by the model, nodes of {PER_NODE} PEs: the job's first call / a later one (lower bound)\n");
    head("call");
    for r in &ROWS {
        row(r.name, &|layout, numbers| {
            let bound = r.bound(&Model::CLUSTER, layout);
            format!("{} / {} ({})", time(us(numbers[0])), time(us(numbers[1])), time(bound))
        });
    }
    println!(
        "\nmost messages a member sends / most it receives between two completions / bytes over a node's border and"
    );
    println!("the fewest possible\n");
    head("call");
    for r in &ROWS {
        row(r.name, &|_, numbers| {
            let [messages, in_degree, border, optimum] = [2, 3, 4, 5].map(|column| grouped(numbers[column]));
            format!("{messages} / {in_degree} / {border} of {optimum}")
        });
    }
    println!("\nus by the model, all PEs at a time: by adapters / by the targets' CPUs (lower bound)\n");
    head("operations");
    for (name, traffic) in TRAFFIC {
        row(name, &|layout, numbers| {
            let bound = traffic.bound(&Model::CLUSTER, layout);
            format!("{} / {} ({})", time(us(numbers[0])), time(us(numbers[1])), time(bound))
        });
    }
}

/// Picoseconds as microseconds.
fn us(picoseconds: u64) -> f64 {
    picoseconds as f64 * 1e-6
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
