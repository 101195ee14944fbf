#!/usr/bin/env python3
"""Tests once more on Intel's runtime of OpenCL alone: on_driver.py FOLDER TEST... Exits 77 where there is none (add_runtime)."""

import os
import subprocess
import sys

from checking import add_runtime, expect, finish

os.makedirs(sys.argv[1], exist_ok=True)
if not add_runtime(sys.argv[1], alone=True):
    print("skipped: no runtime of Intel beside the Python that COSWEEP_TOOLS_PYTHON names")
    sys.exit(77)
for test in sys.argv[2:]:
    done = subprocess.run([test], capture_output=True, text=True)
    expect(done.returncode == 0, f"{test}\n{done.stdout}{done.stderr}")
finish()
