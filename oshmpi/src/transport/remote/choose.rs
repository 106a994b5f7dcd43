//! Chooses how an operation goes to a remote PE: by window or by message, with its source copied or not. Words whose
//! AMOs an adapter carries out are the exception: `amos` knows these words, and they always go by the window.
//!
//! | up to | transfer | goes | longer ones |
//! |---|---|---|---|
//! | [`COPIED`] | put through a window | from a copy, and the call returns at once | the call waits until the source has left |
//! | [`SHORT`] | nonblocking put or get, where the target takes part in windows | by message | through a window |
//! | any | blocking put, where the target takes part in windows | by message | |
//! | [`SHORT`] | put with signal, where messages carry out AMOs | by message, with its signal | through a window, then a quiet |

use super::executor::How;
use super::path_key::Path;

/// A put of up to this many bytes is copied: the copy costs less than a wait for the network.
pub(super) const COPIED: usize = 8192;

/// A message of up to this many bytes costs less than a put and a flush in which the target takes part. Longer data
/// would be copied once more at both ends.
pub(super) const SHORT: usize = 16 << 10;

/// From this number of blocks on, they go in one operation. Fewer are faster one by one: making and freeing two
/// datatypes costs as much as two to four operations.
const BLOCKS: usize = 4;

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

/// What the choice depends on in this job.
pub(super) struct Chooser {
    pub(super) windows: bool,
    pub(super) messages: bool,
    /// Blocking puts, short nonblocking puts and short nonblocking gets go by message. Requests are then gathered into
    /// messages, and a PE that waits for them yields its core now and then, which it does not in a flush on a window.
    pub(super) by_message: bool,
}

/// A choice: the executor, and how it is to carry the operation out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    pub(super) by: Path,
    pub(super) how: How,
}

const BY_MESSAGE: Choice = Choice { by: Path::Message, how: How { aside: false, with_next: false } };
const WITH_NEXT: Choice = Choice { by: Path::Message, how: How { aside: false, with_next: true } };

impl Chooser {
    /// Chooses for `len` bytes.
    pub(super) fn transfer(&self, what: Transfer, len: usize) -> Choice {
        let by_window = |aside| Choice { by: Path::Window, how: How { aside, with_next: false } };
        match what {
            Transfer::Put(Returns::BeforeSignal) if !self.windows || self.by_message => WITH_NEXT,
            Transfer::Put(Returns::BeforeSignal) if self.messages && len <= SHORT => WITH_NEXT,
            _ if !self.windows => BY_MESSAGE,
            Transfer::Put(Returns::Done) if self.by_message => BY_MESSAGE,
            Transfer::Put(Returns::AtOnce) | Transfer::Get(Returns::AtOnce) if self.by_message && len <= SHORT => {
                BY_MESSAGE
            }
            Transfer::Put(Returns::AtOnce) | Transfer::Get(_) => by_window(false),
            Transfer::Put(_) | Transfer::PutBlocks => by_window(len <= COPIED),
        }
    }

    /// Chooses for an AMO. Each word has one executor: with messages the CPUs of the word's node, else MPI.
    pub(super) fn amo(&self) -> Path {
        if self.messages { Path::Message } else { Path::Window }
    }

    /// Whether `n` blocks of `len` bytes go in one operation. `longest`: bytes of the longest block that windows accept
    /// in one.
    pub(super) fn in_one(&self, n: usize, len: usize, longest: usize) -> bool {
        self.windows && n >= BLOCKS && len <= longest
    }

    /// Whether nonblocking gets may have gone by message.
    pub(super) fn some_gets_by_message(&self) -> bool {
        self.by_message || !self.windows
    }
}

#[cfg(test)]
mod tests {
    use super::Returns::{AtOnce, BeforeSignal, Done};
    use super::Transfer::{Get, Put};
    use super::*;

    const WINDOW: Choice = Choice { by: Path::Window, how: How { aside: false, with_next: false } };
    const ASIDE: Choice = Choice { by: Path::Window, how: How { aside: true, with_next: false } };

    fn chooser(windows: bool, messages: bool, by_message: bool) -> Chooser {
        Chooser { windows, messages, by_message }
    }

    /// For each border: the transfer, the last length on one side with its choice, and the choice for one byte more.
    #[test]
    fn ways_change_at_the_sizes_of_the_table() {
        let (plain, short) = (chooser(true, true, false), chooser(true, true, true));
        for (chooser, what, size, up_to, above) in [
            (&plain, Put(Done), COPIED, ASIDE, WINDOW),
            (&plain, Put(AtOnce), COPIED, WINDOW, WINDOW),
            (&plain, Put(BeforeSignal), SHORT, WITH_NEXT, WINDOW),
            (&plain, Transfer::PutBlocks, COPIED, ASIDE, WINDOW),
            (&short, Put(Done), SHORT, BY_MESSAGE, BY_MESSAGE),
            (&short, Put(AtOnce), SHORT, BY_MESSAGE, WINDOW),
            (&short, Put(BeforeSignal), SHORT, WITH_NEXT, WITH_NEXT),
            (&short, Get(AtOnce), SHORT, BY_MESSAGE, WINDOW),
            (&short, Get(Done), SHORT, WINDOW, WINDOW),
        ] {
            assert_eq!(chooser.transfer(what, size), up_to, "{what:?} of {size} bytes");
            assert_eq!(chooser.transfer(what, size + 1), above, "{what:?} of {size} bytes and one");
        }
    }

    #[test]
    fn without_windows_everything_goes_by_message() {
        let chooser = chooser(false, true, false);
        for what in [Put(Done), Put(AtOnce), Get(Done), Get(AtOnce)] {
            assert_eq!(chooser.transfer(what, 1 << 40), BY_MESSAGE);
        }
        assert_eq!(chooser.transfer(Put(BeforeSignal), 1 << 40), WITH_NEXT);
        assert!(chooser.amo() == Path::Message && !chooser.in_one(100, 8, usize::MAX));
    }

    #[test]
    fn without_messages_everything_goes_through_windows() {
        let chooser = chooser(true, false, false);
        for what in [Put(AtOnce), Get(Done), Get(AtOnce)] {
            assert_eq!(chooser.transfer(what, 8), WINDOW);
        }
        assert_eq!(chooser.transfer(Put(BeforeSignal), 8), ASIDE);
        assert_eq!(chooser.amo(), Path::Window);
        assert!(chooser.in_one(4, 8, 8) && !chooser.in_one(3, 8, 8) && !chooser.in_one(4, 9, 8));
    }
}
