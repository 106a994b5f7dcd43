//! What orders threads of a PE: creation and end, mutexes, C11 atomics, OpenMP. `c/intercepted.c` calls these.
//!
//! Something that orders is named by a number of this process: an address, or what `race_fresh` gives. Who releases
//! it tells those who acquire it later.

use crate::memory;
use crate::node::{Node, node};
use crate::site::mix;
use crate::thread::{self, Inside, Me, process};
use core::sync::atomic::{AtomicU64, Ordering};
use oshmpi_race::cell::Kind;
use oshmpi_race::order::Thread;

/// Atomic operations of the language: one class, which no AMO of the library shares.
const LANGUAGE: u32 = 13;

fn here() -> Option<(&'static mut Me, &'static Node, Inside)> {
    let inside = Inside::begin()?;
    Some((thread::me()?, node()?, inside))
}

/// The synchronisation word for a number of this process. The PE is mixed first: names of two PEs differ by as
/// little as their numbers.
fn key(node: &Node, name: u64) -> u64 {
    mix(mix(u64::from(node.memory.pe) + 1, 0x5eed), name) | 1 << 63
}

/// A number that nothing has.
#[unsafe(no_mangle)]
extern "C" fn race_fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(16, Ordering::Relaxed)
}

#[unsafe(no_mangle)]
extern "C" fn race_release(name: u64) {
    let Some((me, node, _inside)) = here() else { return };
    node.sync_word(key(node, name)).release(&me.thread.clock, &[]);
    me.thread.tick();
}

#[unsafe(no_mangle)]
extern "C" fn race_acquire(name: u64) {
    let Some((me, node, _inside)) = here() else { return };
    node.acquire(key(node, name), &mut me.thread);
}

/// As [`race_release`], for those who wait for it, if there are any left: [`race_forget`] has not been called since the
/// name was last released.
#[unsafe(no_mangle)]
extern "C" fn race_release_more(name: u64) {
    let Some((me, node, _inside)) = here() else { return };
    let Some(word) = node.table.released(key(node, name)) else { return };
    word.release(&me.thread.clock, &[]);
    drop(word);
    me.thread.tick();
}

/// Nobody acquires these names any more: `n` in a row.
#[unsafe(no_mangle)]
extern "C" fn race_forget(name: u64, n: u64) {
    let Some((_, node, _inside)) = here() else { return };
    (name..name.wrapping_add(n)).for_each(|name| node.table.forget(key(node, name)));
}

/// A thread of the program is made, or may be: private memory counts from now on.
#[unsafe(no_mangle)]
extern "C" fn race_many() {
    let _inside = Inside::begin();
    if node().is_some() {
        thread::many();
    }
}

/// A thread begins: its stack is new memory.
#[unsafe(no_mangle)]
extern "C" fn race_thread_begin(name: u64, stack: usize, stack_bytes: usize) {
    race_new_memory(stack, stack_bytes);
    race_acquire(name);
    // Nobody else will.
    race_forget(name, 1);
}

#[unsafe(no_mangle)]
extern "C" fn race_thread_end(name: u64) {
    // A thread of which nothing was noted tells nothing.
    if thread::is_known() {
        race_release(name);
        let _inside = Inside::begin();
        thread::leave();
    }
}

/// A task begins, as a thread of its own: nothing orders it after what its thread did before. Returns what
/// [`race_task_end`] takes.
#[unsafe(no_mangle)]
extern "C" fn race_task_begin(name: u64) -> *mut Thread {
    let Some((me, node, _inside)) = here() else { return core::ptr::null_mut() };
    let fresh = process().new_thread();
    let before = Box::into_raw(Box::new(me.become_thread(fresh)));
    node.acquire(key(node, name), &mut me.thread);
    before
}

/// # Safety
/// `before` came from the thread's last [`race_task_begin`] that has not ended.
#[unsafe(no_mangle)]
unsafe extern "C" fn race_task_end(before: *mut Thread) {
    let Some((me, _, _inside)) = here() else { return };
    if !before.is_null() {
        // SAFETY: the caller's promise.
        let before = unsafe { Box::from_raw(before) };
        let task = me.become_thread(*before);
        process().end_thread(&task);
    }
}

/// The word of an address, symmetric or not.
fn word_of(node: &Node, addr: usize) -> u64 {
    node.from_slots(addr).map_or_else(|| key(node, addr as u64), crate::effects::key)
}

/// Before an atomic operation of the language. `releases`: others may learn by it what this thread did.
#[unsafe(no_mangle)]
extern "C" fn race_atomic(addr: usize, bytes: usize, writes: i32, releases: i32, pc: usize) {
    let Some((me, node, _inside)) = here() else { return };
    if releases != 0 {
        node.sync_word(word_of(node, addr)).release(&me.thread.clock, &[]);
    }
    let site = me.site(node, Some(pc));
    memory::local(node, addr, bytes, &me.thread.access(Kind::atomic(LANGUAGE, writes != 0), site));
    if releases != 0 {
        me.thread.tick();
    }
}

/// After one that acquires.
#[unsafe(no_mangle)]
extern "C" fn race_atomic_seen(addr: usize) {
    let Some((me, node, _inside)) = here() else { return };
    node.acquire(word_of(node, addr), &mut me.thread);
}

/// A function of the C library reads or writes memory of its caller.
#[unsafe(no_mangle)]
extern "C" fn race_library(addr: usize, bytes: usize, writes: i32, pc: usize) {
    let Some((me, node, _inside)) = here() else { return };
    let kind = if writes != 0 { Kind::WRITE } else { Kind::READ };
    memory::touch(me, node, addr, bytes, kind, Some(pc));
}

/// Memory was allocated.
#[unsafe(no_mangle)]
extern "C" fn race_new_memory(addr: usize, bytes: usize) {
    if let Some(_inside) = Inside::begin() {
        memory::forget(addr, bytes);
    }
}
