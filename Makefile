# The field's habits; everything is done by `cargo xtask` (CONTRIBUTING.md).
#
#   make                        builds and installs below target/prefix/mpich
#   make check                  runs the tests, without those that take longest
#   make install PREFIX=DIR     installs there
#   make install PREFIX=DIR MPICC=mpicc     over another MPI than Debian's MPICH
#   make install PREFIX=/usr DESTDIR=DIR    installs below DIR, from where it is packed: no file has the prefix in it

PREFIX = /usr/local
MPICC =
CARGO = cargo
INSTALL = $(CARGO) xtask install $(if $(MPICC),--mpicc $(MPICC)) --prefix

all:
	$(INSTALL) target/prefix/mpich

check:
	$(CARGO) xtask test --quick

install:
	$(INSTALL) $(DESTDIR)$(PREFIX)

uninstall:
	$(CARGO) xtask uninstall --prefix $(DESTDIR)$(PREFIX)

clean:
	$(CARGO) clean

.PHONY: all check install uninstall clean
