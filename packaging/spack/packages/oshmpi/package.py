# SPDX-License-Identifier: (Apache-2.0 OR MIT)
#
#   spack repo add packaging/spack
#   spack install oshmpi ^mpich          # or ^openmpi, ...

from spack.package import *


class Oshmpi(Package):
    """OpenSHMEM 1.6 for C, C++ and Fortran programs over MPI-3 RMA, with a launcher and compiler wrappers of its own.
    This is not pmodels' OSHMPI."""

    homepage = "https://github.com/oshmpi/oshmpi"
    git = "https://github.com/oshmpi/oshmpi.git"

    maintainers("oshmpi")

    license("MIT OR Apache-2.0")

    version("main", branch="main")

    variant("lto", default=True, description="Link-time optimisation: the build takes twice as long, calls are faster")

    depends_on("c", type="build")
    # The Fortran module, and the libraries behind it.
    depends_on("fortran", type="build")
    depends_on("mpi@3:")
    depends_on("rust@1.95:", type="build")
    # bindgen reads the MPI's header with libclang.
    depends_on("llvm+clang", type="build")
    # Reads the objects of liboshmpi.a, which ld.bfd joins.
    depends_on("binutils+ld", type="build")

    def setup_build_environment(self, env):
        env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo-home"))

    def install(self, spec, prefix):
        options = ["--prefix", prefix, "--mpicc", spec["mpi"].mpicc]
        if spec.satisfies("~lto"):
            options.append("--quick")
        which("cargo")("xtask", "install", *options)

    def setup_run_environment(self, env):
        env.prepend_path("MANPATH", self.prefix.share.man)

    def setup_dependent_package(self, module, dependent_spec):
        self.spec.oshcc = join_path(self.prefix.bin, "oshcc")
        self.spec.oshcxx = join_path(self.prefix.bin, "oshc++")
        self.spec.oshfort = join_path(self.prefix.bin, "oshfort")
