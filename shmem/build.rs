//! Gives the examples the same run path as those of shmem-sys, and the directory to programs: DEP_SHMEM_LIB_DIR.

fn main() {
    if let Ok(dir) = std::env::var("DEP_OSHMPI_LIB_DIR") {
        println!("cargo::rustc-link-arg-examples=-Wl,-rpath,{dir}");
        println!("cargo::metadata=lib_dir={dir}");
    }
}
