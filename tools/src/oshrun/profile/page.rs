//! The page: page.html with the job's numbers in it. It is one file that loads nothing.

use super::parts::{Job, Pe};
use super::sites::Sites;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = include_str!("page.html");

/// The most rows and columns of the matrix. In larger jobs a row stands for several PEs of consecutive numbers.
const ROWS: u32 = 256;
/// The most lines of the table of call sites: those that took longest.
const SITES: usize = 200;
/// The most points of the curve of the heap.
const POINTS: usize = 400;

/// The recorder's classes, in the order in which the page stacks them.
const CLASSES: [(char, &str); 11] = [
    ('P', "put"),
    ('G', "get"),
    ('A', "atomic"),
    ('W', "wait"),
    ('B', "barrier"),
    ('C', "collective"),
    ('O', "quiet, fence"),
    ('L', "lock"),
    ('M', "heap"),
    ('T', "team, context"),
    ('I', "start, end"),
];

pub fn class_name(class: char) -> &'static str {
    CLASSES.iter().find(|(c, _)| *c == class).map_or("other", |(_, name)| name)
}

fn class_index(class: char) -> Option<usize> {
    CLASSES.iter().position(|(c, _)| *c == class)
}

pub fn html(job: &Job, command: &str, size: u32, sites: &Sites) -> String {
    let n = job.pes.iter().map(|pe| pe.size).max().unwrap_or(size);
    let per_row = n.div_ceil(ROWS).max(1);
    let data = json!({
        "command": command,
        "pes": n,
        "perRow": per_row,
        "missing": missing(job, n),
        "classes": CLASSES.iter().map(|(_, name)| *name).collect::<Vec<_>>(),
        "rows": job.pes.iter().map(row).collect::<Vec<_>>(),
        "pairs": pairs(job, per_row),
        "sites": call_sites(job, sites),
        "heap": heap(job),
    });
    // `</script>` in a name would end the script.
    PAGE.replace("@DATA@", &data.to_string().replace('<', "\\u003c"))
}

/// Numbers of the PEs without a file. A damaged file counts as none.
fn missing(job: &Job, n: u32) -> Vec<u32> {
    let there: BTreeSet<u32> = job.pes.iter().map(|pe| pe.number).collect();
    (0..n).filter(|pe| !there.contains(pe)).collect()
}

/// A PE: its number, node, host, time, and the time of each class.
fn row(pe: &Pe) -> Value {
    let mut times = [0.0; CLASSES.len()];
    for s in &pe.sites {
        if let Some(i) = class_index(s.class) {
            times[i] += s.ns;
        }
    }
    json!([pe.number, pe.node, pe.host, pe.ns.round(), times.map(f64::round)])
}

/// Who moved how much to or from whom: row, column, class, calls, bytes. A row is the PE that called.
fn pairs(job: &Job, per_row: u32) -> Vec<Value> {
    let mut sums: BTreeMap<(u32, u32, usize), (u64, u64)> = BTreeMap::new();
    for pe in &job.pes {
        for ((peer, class), (calls, bytes)) in &pe.peers {
            if let Some(i) = class_index(*class) {
                let sum = sums.entry((pe.number / per_row, peer / per_row, i)).or_default();
                *sum = (sum.0 + calls, sum.1 + bytes);
            }
        }
    }
    sums.into_iter().map(|((from, to, class), (calls, bytes))| json!([from, to, class, calls, bytes])).collect()
}

/// What one call site has done on all PEs.
#[derive(Default)]
struct Total {
    calls: u64,
    bytes: u64,
    ns: f64,
    longest: f64,
    /// The largest sum of one PE, and which PE that is.
    most: (f64, u32),
    pes: BTreeSet<u32>,
}

/// The call sites that took longest.
fn call_sites(job: &Job, sites: &Sites) -> Vec<Value> {
    let mut totals: BTreeMap<(String, char, String), Total> = BTreeMap::new();
    for pe in &job.pes {
        let mut own: BTreeMap<(String, char, String), f64> = BTreeMap::new();
        for s in &pe.sites {
            let key = (s.routine.clone(), s.class, sites.name(&s.place));
            *own.entry(key.clone()).or_default() += s.ns;
            let t = totals.entry(key).or_default();
            t.calls += s.calls;
            t.bytes += s.bytes;
            t.ns += s.ns;
            t.longest = t.longest.max(s.longest);
            t.pes.insert(pe.number);
        }
        for (key, ns) in own {
            let most = &mut totals.get_mut(&key).expect("it was entered above").most;
            if ns > most.0 {
                *most = (ns, pe.number);
            }
        }
    }
    let mut all: Vec<_> = totals.into_iter().collect();
    all.sort_by(|(_, a), (_, b)| b.ns.total_cmp(&a.ns));
    all.truncate(SITES);
    let line = |((routine, class, place), t): ((String, char, String), Total)| {
        let mean = t.ns / t.pes.len() as f64;
        json!([
            routine,
            class_index(class).unwrap_or_default(),
            place,
            t.calls,
            t.bytes,
            t.ns.round(),
            t.longest.round(),
            t.most.0 / mean.max(1.0),
            t.most.1
        ])
    };
    all.into_iter().map(line).collect()
}

/// The heap in use over time: time, and the least and the most of all PEs then.
fn heap(job: &Job) -> Vec<Value> {
    let with: Vec<&Pe> = job.pes.iter().filter(|pe| !pe.heap.is_empty()).collect();
    let end = job.pes.iter().map(|pe| pe.ns).fold(0.0, f64::max);
    if with.is_empty() || end <= 0.0 {
        return Vec::new();
    }
    let mut at = vec![0; with.len()];
    let mut points = Vec::new();
    for i in 0..=POINTS {
        let time = end * i as f64 / POINTS as f64;
        let (mut least, mut most) = (u64::MAX, 0);
        for (pe, at) in with.iter().zip(&mut at) {
            // The most since the point before, so that no short peak is lost.
            let mut peak = if *at == 0 { 0 } else { pe.heap[*at - 1].1 };
            while *at < pe.heap.len() && pe.heap[*at].0 <= time {
                peak = peak.max(pe.heap[*at].1);
                *at += 1;
            }
            let now = if *at == 0 { 0 } else { pe.heap[*at - 1].1 };
            (least, most) = (least.min(now), most.max(peak));
        }
        points.push(json!([time.round(), least, most]));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::super::parts::{parse, tests::text};
    use super::*;

    fn job(size: u32) -> Job {
        Job { pes: (0..size).map(|me| parse(&text(me, size)).unwrap()).collect(), damaged: Vec::new() }
    }

    /// The numbers in a page.
    fn data(page: &str) -> Value {
        let (_, rest) = page.split_once("const DATA = ").unwrap();
        serde_json::from_str(rest.split_once(";\n").unwrap().0).unwrap()
    }

    #[test]
    fn the_page_has_the_numbers_of_the_files_and_loads_nothing() {
        let page = html(&job(4), "./a </script>", 4, &Sites::default());
        assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("src="));
        assert_eq!(page.matches("</script>").count(), 1);
        let d = data(&page);
        assert_eq!((&d["pes"], &d["command"]), (&json!(4), &json!("./a </script>")));
        assert_eq!(d["pairs"], json!([[0, 1, 0, 3, 120], [1, 2, 0, 3, 120], [2, 3, 0, 3, 120], [3, 0, 0, 3, 120]]));
        let site = &d["sites"][0];
        assert_eq!((&site[0], &site[2], &site[3]), (&json!("shmem_barrier_all"), &json!("main in file"), &json!(4)));
        assert_eq!(site[5], json!(200000.0));
        assert_eq!(d["rows"][2][4][4], json!(50000.0));
        let most = d["heap"].as_array().unwrap().iter().map(|p| p[2].as_u64().unwrap()).max();
        assert_eq!(most, Some(4096));
    }

    #[test]
    fn pes_without_a_file_are_named() {
        let mut job = job(4);
        job.pes.remove(2);
        assert_eq!(missing(&job, 4), [2]);
    }

    #[test]
    fn a_large_job_has_no_more_than_256_rows() {
        let d = data(&html(&job(1000), "x", 1000, &Sites::default()));
        assert_eq!(d["perRow"], json!(4));
        let rows = d["pairs"].as_array().unwrap().iter().map(|p| p[0].as_u64().unwrap()).max();
        assert_eq!(rows, Some(249));
        let sum: u64 = d["pairs"].as_array().unwrap().iter().map(|p| p[4].as_u64().unwrap()).sum();
        assert_eq!(sum, 120 * 1000);
    }
}
