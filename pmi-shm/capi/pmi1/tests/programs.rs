//! `libpmi.so.0` as a C program meets it.

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
    let library = Library::new("pmi");
    let wanted = "PMI_Abort PMI_Args_to_keyval PMI_Barrier PMI_Finalize PMI_Free_keyvals PMI_Get_appnum \
        PMI_Get_clique_ranks PMI_Get_clique_size PMI_Get_id PMI_Get_id_length_max PMI_Get_kvs_domain_id \
        PMI_Get_options PMI_Get_rank PMI_Get_size PMI_Get_universe_size PMI_Ibarrier PMI_Init PMI_Initialized \
        PMI_KVS_Commit PMI_KVS_Create PMI_KVS_Destroy PMI_KVS_Get PMI_KVS_Get_key_length_max PMI_KVS_Get_my_name \
        PMI_KVS_Get_name_length_max PMI_KVS_Get_value_length_max PMI_KVS_Iter_first PMI_KVS_Iter_next PMI_KVS_Put \
        PMI_Lookup_name PMI_Parse_option PMI_Publish_name PMI_Spawn_multiple PMI_Unpublish_name PMI_Wait";
    assert_eq!(library.symbols(), wanted.split_whitespace().collect::<Vec<_>>());
    assert_eq!(library.dynamic("SONAME"), ["libpmi.so.0"]);
    // The system's own: nothing that a program's machine may lack.
    let system = ["libc.so.6", "libgcc_s.so.1", "ld-linux-"];
    assert!(library.dynamic("NEEDED").iter().all(|n| system.iter().any(|s| n.starts_with(s))));
}

#[test]
fn the_header_stands_alone() {
    header("pmi.h");
}

#[test]
fn a_job_of_one() {
    content(&alone(&Library::new("pmi").program()).output().unwrap(), 1);
}

#[test]
fn under_hydra() {
    let program = Library::new("pmi").program();
    content(&hydra(1, &[], &program, &[]), 1);
    content(&hydra(4, &[], &program, &[]), 4);
    content(&hydra(3, &["-pmi-port"], &program, &[]), 3);
    assert_eq!(hydra(3, &[], &program, &["abort"]).status.code(), Some(41));
}

#[test]
fn under_our_server() {
    let program = Library::new("pmi").program();
    for share in [true, false] {
        for map in [NodeMap::one_node(1), NodeMap::one_node(4), NodeMap::cyclic(5, 3)] {
            let n = map.size();
            let job = run(map, share, |_| {
                let mut c = alone(&program);
                c.arg("ours");
                c
            });
            for rank in &job.ranks {
                let text = complaint(rank);
                assert!(rank.status.success() && text.contains("is content"), "{n}: {text}");
            }
        }
    }
    let job = run(NodeMap::one_node(3), true, |_| {
        let mut c = alone(&program);
        c.arg("abort");
        c
    });
    assert!(job.events.contains(&Event::Abort { rank: 2, code: 41, message: String::new() }), "{:?}", job.events);
    assert_eq!(job.ranks.iter().filter(|r| r.status.success()).count(), 0);
    let job = run(NodeMap::one_node(2), true, |_| {
        let mut c = alone(&program);
        c.arg("abort while waiting");
        c
    });
    assert!(job.events.contains(&Event::Abort { rank: 0, code: 41, message: String::new() }), "{:?}", job.events);
}
