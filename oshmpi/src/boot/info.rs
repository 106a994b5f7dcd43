//! What PE 0 prints at start, on standard error: `SHMEM_VERSION`, `SHMEM_INFO`, and variables that are no settings.

use crate::diag;
use crate::env::Env;
use crate::net::carrier::Carrier;
use crate::state::{self, Runtime};
use std::fmt::Display;
use std::io::Write;
use std::time::{Duration, Instant};

/// Name and version, as `shmem_info_get_name` gives it.
pub(crate) const VENDOR: &str = "oshmpi 0.1.0";

pub(crate) fn print(rt: &Runtime) {
    if rt.pe.0 != 0 {
        return;
    }
    Env::unknown().into_iter().for_each(diag::print);
    let mut text = String::new();
    if rt.env.version || rt.env.info {
        text = format!("{VENDOR} (OpenSHMEM 1.6)\n");
    }
    if rt.env.info {
        let mut add = |line: &dyn Display| text.extend(["  ", &line.to_string(), "\n"]);
        rt.env.lines().into_iter().for_each(|line| add(&line));
        rt.notes.iter().for_each(|note| add(note));
        let level = ["SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"][(state::threads().0 as usize).min(3)];
        add(&format_args!("threads: SHMEM_THREAD_{level}"));
        let here = rt.node.places.count();
        match rt.n_pes as usize - here {
            0 => add(&format_args!("route: memory, to all {here} PEs")),
            remote => {
                let by = rt.carrier.map_or("MPI", Carrier::name);
                add(&format_args!("route: memory, to {here} PEs on this node; {by}, to {remote} PEs"));
            }
        }
    }
    // A standard error that cannot be written must not end the job.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// How long each phase of a start takes.
pub(super) struct Phases {
    begun: Instant,
    since: Instant,
    done: Vec<(&'static str, Duration)>,
}

impl Phases {
    pub(super) fn begin() -> Phases {
        let now = Instant::now();
        Phases { begun: now, since: now, done: Vec::new() }
    }

    /// Ends the phase `name` and begins the next one. A phase may have several parts: their times are added.
    pub(super) fn end(&mut self, name: &'static str) {
        let now = Instant::now();
        let took = now - std::mem::replace(&mut self.since, now);
        match self.done.iter_mut().find(|(other, _)| *other == name) {
            Some((_, time)) => *time += took,
            None => self.done.push((name, took)),
        }
    }

    /// "start: 12.30 ms: launcher 0.40, node 0.90, ..."
    pub(super) fn line(&self) -> String {
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        let phases: Vec<String> = self.done.iter().map(|(name, time)| format!("{name} {:.2}", millis(*time))).collect();
        format!("start: {:.2} ms: {}", millis(self.since - self.begun), phases.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up() {
        let begun = Instant::now();
        let mut phases = Phases { begun, since: begun, done: Vec::new() };
        for name in ["node", "MPI", "node"] {
            std::thread::sleep(Duration::from_millis(2));
            phases.end(name);
        }
        let sum: Duration = phases.done.iter().map(|(_, time)| *time).sum();
        assert_eq!(sum, phases.since - begun);
        let names: Vec<_> = phases.done.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["node", "MPI"]);
        let line = phases.line();
        assert!(line.starts_with("start: ") && line.contains(" ms: node ") && line.contains(", MPI "), "{line}");
    }
}
