//! What oshrun finds around it: a directory that is gone.

use super::*;

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
