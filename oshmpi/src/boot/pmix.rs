//! Joining a job through its PMIx server without MPI: whether that is possible, and with which libpmix.

use super::launcher;
use crate::env::MpiWhen;
use crate::mpi;
use crate::os::{exe, process};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering};
use pmi_shm::BoxedJob;
use pmi_shm::client::pmix;
use pmi_shm::pmix::library::Library;
use std::path::{Path, PathBuf};

/// This library has made the process a client of the PMIx server.
static JOINED: AtomicBool = AtomicBool::new(false);

/// The job of a PMIx server, if there is one and the launcher offers no PMI. `Some(Err)`: MPI has to join the job, and
/// why.
pub(super) fn join(mpi: MpiWhen) -> Option<Result<BoxedJob, String>> {
    // A launcher that runs inside another job may leave that job's variables in place. MPI knows which job the process
    // belongs to.
    if !pmix::is_offered() || launcher::offers_pmi() {
        return None;
    }
    if mpi == MpiWhen::Always {
        return Some(Err("OSHMPI_MPI is always".to_owned()));
    }
    let joined = files().and_then(|files| {
        // libpmix's thread must not run the program's signal handlers.
        process::with_signals_blocked(|| pmix::join(&files)).map_err(|e| e.to_string())
    });
    // Relaxed: a thread that initialises MPI later has returned from this call, or synchronises with the thread that
    // has.
    JOINED.store(joined.is_ok(), Ordering::Relaxed);
    Some(joined)
}

/// `PMIx_Initialized` for MPI, which finds this symbol before that of libpmix. Open MPI 5 calls it once, in its
/// initialisation. If the answer is yes, it skips `PMIx_Init`, from which it would learn its rank, and `MPI_Init`
/// fails. So the answer is no while this library alone is the client. `PMIx_Init` is counted, so a second call is
/// allowed.
#[unsafe(export_name = "oshmpi_pmix_initialized")]
extern "C" fn initialized() -> c_int {
    let only_we_are = JOINED.load(Ordering::Relaxed)
        && !mpi::initialized()
        && mpi::open_mpi_version().is_some_and(|version| version >= 5);
    if only_we_are {
        return 0;
    }
    // SAFETY: the function's type in PMIx's header.
    let real = |library: Library| unsafe { library.symbol::<extern "C" fn() -> c_int>(c"PMIx_Initialized") };
    Library::loaded().and_then(|library| real(library).ok()).map_or(0, |real| real())
}

/// Whether MPI finds it. It does not in a program that is linked with the archive, or that has loaded this library for
/// itself alone.
fn answers() -> bool {
    let this = libloading::os::unix::Library::this();
    // SAFETY: an address is taken, and not used.
    let found = unsafe { this.get::<*const ()>(b"PMIx_Initialized\0") };
    found.is_ok_and(|found| *found == initialized as *const ())
}

core::arch::global_asm!(".weak PMIx_Initialized", ".set PMIx_Initialized, oshmpi_pmix_initialized");

/// Paths at which the libpmix that MPI would use may be, if it is not loaded already. MPI may be initialised later in
/// this process. Two copies of libpmix would be two clients of one rank, which disturb each other.
///
/// # Errors
/// MPI contains a copy of libpmix, or does not find [`initialized`].
fn files() -> Result<Vec<PathBuf>, String> {
    let version = mpi::open_mpi_version(); // has MPI loaded
    if version >= Some(5) && !answers() {
        return Err("Open MPI does not find PMIx_Initialized of oshmpi".to_owned());
    }
    if Library::loaded().is_some() {
        return Ok(Vec::new());
    }
    let mpi = exe::loaded_files("libmpi.so").first().and_then(|file| file.canonicalize().ok());
    let beside = mpi.as_deref().and_then(Path::parent);
    if let Some(version) = version {
        // Open MPI 5 is linked with libpmix unless it contains a copy. Versions 4 and earlier load it by a component.
        let shared = version < 5 && beside.is_some_and(|dir| uses_shared_library(&components(dir)));
        return match shared {
            true => Ok(Vec::new()), // its component has the dynamic linker find libpmix by name, as this library does
            false => Err("Open MPI has a copy of PMIx of its own".to_owned()),
        };
    }
    // Intel MPI loads the library that this variable names.
    let named = std::env::var_os("I_MPI_PMI_LIBRARY").map(PathBuf::from);
    let named = named.filter(|path| path.to_string_lossy().contains("pmix"));
    let name = Library::file_name();
    Ok(named.into_iter().chain(beside.map(|dir| dir.join(&name))).collect())
}

/// Names of Open MPI's components of kind `pmix`, which lie in a directory beside its library; Debian's below
/// `openmpi/lib`.
fn components(dir: &Path) -> Vec<String> {
    let list = |dir: &Path| std::fs::read_dir(dir).into_iter().flatten().flatten();
    let is_for_components = |name: &str| name.starts_with("openmpi");
    let places = [dir.to_owned(), dir.join("openmpi/lib")];
    let folders = places.iter().flat_map(|place| list(place));
    let folders = folders.filter(|entry| is_for_components(&entry.file_name().to_string_lossy()));
    let files = folders.flat_map(|folder| list(&folder.path()));
    let component = |name: &str| Some(name.strip_prefix("mca_pmix_")?.strip_suffix(".so")?.to_owned());
    files.filter_map(|file| component(&file.file_name().to_string_lossy())).collect()
}

/// Of the components of Open MPI 2 to 4 those called ext use the system's library, and those called pmix contain a
/// copy.
fn uses_shared_library(components: &[String]) -> bool {
    let any = |start: &str| components.iter().any(|name| name.starts_with(start));
    any("ext") && !any("pmix")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_mpis_components_tell_whose_library_it_uses() {
        let shared = |folder: &str, names: &[&str]| {
            let dir = std::env::temp_dir().join(format!("oshmpi-components-{}", std::process::id()));
            let folder = dir.join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            for name in names {
                std::fs::write(folder.join(format!("mca_{name}.so")), "").unwrap();
            }
            std::fs::write(dir.join("mca_pmix_ext9x.so"), "").unwrap(); // not in a folder of components
            let found = components(&dir);
            std::fs::remove_dir_all(&dir).unwrap();
            uses_shared_library(&found)
        };
        let debians = "openmpi/lib/openmpi3";
        assert!(shared(debians, &["pmix_ext3x", "pmix_flux", "pmix_isolated"]), "Debian's 4.1");
        assert!(shared("openmpi", &["pmix_ext3x", "pmix_isolated"]), "as Open MPI 4 is built with another's");
        assert!(!shared("openmpi", &["pmix_pmix3x", "pmix_isolated"]), "as Open MPI 4 is built by default");
        assert!(!shared("openmpi", &["pmix_pmix3x", "pmix_ext3x"]), "either may be taken");
        assert!(!shared(debians, &["btl_tcp"]), "all components are inside the library");
    }
}
