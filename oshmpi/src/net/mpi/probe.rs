//! The probe: whether MPI's windows put, get and carry out AMOs without the CPU of the target. Two PEs of different
//! nodes measure it at the start (docs/design/network.md).
//!
//! If an operation is complete within [`OUT`] since the target was asked to stay out of MPI for as long, the target has
//! had no part in it: the promise was made later, so it still holds. A target whose promise has not left at once is
//! still in MPI when the promise arrives; promises of one byte leave at once.
//!
//! Cost, whatever the number of PEs: three messages for each try, at most 24 tries, and one message at the end,
//! between the two PEs; then a reduction of one word over all PEs. A test counts the tries.

use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::Comm;
use crate::net::NetError;
use crate::net::fabric::{Fabric, How, Offers};
use crate::net::tagged::START;
use crate::sync::ledger::Lane;
use crate::transport::amo::{Amo, Op};
use core::time::Duration;
use std::time::Instant;

/// How long the target stays out of MPI each time. An adapter needs some microseconds, the promise a round trip more.
/// With less a busy machine is more often late; with more the start takes longer.
const OUT: Duration = Duration::from_micros(200);
/// Tries of an operation that is late.
const TRIES: usize = 8;
/// The time for all tries. What has not been measured by then counts as "no". It bounds what the probe adds to a start:
/// on a busy machine each word of the two PEs to each other may take a time slice.
const LIMIT: Duration = Duration::from_millis(6);

/// What the two PEs say to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// To the target: stay out for a while. From it: it does from now on.
    StayOut = 1,
    /// From the target: it is in MPI again.
    Back = 3,
    /// The probe is over.
    End = 2,
}

/// The other of the two PEs.
pub(super) trait Partner {
    fn send(&mut self, word: Word) -> Result<(), NetError>;
    /// Waits for a word, in MPI.
    fn receive(&mut self) -> Result<Word, NetError>;
}

/// The other of the two PEs, by messages of MPI.
struct ByMpi {
    comm: &'static Comm,
    with: Pe,
}

impl Partner for ByMpi {
    fn send(&mut self, word: Word) -> Result<(), NetError> {
        let byte = word as u8;
        // SAFETY: a local variable, which stays until the message has left. An error of MPI ends the start.
        Ok(unsafe { self.comm.send(self.with.0, START, Source::of(&raw const byte, 1))? }.wait()?)
    }

    fn receive(&mut self) -> Result<Word, NetError> {
        let mut byte = 0u8;
        // SAFETY: a local variable, which stays until the message has come. An error of MPI ends the start.
        unsafe { self.comm.receive(Some(self.with.0), START, Dest::of(&raw mut byte, 1))? }.wait()?;
        // SAFETY: a local variable. It was written through a pointer meanwhile.
        let byte = unsafe { (&raw const byte).read_volatile() };
        Ok([Word::StayOut, Word::Back].into_iter().find(|word| *word as u8 == byte).unwrap_or(Word::End))
    }
}

/// The answers, which all PEs have together: the first of the pair measures the second. None: an operation has failed,
/// so the windows are of no use. With them the time that this took, without the first operation, which connects the
/// two. Collective.
pub(in crate::net) fn ask(
    comm: &'static Comm,
    fabric: &dyn Fabric,
    [origin, target]: [Pe; 2],
) -> Result<(Option<Offers>, Duration), NetError> {
    // The answer of one PE is not that all are, so it is the least.
    let (mut answer, mut took, me) = (Some(Offers::ALL), Duration::ZERO, Pe(comm.rank()?));
    if me == origin {
        (answer, took) = measure(fabric, target, &mut ByMpi { comm, with: target }, LIMIT)?;
    } else if me == target {
        stay_out(&mut ByMpi { comm, with: origin })?;
    }
    let least = Comm::shared_world().least(&[answer.is_some().into(), answer.unwrap_or_default().bits().into()])?;
    Ok(((least[0] == 1).then(|| Offers::of_bits(least[1] as u8)), took))
}

/// The first word of a heap. Nothing lies there yet, and it stays as it is: it is 0, and 0 is put and added.
const PLACE: SymRange = SymRange { seg: SegId::Heap, off: 0, len: 8 };

/// Measures the operations of a fabric on a PE, which runs [`stay_out`], and the time for that. The first operation
/// connects the two. What has not been measured `limit` after it counts as "no". None: an operation has failed, and
/// the PE knows that the probe is over.
pub(super) fn measure(
    fabric: &dyn Fabric,
    pe: Pe,
    partner: &mut impl Partner,
    limit: Duration,
) -> Result<(Option<Offers>, Duration), NetError> {
    let zero = 0u64;
    let mut got = 0u64;
    let place = (&raw mut got).cast::<u8>();
    let mut put = || {
        // SAFETY: a local variable. The copy that the fabric makes of it is complete at the target after the quiet.
        let source = unsafe { Source::of(&raw const zero, 1) };
        fabric.put(Lane::MAIN, PLACE, pe, source, How { copied: true, ..How::default() })?;
        fabric.quiet_pe(Lane::MAIN, pe)
    };
    let mut get = || {
        // SAFETY: a local variable, which is written before the call returns.
        let dest = unsafe { Dest::of::<u64>(place.cast(), 1) };
        fabric.get(Lane::MAIN, PLACE, pe, dest)
    };
    let mut amo = || fabric.amo(Lane::MAIN, PLACE, pe, Amo::Op(Op::Add, 0)).map(drop);
    let mut works = put().is_ok();
    let begun = Instant::now();
    let operations: [&mut dyn FnMut() -> Result<(), NetError>; 3] = [&mut put, &mut get, &mut amo];
    let mut one_sided = [false; 3];
    for (operation, yes) in operations.into_iter().zip(&mut one_sided) {
        for _ in 0..TRIES {
            if *yes || !works || begun.elapsed() >= limit {
                break;
            }
            let asked = Instant::now();
            partner.send(Word::StayOut)?;
            partner.receive()?;
            works = operation().is_ok();
            *yes = asked.elapsed() < OUT;
            partner.receive()?; // so the next request finds it there
        }
    }
    partner.send(Word::End)?;
    let [put, get, amo] = one_sided;
    Ok((works.then_some(Offers { put, get, amo }), begun.elapsed()))
}

/// The target's part of [`measure`].
pub(super) fn stay_out(partner: &mut impl Partner) -> Result<(), NetError> {
    while partner.receive()? == Word::StayOut {
        partner.send(Word::StayOut)?;
        std::thread::sleep(OUT);
        partner.send(Word::Back)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::memory::Job;
    use core::sync::atomic::Ordering;
    use std::sync::mpsc::{Receiver, Sender, channel};

    struct Thread(Sender<Word>, Receiver<Word>);

    impl Partner for Thread {
        fn send(&mut self, word: Word) -> Result<(), NetError> {
            self.0.send(word).unwrap();
            Ok(())
        }
        fn receive(&mut self) -> Result<Word, NetError> {
            Ok(self.1.recv().unwrap())
        }
    }

    fn pair() -> [Thread; 2] {
        let ((to_target, from_origin), (to_origin, from_target)) = (channel(), channel());
        [Thread(to_target, from_target), Thread(to_origin, from_origin)]
    }

    /// Operations that never wait for the target are one-sided, unless the machine keeps them from the core.
    #[test]
    fn memory_needs_no_target() {
        let job = Job::new(2);
        let remote = job.remote(true, false, false, false);
        let found = || {
            let [mut origin, mut target] = pair();
            std::thread::scope(|s| {
                s.spawn(move || stay_out(&mut target).unwrap());
                measure(remote.fabric.as_deref().unwrap(), Pe(1), &mut origin, LIMIT).unwrap().0
            })
        };
        assert!((0..1000).any(|_| found() == Some(Offers::ALL)));
        assert_eq!((0..8).map(|off| job.byte(Pe(1), off)).collect::<Vec<_>>(), [0; 8], "nothing is changed");
        job.no_gets.store(true, Ordering::Relaxed);
        assert!((0..1000).any(|_| found().is_none()), "and the target knows that the probe is over");
    }

    /// A target that makes its promise late, and is asked in vain, has its part in every operation.
    #[test]
    fn what_needs_the_target_is_never_taken_for_one_sided() {
        let job = Job::new(2);
        let remote = job.remote(true, false, false, false);
        let [mut origin, mut target] = pair();
        let asked = std::thread::scope(|s| {
            let target = s.spawn(move || {
                let mut asked = 0;
                while target.receive().unwrap() == Word::StayOut {
                    asked += 1;
                    std::thread::sleep(OUT);
                    target.send(Word::StayOut).unwrap();
                    target.send(Word::Back).unwrap();
                }
                asked
            });
            let fabric = remote.fabric.as_deref().unwrap();
            assert_eq!(measure(fabric, Pe(1), &mut origin, Duration::MAX).unwrap().0, Some(Offers::default()));
            target.join().unwrap()
        });
        assert_eq!(asked, 3 * TRIES);
    }

    /// On a busy machine the start does not wait for answers.
    #[test]
    fn what_is_not_measured_in_time_counts_as_no() {
        let job = Job::new(2);
        let remote = job.remote(true, false, false, false);
        let [mut origin, mut target] = pair();
        let found = std::thread::scope(|s| {
            s.spawn(move || assert_eq!(target.receive().unwrap(), Word::End));
            let fabric = remote.fabric.as_deref().unwrap();
            measure(fabric, Pe(1), &mut origin, Duration::ZERO).unwrap().0
        });
        assert_eq!(found, Some(Offers::default()));
    }

    #[test]
    fn bits_there_and_back() {
        for n in 0..8 {
            assert_eq!(Offers::of_bits(n).bits(), n);
        }
        assert_eq!(Offers::of_bits(3).to_string(), "put yes, get yes, atomic operation no");
    }
}
