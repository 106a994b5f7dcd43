use super::*;

#[test]
fn who_hears_of_a_word_knows_what_was_told_and_fenced() {
    let mut memory = vec![0u64; Table::bytes(1) / 8];
    // SAFETY: zero, as long as a table of one PE, and used as one until the end of this function.
    let table = unsafe { Table::at(memory.as_mut_ptr().cast(), 1) };
    let mut pe = Pe::new(table, 0).unwrap();
    let mut thread = Thread::new(pe.thread().unwrap());
    let over = |thread: &Thread, op: Op| View::of(&thread.clock).is_over(op.by);
    let before = pe.put(&mut thread, 1, 1);
    pe.fence(&mut thread, 1);
    let told = pe.tell(&thread, 1, 1);
    let after = pe.put(&mut thread, 1, 1);
    assert!(!over(&thread, before) && !over(&thread, told) && !over(&thread, after));
    assert_eq!((pe.heard(&mut thread), pe.heard(&mut thread)), (2, 0));
    assert!(over(&thread, before) && over(&thread, told) && !over(&thread, after));
}

/// The steps of a wait do not depend on how many PEs were written to before, and the memory not on how often.
#[test]
fn hearing_costs_as_much_as_there_is_new() {
    const TARGETS: u32 = 500;
    let mut memory = vec![0u64; Table::bytes(1) / 8];
    // SAFETY: zero, as long as a table of one PE, and used as one until the end of this function.
    let table = unsafe { Table::at(memory.as_mut_ptr().cast(), 1) };
    let mut pe = Pe::new(table, 0).unwrap();
    let mut thread = Thread::new(pe.thread().unwrap());
    for target in 0..TARGETS {
        pe.tell(&thread, 1, target);
    }
    assert_eq!(pe.heard(&mut thread), TARGETS as usize);
    for round in 0..100_000 {
        let told = pe.tell(&thread, 1, round % TARGETS);
        assert_eq!(pe.heard(&mut thread), 1);
        assert!(View::of(&thread.clock).is_over(told.by));
        assert!(pe.told.entries.len() <= 2 * TELLS * TARGETS as usize + Log::SPARE);
    }
    // A thread that has heard nothing learns all.
    let mut other = Thread::new(pe.thread().unwrap());
    let steps = pe.heard(&mut other);
    assert!((TARGETS as usize..=2 * TELLS * TARGETS as usize + Log::SPARE).contains(&steps));
    // The actors of others are known once.
    let stranger = Pe::new(table, 1).unwrap().thread().unwrap();
    assert_eq!((pe.know_others(&mut other), pe.know_others(&mut other)), (table.actors() - 1, 0));
    assert!(View::of(&other.clock).is_over(Stamp { actor: stranger, epoch: 7 }));
    let last = pe.tell(&thread, 1, 0);
    assert!(!View::of(&other.clock).is_over(last.by) && pe.heard(&mut other) == 1);
}

/// The steps of a quiet and a fence do not depend on how many PEs were written to before, and the memory not on how
/// often. Each ends what the other one has left, also for another thread.
#[test]
fn ordering_costs_as_much_as_there_is_new() {
    const TARGETS: u32 = 500;
    let mut memory = vec![0u64; Table::bytes(1) / 8];
    // SAFETY: zero, as long as a table of one PE, and used as one until the end of this function.
    let table = unsafe { Table::at(memory.as_mut_ptr().cast(), 1) };
    let mut pe = Pe::new(table, 0).unwrap();
    let mut thread = Thread::new(pe.thread().unwrap());
    let over = |thread: &Thread, op: &Op| View::of(&thread.clock).is_over(op.by);
    let first: Vec<Op> = (0..TARGETS).map(|target| pe.put(&mut thread, 1, target)).collect();
    assert_eq!(pe.fence(&mut thread, 1), 2 * TARGETS as usize);
    assert!(first.iter().all(|op| !over(&thread, op)));
    assert_eq!((pe.quiet(&mut thread, 1), pe.quiet(&mut thread, 1)), (TARGETS as usize, 0));
    assert!(first.iter().all(|op| over(&thread, op)));
    for round in 0..50_000 {
        let (put, told) = (pe.put(&mut thread, 1, round % TARGETS), pe.tell(&thread, 1, round % 7));
        assert!(pe.fence(&mut thread, 1) <= 4);
        let after = pe.put(&mut thread, 1, round % TARGETS);
        let known = after.view(&thread);
        assert!(known.is_over(put.by) && (round % TARGETS != round % 7 || known.is_over(told.by)));
        assert!(!over(&thread, &put) && !over(&thread, &told));
        assert!(pe.quiet(&mut thread, 1) <= 4);
        assert!(over(&thread, &put) && over(&thread, &told) && over(&thread, &after));
        pe.pe_quiet(&mut thread, 1, &[round % TARGETS]);
        assert!(pe.contexts[&1].over.entries.len() <= 2 * (1 + TELLS) * TARGETS as usize + Log::SPARE);
    }
    let mut other = Thread::new(pe.thread().unwrap());
    assert!(pe.quiet(&mut other, 1) >= TARGETS as usize && first.iter().all(|op| over(&other, op)));
}
