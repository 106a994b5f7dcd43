//! `libpmi2.so.0`, used by a C program. `tools/tests/oshrun/pmi.rs` runs the same programs under oshrun.

#[path = "../../tests/library.rs"]
mod library;

use library::{Library, alone, content, header, hydra};

#[test]
fn all_names_are_there_and_no_others() {
    // The names of Slurm's library but PMIX_Ring, and those of the extensions.
    let common = "PMI2_Abort PMI2_Finalize PMI2_Info_GetJobAttr PMI2_Info_GetJobAttrIntArray PMI2_Info_GetNodeAttr \
        PMI2_Info_GetNodeAttrIntArray PMI2_Info_GetSize PMI2_Info_PutNodeAttr PMI2_Init PMI2_Initialized \
        PMI2_Job_Connect PMI2_Job_Disconnect PMI2_Job_GetId PMI2_Job_GetRank PMI2_Job_Spawn PMI2_KVS_Fence \
        PMI2_KVS_Get PMI2_KVS_Put PMI2_Nameserv_lookup PMI2_Nameserv_publish PMI2_Nameserv_unpublish";
    let more = "PMI2_KVS_Ifence PMI2_KVS_Wait PMIX_KVS_Get PMIX_KVS_Get_from PMIX_KVS_Ifence PMIX_KVS_Put PMIX_Wait";
    assert_eq!(common.split_whitespace().count(), 21);
    Library::new("pmi2").check_names(&format!("{common} {more}"));
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
