//! `--profile FILE.html` and `--trace FILE.json`: what a job's PEs did. Every PE preloads liboshmpi_profile.so, which
//! writes a file for its PE at the end; the files are read here and made into one page or trace.

mod page;
mod parts;
mod sites;
mod trace;

use crate::cli::Job;
use crate::plan::{Variables, set};
use anyhow::{Context, Result, bail};
use oshmpi_tools::{prefix, write_out};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

const LIBRARY: &str = "lib/liboshmpi_profile.so";
/// Where the recorder of a PE writes its file.
const DIR: &str = "OSHRUN_PROFILE_DIR";
const PRELOAD: &str = "LD_PRELOAD";

/// What is recorded, and where it goes.
pub struct Profile {
    page: Option<PathBuf>,
    trace: Option<PathBuf>,
    parts: PathBuf,
}

impl Profile {
    /// What the options ask for. Makes the directory for the PEs' files, and sets the variables of all ranks.
    pub fn begin(o: &Job, env: &mut Variables) -> Result<Option<Profile>> {
        let Some(first) = o.profile.as_ref().or(o.trace.as_ref()) else { return Ok(None) };
        let absolute = |p: &OsString| std::path::absolute(p).context("no usable path for the profile");
        let library = prefix()?.join(LIBRARY);
        if !library.exists() {
            bail!("there is no {}: run cargo xtask install again", library.display());
        }
        if !can_be_preloaded(&library) {
            let library = library.display();
            bail!("the loader splits {library} at blanks and colons: for a profile install into a path without them");
        }
        // Beside the result: that is where the PEs of other hosts can write too.
        let mut parts = absolute(first)?.into_os_string();
        parts.push(format!(".parts-{}", std::process::id()));
        let parts = PathBuf::from(parts);
        fs::create_dir(&parts).with_context(|| format!("cannot make {}", parts.display()))?;
        set(env, DIR.as_bytes(), parts.as_os_str().as_bytes().to_vec());
        let mut preload = library.into_os_string().into_vec();
        if let Some((_, others)) = env.iter().find(|(name, _)| name == PRELOAD.as_bytes()) {
            preload.push(b':');
            preload.extend(others);
        }
        set(env, PRELOAD.as_bytes(), preload);
        let page = o.profile.as_ref().map(absolute).transpose()?;
        let trace = o.trace.as_ref().map(absolute).transpose()?;
        Ok(Some(Profile { page, trace, parts }))
    }

    /// Makes the page and the trace of what the PEs have written. `command`: the program, for the title.
    pub fn end(&self, command: &str, size: u32) -> Result<()> {
        let job = parts::read(&self.parts)?;
        if job.pes.is_empty() && job.damaged.is_empty() {
            bail!(
                "no PE has written a profile: the program is linked with -oshmpi-static, was killed, \
                 or has never called shmem_init"
            );
        }
        let places = sites::Sites::default();
        if let Some(file) = &self.page {
            write(file, &page::html(&job, command, size, &places))?;
        }
        if let Some(file) = &self.trace {
            write(file, &trace::json(&job, &places))?;
        }
        if let [first, ..] = &job.damaged[..] {
            let beside = self.parts.parent().unwrap_or(Path::new("/")).display();
            let n = job.damaged.len();
            bail!("what {n} of {size} PEs have recorded is not whole ({first}): is there room in {beside}?");
        }
        Ok(())
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.parts);
    }
}

/// Whether the loader takes the path in `LD_PRELOAD` for one file. Blanks and colons separate files there.
fn can_be_preloaded(library: &Path) -> bool {
    !library.as_os_str().as_bytes().iter().any(|b| b" :".contains(b))
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    write_out(std::io::stderr(), &format!("oshrun: {} is written\n", file.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_loader_splits_is_refused() {
        assert!(can_be_preloaded(Path::new("/opt/oshmpi-1.6/lib/a.so")));
        for path in ["/opt/my oshmpi/lib/a.so", "/opt/a:b/lib/a.so"] {
            assert!(!can_be_preloaded(Path::new(path)), "{path}");
        }
    }
}
