//! The live table of a job: numbers of the ranks that one process per node sends every few seconds, and what a launcher
//! shows of them.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The first line of a [`Table`](crate::server::Event::Table) whose rows are [`Row`]s.
pub const HEAD: &str = "top";

/// Characters of the words that are shown.
const WORDS: usize = 72;

/// What one rank has done since its start, and what it does now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub rank: u32,
    /// When this was read, in microseconds of the clock of its host.
    pub at: u64,
    /// Microseconds of waiting.
    pub waited: u64,
    pub puts: u64,
    pub gets: u64,
    pub atomics: u64,
    pub bytes: u64,
    pub does: String,
}

impl Row {
    fn numbers(&self) -> [u64; 6] {
        [self.at, self.waited, self.puts, self.gets, self.atomics, self.bytes]
    }

    /// The row as a line.
    pub fn encode(&self) -> String {
        let numbers = self.numbers().map(|n| n.to_string()).join(" ");
        format!("{}\t{numbers}\t{}\n", self.rank, self.does.replace(['\n', '\t'], " "))
    }

    /// The row of such a line.
    fn decode(line: &str) -> Option<Row> {
        let mut parts = line.splitn(3, '\t');
        let rank = parts.next()?.parse().ok()?;
        let mut numbers = parts.next()?.split(' ').map(str::parse);
        let mut next = || numbers.next()?.ok();
        let [at, waited, puts, gets, atomics, bytes] = [next()?, next()?, next()?, next()?, next()?, next()?];
        Some(Row { rank, at, waited, puts, gets, atomics, bytes, does: parts.next()?.to_owned() })
    }
}

/// A rank: what was last told, and its rates in the time before.
#[derive(Debug, Default)]
struct Seen {
    last: Row,
    /// Per second: puts, gets, atomics, bytes.
    rates: [f64; 4],
    /// Part of the time in waits, from 0 to 1.
    waits: f64,
}

/// The table.
#[derive(Debug, Default)]
pub struct Top {
    ranks: BTreeMap<u32, Seen>,
}

impl Top {
    /// Takes the rows of a node. Lines that `encode` has not made are left out.
    pub fn take(&mut self, rows: &str) {
        for row in rows.lines().filter_map(Row::decode) {
            let seen = self.ranks.entry(row.rank).or_default();
            let (now, before) = (row.numbers(), seen.last.numbers());
            let seconds = now[0].saturating_sub(before[0]) as f64 * 1e-6;
            // The first row of a rank has nothing to be compared with.
            if before[0] > 0 && seconds > 0.0 {
                let rate = |i: usize| now[i].saturating_sub(before[i]) as f64 / seconds;
                seen.rates = [rate(2), rate(3), rate(4), rate(5)];
                seen.waits = (rate(1) * 1e-6).min(1.0);
            }
            seen.last = row;
        }
    }

    /// The table in at most `lines` lines, for a job of `size` ranks, each of which is called `rank`. Where not all of
    /// them fit, those that waited least are shown: the others wait for them.
    pub fn show(&self, rank: &str, size: u32, lines: usize) -> String {
        let mut shown: Vec<&Seen> = self.ranks.values().collect();
        let room = lines.saturating_sub(3).max(1);
        if shown.len() > room {
            shown.sort_by(|a, b| a.waits.total_cmp(&b.waits));
            shown.truncate(room - 1);
            shown.sort_by_key(|seen| seen.last.rank);
        }
        let all = |i: usize| self.ranks.values().map(|seen| seen.rates[i]).sum::<f64>();
        let waits = self.ranks.values().map(|seen| seen.waits).sum::<f64>() / self.ranks.len().max(1) as f64;
        let mut text = format!("{rank:>8}    puts/s    gets/s atomics/s      MB/s  waits  does\n");
        let mut line = |who: &str, [puts, gets, atomics, bytes]: [f64; 4], waits: f64, does: &str| {
            let does: String = does.chars().take(WORDS).collect();
            let numbers = [puts, gets, atomics].map(short);
            let [puts, gets, atomics] = &numbers;
            let (moved, waits) = (bytes * 1e-6, waits * 100.0);
            let _ = writeln!(text, "{who:>8} {puts:>9} {gets:>9} {atomics:>9} {moved:>9.1} {waits:>4.0} %  {does}");
        };
        line("all", [all(0), all(1), all(2), all(3)], waits, &self.summary(size));
        for seen in &shown {
            line(&seen.last.rank.to_string(), seen.rates, seen.waits, &seen.last.does);
        }
        let more = self.ranks.len() - shown.len();
        if more > 0 {
            let _ = writeln!(text, "{more:>8} more {rank}s waited longer");
        }
        text
    }

    fn summary(&self, size: u32) -> String {
        let waiting = self.ranks.values().filter(|seen| seen.last.does.starts_with("waits")).count();
        let silent = (size as usize).saturating_sub(self.ranks.len());
        let silent = if silent > 0 { format!(", {silent} not heard of") } else { String::new() };
        format!("{waiting} of {size} wait{silent}")
    }
}

/// A number in four digits at most, with k, M or G.
fn short(n: f64) -> String {
    let units = ["", "k", "M", "G"];
    let step = (0..3).find(|&i| n < 9999.5 * 1000f64.powi(i)).unwrap_or(3);
    format!("{:.0}{}", n / 1000f64.powi(step), units[step as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(rank: u32, at: u64, waited: u64, puts: u64, does: &str) -> Row {
        Row { rank, at, waited, puts, bytes: 8 * puts, does: does.to_owned(), ..Row::default() }
    }

    #[test]
    fn rates_are_those_of_the_time_between_two_tables() {
        let mut top = Top::default();
        top.take(&row(0, 1_000_000, 500, 100, "computes").encode());
        assert!(top.show("rank", 2, 30).contains("0 of 2 wait, 1 not heard of"), "{}", top.show("rank", 2, 30));
        top.take(&row(0, 3_000_000, 1_000_500, 2_000_100, "waits 2 s in quiet").encode());
        top.take(&row(1, 3_000_000, 0, 7, "computes").encode());
        let shown = top.show("rank", 2, 30);
        let line = |who: &str| shown.lines().find(|line| line.trim_start().starts_with(who)).unwrap().to_owned();
        assert_eq!(line("0 "), "       0     1000k         0         0       8.0   50 %  waits 2 s in quiet");
        assert_eq!(line("1 "), "       1         0         0         0       0.0    0 %  computes");
        assert!(line("all").ends_with("25 %  1 of 2 wait"), "{shown}");
    }

    #[test]
    fn where_room_is_short_the_ranks_that_others_wait_for_are_shown() {
        let mut top = Top::default();
        for at in [1_000_000, 2_000_000] {
            let waited = |rank| if rank == 70 { 0 } else { at };
            let rows = (0..100).map(|rank| row(rank, at, waited(rank), 0, "x").encode()).collect::<String>();
            top.take(&rows);
        }
        let shown = top.show("rank", 100, 10);
        assert_eq!(shown.lines().count(), 9, "{shown}");
        assert!(shown.contains("\n      70 ") && shown.ends_with("94 more ranks waited longer\n"), "{shown}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.4, 9999.0, 10000.0, 12_345_678.0, 5e12].map(short), ["0", "9999", "10k", "12M", "5000G"]);
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(rank in 0u32.., at in 0u64.., waited in 0u64.., does in "[ -~]{0,40}") {
            let row = row(rank, at, waited, 3, &does);
            prop_assert_eq!(Row::decode(row.encode().trim_end_matches('\n')), Some(row));
        }

        #[test]
        fn any_text_is_taken(text in "\\PC{0,100}", lines in "[0-9\t\n x]{0,60}") {
            let mut top = Top::default();
            top.take(&text);
            top.take(&lines);
            top.take(&lines);
            let _ = top.show("rank", 3, 4);
        }
    }
}
