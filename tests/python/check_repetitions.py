#!/usr/bin/python3
"""Repetitions of steps to a tolerance, with none, Aitken's and quasi-Newton acceleration, beside a table of another program.

usage: check_repetitions.py COSWEEP MODELS DATA OUTPUT

Exits 0, or 1 with a line per fault. Exits 77 where this Python lacks h5py."""

import json
import math
import subprocess
from itertools import groupby

import beside
from beside import computed, rows, written, written_sweep
from checking import expect, finish

NAMES = {"none": "none", "aitken": "aitken", "iqn": "quasi_newton"}


def model_of(name):
    """As the table has it: cars begin with the chassis up, on an even road. Outputs are monitors, which are plain values."""
    model = json.loads(beside.path_of(name).read_text())
    if name == "quarter_car":
        model["subsystems"][0]["x0"] = [0.1, 0]
    signals = [f"{s['name']}.y.{o['name']}" for s in model["subsystems"] for o in s["outputs"]]
    model["monitors"] = [{"name": f"y{i}", "terms": {signal: 1}} for i, signal in enumerate(signals)]
    return str(written(f"repeated_{name}", model).resolve())


def compare(number, lines):
    """Rows that differ in the method and the tolerance alone."""
    name, parameters, H = lines[0]["model"], lines[0]["parameters"], float(lines[0]["H"])
    given = {key: float(value) for key, value in (pair.split("=") for pair in parameters.split(";"))}
    if name == "quarter_car":
        given["road"] = 0
    # Runs that diverge end in the table at the step in which a value exceeds 1e100, the last that it counts.
    steps = [int(line["steps"] if line["finite"] == "1" else line["unconverged_steps"]) for line in lines]
    columns = {"method.order": [int(line["order"]) for line in lines],
               "method.acceleration": [NAMES[line["acceleration"]] for line in lines],
               "method.relaxation": [float(line["relaxation"]) for line in lines],
               "method.tolerance_iterations": [float(line["tolerance"]) for line in lines],
               "t_end": [n * H for n in steps]}
    file = computed("run", written_sweep(f"repeated_{number}", {
        "model": model_of(name), "parameters": given, "t_end": 1,
        "method": {"hold": "lagrange", "feedthrough": "explicit", "start": "ramp", "iterations": "tolerance",
                   "iterations_max": int(lines[0]["most"]), "error_at": "points", "step": {"size": H}},
        "axes": [{"name": "row", "zip": columns}],
        "metrics": ["monitor_final", "steps", "evaluations", "repetitions", "repetitions_max", "unconverged_steps"]}))
    largest = 0.1 if name == "quarter_car" else 1
    for i, line in enumerate(lines):
        what = f"{name} {parameters} order {line['order']} {line['acceleration']} {line['relaxation']} {line['tolerance']}"
        total = int(line["repetitions"])
        expect(file["steps"][i] == steps[i], f"{what}: {file['steps'][i]} steps")
        expect(file["evaluations"][i] == 2 * total, f"{what}: {file['evaluations'][i] / 2} repetitions, not {total}")
        expect(math.isclose(file["repetitions"][i], total / steps[i], rel_tol=1e-15), f"{what}: {file['repetitions'][i]}")
        for metric in ("repetitions_max", "unconverged_steps"):
            expect(file[metric][i] == int(line[metric]), f"{what}: {metric} {file[metric][i]}, not {line[metric]}")
        # Factors of Aitken's that do not converge amplify rounding: 1e-15 of the start moves the table by 1e-7 there.
        near = 1e-7 if line["acceleration"] == "aitken" and line["unconverged_steps"] != "0" else 1e-9
        for found, want in zip(file["monitor_final"][i], map(float, line["y_final"].split())):
            expect(abs(found - want) <= near * abs(want) + 1e-15 * largest, f"{what}: {found!r}, not {want!r}")


for number, (_, group) in enumerate(groupby(rows("accelerated.csv"), key=lambda line: (line["model"], line["parameters"]))):
    compare(number, list(group))

# Why a run diverged is no matter of a matrix of its step.
diverging = written_sweep("repeated_diverging", {
    "model": model_of("damped_oscillator"), "parameters": {"m": 1e-3}, "t_end": 5,
    "method": {"hold": "lagrange", "feedthrough": "explicit", "iterations": "tolerance", "step": {"size": 0.1}}})
done = subprocess.run([beside.program, "run", str(diverging), "-o", str(beside.output / "diverging.h5"), "--force"],
                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
expect("diverged at step" in done.stderr and "spectral radius" not in done.stderr, f"diverging: {done.stderr!r}")

finish()
