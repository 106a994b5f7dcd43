//! `libpmi.so.0`, used by a C program. `tools/tests/oshrun/pmi.rs` runs the same program under oshrun.

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn capi() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The library that cargo has built for this test, under the name that the dynamic linker looks for.
fn library() -> PathBuf {
    let exe = env::current_exe().unwrap();
    let dir = exe.with_extension("lib");
    fs::create_dir_all(&dir).unwrap();
    // Tests run at the same time.
    let (so, beside) = (dir.join("libpmi.so.0"), dir.join(format!("{:?}", std::thread::current().id())));
    fs::copy(exe.with_file_name("libpmi.so"), &beside).unwrap();
    fs::rename(&beside, &so).unwrap();
    so
}

fn text_of(tool: &str, options: &[&str]) -> String {
    String::from_utf8(Command::new(tool).args(options).arg(library()).output().unwrap().stdout).unwrap()
}

/// The library has its name, and needs nothing that a program's machine may lack.
#[test]
fn all_names_are_there_and_no_others() {
    let wanted = "PMI_Abort PMI_Args_to_keyval PMI_Barrier PMI_Finalize PMI_Free_keyvals PMI_Get_appnum \
        PMI_Get_clique_ranks PMI_Get_clique_size PMI_Get_id PMI_Get_id_length_max PMI_Get_kvs_domain_id \
        PMI_Get_options PMI_Get_rank PMI_Get_size PMI_Get_universe_size PMI_Ibarrier PMI_Init PMI_Initialized \
        PMI_KVS_Commit PMI_KVS_Create PMI_KVS_Destroy PMI_KVS_Get PMI_KVS_Get_key_length_max PMI_KVS_Get_my_name \
        PMI_KVS_Get_name_length_max PMI_KVS_Get_value_length_max PMI_KVS_Iter_first PMI_KVS_Iter_next PMI_KVS_Put \
        PMI_Lookup_name PMI_Parse_option PMI_Publish_name PMI_Spawn_multiple PMI_Unpublish_name PMI_Wait";
    let symbols = text_of("nm", &["-D", "--defined-only"]);
    let mut names: Vec<&str> = symbols.lines().filter_map(|l| l.split(' ').nth(2)).collect();
    names.sort_unstable();
    assert_eq!(names, wanted.split_whitespace().collect::<Vec<_>>());
    let section = text_of("readelf", &["-d"]);
    let tagged = |tag| section.lines().filter(move |l| l.contains(tag));
    let values = |tag| tagged(tag).filter_map(|l| Some(l.split_once('[')?.1.trim_end_matches(']')));
    assert_eq!(values("(SONAME)").collect::<Vec<_>>(), ["libpmi.so.0"]);
    let system = ["libc.so.6", "libgcc_s.so.1", "ld-linux-"];
    assert!(values("(NEEDED)").all(|n| system.iter().any(|s| n.starts_with(s))));
}

/// The header compiles alone, twice, as C and as C++.
#[test]
fn the_header_stands_alone() {
    let source = env::current_exe().unwrap().with_extension("header.c");
    fs::write(&source, "#include <pmi.h>\n#include <pmi.h>\n").unwrap();
    for (compiler, language, standard) in
        [("cc", "c", "-std=c99"), ("cc", "c", "-std=c17"), ("c++", "c++", "-std=c++17")]
    {
        let mut c = Command::new(compiler);
        c.args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-x", language, "-I"]);
        assert!(c.arg(capi().join("include")).arg(&source).status().unwrap().success(), "{c:?}");
    }
}

/// The C program, linked with the library.
fn program() -> PathBuf {
    let library = library();
    let program = library.with_file_name(format!("{:?}.exe", std::thread::current().id()));
    let mut c = Command::new("cc");
    c.args(["-std=c99", "-pthread", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]).arg(capi().join("include"));
    c.arg(capi().join("tests/pmi1.c")).arg("-o").arg(&program).arg(&library);
    c.arg(format!("-Wl,-rpath,{}", library.parent().unwrap().display()));
    assert!(c.status().unwrap().success(), "{c:?}");
    program
}

/// A command without a launcher's environment.
fn alone(program: impl AsRef<Path>) -> Command {
    let mut c = Command::new(program.as_ref());
    for name in ["PMI_FD", "PMI_PORT", "PMI_ID", "PMI_RANK", "PMI_SIZE", "PMI_JOBID", "PMI_SPAWNED"] {
        c.env_remove(name);
    }
    c
}

/// Checks that all of `n` ranks have printed that they are content.
fn content(out: &Output, n: u32) {
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && (0..n).all(|r| text.contains(&format!("rank {r} of {n} is content"))), "{out:?}");
}

#[test]
fn a_job_of_one() {
    content(&alone(program()).output().unwrap(), 1);
}

#[test]
fn under_hydra() {
    let program = program();
    let hydra = |n: u32, options: &[&str], args: &[&str]| {
        let mut c = alone("mpiexec.mpich");
        c.args(["-n", &n.to_string()]).args(options).arg(&program).args(args);
        c.output().expect("these tests need mpiexec.mpich (Debian: mpich)")
    };
    content(&hydra(1, &[], &[]), 1);
    content(&hydra(4, &[], &[]), 4);
    content(&hydra(3, &["-pmi-port"], &[]), 3);
    let aborted = hydra(3, &[], &["abort"]);
    // Once in some hundred times Hydra 4.0 itself ends by SIGPIPE, because its proxy has gone first.
    let status = aborted.status;
    assert!(status.code() == Some(41) || status.signal() == Some(libc::SIGPIPE), "{aborted:?}");
}
