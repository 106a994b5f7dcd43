//! wait_until, test and all their forms, on words of this PE's symmetric memory. The forms differ in the words that
//! they read and in the values with which they compare them.

use super::{order, polling};
use crate::args;
use crate::diag::fatal;
use crate::memory::local::{Dest, Source, bytes_of};
use crate::memory::translate::{FAST, Reach};
use crate::state;
use crate::sync::awaited::{Awaited, HowMany, WordForm};
use crate::sync::order::word_seen;
use crate::sync::plain::Plain;
use crate::sync::{Wait, amo_lock};
use crate::transport::{device, node};
use core::cell::Cell;
use core::ffi::c_int;

/// The result of `any` forms that find no word (`SIZE_MAX`).
const NONE: usize = usize::MAX;

/// `SHMEM_CMP_*` of shmem.h. `boot::watch::report` shows them by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub(super) enum Cmp {
    Eq,
    Ne,
    Gt,
    Le,
    Lt,
    Ge,
}

impl Cmp {
    fn new(routine: &str, cmp: c_int) -> Cmp {
        match [Cmp::Eq, Cmp::Ne, Cmp::Gt, Cmp::Le, Cmp::Lt, Cmp::Ge].into_iter().find(|&c| c as c_int == cmp) {
            Some(cmp) => cmp,
            None => fatal(routine, format_args!("cmp {cmp} is not one of the SHMEM_CMP_ operators")),
        }
    }

    /// Whether the comparison of `word` with `value` is true, in the type's order: 0x80000000 is below 0 as an int and
    /// above it as an unsigned int.
    #[inline(always)]
    fn holds<T: PartialOrd>(self, word: T, value: T) -> bool {
        match self {
            Cmp::Eq => word == value,
            Cmp::Ne => word != value,
            Cmp::Gt => word > value,
            Cmp::Le => word <= value,
            Cmp::Lt => word < value,
            Cmp::Ge => word >= value,
        }
    }
}

/// Words of this PE's own symmetric memory.
#[derive(Clone, Copy)]
pub(super) struct OwnWords<T> {
    at: *const T,
    /// A load of the word is atomic with AMOs of peers: CPU atomics execute these, or MPI in a job on several nodes.
    /// False if peers execute AMOs on copies, or the words are memory of a device.
    direct: bool,
}

impl<T: Plain> OwnWords<T> {
    /// The `n` words at `at`, which is the argument `arg`. Ends the job if they are not symmetric or not aligned.
    #[inline]
    pub(super) fn new(routine: &str, arg: &str, at: *const T, n: usize) -> OwnWords<T> {
        match FAST.peer(at as usize, bytes_of::<T>(n), state::my_pe(routine)) {
            Some(_) if at.is_aligned() => OwnWords { at, direct: true },
            _ => OwnWords { at, direct: closer_look(routine, arg, at as usize, bytes_of::<T>(n), align_of::<T>()) },
        }
    }

    /// As `new`, for a call that reads the words once. A program may poll with such calls, so the poll is noted.
    #[inline]
    pub(super) fn polled(routine: &str, arg: &str, at: *const T, n: usize) -> OwnWords<T> {
        match FAST.read(at as usize, bytes_of::<T>(n), state::my_pe(routine)) {
            Some(_) if at.is_aligned() => OwnWords { at, direct: true },
            _ => OwnWords::looked(routine, arg, at, n),
        }
    }

    #[cold]
    #[inline(never)]
    fn looked(routine: &str, arg: &str, at: *const T, n: usize) -> OwnWords<T> {
        let own = OwnWords::new(routine, arg, at, n);
        let value = own.now();
        // SAFETY: the value lies there.
        unsafe { polling::looked_at(at as usize, (&raw const value).cast(), size_of::<T>()) };
        own
    }

    /// The value of word `i` if `pred` is true for it. What the word's writer ordered before the value is visible then.
    #[inline(always)]
    fn if_so(self, i: usize, pred: impl Fn(T) -> bool) -> Option<T> {
        if !self.direct {
            return self.indirect(i, pred);
        }
        // SAFETY: `new` has checked that the words are this PE's and aligned. `i` is below their number.
        let value = unsafe { node::load(self.at.add(i)) };
        if !pred(value) {
            return None;
        }
        word_seen();
        Some(value)
    }

    /// `if_so` for words that are not direct.
    #[cold]
    fn indirect(self, i: usize, pred: impl Fn(T) -> bool) -> Option<T> {
        let value = self.load(i);
        if !pred(value) {
            return None;
        }
        if device::holds(self.at as usize) {
            word_seen();
            return Some(value);
        }
        let value = self.locked(i); // an AMO, which orders by itself
        pred(value).then_some(value)
    }

    /// Word `i`, not ordered with anything.
    fn load(self, i: usize) -> T {
        let at = self.at.wrapping_add(i);
        if !self.direct && device::holds(at as usize) {
            return device::element(at).unwrap_or_else(|e| fatal("wait", e));
        }
        // SAFETY: `new` has checked that the words are this PE's and aligned. `i` is below their number.
        unsafe { node::load(at) }
    }

    /// The first word, for reports and for the notes of polls. Callers have at least one.
    fn now(self) -> T {
        self.load(0)
    }

    /// Reads word `i` under the lock that AMOs on it take. The word is not written back, because a put may come at the
    /// same time.
    #[cold]
    fn locked(self, i: usize) -> T {
        let job = &state::up("wait").node;
        // SAFETY: as in `if_so`.
        amo_lock::alone(job.amo_lock(job.me), &job.waiter(), || unsafe { node::load(self.at.add(i)) })
    }

    /// The word now.
    #[inline]
    pub(super) fn value(self) -> T {
        match self.if_so(0, |_| true) {
            Some(value) => value,
            None => unreachable!("any value will do"),
        }
    }

    /// Waits until `pred` is true for the word, and returns that value. `what` tells for reports what the wait waits
    /// for, given the current value.
    #[inline]
    pub(super) fn until(self, routine: &str, pred: impl Fn(T) -> bool, what: impl Fn(T) -> Awaited) -> T {
        serve(routine);
        let mut found = self.if_so(0, &pred);
        if found.is_none() {
            let ready = || {
                found = self.if_so(0, &pred);
                found.is_some()
            };
            wait(routine, ready, || what(self.now()));
        }
        match found {
            Some(value) => value,
            None => unreachable!("the wait ends with a value"),
        }
    }
}

/// The slow side of `OwnWords::new`: ends the job if the words are not symmetric or not aligned. Else the value of
/// `OwnWords::direct`.
#[cold]
#[inline(never)]
fn closer_look(routine: &str, arg: &str, at: usize, len: usize, align: usize) -> bool {
    let rt = state::up(routine);
    args::thread(rt, routine);
    let range = args::symmetric(rt, routine, arg, at, len);
    if !at.is_multiple_of(align) {
        fatal(routine, format_args!("{arg} {at:#x} is not aligned to {align} bytes"));
    }
    // In a job on several nodes MPI changes words in place.
    range.seg.device().is_none() && (rt.segments.reach(range.seg) == Reach::Mapped || rt.remote.is_some())
}

/// Waits until `ready` is true. No lock is held, so any thread of any PE may end the wait.
#[cold]
#[inline(never)]
pub(super) fn wait(routine: &str, ready: impl FnMut() -> bool, what: impl Fn() -> Awaited) {
    state::up(routine).node.own_waiter().until_told(ready, what);
}

/// Serves peers in a call that does not have to wait, because a program may do nothing but such calls.
#[inline]
fn serve(routine: &str) {
    if !FAST.complete_at_once() {
        order::serve(state::up(routine));
    }
}

/// What a PE does after a test that has failed: a loop of tests is a wait, so it serves peers and yields as a wait
/// does.
#[cold]
#[inline(never)]
pub(super) fn not_yet(routine: &str) {
    state::up(routine).node.own_waiter().pass();
}

thread_local! {
    /// The state of the generator (xorshift64).
    static RANDOM: Cell<u64> = const { Cell::new(0x9e37_79b9_7f4a_7c15) };
}

/// Where a search among `n` words starts, at least one: at a random word, so that repeated calls of an `any` routine
/// return every word whose comparison is true. A turn per array would need memory for each, and calls of two kinds on
/// one array could send each other back to the same words for ever.
fn start(n: usize) -> usize {
    let mut random = RANDOM.get();
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    RANDOM.set(random);
    (random >> 8) as usize % n
}

/// What each word is compared with.
#[derive(Clone, Copy)]
enum Against<'a, T> {
    One(T),
    /// A value for each word.
    Each(Source<'a>),
}

/// The words of a call with several, and which of them are masked out.
struct Set<'a, T> {
    words: OwnWords<T>,
    n: usize,
    /// A number for each word: not 0 masks the word out. Null: no word is masked out.
    status: Source<'a>,
    cmp: Cmp,
    against: Against<'a, T>,
}

impl<'a, T: Plain + PartialOrd> Set<'a, T> {
    /// None: there are no words, and no pointer is used.
    fn new(
        routine: &str,
        ivars: *const T,
        n: usize,
        status: Source<'a>,
        cmp: c_int,
        against: Against<'a, T>,
    ) -> Option<Set<'a, T>> {
        let _ = state::my_pe(routine); // ends the job if the library is not initialised
        let cmp = Cmp::new(routine, cmp);
        serve(routine);
        if n == 0 {
            return None;
        }
        let words = OwnWords::polled(routine, "ivars", ivars, n);
        if let Against::Each(values) = against {
            args::local(routine, "cmp_values", values.address(), bytes_of::<T>(n));
            assert_eq!(values.len(), bytes_of::<T>(n));
        }
        assert_eq!(status.len(), bytes_of::<c_int>(n));
        apart(routine, ("ivars", ivars as usize, bytes_of::<T>(n)), ("status", status.address(), status.len()));
        let set = Set { words, n, status, cmp, against };
        (0..n).any(|i| set.includes(i)).then_some(set)
    }

    #[inline(always)]
    fn includes(&self, i: usize) -> bool {
        let status = self.status.at().cast::<c_int>();
        // SAFETY: `status` is not null, so its n numbers can be read; i is below n.
        status.is_null() || unsafe { status.add(i).read_unaligned() } == 0
    }

    #[inline(always)]
    fn holds(&self, i: usize) -> bool {
        let value = match self.against {
            Against::One(value) => value,
            // SAFETY: `new` has found the values not to be null, so all n can be read; i is below n.
            Against::Each(values) => unsafe { values.at().cast::<T>().add(i).read_unaligned() },
        };
        self.words.if_so(i, |word| self.cmp.holds(word, value)).is_some()
    }

    fn all(&self) -> bool {
        (0..self.n).all(|i| !self.includes(i) || self.holds(i))
    }

    /// The index of a word whose comparison is true.
    fn any(&self) -> Option<usize> {
        let start = start(self.n);
        (start..self.n).chain(0..start).find(|&i| self.includes(i) && self.holds(i))
    }

    /// Writes the indices of all words whose comparison is true, and returns their number. There is room for n indices.
    fn some(&self, indices: Dest) -> usize {
        assert_eq!(indices.len(), bytes_of::<usize>(self.n));
        let (indices, mut count) = (indices.at().cast::<usize>(), 0);
        for i in (0..self.n).filter(|&i| self.includes(i) && self.holds(i)) {
            // SAFETY: `room` has checked that `indices` is not null, so n indices can be written. `count` is at most
            // `i`, which is below n.
            unsafe { indices.add(count).write_unaligned(i) };
            count += 1;
        }
        count
    }
}

/// With `SHMEM_DEBUG`: two arrays of a call must not share bytes.
fn apart(routine: &str, a: (&str, usize, usize), b: (&str, usize, usize)) {
    let (first, second) = if a.1 <= b.1 { (a, b) } else { (b, a) };
    if first.1 != 0 && second.1 - first.1 < first.2 && state::up(routine).env.debug {
        fatal(routine, format_args!("{} {:#x} and {} {:#x} overlap", first.0, first.1, second.0, second.1));
    }
}

/// Checks the array into which `some` forms write.
fn room(routine: &str, indices: Dest, others: [(&str, usize, usize); 2]) {
    let (at, len) = (indices.address(), indices.len());
    args::local(routine, "indices", at, len);
    for other in others {
        apart(routine, ("indices", at, len), other);
    }
}

/// `shmem_wait_until`.
pub(crate) fn until<T: Plain + PartialOrd>(routine: &'static str, ivar: *mut T, cmp: c_int, cmp_value: T) {
    until_holds(routine, "ivar", ivar, cmp, cmp_value);
}

/// Waits for a word of this PE's memory, and returns the value that ended the wait.
fn until_holds<T: Plain + PartialOrd>(
    routine: &'static str,
    arg: &'static str,
    word: *mut T,
    cmp: c_int,
    cmp_value: T,
) -> T {
    let (word, cmp) = (OwnWords::new(routine, arg, word, 1), Cmp::new(routine, cmp));
    let what = |now| Awaited::Word {
        at: word.at as usize,
        form: WordForm::of::<T>(),
        cmp: cmp as u8,
        wanted: WordForm::bits(cmp_value),
        now: WordForm::bits(now),
    };
    word.until(routine, |word| cmp.holds(word, cmp_value), what)
}

/// `shmem_wait`: until the word differs from `cmp_value`.
pub(crate) fn differs<T: Plain + PartialOrd>(routine: &'static str, ivar: *mut T, cmp_value: T) {
    until(routine, ivar, Cmp::Ne as c_int, cmp_value)
}

/// `shmem_signal_wait_until`: returns the value that ended the wait.
pub(crate) fn signal_until<T: Plain + PartialOrd>(
    routine: &'static str,
    sig_addr: *mut T,
    cmp: c_int,
    cmp_value: T,
) -> T {
    until_holds(routine, "sig_addr", sig_addr, cmp, cmp_value)
}

/// `shmem_test`.
pub(crate) fn test<T: Plain + PartialOrd>(routine: &'static str, ivar: *mut T, cmp: c_int, cmp_value: T) -> c_int {
    let (word, cmp) = (OwnWords::polled(routine, "ivar", ivar, 1), Cmp::new(routine, cmp));
    serve(routine);
    let holds = word.if_so(0, |word| cmp.holds(word, cmp_value)).is_some();
    if !holds {
        not_yet(routine);
    }
    c_int::from(holds)
}

/// The forms with many words, each for one value and for a value per word.
macro_rules! many {
    ($($(#[$doc:meta])* $one:ident, $each:ident ($($ind:ident: $it:ty)?) -> $r:ty
        = |$routine:ident, $status:ident, $set:ident| $body:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $one<T: Plain + PartialOrd>(
            $routine: &'static str, ivars: *mut T, n: usize, $($ind: $it,)? $status: Source, cmp: c_int, cmp_value: T,
        ) -> $r {
            let $set = Set::new($routine, ivars, n, $status, cmp, Against::One(cmp_value));
            $body
        }
        /// The form with a value per word.
        pub(crate) fn $each<T: Plain + PartialOrd>(
            $routine: &'static str, ivars: *mut T, n: usize, $($ind: $it,)? $status: Source,
            cmp: c_int, cmp_values: Source,
        ) -> $r {
            let $set = Set::new($routine, ivars, n, $status, cmp, Against::Each(cmp_values));
            $body
        }
    )* };
}

many! {
    /// `shmem_wait_until_all`: each word has been seen to hold, but not all of them at one moment.
    until_all, until_all_vector() -> () = |routine, _status, set| if let Some(set) = set {
        let mut next = 0;
        let mut ready = || {
            while next < set.n && (!set.includes(next) || set.holds(next)) {
                next += 1;
            }
            next == set.n
        };
        if !ready() {
            wait(routine, ready, || set.awaited(HowMany::All));
        }
    };
    /// `shmem_wait_until_any`.
    until_any, until_any_vector() -> usize = |routine, _status, set| set.map_or(NONE, |set| {
        let mut found = set.any();
        if found.is_none() {
            wait(routine, || {
                found = set.any();
                found.is_some()
            }, || set.awaited(HowMany::Any));
        }
        found.unwrap_or(NONE)
    });
    /// `shmem_wait_until_some`.
    until_some, until_some_vector(indices: Dest) -> usize = |routine, status, set| set.map_or(0, |set| {
        room(routine, indices, set.arrays(status));
        let mut count = set.some(indices);
        if count == 0 {
            wait(routine, || {
                count = set.some(indices);
                count > 0
            }, || set.awaited(HowMany::Any));
        }
        count
    });
    /// `shmem_test_all`: 1 for an empty set.
    test_all, test_all_vector() -> c_int = |routine, _status, set| c_int::from(set.is_none_or(|set| {
        let holds = set.all();
        if !holds {
            not_yet(routine);
        }
        holds
    }));
    /// `shmem_test_any`.
    test_any, test_any_vector() -> usize = |routine, _status, set| set.map_or(NONE, |set| {
        set.any().unwrap_or_else(|| {
            not_yet(routine);
            NONE
        })
    });
    /// `shmem_test_some`.
    test_some, test_some_vector(indices: Dest) -> usize = |routine, status, set| set.map_or(0, |set| {
        room(routine, indices, set.arrays(status));
        let count = set.some(indices);
        if count == 0 {
            not_yet(routine);
        }
        count
    });
}

impl<T> Set<'_, T> {
    fn awaited(&self, how: HowMany) -> Awaited {
        Awaited::Words { at: self.words.at as usize, n: self.n, how }
    }

    /// The arrays of the call that `indices` must not overlap, for [`room`].
    fn arrays(&self, status: Source) -> [(&'static str, usize, usize); 2] {
        [("ivars", self.words.at as usize, bytes_of::<T>(self.n)), ("status", status.address(), status.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of which all hold, in several arrays asked in turn: each word is returned in ten times as many calls.
    #[test]
    fn all_words_get_their_turn() {
        for lens in [&[1, 100][..], &[2, 10], &[8, 64, 3]] {
            let mut left: Vec<Vec<usize>> = lens.iter().map(|&n| (0..n).collect()).collect();
            for _ in 0..10 * lens.iter().max().unwrap() {
                left.iter_mut().zip(lens).for_each(|(left, &n)| {
                    let given = start(n);
                    left.retain(|&word| word != given);
                });
            }
            assert!(left.iter().all(Vec::is_empty), "{left:?}");
        }
    }
}
