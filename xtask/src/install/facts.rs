//! What is true of an installation, once: the wrappers' configuration, osh_info, the pkg-config file, the CMake
//! package, the manual pages and the Debian package are all made from this.

use super::product::{STANDARD, VERSION};
use super::{cross, fortran, library};
use crate::settings::{self, Setting};
use crate::util::{Mpi, output};
use anyhow::Result;
use std::process::Command;

pub struct Facts {
    /// That of `oshcc -mpi`.
    pub mpi: Mpi,
    /// `4.0.2`; `unknown` when the launcher does not tell.
    pub mpi_version: String,
    /// System libraries that liboshmpi.a needs: `-lm`, ...
    pub native_libs: Vec<String>,
    /// What oshfort passes to the MPI's compiler.
    pub fortran_flags: Vec<String>,
    /// What it links: the module's constants.
    pub fortran_libs: Vec<&'static str>,
    pub settings: Vec<Setting>,
}

/// How the memory of some PEs is reached.
pub struct Route {
    pub to: &'static str,
    pub by: &'static str,
}

impl Facts {
    pub fn gather(mpi: Mpi, built: &library::Built, for_fortran: &fortran::Built) -> Result<Facts> {
        let printed = match cross::target() {
            Some(_) => cross::version_in_header(mpi)?,
            None => output(Command::new(mpi.command("mpiexec")).arg("--version")).unwrap_or_default(),
        };
        Ok(Facts {
            mpi,
            mpi_version: version_in(&printed).unwrap_or("unknown").to_string(),
            native_libs: built.native_libs.clone(),
            fortran_flags: for_fortran.flags.clone(),
            fortran_libs: for_fortran.module.iter().map(|_| "-loshmpi_fortran").collect(),
            settings: settings::all(),
        })
    }

    /// What is true of an installation without Fortran and without an MPI.
    pub fn least(built: &library::Built) -> Facts {
        Facts {
            mpi: Mpi::Mpich,
            mpi_version: "unknown".to_string(),
            native_libs: built.native_libs.clone(),
            fortran_flags: Vec::new(),
            fortran_libs: Vec::new(),
            settings: settings::all(),
        }
    }

    pub fn routes(&self) -> Vec<Route> {
        let mut all = vec![
            Route { to: "PEs of the same node, heap", by: "loads, stores and CPU atomics on shared memory" },
            Route {
                to: "PEs of the same node, static variables",
                by: "the same; OSHMPI_STATICS chooses other ways, which are also taken where the first is not possible",
            },
        ];
        // Without this setting the runtime refuses jobs of several nodes.
        if self.settings.iter().any(|s| s.name == "OSHMPI_ROUTE") {
            let by = "UCX, or MPI: messages and MPI-3 RMA (OSHMPI_ROUTE=mpi: all PEs; OSHMPI_TRANSPORT chooses)";
            all.push(Route { to: "PEs of other nodes", by });
        }
        all
    }

    /// The MPI's command, as it is called where the installation is used.
    pub fn command(&self, tool: &str) -> String {
        cross::installed_name(self.mpi, tool)
    }

    /// What the compiler wrappers and osh_info read. The commands find the prefix themselves, so the text holds no path
    /// of it.
    pub fn config(&self) -> String {
        self.config_with(|tool| self.command(tool), |name, _| name.to_string())
    }

    /// The configuration for the commands of a cross installation that run on this machine.
    pub fn config_here(&self) -> String {
        self.config_with(|tool| self.mpi.command(tool), |_, of_gnu| cross::gnu(of_gnu))
    }

    /// `of_mpi`: the MPI's commands, by their usual names. `compiler`: compilers, by their usual names and GNU's.
    fn config_with(&self, of_mpi: impl Fn(&str) -> String, compiler: impl Fn(&str, &str) -> String) -> String {
        let routes: Vec<_> = self.routes().iter().map(|r| serde_json::json!({"to": r.to, "by": r.by})).collect();
        let config = serde_json::json!({
            "version": VERSION,
            "standard": STANDARD,
            "mpi": self.mpi.name(),
            "mpi_version": self.mpi_version,
            "cc": compiler("cc", "gcc"),
            "cxx": compiler("c++", "g++"),
            "fc": compiler("gfortran", "gfortran"),
            "mpicc": of_mpi("mpicc"),
            "mpicxx": of_mpi("mpicxx"),
            "mpifort": of_mpi("mpifort"),
            "fc_flags": self.fortran_flags,
            "fc_libs": self.fortran_libs,
            "mpiexec": of_mpi("mpiexec"),
            "native_libs": self.native_libs,
            "routes": routes,
            "settings": self.settings,
        });
        format!("{config:#}\n")
    }
}

/// The first word that looks like a version: digits with at least one dot between.
fn version_in(text: &str) -> Option<&str> {
    text.split_whitespace().find(|w| {
        let parts: Vec<&str> = w.split('.').collect();
        parts.len() >= 2 && parts.iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_both_launchers_are_found() {
        assert_eq!(version_in("HYDRA build details:\n    Version:     4.0.2\n"), Some("4.0.2"));
        assert_eq!(version_in("mpiexec.openmpi (OpenRTE) 4.1.4\n"), Some("4.1.4"));
        assert_eq!(version_in("no version. here 7"), None);
    }
}
