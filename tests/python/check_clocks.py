#!/usr/bin/python3
"""Compares state events with time events: a clock, x' = 1, starts anew at every period and kicks other subsystems.

usage: check_clocks.py COSWEEP MODELS OUTPUT

The same network is run twice over masters, holds, orders, feed-throughs, starts, solvers and step size controls: with
events at given times, and with a private event of the clock, which the search finds. The first needs nothing of what
state events add, so steps, rejected steps, defects and errors have to be the same: counts exactly, numbers within 1e-8
of themselves and 1e-11. Times of events are right to rounding, and in between a signal that jumps has an error of its
jump: squares of RMS errors are within 1e-14 in any case. Order 3 with pi_defect is left out: its steps at the limit of
stability amplify rounding.

Exits 0, or 1 with lines per fault on stderr. Exits 77 where a library is missing.
"""

import json
import random
import subprocess
import sys
from pathlib import Path

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

from checking import has_opencl

PERIOD, KICKS, T_END, RUNS = 0.734, 4, 3.3, 96
COUNTS = ["steps", "rejected_steps", "status"]
NUMBERS = ["t_final", "step_min", "step_max", "state_error", "state_error_final", "input_error", "output_error",
           "output_defect", "connection_defect", "integration_defect"]

program, models, output = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3])
output.mkdir(parents=True, exist_ok=True)


def model(timed):
    """Three oscillators in a ring, one with feed-through, a sum of two outputs; and the clock."""
    changes = {"add": {"a.v": 0.7, "c.x": -0.2}, "set": {"clock.t": 0, "b.v": 0.3}}
    view = {"clock": [{"terms": {"t": 1}, "above": PERIOD}]}
    events = [{"name": f"kick{i}", "t": i * PERIOD, **changes} for i in range(1, KICKS + 1)]
    return {
        "format": "cosweep-model/1",
        "name": "clock",
        "subsystems": [
            {"name": "a", "states": ["x", "v"], "inputs": ["F"], "outputs": ["x", "v"],
             "A": [[0, 1], [-5, -0.4]], "B": [[0], [1]], "C": [[1, 0], [0, 1]], "D": [[0], [0]], "x0": [1, 0]},
            {"name": "b", "states": ["x", "v"], "inputs": ["x", "v"], "outputs": ["F"], "A": [[0, 1], [-9, -0.7]],
             "B": [[0, 0], [6, 0.5]], "C": [[4, 0.3]], "D": [[-2, -0.2]], "x0": [0, 0.5]},
            {"name": "c", "states": ["x"], "inputs": ["y"], "outputs": ["z"], "A": [[-1.3]], "B": [[0.8]],
             "C": [[1]], "D": [[0]], "x0": [0.4]},
            {"name": "clock", "states": ["t"], "inputs": [], "outputs": [], "A": [[0]], "B": [[]], "C": [], "D": [],
             "e": [1], "x0": [0]},
        ],
        "connections": [{"from": "b.F", "to": "a.F"}, {"from": "c.z", "to": "a.F", "gain": 0.6},
                        {"from": "a.x", "to": "b.x"}, {"from": "a.v", "to": "b.v"}, {"from": "a.x", "to": "c.y"}],
        "events": events if timed else [{"name": "kick", "when": view, **changes}],
    }


def draw(choice):
    """Settings of one run."""
    hold = choice(["taylor", "lagrange", "backward_difference"])
    master = choice(["jacobi", "gauss_seidel"])
    iterations = choice([0, 0, 0, 1, 2])
    refreshes = hold == "taylor" and master == "jacobi" and iterations == 0
    step = choice([{"control": "fixed", "size": 0.05}, {"control": "fixed", "size": 0.013},
                   {"control": "threshold", "signal": "a.x", "threshold": 0.3, "above": 0.02, "below": 0.045},
                   {"control": "pi_defect", "tolerance": 1e-3, "initial": 0.01, "max": 0.3},
                   {"control": "pi_ecco", "initial": 0.02, "rtol": 1e-2, "atol": 1e-2, "max": 0.3,
                    "bonds": [{"a": ["a.F", "a.v"], "b": ["b.v", "b.F"]}]},
                   {"control": "richardson", "initial": 0.02, "rtol": 1e-4, "atol": 1e-4, "max": 0.5},
                   {"control": "richardson", "initial": 0.3, "rtol": 1e-3, "atol": 1e-3, "max": 1}])
    order = choice([0, 1, 2] if step["control"] == "pi_defect" else [0, 1, 2, 3])
    return {"master": master, "iterations": iterations, "hold": hold, "order": order, "step": step,
            "feedthrough": choice(["explicit", "solved"] + ["refresh"] * refreshes),
            "start": choice(["consistent", "ramp", "zero"]),
            "solver": choice(["exact", "exact", "euler", "heun", "rk4", "implicit_euler", "trapezoidal", "dopri5"])}


def run(name, number, method, t_end=T_END, metrics=COUNTS + NUMBERS, device="host"):
    """The metrics of one run."""
    sweep = {"format": "cosweep-sweep/1", "name": f"clock_{number}", "model": f"{name}.json", "t_end": t_end,
             "method": method, "axes": [{"name": "t", "path": "t_end", "values": [t_end]}],
             "metrics": [key for key in metrics if key != "status"]}
    path = output / f"{Path(name).name}_{number}.json"
    path.write_text(json.dumps(sweep))
    result = path.with_suffix(".h5")
    subprocess.run([program, "run", str(path), "-o", str(result), "--force", "--quiet", "--device", device], check=True,
                   stdout=subprocess.DEVNULL)
    with h5py.File(result) as file:
        return {key: file[key][...] for key in metrics}


def compare(number, method, device="host"):
    """Lines about what differs."""
    want, found = (run(name, number, method, device=device) for name in ("timed", "searched"))
    faults = [f"{key} {found[key].ravel()[0]}, not {want[key].ravel()[0]}" for key in COUNTS
              if not np.array_equal(found[key], want[key])]
    for key in NUMBERS if not faults else []:
        close = np.isclose(found[key], want[key], rtol=1e-8, atol=1e-11, equal_nan=True)
        close |= (abs(found[key]**2 - want[key]**2) < 1e-14) & key.endswith("_error")
        if not np.all(close):
            faults.append(f"{key} {found[key][~close][0]!r}, not {want[key][~close][0]!r}")
    return [f"run {number}: {fault}: {json.dumps(method)}" for fault in faults]


def compare_fragments():
    """A custom master and a custom controller, which the host has no kernels for."""
    if not has_opencl("fragments of users"):
        return []
    sweeps = models.parent / "sweeps"
    step = {"control": {"kernel": str(sweeps / "filter.clh"), "memory": 2}, "tolerance": 1e-2, "kp": 0.125, "ki": 0.25,
            "growth_max": 2, "initial": 0.01, "max": 0.1}
    return compare(RUNS, {"master": {"kernel": str(sweeps / "moving_average.clh"), "memory": 2}, "hold": "lagrange",
                          "order": 0, "feedthrough": "explicit", "step": step}, "auto")


def compare_dense():
    """Solver dopri5 with a small tolerance finds the events of the exact one inside its micro steps."""
    lines = []
    for name, t_end, size in (("colliding_masses", 7, 0.1), ("stick_slip", 5, 0.1), ("woodpecker", 0.4, 0.001)):
        times = []
        for solver in ("exact", "dopri5"):
            method = {"master": "gauss_seidel", "hold": "taylor", "order": 2, "solver": solver, "step": {"size": size}}
            if solver == "dopri5":
                method["tolerance"] = 1e-12
            times.append(run(f"{models}/{name}/model", name, method, t_end, ["event_time"])["event_time"])
        if not np.allclose(*times, rtol=0, atol=1e-10, equal_nan=True) or not np.any(np.isfinite(times)):
            lines.append(f"{name}: event times {times[1]}, not {times[0]}")
    return lines


for timed in (True, False):
    (output / ("timed.json" if timed else "searched.json")).write_text(json.dumps(model(timed)))
generator = random.Random(3)
lines = [line for number in range(RUNS) for line in compare(number, draw(generator.choice))]
lines += compare_fragments() + compare_dense()
for line in lines[:20]:
    print(line, file=sys.stderr)
print(f"{RUNS} runs compared, {len(lines)} faults")
sys.exit(1 if lines else 0)
