//! Members that are threads of a test.

use super::{Wire, barrier};
use std::cell::RefCell;
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
    /// Messages this member has sent.
    sent: RefCell<usize>,
}

/// Wanted: from whom, where to, how many bytes. What is sent is copied at once, as MPI may do.
type Wanted = Vec<(usize, *mut u8, usize)>;

impl Wire for Member<'_> {
    type InFlight = Wanted;

    fn size(&self) -> usize {
        self.size
    }

    fn me(&self) -> usize {
        self.me
    }

    unsafe fn send(&self, _: &mut Wanted, to: usize, at: *const u8, len: usize) {
        assert!(to < self.size && to != self.me, "a message to oneself or to nobody");
        if len > 0 {
            // SAFETY: the caller promises `len` bytes.
            let bytes = unsafe { std::slice::from_raw_parts(at, len) }.to_vec();
            self.boxes.mail.lock().unwrap()[self.me * self.size + to].push_back(bytes);
            self.boxes.came.notify_all();
            *self.sent.borrow_mut() += 1;
        }
    }

    unsafe fn receive(&self, pending: &mut Wanted, from: usize, at: *mut u8, len: usize) {
        assert!(from < self.size && from != self.me, "a message from oneself or from nobody");
        if len > 0 {
            pending.push((from, at, len));
        }
    }

    fn finish(&self, pending: Wanted) {
        for (from, at, len) in pending {
            let mut mail = self.boxes.mail.lock().unwrap();
            let bytes = loop {
                match mail[from * self.size + self.me].pop_front() {
                    Some(bytes) => break bytes,
                    None => mail = self.boxes.came.wait(mail).unwrap(),
                }
            };
            assert_eq!(bytes.len(), len, "member {} wants as many bytes as member {from} sends", self.me);
            // SAFETY: the receiver has promised the room.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, len) };
        }
    }
}

/// Runs `body` as each of `size` members at once. Every message must have been received at the end.
pub(super) fn run(size: usize, body: impl Fn(&Member<'_>) + Sync) {
    let boxes = Boxes { mail: Mutex::new(vec![VecDeque::new(); size * size]), came: Condvar::new() };
    std::thread::scope(|s| {
        for me in 0..size {
            let (boxes, body) = (&boxes, &body);
            s.spawn(move || body(&Member { boxes, size, me, sent: RefCell::new(0) }));
        }
    });
    assert!(boxes.mail.into_inner().unwrap().iter().all(VecDeque::is_empty), "messages that nobody wanted");
}

#[test]
fn nobody_leaves_a_barrier_early() {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    for size in [1, 2, 3, 5, 8, 13] {
        let come = AtomicUsize::new(0);
        run(size, |w| {
            for round in 1..=20 {
                come.fetch_add(1, SeqCst);
                barrier(w);
                assert!(come.load(SeqCst) >= round * size);
            }
            assert_eq!(*w.sent.borrow(), 20 * size.next_power_of_two().ilog2() as usize);
        });
    }
}
