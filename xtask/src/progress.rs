//! How far a long task is, with an estimate of the time left. Where standard output is no terminal, nothing of it is
//! shown: a log has plain lines only.

use crate::util::root;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

/// A bar over `total` steps of about equal length. What is printed while it is there goes through its `suspend`.
pub fn bar(total: u64) -> ProgressBar {
    if !is_shown() {
        return ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
    }
    let style = "{bar:24} {pos}/{len}, {elapsed} gone, about {eta} left  {wide_msg}";
    let bar = ProgressBar::new(total).with_style(ProgressStyle::with_template(style).expect("the template is right"));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

fn is_shown() -> bool {
    std::io::stdout().is_terminal()
}

/// Seconds that named steps took when they last passed, for tasks whose steps differ much in length and print
/// themselves.
pub struct Times {
    file: PathBuf,
    seconds: BTreeMap<String, f64>,
}

/// Seconds of a step that has never passed here.
const UNKNOWN: f64 = 30.0;

impl Times {
    /// The times of `task` in this checkout.
    pub fn of(task: &str) -> Times {
        let file = root().join(format!("target/{task}-times.json"));
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        Times { file, seconds: serde_json::from_str(&text).unwrap_or_default() }
    }

    /// ` (3 of 31, about 12 minutes left)` before step number `at`, or nothing in a log.
    pub fn left(&self, steps: &[&str], at: usize) -> String {
        if !is_shown() {
            return String::new();
        }
        let left = self.seconds_of(&steps[at..]);
        format!(" ({} of {}, about {} left)", at + 1, steps.len(), HumanDuration(Duration::from_secs_f64(left)))
    }

    fn seconds_of(&self, steps: &[&str]) -> f64 {
        steps.iter().map(|step| self.seconds.get(*step).unwrap_or(&UNKNOWN)).sum()
    }

    /// Notes a step that has passed. The file is a courtesy: a target directory that cannot be written to is no
    /// failure.
    pub fn note(&mut self, step: &str, took: Duration) {
        self.seconds.insert(step.to_string(), took.as_secs_f64());
        let _ = std::fs::write(&self.file, serde_json::to_string_pretty(&self.seconds).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_the_steps_took_before() {
        let dir = tempfile::tempdir().unwrap();
        let mut times = Times { file: dir.path().join("t"), seconds: BTreeMap::new() };
        times.note("a", Duration::from_secs(5));
        assert_eq!(times.seconds_of(&["a", "b"]), 5.0 + UNKNOWN);
        assert!(std::fs::read_to_string(&times.file).unwrap().contains("5.0"));
    }
}
