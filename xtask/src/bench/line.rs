//! The time that a cache line takes between two cores. The host of a virtual machine moves the machine's cores: at
//! times they are two threads of one core, at times they share a cache, at times they lie far apart. In the last case
//! the line takes ten times as long as in the first, and so does a small collective of any library. Figures can be
//! compared if this time was alike before and after them.

use crate::util::median;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Up to this ratio two measurements belong to one place of the cores. Within a place they differ by 1.3, between
/// places by 2 and by 5.
const ALIKE: f64 = 1.6;

/// Measurements of the way, of which the median counts.
const TRIES: usize = 5;
/// Ways there and back in each.
const TURNS: u32 = 300;
/// A try that takes longer was interrupted by another process, or both threads share one core.
const LIMIT: Duration = Duration::from_millis(50);

/// A word that shares its cache line with nothing. The processor fetches lines in pairs, so the alignment is 256.
#[derive(Default)]
#[repr(align(256))]
struct Word(AtomicU32);

/// Polls of a word between two readings of the clock. Reading the clock takes longer than a line's way.
const POLLS: u32 = 10_000;

/// Microseconds that a word takes from one core to another now. None: this process may use one core only, or too many
/// tries were interrupted.
pub fn way() -> Option<f64> {
    let cores = cores()?;
    let mut ways: Vec<f64> = (0..TRIES).filter_map(|_| once(cores)).collect();
    (ways.len() > TRIES / 2).then(|| median(&mut ways))
}

/// The first two cores that this process may use.
fn cores() -> Option<[CpuSet; 2]> {
    let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
    let mut all = (0..CpuSet::count()).filter(|&core| allowed.is_set(core).unwrap_or(false)).map(|core| {
        let mut one = CpuSet::new();
        one.set(core).ok().map(|()| one)
    });
    Some([all.next()??, all.next()??])
}

/// Returns when `word` is `value`, or false when it takes too long.
fn wait(word: &Word, value: u32) -> bool {
    let mut begun = None;
    loop {
        for _ in 0..POLLS {
            if word.0.load(Ordering::Acquire) == value {
                return true;
            }
            std::hint::spin_loop();
        }
        if begun.get_or_insert_with(Instant::now).elapsed() > LIMIT {
            return false;
        }
    }
}

fn once(cores: [CpuSet; 2]) -> Option<f64> {
    let [there, back]: [Word; 2] = Default::default();
    let turn = |word: &Word, turn| word.0.store(turn, Ordering::Release);
    std::thread::scope(|scope| {
        // The calling thread is not bound.
        scope.spawn(|| {
            let bound = sched_setaffinity(Pid::from_raw(0), &cores[1]).is_ok();
            (1..=TURNS).take_while(|&t| bound && wait(&there, t)).for_each(|t| turn(&back, t));
        });
        let asking = scope.spawn(|| {
            sched_setaffinity(Pid::from_raw(0), &cores[0]).ok()?;
            let go = |t| {
                turn(&there, t);
                wait(&back, t).then_some(())
            };
            // The first answer comes when the other thread runs.
            go(1)?;
            let begun = Instant::now();
            (2..=TURNS).try_for_each(go)?;
            Some(begun.elapsed().as_secs_f64() * 1e6 / f64::from(2 * (TURNS - 1)))
        });
        asking.join().expect("the asking thread does not panic")
    })
}

/// Whether the cores lay in one place at all these measurements.
pub fn alike(ways: &[f64]) -> bool {
    let least = ways.iter().copied().fold(f64::INFINITY, f64::min);
    ways.iter().all(|way| way / least <= ALIKE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_apart() {
        assert!(alike(&[]) && alike(&[0.2]) && alike(&[0.035, 0.045, 0.05]) && alike(&[0.19, 0.23]));
        assert!(!alike(&[0.04, 0.04, 0.2, 0.04]) && !alike(&[0.018, 0.04]));
    }

    #[test]
    fn a_way_takes_time() {
        // None where threads share a core.
        if let Some(us) = way() {
            assert!(us > 0.001 && us < 100.0, "{us}");
        }
    }
}
