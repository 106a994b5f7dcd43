//! What ranks of a job do, as lines for people: a table that one process per node makes and that a launcher joins.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// The head of a table that a rank sends because it has been asked, by a signal. A table that it sends by itself has
/// another head.
pub const ASKED: &str = "what they do";

/// The words of the programs that a table tells of.
pub struct Words {
    /// What a rank is called.
    pub rank: &'static str,
    /// Routines in which a rank waits for all ranks.
    pub of_all: &'static [&'static str],
}

/// Ranks elsewhere that are named.
const SHOWN: usize = 4;

/// The words for a rank that waits. What follows the routine's name begins with another character than names have.
pub fn waits(seconds: u64, routine: &str) -> String {
    format!("waits {seconds} s in {routine}")
}

/// The routine of such words.
fn waits_in(words: &str) -> Option<&str> {
    let (seconds, rest) = words.strip_prefix("waits ")?.split_once(" s in ")?;
    let name = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    seconds.parse::<u64>().ok().map(|_| name)
}

/// What each rank does, and what is to be said about all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Rank and words. A rank has one row.
    pub rows: Vec<(u32, String)>,
    pub notes: Vec<String>,
}

impl Table {
    /// The table as lines, for a message.
    pub fn encode(&self) -> String {
        // A line break inside a text would begin another row.
        let flat = |text: &str| text.replace(['\n', '\t'], " ");
        let rows = self.rows.iter().map(|(rank, text)| format!("{rank}\t{}\n", flat(text)));
        rows.chain(self.notes.iter().map(|text| format!("\t{}\n", flat(text)))).collect()
    }

    /// The table of such lines. Lines that `encode` has not made are left out.
    pub fn decode(text: &str) -> Table {
        let mut table = Table::default();
        for (rank, text) in text.lines().filter_map(|line| line.split_once('\t')) {
            match rank.parse() {
                Ok(rank) => table.rows.push((rank, text.to_owned())),
                Err(_) if rank.is_empty() => table.notes.push(text.to_owned()),
                Err(_) => {}
            }
        }
        table
    }

    /// The ranks that are missing in a call that all ranks have to make, while other ranks wait in it. None: no rank
    /// waits in such a call, or all do. If ranks wait in two such calls, the call with more ranks counts.
    fn absent(&self, words: &Words) -> Option<String> {
        let within = |row: &(u32, String), routine: &str| waits_in(&row.1) == Some(routine);
        let count = |routine: &&str| self.rows.iter().filter(|row| within(row, routine)).count();
        let routine = words.of_all.iter().copied().max_by_key(count)?;
        let (here, others): (Vec<&(u32, String)>, Vec<_>) = self.rows.iter().partition(|row| within(row, routine));
        if here.is_empty() || others.is_empty() {
            return None;
        }
        let plural = if here.len() == 1 { "waits" } else { "wait" };
        let is = |text: &str| waits_in(text).map_or_else(|| text.to_owned(), |routine| format!("waits in {routine}"));
        let mut told: Vec<String> =
            others.iter().take(SHOWN).map(|(rank, text)| format!("{} {rank} {}", words.rank, is(text))).collect();
        if others.len() > SHOWN {
            told.push(format!("{} more are elsewhere", others.len() - SHOWN));
        }
        let here = label(words.rank, &here.iter().map(|row| row.0).collect::<Vec<_>>());
        Some(format!("{} {plural} in {routine}: {}", here.trim_end_matches(" each"), told.join("; ")))
    }

    /// Lines in the order of the ranks. Ranks that do the same share a line. Cost: linear in the rows.
    pub fn show(&self, words: &Words) -> String {
        let mut groups: Vec<(Vec<u32>, &str)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (rank, text) in &self.rows {
            let place = *places.entry(text).or_insert(groups.len());
            if place == groups.len() {
                groups.push((Vec::new(), text));
            }
            groups[place].0.push(*rank);
        }
        let labels: Vec<String> = groups.iter().map(|(ranks, _)| label(words.rank, ranks)).collect();
        let width = labels.iter().map(|label| label.len()).filter(|&len| len <= 24).max().unwrap_or(0);
        let mut shown = String::new();
        for (label, (_, text)) in labels.iter().zip(&groups) {
            let _ = writeln!(shown, "  {label:width$}  {text}");
        }
        self.notes.iter().chain(&self.absent(words)).for_each(|note| shown.extend(["  ", note, "\n"]));
        shown
    }
}

/// Tables of several nodes, joined.
#[derive(Debug, Default)]
pub struct Joined {
    rows: BTreeMap<u32, String>,
    notes: Vec<String>,
}

impl Joined {
    /// Adds the table of a node. Of two rows of one rank the first counts. Cost: that of the rows which come, whatever
    /// has come before, but for a logarithm.
    pub fn add(&mut self, table: Table) {
        for (rank, text) in table.rows {
            self.rows.entry(rank).or_insert(text);
        }
        for note in table.notes {
            if !note.is_empty() && self.notes.last() != Some(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Adds a row for each of `size` ranks that has none.
    pub fn fill(&mut self, size: u32, text: &str) {
        for rank in 0..size {
            self.rows.entry(rank).or_insert_with(|| text.to_owned());
        }
    }

    /// The ranks that have rows, in order.
    pub fn ranks(&self) -> impl ExactSizeIterator<Item = u32> {
        self.rows.keys().copied()
    }

    /// The rows in the order of ranks, and all notes.
    pub fn table(self) -> Table {
        Table { rows: self.rows.into_iter().collect(), notes: self.notes }
    }
}

/// "rank 3", "ranks 0-2, 5 each".
fn label(name: &str, ranks: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &rank in ranks {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => parts.push((rank, rank)),
        }
    }
    let part = |&(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    let parts: Vec<String> = parts.iter().map(part).collect();
    let parts = parts.join(", ");
    if ranks.len() == 1 { format!("{name} {parts}") } else { format!("{name}s {parts} each") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORDS: Words = Words { rank: "rank", of_all: &["all_meet", "all_sync"] };

    fn table(rows: &[(u32, &str)]) -> Table {
        Table { rows: rows.iter().map(|&(rank, text)| (rank, text.to_owned())).collect(), notes: Vec::new() }
    }

    #[test]
    fn tables_of_nodes_become_one_in_the_order_of_ranks() {
        let mut all = Joined::default();
        all.add(table(&[(2, "waits"), (3, "computes")]));
        let notes = ["nothing moves", "nothing moves", ""].map(str::to_owned).to_vec();
        all.add(Table { notes, ..table(&[(10, "waits"), (0, "waits")]) });
        all.add(table(&[(3, "has ended")]));
        assert_eq!(all.ranks().collect::<Vec<_>>(), [0, 2, 3, 10]);
        all.fill(5, "is silent");
        let expected = [
            "  ranks 0, 2, 10 each  waits",
            "  ranks 1, 4 each      is silent",
            "  rank 3               computes",
            "  nothing moves\n",
        ];
        assert_eq!(all.table().show(&WORDS), expected.join("\n"));
    }

    #[test]
    fn who_is_missing_in_a_call_of_all_is_named() {
        let barrier = waits(3, "all_meet") + " (rank 1 has not come)";
        let mut all = table(&[(0, &barrier), (1, &barrier), (2, &waits(3, "end"))]);
        let note = "  ranks 0-1 wait in all_meet: rank 2 waits in end\n";
        assert!(all.show(&WORDS).ends_with(note), "{}", all.show(&WORDS));
        all.rows[0].1 = waits(1, "all_sync");
        all.rows[2].1 = "computes".to_owned();
        all.rows.push((3, waits(1, "all_sync")));
        let note = "  ranks 0, 3 wait in all_sync: rank 1 waits in all_meet; rank 2 computes\n";
        assert!(all.show(&WORDS).ends_with(note), "{}", all.show(&WORDS));
        assert_eq!(table(&[(0, &barrier), (1, &barrier)]).absent(&WORDS), None);
        assert_eq!(table(&[(0, "waits 1 s in end"), (1, "computes")]).absent(&WORDS), None);
    }

    #[test]
    fn neighbours_are_a_range() {
        assert_eq!(label("rank", &[4]), "rank 4");
        assert_eq!(label("rank", &[0, 1, 2, 5, 7, 8]), "ranks 0-2, 5, 7-8 each");
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(
            rows in proptest::collection::vec((0u32.., "[ -~]{0,40}"), 0..9),
            note in "[ -~]{0,40}",
        ) {
            let table = Table { rows, notes: vec![note] };
            prop_assert_eq!(Table::decode(&table.encode()), table);
        }

        #[test]
        fn any_text_is_taken(text in "\\PC{0,100}", lines in "[0-9\t\n x]{0,60}") {
            let _ = Table::decode(&text).show(&WORDS);
            let _ = Table::decode(&lines).show(&WORDS);
        }
    }
}
