//! `libpmi2.so.0` as a C program meets it.

#[path = "../../../tests/launcher/mod.rs"]
mod launcher;
#[path = "../../tests/library.rs"]
mod library;

use launcher::{complaint, run};
use library::{Library, alone, content, header, hydra};
use pmi_shm::server::Event;
use pmi_shm::wire::NodeMap;

#[test]
fn all_names_are_there_and_no_others() {
    let library = Library::new("pmi2");
    // The 22 of the library that this one can stand in for.
    let common = "PMI2_Abort PMI2_Finalize PMI2_Info_GetJobAttr PMI2_Info_GetJobAttrIntArray PMI2_Info_GetNodeAttr \
        PMI2_Info_GetNodeAttrIntArray PMI2_Info_GetSize PMI2_Info_PutNodeAttr PMI2_Init PMI2_Initialized \
        PMI2_Job_Connect PMI2_Job_Disconnect PMI2_Job_GetId PMI2_Job_GetRank PMI2_Job_Spawn PMI2_KVS_Fence \
        PMI2_KVS_Get PMI2_KVS_Put PMI2_Nameserv_lookup PMI2_Nameserv_publish PMI2_Nameserv_unpublish PMIX_Ring";
    let more = "PMI2_Iallgather PMI2_Iallgather_wait PMI2_KVS_Ifence PMI2_KVS_Wait PMI2_SHMEM_Iallgather \
        PMI2_SHMEM_Iallgather_wait PMIX_Allgather PMIX_Iallgather PMIX_Iallgather_wait PMIX_KVS_Get PMIX_KVS_Ifence \
        PMIX_KVS_Put PMIX_Wait";
    assert_eq!(common.split_whitespace().count(), 22);
    let mut wanted: Vec<&str> = common.split_whitespace().chain(more.split_whitespace()).collect();
    wanted.sort_unstable();
    assert_eq!(library.symbols(), wanted);
    assert_eq!(library.dynamic("SONAME"), ["libpmi2.so.0"]);
    // The system's own: nothing that a program's machine may lack.
    let system = ["libc.so.6", "libgcc_s.so.1", "ld-linux-"];
    assert!(library.dynamic("NEEDED").iter().all(|n| system.iter().any(|s| n.starts_with(s))));
}

#[test]
fn the_header_stands_alone() {
    header("pmi2.h");
}

#[test]
fn a_job_of_one() {
    content(&alone(&Library::new("pmi2").program()).output().unwrap(), 1);
}

#[test]
fn under_hydra() {
    let program = Library::new("pmi2").program();
    content(&hydra(1, &[], &program, &[]), 1);
    content(&hydra(4, &[], &program, &[]), 4);
    assert!(!hydra(3, &[], &program, &["abort"]).status.success());
}

#[test]
fn under_our_server() {
    let program = Library::new("pmi2").program();
    let with = |arg: &'static str| {
        let program = &program;
        move |_| {
            let mut c = alone(program);
            c.arg(arg);
            c
        }
    };
    for share in [true, false] {
        for map in [NodeMap::one_node(1), NodeMap::one_node(4), NodeMap::cyclic(5, 3)] {
            let n = map.size();
            let job = run(map, share, with("ours"));
            for rank in &job.ranks {
                let text = complaint(rank);
                assert!(rank.status.success() && text.contains("is content"), "{n}: {text}\n{:?}", job.events);
            }
        }
    }
    let job = run(NodeMap::one_node(3), true, with("abort"));
    let abort = |rank| Event::Abort { rank, code: 1, message: "as tested".to_owned() };
    assert!(job.events.contains(&abort(2)), "{:?}", job.events);
    let job = run(NodeMap::one_node(2), true, with("abort while waiting"));
    assert!(job.events.contains(&abort(0)), "{:?}", job.events);
}
