"""python -m oshmpi COMMAND ARGS: a command of bin/."""

import os
import sys

from . import prefix, run

commands = sorted(os.listdir(os.path.join(prefix, "bin")))
if len(sys.argv) < 2 or sys.argv[1] not in commands:
    sys.exit("python -m oshmpi COMMAND ARGS, where COMMAND is " + ", ".join(commands))
run(*sys.argv[1:])
