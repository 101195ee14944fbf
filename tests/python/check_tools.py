#!/usr/bin/python3
"""Final states beside those that other co-simulation programs computed with the same models as FMUs.

usage: check_tools.py COSWEEP MODELS DATA OUTPUT

DATA: tools.csv, a row per state of a run of FMPy, libcosim, PyFMI, Ecos or CoFMuPy with exact linear FMUs, its settings
in cosweep's words; rows with different rates of subsystems are left out, which have no setting here. A state may differ
by 1e-14 of the largest that any state has during the run, which is what rounding refers to; counts of steps are equal.
Exits 0, or 1 with a line per fault on stderr; 77 without h5py.
"""

import csv
import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path

try:
    import h5py
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, models, data, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4])
output.mkdir(parents=True, exist_ok=True)
TOLERANCE = 1e-14
faults = []


def method_of(words, start, H):
    """The method of a row, "lagrange 0 explicit gauss_seidel a/b" or "lagrange 0 richardson norm thesis ..."."""
    hold, order, *words = words.split()
    method = {"hold": hold, "order": int(order), "start": start, "step": {"control": "fixed", "size": H}}
    counts = {}
    while words:
        word = words.pop(0)
        if word in ("explicit", "solved"):
            method["feedthrough"] = word
        elif word == "continuity":
            method["continuity"] = words.pop(0)
        elif word == "gauss_seidel":
            method.update(master=word, sequence=words.pop(0).split("/"))
        elif word == "richardson":
            method["step"] = {"control": word}
        elif word == "norm":
            method["step"][word] = words.pop(0)
        elif word == "accept":
            method["step"][word] = float(words.pop(0))
        elif word in ("accepted", "rejected"):
            counts[word] = int(words.pop(0))
        elif "=" in word:
            *keys, value = word.split("=")
            method["step"].update({key: float(value) for key in keys})
        else:
            raise ValueError(f"tools.csv: unknown word {word}")
    return method, counts


def trace(name, model, method, t_end):
    own = data / f"{model}.json"
    path = output / f"{name}.json"
    path.write_text(json.dumps({
        "format": "cosweep-sweep/1", "name": name, "study": "simulation", "t_end": t_end, "method": method,
        "model": str((own if own.exists() else models / model / "model.json").resolve())}))
    subprocess.run([program, "trace", str(path), "-o", str(path.with_suffix(".h5")), "--force", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    return h5py.File(path.with_suffix(".h5"))


def compare(name, tool, model, settings, start, H, steps, rows):
    method, counts = method_of(settings, start, float(H))
    file = trace(name, model, method, 1.0 if counts else float(H) * int(steps))
    want = {row["state"]: float(row["x_final"]) for row in rows}
    names = [n.decode() if isinstance(n, bytes) else n for n in file["state"][...]]
    found = dict(zip(names, file["x"][-1]))
    largest = abs(file["x"][...]).max()
    worst = max(abs(found[state] - value) for state, value in want.items()) / largest
    if sorted(names) != sorted(want) or not worst <= TOLERANCE:
        faults.append(f"{tool} {model} {settings} H = {H}: differs by {worst:.2g} of the largest state")
    accepted = file["accepted"][1:]
    got = {"accepted": int((accepted == 1).sum()), "rejected": int((accepted == 0).sum())}
    if got != (counts or {"accepted": int(steps), "rejected": 0}):
        faults.append(f"{tool} {model} {settings} H = {H}: {got} steps")
    return worst


def main():
    columns = ("tool", "model", "settings", "start", "H", "steps")
    with open(data / "tools.csv", newline="") as file:
        groups = [(key, list(rows)) for key, rows in
                  groupby(csv.DictReader(file), key=lambda row: tuple(row[c] for c in columns))]
    runs = [(key, rows) for key, rows in groups if " rates " not in key[2]]
    worst = max(compare(f"tools_{i}", *key, rows) for i, (key, rows) in enumerate(runs))
    for fault in faults:
        print(fault, file=sys.stderr)
    programs = ", ".join(sorted({key[0] for key, _ in runs}))
    print(f"{len(runs)} settings of {programs}: largest difference {worst:.2g} of the largest state")
    sys.exit(len(faults) > 0)


main()
