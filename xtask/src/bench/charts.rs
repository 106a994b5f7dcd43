//! The plots of a result: time or ratio over size, barriers over PEs.

use super::contest::Contestant;
use super::peers;
use super::plan::{PES, SIZED, over_sizes};
use super::samples::{Memory, Samples, What};
use crate::util::Mpi;
use anyhow::{Result, anyhow};
use bench_plot::{Line, Panel};
use std::path::{Path, PathBuf};

/// Colours of the palette: oshmpi over one MPI and over the other, Open MPI's OpenSHMEM, plain MPIs, the machine.
const OURS: [usize; 2] = [0, 1];
const OSHMEM: usize = 2;
const PLAIN: [usize; 2] = [3, 4];
const LIMIT: usize = 5;

/// Draws everything that there are figures for. `stem`: the path without `-latency.svg` and so on.
pub fn draw(samples: &Samples, mpis: &[Mpi], cores: usize, stem: &Path) -> Result<Vec<PathBuf>> {
    let (rates, latencies): (Vec<_>, Vec<_>) = SIZED.iter().map(|(m, ..)| *m).partition(|m| m.contains("_mr"));
    let sized = |measures: Vec<&'static str>| -> Vec<Panel> {
        measures.into_iter().filter_map(|m| over_size(samples, mpis, m, cores)).collect()
    };
    // The two diagrams of a collective stand side by side.
    let both = |m| Some([times(samples, mpis, m, cores)?, ratio(samples, mpis, m)?]);
    let collectives = over_sizes().filter_map(both).flatten().collect();
    let barrier = barrier(samples, mpis, cores).into_iter().collect();
    let files =
        [("latency", sized(latencies)), ("rate", sized(rates)), ("collectives", collectives), ("barrier", barrier)];
    files.into_iter().filter(|(_, panels)| !panels.is_empty()).map(|(kind, panels)| file(stem, kind, &panels)).collect()
}

/// Draws one file.
pub fn file(stem: &Path, kind: &str, panels: &[Panel]) -> Result<PathBuf> {
    let path = PathBuf::from(format!("{}-{kind}.svg", stem.display()));
    bench_plot::draw(&path, panels).map_err(|e| anyhow!("cannot draw {}: {e}", path.display()))?;
    Ok(path)
}

/// A measurement of variants that has a line per variant, and numbers as rows: its diagram, if there are figures.
pub fn variants(samples: &Samples, measure: &str, title: &str, x: &str, unit: &str) -> Option<Panel> {
    let mut lines: Vec<Line> = Vec::new();
    for (who, what) in samples.all().filter(|(_, w)| w.measure == measure) {
        if lines.last().is_none_or(|line| line.label != who.name()) {
            let (label, color) = (who.name(), lines.len());
            lines.push(Line { dashed: label.starts_with("paper"), label, color, points: Vec::new() });
        }
        let point = what.size().map(|x| x as f64).zip(samples.median(who, what)).filter(|p| p.1 > 0.0);
        lines.last_mut().expect("there is one").points.extend(point);
    }
    lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    lines.retain(|line| !line.points.is_empty());
    (!lines.is_empty()).then_some(Panel { title: title.into(), x: x.into(), y: unit.into(), lines, mark: None })
}

/// A line of everybody who has figures. `memories`: heap and statics as two lines, or `Any` as one. `points`: the x of
/// each point and what was measured there.
fn lines(samples: &Samples, mpis: &[Mpi], memories: &[Memory], points: &[(f64, What)], cores: usize) -> Vec<Line> {
    let line = |label: String, color, dashed, value: &dyn Fn(&What) -> Option<f64>| {
        let points = points.iter().filter_map(|(x, what)| Some((*x, value(what)?))).collect();
        Line { label, color, dashed, points }
    };
    let ours = mpis.iter().zip(OURS).map(|(mpi, color)| (Contestant::Ours(*mpi), color));
    let mut all = Vec::new();
    for (who, color) in ours.chain([(Contestant::Oshmem, OSHMEM)]) {
        for &memory in memories {
            let name = if memory == Memory::Any { who.name() } else { format!("{} {}", who.name(), memory.word()) };
            let value = |what: &What| samples.median(who, &What { memory, ..what.clone() });
            all.push(line(name, color, memory == Memory::Statics, &value));
        }
    }
    for (mpi, color) in mpis.iter().zip(PLAIN) {
        all.push(line(Contestant::Plain(*mpi).name(), color, false, &|what| peers::plain(samples, *mpi, what)));
    }
    all.push(line("limit".into(), LIMIT, false, &|what| peers::limit(samples, what, cores)));
    all.retain(|line| !line.points.is_empty());
    all
}

fn over_size(samples: &Samples, mpis: &[Mpi], measure: &'static str, cores: usize) -> Option<Panel> {
    // Peers alone make no diagram.
    let shmem = |who: Contestant| matches!(who, Contestant::Ours(_) | Contestant::Oshmem);
    let measured = samples.all().filter(|(who, what)| shmem(*who) && what.measure == measure);
    let mut sizes: Vec<u64> = measured.filter_map(|(_, what)| what.size()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let points: Vec<_> = sizes.iter().map(|s| (*s as f64, What::any(measure, 2, &s.to_string()))).collect();
    let title = if measure.contains("_mr") { format!("{measure}: time per message") } else { measure.to_string() };
    let lines = lines(samples, mpis, &[Memory::Heap, Memory::Statics], &points, cores);
    let panel = Panel { title, x: "bytes".into(), y: "microseconds".into(), lines, mark: None };
    (!sizes.is_empty()).then_some(panel)
}

/// A collective's time at the least number of PEs that was measured.
fn times(samples: &Samples, mpis: &[Mpi], measure: &'static str, cores: usize) -> Option<Panel> {
    let ours = |what: &What| mpis.iter().any(|mpi| samples.median(Contestant::Ours(*mpi), what).is_some());
    let measured = samples.all().filter(|(_, what)| what.measure == measure);
    let mut sizes: Vec<u64> = measured.filter_map(|(_, what)| what.size()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let points = |pes| sizes.iter().map(|s| (*s as f64, What::any(measure, pes, &s.to_string()))).collect::<Vec<_>>();
    let (pes, points) = PES.into_iter().map(|pes| (pes, points(pes))).find(|(_, p)| p.iter().any(|(_, w)| ours(w)))?;
    let lines = lines(samples, mpis, &[Memory::Any], &points, cores);
    let title = format!("{measure}: time of a call, {pes} PEs");
    Some(Panel { title, x: "bytes".into(), y: "microseconds".into(), lines, mark: None })
}

/// A collective's time over that of the fastest peer, a line for each MPI and number of PEs.
fn ratio(samples: &Samples, mpis: &[Mpi], measure: &'static str) -> Option<Panel> {
    let mut lines = Vec::new();
    for mpi in mpis {
        for (color, pes) in PES.into_iter().enumerate() {
            let who = Contestant::Ours(*mpi);
            let points: Vec<(f64, f64)> = peers::ratios(samples, who, measure, pes)
                .into_iter()
                .filter_map(|(row, ratio)| Some((row.parse().ok()?, ratio)))
                .collect();
            if !points.is_empty() {
                let label = format!("{}, {pes} PEs", who.name());
                lines.push(Line { label, color, dashed: *mpi == Mpi::Mpich, points });
            }
        }
    }
    let title = format!("{measure}: time over the fastest peer's");
    let y = "ratio, below 1 is faster".into();
    (!lines.is_empty()).then_some(Panel { title, x: "bytes".into(), y, lines, mark: Some(1.0) })
}

fn barrier(samples: &Samples, mpis: &[Mpi], cores: usize) -> Option<Panel> {
    let points = PES.map(|pes| (pes as f64, What::any("barrier", pes, "avg")));
    let lines = lines(samples, mpis, &[Memory::Any], &points, cores);
    let title = "shmem_barrier_all".to_string();
    (!lines.is_empty()).then_some(Panel { title, x: "PEs".into(), y: "microseconds".into(), lines, mark: None })
}

#[cfg(test)]
mod tests {
    use super::super::samples::tests::add;
    use super::*;

    /// The one file that is drawn, and what it holds.
    fn drawn(samples: &Samples, kind: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let files = draw(samples, &Mpi::ALL, 2, &dir.path().join("r")).unwrap();
        assert_eq!(files, [dir.path().join(format!("r-{kind}.svg"))]);
        std::fs::read_to_string(&files[0]).unwrap()
    }

    #[test]
    fn a_plot_names_who_was_measured_and_nobody_else() {
        let mut samples = Samples::default();
        for (size, us) in [("8", 0.01), ("1024", 0.03), ("1048576", 40.0)] {
            add(&mut samples, Contestant::Ours(Mpi::Mpich), "put", Memory::Heap, 2, size, us);
            add(&mut samples, Contestant::Limit, "put", Memory::Any, 2, size, us);
        }
        let svg = drawn(&samples, "latency");
        assert!(svg.contains("oshmpi/mpich heap") && svg.contains("limit") && svg.contains("microseconds"));
        assert!(!svg.contains("openmpi") && !svg.contains("global"), "{svg}");
    }

    #[test]
    fn collectives_are_drawn_as_times_and_as_ratios() {
        let mut samples = Samples::default();
        for (size, us) in [("4", 0.2), ("16", 0.3)] {
            add(&mut samples, Contestant::Ours(Mpi::Openmpi), "reduce", Memory::Any, 4, size, us);
            add(&mut samples, Contestant::Oshmem, "reduce", Memory::Any, 4, size, us * 2.0);
        }
        let svg = drawn(&samples, "collectives");
        assert!(svg.contains("oshmpi/openmpi, 4 PEs") && svg.contains("ratio"), "{svg}");
        assert!(svg.contains("time of a call, 4 PEs") && svg.contains("microseconds"), "{svg}");
        assert!(!svg.contains("mpich") && !svg.contains("2 PEs"), "{svg}");
    }
}
