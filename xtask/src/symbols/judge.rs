//! Comparing a library with the list of the standard.

use super::library::{Library, Symbol};
use crate::install::glibc::is_of_system;
use crate::install::library::intercepted;
use crate::spec::fortran::Routine;
use crate::spec::{Kind, Spec, shifted};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Prefix of names that no standard gives.
const OURS: &str = "oshmpi_";

/// Bytes that a library may have: two fifths of what the archive had while its objects carried bitcode.
const LARGEST: u64 = 18_000_000;

/// What a library must have.
pub struct Expected {
    /// Names without the profiling `p`.
    routines: BTreeSet<String>,
    extensions: BTreeSet<String>,
    /// Objects with the values of the predefined handles.
    handles: BTreeSet<String>,
    fortran: Vec<Routine>,
}

impl Expected {
    pub fn new(spec: &Spec, fortran: Vec<Routine>) -> Result<Expected> {
        let handles = spec.constants.iter().filter(|c| matches!(c.kind, Kind::Handle(_))).map(|c| c.name.clone());
        let extensions = spec.beyond()?.into_iter().chain(Spec::of_shmemx()?.names()?).collect();
        Ok(Expected { routines: spec.names()?, extensions, handles: handles.collect(), fortran })
    }

    /// How many routines each library must have.
    pub fn routines(&self) -> usize {
        self.routines.len()
    }

    /// How many of them for Fortran beside those.
    pub fn fortran(&self) -> usize {
        self.fortran.len()
    }

    /// One sentence for everything that is not as it should be.
    pub fn judge(&self, library: &Library) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut by_name: BTreeMap<&str, &Symbol> = BTreeMap::new();
        for s in &library.defined {
            if by_name.insert(&s.name, s).is_some() {
                complaints.push(format!("{} is defined twice", s.name));
            }
        }
        for name in &self.routines {
            complaints.extend(routine(&by_name, name, &shifted(name)));
        }
        for name in &self.handles {
            match by_name.get(name.as_str()) {
                None => complaints.push(format!("{name} is missing")),
                Some(s) if s.code => complaints.push(format!("{name} is a function, must be an object")),
                Some(_) => {}
            }
        }
        for r in &self.fortran {
            complaints.extend(fortran(&by_name, r));
        }
        let fortran_names: Vec<String> = self.fortran.iter().flat_map(Routine::symbols).collect();
        let known: BTreeSet<String> =
            self.routines.union(&self.extensions).chain(&fortran_names).flat_map(|n| [n.clone(), shifted(n)]).collect();
        for name in by_name.keys().filter(|n| !known.contains(**n)) {
            if is_routine(name) {
                let list = if name.ends_with('_') { "fortran-1.4.api" } else { "openshmem-1.6.api" };
                complaints.push(format!("{name} is not in spec/{list}"));
            } else if !name.starts_with(OURS)
                && !self.handles.contains(*name)
                && !intercepted().any(|entry| entry == **name)
            {
                complaints.push(format!("{name} should not be exported"));
            }
        }
        let plain: BTreeSet<&String> = self.routines.union(&self.extensions).chain(&fortran_names).collect();
        for name in library.referred.iter().collect::<BTreeSet<_>>().intersection(&plain) {
            // A profiling tool must see the program's calls only: the library must never call the tool's routine.
            complaints.push(format!("its own code refers to {name} through the linker"));
        }
        // MPI is loaded, by the library that makes a table of it.
        let of_mpi = |n: &&String| ["MPI_", "PMPI_"].iter().any(|start| n.starts_with(start));
        let called = library.referred.iter().filter(of_mpi).filter(|n| !by_name.contains_key(n.as_str()));
        complaints.extend(called.collect::<BTreeSet<_>>().iter().map(|n| format!("it needs {n} of an MPI")));
        let foreign = library.needed.iter().filter(|n| !is_of_system(n));
        complaints.extend(foreign.map(|n| format!("it is linked with {n}")));
        // Linkers and nm with a plugin of LLVM read the bitcode and not the code, and most cannot read that of another
        // version.
        complaints.extend(library.bitcode.iter().map(|member| format!("{member} has LLVM bitcode")));
        // What it registers with the C library for the end of the process and for forks has to stay.
        if library.shared && !library.stays {
            complaints.push("dlclose() unloads it: it is not linked with -z nodelete".to_string());
        }
        if library.size > LARGEST {
            complaints.push(format!("it has {} bytes, more than {LARGEST}", library.size));
        }
        complaints
    }
}

/// Whether this is a name that only the standard may give.
fn is_routine(name: &str) -> bool {
    name.starts_with("shmem_") || name.starts_with("pshmem_")
}

/// Looks at all names of one Fortran routine: each manglings' two, and the one for 8-byte integers.
fn fortran(by_name: &BTreeMap<&str, &Symbol>, r: &Routine) -> Vec<String> {
    let strong = r.strong();
    let mut complaints: Vec<String> = r.symbols().iter().flat_map(|n| routine(by_name, n, &shifted(n))).collect();
    let place = |name: &str| by_name.get(name).map(|s| s.place);
    for name in r.symbols().iter().map(|n| shifted(n)).filter(|n| *n != strong) {
        if place(&name).is_some() && place(&name) != place(&strong) {
            complaints.push(format!("{name} and {strong} are not the same function"));
        }
    }
    if place(&r.ilp64()).is_none() {
        complaints.push(format!("{} is missing", r.ilp64()));
    }
    complaints
}

/// Looks at both names of one routine.
fn routine(by_name: &BTreeMap<&str, &Symbol>, name: &str, shifted: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut look = |name: &str, weak: bool| {
        let found = by_name.get(name).copied();
        match found {
            None => complaints.push(format!("{name} is missing")),
            Some(s) if s.weak != weak => {
                let (is, must) = if weak { ("strong", "weak") } else { ("weak", "strong") };
                complaints.push(format!("{name} is {is}, must be {must}"));
            }
            Some(s) if !s.code => complaints.push(format!("{name} is not a function")),
            Some(_) => {}
        }
        found.map(|s| s.place)
    };
    if let (Some(a), Some(b)) = (look(name, true), look(shifted, false))
        && a != b
    {
        complaints.push(format!("{name} and {shifted} are not the same function"));
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::super::library;
    use super::*;
    use std::path::Path;
    use std::process::Command;

    const RIGHT: &str = "
        void pshmem_a(void) { } void shmem_a(void) __attribute__((weak, alias(\"pshmem_a\")));
        int p_my_pe(void) { return 1; } int _my_pe(void) __attribute__((weak, alias(\"p_my_pe\")));
        void pshmem_a_(void) { } void pshmem_a__(void) __attribute__((alias(\"pshmem_a_\")));
        void shmem_a_(void) __attribute__((weak, alias(\"pshmem_a_\")));
        void shmem_a__(void) __attribute__((weak, alias(\"pshmem_a_\")));
        void oshmpi_ilp64_shmem_a(void) { }
        int oshmpi_inner(void) { return 2; }
        void *const SHMEM_NONE = 0;";

    fn cc(args: &[&str], dir: &Path) {
        let out = Command::new("cc").args(args).current_dir(dir).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }

    /// Complaints about an archive and a shared object made of one C source.
    fn both(source: &str) -> [Vec<String>; 2] {
        linked(source, "-Wl,-z,nodelete")
    }

    /// Complaints about them where this option links the shared object.
    fn linked(source: &str, option: &str) -> [Vec<String>; 2] {
        let list = "handle h_t SHMEM_NONE\ngroup G\nvoid shmem_a ( void )\nint _my_pe ( void )\nextension shmem_more\n";
        let fortran = crate::spec::fortran::parse("group F\ncall shmem_a ( )").unwrap();
        let expected = Expected::new(&Spec::from_text(list).unwrap(), fortran).unwrap();
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("x.c"), source).unwrap();
        cc(&["-c", "-fPIC", "-O1", "x.c"], dir.path());
        let ar = Command::new("ar").args(["rcs", "x.a", "x.o"]).current_dir(dir.path()).status();
        assert!(ar.unwrap().success());
        cc(&["-shared", option, "-o", "x.so", "x.o"], dir.path());
        let archive = library::archive(&dir.path().join("x.a")).unwrap();
        let shared = library::shared(&dir.path().join("x.so")).unwrap();
        [expected.judge(&archive), expected.judge(&shared)]
    }

    #[test]
    fn a_right_library_passes() {
        assert_eq!(both(RIGHT), [Vec::<String>::new(), Vec::new()]);
        let more = format!("{RIGHT} void pshmem_more(void) {{ }}");
        assert_eq!(both(&more), [Vec::<String>::new(), Vec::new()]);
    }

    /// Both libraries are refused for one and the same reason.
    #[test]
    fn what_is_wrong_is_named() {
        let handle = "void *const SHMEM_NONE = 0;";
        let underscores = "void shmem_a__(void) __attribute__((weak, alias(\"pshmem_a_\")));";
        for (old, new, reason) in [
            ("weak, alias(\"p_my_pe\")", "visibility(\"hidden\")", "_my_pe is missing"),
            (handle, "", "SHMEM_NONE is missing"),
            (handle, "void SHMEM_NONE(void) { }", "SHMEM_NONE is a function, must be an object"),
            ("weak, alias(\"pshmem_a\")", "alias(\"pshmem_a\")", "shmem_a is strong, must be weak"),
            ("void pshmem_a(", "__attribute__((weak)) void pshmem_a(", "pshmem_a is weak, must be strong"),
            ("alias(\"pshmem_a\")", "alias(\"oshmpi_inner\")", "shmem_a and pshmem_a are not the same function"),
            ("void oshmpi_ilp64_shmem_a(void) { }", "", "oshmpi_ilp64_shmem_a is missing"),
            (underscores, "", "shmem_a__ is missing"),
            ("", "void shmem_b(void) { }", "shmem_b is not in spec/openshmem-1.6.api"),
            ("", "void pshmem_b(void) { }", "pshmem_b is not in spec/openshmem-1.6.api"),
            ("", "void shmem_b_(void) { }", "shmem_b_ is not in spec/fortran-1.4.api"),
            ("", "int SHMEM_OTHER;", "SHMEM_OTHER should not be exported"),
            ("", "int MPI_Init(void) { return 0; } int helper;", "helper should not be exported"),
            ("", "int MPI_X(void); int oshmpi_f(void) { return MPI_X(); }", "it needs MPI_X of an MPI"),
            ("", "int PMPI_X(void); int oshmpi_f(void) { return PMPI_X(); }", "it needs PMPI_X of an MPI"),
        ] {
            let source = if old.is_empty() { format!("{RIGHT} {new}") } else { RIGHT.replace(old, new) };
            assert_eq!(both(&source), [[reason], [reason]]);
        }
    }

    #[test]
    fn a_second_definition_is_found() {
        let symbol = |name: &str, member| library::Symbol {
            name: name.to_string(),
            weak: false,
            code: true,
            place: (member, 1, 0),
        };
        let defined = ["pshmem_a", "oshmpi_twice"].map(|n| [symbol(n, 0), symbol(n, 1)]).concat();
        let extensions = BTreeSet::from(["shmem_a".into()]);
        let (routines, handles) = (BTreeSet::new(), BTreeSet::new());
        let complaints = Expected { routines, extensions, handles, fortran: Vec::new() }
            .judge(&Library { defined, ..Default::default() });
        assert_eq!(complaints, ["pshmem_a is defined twice", "oshmpi_twice is defined twice"]);
    }

    #[test]
    fn data_is_not_a_function() {
        let data =
            RIGHT.replace("int p_my_pe(void) { return 1; } int _my_pe(void)", "int p_my_pe = 1; extern int _my_pe");
        for complaints in both(&data) {
            assert_eq!(complaints, ["_my_pe is not a function", "p_my_pe is not a function"]);
        }
    }

    #[test]
    fn calls_of_our_own_entry_points_are_found() {
        // A second object, because inside one the assembler may resolve the call.
        let [_, shared] = both(&format!("{RIGHT} void oshmpi_f(void) {{ shmem_a(); }}"));
        assert_eq!(shared, ["its own code refers to shmem_a through the linker"]);
        let archive = library::Library { referred: vec!["shmem_a".into()], ..Default::default() };
        let list = Spec::from_text("group G\nvoid shmem_a ( void )").unwrap();
        let complaints = Expected::new(&list, Vec::new()).unwrap().judge(&archive);
        assert!(complaints.contains(&"its own code refers to shmem_a through the linker".to_string()));
    }

    #[test]
    fn mpi_is_not_linked() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("y.c"), "").unwrap();
        cc(&["-shared", "-Wl,-soname,libmpi.so.12", "-o", "liby.so", "y.c"], dir.path());
        let other = dir.path().join("liby.so").display().to_string();
        let [_, shared] = linked(RIGHT, &format!("-Wl,-z,nodelete,--no-as-needed,{other}"));
        assert_eq!(shared, ["it is linked with libmpi.so.12"]);
    }

    #[test]
    fn a_library_that_can_be_unloaded_is_found() {
        let complaints = ["dlclose() unloads it: it is not linked with -z nodelete".to_string()];
        assert_eq!(linked(RIGHT, "-Wl,-z,now"), [vec![], complaints.to_vec()]);
    }

    #[test]
    fn bitcode_and_size_are_looked_at() {
        let bitcode = format!("{RIGHT} __attribute__((section(\".llvmbc\"))) static const char code[4] = \"BC\";");
        let used = format!("{bitcode} const void *oshmpi_code(void) {{ return code; }}");
        let [archive, _] = both(&used);
        assert_eq!(archive, ["x.o has LLVM bitcode"]);
        let large = format!("{RIGHT} __attribute__((section(\".data\"))) char oshmpi_large[{LARGEST}] = {{ 1 }};");
        for complaints in both(&large) {
            let [only] = &complaints[..] else { panic!("{complaints:?}") };
            assert!(only.ends_with(&format!(" bytes, more than {LARGEST}")), "{only}");
        }
    }
}
