//! The PEs' files. profile/recorder.c writes them: lines of words with tabs between, with the line `end` at the end.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;

/// What was read of all PEs, by their numbers.
#[derive(Default, Debug)]
pub struct Job {
    pub pes: Vec<Pe>,
    /// PEs whose file is damaged.
    pub damaged: Vec<String>,
}

#[derive(Default, Debug)]
pub struct Pe {
    pub number: u32,
    /// Of the job.
    pub size: u32,
    /// The first PE of its node.
    pub node: u32,
    pub host: String,
    /// From the end of shmem_init to the end.
    pub ns: f64,
    pub sites: Vec<Site>,
    /// Calls and bytes by peer and class.
    pub peers: BTreeMap<(u32, char), (u64, u64)>,
    pub events: Vec<Event>,
    /// Bytes in use, and when.
    pub heap: Vec<(f64, u64)>,
}

/// A place in a file of code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub file: String,
    pub offset: u64,
    /// The nearest symbol that the loader knows, or `?`.
    pub symbol: String,
}

/// What one call site has done.
#[derive(Debug)]
pub struct Site {
    pub routine: String,
    pub class: char,
    pub calls: u64,
    pub bytes: u64,
    pub ns: f64,
    pub longest: f64,
    pub place: Place,
}

/// A long call.
#[derive(Debug)]
pub struct Event {
    pub routine: String,
    pub class: char,
    pub thread: u32,
    pub begin: f64,
    pub ns: f64,
    pub bytes: u64,
    pub peer: Option<u32>,
    pub place: Place,
}

/// Reads what lies in the directory.
pub fn read(dir: &Path) -> Result<Job> {
    let mut job = Job::default();
    for entry in std::fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))? {
        let path = entry.context("cannot list the PEs' files")?.path();
        let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        match parse(&String::from_utf8_lossy(&text)) {
            Ok(pe) => job.pes.push(pe),
            Err(_) => job.damaged.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned()),
        }
    }
    job.pes.sort_by_key(|pe| pe.number);
    Ok(job)
}

pub fn parse(text: &str) -> Result<Pe> {
    let mut pe = Pe::default();
    let mut whole = false;
    for (number, line) in text.lines().enumerate() {
        whole = line == "end";
        let words: Vec<&str> = line.split('\t').collect();
        take(&mut pe, &words).with_context(|| format!("line {}", number + 1))?;
    }
    if !whole || pe.size == 0 || pe.number >= pe.size {
        bail!("the file is not whole");
    }
    Ok(pe)
}

fn take(pe: &mut Pe, words: &[&str]) -> Result<()> {
    match *words {
        ["pe", me, size, node, host, ns] => {
            (pe.number, pe.size, pe.node) = (me.parse()?, size.parse()?, node.parse()?);
            (pe.host, pe.ns) = (host.to_string(), ns.parse()?);
        }
        ["site", routine, class, calls, bytes, ns, longest, file, offset, symbol] => pe.sites.push(Site {
            routine: routine.to_string(),
            class: letter(class)?,
            calls: calls.parse()?,
            bytes: bytes.parse()?,
            ns: ns.parse()?,
            longest: longest.parse()?,
            place: place(file, offset, symbol)?,
        }),
        ["peer", peer, class, calls, bytes] => {
            // Each thread has its own line.
            let sum = pe.peers.entry((peer.parse()?, letter(class)?)).or_default();
            *sum = (sum.0 + calls.parse::<u64>()?, sum.1 + bytes.parse::<u64>()?);
        }
        ["event", routine, class, thread, begin, ns, bytes, peer, file, offset, symbol] => pe.events.push(Event {
            routine: routine.to_string(),
            class: letter(class)?,
            thread: thread.parse()?,
            begin: begin.parse()?,
            ns: ns.parse()?,
            bytes: bytes.parse()?,
            peer: peer.parse::<i64>().ok().and_then(|p| u32::try_from(p).ok()),
            place: place(file, offset, symbol)?,
        }),
        ["heap", at, bytes] => pe.heap.push((at.parse()?, bytes.parse()?)),
        ["end"] => {}
        _ => bail!("not understood"),
    }
    Ok(())
}

fn letter(word: &str) -> Result<char> {
    word.chars().next().context("no class")
}

fn place(file: &str, offset: &str, symbol: &str) -> Result<Place> {
    Ok(Place { file: file.to_string(), offset: u64::from_str_radix(offset, 16)?, symbol: symbol.to_string() })
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A PE of `size` that has put to its right neighbour.
    pub fn text(me: u32, size: u32) -> String {
        let right = (me + 1) % size;
        format!(
            "pe\t{me}\t{size}\t0\thost\t1000000\n\
             site\tshmem_int_put\tP\t3\t120\t900\t400\t/no/file\t1f\tmain\n\
             site\tshmem_barrier_all\tB\t1\t0\t50000\t50000\t/no/file\t2f\tmain\n\
             peer\t{right}\tP\t1\t40\npeer\t{right}\tP\t2\t80\n\
             event\tshmem_barrier_all\tB\t0\t2000\t50000\t0\t-1\t/no/file\t2f\tmain\n\
             heap\t100\t4096\nheap\t900\t0\nend\n"
        )
    }

    #[test]
    fn a_file_is_read_and_threads_are_added_up() {
        let pe = parse(&text(1, 4)).unwrap();
        assert_eq!((pe.number, pe.size, pe.host.as_str(), pe.sites.len()), (1, 4, "host", 2));
        assert_eq!(pe.peers[&(2, 'P')], (3, 120));
        assert_eq!(pe.sites[0].place, Place { file: "/no/file".into(), offset: 0x1f, symbol: "main".into() });
        assert_eq!((pe.events[0].peer, pe.heap[1]), (None, (900.0, 0)));
    }

    #[test]
    fn a_file_that_ends_early_is_damaged() {
        let whole = text(0, 2);
        for cut in 0..whole.len() - 1 {
            assert!(parse(&whole[..cut]).is_err(), "{}", &whole[..cut]);
        }
        assert!(parse("end\n").is_err());
        assert!(parse("pe\t4\t4\t0\th\t1\nend\n").is_err(), "there is no PE 4 of 4");
    }
}
