//! What the front learns about ranks that wait: the tables of the nodes, which it joins, and ranks that will never join
//! the job.

use crate::control::Failure;
use pmi_shm::table::{ASKED, Joined, Table, Words};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long the tables of all nodes are waited for when the first one has come. A PE looks every 100 ms whether it is
/// asked, and reading the debug information of a program takes longer. A shorter time loses rows; a longer one delays
/// the table when PEs compute, which do not answer.
const ALL_TABLES: Duration = Duration::from_millis(1500);

/// How long a table with the head of an answer is taken for one, after the ranks were asked. A PE that runs answers
/// within 100 ms. With a shorter time, oshrun asks again for an answer that comes late on a busy machine. With a longer
/// time, oshrun shows nothing of a PE that the user asks alone, for longer after a report.
const ANSWERS: Duration = Duration::from_secs(5);

/// How long a rank may have ended outside the job while others are in it. What others were told may still explain it; a
/// longer time keeps the user waiting for a job that cannot go on.
const OUTSIDE: Duration = Duration::from_secs(1);

/// What the tables of an OpenSHMEM program tell of.
const WORDS: Words = Words { rank: "PE", of_all: &["shmem_barrier_all", "shmem_sync_all"] };

/// What is said of a rank of which no node has said anything.
const SILENT: &str = "computes, or is outside the job";

#[derive(Debug, PartialEq, Eq)]
pub enum Due {
    Show(String),
    Fail(Failure),
}

#[derive(Default)]
pub struct Hang {
    size: u32,
    report: Option<Report>,
    /// Until when answers to the last question may come.
    answers_until: Option<Instant>,
    /// The ranks whose rows have been shown since that question.
    shown: BTreeSet<u32>,
    joined: bool,
    /// A rank that has ended and had not joined the job. `outside_due` is when that becomes a failure.
    outside: Option<String>,
    outside_due: Option<Instant>,
}

/// A table that is not complete.
struct Report {
    head: String,
    table: Joined,
    until: Instant,
    /// How the job ends when the table has been shown.
    failure: Option<Failure>,
}

impl Hang {
    pub fn new(size: u32) -> Hang {
        Hang { size, ..Hang::default() }
    }

    /// All ranks are being asked what they do.
    pub fn asked(&mut self, now: Instant) {
        self.answers_until = Some(now + ANSWERS);
        self.shown.clear();
    }

    /// The job ends with this failure, behind a table of what the ranks do. They are asked by the caller. In a job that
    /// no rank has joined there is nobody to ask.
    pub fn fail_behind_table(&mut self, failure: Failure, now: Instant) {
        self.asked(now);
        let (head, joined) = (failure.text.clone(), self.joined);
        let report = self.report.get_or_insert_with(|| Report::new(head, now));
        report.failure.get_or_insert(failure);
        if !joined {
            report.until = now;
        }
    }

    /// A node has sent its table. True: the other nodes have to be asked. An answer asks nobody, not even behind the
    /// report: the question would bring answers again, without end.
    pub fn table(&mut self, head: &str, rows: &str, now: Instant) -> bool {
        let mut table = Table::decode(rows);
        let answer = head == ASKED && self.answers_until.is_some_and(|until| now < until);
        if answer {
            table.rows.retain(|(rank, _)| !self.shown.contains(rank));
            if table.rows.is_empty() {
                return false;
            }
        }
        let first = self.report.is_none();
        self.report.get_or_insert_with(|| Report::new(head.to_owned(), now)).table.add(table);
        let ask = first && !answer && !self.is_complete();
        if ask {
            self.asked(now);
        }
        ask
    }

    fn is_complete(&self) -> bool {
        self.report.as_ref().is_some_and(|report| report.table.ranks().len() as u32 >= self.size)
    }

    pub fn joined(&mut self, now: Instant) {
        self.joined = true;
        self.look_outside(now);
    }

    /// A rank has ended well without joining the job.
    pub fn outside(&mut self, who: String, now: Instant) {
        self.outside.get_or_insert(who);
        self.look_outside(now);
    }

    fn look_outside(&mut self, now: Instant) {
        if self.joined && self.outside.is_some() {
            self.outside_due.get_or_insert(now + OUTSIDE);
        }
    }

    pub fn until(&self) -> Option<Instant> {
        let report = self.report.as_ref().map(|report| report.until);
        report.into_iter().chain(self.outside_due).min()
    }

    pub fn due(&mut self, now: Instant) -> Vec<Due> {
        let mut due = Vec::new();
        let complete = self.is_complete();
        if let Some(mut report) = self.report.take_if(|report| complete || now >= report.until) {
            // Programs that are not ours do not answer.
            if report.table.ranks().len() > 0 {
                let late = !self.shown.is_empty();
                self.shown.extend(report.table.ranks());
                // Rows that come late are shown alone.
                if !late {
                    report.table.fill(self.size, SILENT);
                }
                due.push(Due::Show(format!("oshmpi: {}\n{}", report.head, report.table.table().show(&WORDS))));
            }
            due.extend(report.failure.map(Due::Fail));
        }
        if self.outside_due.take_if(|at| now >= *at).is_some() {
            let who = self.outside.clone().unwrap_or_default();
            let text = format!(
                "{who} ended before it joined the job (shmem_init or MPI_Init was not called), and others wait for it"
            );
            due.push(Due::Fail(Failure { code: 1, text }));
        }
        due
    }
}

impl Report {
    fn new(head: String, now: Instant) -> Report {
        Report { head, table: Joined::default(), until: now + ALL_TABLES, failure: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn late() -> Failure {
        Failure { code: 124, text: "time is up".to_owned() }
    }

    #[test]
    fn tables_are_joined_in_the_order_of_ranks() {
        let (mut hang, now) = (Hang::new(3), Instant::now());
        assert!(hang.table("no wait has ended", "2\twaits\n", now), "the others are asked");
        assert!(!hang.table("asked", "0\twaits for PE 2\n", now) && hang.due(now).is_empty());
        let later = hang.until().unwrap();
        let rows = "  PE 0  waits for PE 2\n  PE 1  computes, or is outside the job\n  PE 2  waits\n";
        let expected = format!("oshmpi: no wait has ended\n{rows}");
        assert_eq!(hang.due(later), [Due::Show(expected)]);
        assert!(hang.until().is_none() && hang.due(later).is_empty());
        // A table of all ranks need not wait.
        assert!(!hang.table("again", "0\ta\n1\tb\n2\tc\n", now));
        assert!(matches!(&hang.due(now)[..], [Due::Show(text)] if text.contains("PE 2  c")));
    }

    #[test]
    fn answers_ask_nobody() {
        let (mut hang, now) = (Hang::new(3), Instant::now());
        let shown = |rows: &str| [Due::Show(format!("oshmpi: {ASKED}\n{rows}"))];
        // By a signal to oshrun, which all ranks get.
        hang.asked(now);
        assert!(!hang.table(ASKED, "0\ta\n", now) && !hang.table(ASKED, "1\ta\n", now));
        assert_eq!(
            hang.due(now + ALL_TABLES),
            shown("  PEs 0-1 each  a\n  PE 2          computes, or is outside the job\n")
        );
        let late = now + ALL_TABLES;
        assert!(!hang.table(ASKED, "1\tb\n", late) && hang.until().is_none(), "the row has been shown");
        assert!(!hang.table(ASKED, "1\tb\n2\tb\n", late));
        assert_eq!(hang.due(late + ALL_TABLES), shown("  PE 2  b\n"));
        // By a signal to one rank, which answers twice.
        let then = late + ANSWERS;
        assert!(hang.table(ASKED, "0\ta\n", then), "the others are asked");
        for (rank, at) in [(0, 0), (1, 1), (2, 2)] {
            assert!(!hang.table(ASKED, &format!("{rank}\ta\n"), then + Duration::from_millis(at)));
        }
        assert_eq!(hang.due(then), shown("  PEs 0-2 each  a\n"));
        assert!(!hang.table(ASKED, "1\ta\n", then + ALL_TABLES) && hang.until().is_none());
        // A rank that has waited for long is not an answer.
        assert!(hang.table("no wait has ended", "1\twaits\n", then + ALL_TABLES));
        assert!(matches!(&hang.due(then + 2 * ALL_TABLES)[..], [Due::Show(text)] if text.contains("PEs 0, 2 each")));
    }

    #[test]
    fn a_limit_ends_the_job_behind_the_table_and_without_one() {
        let (mut hang, now) = (Hang::new(1), Instant::now());
        hang.fail_behind_table(late(), now);
        assert_eq!(hang.due(now), [Due::Fail(late())], "nobody is there to be asked");
        hang.joined(now);
        hang.fail_behind_table(late(), now);
        assert!(hang.due(now).is_empty());
        hang.table("asked", "0\twaits\n", now);
        let due = hang.due(now);
        assert_eq!(due, [Due::Show("oshmpi: time is up\n  PE 0  waits\n".to_owned()), Due::Fail(late())]);
        hang.fail_behind_table(late(), now);
        assert_eq!(hang.due(now + ALL_TABLES), [Due::Fail(late())]);
    }

    #[test]
    fn a_rank_outside_is_a_failure_when_another_is_inside() {
        let (mut hang, now) = (Hang::new(2), Instant::now());
        hang.outside("rank 1 (a.out)".to_owned(), now);
        assert!(hang.until().is_none(), "a job of programs that join nothing");
        hang.joined(now);
        assert!(hang.due(now).is_empty());
        let due = hang.due(hang.until().unwrap());
        assert!(matches!(&due[..], [Due::Fail(f)] if f.code == 1 && f.text.starts_with("rank 1 (a.out) ended before")));
    }
}
