# find_package(OpenSHMEM 1.6 [COMPONENTS C CXX Fortran]) with oshmpi.
#
#   OpenSHMEM::OpenSHMEM           the shared library; also as OpenSHMEM::OpenSHMEM_C, _CXX
#   OpenSHMEM::OpenSHMEM_Fortran   the same with what oshfort adds: the module's constants, and flags for gfortran
#   OpenSHMEM::OpenSHMEM_static    the archive, with what it needs
#   OpenSHMEM_VERSION              the version of OpenSHMEM; OpenSHMEM_oshmpi_VERSION is the library's own
#   OpenSHMEM_C_COMPILER, OpenSHMEM_CXX_COMPILER, OpenSHMEM_Fortran_COMPILER    oshcc, oshc++, oshfort
#   OpenSHMEM_MPI, OpenSHMEM_MPIEXEC    the MPI of oshcc -mpi, empty where it is the path's, and its launcher

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
  set_target_properties(OpenSHMEM::OpenSHMEM PROPERTIES
    IMPORTED_LOCATION "${_OpenSHMEM_prefix}/lib/@SONAME@"
    IMPORTED_SONAME "@SONAME@")

  add_library(OpenSHMEM::OpenSHMEM_static STATIC IMPORTED)
  set_target_properties(OpenSHMEM::OpenSHMEM_static PROPERTIES
    IMPORTED_LOCATION "${_OpenSHMEM_prefix}/lib/liboshmpi.a"
    # What the archive loads lies beside it.
    INTERFACE_LINK_LIBRARIES "@LIBS@;-Wl,-rpath,${_OpenSHMEM_prefix}/lib")

  # Not as a system directory: those come last, and an MPI's own shmem.h would be found before ours. CMake before 3.23
  # takes every directory of an imported target for one, so it gets an option.
  foreach(_OpenSHMEM_target OpenSHMEM::OpenSHMEM OpenSHMEM::OpenSHMEM_static)
    if(CMAKE_VERSION VERSION_LESS 3.23)
      set_target_properties(${_OpenSHMEM_target} PROPERTIES
        INTERFACE_COMPILE_OPTIONS "-I${OpenSHMEM_INCLUDE_DIRS}")
    else()
      set_target_properties(${_OpenSHMEM_target} PROPERTIES
        IMPORTED_NO_SYSTEM ON
        INTERFACE_INCLUDE_DIRECTORIES "${OpenSHMEM_INCLUDE_DIRS}")
    endif()
  endforeach()
  unset(_OpenSHMEM_target)
endif()

# Options that make default kinds wider, among the directory's or the flags, as they are or within generator
# expressions: archives take their names in the library's place, as with oshfort. Each calls names that those behind it
# have.
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
set(_OpenSHMEM_wider "-fdefault-real-1[06]|-finteger-4-integer-8|-freal-[48]-real-(4|8|10|16)")
set(_OpenSHMEM_served "-fdefault-integer-8, -fdefault-real-8 and -fdefault-double-8 are served")
set(_OpenSHMEM_refused)
set(_OpenSHMEM_kinds)
foreach(_OpenSHMEM_config ${_OpenSHMEM_configs})
  string(TOUPPER "${_OpenSHMEM_config}" _OpenSHMEM_flags)
  set(_OpenSHMEM_flags " ${_OpenSHMEM_options} ${CMAKE_Fortran_FLAGS} ${CMAKE_Fortran_FLAGS_${_OpenSHMEM_flags}} ")
  if(_OpenSHMEM_flags MATCHES "${_OpenSHMEM_edge}(${_OpenSHMEM_wider})${_OpenSHMEM_edge}")
    set(_OpenSHMEM_refused " for ${CMAKE_MATCH_1}: ${_OpenSHMEM_served}")
  endif()
  # Options of other compilers, which do not make DOUBLE PRECISION wider. gfortran does not know them, so with gfortran
  # they are meant for another compiler.
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
      # The flags are gfortran's; another compiler may not know them. Before release 10 it does not know some of them.
      set(_OpenSHMEM_fortran "@FORTRAN_FLAGS@")
      if(CMAKE_Fortran_COMPILER_VERSION AND CMAKE_Fortran_COMPILER_VERSION VERSION_LESS 10)
        string(REGEX REPLACE "-fallow-[a-z-]+;?" "" _OpenSHMEM_fortran "${_OpenSHMEM_fortran}")
      endif()
      set_target_properties(OpenSHMEM::OpenSHMEM_Fortran PROPERTIES
        INTERFACE_COMPILE_OPTIONS
        "$<$<AND:$<COMPILE_LANGUAGE:Fortran>,$<Fortran_COMPILER_ID:GNU>>:${_OpenSHMEM_fortran}>"
        INTERFACE_LINK_LIBRARIES "@FORTRAN_LIBS@${_OpenSHMEM_kinds};OpenSHMEM::OpenSHMEM")
    endif()
  endif()
endforeach()

set(OpenSHMEM_FOUND TRUE)
foreach(_OpenSHMEM_language IN LISTS OpenSHMEM_FIND_COMPONENTS)
  if(OpenSHMEM_FIND_REQUIRED_${_OpenSHMEM_language} AND NOT OpenSHMEM_${_OpenSHMEM_language}_FOUND)
    set(OpenSHMEM_FOUND FALSE)
    set(OpenSHMEM_NOT_FOUND_MESSAGE "oshmpi in ${_OpenSHMEM_prefix} has no component ${_OpenSHMEM_language}")
    set(OpenSHMEM_NOT_FOUND_MESSAGE "${OpenSHMEM_NOT_FOUND_MESSAGE}${_OpenSHMEM_refused}")
  endif()
endforeach()
unset(_OpenSHMEM_language)
unset(_OpenSHMEM_options)
unset(_OpenSHMEM_configs)
unset(_OpenSHMEM_config)
unset(_OpenSHMEM_edge)
unset(_OpenSHMEM_wider)
unset(_OpenSHMEM_served)
unset(_OpenSHMEM_flags)
unset(_OpenSHMEM_others)
unset(_OpenSHMEM_archives)
unset(_OpenSHMEM_refused)
unset(_OpenSHMEM_kinds)
unset(_OpenSHMEM_fortran)
unset(_OpenSHMEM_prefix)
