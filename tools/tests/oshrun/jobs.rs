//! Jobs of a runtime, over `pmi_shm`'s client. This test program starts itself again as the ranks.

use super::*;
use pmi_shm::BoxedJob;
use pmi_shm::client::{self, pmi1::Pmi1};
use std::env;

/// Says which part a rank plays. It is not set in the process that cargo starts.
const PART: &str = "JOBS_TEST_PART";

/// What a rank prints when all was well.
const CONTENT: &str = "rank is content";

/// A job of oshrun with this program as its ranks, behind `options`.
fn ours(options: &[&str], part: &str) -> Ended {
    let program = env::current_exe().unwrap();
    let rank = [program.to_str().unwrap(), "--exact", "jobs::as_a_rank", "--nocapture", "--test-threads", "1"];
    oshrun(&[options, &rank].concat()).env(PART, part).end()
}

fn check(n: usize, options: &[&str], part: &str) {
    let e = ours(&[&["-n", &n.to_string()], options].concat(), part);
    let content = e.out.matches(CONTENT).count();
    assert_eq!((e.code, content), (Some(0), n), "{options:?}: {} {}", e.out, e.err);
}

#[test]
fn a_job_on_one_node_and_on_several() {
    for share in [&[][..], &["--no-share"]] {
        check(1, share, "oshrun");
        check(4, share, "oshrun");
        check(5, &[share, &["--fake-nodes", "3", "-ppn", "2", "--fanout", "2"]].concat(), "oshrun");
    }
}

/// The second program of a rank does not find what the first has put, also on other nodes.
#[test]
fn a_rank_may_run_two_programs() {
    let program = env::current_exe().unwrap();
    let run = |part| format!("{PART}={part} $0 --exact jobs::as_a_rank --nocapture --test-threads 1");
    let script = format!("{} && {}", run("first"), run("second"));
    for share in [&[][..], &["--no-share"]] {
        let options = ["-n", "3", "--fake-nodes", "3", "-ppn", "1", "sh", "-c", &script, program.to_str().unwrap()];
        let e = oshrun(&[share, &options].concat()).end();
        assert_eq!((e.code, e.out.matches(CONTENT).count()), (Some(0), 6), "{} {}", e.out, e.err);
    }
}

#[test]
fn two_connections_at_once() {
    check(4, &["--fake-nodes", "2", "-ppn", "1"], "both");
}

#[test]
fn another_job_inside_is_not_confused() {
    let e = ours(&["-n", "1", "mpiexec.mpich", "-n", "2"], "inside");
    assert_eq!((e.code, e.out.matches(CONTENT).count()), (Some(0), 2), "{} {}", e.out, e.err);
}

#[test]
fn as_a_rank() {
    let Ok(part) = env::var(PART) else {
        return;
    };
    let mut job = client::from_env().expect("there is a launcher").unwrap();
    match part.as_str() {
        "oshrun" => {
            assert!(client::is_oshruns());
            publish_and_fence(&mut job);
            // A second job in the same process must not find what the first has put.
            let mut second = client::from_env().unwrap().unwrap();
            publish_and_fence(&mut second);
            second.end();
        }
        "first" | "second" => {
            let round = u32::from(part == "second");
            assert!((0..job.size()).all(|rank| job.get(rank, "card").is_err()), "nobody has published yet");
            job.fence().unwrap();
            job.publish("card", &card(job.rank(), round)).unwrap();
            (0..job.size()).for_each(|rank| assert_eq!(job.get_when_put(rank, "card").unwrap(), card(rank, round)));
            job.end();
        }
        "both" => both(&mut job),
        "inside" => {
            assert!(env::var_os(client::OWN_FD).is_some(), "inherited from the outer job");
            assert!(!client::is_oshruns() && !job.puts_are_awaited());
            for round in 0..2 {
                job.put("card", &card(job.rank(), round)).unwrap();
                job.put(&format!("only {round}"), b"").unwrap();
                job.fence().unwrap();
                for rank in 0..job.size() {
                    assert_eq!(job.get(rank, "card").unwrap(), card(rank, round));
                    assert_eq!(job.get(rank, "only 0").unwrap(), b"");
                    assert!(job.get(rank, "never put").is_err());
                }
            }
            job.end();
        }
        other => panic!("{other}"),
    }
    println!("{CONTENT}");
}

/// While this rank is in a fence of the job, it uses PMI on the other connection.
fn both(job: &mut BoxedJob) {
    let rank = job.rank();
    thread::scope(|threads| {
        threads.spawn(|| job.fence().unwrap());
        let mut pmi = Pmi1::from_env().unwrap().unwrap();
        let space = pmi.space.clone();
        pmi.put(&space, &format!("k{rank}"), format!("of {rank};").as_bytes()).unwrap();
        pmi.fence().unwrap();
        assert_eq!(pmi.get(&space, "k1").unwrap().as_deref(), Some(&b"of 1;"[..]));
        assert_eq!(pmi.get(&space, "k2").unwrap().as_deref(), Some(&b"of 2;"[..]));
        assert_eq!(pmi.get(&space, "none").unwrap(), None);
        pmi.finalize();
    });
    publish_and_fence(job);
    job.end();
}

/// A value longer than any launcher's limit, with all byte values.
fn card(rank: u32, round: u32) -> Vec<u8> {
    (0..3000 + rank).map(|i| (i * 7 + rank + round) as u8).collect()
}

/// A job in which a reader waits for its peer.
fn publish_and_fence(job: &mut BoxedJob) {
    let (me, n) = (job.rank(), job.size());
    assert!(job.puts_are_awaited());
    // There is no fence here. The last rank publishes late.
    if me == n - 1 {
        thread::sleep(Duration::from_millis(20));
    }
    job.publish("card", &card(me, 0)).unwrap();
    for rank in 0..n {
        assert_eq!(job.get_when_put(rank, "card").unwrap(), card(rank, 0));
    }
    for round in 0..3u8 {
        job.put("dense", &[round, me as u8]).unwrap();
        job.fence().unwrap();
        for rank in 0..n {
            assert_eq!(job.get(rank, "dense").unwrap(), [round, rank as u8]);
            assert_eq!(job.get(rank, "card").unwrap(), card(rank, 0));
            assert!(job.get(rank, "never put").is_err());
        }
        // What was posted and not answered yet does not end the barrier.
        job.put(&format!("late {round}"), b"x").unwrap();
        job.begin_barrier().unwrap();
        while !job.barrier_is_over().unwrap() {
            thread::yield_now();
        }
        assert!((0..n).all(|rank| job.get(rank, &format!("late {round}")).unwrap() == b"x"));
    }
    assert!(job.get(n, "card").is_err());
    assert!(job.ranks_here().unwrap().contains(&me));
}
