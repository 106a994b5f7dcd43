"""oshmpi: OpenSHMEM for C, C++ and Fortran programs. `prefix` has bin, lib, include and share."""

import os
import sys

prefix = os.path.dirname(os.path.abspath(__file__))


def run(name, *words):
    """Becomes the command `name` of bin/, such as oshrun."""
    path = os.path.join(prefix, "bin", name)
    os.execv(path, [path, *words])


def command():
    """Becomes the command under whose name this program was started."""
    run(os.path.basename(sys.argv[0]), *sys.argv[1:])
