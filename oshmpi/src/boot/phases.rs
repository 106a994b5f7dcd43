//! How long each phase of a start takes, for `SHMEM_INFO`.

use std::time::{Duration, Instant};

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
