//! The plots: lines with logarithmic axes, and bars.

use super::figures::{FIGURES, Figure, Shape, label};
use super::record::{Samples, digits};
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::{Path, PathBuf};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;
type Line = (String, Vec<(f64, f64)>);

const COLORS: [RGBColor; 5] = [
    RGBColor(0, 90, 200),
    RGBColor(210, 50, 40),
    RGBColor(0, 150, 110),
    RGBColor(170, 110, 190),
    RGBColor(120, 120, 120),
];

/// Draws every file that there are figures for. `stem` is the files' path without `-get.svg` and so on.
pub fn draw(samples: &Samples, stem: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<&str> = FIGURES.iter().map(|f| f.file).filter(|f| !f.is_empty()).collect();
    files.dedup();
    let mut written = Vec::new();
    for file in files {
        let panels: Vec<(&Figure, Vec<Line>)> = FIGURES
            .iter()
            .filter(|f| f.file == file)
            .map(|f| (f, lines(samples, f)))
            .filter(|(_, lines)| !lines.is_empty())
            .collect();
        if panels.is_empty() {
            continue;
        }
        let path = PathBuf::from(format!("{}-{file}.svg", stem.display()));
        draw_file(&path, &panels).map_err(|e| anyhow!("cannot draw {}: {e}", path.display()))?;
        written.push(path);
    }
    Ok(written)
}

/// Lines with their points; on logarithmic axes only what is above zero.
fn lines(samples: &Samples, figure: &Figure) -> Vec<Line> {
    let drawn = |(x, y): (u64, f64)| (x > 0 && y > 0.0).then_some((x as f64, y));
    let all = samples.lines(figure.name).into_iter();
    all.map(|(line, points)| (label(line), points.into_iter().filter_map(drawn).collect::<Vec<_>>()))
        .filter(|(_, points)| !points.is_empty())
        .collect()
}

fn draw_file(path: &Path, panels: &[(&Figure, Vec<Line>)]) -> Drawn {
    let columns = panels.len().min(2);
    let rows = panels.len().div_ceil(columns);
    let size = (640 * u32::try_from(columns)?, 460 * u32::try_from(rows)?);
    let root = SVGBackend::new(path, size).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, (figure, lines)) in root.split_evenly((rows, columns)).iter().zip(panels) {
        match figure.shape {
            Shape::Bars => draw_bars(area, figure, lines)?,
            _ => draw_lines(area, figure, lines)?,
        }
    }
    root.present()?;
    Ok(())
}

fn draw_lines(area: &Area, figure: &Figure, lines: &[Line]) -> Drawn {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let range = |of: fn(&(f64, f64)) -> f64| {
        points().map(of).fold((f64::MAX, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)))
    };
    let (x, y) = (range(|p| p.0), range(|p| p.1));
    let mut chart = ChartBuilder::on(area)
        .caption(figure.title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(70)
        // Room above the lines for the legend, and an axis of some length when all values are equal.
        .build_cartesian_2d((x.0..x.1 * 1.1).log_scale().base(2.0), (y.0 / 2.0..y.1 * 12.0).log_scale())?;
    chart
        .configure_mesh()
        .x_desc(figure.x)
        .y_desc(figure.unit)
        .x_label_formatter(&|x| format!("{}", x.round()))
        .y_label_formatter(&|y| if *y >= 1.0 { format!("{y:.0}") } else { format!("{y}") })
        .light_line_style(RGBColor(240, 240, 240))
        .bold_line_style(RGBColor(215, 215, 215))
        .label_style(("sans-serif", 13))
        .draw()?;
    for ((name, points), color) in lines.iter().zip(COLORS.into_iter().cycle()) {
        let style = color.stroke_width(2);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), style))?
            .label(name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 1), (x + 18, y + 1)], style.filled()));
        chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, color.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(RGBColor(200, 200, 200))
        .label_font(("sans-serif", 13))
        .draw()?;
    Ok(())
}

/// A bar for each line, from zero: the last point, which is the largest x.
fn draw_bars(area: &Area, figure: &Figure, lines: &[Line]) -> Drawn {
    let bars: Vec<(&str, f64, f64)> =
        lines.iter().filter_map(|(name, points)| points.last().map(|(x, y)| (name.as_str(), *x, *y))).collect();
    let most = bars.iter().map(|(_, _, y)| *y).fold(0.0, f64::max);
    let x = bars.first().map_or(0.0, |(_, x, _)| *x);
    let mut chart = ChartBuilder::on(area)
        .caption(format!("{}, {x} {}", figure.title, figure.x), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(30)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..bars.len() as f64, 0.0..most * 1.15)?;
    let named = |x: &f64| match bars.get(x.floor() as usize) {
        Some((name, ..)) if (x.fract() - 0.5).abs() < 0.01 => name.to_string(),
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        // Labels only in the middle of each bar.
        .x_labels(2 * bars.len() + 1)
        .x_label_formatter(&named)
        .y_desc(figure.unit)
        .label_style(("sans-serif", 13))
        .draw()?;
    for (i, ((_, _, y), color)) in bars.iter().zip(COLORS.into_iter().cycle()).enumerate() {
        let left = i as f64 + 0.2;
        chart.draw_series([Rectangle::new([(left, 0.0), (left + 0.6, *y)], color.filled())])?;
        // The figure above its bar.
        chart.draw_series([Text::new(digits(*y), (left + 0.2, y + most * 0.05), ("sans-serif", 14))])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::record::Row;
    use super::*;

    #[test]
    fn what_was_measured_is_drawn_and_nothing_else() {
        let mut samples = Samples::default();
        for row in [
            "get-wall-65536 socket 1 6.0",
            "get-wall-65536 socket 32 190",
            "get-wall-65536 two 1 0.15",
            "get-wall-65536 two 32 0.09",
            "memory-fence copies 1000000 960",
            "memory-fence two 1000000 64",
            "ring ring 1 2",
            "ring ring 32 2",
            "get-cold-65536 two 1 5",
        ] {
            samples.add(Row::parse(row).unwrap());
        }
        let dir = tempfile::tempdir().unwrap();
        let stem = dir.path().join("r");
        let files = draw(&samples, &stem).unwrap();
        let expected = ["get", "memory", "ring"].map(|f| dir.path().join(format!("r-{f}.svg")));
        assert_eq!(files, expected);
        let get = std::fs::read_to_string(&files[0]).unwrap();
        assert!(get.contains("socket, PMI-1") && get.contains("two regions") && !get.contains("one region"), "{get}");
        let memory = std::fs::read_to_string(&files[1]).unwrap();
        assert!(memory.contains("a copy per client") && memory.contains("960"), "{memory}");
    }
}
