//! A runtime's job over our own server: this test program starts itself again as the ranks.

mod launcher;

use launcher::{complaint, run};
use pmi_shm::Job;
use pmi_shm::client::{self, pmi1::Pmi1, pmi2::Pmi2};
use pmi_shm::server::{Conn, Event};
use pmi_shm::wire::{Hint, NodeMap};
use std::env;
use std::process::Command;

/// Says which part a rank plays; absent in the process that cargo starts.
const PART: &str = "PMI_SHM_TEST_PART";

fn rank_of_this_test(part: &str) -> Command {
    let mut c = Command::new(env::current_exe().unwrap());
    c.args(["--exact", "as_a_rank", "--nocapture", "--test-threads", "1"]).env(PART, part);
    c
}

fn check(servers: NodeMap, share: bool, part: &str) {
    let job = run(servers, share, |_| rank_of_this_test(part));
    for (i, rank) in job.ranks.iter().enumerate() {
        let text = complaint(rank);
        assert!(rank.status.success() && text.contains("rank is content"), "rank {i}: {text}");
    }
    assert!(job.events.iter().all(|e| matches!(e, Event::Active(_) | Event::Finalized(_))), "{:?}", job.events);
}

#[test]
fn a_job_on_one_node_and_on_several() {
    for share in [true, false] {
        check(NodeMap::one_node(1), share, "job");
        check(NodeMap::one_node(4), share, "job");
        check(NodeMap::blocks_of(5, 2), share, "job");
    }
}

#[test]
fn two_channels_and_both_protocols_at_once() {
    check(NodeMap::cyclic(4, 2), true, "both");
}

#[test]
fn an_abort_reaches_the_launcher() {
    let job = run(NodeMap::one_node(3), true, |_| rank_of_this_test("abort"));
    let abort = Event::Abort { rank: 2, code: 9, message: "as tested".to_owned() };
    assert!(job.events.contains(&abort), "{:?}", job.events);
    assert!(job.ranks.iter().all(|r| !r.status.success()));
}

#[test]
fn a_rank_that_goes_without_a_word_is_missed() {
    let job = run(NodeMap::one_node(2), true, |_| rank_of_this_test("leave"));
    assert!(job.events.contains(&Event::Lost(Conn::Own(1))), "{:?}", job.events);
}

#[test]
fn another_job_inside_is_not_confused() {
    let hydra = |_| {
        let mut c = Command::new("mpiexec.mpich");
        let inner = rank_of_this_test("inside");
        c.args(["-n", "2"]).arg(inner.get_program()).args(inner.get_args()).env(PART, "inside");
        c
    };
    let job = run(NodeMap::one_node(1), true, hydra);
    let text = complaint(&job.ranks[0]);
    assert!(job.ranks[0].status.success() && text.matches("rank is content").count() == 2, "{text}");
    assert!(job.events.is_empty(), "the outer server was spoken to: {:?}", job.events);
}

#[test]
fn as_a_rank() {
    let Ok(part) = env::var(PART) else {
        return;
    };
    match part.as_str() {
        "job" => {
            assert!(client::is_oshruns());
            let mut job = client::from_env().unwrap().unwrap();
            job_as_a_rank(&mut *job);
            // A second one in the same process must not find what the first had put.
            let mut second = client::from_env().unwrap().unwrap();
            job_as_a_rank(&mut *second);
            second.end();
            drop(job);
        }
        "both" => {
            let mut job = client::from_env().unwrap().unwrap();
            // Odd ranks speak PMI-2 on the other descriptor: their fences count together.
            let rank = job.rank();
            job.begin_fence().unwrap();
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
            job.end_fence().unwrap();
            job_as_a_rank(&mut *job);
            job.end();
        }
        "abort" => {
            let mut job = client::from_env().unwrap().unwrap();
            if job.rank() == 2 {
                abort_while_a_fence_waits(&mut *job, 9);
            }
            if job.rank() == 0 {
                // Never enters the fence that the others are in.
                std::thread::sleep(std::time::Duration::from_secs(60));
            }
            job.fence().expect_err("the job ends");
        }
        "leave" => {
            let mut job = client::from_env().unwrap().unwrap();
            if job.rank() == 1 {
                return;
            }
            job.fence().expect_err("the job ends");
        }
        "inside" => {
            assert!(env::var_os(client::OWN_FD).is_some(), "inherited from the job outside");
            assert!(!client::is_oshruns());
            let mut job = client::from_env().unwrap().unwrap();
            assert_eq!((job.size(), job.puts_are_awaited()), (2, false));
            job.put("k", b"v").unwrap();
            job.fence().unwrap();
            assert_eq!(job.get(0, "k").unwrap(), b"v");
            job.end();
        }
        other => panic!("{other}"),
    }
    println!("rank is content");
}

/// Another thread is in a call of the same connection, which waits for ranks that never come.
fn abort_while_a_fence_waits(job: &mut (dyn Job + Send), code: i32) {
    let ender = job.ender().expect("every launcher of this test can end a job");
    std::thread::scope(|threads| {
        threads.spawn(|| job.fence().expect_err("the job ends"));
        // Time for the fence to begin; the test holds without it, too.
        std::thread::sleep(std::time::Duration::from_millis(20));
        ender.end_job(code, "as tested");
    });
}

fn job_as_a_rank(job: &mut dyn Job) {
    let (me, n) = (job.rank(), job.size());
    let card = |rank: u32| (0..3000 + rank).map(|i| (i * 7 + rank) as u8).collect::<Vec<u8>>();
    assert!(job.puts_are_awaited());
    // No fence: each waits for its peers only. The last publishes late.
    if me == n - 1 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    job.publish("card", &card(me)).unwrap();
    for rank in 0..n {
        assert_eq!(job.get_when_put(rank, "card").unwrap(), card(rank));
    }
    for round in 0..3u8 {
        job.put("dense", &[round, me as u8]).unwrap();
        job.fence().unwrap();
        for rank in 0..n {
            assert_eq!(job.get(rank, "dense").unwrap(), [round, rank as u8]);
            assert_eq!(job.get(rank, "card").unwrap(), card(rank));
            assert!(job.get(rank, "never put").is_err());
        }
        job.fence().unwrap();
    }
    assert!(job.get(n, "card").is_err());
    assert_eq!(job.node_map().unwrap().size(), n);
}
