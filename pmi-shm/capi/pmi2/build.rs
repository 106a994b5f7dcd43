//! The library's name for the dynamic linker: that of the libraries it can stand in for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpmi2.so.0");
}
