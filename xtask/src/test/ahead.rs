//! Stages begun in the background before it is their turn, so that no core waits for a linker alone.

use crate::seed;
use anyhow::{Result, bail};
use std::collections::HashMap;
use std::io::{self, Write};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

#[derive(Default)]
pub struct Ahead {
    begun: HashMap<&'static str, Receiver<io::Result<Output>>>,
}

impl Ahead {
    /// Runs these stages one after the other, each in a new process whose output is kept.
    pub fn begin(&mut self, names: Vec<&'static str>) {
        let (senders, receivers): (Vec<_>, Vec<_>) = names.iter().map(|_| channel()).unzip();
        self.begun.extend(names.iter().copied().zip(receivers));
        thread::spawn(move || {
            for (name, sender) in names.into_iter().zip(senders) {
                // Not by its path: another xtask may be built there meanwhile.
                let mut c = Command::new("/proc/self/exe");
                let seed = seed::get().to_string();
                let output = c.args(["test", "--alone", "--seed", &seed, name]).stdin(Stdio::null()).output();
                // Nobody listens any more when the run has ended before this stage's turn.
                let _ = sender.send(output);
            }
        });
    }

    /// Waits for a stage that was begun, and prints what it printed. None if it was not.
    pub fn result(&mut self, name: &str) -> Option<Result<()>> {
        let output = self.begun.remove(name)?.recv().expect("a stage that was begun is run");
        Some(show(name, output))
    }
}

fn show(name: &str, output: io::Result<Output>) -> Result<()> {
    let output = output?;
    io::stdout().write_all(&output.stdout)?;
    io::stderr().write_all(&output.stderr)?;
    if !output.status.success() {
        let printed = String::from_utf8_lossy(&output.stdout);
        let why = printed.lines().rev().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        bail!("ended with {}: {}", output.status, why.unwrap_or("it did not say why"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(script: &str) -> io::Result<Output> {
        Command::new("sh").args(["-c", script]).output()
    }

    #[test]
    fn a_failure_is_passed_on() {
        assert!(show("a", ended("true")).is_ok());
        assert!(show("a", ended("exit 3")).unwrap_err().to_string().contains("3"));
        assert!(show("a", ended("echo 'a: no such file'; exit 3")).unwrap_err().to_string().ends_with("no such file"));
        assert!(show("a", Err(io::Error::other("no"))).is_err());
    }
}
