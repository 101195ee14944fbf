#!python
"""The command cosweep of a wheel that carries the program."""
import os
import sys
from importlib.util import find_spec

program = os.path.join(os.path.dirname(find_spec("cosweep").origin), "bin", "cosweep")
os.environ.setdefault("COSWEEP_PYTHON", sys.executable)  # which has the package that reads FMUs and NumPy archives
os.execv(program, [program, *sys.argv[1:]])
