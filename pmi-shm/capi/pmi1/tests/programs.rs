//! `libpmi.so.0`, used by a C program. `tools/tests/oshrun/pmi.rs` runs the same programs under oshrun.

#[path = "../../tests/library.rs"]
mod library;

use library::{Library, alone, content, header, hydra};

#[test]
fn all_names_are_there_and_no_others() {
    let wanted = "PMI_Abort PMI_Args_to_keyval PMI_Barrier PMI_Finalize PMI_Free_keyvals PMI_Get_appnum \
        PMI_Get_clique_ranks PMI_Get_clique_size PMI_Get_id PMI_Get_id_length_max PMI_Get_kvs_domain_id \
        PMI_Get_options PMI_Get_rank PMI_Get_size PMI_Get_universe_size PMI_Ibarrier PMI_Init PMI_Initialized \
        PMI_KVS_Commit PMI_KVS_Create PMI_KVS_Destroy PMI_KVS_Get PMI_KVS_Get_key_length_max PMI_KVS_Get_my_name \
        PMI_KVS_Get_name_length_max PMI_KVS_Get_value_length_max PMI_KVS_Iter_first PMI_KVS_Iter_next PMI_KVS_Put \
        PMI_Lookup_name PMI_Parse_option PMI_Publish_name PMI_Spawn_multiple PMI_Unpublish_name PMI_Wait";
    Library::new("pmi").check_names(wanted);
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
