#!python
import os
import sys

try:
    from oshmpi import command
except ImportError:
    # pip builds packages with a PYTHONPATH that takes those of this environment away.
    if sys.flags.ignore_environment:
        raise
    os.execv(sys.executable, [sys.executable, "-E", *sys.argv])
command()
