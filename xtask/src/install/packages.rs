//! How other build systems find us: the pkg-config file and the CMake package. Both lie at a fixed place below the
//! prefix and find it from where they lie, so that a prefix can be moved.

use super::facts::{Facts, HOME, STANDARD, SUMMARY, VERSION, soname};

/// lib/pkgconfig/oshmpi.pc
pub fn pkg_config(f: &Facts) -> String {
    let private = [&f.native_libs[..], &f.mpi_libs[..]].concat().join(" ");
    let (mpi, mpi_name) = (f.mpi.name(), f.mpi_name());
    format!(
        "prefix=${{pcfiledir}}/../..
includedir=${{prefix}}/include
libdir=${{prefix}}/lib
bindir=${{prefix}}/bin
standard={STANDARD}
mpi={mpi}
mpiexec={}

Name: oshmpi
Description: {SUMMARY}, over {mpi_name}
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
    let libs = [&f.native_libs[..], &f.mpi_libs[..]].concat().join(";");
    // By their paths, as CMake asks for, and each with what separates it from the library behind it.
    let archive = |l: &&str| format!("${{_OpenSHMEM_prefix}}/lib/lib{}.a;", l.trim_start_matches("-l"));
    let fortran_libs: String = f.fortran_libs.iter().map(archive).collect();
    CMAKE
        .replace("@VERSION@", VERSION)
        .replace("@SONAME@", &soname("liboshmpi.so"))
        .replace("@STANDARD@", STANDARD)
        .replace("@MPI@", f.mpi.name())
        .replace("@MPIEXEC@", &f.command("mpiexec"))
        .replace("@LIBS@", &libs)
        .replace("@FORTRAN_FLAGS@", &f.fortran_flags.join(";"))
        .replace("@FORTRAN_LIBS@", &fortran_libs)
}

const CMAKE: &str = r#"# find_package(OpenSHMEM 1.6 [COMPONENTS C CXX Fortran]) with oshmpi.
#
#   OpenSHMEM::OpenSHMEM           the shared library; also as OpenSHMEM::OpenSHMEM_C, _CXX
#   OpenSHMEM::OpenSHMEM_Fortran   the same with what oshfort adds: the module's constants, and flags for gfortran
#   OpenSHMEM::OpenSHMEM_static    the archive, with what it needs
#   OpenSHMEM_VERSION              the version of OpenSHMEM; OpenSHMEM_oshmpi_VERSION is the library's own
#   OpenSHMEM_C_COMPILER, OpenSHMEM_CXX_COMPILER, OpenSHMEM_Fortran_COMPILER    oshcc, oshc++, oshfort
#   OpenSHMEM_MPI, OpenSHMEM_MPIEXEC    the MPI it was built over, and its launcher

get_filename_component(_OpenSHMEM_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

set(OpenSHMEM_VERSION "@STANDARD@")
set(OpenSHMEM_oshmpi_VERSION "@VERSION@")
set(OpenSHMEM_MPI "@MPI@")
set(OpenSHMEM_MPIEXEC "@MPIEXEC@")
set(OpenSHMEM_INCLUDE_DIRS "${_OpenSHMEM_prefix}/include")
set(OpenSHMEM_C_COMPILER "${_OpenSHMEM_prefix}/bin/oshcc")
set(OpenSHMEM_CXX_COMPILER "${_OpenSHMEM_prefix}/bin/oshc++")
set(OpenSHMEM_Fortran_COMPILER "${_OpenSHMEM_prefix}/bin/oshfort")

if(NOT TARGET OpenSHMEM::OpenSHMEM)
  add_library(OpenSHMEM::OpenSHMEM SHARED IMPORTED)
  # Not as a system directory: those come last, and an MPI's own shmem.h would be found before ours.
  set_target_properties(OpenSHMEM::OpenSHMEM PROPERTIES
    IMPORTED_LOCATION "${_OpenSHMEM_prefix}/lib/liboshmpi.so.@VERSION@"
    IMPORTED_SONAME "@SONAME@"
    IMPORTED_NO_SYSTEM ON
    INTERFACE_INCLUDE_DIRECTORIES "${OpenSHMEM_INCLUDE_DIRS}")

  add_library(OpenSHMEM::OpenSHMEM_static STATIC IMPORTED)
  set_target_properties(OpenSHMEM::OpenSHMEM_static PROPERTIES
    IMPORTED_LOCATION "${_OpenSHMEM_prefix}/lib/liboshmpi.a"
    IMPORTED_NO_SYSTEM ON
    INTERFACE_INCLUDE_DIRECTORIES "${OpenSHMEM_INCLUDE_DIRS}"
    INTERFACE_LINK_LIBRARIES "@LIBS@")
endif()

# Options that make default kinds wider, among the directory's or the flags, as they are or within generator expressions: archives
# take their names in the library's place, as with oshfort. Each calls names that those behind it have.
get_directory_property(_OpenSHMEM_options COMPILE_OPTIONS)
set(_OpenSHMEM_configs ${CMAKE_CONFIGURATION_TYPES})
if(NOT CMAKE_CONFIGURATION_TYPES)
  set(_OpenSHMEM_configs ${CMAKE_BUILD_TYPE})
endif()
if(NOT _OpenSHMEM_configs)
  set(_OpenSHMEM_configs NOCONFIG)
endif()
# No IN_LIST: projects with policies of CMake before 3.3 do not have it.
set(_OpenSHMEM_edge "[^-=A-Za-z0-9_]")
set(_OpenSHMEM_refused)
set(_OpenSHMEM_kinds)
foreach(_OpenSHMEM_config ${_OpenSHMEM_configs})
  string(TOUPPER "${_OpenSHMEM_config}" _OpenSHMEM_flags)
  set(_OpenSHMEM_flags " ${_OpenSHMEM_options} ${CMAKE_Fortran_FLAGS} ${CMAKE_Fortran_FLAGS_${_OpenSHMEM_flags}} ")
  if(_OpenSHMEM_flags MATCHES "${_OpenSHMEM_edge}(-fdefault-real-1[06]|-finteger-4-integer-8|-freal-[48]-real-(4|8|10|16))${_OpenSHMEM_edge}")
    set(_OpenSHMEM_refused " for ${CMAKE_MATCH_1}: -fdefault-integer-8, -fdefault-real-8 and -fdefault-double-8 are served")
  endif()
  # Other compilers' words, which do not make DOUBLE PRECISION wider. gfortran does not know them, so with it they are meant for others.
  set(_OpenSHMEM_others)
  if(NOT CMAKE_Fortran_COMPILER_ID MATCHES "^GNU$")
    set(_OpenSHMEM_others "${_OpenSHMEM_flags}")
  endif()
  set(_OpenSHMEM_archives)
  if(_OpenSHMEM_flags MATCHES "${_OpenSHMEM_edge}-fdefault-real-8${_OpenSHMEM_edge}")
    list(APPEND _OpenSHMEM_archives "${_OpenSHMEM_prefix}/lib/liboshmpi_real8.a")
    if(NOT _OpenSHMEM_flags MATCHES "${_OpenSHMEM_edge}-fdefault-double-8${_OpenSHMEM_edge}")
      list(APPEND _OpenSHMEM_archives "${_OpenSHMEM_prefix}/lib/liboshmpi_double16.a")
    endif()
  elseif("${_OpenSHMEM_others}" MATCHES "${_OpenSHMEM_edge}-r8${_OpenSHMEM_edge}")
    list(APPEND _OpenSHMEM_archives "${_OpenSHMEM_prefix}/lib/liboshmpi_real8.a")
  endif()
  if("${_OpenSHMEM_flags}" MATCHES "${_OpenSHMEM_edge}-fdefault-integer-8${_OpenSHMEM_edge}"
     OR "${_OpenSHMEM_others}" MATCHES "${_OpenSHMEM_edge}-i8${_OpenSHMEM_edge}")
    list(APPEND _OpenSHMEM_archives "${_OpenSHMEM_prefix}/lib/liboshmpi_ilp64.a")
  endif()
  if(CMAKE_CONFIGURATION_TYPES AND _OpenSHMEM_archives)
    list(APPEND _OpenSHMEM_kinds "$<$<CONFIG:${_OpenSHMEM_config}>:${_OpenSHMEM_archives}>")
  else()
    list(APPEND _OpenSHMEM_kinds ${_OpenSHMEM_archives})
  endif()
endforeach()

foreach(_OpenSHMEM_language C CXX Fortran)
  set(OpenSHMEM_${_OpenSHMEM_language}_FOUND TRUE)
  if(_OpenSHMEM_language STREQUAL "Fortran" AND (_OpenSHMEM_refused OR NOT EXISTS "${OpenSHMEM_INCLUDE_DIRS}/shmem.fh"))
    set(OpenSHMEM_${_OpenSHMEM_language}_FOUND FALSE)
  endif()
  if(OpenSHMEM_${_OpenSHMEM_language}_FOUND AND NOT TARGET OpenSHMEM::OpenSHMEM_${_OpenSHMEM_language})
    add_library(OpenSHMEM::OpenSHMEM_${_OpenSHMEM_language} INTERFACE IMPORTED)
    set_target_properties(OpenSHMEM::OpenSHMEM_${_OpenSHMEM_language} PROPERTIES
      INTERFACE_LINK_LIBRARIES OpenSHMEM::OpenSHMEM)
    if(_OpenSHMEM_language STREQUAL "Fortran")
      # The flags are gfortran's; another compiler may not know them.
      set_target_properties(OpenSHMEM::OpenSHMEM_Fortran PROPERTIES
        INTERFACE_COMPILE_OPTIONS "$<$<AND:$<COMPILE_LANGUAGE:Fortran>,$<Fortran_COMPILER_ID:GNU>>:@FORTRAN_FLAGS@>"
        INTERFACE_LINK_LIBRARIES "@FORTRAN_LIBS@${_OpenSHMEM_kinds};OpenSHMEM::OpenSHMEM")
    endif()
  endif()
endforeach()

set(OpenSHMEM_FOUND TRUE)
foreach(_OpenSHMEM_language IN LISTS OpenSHMEM_FIND_COMPONENTS)
  if(OpenSHMEM_FIND_REQUIRED_${_OpenSHMEM_language} AND NOT OpenSHMEM_${_OpenSHMEM_language}_FOUND)
    set(OpenSHMEM_FOUND FALSE)
    set(OpenSHMEM_NOT_FOUND_MESSAGE "oshmpi in ${_OpenSHMEM_prefix} has no component ${_OpenSHMEM_language}${_OpenSHMEM_refused}")
  endif()
endforeach()
unset(_OpenSHMEM_language)
unset(_OpenSHMEM_options)
unset(_OpenSHMEM_configs)
unset(_OpenSHMEM_config)
unset(_OpenSHMEM_edge)
unset(_OpenSHMEM_flags)
unset(_OpenSHMEM_others)
unset(_OpenSHMEM_archives)
unset(_OpenSHMEM_refused)
unset(_OpenSHMEM_kinds)
unset(_OpenSHMEM_prefix)
"#;

/// lib/cmake/OpenSHMEM/OpenSHMEMConfigVersion.cmake: programs ask for a version of the standard.
pub fn cmake_version() -> String {
    let major = STANDARD.split('.').next().unwrap_or(STANDARD);
    format!(
        r#"# The version of OpenSHMEM: programs for an older 1.x are served too.
set(PACKAGE_VERSION "{STANDARD}")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION OR NOT "${{PACKAGE_FIND_VERSION_MAJOR}}" MATCHES "^({major})?$")
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
if(CMAKE_SIZEOF_VOID_P AND NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(PACKAGE_VERSION_UNSUITABLE TRUE)
endif()
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::Mpi;

    fn facts(flags: &[&str], libs: &[&'static str]) -> Facts {
        Facts {
            mpi: Mpi::Mpich,
            mpi_version: "4.0.2".to_string(),
            native_libs: vec!["-lm".to_string()],
            mpi_libs: vec!["-lmpich".to_string()],
            fortran_flags: flags.iter().map(|f| f.to_string()).collect(),
            fortran_libs: libs.to_vec(),
            settings: Vec::new(),
        }
    }

    #[test]
    fn cmake_has_what_oshfort_adds() {
        let text = cmake(&facts(&["-fa", "-fb"], &["-loshmpi_fortran"]));
        assert!(text.contains(":-fa;-fb>\""), "{text}");
        let archive = "\"${_OpenSHMEM_prefix}/lib/liboshmpi_fortran.a;${_OpenSHMEM_kinds};OpenSHMEM::OpenSHMEM\"";
        assert!(text.contains(archive), "{text}");
        assert!(text.contains("IMPORTED_SONAME \"liboshmpi.so.0\""), "{text}");
        assert!(!text.contains('@'), "{text}");
    }

    #[test]
    fn cmake_without_a_fortran_compiler_names_no_archive_of_it() {
        let text = cmake(&facts(&[], &[]));
        assert!(text.contains(" \"${_OpenSHMEM_kinds};OpenSHMEM::OpenSHMEM\""), "{text}");
        assert!(!text.contains("liboshmpi_fortran"), "{text}");
    }
}
