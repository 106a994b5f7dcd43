//! `cargo xtask scale`: what collectives, allocation and team creation cost up to a million PEs, by a model: a table,
//! and a plot below target/scale. What they cost comes from the runtime's code, which a unit test records.
//! Textbook algorithms and lower bounds come from `benches/scale`.

mod table;

use crate::util::{self, Mpi, Stream, cargo_over, listen, made, output, root};
use anyhow::{Context, Result, anyhow, ensure};
use bench_plot::{Line, Panel};
use bench_scale::rows::{NODES, PER_NODE, ROWS, Row};
use bench_scale::simulate::Played;
use bench_scale::{Layout, Model};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// Compare what PEs send, counted at 16, 64 and 128 PEs, with what is recorded
    #[arg(long)]
    counts: bool,
    /// Check the oshmpi installed here instead of the one below target/prefix
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
}

/// Nodes of the plot.
const PLOTTED: [u32; 7] = [2, 8, 32, 128, 512, 2048, 8192];

pub fn run(args: Args) -> Result<()> {
    let prefix = args.prefix.unwrap_or_else(|| Mpi::Mpich.prefix());
    if args.counts {
        return counts(&prefix);
    }
    let nodes: BTreeSet<u32> = NODES.into_iter().chain(PLOTTED).collect();
    let layouts: Vec<String> = nodes.into_iter().map(layout_name).collect();
    let now = recorded(&layouts)?;
    table::print(&now);
    let path = made(root().join("target/scale"))?.join("collectives.svg");
    let panels: Vec<Panel> = ROWS.iter().map(|row| panel(row, &now)).collect();
    bench_plot::draw(&path, &panels).map_err(|e| anyhow!("cannot draw {}: {e}", path.display()))?;
    println!("\n{}", path.display());
    Ok(())
}

/// What the runtime's own code does, by the names of a row and of a layout.
type Recorded = HashMap<(String, String), Now>;

/// So many nodes of the table and the plot.
fn layout_name(nodes: u32) -> String {
    format!("{nodes}x{PER_NODE}")
}

/// A line that the recording test prints.
struct Now {
    us: f64,
    /// Messages that a member sends at most, their bytes, and messages that it receives between two completions.
    messages: u64,
    bytes: u64,
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

/// Calls of `tests/counts/calls.c`, and the rows of which each is so many.
const COUNTED: [(&str, &str, u64); 3] =
    [("barrier_all", "barrier", 1), ("sum_reduce_of_a_word", "reduce 8 B", 1), ("malloc_free", "malloc", 2)];

/// Compares what PEs really send with what the recorder has written down. A library between oshmpi and MPI counts it.
fn counts(prefix: &Path) -> Result<()> {
    let dir = made(root().join("target/scale"))?;
    let sources = root().join("tests/counts");
    let (counter, program) = (dir.join("libpmpi_count.so"), dir.join("calls"));
    let mut c = Command::new(Mpi::Mpich.command("mpicc"));
    util::run(c.args(["-shared", "-fPIC", "-O2", "-o"]).arg(&counter).arg(sources.join("pmpi_count.c")).arg("-ldl"))?;
    util::run(Command::new(prefix.join("bin/oshcc")).arg("-O2").arg(sources.join("calls.c")).arg("-o").arg(&program))?;
    println!("| every PE a node: call | PEs | messages, bytes counted | recorded |\n|---|---|---|---|");
    for pes in [16, 64, 128] {
        let layout = format!("{pes}x1");
        let recorded = recorded(std::slice::from_ref(&layout))?;
        let mut c = Mpi::Mpich.mpiexec(pes);
        c.env("OSHMPI_ROUTE", "mpi").arg("env").arg(format!("LD_PRELOAD={}", counter.display())).arg(&program);
        let printed = output(&mut c)?;
        for (name, row, times) in COUNTED {
            let line = printed.lines().find_map(|line| line.strip_prefix(name)).context("a call was not counted")?;
            let counted: Vec<f64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
            let now =
                recorded.get(&(row.to_owned(), layout.clone())).with_context(|| format!("{row} is not recorded"))?;
            let (messages, bytes) = (times * now.messages, times * now.bytes);
            println!("| {name} | {pes} | {}, {} | {messages}, {bytes} |", counted[0], counted[1]);
            let same = counted[..2] == [messages as f64, bytes as f64];
            ensure!(
                same,
                "{name} of {pes} PEs: {counted:?} were counted, {messages} messages of {bytes} bytes recorded"
            );
        }
    }
    Ok(())
}

/// Name, layout, picoseconds, messages, bytes, in-degree, border, optimum.
fn read(line: &str) -> Option<((String, String), Now)> {
    let words: Vec<&str> = line.split('\t').collect();
    let [name, layout, ref numbers @ ..] = words[..] else { return None };
    let numbers: Vec<u64> = numbers.iter().map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let [time, messages, bytes, in_degree, border, optimum] = numbers[..] else { return None };
    let figures = Now { us: time as f64 * 1e-6, messages, bytes, in_degree, border, optimum };
    Some(((name.to_owned(), layout.to_owned()), figures))
}

fn panel(row: &Row, now: &Recorded) -> Panel {
    let model = &Model::CLUSTER;
    let layouts: Vec<Layout> = PLOTTED.iter().map(|&nodes| Layout::blocks(nodes, PER_NODE)).collect();
    let points = |of: &mut dyn FnMut(&Layout) -> Option<f64>| -> Vec<(f64, f64)> {
        layouts.iter().filter_map(|layout| Some((f64::from(layout.size()), of(layout)?))).collect()
    };
    let line = |label: &str, color, dashed, points| Line { label: label.to_owned(), color, dashed, points };
    let of_now = |layout: &Layout| Some(now.get(&(row.name.to_owned(), layout_name(layout.nodes())))?.us);
    let mut lines = vec![
        line("oshmpi", 0, false, points(&mut |layout| of_now(layout))),
        line("lower bound", 5, true, points(&mut |layout| Some(row.bound(model, layout)))),
    ];
    let textbook: Vec<Vec<_>> = layouts.iter().map(|layout| row.textbook(model, layout)).collect();
    // An algorithm need not fit all layouts; those that fit any fit the smallest.
    for (k, (name, _)) in textbook[0].iter().enumerate() {
        let time = |of: &Vec<(&str, Played)>| of.iter().find(|(other, _)| other == name).map(|(_, played)| played.us());
        let times =
            layouts.iter().zip(&textbook).filter_map(|(layout, of)| Some((f64::from(layout.size()), time(of)?)));
        lines.push(line(&format!("{name}, flat"), [1, 3, 4][k], true, times.collect()));
    }
    lines.retain(|line| !line.points.is_empty());
    Panel { title: row.name.into(), x: "PEs, 128 on each node".into(), y: "us, by the model".into(), lines, mark: None }
}
