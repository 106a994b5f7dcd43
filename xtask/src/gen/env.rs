//! The table of docs/env.md.

use crate::settings::Setting;

/// One row per variable.
pub fn table(settings: &[Setting]) -> String {
    let mut text = String::from("| variable | value | default | meaning |\n|---|---|---|---|\n");
    for s in settings {
        let old = others(&s.old);
        let default = if s.default == "not set" { s.default.clone() } else { format!("`{}`", s.default) };
        let mut meaning = sentence(&s.help);
        if !s.more.is_empty() {
            meaning = format!("{meaning} {}", s.more);
        }
        text += &format!("| `{}`{old} | {} | {default} | {} |\n", s.name, cell(&s.value), cell(&meaning));
    }
    text
}

/// Other names that are read, in brackets; nothing where there are none.
fn others(names: &[String]) -> String {
    let named: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if named.is_empty() { String::new() } else { format!(" (also {})", named.join(", ")) }
}

/// A help line as a sentence.
pub fn sentence(help: &str) -> String {
    let mut chars = help.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let end = if help.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_all_that_is_known() {
        let s = Setting {
            name: "A".into(),
            old: vec!["B".into(), "C".into()],
            value: "x|y".into(),
            default: "x".into(),
            help: "how".into(),
            more: "And why.".into(),
        };
        assert!(table(&[s]).ends_with("| `A` (also `B`, `C`) | x\\|y | `x` | How. And why. |\n"));
    }
}
