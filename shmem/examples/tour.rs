//! Uses and checks every function of the crate; PE 0 prints "ok".

use shmem::{Cmp, Error, SignalOp, World};

fn main() -> Result<(), Error> {
    threads();
    let world = shmem::init()?;
    assert_eq!(shmem::init().unwrap_err(), Error::Up);
    memory(&world)?;
    atomics(&world)?;
    collectives(&world)?;
    teams(&world)?;
    contexts(&world)?;
    drop(world);

    // A second time, as OpenSHMEM 1.6 allows.
    let (_stays, end) = std::sync::mpsc::channel::<()>();
    std::thread::spawn(move || end.recv());
    drop(shmem::init()?); // the static variables have been moved
    // SAFETY: the other thread writes no static variable.
    let world = unsafe { shmem::init_beside_threads()? };
    let again = world.alloc::<u8>(1)?;
    again.put(world.right(), 0, &[7]);
    world.barrier();
    assert_eq!(again.to_vec(), [7]);
    if world.me() == 0 {
        println!("ok");
    }
    Ok(())
}

/// The first init is refused while there is another thread.
fn threads() {
    let (stays, end) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || end.recv());
    assert_eq!(shmem::init().unwrap_err(), Error::Threads);
    drop(stays);
    assert!(other.join().is_ok_and(|end| end.is_err()));
}

fn memory(world: &World) -> Result<(), Error> {
    let (me, right, left) = (world.me() as i32, world.right(), world.left() as i32);
    let box_ = world.alloc::<i32>(6)?;
    assert_eq!((box_.len(), box_.to_vec()), (6, vec![0; 6]));
    world.barrier();
    box_.put(right, 2, &[me, me + 1]);
    world.barrier();
    assert_eq!(box_.to_vec(), [0, 0, left, left + 1, 0, 0]);
    world.barrier();
    let mut got = [9; 3];
    box_.get(right, 1, &mut got);
    assert_eq!(got, [0, me, me + 1]);
    assert_eq!(box_.read(right, 3), me + 1);
    box_.put(right, 6, &[]); // no elements, directly behind the end
    world.barrier();
    box_.fill(-1);
    box_.local()[5].set(me);
    world.barrier();
    assert_eq!(box_.read(world.left(), 5), left);
    world.barrier();
    assert!(world.alloc::<u64>(0)?.is_empty());
    assert_eq!(world.alloc::<u64>(1 << 50).err(), Some(Error::NoMemory(8 << 50)));
    Ok(())
}

fn atomics(world: &World) -> Result<(), Error> {
    let n = world.n_pes() as u64;
    let words = world.alloc::<u64>(3)?;
    for _ in 0..100 {
        words.atomic_fetch_add(0, 0, 2);
    }
    world.barrier();
    assert_eq!(words.atomic_fetch(0, 0), 200 * n);
    let old = words.atomic_swap(world.right(), 1, 10 + world.me() as u64);
    assert_eq!(old, 0);
    world.barrier();
    assert_eq!(words.local()[1].get(), 10 + world.left() as u64);
    world.barrier();
    let mine = 10 + world.me() as u64;
    assert_eq!(words.atomic_compare_swap(world.right(), 1, 5, 6), mine);
    assert_eq!(words.atomic_compare_swap(world.right(), 1, mine, 6), mine);
    world.fence();
    words.atomic_set(world.right(), 2, 33);
    assert_eq!(words.wait_while(2, 0), 33);
    words.wait_until_equal(2, 33);
    assert_eq!(words.local()[1].get(), 6);
    world.barrier();
    // The last PE switches a word of PE 0 on and off. Whatever PE 0 sees, it is on.
    let last = world.n_pes() - 1;
    if last > 0 && world.me() == last {
        while words.atomic_fetch(last, 1) == 6 {
            words.atomic_set(0, 2, 0);
            words.atomic_set(0, 2, 33);
        }
    }
    if last > 0 && world.me() == 0 {
        for _ in 0..10_000 {
            assert_ne!(words.wait_while(2, 0), 0);
        }
        words.atomic_set(last, 1, 7);
    }
    world.quiet();
    world.barrier();
    Ok(())
}

fn collectives(world: &World) -> Result<(), Error> {
    let (me, n, team) = (world.me(), world.n_pes(), world.team());
    let from = world.alloc::<i64>(n)?;
    let to = world.alloc::<i64>(n * n)?;
    for (i, w) in from.local().iter().enumerate() {
        w.set((100 * me + i) as i64);
    }
    let numbers = |f: &dyn Fn(usize) -> usize, len: usize| (0..len).map(|i| f(i) as i64).collect::<Vec<_>>();
    team.broadcast(&to, &from, n - 1);
    assert_eq!(to.to_vec()[..n], numbers(&|i| 100 * (n - 1) + i, n));
    team.sync(); // all members have read `to`
    team.fcollect(&to, &from);
    assert_eq!(to.to_vec(), numbers(&|i| 100 * (i / n) + i % n, n * n));
    team.sync();
    team.alltoall(&to, &from);
    assert_eq!(to.to_vec()[..n], numbers(&|i| 100 * i + me, n));
    team.sync();
    team.sum(&to, &from);
    assert_eq!(to.to_vec()[..n], numbers(&|i| (0..n).map(|pe| 100 * pe + i).sum(), n));
    team.sync();
    team.max(&to, &from);
    assert_eq!(to.local()[0].get(), 100 * (n as i64 - 1));
    team.sync(); // no member reads `from` any more
    team.min(&from, &from);
    assert_eq!(from.to_vec(), numbers(&|i| i, n));

    let bits = world.alloc::<u8>(3)?;
    let all = world.alloc::<u8>(3)?;
    bits.fill(if me == 0 { 0b101 } else { 0b100 });
    team.and(&all, &bits);
    assert_eq!(all.to_vec(), [if n == 1 { 0b101 } else { 0b100 }; 3]);
    team.sync();
    team.or(&all, &bits);
    assert_eq!(all.to_vec(), [0b101; 3]);
    team.sync();
    team.xor(&all, &bits);
    assert_eq!(all.to_vec(), [1 | if n % 2 == 1 { 0b100 } else { 0 }; 3]);
    let real = world.alloc::<f32>(1)?;
    real.fill(2.0);
    team.sync();
    team.product(&real, &real);
    assert_eq!(real.to_vec(), [2f32.powi(n as i32)]);
    Ok(())
}

fn teams(world: &World) -> Result<(), Error> {
    let (me, n) = (world.me(), world.n_pes());
    let size = n.div_ceil(2);
    let evens = world.team().split(0, 2, size)?;
    assert_eq!(evens.is_some(), me % 2 == 0);
    let word = world.alloc::<u32>(1)?;
    word.fill(1);
    if let Some(team) = &evens {
        assert_eq!((team.me(), team.n_pes(), team.world_pe(team.me())), (me / 2, size, me));
        team.sync();
        team.sum(&word, &word);
        assert_eq!(word.to_vec(), [size as u32]);
    }
    world.barrier();
    let (all, most) = (world.alloc::<u32>(n)?, world.alloc::<u32>(1)?);
    word.fill(me as u32);
    world.team().nonblocking(|started| {
        started.fcollect(&all, &word);
        started.max(&most, &word);
    });
    assert!(all.to_vec().into_iter().eq(0..n as u32));
    assert_eq!(most.to_vec(), [n as u32 - 1]);
    world.barrier();
    Ok(())
}

fn contexts(world: &World) -> Result<(), Error> {
    let (me, n) = (world.me(), world.n_pes());
    let width = n.div_ceil(2);
    let (row, column) = world.team().split_2d(width)?;
    assert_eq!((row.me(), column.me()), (me % width, me / width));

    let x = world.alloc::<u16>(4 * n)?;
    let signals = world.alloc::<u64>(2)?;
    let ctx = world.context()?;
    ctx.put(&x, world.right(), 0, &[me as u16]);
    ctx.fence();
    ctx.quiet();
    let mut own = [0];
    ctx.get(&x, world.right(), 0, &mut own);
    assert_eq!(own, [me as u16]);
    world.barrier();

    // Everybody writes its number to all, as parts of one batch, and reads it back in another.
    let number = [me as u16; 4];
    ctx.nonblocking(|batch| (0..n).for_each(|pe| batch.put(&x, pe, 4 * me, &number)));
    world.barrier();
    let mut all = vec![0; 4 * n];
    world.nonblocking(|batch| {
        all.chunks_mut(4).enumerate().for_each(|(pe, part)| batch.get(&x, pe, 4 * pe, part));
    });
    assert!((0..4 * n).all(|i| usize::from(all[i]) == i / 4), "{all:?}");
    assert_eq!(x.to_vec(), all);
    world.barrier();

    x.put_signal(world.right(), 0, &[7, 8], (&signals, 1), SignalOp::Add, 3);
    x.put_signal(world.right(), 2, &[9], (&signals, 0), SignalOp::Set, 1);
    assert_eq!(signals.wait_signal(1, Cmp::Ge, 3), 3);
    assert_eq!(signals.wait_signal(0, Cmp::Ne, 0), 1);
    assert_eq!(x.to_vec()[..3], [7, 8, 9]);
    world.barrier();
    Ok(())
}
