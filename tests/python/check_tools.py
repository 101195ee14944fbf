#!/usr/bin/python3
"""Final states beside those that other co-simulation programs computed with the same models as FMUs.

usage: check_tools.py COSWEEP MODELS DATA OUTPUT

DATA: tools.csv, a row per state of a run of FMPy, libcosim, PyFMI, Ecos or CoFMuPy with exact linear FMUs, its settings
in cosweep's words, rates of subsystems in their order. A state may differ by 1e-14 of the largest that any state has during the run, which is what rounding refers to; counts of steps are equal.
Exits 0, or 1 with a line per fault on stderr; 77 without h5py.
"""

import json
from itertools import groupby

from beside import computed, names, path_of, rows, written_sweep
from checking import expect, finish

TOLERANCE = 1e-14


def method_of(words, start, H, subsystems):
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
        elif word == "rates":
            rates = [int(rate) for rate in words.pop(0).split("/")]
            method.update(error_at="points", subsystems={s: {"rate": r} for s, r in zip(subsystems, rates)})
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


def compare(name, tool, model, settings, start, H, steps, states):
    own = json.loads(path_of(model).read_text())["subsystems"]
    method, counts = method_of(settings, start, float(H), [subsystem["name"] for subsystem in own])
    file = computed("trace", written_sweep(name, {
        "study": "simulation", "t_end": 1.0 if counts else float(H) * int(steps), "method": method,
        "model": str(path_of(model))}))
    want = {row["state"]: float(row["x_final"]) for row in states}
    found = dict(zip(names(file, "state"), file["x"][-1]))
    largest = abs(file["x"][...]).max()
    worst = max(abs(found[state] - value) for state, value in want.items()) / largest
    what = f"{tool} {model} {settings} H = {H}"
    expect(sorted(found) == sorted(want) and worst <= TOLERANCE, f"{what}: differs by {worst:.2g} of the largest state")
    accepted = file["accepted"][1:]
    got = {"accepted": int((accepted == 1).sum()), "rejected": int((accepted == 0).sum())}
    expect(got == (counts or {"accepted": int(steps), "rejected": 0}), f"{what}: {got} steps")
    return worst


def main():
    columns = ("tool", "model", "settings", "start", "H", "steps")
    groups = [(key, list(states)) for key, states in
              groupby(rows("tools.csv"), key=lambda row: tuple(row[c] for c in columns))]
    worst = max(compare(f"tools_{i}", *key, states) for i, (key, states) in enumerate(groups))
    programs = ", ".join(sorted({key[0] for key, _ in groups}))
    finish(f"{len(groups)} settings of {programs}: largest difference {worst:.2g} of the largest state")


main()
