//! The live table of `--top`: the rows that the nodes send are shown together.

use pmi_shm::top;
use std::time::{Duration, Instant};

/// The variable by which PEs are asked for rows, and the seconds between two tables.
const EVERY: (&str, &str) = ("OSHMPI_TOP", "2");

/// How long the rows of all nodes are waited for when the first ones have come. Clocks of hosts tick at different
/// moments; a shorter time shows some nodes one table late, a longer one delays the table.
const ALL_ROWS: Duration = Duration::from_millis(400);

/// Lines of a table that does not go to a terminal.
const LINES: usize = 40;

/// Clears a terminal, and goes to its first line.
const CLEAR: &str = "\x1b[H\x1b[2J\x1b[3J";

pub struct Live {
    size: u32,
    begun: Instant,
    table: top::Top,
    due: Option<Instant>,
}

pub fn ask(env: &mut Vec<(Vec<u8>, Vec<u8>)>) {
    let (name, every) = EVERY;
    if !env.iter().any(|(n, _)| n == name.as_bytes()) {
        env.push((name.into(), every.into()));
    }
}

impl Live {
    pub fn new(size: u32) -> Live {
        Live { size, begun: Instant::now(), table: top::Top::default(), due: None }
    }

    pub fn take(&mut self, rows: &str, now: Instant) {
        self.table.take(rows);
        self.due.get_or_insert(now + ALL_ROWS);
    }

    pub fn until(&self) -> Option<Instant> {
        self.due
    }

    /// The table, when it is time for one. `terminal`: its lines, if it goes to one.
    pub fn due(&mut self, now: Instant, terminal: Option<usize>) -> Option<String> {
        self.due.take_if(|due| now >= *due)?;
        let seconds = (now - self.begun).as_secs();
        let head = format!("oshrun: {} PEs, {seconds} s after the start\n", self.size);
        let clear = if terminal.is_some() { CLEAR } else { "" };
        let lines = terminal.map_or(LINES, |lines| lines.saturating_sub(2));
        Some(format!("{clear}{head}{}", self.table.show("PE", self.size, lines)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pmi_shm::top::Row;

    #[test]
    fn rows_of_several_nodes_make_one_table() {
        let (mut live, now) = (Live::new(2), Instant::now());
        let row = |rank| Row { rank, at: 1, does: "computes".to_owned(), ..Row::default() }.encode();
        assert_eq!((live.until(), live.due(now, None)), (None, None));
        live.take(&row(1), now);
        assert_eq!(live.due(now, None), None, "the other node's may be on their way");
        live.take(&row(0), now);
        let then = live.until().unwrap();
        let shown = live.due(then, None).unwrap();
        assert!(shown.starts_with("oshrun: 2 PEs") && shown.contains("0 of 2 wait\n"), "{shown}");
        assert_eq!(shown.matches("computes").count(), 2, "{shown}");
        assert_eq!(live.due(then, None), None);
        live.take(&row(0), then);
        assert!(live.due(live.until().unwrap(), Some(30)).unwrap().starts_with(CLEAR));
    }

    #[test]
    fn the_users_own_seconds_stay() {
        let mut env = vec![(b"OSHMPI_TOP".to_vec(), b"7".to_vec())];
        ask(&mut env);
        assert_eq!(env, [(b"OSHMPI_TOP".to_vec(), b"7".to_vec())]);
    }
}
