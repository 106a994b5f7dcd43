//! How far a long task is, with an estimate of the time left. Where standard output is no terminal, nothing of it is
//! shown: a log has plain lines only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// A bar over `total` steps of about the same length. What is printed while it is there goes through its `suspend`.
pub fn bar(total: u64) -> ProgressBar {
    if !is_shown() {
        return ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
    }
    let style = "{bar:24} {pos}/{len}, {elapsed} gone, about {eta} left  {wide_msg}";
    let bar = ProgressBar::new(total).with_style(ProgressStyle::with_template(style).expect("a template of ours"));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Whether anybody looks.
pub fn is_shown() -> bool {
    std::io::stdout().is_terminal()
}
