//! Programs that run in turn, and a table of what they print: lines of name, bytes and a figure. The first program is
//! oshmpi's. A program that fails or takes too long gives the lines that it has printed, and one complaint.

use crate::util::{limited_to, median};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek};
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// What one run of a program may take. With more processes than cores a barrier can take tens of milliseconds.
const LIMIT: Duration = Duration::from_secs(120);

/// A program, or why there is none.
pub struct Entry {
    pub name: String,
    pub command: Result<Command, String>,
    /// What it prints as lines of name, bytes and figure; lines that begin with `#` do not count.
    pub lines: fn(&str) -> String,
}

/// Name and bytes, by their place in the output.
type Call = (usize, String, usize);
type Figures = BTreeMap<Call, Vec<f64>>;

/// The cells of a row, and after them the names of their columns.
pub type Row = (Vec<String>, Vec<String>);

pub struct Contest {
    rounds: usize,
    complaints: BTreeSet<String>,
    /// Complaints about oshmpi.
    failed: usize,
}

impl Contest {
    pub fn new(repeat: Option<usize>, quick: bool) -> Result<Contest> {
        let rounds = repeat.unwrap_or(if quick { 1 } else { 5 });
        ensure!(rounds > 0, "--repeat must be at least 1");
        Ok(Contest { rounds, complaints: BTreeSet::new(), failed: 0 })
    }

    /// Runs all programs in turn, so that slow changes of the machine affect all of them, and none is always the first.
    /// Gives the rows of a table.
    pub fn hold(&mut self, what: &str, entries: Vec<Entry>) -> Vec<Row> {
        let mut all = vec![Figures::new(); entries.len()];
        let mut silent = vec![false; entries.len()];
        for round in 0..self.rounds {
            for i in (0..entries.len()).map(|i| (i + round) % entries.len()) {
                // What gave no figures once gives none in the next round either, and could take the whole limit again.
                if silent[i] {
                    continue;
                }
                let before = all[i].len();
                if let Err(why) = take(&entries[i], &mut all[i]) {
                    self.failed += usize::from(i == 0);
                    self.complaints.insert(format!("{what}, {}: {why}", entries[i].name));
                    silent[i] = all[i].len() == before;
                }
            }
        }
        let names: Vec<String> = entries.into_iter().map(|entry| entry.name).collect();
        rows(what, &names, all.into_iter().map(medians).collect())
    }

    /// Prints a table. Columns are joined by their names.
    pub fn show(&self, title: &str, rows: Vec<Row>) {
        let mut heads: Vec<String> = Vec::new();
        for head in rows.iter().flat_map(|(_, heads)| heads) {
            if !heads.contains(head) {
                heads.push(head.clone());
            }
        }
        let cell = |(cells, names): &Row, head: &String| {
            names.iter().position(|name| name == head).map_or("-".to_owned(), |at| cells[at].clone())
        };
        let lines = rows.iter().map(|row| heads.iter().map(|head| cell(row, head)).collect());
        let lines: Vec<Vec<String>> = [heads.clone()].into_iter().chain(lines).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
        println!("\n{title}: microseconds, and in brackets oshmpi's as a factor of them; a star: the other is faster");
        for line in &lines {
            let cells = line.iter().enumerate().map(|(i, cell)| match i {
                0 | 1 => format!("{cell:<width$}", width = width(i)),
                _ => format!("{cell:>width$}", width = width(i)),
            });
            println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
    }

    /// Tells the complaints. Those about oshmpi are an error.
    pub fn end(self) -> Result<()> {
        if !self.complaints.is_empty() {
            println!("\nnot measured, or with a complaint");
            self.complaints.iter().for_each(|line| println!("  {line}"));
        }
        ensure!(self.failed == 0, "{} runs of oshmpi itself did not end well", self.failed);
        Ok(())
    }
}

/// Runs a program once, and adds its figures.
fn take(entry: &Entry, figures: &mut Figures) -> Result<()> {
    let Ok(command) = &entry.command else { bail!("{}", entry.command.as_ref().unwrap_err()) };
    let outcome = launch(command, LIMIT)?;
    let complaint = outcome.complaint();
    // A line that a crash has cut is no line.
    read(&(entry.lines)(&outcome.stdout), figures)
        .or_else(|why| if complaint.is_some() { Ok(()) } else { Err(why) })?;
    complaint.map_or(Ok(()), |why| bail!("{why}"))
}

fn read(text: &str, figures: &mut Figures) -> Result<()> {
    for (i, line) in text.lines().filter(|line| !line.starts_with('#')).enumerate() {
        let [name, bytes, figure] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            bail!("{line:?} is no line of name, bytes and figure")
        };
        figures.entry((i, name.to_owned(), bytes.parse()?)).or_default().push(figure.parse()?);
    }
    Ok(())
}

fn medians(figures: Figures) -> Vec<((String, usize), f64)> {
    figures.into_iter().map(|((_, name, bytes), mut all)| ((name, bytes), median(&mut all))).collect()
}

/// oshmpi's calls, with the figure of each program and ours as a factor of it.
fn rows(what: &str, names: &[String], all: Vec<Vec<((String, usize), f64)>>) -> Vec<Row> {
    let Some((ours, peers)) = all.split_first() else { return Vec::new() };
    let row = |(call, us): &((String, usize), f64)| {
        let bytes = if call.1 == 0 { String::new() } else { call.1.to_string() };
        let beside = peers.iter().map(|peer| match peer.iter().find(|(other, _)| other == call) {
            Some((_, its)) => format!("{} ({:.2}){}", shown(*its), us / its, if us > its { '*' } else { ' ' }),
            None => "-".to_owned(),
        });
        let cells = [what.to_owned(), call.0.clone(), bytes, shown(*us)].into_iter().chain(beside).collect();
        let heads = ["", "call", "bytes"].iter().map(|head| head.to_string()).chain(names.iter().cloned()).collect();
        (cells, heads)
    };
    ours.iter().map(row).collect()
}

fn shown(us: f64) -> String {
    if us < 10.0 { format!("{us:.4}") } else { format!("{us:.2}") }
}

/// How timeout(1) ends at the time limit, and when the program had to be killed then.
const LATE: [Option<i32>; 2] = [Some(124), Some(137)];

struct Outcome {
    stdout: String,
    stderr: String,
    status: ExitStatus,
}

impl Outcome {
    /// Why the run is not a good one; None if it is.
    fn complaint(&self) -> Option<String> {
        let how = match self.status {
            s if s.success() => return None,
            s if LATE.contains(&s.code()) => "no end within the time limit".to_string(),
            s => s.to_string(),
        };
        // Launchers draw frames, and print messages on stdout, where a table may be too.
        let words = |l: &&str| l.chars().any(char::is_alphabetic);
        let trouble = |l: &&str| ["abort", "error", "signal", "terminat"].iter().any(|w| l.to_lowercase().contains(w));
        let message = self.stderr.lines().find(words).or_else(|| self.stdout.lines().find(trouble));
        let told = message.map(|line| format!(": {}", line.trim_matches(|c: char| c == '=' || c.is_whitespace())));
        Some(how + &told.unwrap_or_default())
    }
}

/// Runs `command` without input for at most `limit`.
fn launch(command: &Command, limit: Duration) -> Result<Outcome> {
    // Files instead of pipes: nobody has to read while the program is being measured.
    let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut c = limited_to(command, limit);
    let status = c.stdout(out.try_clone()?).stderr(err.try_clone()?).status().context("cannot start timeout")?;
    let text = |f: &mut std::fs::File| -> Result<String> {
        let mut bytes = Vec::new();
        f.rewind()?;
        f.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(Outcome { stdout: text(&mut out)?, stderr: text(&mut err)?, status })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, script: &str) -> Entry {
        let mut c = Command::new("sh");
        c.args(["-c", script]);
        Entry { name: name.to_owned(), command: Ok(c), lines: str::to_owned }
    }

    #[test]
    fn programs_run_in_turn_and_medians_stand_beside_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let script = |name: &str, us: u32| {
            let log = log.display();
            format!("echo {name} >>{log}; echo '# x'; echo get 8 $((`wc -l <{log}` * {us})); echo get 0 1")
        };
        let mut contest = Contest::new(Some(3), false).unwrap();
        let rows = contest.hold("one", vec![entry("a", &script("a", 1)), entry("b", &script("b", 10))]);
        assert_eq!(std::fs::read_to_string(log).unwrap(), "a\nb\nb\na\na\nb\n");
        assert_eq!(rows[0].0, ["one", "get", "8", "4.0000", "30.00 (0.13) "]);
        assert_eq!(rows[1].0, ["one", "get", "", "1.0000", "1.0000 (1.00) "]);
        contest.end().unwrap();
    }

    #[test]
    fn complaints_are_told_and_ours_are_errors() {
        let (good, bad) = ("echo get 8 2", "echo get 8 1; echo cut; echo why >&2; exit 3");
        let mut contest = Contest::new(None, true).unwrap();
        let rows = contest.hold("x", vec![entry("ours", good), entry("its", bad)]);
        assert_eq!(rows[0].0, ["x", "get", "8", "2.0000", "1.0000 (2.00)*"]);
        assert_eq!(contest.complaints.iter().collect::<Vec<_>>(), ["x, its: exit status: 3: why"]);
        let none = Entry { command: Err("not here".into()), ..entry("its", "") };
        assert_eq!(contest.hold("y", vec![entry("ours", good), none])[0].0[4], "-");
        assert_eq!(contest.failed, 0);
        contest.hold("z", vec![entry("ours", "echo get 8")]);
        assert!(contest.end().is_err());
    }

    fn shell(script: &str, limit: Duration) -> Outcome {
        launch(Command::new("sh").args(["-c", script]), limit).unwrap()
    }

    #[test]
    fn output_and_complaint() {
        let long = Duration::from_secs(20);
        let good = shell("echo figures; echo noise >&2", long);
        assert_eq!((good.stdout.as_str(), good.complaint()), ("figures\n", None));
        let bad = shell("echo figures; echo '---' >&2; echo broken >&2; exit 3", long);
        assert_eq!(bad.complaint().unwrap(), "exit status: 3: broken");
        let framed = shell("echo 8 0.1; echo '=   BAD TERMINATION'; exit 9", long);
        assert_eq!(framed.complaint().unwrap(), "exit status: 9: BAD TERMINATION");
        let late = shell("echo first; sleep 600", Duration::from_millis(200));
        assert_eq!(late.stdout, "first\n");
        assert!(late.complaint().unwrap().starts_with("no end within the time limit"));
    }
}
