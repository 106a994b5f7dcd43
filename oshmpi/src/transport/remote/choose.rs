//! Chooses how an operation goes to a remote PE: by window or by message, as an accumulate or not, with its source
//! copied or not. [`sizes`] has the table of sizes. Words whose AMOs an adapter carries out are the exception: `amos`
//! knows these words, and they always go by the window.

use super::executor::How;
use super::path_key::Path;
use super::sizes::{self, COPIED, SHORT, SHORT_GET, SHORT_PUT, SHORTEST_GET};

/// When a call returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Returns {
    /// When the local buffer may be used again.
    Done,
    /// At once. The program leaves the buffer alone until a quiet.
    AtOnce,
    /// As `Done`; the signal of a put with signal follows.
    BeforeSignal,
}

/// The kind of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Transfer {
    Put(Returns),
    Get(Returns),
    /// Several blocks in one operation.
    PutBlocks,
}

/// What makes short transfers faster in this job.
#[derive(Clone, Copy)]
pub(crate) struct Short {
    /// Short puts and nonblocking gets go by message if AMOs do. Requests are then gathered into messages, and a PE
    /// that waits for them yields its core now and then, which it does not in a flush on a window.
    pub(crate) by_message: bool,
    /// Short transfers through a window go as accumulates.
    pub(crate) accumulate: bool,
    /// With `by_message`: blocking puts that are longer than an accumulate may be go by message, too.
    pub(crate) long_puts_by_message: bool,
}

/// What the choice depends on in this job.
pub(super) struct Chooser {
    pub(super) windows: bool,
    pub(super) messages: bool,
    pub(super) short: Short,
}

/// A choice: the executor, and how it is to carry the operation out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    pub(super) by: Path,
    pub(super) how: How,
}

const BY_MESSAGE: Choice = Choice { by: Path::Message, how: How { accumulate: false, aside: false, with_next: false } };

impl Chooser {
    /// Chooses for `len` bytes. `first` tells whether no operation of the context is under way to the PE through
    /// windows. After operations that are not flushed yet, a put or get is faster than an accumulate.
    pub(super) fn transfer(&self, what: Transfer, len: usize, first: impl FnOnce() -> bool) -> Choice {
        let by_window = |accumulate, aside| {
            let how = How { accumulate, aside, with_next: false };
            Choice { by: Path::Window, how }
        };
        let accumulates = self.short.accumulate;
        match what {
            _ if !self.windows => match what {
                Transfer::Put(Returns::BeforeSignal) => with_next(),
                _ => BY_MESSAGE,
            },
            Transfer::Put(Returns::BeforeSignal) if self.messages && len <= SHORT => with_next(),
            Transfer::Put(Returns::BeforeSignal) if self.messages_put(len) => with_next(),
            Transfer::Put(Returns::Done) if self.messages_put(len) => BY_MESSAGE,
            Transfer::Put(Returns::AtOnce) | Transfer::Get(Returns::AtOnce) if self.messages_take(len) => BY_MESSAGE,
            Transfer::Put(Returns::AtOnce) => by_window(accumulates && len <= SHORT_PUT && first(), false),
            Transfer::Put(_) => by_window(accumulates && len <= SHORT_PUT && first(), len <= COPIED),
            Transfer::Get(Returns::AtOnce) => by_window(accumulates && len <= SHORT_GET && first(), false),
            Transfer::Get(_) => by_window(accumulates && (SHORTEST_GET + 1..=SHORT_GET).contains(&len), false),
            Transfer::PutBlocks => by_window(false, len <= COPIED),
        }
    }

    /// Chooses for an AMO. Each word has one executor: with messages the CPUs of the word's node, else MPI.
    pub(super) fn amo(&self) -> Path {
        if self.messages { Path::Message } else { Path::Window }
    }

    /// Whether `n` blocks of `len` bytes go in one operation. `longest`: bytes of the longest block that windows accept
    /// in one.
    pub(super) fn in_one(&self, n: usize, len: usize, longest: usize) -> bool {
        self.windows && n >= sizes::BLOCKS && len <= longest
    }

    /// Whether nonblocking gets may have gone by message.
    pub(super) fn some_gets_by_message(&self) -> bool {
        self.messages && (self.short.by_message || !self.windows)
    }

    /// Whether messages carry data.
    fn messages_carry(&self) -> bool {
        self.messages && self.short.by_message
    }

    fn messages_take(&self, len: usize) -> bool {
        self.messages_carry() && len <= SHORT
    }

    /// Short puts, and long ones that are no accumulates. A message takes a copy of its data, so the call lasts until
    /// most of a long put has left. A put that is to return at once goes through a window.
    fn messages_put(&self, len: usize) -> bool {
        let accumulates = self.short.accumulate && len <= SHORT_PUT;
        let too_long = self.short.long_puts_by_message && !accumulates;
        self.messages_take(len) || self.messages_carry() && too_long
    }
}

fn with_next() -> Choice {
    Choice { how: How { with_next: true, ..How::default() }, ..BY_MESSAGE }
}

#[cfg(test)]
mod tests {
    use super::Returns::{AtOnce, BeforeSignal, Done};
    use super::Transfer::{Get, Put};
    use super::*;

    const WINDOW: Choice = Choice { by: Path::Window, how: How { accumulate: false, aside: false, with_next: false } };

    fn chooser(windows: bool, messages: bool, by_message: bool, accumulate: bool) -> Chooser {
        let short = Short { by_message, accumulate, long_puts_by_message: accumulate };
        Chooser { windows, messages, short }
    }

    fn window(accumulate: bool, aside: bool) -> Choice {
        Choice { how: How { accumulate, aside, with_next: false }, ..WINDOW }
    }

    /// For each border: the transfer, the last length on one side with its choice, and the choice for one byte more.
    #[test]
    fn ways_change_at_the_sizes_of_the_table() {
        let (plain, accumulating) = (chooser(true, true, false, false), chooser(true, true, false, true));
        let short = chooser(true, true, true, true);
        for (chooser, what, size, up_to, above) in [
            (&plain, Put(Done), COPIED, window(false, true), WINDOW),
            (&plain, Put(AtOnce), COPIED, WINDOW, WINDOW),
            (&plain, Put(BeforeSignal), SHORT, with_next(), WINDOW),
            (&plain, Get(Done), SHORTEST_GET, WINDOW, WINDOW),
            (&plain, Transfer::PutBlocks, COPIED, window(false, true), WINDOW),
            (&accumulating, Put(Done), COPIED, window(true, true), window(true, false)),
            (&accumulating, Put(AtOnce), SHORT_PUT, window(true, false), WINDOW),
            (&accumulating, Get(AtOnce), SHORT_GET, window(true, false), WINDOW),
            (&accumulating, Get(Done), SHORTEST_GET, WINDOW, window(true, false)),
            (&accumulating, Get(Done), SHORT_GET, window(true, false), WINDOW),
            (&short, Put(Done), SHORT, BY_MESSAGE, window(true, false)),
            (&short, Put(AtOnce), SHORT, BY_MESSAGE, window(true, false)),
            (&short, Put(Done), SHORT_PUT, window(true, false), BY_MESSAGE),
            (&short, Put(AtOnce), SHORT_PUT, window(true, false), WINDOW),
            (&short, Put(BeforeSignal), SHORT_PUT, window(true, false), with_next()),
            (&short, Get(AtOnce), SHORT, BY_MESSAGE, window(true, false)),
            (&short, Get(Done), SHORT, window(true, false), window(true, false)),
        ] {
            assert_eq!(chooser.transfer(what, size, || true), up_to, "{what:?} of {size} bytes");
            assert_eq!(chooser.transfer(what, size + 1, || true), above, "{what:?} of {size} bytes and one");
        }
        assert_eq!(accumulating.transfer(Put(AtOnce), 8, || false), WINDOW, "behind others");
    }

    #[test]
    fn without_windows_everything_goes_by_message() {
        let chooser = chooser(false, true, false, false);
        for what in [Put(Done), Put(AtOnce), Get(Done), Get(AtOnce)] {
            assert_eq!(chooser.transfer(what, 1 << 40, || true), BY_MESSAGE);
        }
        assert_eq!(chooser.transfer(Put(BeforeSignal), 1 << 40, || true), with_next());
        assert!(chooser.amo() == Path::Message && !chooser.in_one(100, 8, usize::MAX));
    }

    #[test]
    fn without_messages_everything_goes_through_windows() {
        let chooser = chooser(true, false, true, false);
        for what in [Put(AtOnce), Get(Done), Get(AtOnce)] {
            assert_eq!(chooser.transfer(what, 8, || true), WINDOW);
        }
        assert_eq!(chooser.transfer(Put(BeforeSignal), 8, || true), window(false, true));
        assert_eq!(chooser.amo(), Path::Window);
        assert!(chooser.in_one(4, 8, 8) && !chooser.in_one(3, 8, 8) && !chooser.in_one(4, 9, 8));
    }
}
