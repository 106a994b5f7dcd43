//! Compiles what the crate `mpi` lacks.

fn main() {
    println!("cargo:rerun-if-changed=src/shim.c");
    println!("cargo:rerun-if-env-changed=MPICC");
    let mpicc = std::env::var_os("MPICC").unwrap_or_else(|| "mpicc".into());
    cc::Build::new().compiler(mpicc).file("src/shim.c").flag("-std=c11").compile("oshmpi_mpi_shim");
}
