//! Members that are threads of a test.

use super::barrier;
use super::messages::{MemberMessages, Message};
use crate::env::coll_select::CollSelect;
use crate::memory::local::Dest;
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

/// Mail from one member to another, in order.
#[derive(Default)]
struct Boxes {
    mail: Mutex<Vec<VecDeque<Vec<u8>>>>,
    came: Condvar,
}

pub(super) struct Member<'a> {
    boxes: &'a Boxes,
    size: usize,
    me: usize,
    /// Messages this member has sent, and their bytes.
    sent: Cell<(usize, usize)>,
    chosen: CollSelect,
}

impl Member<'_> {
    /// Messages this member has sent, and their bytes.
    pub(super) fn sent(&self) -> (usize, usize) {
        self.sent.get()
    }

    /// What is sent is copied at once, as MPI may do.
    fn send(&self, to: usize, bytes: Vec<u8>) {
        assert!(to < self.size && to != self.me, "a message to oneself or to nobody");
        let (messages, sent) = self.sent.get();
        self.sent.set((messages + 1, sent + bytes.len()));
        self.boxes.mail.lock().unwrap()[self.me * self.size + to].push_back(bytes);
        self.boxes.came.notify_all();
    }

    fn receive(&self, from: usize) -> Vec<u8> {
        assert!(from < self.size && from != self.me, "a message from oneself or from nobody");
        let mut mail = self.boxes.mail.lock().unwrap();
        loop {
            match mail[from * self.size + self.me].pop_front() {
                Some(bytes) => break bytes,
                None => mail = self.boxes.came.wait(mail).unwrap(),
            }
        }
    }
}

impl MemberMessages for Member<'_> {
    type Node = super::hierarchy::NoNode;

    fn size(&self) -> usize {
        self.size
    }

    fn me(&self) -> usize {
        self.me
    }

    fn transfer(&self, messages: impl IntoIterator<Item = Message>) {
        let mut wanted: Vec<(usize, Dest)> = Vec::new();
        for message in messages {
            match message {
                Message::Send(to, from) if from.len() > 0 => {
                    // SAFETY: the test keeps its vectors until all members have ended.
                    let bytes = unsafe { std::slice::from_raw_parts(from.at(), from.len()) };
                    self.send(to, bytes.to_vec());
                }
                Message::Receive(from, to) if to.len() > 0 => wanted.push((from, to)),
                _ => {}
            }
        }
        for (from, to) in wanted {
            let bytes = self.receive(from);
            assert_eq!(bytes.len(), to.len(), "member {} wants as many bytes as member {from} sends", self.me);
            super::bytes::copy(to, super::bytes::of_numbers(&bytes));
        }
    }

    fn chosen(&self) -> CollSelect {
        self.chosen
    }
}

/// Runs `body` as each of `size` members at once. Every message must have been received at the end.
pub(super) fn run(size: usize, body: impl Fn(&Member<'_>) + Sync) {
    run_with(size, "", body);
}

/// As [`run`], with `OSHMPI_COLL_SELECT` set to `chosen`.
pub(super) fn run_with(size: usize, chosen: &str, body: impl Fn(&Member<'_>) + Sync) {
    let boxes = Boxes { mail: Mutex::new(vec![VecDeque::new(); size * size]), came: Condvar::new() };
    let chosen = CollSelect::read(chosen).expect("names are known");
    std::thread::scope(|s| {
        for me in 0..size {
            let (boxes, body) = (&boxes, &body);
            s.spawn(move || body(&Member { boxes, size, me, sent: Cell::new((0, 0)), chosen }));
        }
    });
    assert!(boxes.mail.into_inner().unwrap().iter().all(VecDeque::is_empty), "messages that nobody wanted");
}

/// Sizes of groups around powers of two, each with every one of the settings.
pub(super) fn sizes_by(chosen: [&'static str; 3]) -> impl Iterator<Item = (usize, &'static str)> {
    [1, 2, 3, 4, 7].into_iter().flat_map(move |size| chosen.map(|chosen| (size, chosen)))
}

/// The bytes of a vector that the test keeps.
pub(super) fn into<T>(to: &mut [T]) -> Dest {
    // SAFETY: so many elements; all of them are numbers.
    unsafe { Dest::of::<T>(to.as_mut_ptr().cast(), to.len()) }
}

/// An element of a member, such that sums depend on the order in which they are made.
pub(super) fn element(member: usize, k: usize) -> f64 {
    ((member * 7919 + k * 104_729) % 1009) as f64 * 1e-3 + if member == 0 { 1e15 } else { 0.0 }
}

/// Elements `k` of the first `members`, combined from left to right.
pub(super) fn in_order(op: fn(f64, f64) -> f64, k: usize, members: usize) -> f64 {
    (0..members).map(|i| element(i, k)).reduce(op).unwrap_or(0.0)
}

#[test]
fn nobody_leaves_a_barrier_early() {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    for size in [1, 2, 3, 5, 8, 13] {
        let come = AtomicUsize::new(0);
        run(size, |w| {
            for round in 1..=20 {
                come.fetch_add(1, SeqCst);
                barrier::between(w);
                assert!(come.load(SeqCst) >= round * size);
            }
            assert_eq!(w.sent().0, 20 * size.next_power_of_two().ilog2() as usize);
        });
    }
}
