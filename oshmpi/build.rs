//! Compiles the C files of the runtime into the archive.

fn main() {
    println!("cargo:rerun-if-changed=src/api/byvalue.c");
    cc::Build::new()
        .file("src/api/byvalue.c")
        .flag("-std=c11")
        .warnings(true)
        .extra_warnings(true)
        .compile("oshmpi_byvalue");

    println!("cargo:rerun-if-changed=src/mpi/shim.c");
    println!("cargo:rerun-if-env-changed=MPICC");
    // A model run compiles without MPI.
    if std::env::var_os("CARGO_CFG_LOOM").is_none() {
        let mpicc = std::env::var_os("MPICC").unwrap_or_else(|| "mpicc".into());
        cc::Build::new().compiler(mpicc).file("src/mpi/shim.c").flag("-std=c11").compile("oshmpi_mpi_shim");
    }
}
