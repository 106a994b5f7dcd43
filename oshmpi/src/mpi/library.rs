//! Which MPI this process takes. It is loaded when it is needed, and never unloaded. `liboshmpi-mpi-NAME.so` makes the
//! table of it: there is one for each ABI that MPIs have. It is found beside this library or, by a program that is
//! linked with the archive, by the run path of `oshcc`.

use super::MpiError;
use crate::env;
use crate::os::exe::{self, Object};
use crate::os::{parent, process};
use core::ffi::{c_int, c_void};
use core::mem::{MaybeUninit, forget};
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};
use libc::{RTLD_GLOBAL, RTLD_LAZY, RTLD_LOCAL, RTLD_NOLOAD, RTLD_NOW};
use libloading::os::unix::Library;
use oshmpi_mpi_table::{Constants, FILL, Fill, LAYOUT, Table};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The variable that names MPI's library: a path, or a name for the loader.
const NAMED: &str = "OSHMPI_MPI_LIBRARY";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Abi {
    /// The MPI standard's, since MPI-5.
    Standard,
    /// That of MPICH and of the MPIs that are made from it.
    Mpich,
    Openmpi,
}

impl Abi {
    /// The names that the loader knows MPIs of this ABI by. The first is a library of this installation that loads the
    /// MPI which it was installed with.
    fn sonames(self) -> &'static [&'static str] {
        match self {
            Abi::Standard => &["libmpi_abi.so.1"],
            Abi::Mpich => &["liboshmpi-site-mpich.so", "libmpi.so.12", "libmpich.so.12"],
            Abi::Openmpi => &["liboshmpi-site-openmpi.so", "libmpi.so.40"],
        }
    }

    /// The library that makes the table.
    fn backend(self) -> &'static str {
        match self {
            Abi::Standard => "liboshmpi-mpi-abi.so",
            Abi::Mpich => "liboshmpi-mpi-mpich.so",
            Abi::Openmpi => "liboshmpi-mpi-openmpi.so",
        }
    }

    /// Whether that library is installed. Without an MPI of its ABI it may lack names.
    fn is_installed(self) -> bool {
        let opened = open(self.backend(), RTLD_LAZY | RTLD_LOCAL);
        opened.map_or_else(|why| why.contains("undefined symbol"), |_| true)
    }

    /// All, those first that the launcher is likely to be of.
    fn in_turn(is_set: impl Fn(&str) -> bool) -> [Abi; 3] {
        let by_pmi = ["PMI_FD", "PMI_PORT", "PMI_RANK"].into_iter().any(&is_set);
        match !by_pmi && ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK"].into_iter().any(&is_set) {
            true => [Abi::Openmpi, Abi::Standard, Abi::Mpich],
            false => [Abi::Standard, Abi::Mpich, Abi::Openmpi],
        }
    }
}

struct Mpi {
    abi: Abi,
    /// `PMPI_Get_version`, which every MPI has, and which may be called at any time.
    version: GetVersion,
}

type GetVersion = unsafe extern "C" fn(version: *mut c_int, subversion: *mut c_int) -> c_int;

impl Mpi {
    /// The MPI among the names of `library`.
    fn of(library: &Library) -> Option<Mpi> {
        // SAFETY: the function's type in every MPI.
        let version = *unsafe { library.get::<GetVersion>(b"PMPI_Get_version\0") }.ok()?;
        // SAFETY: an address is taken, and not used.
        let is_open_mpi = unsafe { library.get::<*const c_void>(b"ompi_mpi_comm_world\0") }.is_ok();
        let abi = match file_of(version) {
            file if ["libmpi_abi.", "libpmpi_abi."].iter().any(|name| file.contains(name)) => Abi::Standard,
            _ if is_open_mpi => Abi::Openmpi,
            _ => Abi::Mpich,
        };
        Some(Mpi { abi, version })
    }

    /// The MPI that is in this process already, whose names all libraries see from now on.
    fn of_process() -> Option<Mpi> {
        let local = || exe::loaded_files("libmpi").into_iter().find_map(|file| of_file(&file, RTLD_NOLOAD).ok());
        Mpi::of(&Library::this()).or_else(local)
    }

    /// Makes the table of it.
    fn tabled(&self) -> Result<&'static Table, String> {
        let (mut version, mut subversion) = (0, 0);
        // SAFETY: two numbers, which the function writes.
        unsafe { (self.version)(&mut version, &mut subversion) };
        if version < 3 {
            return Err(format!("it is an MPI-{version}.{subversion}, and MPI-3.0 is the oldest that is supported"));
        }
        let name = self.abi.backend();
        let library = open(name, RTLD_NOW | RTLD_LOCAL)?;
        // SAFETY: the function's type in each of these libraries.
        let fill = unsafe { library.get::<Fill>(FILL.as_bytes()) }.map_err(|e| e.to_string())?;
        let mut table = MaybeUninit::<Table>::uninit();
        // SAFETY: the table has this layout.
        if !unsafe { fill(table.as_mut_ptr(), LAYOUT) } {
            return Err(format!("{name} is of another release of oshmpi than liboshmpi"));
        }
        forget(library); // its functions are called to the end of the process
        // SAFETY: the function has filled it.
        Ok(TABLE.get_or_init(|| unsafe { table.assume_init() }))
    }
}

static TABLE: OnceLock<Table> = OnceLock::new();

/// The table of the MPI that is in this process, if one is.
pub(super) fn table() -> Option<&'static Table> {
    TABLE.get().or_else(found)
}

/// The table of an MPI that has come since. A wait that lasts asks again and again.
#[cold]
fn found() -> Option<&'static Table> {
    /// How many libraries had been loaded when no MPI was among them.
    static LOOKED: AtomicU64 = AtomicU64::new(0);
    let loaded = exe::loaded();
    if LOOKED.load(Ordering::Relaxed) == loaded {
        return None; // whoever loads an MPI and calls a routine then has seen to the order
    }
    let found = of_process(named().as_deref()).and_then(Result::ok);
    if found.is_none() {
        LOOKED.store(loaded, Ordering::Relaxed);
    }
    found
}

/// The library that the user or the site names.
fn named() -> Option<OsString> {
    env::value(NAMED).filter(|name| !name.is_empty())
}

/// The table of the MPI that is in this process, if one is; or why it is not taken.
fn of_process(named: Option<&OsStr>) -> Option<Result<&'static Table, String>> {
    let mpi = Mpi::of_process()?;
    let same = |named: &OsStr| {
        of_file(Path::new(named), RTLD_NOLOAD).is_ok_and(|other| ptr::fn_addr_eq(other.version, mpi.version))
    };
    Some(match named.filter(|named| !same(named)) {
        None => mpi
            .tabled()
            .map_err(|why| format!("the MPI of this process, {}, cannot be used: {why}", file_of(mpi.version))),
        Some(named) => Err(format!(
            "{NAMED} names {}, but the program has loaded another MPI, {}: unset {NAMED}, or name that",
            named.display(),
            file_of(mpi.version)
        )),
    })
}

/// The constants of that MPI. Without one they are zeros, which no function is called with.
pub(super) fn constants() -> &'static Constants {
    // SAFETY: numbers and raw pointers, for which zeros are values.
    static NONE: Constants = unsafe { core::mem::zeroed() };
    table().map_or(&NONE, |table| &table.constants)
}

/// Whether there is an MPI, which is loaded.
pub(crate) fn is_there() -> bool {
    load().is_ok()
}

/// Loads MPI, unless the process has one.
///
/// # Errors
/// None can be loaded, or the process has another than the one that is named.
pub(super) fn load() -> Result<(), MpiError> {
    if TABLE.get().is_some() {
        return Ok(());
    }
    choose(named().as_deref()).map(drop).map_err(MpiError::Found)
}

fn choose(named: Option<&OsStr>) -> Result<&'static Table, String> {
    if let Some(taken) = of_process(named) {
        return taken;
    }
    if let Some(named) = named {
        let loaded = of_file(Path::new(named), RTLD_NOW).and_then(|mpi| mpi.tabled());
        return loaded.map_err(|why| format!("{NAMED} names {}, which cannot be used: {why}", named.display()));
    }
    let turn = Abi::in_turn(|name| std::env::var_os(name).is_some());
    let installed = turn.iter().filter(|abi| abi.is_installed());
    let names: Vec<&str> = installed.flat_map(|abi| abi.sonames()).copied().collect();
    let beside = parent::directories().into_iter().map(|bin| bin.with_file_name("lib"));
    let own = exe::loaded_files("liboshmpi.so");
    let found = first(&names, beside.chain(own.iter().filter_map(|own| environment(own))))?;
    let refused = |why| format!("{}, the first MPI that is found, cannot be used: {why}", file_of(found.version));
    found.tabled().map_err(refused)
}

/// The libraries of the environment of Python that `library` belongs to as a part of a package.
fn environment(library: &Path) -> Option<PathBuf> {
    let packages = library.ancestors().find(|directory| directory.ends_with("site-packages"))?;
    Some(packages.ancestors().nth(2)?.to_owned()) // lib/python3.x/site-packages
}

/// The first MPI by these names: in the directories beside launchers, whose own lies where the loader need not look, or
/// where the loader looks.
fn first(names: &[&str], beside: impl Iterator<Item = PathBuf>) -> Result<Mpi, String> {
    // The system's own are the loader's, in its turn.
    let beside = beside.filter(|lib| ![Path::new("/lib"), Path::new("/usr/lib")].contains(&lib.as_path()));
    let beside = beside.flat_map(|lib| names.iter().map(move |name| lib.join(name))).filter(|file| file.exists());
    let none = || {
        let names: Vec<_> = names.iter().filter(|name| name.starts_with("libmpi")).copied().collect();
        match &names[..] {
            [] => "MPI is needed, and oshmpi was installed where no MPI was: install it again beside one".to_owned(),
            _ => format!(
                "MPI is needed, and none of {} is found: install an MPI, add its directory to LD_LIBRARY_PATH, or name \
                 its library by {NAMED}",
                names.join(", ")
            ),
        }
    };
    beside.chain(names.iter().map(PathBuf::from)).find_map(|file| of_file(&file, RTLD_NOW).ok()).ok_or_else(none)
}

/// The MPI of a library that is loaded, or is loaded now unless `flags` forbid it. It stays, and all libraries see its
/// names: components of Open MPI, and the library that makes the table.
fn of_file(file: &Path, flags: i32) -> Result<Mpi, String> {
    let library = open(file, flags | RTLD_LAZY | RTLD_GLOBAL)?;
    let mpi = Mpi::of(&library).ok_or_else(|| format!("{} is no MPI", file.display()));
    forget(library);
    mpi
}

fn file_of(function: GetVersion) -> String {
    match exe::object_at(function as usize) {
        Some(Object::Library(name)) => name,
        _ => "the program's own".to_owned(),
    }
}

fn open(file: impl AsRef<OsStr>, flags: i32) -> Result<Library, String> {
    // SAFETY: MPI's library or one of this installation, whose initialisers are trusted.
    let open = || unsafe { Library::open(Some(file), flags) };
    let opened = if flags & RTLD_NOLOAD == 0 { process::with_hangup_kept(open) } else { open() };
    opened.map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launcher_tells_which_mpi_comes_first() {
        let first = |set: &[&str]| Abi::in_turn(|name| set.contains(&name))[0];
        assert_eq!(first(&["OMPI_COMM_WORLD_SIZE", "PMIX_RANK"]), Abi::Openmpi, "Open MPI's mpiexec");
        assert_eq!(first(&["PMIX_RANK"]), Abi::Openmpi, "srun --mpi=pmix");
        assert_eq!(first(&["PMI_FD", "PMI_RANK"]), Abi::Standard, "Hydra");
        assert_eq!(first(&["PMI_FD", "PMI_RANK", "PMIX_RANK"]), Abi::Standard, "oshrun");
        assert_eq!(first(&[]), Abi::Standard, "none");
    }

    #[test]
    fn a_library_that_is_none_or_no_mpi_is_told() {
        let why = of_file(Path::new("/nowhere/libmpi.so"), RTLD_NOW).err().unwrap();
        assert!(why.contains("/nowhere/libmpi.so"), "{why}");
        let why = of_file(Path::new("libm.so.6"), RTLD_NOW).err().unwrap();
        assert_eq!(why, "libm.so.6 is no MPI");
    }

    #[test]
    fn a_package_of_python_is_in_an_environment() {
        let of = |file| environment(Path::new(file));
        let package = "/venv/lib/python3.11/site-packages/oshmpi/lib/liboshmpi.so.0";
        assert_eq!(of(package), Some(PathBuf::from("/venv/lib")));
        assert_eq!(of("/opt/oshmpi/lib/liboshmpi.so.0"), None);
    }

    #[test]
    fn what_was_looked_for_is_told() {
        let why =
            first(&["liboshmpi-site-none.so", "libmpi_none.so.1", "libmpi.so.0"], std::iter::empty()).err().unwrap();
        assert!(why.starts_with("MPI is needed, and none of libmpi_none.so.1, libmpi.so.0 is found: "), "{why}");
        let why = first(&[], std::iter::empty()).err().unwrap();
        assert!(why.contains("installed where no MPI was"), "{why}");
    }
}
