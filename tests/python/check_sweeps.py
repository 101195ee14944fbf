#!/usr/bin/python3
"""The table of sweeps/README.md: every shipped sweep has a row with its number of runs, and every row a sweep; every model
has its sweep of stability.

usage: check_sweeps.py COSWEEP SOURCE

Exits 0, or 1 with a line per fault."""

import re
import subprocess
import sys
from pathlib import Path

from checking import expect, finish

program, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
folder = source / "sweeps"


def runs(paths):
    """Number of runs of each sweep, as `check` says it."""
    said = subprocess.run([program, "check", *paths], check=True, capture_output=True, text=True).stdout
    return [int(number.replace(",", "")) for number in re.findall(r"^  runs +([\d,]+)", said, re.MULTILINE)]


rows = {name: int(number.replace(",", ""))
        for name, number in re.findall(r"^\| `([\w/]+)` \| ([\d,]+) \|", (folder / "README.md").read_text(), re.MULTILINE)}
each = rows.pop("stability/MODEL")
shipped = sorted(folder.glob("*.json"))
for name in sorted(rows.keys() - {path.stem for path in shipped}):
    expect(False, f"sweeps/README.md has {name}, which is no sweep")
for path, number in zip(shipped, runs(shipped), strict=True):
    if path.stem in rows:
        expect(number == rows[path.stem], f"{path.stem}: {number} runs; sweeps/README.md says {rows[path.stem]}")
    else:
        expect(False, f"{path.stem} is missing in sweeps/README.md")

models = {path.name for path in (source / "models").iterdir() if path.is_dir()}
stable = sorted((folder / "stability").glob("*.json"))
expect({path.stem for path in stable} == models, f"sweeps/stability: {models ^ {path.stem for path in stable}}")
for path, number in zip(stable, runs(stable), strict=True):
    expect(number == each or path.stem == "race_car" and number == 96, f"stability/{path.stem}: {number} runs")

finish()
