#!/usr/bin/env python3
"""The faults of mutants.txt can be put in: check_mutants.py SOURCE TEST...

Each names a file outside of tests/ that is there once, text that is in it once, and patterns of the names of tests,
TEST..., and of Criterion's tests, SUITE/NAME, that some have. Whether these tests notice the fault is for mutants.sh, by hand."""

import fnmatch
import pathlib
import re
import subprocess
import sys

from checking import expect, finish
from mutant import places

source, tests = pathlib.Path(sys.argv[1]), sys.argv[2:]
files = {}
for folder in ("host", "kernels", "packaging"):
    for path in (source / folder).rglob("*"):
        files.setdefault(path.name, []).append(path)
cases = set()
for path in (source / "tests").rglob("*.c"):
    cases.update("/".join(pair) for pair in re.findall(r"^(?:Parameterized)?Test\((\w+),\s*(\w+)", path.read_text(), re.M))
listed = subprocess.run([source / "tests/scripts/mutants.sh", "-L"], capture_output=True, text=True, check=True)
for row in listed.stdout.splitlines():
    name, file, test, pattern, old, *_ = row.split("\x1f")
    found = files.get(file, [])
    expect(len(found) == 1, f"{name}: {len(found)} files {file}")
    if len(found) == 1:
        times = len(places(found[0].read_text(), old))
        expect(times == 1, f"{name}: {found[0]} has its text {times} times")
    expect(any(re.fullmatch(test, other) for other in tests), f"{name}: no test {test}")
    expect(pattern == "*" or fnmatch.filter(cases, pattern), f"{name}: no test of Criterion's matches {pattern}")
finish()
