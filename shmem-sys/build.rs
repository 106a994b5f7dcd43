//! Makes Rust declarations of the installed shmem.h and tells cargo where liboshmpi.so is.

use bindgen::callbacks::{IntKind, ParseCallbacks};
use std::env;
use std::path::{Path, PathBuf};

fn main() {
    let found = find();
    declare(&found.include.join("shmemx.h"));
    link_with_library(&found.lib);
}

/// Directories of an installation.
struct Found {
    include: PathBuf,
    lib: PathBuf,
}

/// The installation below OSHMPI_PREFIX, else the one that pkg-config knows. In a checkout of oshmpi the header is the
/// checkout's, which `cargo xtask gen` writes. If there is no installation, the library is that of `cargo xtask test`
/// then.
fn find() -> Found {
    println!("cargo::rerun-if-env-changed=OSHMPI_PREFIX");
    let variable = |name: &str| pkg_config::get_variable("oshmpi", name).map(PathBuf::from);
    let installed = match env::var_os("OSHMPI_PREFIX").map(PathBuf::from) {
        Some(prefix) => Ok(Found { include: prefix.join("include"), lib: prefix.join("lib") }),
        None => variable("includedir").and_then(|include| Ok(Found { include, lib: variable("libdir")? })),
    };
    let top = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    let written = top.join("target/include");
    if written.join("shmem.h").exists() {
        let lib = installed.map_or_else(|_| top.join("target/prefix/mpich/lib"), |found| found.lib);
        return Found { include: written, lib };
    }
    installed.unwrap_or_else(|e| {
        panic!(
            "no oshmpi: set OSHMPI_PREFIX to its prefix, or PKG_CONFIG_PATH to PREFIX/lib/pkgconfig, or call `cargo \
             xtask gen` in its checkout: {e}"
        )
    })
}

/// Writes `OUT_DIR/shmem.rs`.
fn declare(header: &Path) {
    let header = header.to_str().expect("the path of the installation is UTF-8");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("shmem.rs");
    println!("cargo::rerun-if-changed={header}");
    bindgen::Builder::default()
        .header_contents("handles.h", &format!("#include \"{header}\"\n{HANDLES}"))
        .clang_arg("-std=c99")
        .allowlist_function(
            "shmem_.*|shmemx_(req|.*_nb).*|start_pes|_my_pe|_num_pes|shmalloc|shfree|shrealloc|shmemalign",
        )
        .allowlist_type("shmem_.*|shmemx_req_t")
        .allowlist_var("SHMEM_.*|oshmpi_handle_.*")
        // lib.rs has them as constants: reading an object of the library is unsafe.
        .blocklist_var("SHMEM_(CTX|TEAM)_(INVALID|DEFAULT|WORLD|SHARED)")
        // bindgen takes `long double` for u128, which has its size but is passed in other registers. Behind a pointer
        // that is harmless; by value it is not.
        .blocklist_function("shmem_(ctx_)?longdouble_[pg]")
        // So that shmem_global_exit gets the type `-> !`.
        .enable_function_attribute_detection()
        .use_core()
        .ctypes_prefix("core::ffi")
        .generate_cstr(true)
        .layout_tests(false)
        .generate_comments(false)
        .parse_callbacks(Box::new(Constants))
        .generate()
        .unwrap_or_else(|e| panic!("cannot make bindings of {header}: {e}"))
        .write_to_file(&out)
        .unwrap_or_else(|e| panic!("cannot write {}: {e}", out.display()));
}

/// bindgen skips macros that expand to a cast. These constants pass the values of the predefined handles to lib.rs.
const HANDLES: &str = "
static const unsigned long oshmpi_handle_CTX_INVALID = (unsigned long)SHMEM_CTX_INVALID;
static const unsigned long oshmpi_handle_CTX_DEFAULT = (unsigned long)SHMEM_CTX_DEFAULT;
static const unsigned long oshmpi_handle_TEAM_INVALID = (unsigned long)SHMEM_TEAM_INVALID;
static const unsigned long oshmpi_handle_TEAM_WORLD = (unsigned long)SHMEM_TEAM_WORLD;
static const unsigned long oshmpi_handle_TEAM_SHARED = (unsigned long)SHMEM_TEAM_SHARED;
";

/// Gives each constant the type of the parameter for which it is meant.
#[derive(Debug)]
struct Constants;

impl ParseCallbacks for Constants {
    fn int_macro(&self, name: &str, _value: i64) -> Option<IntKind> {
        let is_length = name.ends_with("_SIZE") || name.ends_with("_LEN");
        let is_long = ["SHMEM_CTX_", "SHMEM_TEAM_", "SHMEM_MALLOC_", "SHMEM_SYNC_VALUE"];
        Some(match name {
            _ if is_length => IntKind::Custom { name: "usize", is_signed: false },
            _ if is_long.iter().any(|start| name.starts_with(start)) => IntKind::Long,
            _ => IntKind::Int,
        })
    }
}

fn link_with_library(dir: &Path) {
    // pkg-config gives a path with `..` in it. A path that does not exist is an error of the linker, not of this.
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    let dir = dir.display();
    println!("cargo::rustc-link-search=native={dir}");
    println!("cargo::rustc-link-lib=dylib=oshmpi");
    println!("cargo::rustc-link-arg-examples=-Wl,-rpath,{dir}");
    // For the build script of a program that wants the same run path: DEP_OSHMPI_LIB_DIR.
    println!("cargo::metadata=lib_dir={dir}");
}
