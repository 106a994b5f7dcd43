//! The plots of a result: latency or ratio over size with logarithmic axes, bars for barriers.

use super::collective;
use super::contest::Contestant;
use super::plan::{BARRIER_PES, SIZED};
use super::samples::{Memory, Samples, What};
use super::targets;
use crate::util::Mpi;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::{Path, PathBuf};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// How a line or a row of bars is drawn.
struct Look {
    label: String,
    color: RGBColor,
    dashed: bool,
}

/// A line or a row of bars: how it is drawn and whose it is.
struct Line {
    look: Look,
    source: Source,
}

enum Source {
    Shmem(Contestant, Memory),
    Plain(Mpi),
    Limit,
}

impl Line {
    fn value(&self, samples: &Samples, measure: &'static str, pes: usize, row: &str, cores: usize) -> Option<f64> {
        let what = |memory| What { measure, memory, pes, row: row.to_string() };
        match self.source {
            Source::Shmem(who, memory) => samples.median(who, &what(memory)),
            Source::Plain(mpi) => targets::plain(samples, mpi, &what(Memory::Any)),
            Source::Limit => targets::limit(samples, &what(Memory::Any), cores),
        }
    }
}

/// Who is drawn. `memories`: heap and statics as two lines, or `Any` as one.
fn lines(mpis: &[Mpi], memories: &[Memory]) -> Vec<Line> {
    const OURS: [RGBColor; 2] = [RGBColor(0, 90, 200), RGBColor(0, 150, 110)];
    const PLAIN: [RGBColor; 2] = [RGBColor(150, 150, 150), RGBColor(170, 110, 190)];
    let shmem = |who: Contestant, color| {
        memories.iter().map(move |&memory| Line {
            look: Look {
                label: if memory == Memory::Any { who.name() } else { format!("{} {}", who.name(), memory.word()) },
                color,
                dashed: memory == Memory::Statics,
            },
            source: Source::Shmem(who, memory),
        })
    };
    let mut all = Vec::new();
    for (i, mpi) in mpis.iter().enumerate() {
        all.extend(shmem(Contestant::Ours(*mpi), OURS[i % 2]));
    }
    all.extend(shmem(Contestant::Oshmem, RGBColor(210, 50, 40)));
    for (i, mpi) in mpis.iter().enumerate() {
        let (label, source) = (Contestant::Plain(*mpi).name(), Source::Plain(*mpi));
        all.push(Line { look: Look { label, color: PLAIN[i % 2], dashed: false }, source });
    }
    let look = Look { label: "limit".into(), color: BLACK, dashed: false };
    all.push(Line { look, source: Source::Limit });
    all
}

/// Draws everything that there are figures for. `stem` is the files' path without `-latency.svg` and so on.
pub fn draw(samples: &Samples, mpis: &[Mpi], cores: usize, stem: &Path) -> Result<Vec<PathBuf>> {
    let named = |kind: &str| {
        let mut name = stem.as_os_str().to_owned();
        name.push(format!("-{kind}.svg"));
        PathBuf::from(name)
    };
    let (rates, latencies): (Vec<_>, Vec<_>) = SIZED.iter().map(|(m, ..)| *m).partition(|m| m.contains("_mr"));
    let over = |measures: Vec<_>| -> Vec<Panel> {
        measures.into_iter().filter_map(|m| sized(samples, mpis, m, cores)).collect()
    };
    let collectives = collective::over_sizes().filter_map(|m| ratio(samples, mpis, m)).collect();
    let mut written = Vec::new();
    for (kind, panels) in [("latency", over(latencies)), ("rate", over(rates)), ("collectives", collectives)] {
        if !panels.is_empty() {
            let file = named(kind);
            draw_panels(&file, &panels).map_err(|e| anyhow!("cannot draw {}: {e}", file.display()))?;
            written.push(file);
        }
    }
    let bars = barrier(samples, mpis, cores);
    if !bars.is_empty() {
        let file = named("barrier");
        draw_bars(&file, &bars).map_err(|e| anyhow!("cannot draw {}: {e}", file.display()))?;
        written.push(file);
    }
    Ok(written)
}

/// One diagram over sizes: points (bytes, microseconds or ratio) for each line that has any.
struct Panel {
    title: String,
    /// What the points' second number is.
    y: &'static str,
    lines: Vec<(Look, Vec<(f64, f64)>)>,
}

fn sized(samples: &Samples, mpis: &[Mpi], measure: &'static str, cores: usize) -> Option<Panel> {
    // Only the diagram of what was measured with OpenSHMEM; its peers alone make none.
    let mut sizes: Vec<u64> = mpis
        .iter()
        .map(|m| Contestant::Ours(*m))
        .chain([Contestant::Oshmem])
        .flat_map(|who| samples.of(who))
        .filter(|w| w.measure == measure)
        .filter_map(|w| w.row.parse().ok())
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.is_empty() {
        return None;
    }
    let drawn = lines(mpis, &[Memory::Heap, Memory::Statics]).into_iter().map(|line| {
        let points = sizes
            .iter()
            .filter_map(|s| Some((*s as f64, line.value(samples, measure, 2, &s.to_string(), cores)?)))
            .collect::<Vec<_>>();
        (line.look, points)
    });
    let title = if measure.contains("_mr") { format!("{measure}: time per message") } else { measure.to_string() };
    Some(Panel { title, y: "microseconds", lines: drawn.filter(|(_, points)| !points.is_empty()).collect() })
}

/// A collective's time over that of the fastest peer, a line for each MPI and number of PEs.
fn ratio(samples: &Samples, mpis: &[Mpi], measure: &'static str) -> Option<Panel> {
    const COLORS: [RGBColor; collective::PES.len()] =
        [RGBColor(0, 90, 200), RGBColor(0, 150, 110), RGBColor(210, 50, 40)];
    let mut lines = Vec::new();
    for mpi in mpis {
        for (pes, color) in collective::PES.into_iter().zip(COLORS) {
            let who = Contestant::Ours(*mpi);
            let points: Vec<(f64, f64)> = collective::ratios(samples, who, measure, pes)
                .into_iter()
                .filter_map(|(row, ratio)| Some((row.parse().ok()?, ratio)))
                .collect();
            if !points.is_empty() {
                let label = format!("{}, {pes} PEs", who.name());
                lines.push((Look { label, color, dashed: *mpi == Mpi::Mpich }, points));
            }
        }
    }
    let title = format!("{measure}: time over the fastest peer's");
    (!lines.is_empty()).then_some(Panel { title, y: "ratio, below 1 is faster", lines })
}

type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

fn draw_panels(file: &Path, panels: &[Panel]) -> Drawn {
    let columns = panels.len().min(2);
    let rows = panels.len().div_ceil(columns);
    let size = (700 * u32::try_from(columns)?, 520 * u32::try_from(rows)?);
    let root = SVGBackend::new(file, size).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, panel) in root.split_evenly((rows, columns)).iter().zip(panels) {
        draw_panel(area, panel)?;
    }
    root.present()?;
    Ok(())
}

fn draw_panel(area: &Area, panel: &Panel) -> Drawn {
    let points = || panel.lines.iter().flat_map(|(_, points)| points.iter());
    let (mut sizes, mut times) = ((f64::MAX, 0.0_f64), (f64::MAX, 0.0_f64));
    for (size, us) in points() {
        sizes = (sizes.0.min(*size), sizes.1.max(*size));
        times = (times.0.min(*us), times.1.max(*us));
    }
    let mut chart = ChartBuilder::on(area)
        .caption(&panel.title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(64)
        // Room above the lines for the legend.
        .build_cartesian_2d(
            (sizes.0..sizes.1 * 1.5).log_scale().base(2.0),
            (times.0 / 2.0..times.1 * 30.0).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("bytes")
        .y_desc(panel.y)
        .x_label_formatter(&|bytes| bytes_label(*bytes))
        .y_label_formatter(&|us| us_label(*us))
        .light_line_style(RGBColor(240, 240, 240))
        .bold_line_style(RGBColor(215, 215, 215))
        .label_style(("sans-serif", 14))
        .draw()?;
    for (look, points) in &panel.lines {
        let style = look.color.stroke_width(2);
        let drawn = points.iter().copied();
        let annotation = if look.dashed {
            chart.draw_series(DashedLineSeries::new(drawn, 6, 4, style))?
        } else {
            chart.draw_series(LineSeries::new(drawn, style))?
        };
        let dashed = look.dashed;
        annotation.label(&look.label).legend(move |(x, y)| {
            // The thin gap in the middle of a long line is what tells a dashed one in the legend.
            let dash = |from, to| Rectangle::new([(x + from, y - 1), (x + to, y + 1)], style.filled());
            EmptyElement::at((0, 0)) + dash(0, if dashed { 8 } else { 12 }) + dash(12, 20)
        });
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(RGBColor(200, 200, 200))
        .label_font(("sans-serif", 14))
        .draw()?;
    Ok(())
}

/// A row of bars: microseconds for each of `BARRIER_PES`.
struct Bars {
    line: Line,
    us: [Option<f64>; BARRIER_PES.len()],
}

fn barrier(samples: &Samples, mpis: &[Mpi], cores: usize) -> Vec<Bars> {
    let all = lines(mpis, &[Memory::Any]).into_iter().map(|line| {
        let us = BARRIER_PES.map(|pes| line.value(samples, "barrier", pes, "avg", cores));
        Bars { line, us }
    });
    all.filter(|bars| bars.us.iter().any(Option::is_some)).collect()
}

fn draw_bars(file: &Path, bars: &[Bars]) -> Drawn {
    let values = || bars.iter().flat_map(|b| b.us).flatten();
    let least = values().fold(f64::MAX, f64::min);
    let most = values().fold(0.0, f64::max);
    let groups = BARRIER_PES.len() as f64;

    let root = SVGBackend::new(file, (900, 520)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("barrier_all (logarithmic)", ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..groups, (least / 3.0..most * 30.0).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        // Labels only in the middle of each group.
        .x_labels(2 * BARRIER_PES.len() + 1)
        .x_label_formatter(&|x| match BARRIER_PES.get(x.floor() as usize) {
            Some(pes) if (x.fract() - 0.5).abs() < 0.01 => format!("{pes} PEs"),
            _ => String::new(),
        })
        .y_desc("microseconds")
        .y_label_formatter(&|us| us_label(*us))
        .label_style(("sans-serif", 14))
        .draw()?;
    let floor = least / 3.0;
    let width = 0.84 / bars.len() as f64;
    for (b, row) in bars.iter().enumerate() {
        let style = row.line.look.color.filled();
        let bar = |(group, us): (usize, &Option<f64>)| {
            let left = group as f64 + 0.08 + b as f64 * width;
            us.map(|us| Rectangle::new([(left, floor), (left + width * 0.92, us)], style))
        };
        chart
            .draw_series(row.us.iter().enumerate().filter_map(bar))?
            .label(&row.line.look.label)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], style));
        // The figure above its bar.
        let figure = |(group, us): (usize, &Option<f64>)| {
            let left = group as f64 + 0.08 + b as f64 * width;
            us.map(|us| Text::new(figure_label(us), (left, us * 1.8), ("sans-serif", 12)))
        };
        chart.draw_series(row.us.iter().enumerate().filter_map(figure))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(RGBColor(200, 200, 200))
        .label_font(("sans-serif", 14))
        .legend_area_size(24)
        .margin(16)
        .draw()?;
    root.present()?;
    Ok(())
}

fn bytes_label(bytes: f64) -> String {
    let whole = bytes.round();
    if whole >= 1048576.0 {
        format!("{} MiB", whole / 1048576.0)
    } else if whole >= 1024.0 {
        format!("{} KiB", whole / 1024.0)
    } else {
        format!("{whole}")
    }
}

fn us_label(us: f64) -> String {
    if us >= 1.0 { format!("{us:.0}") } else { format!("{us}") }
}

/// Three digits that matter.
fn figure_label(us: f64) -> String {
    if us >= 100.0 {
        format!("{us:.0}")
    } else if us >= 10.0 {
        format!("{us:.1}")
    } else {
        format!("{us:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::{Row, Unit};
    use super::*;

    #[test]
    fn labels() {
        assert_eq!(
            ["8", "4 KiB", "1 MiB"],
            [bytes_label(8.0), bytes_label(4096.0), bytes_label(1048576.0)].each_ref().map(String::as_str)
        );
        assert_eq!(["0.01", "10"], [us_label(0.01), us_label(10.0)].each_ref().map(String::as_str));
    }

    #[test]
    fn a_plot_names_who_was_measured_and_nobody_else() {
        let mut samples = Samples::default();
        for (size, us) in [("8", 0.01), ("1024", 0.03), ("1048576", 40.0)] {
            let row = Row { name: size.into(), value: us, unit: Unit::Us };
            samples.add(Contestant::Ours(Mpi::Mpich), "put", Memory::Heap, 2, row.clone());
            samples.add(Contestant::Limit, "put", Memory::Any, 2, row);
        }
        let dir = tempfile::tempdir().unwrap();
        let files = draw(&samples, &Mpi::ALL, 2, &dir.path().join("r")).unwrap();
        assert_eq!(files, [dir.path().join("r-latency.svg")]);
        let svg = std::fs::read_to_string(&files[0]).unwrap();
        assert!(svg.contains("oshmpi/mpich heap") && svg.contains("limit") && svg.contains("microseconds"));
        assert!(!svg.contains("openmpi") && !svg.contains("global"), "{svg}");
    }

    #[test]
    fn collectives_are_drawn_as_ratios() {
        let mut samples = Samples::default();
        for (size, us) in [("4", 0.2), ("16", 0.3)] {
            let row = |value| Row { name: size.into(), value, unit: Unit::Us };
            samples.add(Contestant::Ours(Mpi::Openmpi), "reduce", Memory::Any, 4, row(us));
            samples.add(Contestant::Oshmem, "reduce", Memory::Any, 4, row(us * 2.0));
        }
        let dir = tempfile::tempdir().unwrap();
        let files = draw(&samples, &Mpi::ALL, 2, &dir.path().join("r")).unwrap();
        assert_eq!(files, [dir.path().join("r-collectives.svg")]);
        let svg = std::fs::read_to_string(&files[0]).unwrap();
        assert!(svg.contains("oshmpi/openmpi, 4 PEs") && svg.contains("ratio"), "{svg}");
        assert!(!svg.contains("mpich") && !svg.contains("2 PEs"), "{svg}");
    }
}
