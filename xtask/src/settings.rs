//! The settings of the runtime as data: the rows of `settings! { ... }` in oshmpi/src/env.rs.
//!
//! That file is compiled into this program, so there is no second list: docs/env.md, osh_info and the manual pages come
//! from the source of the runtime.

use crate::runtime::env::{Env, Row};
use serde::Serialize;

/// One environment variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    pub name: String,
    /// Other names that are read: those it had before, those that other libraries have for it.
    pub old: Vec<String>,
    /// What values it takes.
    pub value: String,
    /// The value in force when it is not set, in the form in which a user writes it; `not set` for flags.
    pub default: String,
    /// One line.
    pub help: String,
    /// What the documents say beyond that line; may be empty.
    pub more: String,
}

/// The rows of this checkout, in their order.
pub fn all() -> Vec<Setting> {
    Env::rows().into_iter().map(setting).collect()
}

fn setting(row: Row) -> Setting {
    let mut more: Vec<&str> = row.more.iter().map(|line| line.trim()).collect();
    if row.marks.contains(&"agreed") {
        more.push("Must be the same on all PEs.");
    }
    let mut names = row.names.iter().map(|name| name.to_string());
    Setting {
        name: names.next().unwrap_or_default(),
        old: names.collect(),
        value: row.expected.to_string(),
        default: written(&row.default),
        help: row.help.to_string(),
        more: more.join(" "),
    }
}

/// A value as a user writes it, from how the runtime shows it: `536870912 bytes` is `512M`, `30 s` is `30`.
fn written(shown: &str) -> String {
    match shown.strip_suffix(" bytes").map(str::parse) {
        Some(Ok(bytes)) => size(bytes),
        _ => shown.strip_suffix(" s").unwrap_or(shown).to_string(),
    }
}

/// 536870912 is `512M`.
fn size(bytes: u64) -> String {
    for (shift, letter) in [(40, 'T'), (30, 'G'), (20, 'M'), (10, 'K')] {
        if bytes > 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{letter}", bytes >> shift);
        }
    }
    bytes.to_string()
}
