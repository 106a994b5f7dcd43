//! What a virtual machine's cores are to each other at the moment: its host moves them about, and a cache line then takes 30, 70 or
//! 260 ns from one to the other, for parts of a second or for minutes. Figures of programs that hand lines over are compared
//! only where they were taken under the same conditions.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Round trips of one look.
const ROUNDS: u32 = 1000;
/// Looks at the start, whose median is what is usual.
const LOOKS: usize = 15;
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// What counts as the same: up to so many times as long or as short.
const SAME: f64 = 1.5;
/// Looks until what is usual is waited for in vain.
const PATIENCE: usize = 40;
/// Runs of a program until one is taken whatever the line did meanwhile.
const RUNS: usize = 6;

/// One way of a line between two cores, in nanoseconds.
fn one_way() -> f64 {
    let (ping, pong) = (Padded::default(), Padded::default());
    let wait = |word: &AtomicU32, value| {
        while word.load(Ordering::Acquire) != value {
            std::hint::spin_loop();
        }
    };
    thread::scope(|s| {
        s.spawn(|| {
            for i in 1..=ROUNDS {
                wait(&ping.0, i);
                pong.0.store(i, Ordering::Release);
            }
        });
        let mut start = Instant::now();
        for i in 1..=ROUNDS {
            if i == ROUNDS / 10 {
                start = Instant::now(); // the other thread is there by now
            }
            ping.0.store(i, Ordering::Release);
            wait(&pong.0, i);
        }
        start.elapsed().as_nanos() as f64 / f64::from(2 * (ROUNDS - ROUNDS / 10))
    })
}

/// A word with its lines for itself.
#[derive(Default)]
#[repr(align(256))]
struct Padded(AtomicU32);

/// Knows what is usual.
pub struct Line<L = fn() -> f64> {
    look: L,
    pause: Duration,
    usual: f64,
    /// Runs that were taken although the line was not as usual.
    unsteady: usize,
}

impl Line {
    pub fn learn() -> Line {
        Line::over(one_way, PAUSE)
    }
}

impl<L: FnMut() -> f64> Line<L> {
    fn over(mut look: L, pause: Duration) -> Line<L> {
        let mut looks: Vec<f64> = Vec::new();
        for _ in 0..LOOKS {
            looks.push(look());
            thread::sleep(pause);
        }
        Line { look, pause, usual: super::samples::median(&mut looks), unsteady: 0 }
    }

    /// Runs `program` until the line was as usual before and behind it, and gives what that run gave.
    pub fn steady<R>(&mut self, mut program: impl FnMut() -> R) -> R {
        for _ in 1..RUNS {
            self.await_usual();
            let result = program();
            if self.is_usual() {
                return result;
            }
        }
        self.unsteady += 1;
        program()
    }

    fn await_usual(&mut self) {
        for _ in 0..PATIENCE {
            if self.is_usual() {
                return;
            }
            thread::sleep(self.pause);
        }
    }

    fn is_usual(&mut self) -> bool {
        (self.usual / SAME..=self.usual * SAME).contains(&(self.look)())
    }

    /// For whoever reads the figures.
    pub fn words(&self) -> String {
        let unsteady = match self.unsteady {
            0 => String::new(),
            n => format!("; {n} programs ran while it was not so"),
        };
        format!("a cache line between two cores: {:.0} ns one way{unsteady}", self.usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(mut later: impl FnMut() -> f64) -> Line<impl FnMut() -> f64> {
        let mut looks = 0;
        let look = move || {
            looks += 1;
            if looks <= LOOKS { 100.0 } else { later() }
        };
        Line::over(look, Duration::ZERO)
    }

    #[test]
    fn a_run_counts_between_two_usual_looks() {
        let mut looks = [260.0, 31.0, 110.0, 260.0, 90.0, 120.0].into_iter();
        let mut line = line(move || looks.next().unwrap());
        let mut runs = 0;
        let taken = line.steady(|| {
            runs += 1;
            runs
        });
        assert_eq!((taken, line.words().as_str()), (2, "a cache line between two cores: 100 ns one way"));
    }

    #[test]
    fn in_the_end_a_run_is_taken_and_told_of() {
        let mut line = line(|| 260.0);
        let mut runs = 0;
        line.steady(|| runs += 1);
        assert_eq!(runs, RUNS);
        assert!(line.words().ends_with("; 1 programs ran while it was not so"));
    }

    #[test]
    fn a_line_takes_some_time() {
        assert!((1.0..1e6).contains(&one_way()));
    }
}
