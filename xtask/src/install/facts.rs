//! What is true of an installation, once: the wrappers' configuration, osh_info, the pkg-config file, the CMake
//! package, the manual pages and the Debian package are all made from this.

use super::product::{STANDARD, VERSION};
use super::{cross, fortran, library};
use crate::settings::{self, Setting};
use crate::util::{Mpi, output};
use anyhow::Result;
use std::process::Command;

#[derive(Default)]
pub struct Facts {
    /// That of `oshcc -mpi`. None: the one on the path, where the installation is used.
    pub mpi: Option<Mpi>,
    /// `4.0.2`, if its header tells.
    pub mpi_version: Option<String>,
    /// System libraries that liboshmpi.a needs: `-lm`, ...
    pub native_libs: Vec<String>,
    /// What oshfort passes to the MPI's compiler.
    pub fortran_flags: Vec<String>,
    /// What it links: the module's constants.
    pub fortran_libs: Vec<&'static str>,
    pub settings: Vec<Setting>,
}

/// How the memory of some PEs is reached: which PEs, and the way.
const ROUTES: [[&str; 2]; 3] = [
    ["PEs of the same node, heap", "loads, stores and CPU atomics on shared memory"],
    [
        "PEs of the same node, static variables",
        "the same; OSHMPI_STATICS chooses other ways, which are also taken where the first is not possible",
    ],
    ["PEs of other nodes", "UCX, or MPI: messages and MPI-3 RMA (OSHMPI_ROUTE=mpi: all PEs; OSHMPI_TRANSPORT chooses)"],
];

impl Facts {
    pub fn gather(mpi: Mpi, built: &library::Built, for_fortran: &fortran::Built) -> Result<Facts> {
        let mpi = Some(mpi).filter(|mpi| !cross::is_for_all() && mpi.has("mpicc"));
        Ok(Facts {
            mpi,
            mpi_version: mpi.and_then(version),
            native_libs: built.native_libs.clone(),
            fortran_flags: for_fortran.flags.clone(),
            fortran_libs: for_fortran.module.iter().map(|_| "-loshmpi_fortran").collect(),
            settings: settings::all(),
        })
    }

    /// What is true of an installation without Fortran and without an MPI.
    pub fn least(built: &library::Built) -> Facts {
        Facts { native_libs: built.native_libs.clone(), settings: settings::all(), ..Facts::default() }
    }

    /// The MPI's command, as it is called where the installation is used.
    pub fn command(&self, tool: &str) -> String {
        self.mpi.map_or(tool.to_string(), |mpi| mpi.command(tool))
    }

    /// What the compiler wrappers and osh_info read. The commands find the prefix themselves, so the text holds no path
    /// of it.
    pub fn config(&self) -> String {
        self.config_with(|name, _| name.to_string())
    }

    /// The configuration for the commands of a cross installation that run on this machine.
    pub fn config_here(&self) -> String {
        self.config_with(|_, gnu| cross::gnu(gnu))
    }

    /// `compiler`: compilers, by their usual names and GNU's.
    fn config_with(&self, compiler: impl Fn(&str, &str) -> String) -> String {
        let routes = ROUTES.map(|[to, by]| serde_json::json!({"to": to, "by": by}));
        let config = serde_json::json!({
            "version": VERSION,
            "standard": STANDARD,
            "mpi": self.mpi.map(Mpi::name),
            "mpi_version": self.mpi_version,
            "cc": compiler("cc", "gcc"),
            "cxx": compiler("c++", "g++"),
            "fc": compiler("gfortran", "gfortran"),
            "mpicc": self.command("mpicc"),
            "mpicxx": self.command("mpicxx"),
            "mpifort": self.command("mpifort"),
            "fc_flags": self.fortran_flags,
            "fc_libs": self.fortran_libs,
            "mpiexec": self.command("mpiexec"),
            "native_libs": self.native_libs,
            "routes": routes,
            "settings": self.settings,
        });
        format!("{config:#}\n")
    }
}

/// The version of the MPI, from its header.
fn version(mpi: Mpi) -> Option<String> {
    let mut c = Command::new(mpi.command("mpicc"));
    version_of(&output(c.args(["-dM", "-E", "-include", "mpi.h", "-x", "c", "/dev/null"])).ok()?)
}

fn version_of(macros: &str) -> Option<String> {
    let value = |name: &str| {
        let words = macros.lines().filter_map(|l| l.strip_prefix("#define ")?.split_once(' '));
        words.into_iter().find(|(n, _)| *n == name).map(|(_, v)| v.trim().trim_matches('"').to_string())
    };
    let parts = ["OMPI_MAJOR_VERSION", "OMPI_MINOR_VERSION", "OMPI_RELEASE_VERSION"];
    let openmpi = || Some(parts.iter().map(|p| value(p)).collect::<Option<Vec<_>>>()?.join("."));
    value("MPICH_VERSION").or_else(openmpi)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_known_mpi_its_commands_have_their_usual_names() {
        let facts = |mpi, mpi_version| Facts { mpi, mpi_version, ..Facts::default() };
        let config = |facts: Facts| serde_json::from_str::<serde_json::Value>(&facts.config()).unwrap();
        let none = config(facts(None, None));
        assert!(none["mpi"].is_null() && none["mpi_version"].is_null() && none["mpicc"] == "mpicc", "{none}");
        let one = config(facts(Some(Mpi::Openmpi), Some("5.0.11".to_string())));
        assert!(one["mpi"] == "openmpi" && one["mpi_version"] == "5.0.11" && one["mpicc"] == "mpicc.openmpi", "{one}");
    }

    #[test]
    fn versions_are_in_the_headers() {
        assert_eq!(version_of("#define A 1\n#define MPICH_VERSION \"4.0.2\"\n").as_deref(), Some("4.0.2"));
        let openmpi = "#define OMPI_MINOR_VERSION 0\n#define OMPI_RELEASE_VERSION 11\n#define OMPI_MAJOR_VERSION 5\n";
        assert_eq!(version_of(openmpi).as_deref(), Some("5.0.11"));
        assert_eq!(version_of("#define OMPI_MAJOR_VERSION 5\n"), None);
    }
}
