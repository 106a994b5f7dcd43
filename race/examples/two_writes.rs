//! Two processes store to one byte, without and with a synchronisation between.

use oshmpi_race::cell::Kind;
use oshmpi_race::order::{Pe, Thread};
use oshmpi_race::shadow::InARow;
use oshmpi_race::table::Table;

/// Stores to byte 0; tells how many earlier accesses race with that.
fn store(shadow: &InARow<3>, thread: &Thread) -> usize {
    let mut races = 0;
    shadow.access(0, 1, &thread.access(Kind::WRITE, 0), &mut |_| races += 1);
    races
}

fn main() {
    let memory = vec![0u64; Table::bytes(2) / 8].leak();
    // SAFETY: zeros, as long as a table is, and they stay.
    let table = unsafe { Table::at(memory.as_mut_ptr().cast(), 2) };
    let [mut first, mut second] = [0, 1].map(|pe| {
        let made = Pe::new(table, pe).expect("there is room for two");
        Thread::new(made.thread().expect("it has a thread"))
    });
    // SAFETY: all bytes zero is a shadow in which nothing was accessed.
    let shadow = unsafe { Box::<InARow<3>>::new_zeroed().assume_init() };

    assert_eq!(store(&shadow, &first), 0);
    println!("the second store races with {} access", store(&shadow, &second));

    // The second process tells the first one, by a word that the first one sees.
    let word = table.sync_word(1);
    word.release(&second.clock, &[]);
    second.tick();
    word.acquire(&mut first.clock);
    println!("behind a synchronisation a store races with {}", store(&shadow, &first));
}
