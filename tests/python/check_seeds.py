#!/usr/bin/python3
"""Sweeps of what the papers leave open or advise, against tables of independent programs written from their text.

usage: check_seeds.py COSWEEP SOURCE OUTPUT

Exits 0, or 1 with a line per fault. Exits 77 where this Python lacks a library."""

import csv
import math
import subprocess
import sys
from pathlib import Path

from checking import expect, finish

try:
    import h5py
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, source, output = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
output.mkdir(parents=True, exist_ok=True)


def result(name):
    out = output / f"{name}.h5"
    subprocess.run([program, "run", source / f"sweeps/{name}.json", "-o", out, "--force", "-q"], check=True,
                   stdout=subprocess.DEVNULL)
    return h5py.File(out)


def table(name):
    with open(source / f"tests/data/{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def place(file, axis, value):
    found = [i for i, x in enumerate(file[axis]) if math.isclose(x, float(value), rel_tol=1e-12)]
    assert len(found) == 1, (axis, value)
    return found[0]


def same(got, want, what):
    """dx of 1e-10 m is a difference of displacements of 1 m: rounding of both programs."""
    expect(math.isclose(got, float(want), rel_tol=1e-7, abs_tol=2e-15), f"{what}: {got!r}; want {want}")


# Masters in the order of the sweep's axis, by their names in the table.
MASTERS = ["jacobi", "gauss_seidel, spring_damper first", "gauss_seidel, mass first", "jacobi, iterations 1", "converged"]


def master(name):
    found = [i for i, known in enumerate(MASTERS) if known == name]
    assert len(found) == 1, name
    return found[0]


methods = result("kyllingstad_methods")
for row in table("kyllingstad_methods"):
    at = (master(row["master"]), *(place(methods, axis, row[axis]) for axis in ("order", "v0", "H")))
    what = f"{row['master']}, order {row['order']}, v0 {row['v0']}, H {row['H']}"
    same(methods["monitor_final"][at][0], row["dx_final"], f"{what}: dx at the end")
    same(methods["monitor_max"][at][0], row["dx_max"], f"{what}: largest dx")
    expect(methods["steps"][at] == int(row["steps"]), what)
# Order m + 1 with every master: the effect is not pushed to a higher order.
for order, fits in zip(methods["order"], methods["monitor_max_order"][:].transpose(1, 0, 2, 3)):
    known = [fit for fit in fits.ravel() if not math.isnan(fit)]  # with jacobi and order 3 there is no straight line
    expect(len(known) >= 8 and all(abs(fit - order - 1) < 0.25 for fit in known), f"order {order}: {fits.ravel()}")

first = result("kyllingstad_first_step")
for row in table("kyllingstad_first_step"):
    at = tuple(place(first, axis, row[axis]) for axis in ("v0", "initial"))
    what = f"v0 {row['v0']}, first step {row['initial']}"
    same(first["monitor_final"][at][0], row["dx_final"], f"{what}: dx at the end")
    same(first["monitor_max"][at][0], row["dx_max"], f"{what}: largest dx")
    expect(first["steps"][at] == int(row["steps"]), what)

finish()
