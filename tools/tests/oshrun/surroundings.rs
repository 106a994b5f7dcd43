//! What oshrun finds around it: directories that are gone, files without an end.

use super::*;

fn fails(words: &[&str], code: i32, says: &[&str]) {
    let e = oshrun(words).end();
    assert_eq!(e.code, Some(code), "{words:?}: {:?}", e.err);
    e.says(says);
}

#[test]
fn files_that_users_name_have_an_end() {
    fails(&["-f", "/dev/zero", "true"], 2, &["the host file /dev/zero", "more than 64 MiB", "a line for each host"]);
    fails(&["-f", "/dev/urandom", "true"], 2, &["/dev/urandom", "more than 64 MiB"]);
    fails(&["-f", "/", "true"], 2, &["the host file /:", "directory"]);
    fails(&["-f", "/dev/null", "true"], 2, &["names no host"]);
    fails(&["-f", env!("CARGO_BIN_EXE_oshrun"), "true"], 2, &["no text"]);
    fails(&["-n", "1", "/dev/zero"], 126, &["/dev/zero is no regular file"]);
}

#[test]
fn a_directory_that_is_gone_is_no_obstacle() {
    let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"";
    let dir = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_oshrun")]).args(words).current_dir(dir.path());
        let out = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    assert_eq!(run(&["-n", "2", "echo", "here"]), (Some(0), "here\nhere\n".to_owned(), String::new()));
    // No other host can have it.
    let (code, _, said) = run(&["-n", "2", "-hosts", "localhost,192.0.2.7", "-launcher", "false", "echo"]);
    assert!(code == Some(2) && said.contains("the current directory has been removed"), "{said}");
}
