//! Finding and loading `libpmix.so.2`.

use crate::error::Error;
use libloading::os::unix::Library as Loaded;
use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The name by which the loader knows the library.
pub const NAME: &CStr = c"libpmix.so.2";

/// The oldest version that has the structures of [`super::data`].
const OLDEST: u32 = 3;

/// The loaded library. It is never unloaded, because its threads run in it.
#[derive(Clone, Copy, Debug)]
pub struct Library(&'static Loaded);

impl Library {
    /// The name of the library's file.
    pub fn file_name() -> PathBuf {
        PathBuf::from(OsStr::from_bytes(NAME.to_bytes()))
    }

    /// The library that is in this process already.
    pub fn loaded() -> Option<Library> {
        Library::open(&Library::file_name(), libc::RTLD_NOLOAD).ok()
    }

    /// The library that is in this process already; else the first of `files` that can be loaded; else the one that the
    /// loader finds by name.
    ///
    /// A process must not have two such libraries: two clients of one rank disturb each other in the server and in the
    /// memory that the server shares with them (seen with 4.2 and 5.0 side by side: a failed fence, or the end of the
    /// process). A library that is loaded later and needs `libpmix.so.2` gets the one that was loaded here.
    pub fn find(files: &[PathBuf]) -> Result<Library, Error> {
        let from_file = || files.iter().find_map(|file| Library::open(file, libc::RTLD_LOCAL).ok());
        let library = match Library::loaded().or_else(from_file) {
            Some(library) => library,
            None => Library::open(&Library::file_name(), libc::RTLD_LOCAL)?,
        };
        match library.version() {
            Some(version) if major(&version).is_some_and(|n| n >= OLDEST) => Ok(library),
            version => Err(Error::PmixLibrary(format!(
                "{} is version {:?}: {OLDEST} or later is needed",
                NAME.to_string_lossy(),
                version.unwrap_or_default()
            ))),
        }
    }

    /// Loads a library by its path, or by a name that the loader looks for. `visibility` is `RTLD_LOCAL` or
    /// `RTLD_GLOBAL`. A client needs the former: the library's plugins are linked with the library. A server needs the
    /// latter: some of its plugins look for the library's symbols among all.
    pub fn open(file: &Path, visibility: c_int) -> Result<Library, Error> {
        // SAFETY: the library is one that the system, MPI or the user has under this name; its initialisers are trusted
        // as theirs.
        let loaded = unsafe { Loaded::open(Some(file), libc::RTLD_NOW | visibility) };
        Ok(Library(Box::leak(Box::new(loaded.map_err(|e| Error::PmixLibrary(e.to_string()))?))))
    }

    /// The library's text about its version.
    pub fn version(self) -> Option<String> {
        // SAFETY: the function's type in PMIx's header.
        let version: unsafe extern "C" fn() -> *const c_char = unsafe { self.symbol(c"PMIx_Get_version") }.ok()?;
        // SAFETY: the function takes nothing, and gives a constant string.
        Some(unsafe { CStr::from_ptr(version()) }.to_string_lossy().into_owned())
    }

    /// The function called `name`.
    ///
    /// # Safety
    /// `F` is the type of a pointer to that function.
    pub unsafe fn symbol<F: Copy>(self, name: &CStr) -> Result<F, Error> {
        // SAFETY: the caller promises the type.
        let found = unsafe { self.0.get::<F>(name.to_bytes_with_nul()) };
        found.map(|symbol| *symbol).map_err(|e| Error::PmixLibrary(e.to_string()))
    }
}

/// The first number of "OpenPMIx 4.2.2rc2 (PMIx Standard: ...)".
fn major(version: &str) -> Option<u32> {
    let digits = version.find(|c: char| c.is_ascii_digit()).map(|at| &version[at..])?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_as_the_library_writes_them() {
        assert_eq!(major("OpenPMIx 4.2.2rc2 (PMIx Standard: 4.2, Stable ABI: 0.0, Provisional ABI: 0.0)"), Some(4));
        assert_eq!(major("OpenPMIx 3.2.3, repo rev: v3.2.3, Wed Jan 01, 2021"), Some(3));
        assert_eq!(major("PMIx 12"), Some(12));
        assert_eq!(major("no number"), None);
    }

    #[test]
    fn a_file_that_is_no_library_is_an_error_that_names_it() {
        let error = Library::open(Path::new("/nowhere/libpmix.so.2"), libc::RTLD_LOCAL).unwrap_err();
        assert!(error.to_string().contains("/nowhere/libpmix.so.2"), "{error}");
    }
}
