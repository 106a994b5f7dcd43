//! How other build systems find oshmpi: the pkg-config file and the CMake package. Both lie at a fixed place below the
//! prefix and compute the prefix from it, so that a prefix can be moved.

use super::facts::Facts;
use super::product::{HOME, STANDARD, SUMMARY, VERSION, soname};
use crate::util::Mpi;

/// lib/pkgconfig/oshmpi.pc
pub fn pkg_config(f: &Facts) -> String {
    let private = f.native_libs.join(" ");
    let mpi = f.mpi.map_or("", Mpi::name);
    format!(
        "prefix=${{pcfiledir}}/../..
includedir=${{prefix}}/include
libdir=${{prefix}}/lib
bindir=${{prefix}}/bin
standard={STANDARD}
mpi={mpi}
mpiexec={}

Name: oshmpi
Description: {SUMMARY}
URL: {HOME}
Version: {VERSION}
Cflags: -I${{includedir}}
Libs: -L${{libdir}} -Wl,--enable-new-dtags -Wl,-rpath,${{libdir}} -loshmpi
Libs.private: {private}
",
        f.command("mpiexec")
    )
}

/// lib/cmake/OpenSHMEM/OpenSHMEMConfig.cmake
pub fn cmake(f: &Facts) -> String {
    let libs = f.native_libs.join(";");
    // By paths, which CMake wants, each with the separator to the next library.
    let archive = |l: &&str| format!("${{_OpenSHMEM_prefix}}/lib/lib{}.a;", l.trim_start_matches("-l"));
    let fortran_libs: String = f.fortran_libs.iter().map(archive).collect();
    CMAKE
        .replace("@VERSION@", VERSION)
        .replace("@SONAME@", &soname("liboshmpi.so"))
        .replace("@STANDARD@", STANDARD)
        .replace("@MPI@", f.mpi.map_or("", Mpi::name))
        .replace("@MPIEXEC@", &f.command("mpiexec"))
        .replace("@LIBS@", &libs)
        .replace("@FORTRAN_FLAGS@", &f.fortran_flags.join(";"))
        .replace("@FORTRAN_LIBS@", &fortran_libs)
}

/// The package, with @NAME@ for what differs between installations.
const CMAKE: &str = include_str!("OpenSHMEMConfig.cmake");

/// lib/cmake/OpenSHMEM/OpenSHMEMConfigVersion.cmake: programs ask for a version of the standard.
pub fn cmake_version() -> String {
    let major = STANDARD.split('.').next().unwrap_or(STANDARD);
    include_str!("OpenSHMEMConfigVersion.cmake").replace("@STANDARD@", STANDARD).replace("@MAJOR@", major)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cmake_has_what_oshfort_adds_where_there_is_a_fortran_compiler() {
        let mut facts = Facts {
            fortran_flags: vec!["-fa".to_string(), "-fb".to_string()],
            fortran_libs: vec!["-loshmpi_fortran"],
            ..Facts::default()
        };
        let text = cmake(&facts);
        let archive = "\"${_OpenSHMEM_prefix}/lib/liboshmpi_fortran.a;${_OpenSHMEM_kinds};OpenSHMEM::OpenSHMEM\"";
        assert!(
            text.contains("(_OpenSHMEM_fortran \"-fa;-fb\")") && text.contains(archive) && !text.contains('@'),
            "{text}"
        );
        facts.fortran_libs.clear();
        assert!(!cmake(&facts).contains("liboshmpi_fortran"));
    }
}
