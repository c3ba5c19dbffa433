"""python -m sluice.step script.py [arguments]: runs a script of the STeP front end."""

import os
import runpy
import sys

from . import install

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("python -m sluice.step SCRIPT [ARGUMENTS]")
    install()
    sys.argv = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
    runpy.run_path(sys.argv[0], run_name="__main__")
