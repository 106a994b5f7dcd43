//! Reads a compiler's command line as far as a wrapper must understand it: does it link, and what should be shown?

use anyhow::{Result, bail};
use std::ffi::{OsStr, OsString};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// The whole command line that would be run (`-show`, `--showme`).
    Line,
    /// The command line for compiling (`-compile-info`).
    CompileLine,
    /// The command line for linking (`-link-info`).
    LinkLine,
    Compile,
    Link,
    /// The underlying compiler (`--showme:command`).
    Command,
    /// Include directories, library directories, library names, the version.
    IncDirs,
    LibDirs,
    Libs,
    Version,
}

#[derive(PartialEq, Eq, Debug, Default)]
pub struct Request {
    /// What is printed, in place of a compilation.
    pub shown: Option<Shown>,
    /// The arguments for the compiler: all but those meant for the wrapper.
    pub user: Vec<OsString>,
    pub has_inputs: bool,
    /// The word by which everything is linked statically: `-static`, `-static-pie`.
    pub static_all: Option<String>,
    /// Default Fortran integers have 8 bytes (`-fdefault-integer-8`, `-i8`, `-oshmpi-ilp64`).
    pub ilp64: bool,
    /// Fortran names have no underscore (`-oshmpi-plain`).
    pub plain: bool,
    /// Find data races (`-oshmpi-race`).
    pub race: bool,
    /// Short calls of C and C++ without a call (`-oshmpi-inline`).
    pub inline: bool,
    /// The program calls MPI too (`-mpi`): it is compiled by this wrapper of an MPI, or without a name by that of the
    /// MPI that oshmpi was installed with.
    pub mpi: Option<Option<OsString>>,
    oshmpi_static: bool,
    /// There are inputs other than headers.
    linkable: bool,
    /// An option stops before linking.
    stops: bool,
    shared: bool,
    /// `-fdefault-real-8`, which makes DOUBLE PRECISION wider too.
    wide_reals: bool,
    /// `-r8` of other compilers, which does not.
    r8: bool,
    double8: bool,
}

impl Request {
    /// # Errors
    /// An unknown `--showme:` word, an option of the wrapper in a response file, kinds that are not served, and a
    /// static runtime in a shared object.
    pub fn parse(args: Vec<OsString>) -> Result<Request> {
        let mut r = Request::default();
        for arg in args {
            match arg.to_str().unwrap_or("") {
                "-show" | "-showme" | "--showme" => r.shown = Some(Shown::Line),
                "-compile-info" | "-compile_info" => r.shown = Some(Shown::CompileLine),
                "-link-info" | "-link_info" => r.shown = Some(Shown::LinkLine),
                "-oshmpi-static" => r.oshmpi_static = true,
                "-oshmpi-ilp64" => r.ilp64 = true,
                "-oshmpi-plain" => r.plain = true,
                "-oshmpi-race" => r.race = true,
                "-oshmpi-inline" => r.inline = true,
                "-mpi" => r.mpi = Some(None),
                a if a.starts_with("-mpi=") => r.mpi = Some(Some(a["-mpi=".len()..].into())),
                // The compiler would take it for `-o` and a file's name.
                a if a.starts_with("-oshmpi") => bail!(
                    "{a} is no option of this wrapper, which has {}; a file of that name is written -o {}",
                    OWN.join(", "),
                    &a[2..]
                ),
                a if a.starts_with("--showme:") || a.starts_with("-showme:") => r.shown = Some(shown_part(a)?),
                _ => r.user.push(arg),
            }
        }
        r.scan(&r.user.clone(), 0)?;
        if r.oshmpi_static && r.shared {
            bail!(
                "-oshmpi-static does not go with -shared: the object would carry a second runtime; \
                 link the program with it instead"
            );
        }
        if r.race && r.static_all.is_some() {
            bail!(
                "-oshmpi-race does not go with -static: it needs the shared C library; \
                 -oshmpi-static links the runtime alone statically"
            );
        }
        if r.race && r.inline {
            bail!("-oshmpi-race does not go with -oshmpi-inline: the detector would not see the calls");
        }
        Ok(r)
    }

    /// No option stops before linking. (Without inputs nothing is linked all the same.) Headers alone make a
    /// precompiled header.
    pub fn may_link(&self) -> bool {
        !self.stops && (!self.has_inputs || self.linkable)
    }

    pub fn links(&self) -> bool {
        self.may_link() && self.has_inputs
    }

    /// Link liboshmpi.a (`-oshmpi-static`, `-static`).
    pub fn static_runtime(&self) -> bool {
        self.oshmpi_static || self.static_all.is_some()
    }

    /// Default REAL has 8 bytes (`-fdefault-real-8`, `-r8`).
    pub fn real8(&self) -> bool {
        self.wide_reals || self.r8
    }

    /// DOUBLE PRECISION has 16 bytes (`-fdefault-real-8` without `-fdefault-double-8`).
    pub fn double16(&self) -> bool {
        self.wide_reals && !self.double8
    }

    /// Takes note of what words mean to the compiler.
    fn scan(&mut self, args: &[OsString], depth: usize) -> Result<()> {
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let arg = arg.to_string_lossy();
            match &*arg {
                // The compiler would take it for `-o`.
                own if OWN.contains(&own) => {
                    bail!("{own} stands in a file of options, which the compiler reads: give it on the command line")
                }
                stop if STOPS.contains(&stop) => self.stops = true,
                option if is_one_of(WITH_VALUE, option) => drop(args.next()),
                "-fdefault-integer-8" | "-i8" => self.ilp64 = true,
                "-fdefault-real-8" => self.wide_reals = true,
                "-r8" => self.r8 = true,
                "-fdefault-double-8" => self.double8 = true,
                // A put would move a part of each element.
                kind if is_one_of(OTHER_KINDS, kind) => bail!(
                    "{kind} makes variables of another kind than the library's routines can be told of; \
                     -fdefault-integer-8, -fdefault-real-8 and -fdefault-double-8 are served"
                ),
                "-shared" | "--shared" => self.shared = true,
                all @ ("-static" | "--static" | "-static-pie" | "--static-pie") => self.static_all = Some(all.into()),
                file if file.starts_with('@') => self.response_file(&file[1..], depth)?,
                input if input == "-" || !input.starts_with('-') || input.starts_with("-l") => {
                    self.has_inputs = true;
                    self.linkable |= !is_header(input);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads a file of objects and options like the command line.
    fn response_file(&mut self, file: &str, depth: usize) -> Result<()> {
        match pmi_shm::files::text(file) {
            Ok(text) if depth < DEEPEST_RESPONSE_FILE => {
                let words: Vec<OsString> = split_words(&text).into_iter().map(OsString::from).collect();
                self.scan(&words, depth + 1)
            }
            // The compiler will complain about the file, or take it for an input, as gcc does with a missing one.
            _ => {
                (self.has_inputs, self.linkable) = (true, true);
                Ok(())
            }
        }
    }
}

fn shown_part(arg: &str) -> Result<Shown> {
    Ok(match arg.split_once(':').map_or("", |(_, what)| what) {
        "compile" => Shown::Compile,
        "link" => Shown::Link,
        "command" => Shown::Command,
        "incdirs" => Shown::IncDirs,
        "libdirs" => Shown::LibDirs,
        "libs" => Shown::Libs,
        "version" => Shown::Version,
        _ => {
            bail!("{arg} is not known; there are compile, link, command, incdirs, libdirs, libs, version")
        }
    })
}

/// Options of gcc, clang and gfortran whose value is the next argument. The value of an option that is missing here
/// would be taken for an input file, which matters only for a call without any real input.
const WITH_VALUE: &str = "\
    -o -I -L -D -U -x -T -u -z -e -h -J -B -F -include -imacros -isystem -idirafter -iquote -iprefix \
    -iwithprefix -iwithprefixbefore -isysroot -MF -MT -MQ -MJ -Xlinker -Xassembler -Xpreprocessor -Xclang -mllvm \
    -target -arch --param --sysroot -aux-info -dumpbase -dumpbase-ext -dumpdir -wrapper -specs -rpath";

/// Options after which nothing is linked. `-r` makes a relocatable object, which takes no libraries.
const STOPS: &[&str] = &["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r", "--precompile", "-emit-ast"];

/// gfortran's options that make default or named kinds wider, and are not served.
const OTHER_KINDS: &str = "\
    -fdefault-real-10 -fdefault-real-16 -finteger-4-integer-8 -freal-4-real-8 -freal-4-real-10 -freal-4-real-16 \
    -freal-8-real-4 -freal-8-real-10 -freal-8-real-16";

const OWN: &[&str] = &["-oshmpi-static", "-oshmpi-ilp64", "-oshmpi-plain", "-oshmpi-race", "-oshmpi-inline"];

/// How deep response files may name others. gcc has a limit too; without one a file that names itself would not end.
const DEEPEST_RESPONSE_FILE: usize = 8;

fn is_one_of(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|w| w == word)
}

fn is_header(arg: &str) -> bool {
    let extension = std::path::Path::new(arg).extension().and_then(OsStr::to_str);
    matches!(extension, Some("h" | "H" | "hh" | "hp" | "hpp" | "hxx" | "h++" | "HPP" | "tcc"))
}

/// Splits a line like a shell. An open quote ends with the text, as in gcc's response files.
pub fn split_words(text: &str) -> Vec<String> {
    let closed = ["", "\"", "'"].iter().find_map(|end| shlex::split(&format!("{text}{end}")));
    closed.unwrap_or_else(|| shlex::Shlex::new(text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_options_in_a_file_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("options");
        std::fs::write(&file, "a.c -oshmpi-static").unwrap();
        let e = Request::parse(vec![format!("@{}", file.display()).into()]).unwrap_err().to_string();
        assert!(e.starts_with("-oshmpi-static stands in a file"), "{e}");
    }

    fn parse(line: &str) -> Request {
        Request::parse(line.split_whitespace().map(OsString::from).collect()).unwrap()
    }

    #[test]
    fn what_links() {
        let lines = "a.c | a.o -o a | -o a a.o | -shared -o liba.so a.o | -lfoo -o a | -v a.c | -MD a.c | \
                     -MMD -MF a.d a.c | -x c - -o a | -O2 a.c b.h | liba.a";
        for line in lines.split(" | ") {
            assert!(parse(line).links(), "{line}");
        }
    }

    #[test]
    fn what_does_not_link() {
        let lines = " | -c a.c | -S a.c | -E a.c | -M a.c | -MM a.c | -fsyntax-only a.c | -v | --version | \
                     -dumpversion | -print-file-name=libc.so | -o a | -I inc -D X -o a | a.h | \
                     -Wl,-z,now | -Xlinker -znow | -r a.o -o b.o";
        for line in lines.split(" | ") {
            assert!(!parse(line).links(), "{line}");
        }
    }

    #[test]
    fn eight_byte_integers_are_seen() {
        assert!(parse("-fdefault-integer-8 a.f").ilp64);
        assert!(parse("a.o -i8").ilp64);
        let kinds = |line: &str| {
            let r = parse(line);
            (r.ilp64, r.real8(), r.double16())
        };
        assert_eq!(kinds("-fdefault-real-8 a.f"), (false, true, true));
        assert_eq!(kinds("-fdefault-double-8 -fdefault-real-8 a.f"), (false, true, false));
        assert_eq!(kinds("-r8 -i8 a.f"), (true, true, false));
        assert_eq!(kinds("a.f"), (false, false, false));
        let own = parse("-oshmpi-ilp64 a.o");
        assert!(own.ilp64 && !own.plain && own.user == ["a.o"]);
        assert!(parse("-oshmpi-race a.c").race && !parse("a.c").race);
        assert!(parse("-oshmpi-inline a.c").inline && !parse("a.c").inline);
        let own = parse("-oshmpi-plain a.o");
        assert!(own.plain && own.user == ["a.o"]);
        // The module calls C's routines by these names, rightly.
        assert!(!parse("-fno-underscoring a.o").plain);
    }

    #[test]
    fn refused() {
        let refuse = |line: &str| {
            let args = line.split_whitespace().map(OsString::from).collect();
            Request::parse(args).unwrap_err().to_string()
        };
        assert!(refuse("--showme:colour").contains("--showme:colour is not known"));
        assert!(refuse("-static -oshmpi-race a.o").contains("-static"));
        assert!(refuse("-oshmpi-race -oshmpi-inline a.c").contains("does not go with"));
        assert!(refuse("-freal-4-real-8 a.f90").contains("-freal-4-real-8 makes variables of another kind"));
        assert!(refuse("-c -fdefault-real-16 a.f90").contains("-fdefault-real-8"));
        assert!(
            refuse("-oshmpi-statik a.c -o a").starts_with("-oshmpi-statik is no option of this wrapper, which has")
        );
        assert!(refuse("a.c -oshmpi").ends_with("a file of that name is written -o shmpi"));
    }

    #[test]
    fn response_files_decide_like_the_line() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("objects");
        std::fs::write(&inner, "a.o\n'b c.o' -o x").unwrap();
        let outer = dir.path().join("all");
        std::fs::write(&outer, format!("@{}", inner.display())).unwrap();
        assert!(parse(&format!("@{}", outer.display())).links());
        std::fs::write(&inner, "-I inc -c").unwrap();
        assert!(!parse(&format!("@{} a.c", outer.display())).links());
        // The compiler takes an open quote to the end of the file.
        std::fs::write(&inner, "'a c.o").unwrap();
        assert!(parse(&format!("@{}", inner.display())).links());
        assert_eq!(split_words("a \"b c"), ["a", "b c"]);
        // A file that names itself ends.
        std::fs::write(&inner, format!("@{}", inner.display())).unwrap();
        assert!(parse(&format!("@{}", inner.display())).links());
    }
}
