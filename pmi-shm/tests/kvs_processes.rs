//! One server, and clients in other processes: readers that look without pause while the server writes, and a client
//! that does to the store whatever the system permits. libtest's `main` is not used, because the clients are this
//! program too.

#[cfg(loom)]
fn main() {}

#[cfg(not(loom))]
fn main() {
    use processes::{client, server};
    match std::env::args().nth(1).as_deref() {
        Some("--client") => client(&std::env::args().skip(2).collect::<Vec<_>>()),
        _ => server(),
    }
}

#[cfg(not(loom))]
mod processes {
    use pmi_shm::kvs::{Answer, Guard, Settings, Store, View};
    use std::fs::File;
    use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    const KEYS: u32 = 30_000;
    /// Last value of the key that is replaced all the time.
    const ROUNDS: u32 = 3000;

    fn value(i: u32) -> Vec<u8> {
        i.to_le_bytes().repeat(1 + i as usize % 8)
    }

    pub fn server() {
        for guard in [Guard::Sealed, Guard::Descriptor] {
            readers_see_what_is_written(guard);
            println!("test readers_see_what_is_written({guard:?}) ... ok");
        }
        a_hostile_client_harms_nobody();
        println!("test a_hostile_client_harms_nobody ... ok");
        println!("test result: ok. 3 passed; 0 failed");
    }

    /// The client gets the Table by standard input, as a child of a launcher does, and the KVS by a path, as others do.
    fn start(what: &str, store: &Store, more: &[String]) -> Child {
        let [table, kvs] = store.descriptors().unwrap();
        let path = |fd: BorrowedFd<'_>| format!("/proc/{}/fd/{}", std::process::id(), fd.as_raw_fd());
        Command::new(std::env::current_exe().unwrap())
            .args(["--client", what, &path(kvs), &store.id().to_string()])
            .args(more)
            .stdin(Stdio::from(table.try_clone_to_owned().unwrap()))
            .spawn()
            .unwrap()
    }

    pub fn client(args: &[String]) {
        let table = std::io::stdin();
        let table: OwnedFd = std::os::fd::AsFd::as_fd(&table).try_clone_to_owned().unwrap();
        let kvs: OwnedFd = File::open(&args[1]).unwrap().into();
        let view = View::open(table.try_clone().unwrap(), kvs.try_clone().unwrap()).unwrap();
        assert_eq!(view.id().to_string(), args[2]);
        match args[0].as_str() {
            "read" => read(&view),
            "attack" => attack(&view, &table, &kvs, &args[3]),
            other => panic!("no such client: {other}"),
        }
    }

    fn readers_see_what_is_written(guard: Guard) {
        let mut store = Store::create(Settings { buckets: 8, bytes: 0, guard, ..Settings::default() }).unwrap();
        store.insert(b"round", &0_u32.to_le_bytes()).unwrap();
        store.insert(b"stays", b"always").unwrap();
        let mut readers: Vec<Child> = (0..3).map(|_| start("read", &store, &[])).collect();
        let every = KEYS / ROUNDS;
        for i in 0..KEYS {
            store.insert(format!("key-{i}").as_bytes(), &value(i)).unwrap();
            if i % every == 0 {
                store.insert(b"round", &(1 + i / every).to_le_bytes()).unwrap();
            }
            if i % 1000 == 0 {
                // The readers shall see every state of it, on two cores too.
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        store.insert(b"end", b"").unwrap();
        for reader in &mut readers {
            assert!(reader.wait().unwrap().success());
        }
    }

    /// Reads until the server has ended. No value goes back to an older one, is lost, or is seen half.
    fn read(view: &View) {
        let begun = Instant::now();
        let (mut last, mut known, mut polls) = (0, 0, 0_u64);
        loop {
            // First of all: what was inserted before the end must be there after it.
            let ended = view.value(b"end").is_ok();
            match view.value(b"round") {
                Ok(round) => {
                    let round = u32::from_le_bytes(round.try_into().unwrap());
                    assert!(round >= last, "round {round} after {last}");
                    last = round;
                }
                Err(other) => assert_eq!(other, Answer::AskServer),
            }
            match view.value(b"stays") {
                Ok(value) => assert_eq!(value, b"always"),
                Err(other) => assert_eq!(other, Answer::AskServer),
            }
            // Keys appear in order and stay.
            while let Ok(found) = view.value(format!("key-{known}").as_bytes()) {
                assert_eq!(found, value(known));
                known += 1;
            }
            let old = known / 2;
            if known > 0 {
                match view.value(format!("key-{old}").as_bytes()) {
                    Ok(found) => assert_eq!(found, value(old)),
                    Err(other) => assert_eq!(other, Answer::AskServer),
                }
            }
            polls += 1;
            if ended {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(240), "the server does not end; {polls} polls");
        }
        assert_eq!((known, last), (KEYS, ROUNDS));
    }

    fn a_hostile_client_harms_nobody() {
        let mut store = Store::create(Settings { buckets: 8, bytes: 0, ..Settings::default() }).unwrap();
        if store.guard() != Guard::Sealed {
            println!("this kernel has no F_SEAL_FUTURE_WRITE: the hostile client is not tried");
            return;
        }
        store.insert(b"stays", b"always").unwrap();
        let [table, kvs] = store.descriptors().unwrap().map(|fd| fd.try_clone_to_owned().unwrap());
        let view = View::open(table, kvs).unwrap();
        let status = start("attack", &store, &[std::process::id().to_string()]).wait().unwrap();
        assert!(status.success(), "{status}");
        assert_eq!(view.value(b"stays").unwrap(), b"always");
        // The files are longer than the server made them; it still grows.
        for i in 0..5000 {
            store.insert(format!("key-{i}").as_bytes(), &value(i)).unwrap();
        }
        assert_eq!(view.value(b"key-4999").unwrap(), value(4999));
        assert_eq!(view.value(b"stays").unwrap(), b"always");
        assert_eq!(store.guard(), Guard::Sealed);
    }

    /// Tries everything with the descriptors that it was given, and with those of the server that /proc shows.
    fn attack(view: &View, table: &OwnedFd, kvs: &OwnedFd, server: &str) {
        let mut files = vec![table.try_clone().unwrap(), kvs.try_clone().unwrap()];
        let mut writable = 0;
        for entry in std::fs::read_dir(format!("/proc/{server}/fd")).unwrap() {
            let path = entry.unwrap().path();
            if !std::fs::read_link(&path).is_ok_and(|to| to.to_string_lossy().contains("memfd:pmi-shm")) {
                continue;
            }
            assert!(std::fs::remove_file(&path).is_err(), "a memfd has no name to remove");
            if let Ok(file) = File::options().read(true).write(true).open(&path) {
                writable += 1;
                files.push(file.into());
            }
        }
        assert!(writable > 0, "as the same user one gets at the descriptors");
        for file in &files {
            let fd = file.as_raw_fd();
            for (access, flags) in
                [(libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED), (libc::PROT_WRITE, libc::MAP_SHARED)]
            {
                // SAFETY: a new mapping at a place the kernel chooses.
                let base = unsafe { libc::mmap(std::ptr::null_mut(), 4096, access, flags, fd, 0) };
                assert_eq!(base, libc::MAP_FAILED, "mapped for writing");
            }
            // SAFETY: a new mapping for reading; its protection is asked to change and it is not used.
            unsafe {
                let base = libc::mmap(std::ptr::null_mut(), 4096, libc::PROT_READ, libc::MAP_SHARED, fd, 0);
                assert_ne!(base, libc::MAP_FAILED);
                assert_ne!(libc::mprotect(base, 4096, libc::PROT_READ | libc::PROT_WRITE), 0, "made writable");
            }
            let zeros = [0_u8; 4096];
            // SAFETY: the buffer has that many bytes; the other calls take numbers.
            unsafe {
                assert!(libc::pwrite(fd, zeros.as_ptr().cast(), zeros.len(), 0) < 0, "written");
                assert_ne!(libc::ftruncate(fd, 0), 0, "emptied");
                let hole = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
                assert_ne!(libc::fallocate(fd, hole, 0, 4096), 0, "a hole punched");
                for seal in [libc::F_SEAL_GROW, libc::F_SEAL_WRITE, libc::F_SEAL_SEAL] {
                    assert_ne!(libc::fcntl(fd, libc::F_ADD_SEALS, seal), 0, "sealed against the server");
                }
                // A writable descriptor permits this, and it is useless: longer than the server will ever make the
                // file.
                let _ = libc::ftruncate(fd, 1 << 40);
            }
        }
        assert_eq!(view.value(b"stays").unwrap(), b"always");
    }
}
