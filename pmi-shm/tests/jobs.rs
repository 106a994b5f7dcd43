//! A runtime's jobs over this crate's server and over Hydra. This test program starts itself again as the ranks.
#![cfg(not(loom))]

mod launcher;

use launcher::{complaint, run};
use pmi_shm::BoxedJob;
use pmi_shm::client::{self, pmi1::Pmi1, pmi2::Pmi2};
use pmi_shm::server::{Conn, Event};
use pmi_shm::wire::{Hint, NodeMap};
use std::env;
use std::process::{Command, Output, exit};
use std::thread;
use std::time::Duration;

/// Says which part a rank plays. It is not set in the process that cargo starts.
const PART: &str = "PMI_SHM_TEST_PART";

/// What a rank prints when all was well.
const CONTENT: &str = "rank is content";

fn rank_of_this_test(part: &str) -> Command {
    let mut c = Command::new(env::current_exe().unwrap());
    c.args(["--exact", "as_a_rank", "--nocapture", "--test-threads", "1"]).env(PART, part);
    c
}

/// This program as the ranks of a job of Hydra.
fn hydra(n: u32, options: &[&str], part: &str) -> Command {
    let rank = rank_of_this_test(part);
    let mut c = Command::new("mpiexec.mpich");
    c.args(["-n", &n.to_string()]).args(options).arg(rank.get_program()).args(rank.get_args()).env(PART, part);
    c
}

fn under_hydra(n: u32, options: &[&str], part: &str) -> Output {
    hydra(n, options, part).output().expect("these tests need mpiexec.mpich (Debian: mpich)")
}

fn check_under_hydra(n: u32, options: &[&str], part: &str) {
    let out = under_hydra(n, options, part);
    let text = complaint(&out);
    assert!(out.status.success() && text.matches(CONTENT).count() == n as usize, "{text}");
}

fn check(servers: NodeMap, share: bool, part: &str) {
    let job = run(servers, share, |_| rank_of_this_test(part));
    for (i, rank) in job.ranks.iter().enumerate() {
        let text = complaint(rank);
        assert!(rank.status.success() && text.contains(CONTENT), "rank {i}: {text}");
    }
    assert!(job.events.iter().all(|e| matches!(e, Event::Active(_) | Event::Finalized(_))), "{:?}", job.events);
}

#[test]
fn a_job_on_one_node_and_on_several() {
    for share in [true, false] {
        check(NodeMap::one_node(1), share, "oshrun");
        check(NodeMap::one_node(4), share, "oshrun");
        check(NodeMap::blocks_of(5, 2), share, "oshrun");
    }
}

#[test]
fn two_connections_and_both_protocols_at_once() {
    check(NodeMap::cyclic(4, 2), true, "both");
}

#[test]
fn an_abort_reaches_the_launcher() {
    let job = run(NodeMap::one_node(3), true, |_| rank_of_this_test("abort"));
    let abort = Event::Abort { rank: 2, code: 23, message: "as tested".to_owned() };
    assert!(job.events.contains(&abort), "{:?}", job.events);
    assert!(job.ranks.iter().all(|r| !r.status.success()));
    let out = under_hydra(3, &[], "abort");
    assert_eq!(out.status.code(), Some(23), "{}", complaint(&out));
}

#[test]
fn a_rank_that_ends_without_a_goodbye_is_missed() {
    let job = run(NodeMap::one_node(2), true, |_| rank_of_this_test("leave"));
    assert!(job.events.contains(&Event::Lost(Conn::Own(1))), "{:?}", job.events);
}

#[test]
fn another_job_inside_is_not_confused() {
    let job = run(NodeMap::one_node(1), true, |_| hydra(2, &[], "inside"));
    let text = complaint(&job.ranks[0]);
    assert!(job.ranks[0].status.success() && text.matches(CONTENT).count() == 2, "{text}");
    assert!(job.events.is_empty(), "somebody used the outer server: {:?}", job.events);
}

#[test]
fn a_job_of_hydra() {
    check_under_hydra(1, &[], "hydra");
    check_under_hydra(5, &[], "hydra");
    check_under_hydra(3, &["-pmi-port"], "hydra");
}

#[test]
fn two_jobs_one_after_the_other() {
    check_under_hydra(2, &[], "again");
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
        "both" => both(&mut job),
        "abort" => abort(&mut job),
        "leave" => {
            if job.rank() == 1 {
                return;
            }
            job.fence().expect_err("the job ends");
        }
        "inside" => {
            assert!(env::var_os(client::OWN_FD).is_some(), "inherited from the outer job");
            assert!(!client::is_oshruns());
            put_and_fence(&mut job);
            job.end();
        }
        "hydra" => {
            put_and_fence(&mut job);
            job.end();
        }
        "again" => {
            put_and_fence(&mut job);
            // Another client on the same descriptor, as MPI would be. The first is neither closed nor finalised.
            let mut second = client::from_env().unwrap().unwrap();
            put_and_fence(&mut second);
            put_and_fence(&mut job);
            job.end();
        }
        other => panic!("{other}"),
    }
    println!("{CONTENT}");
}

/// While this rank is in a fence of the job, it uses PMI on the other connection. Odd ranks speak PMI-2, and their
/// fences are the same as those of PMI-1.
fn both(job: &mut BoxedJob) {
    let rank = job.rank();
    thread::scope(|threads| {
        threads.spawn(|| job.fence().unwrap());
        if rank.is_multiple_of(2) {
            let mut pmi = Pmi1::from_env().unwrap().unwrap();
            let space = pmi.space.clone();
            pmi.put(&space, &format!("k{rank}"), b"one").unwrap();
            pmi.fence().unwrap();
            assert_eq!(pmi.get(&space, "k1").unwrap().as_deref(), Some(&b"two;"[..]));
            assert_eq!(pmi.get(&space, "k2").unwrap().as_deref(), Some(&b"one"[..]));
            assert_eq!(pmi.universe().unwrap(), 4);
            pmi.finalize();
        } else {
            let mut pmi = Pmi2::from_env().unwrap().unwrap();
            assert!(pmi.store.is_some());
            pmi.put(format!("k{rank}").as_bytes(), b"two;", Hint::Dense).unwrap();
            pmi.fence().unwrap();
            assert_eq!(pmi.get(b"k0", None, false).unwrap().as_deref(), Some(&b"one"[..]));
            assert_eq!(pmi.get(b"k3", None, false).unwrap().as_deref(), Some(&b"two;"[..]));
            assert_eq!(pmi.get(b"none", None, false).unwrap(), None);
            pmi.finalize();
        }
    });
    publish_and_fence(job);
    job.end();
}

/// Rank 2 ends the job while another of its threads waits in a fence for rank 0, which never enters it.
fn abort(job: &mut BoxedJob) {
    let handle = job.abort_handle();
    match job.rank() {
        0 => thread::sleep(Duration::from_secs(60)),
        2 => {
            thread::spawn(move || {
                // Time for the fence to begin; the test holds without it, too.
                thread::sleep(Duration::from_millis(20));
                handle.abort(23, "as tested");
            });
        }
        _ => {}
    }
    job.fence().expect_err("the job ends");
    exit(1);
}

/// A value longer than any launcher's limit, with all byte values.
fn card(rank: u32, round: u32) -> Vec<u8> {
    (0..3000 + rank).map(|i| (i * 7 + rank + round) as u8).collect()
}

/// A job whose values travel with fences only.
fn put_and_fence(job: &mut BoxedJob) {
    let (me, n) = (job.rank(), job.size());
    for round in 0..2 {
        job.put("card", &card(me, round)).unwrap();
        job.put(&format!("only {round}"), &[]).unwrap();
        job.fence().unwrap();
        for rank in 0..n {
            assert_eq!(job.get(rank, "card").unwrap(), card(rank, round));
            assert_eq!(job.get(rank, "only 0").unwrap(), b"");
            assert!(job.get(rank, "never put").is_err());
        }
    }
    job.fence().unwrap();
    assert!(!job.puts_are_awaited());
    assert!(job.get(n, "card").is_err());
    let map = job.node_map().expect("Hydra gives a mapping");
    assert_eq!((map.size(), map.nodes()), (n, 1));
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
        job.fence().unwrap();
    }
    assert!(job.get(n, "card").is_err());
    assert_eq!(job.node_map().unwrap().size(), n);
}
