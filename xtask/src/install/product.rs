//! What every installation has in common: name, version, standard.

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The name by which programs ask the loader for a shared library.
pub fn soname(library: &str) -> String {
    format!("{library}.{}", VERSION.split('.').next().unwrap_or(VERSION))
}

/// Version of OpenSHMEM.
pub const STANDARD: &str = "1.6";
pub const SUMMARY: &str = "OpenSHMEM over MPI-3 RMA";
pub const HOME: &str = env!("CARGO_PKG_REPOSITORY");
