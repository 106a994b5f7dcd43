//! Compiles the C files of the runtime into the archive.

fn main() {
    println!("cargo:rerun-if-changed=src/api/byvalue.c");
    cc::Build::new()
        .file("src/api/byvalue.c")
        .flag("-std=c11")
        .warnings(true)
        .extra_warnings(true)
        .compile("oshmpi_byvalue");
}
