//! The seed of samples and random programs. By default it is the commit's, so each commit is tested by others.

use crate::util::{output, root};
use std::process::Command;
use std::sync::OnceLock;

static SEED: OnceLock<u32> = OnceLock::new();

/// Sets the seed that the user gives, if any.
pub fn given(seed: Option<u32>) {
    if let Some(seed) = seed {
        SEED.set(seed).expect("a seed is given once, before it is used");
    }
}

/// The seed that was given, or the commit's. Without git it is 0.
pub fn get() -> u32 {
    *SEED.get_or_init(|| of_commit().unwrap_or(0))
}

fn of_commit() -> Option<u32> {
    let mut git = Command::new("git");
    // In a container the checkout often belongs to somebody else.
    git.args(["-c", "safe.directory=*", "rev-parse", "HEAD"]).current_dir(root());
    u32::from_str_radix(output(&mut git).ok()?.get(..8)?, 16).ok()
}
