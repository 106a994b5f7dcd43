//! How a library is loaded at run time: one of the network, or a driver. It is never unloaded.

/// `Library`: the functions of a library, each with its symbol and its type in the library's header. `Library::load`
/// loads the file. The method `$tried` refuses a version that was not tried.
macro_rules! functions {
    (
        $file:expr, $tried:ident;
        $($field:ident = $symbol:literal: fn($($arg:ty),*) $(-> $result:ty)?;)*
    ) => {
        pub(super) struct Library {
            $(pub(super) $field: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl Library {
            /// The library, which stays loaded; or why it cannot be loaded.
            pub(super) fn load() -> Result<&'static Library, String> {
                use std::sync::OnceLock;
                static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
                let of = |library: &libloading::Library| {
                    // SAFETY: the types are those of the library's header.
                    Ok(unsafe { Library { $($field: *library.get($symbol.as_bytes())?,)* } })
                };
                let load = || $crate::os::library::load($file, of).and_then(Library::$tried);
                LIBRARY.get_or_init(load).as_ref().map_err(String::clone)
            }
        }
    };
}
pub(crate) use functions;

/// Loads a file, for good, and finds its functions.
pub(crate) fn load<L>(
    file: &str,
    functions: impl FnOnce(&libloading::Library) -> Result<L, libloading::Error>,
) -> Result<L, String> {
    // SAFETY: the library that the system, MPI or the user has under this name; its initialisers are trusted.
    let library = unsafe { libloading::Library::new(file) }.map_err(|e| e.to_string())?;
    let functions = functions(&library).map_err(|e| e.to_string());
    core::mem::forget(library); // its functions are called to the end of the process
    functions
}

/// Has the compiler compare numbers with those of a library's headers, where `condition` is true in these. Without the
/// first header there is nothing to compare with.
#[cfg(test)]
pub(crate) fn assert_equal_to_header<N: core::fmt::Display>(
    headers: &[String],
    condition: &str,
    numbers: impl IntoIterator<Item = (&'static str, N)>,
) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut source = "#include <stddef.h>\n".to_owned();
    source.extend(headers.iter().map(|header| format!("#include <{header}>\n")));
    source += &format!("#if {condition}\n");
    source.extend(numbers.into_iter().map(|(of_the_header, ours)| {
        format!("_Static_assert((unsigned long long)({of_the_header}) == {ours}ULL, \"{of_the_header}\");\n")
    }));
    source += "#endif\n";
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-fsyntax-only", "-x", "c", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut cc = cc.spawn().unwrap();
    cc.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    let compiled = cc.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&compiled.stderr);
    let has_header = !printed.contains(&format!("{}: No such file", headers[0]));
    if !has_header {
        println!("not compared: {} is not installed", headers[0]);
    }
    assert!(compiled.status.success() || !has_header, "{printed}");
}
