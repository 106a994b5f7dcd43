//! Line charts with logarithmic axes: one SVG file holds one or more panels. The crate knows nothing of benchmarks.

use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// One diagram.
pub struct Panel {
    pub title: String,
    pub x: String,
    pub y: String,
    pub lines: Vec<Line>,
    /// A value of y that is marked by a line across the diagram: where two are equal.
    pub mark: Option<f64>,
}

/// One line of a diagram.
pub struct Line {
    pub label: String,
    /// Index into the palette. Lines of one subject share a colour.
    pub color: usize,
    pub dashed: bool,
    /// (x, y), both above zero.
    pub points: Vec<(f64, f64)>,
}

const PALETTE: [RGBColor; 6] = [
    RGBColor(0, 90, 200),
    RGBColor(0, 150, 110),
    RGBColor(210, 50, 40),
    RGBColor(170, 110, 190),
    RGBColor(150, 150, 150),
    BLACK,
];

/// Width and height of a panel in pixels.
const SIZE: (u32, u32) = (700, 500);

type Drawn = Result<(), Box<dyn Error>>;

/// Draws the panels into one file, two in a row.
pub fn draw(file: &Path, panels: &[Panel]) -> Drawn {
    let columns = panels.len().clamp(1, 2);
    let rows = panels.len().div_ceil(columns).max(1);
    let size = (SIZE.0 * u32::try_from(columns)?, SIZE.1 * u32::try_from(rows)?);
    let root = SVGBackend::new(file, size).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, panel) in root.split_evenly((rows, columns)).iter().zip(panels) {
        draw_panel(area, panel)?;
    }
    root.present()?;
    Ok(())
}

fn draw_panel(area: &DrawingArea<SVGBackend<'_>, Shift>, panel: &Panel) -> Drawn {
    let range = |of: fn(&(f64, f64)) -> f64| {
        let values = panel.lines.iter().flat_map(|line| &line.points).map(of);
        values.fold((f64::MAX, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)))
    };
    let (x, mut y) = (range(|p| p.0), range(|p| p.1));
    if let Some(mark) = panel.mark {
        y = (y.0.min(mark), y.1.max(mark));
    }
    let mut chart = ChartBuilder::on(area)
        .caption(&panel.title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(70)
        // The legend needs room above the lines. An axis needs a length when all values are equal.
        .build_cartesian_2d((x.0..x.1 * 1.5).log_scale().base(2.0), (y.0 / 2.0..y.1 * 30.0).log_scale())?;
    chart
        .configure_mesh()
        .x_desc(&panel.x)
        .y_desc(&panel.y)
        .x_label_formatter(&|x| x_label(*x))
        // More labels collide where the axis is short of a decade or long of ten.
        .y_labels(6)
        .y_label_formatter(&|y| y_label(*y))
        .light_line_style(RGBColor(240, 240, 240))
        .bold_line_style(RGBColor(215, 215, 215))
        .label_style(("sans-serif", 14))
        .draw()?;
    if let Some(mark) = panel.mark {
        let across = [(x.0, mark), (x.1 * 1.5, mark)];
        chart.draw_series(LineSeries::new(across, BLACK.stroke_width(1)))?;
    }
    for line in &panel.lines {
        let color = PALETTE[line.color % PALETTE.len()];
        let (style, dashed) = (color.stroke_width(2), line.dashed);
        let points = || line.points.iter().copied();
        let annotation = if dashed {
            chart.draw_series(DashedLineSeries::new(points(), 6, 4, style))?
        } else {
            chart.draw_series(LineSeries::new(points(), style))?
        };
        annotation.label(&line.label).legend(move |(x, y)| {
            // A gap in the middle tells a dashed line in the legend.
            let dash = |from, to| Rectangle::new([(x + from, y - 1), (x + to, y + 1)], style.filled());
            EmptyElement::at((0, 0)) + dash(0, if dashed { 8 } else { 12 }) + dash(12, 20)
        });
        chart.draw_series(points().map(|point| Circle::new(point, 2, color.filled())))?;
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

/// Powers of 1024 have their letter: 4096 is `4 Ki`.
fn x_label(x: f64) -> String {
    match x.round() {
        x if x >= 1048576.0 => format!("{} Mi", x / 1048576.0),
        x if x >= 1024.0 => format!("{} Ki", x / 1024.0),
        x => format!("{x}"),
    }
}

/// Three digits at most, and no zeros at the end. From ten thousand on in thousands or millions.
fn y_label(y: f64) -> String {
    match y {
        y if y >= 1e6 => return format!("{} M", y_label(y / 1e6)),
        y if y >= 1e4 => return format!("{} k", y_label(y / 1e3)),
        _ => {}
    }
    let decimals = (2.0 - y.log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{y:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_every_line_and_axis() {
        let line = |label: &str, dashed| Line {
            label: label.into(),
            color: 0,
            dashed,
            points: vec![(8.0, 0.01), (4096.0, 0.1), (1048576.0, 40.0)],
        };
        let panel = |title: &str| Panel {
            title: title.into(),
            x: "bytes".into(),
            y: "microseconds".into(),
            lines: vec![line("ours", false), line("theirs", true)],
            mark: Some(1.0),
        };
        let dir = std::env::temp_dir().join(format!("bench-plot-{}.svg", std::process::id()));
        draw(&dir, &[panel("put"), panel("get"), panel("atomics")]).unwrap();
        let svg = std::fs::read_to_string(&dir).unwrap();
        std::fs::remove_file(&dir).unwrap();
        for text in ["put", "atomics", "ours", "theirs", "bytes", "microseconds"] {
            assert!(svg.contains(text), "{text} is not in the file");
        }
        assert_eq!([x_label(8.0), x_label(4096.0), x_label(1048576.0)], ["8", "4 Ki", "1 Mi"]);
    }

    /// Two labels of the y axis lie further apart than a label is high, however long the axis is.
    #[test]
    fn labels_of_the_axis_do_not_collide() {
        for (low, high) in [(1.0, 1.2), (3.0, 40.0), (0.001, 90000.0), (1e-6, 1e9)] {
            let line = Line { label: "a".into(), color: 0, dashed: false, points: vec![(1.0, low), (64.0, high)] };
            let panel = Panel { title: "t".into(), x: "PEs".into(), y: "ms".into(), lines: vec![line], mark: None };
            let file = std::env::temp_dir().join(format!("bench-plot-axis-{}.svg", std::process::id()));
            draw(&file, &[panel]).unwrap();
            let svg = std::fs::read_to_string(&file).unwrap();
            std::fs::remove_file(&file).unwrap();
            // Labels of the y axis end at the axis.
            let place = |tag: &str| tag.split_once(" y=\"")?.1.split_once('"')?.0.parse::<f64>().ok();
            let labels = svg.split("<text ").skip(1).filter(|tag| tag.contains("text-anchor=\"end\""));
            let mut ys: Vec<f64> = labels.filter_map(place).collect();
            ys.sort_by(f64::total_cmp);
            assert!(ys.len() >= 2, "{low} to {high}: {} labels", ys.len());
            assert!(ys.windows(2).all(|w| w[1] - w[0] >= 14.0), "{low} to {high}: {ys:?}");
        }
        assert_eq!([0.05, 1.0, 2.5, 1234.0].map(y_label), ["0.05", "1", "2.5", "1234"]);
        assert_eq!([1e4, 1e5, 1e6, 1e8].map(y_label), ["10 k", "100 k", "1 M", "100 M"]);
    }
}
