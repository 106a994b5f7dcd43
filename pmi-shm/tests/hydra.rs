//! The client under somebody else's launcher: Hydra's mpiexec starts this test program again as the ranks of a job.

use pmi_shm::client;
use std::env;
use std::process::{Command, Output};

/// Says which part a rank plays; absent in the process that cargo starts.
const PART: &str = "PMI_SHM_TEST_PART";

fn mpiexec(n: u32, options: &[&str], part: &str) -> Output {
    let mut c = Command::new("mpiexec.mpich");
    c.args(["-n", &n.to_string()]).args(options).arg(env::current_exe().unwrap());
    c.args(["--exact", "as_a_rank", "--nocapture", "--test-threads", "1"]).env(PART, part);
    c.output().expect("these tests need mpiexec.mpich (Debian: mpich)")
}

fn check(n: u32, options: &[&str], part: &str) {
    let out = mpiexec(n, options, part);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}\n{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(text.matches("rank is content").count(), n as usize, "{text}");
}

#[test]
fn exchange() {
    check(1, &[], "exchange");
    check(5, &[], "exchange");
}

#[test]
fn exchange_over_a_port() {
    check(3, &["-pmi-port"], "exchange");
}

#[test]
fn two_jobs_one_after_the_other() {
    check(2, &[], "again");
}

#[test]
fn an_abort_ends_the_job_with_its_code() {
    let out = mpiexec(3, &[], "abort");
    assert_eq!(out.status.code(), Some(23), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn as_a_rank() {
    let Ok(part) = env::var(PART) else {
        return;
    };
    let mut job = client::from_env().expect("mpiexec sets PMI_FD").unwrap();
    match part.as_str() {
        "exchange" => exchange_as_a_rank(&mut *job),
        "again" => {
            exchange_as_a_rank(&mut *job);
            // Another client on the same descriptor, as MPI would be; the first is neither closed nor finalised.
            let mut second = client::from_env().unwrap().unwrap();
            exchange_as_a_rank(&mut *second);
            exchange_as_a_rank(&mut *job);
        }
        "abort" => {
            if job.rank() == 1 {
                let ender = job.ender().expect("Hydra can end a job");
                std::thread::spawn(move || {
                    // Time for the fence below to begin; the test holds without it, too.
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    ender.end_job(23, "on purpose");
                });
            } else if job.rank() == 0 {
                // Never enters the fence that the others are in.
                std::thread::sleep(std::time::Duration::from_secs(60));
            }
            job.fence().expect_err("the job ends");
            std::process::exit(1);
        }
        other => panic!("{other}"),
    }
    job.end();
    println!("rank is content");
}

fn exchange_as_a_rank(job: &mut dyn pmi_shm::Job) {
    let (me, n) = (job.rank(), job.size());
    // Longer than any launcher's limit, all byte values.
    let card = |rank: u32, round: u32| (0..3000 + rank).map(|i| (i * 7 + rank + round) as u8).collect::<Vec<u8>>();
    for round in 0..2 {
        job.put("card", &card(me, round)).unwrap();
        job.put(&format!("only {round}"), &[]).unwrap();
        job.begin_fence().unwrap();
        job.end_fence().unwrap();
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
