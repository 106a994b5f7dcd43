//! The results as Markdown, and in one line.

use super::inject::{Case, Outcome, PHASES};
use super::streams;
use anyhow::Result;
use std::fmt::Write;

type Done = [(Case, Result<Outcome>)];

/// A cell: the seconds to the end, and what was not as it should be.
fn cell(case: &Case, outcome: &Result<Outcome>) -> String {
    let Ok(o) = outcome else { return "**did not begin**".into() };
    let faults = o.faults(case);
    let took = o.took.map_or(String::new(), |t| format!("{:.1}", t.as_secs_f64()));
    match faults.is_empty() {
        true if o.seen(case).is_empty() => took,
        true => format!("{took} as MPI: {}", o.seen(case).join(", ")).trim().to_string(),
        false => format!("{took} **{}**", faults.join(", ")).trim().to_string(),
    }
}

/// Two tables: seconds by phase, and the line that each kind of end gave.
pub fn markdown(outcomes: &Done, streams: &[streams::Outcome]) -> String {
    let mut text = format!("| launcher | layout | process | breaks by | {} |\n", PHASES.join(" | "));
    text += &format!("|---|---|---|---|{}\n", "---|".repeat(PHASES.len()));
    let mut rows: Vec<String> = outcomes.iter().map(|(case, _)| case.row()).collect();
    rows.dedup();
    for row in &rows {
        let cells = PHASES.map(|phase| {
            let found = outcomes.iter().find(|(case, _)| case.phase == phase && case.row() == *row);
            found.map_or(String::new(), |(case, outcome)| cell(case, outcome))
        });
        let _ = writeln!(text, "| {row} | {} |", cells.join(" | "));
    }
    text +=
        "\n| launcher | layout | process | breaks by | the line, in the middle of a barrier |\n|---|---|---|---|---|\n";
    for (case, outcome) in outcomes.iter().filter(|(case, _)| case.phase == "barrier") {
        let line = outcome.as_ref().map_or(String::new(), |o| o.line.replace('|', "\\|"));
        let line = if line.is_empty() { "none".to_string() } else { format!("`{line}`") };
        let _ = writeln!(text, "| {} | {line} |", case.row());
    }
    text += &streams::markdown(streams);
    text
}

/// Numbers of injections, of ends in time, of those named, and of those that left something.
pub fn summary(outcomes: &Done, streams: &[streams::Outcome]) -> String {
    let ok = || outcomes.iter().filter_map(|(case, o)| Some((case, o.as_ref().ok()?)));
    let of = |is: fn(&Case, &Outcome) -> bool| ok().filter(|(case, o)| is(case, o)).count();
    let text = format!(
        "{} injections: {} ended in time, {} named the process ({} had to), {} left something, {} did as a plain MPI \
         program does",
        outcomes.len(),
        of(|_, o| o.took.is_some()),
        of(|case, o| case.is_to_be_named() && o.named),
        outcomes.iter().filter(|(case, _)| case.is_to_be_named()).count(),
        of(|_, o| !o.left.is_empty()),
        of(|case, o| o.faults(case).is_empty() && !o.seen(case).is_empty()),
    );
    format!("{text}; {} runs with closed or slow streams, {} of them bad", streams.len(), bad_streams(streams))
}

pub fn bad_streams(streams: &[streams::Outcome]) -> usize {
    streams.iter().filter(|o| o.fault.is_some()).count()
}
