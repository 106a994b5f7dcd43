//! pshmem.h. It says nothing that the list of routines does not, so it is written where it is needed.

use super::prototypes;
use crate::spec::Spec;
use crate::util::{made, root};
use anyhow::{Context, Result};
use std::fs;
use std::io::Write;
use std::path::PathBuf;

pub const NAME: &str = "pshmem.h";

const HEAD: &str = r#"/* pshmem.h: the routines of OpenSHMEM 1.6 under the names that a profiling tool calls.
 *
 * A tool defines shmem_x itself and calls pshmem_x. The old names without the prefix shmem_ get a p in front as well
 * (pshmalloc, p_my_pe). Types and constants come from shmem.h; there is no need to include that first.
 */
#ifndef OSHMPI_PSHMEM_H
#define OSHMPI_PSHMEM_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

"#;

const TAIL: &str = "
#ifdef __cplusplus
}
#endif

#endif /* OSHMPI_PSHMEM_H */
";

pub fn text() -> Result<String> {
    Ok(format!("{HEAD}{}{TAIL}", prototypes::pshmem(&Spec::load()?)?))
}

/// A directory below target/ with the header and nothing else. Programs that run at the same time may share it.
pub fn dir() -> Result<PathBuf> {
    let dir = made(root().join("target/include"))?;
    let (file, text) = (dir.join(NAME), text()?);
    if fs::read_to_string(&file).is_ok_and(|old| old == text) {
        return Ok(dir);
    }
    let mut new = tempfile::NamedTempFile::new_in(&dir).context("cannot make a temporary file")?;
    new.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", file.display()))?;
    new.persist(&file).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_holds_what_is_installed() {
        let text = text().unwrap();
        assert_eq!(fs::read_to_string(dir().unwrap().join(NAME)).unwrap(), text);
        assert!(text.contains("extern \"C\" {\n#endif\n\n/* ") && text.contains("\nvoid pshmem_quiet(void);\n"));
        assert!(text.contains("\nvoid pshmem_pcontrol(int level, ...);\n\n#ifdef __cplusplus\n}\n"));
    }
}
