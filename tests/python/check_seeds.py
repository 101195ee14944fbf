#!/usr/bin/python3
"""Sweeps of what the papers state, leave open or advise, against tables of independent programs written from their text.

usage: check_seeds.py COSWEEP SOURCE OUTPUT

Exits 0, or 1 with a line per fault. Exits 77 where this Python lacks a library."""

import csv
import itertools
import json
import math
import subprocess
import sys
from pathlib import Path

from checking import expect, finish

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, source, output = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
output.mkdir(parents=True, exist_ok=True)


def result(name, sweep=None):
    """Of a shipped sweep, or of another file."""
    out = output / f"{name}.h5"
    subprocess.run([program, "run", sweep or source / f"sweeps/{name}.json", "-o", out, "--force", "-q"], check=True,
                   stdout=subprocess.DEVNULL)
    return h5py.File(out)


def table(name):
    with open(source / f"tests/data/{name}.csv", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def place(file, axis, value):
    found = [i for i, x in enumerate(file[axis]) if math.isclose(x, float(value), rel_tol=1e-12)]
    assert len(found) == 1, (axis, value)
    return found[0]


def place_of(file, axis, word):
    return [x.decode() for x in file[axis][:]].index(word)


def same(got, want, rounding, what):
    expect(math.isclose(got, float(want), rel_tol=1e-9, abs_tol=rounding), f"{what}: {got!r}; want {want}")


# Masters in the order of the sweep's axis, by their names in the table.
MASTERS = ["jacobi", "gauss_seidel, spring_damper first", "gauss_seidel, mass first", "jacobi, iterations 1", "converged"]


def discrepancies(name, axes, masters=MASTERS):
    """dx, its largest value and the steps of every row. dx is a difference of displacements: the largest of 1 m, which a
    double has to 2^-53, at the end of 1e-3 m."""
    file = result(name)
    for row in table(name):
        at = tuple(place(file, axis, row[axis]) for axis in axes)
        if "master" in row:
            at = (masters.index(row["master"]), *at)
        what = f"{name}: {', '.join(list(row.values())[:len(at)])}"
        same(file["monitor_final"][at][0], row["dx_final"], 4e-18, f"{what}: dx at the end")
        same(file["monitor_max"][at][0], row["dx_max"], 2**-53, f"{what}: largest dx")
        expect(file["steps"][at] == int(row["steps"]), what)
    return file


methods = discrepancies("kyllingstad_methods", ("order", "v0", "H"))
# Order m + 1 with every master: the effect is not pushed to a higher order.
for order, fits in zip(methods["order"], methods["monitor_max_order"][:].transpose(1, 0, 2, 3)):
    known = [fit for fit in fits.ravel() if not math.isnan(fit)]  # with jacobi and order 3 there is no straight line
    expect(len(known) >= 8 and all(abs(fit - order - 1) < 0.25 for fit in known), f"order {order}: {fits.ravel()}")
discrepancies("kyllingstad_methods_ecco", ("order", "v0"), [name for name in MASTERS if "iterations" not in name])
discrepancies("kyllingstad_first_step", ("v0", "initial"))
discrepancies("kyllingstad_flow", ("v0", "threshold"))

change = result("kyllingstad_step_change")
for row in table("kyllingstad_step_change"):  # the mass is at rest within 1e-13 at the end
    at = tuple(place(change, axis, row[axis]) for axis in ("v0", "K", "dt2"))
    got, want = change["monitor_final"][at][0], float(row["dx_infinity_eq25"])
    expect(abs(got - want) < 1e-13, f"(25) at K {row['K']}, dt2 {row['dt2']}: {got!r}; want {want!r}")


def signal(file, metric, name):
    """Place of a signal along the metric's last dimension."""
    return list(file[file[metric].attrs["DIMENSION_LABELS"][-1]]).index(name.encode())


defects = result("glumac_output_defect")
for row in table("glumac_output_defect"):
    at = (place(defects, "order", row["order"]), place(defects, "H", row["H"]), signal(defects, row["metric"], row["signal"]))
    got = defects[row["metric"]][at]
    expect(math.isclose(got, float(row["value"]), rel_tol=1e-9), f"{row}: {got!r}")

# (57): the error of Euler and Heun has the solver's order, not one more; that of rk4 has order 4 with inputs of order 3.
solvers = result("glumac_solvers")
for solver, order_of in enumerate((1, 2, 4)):
    for order in range(4):
        want = min(order + 1, order_of)
        for metric in "output_error", "state_error":
            fits = solvers[f"{metric}_order"][solver, order]
            expect(all(abs(fit - want) < 0.1 for fit in fits), f"{metric}, solver {solver}, order {order}: {fits}; want {want}")
        fits = solvers["integration_defect_order"][solver, order]
        expect(all(math.isnan(fit) or abs(fit - solver - 1) < 0.1 for fit in fits), f"integration_defect, {solver}: {fits}")

# Every try of the quarter car; from the second row on, the first is the start.
traced = output / "quarter_car.h5"
subprocess.run([program, "trace", source / "sweeps/andersson_quarter_car.json", "--at", "setting=0", "--at", "order=0", "-o",
                traced, "--force", "-q"], check=True, stdout=subprocess.DEVNULL)
tries, want = h5py.File(traced), table("andersson_quarter_car_trace")
expect(len(tries["H"]) == len(want) + 1, f"{len(tries['H']) - 1} tries; want {len(want)}")
for number, row in enumerate(want, 1):
    expect(tries["accepted"][number] == int(row["accepted"]), f"try {number}: accepted")
    for name, column in (("H", "H"), ("eps", "ERR")):
        got = tries[name][number]
        expect(math.isclose(got, float(row[column]), rel_tol=1e-8), f"try {number}: {name} {got!r}; want {row[column]}")

bound = result("glumac_bound")
expect((bound["output_error"][:] <= bound["error_bound"][:]).all() and (bound["error_bound"][:] < 0.05).all(), "error_bound")

# Solvers inside subsystems: the RMS over points and states of what they differ by from exact ones. With a memory that is
# kept over inputs that jump they have order 1, else 2.
multistep = result("andersson_multistep")
for row in table("andersson_multistep"):
    names = [place_of(multistep, axis, row[axis]) for axis in ("continuity", "solver")]
    at = (names[0], place(multistep, "order", row["order"]), names[1],
          place_of(multistep, "memory", row["memory"] if row["solver"] != "heun" else "restart"),
          place(multistep, "micro_steps", row["micro_steps"]))
    rms = math.sqrt(sum(float(x)**2 for x in multistep["monitor_rms"][at]) / 4)
    want = float(row["rms_state_difference_from_exact_solver"])
    expect(math.isclose(rms, want, rel_tol=1e-9), f"{row}: {rms!r}")
for (i, word), (j, solver), (k, memory) in itertools.product(
        *(enumerate(x.decode() for x in multistep[axis][:]) for axis in ("continuity", "solver", "memory"))):
    for order in (0, 1) if (solver, memory) != ("heun", "keep") else ():
        rms = (multistep["monitor_rms"][i, order, j, k][-2:]**2).sum(axis=1)
        found, want = math.log2(rms[0] / rms[1]) / 2, 1 if (word, memory) == ("none", "keep") else 2
        expect(abs(found - want) < 0.06, f"{word}, order {order}, {solver} {memory}: order {found}")

# Both masses at once while no event is predicted, [D] 5.2: the same counts, and fewer stages for a larger error.
parallel = result("dejaco_parallel")
KINDS = ["ce", "co"]
for row in table("dejaco_parallel"):
    at = (place_of(parallel, "first", "parallel" if row["scheme"] == "predict" else "sequence"), place(parallel, "H", row["T"]))
    for ours, theirs in (("steps", "steps"), ("parallel_steps", "parallel_steps"), ("stages", "stages")):
        expect(parallel[ours][at] == int(row[theirs]), f"{row['scheme']} {row['T']}: {ours} {parallel[ours][at]}")
    for ours, theirs in (("events", "events"), ("late_events", "late")):
        expect(parallel[ours][at].sum() == int(row[theirs]), f"{row['scheme']} {row['T']}: {ours} {parallel[ours][at]}")
    for state, theirs in ((0, "rms_upper_x"), (2, "rms_lower_x")):
        found = float(parallel["state_error"][at][state])
        expect(math.isclose(found, float(row[theirs]), rel_tol=1e-9), f"{row['scheme']} {row['T']}: {theirs} {found!r}")
    times, kinds = parallel["event_time"][at], parallel["event_kind"][at]
    found = [f"{KINDS[kind]}@{time:.7f}" for time, kind in zip(times, kinds) if kind >= 0]
    expect(found == row["list"].split(), f"{row['scheme']} {row['T']}: {found}")

# No orders are expected of steps that change between the two.
sweep = output / "parallel_orders.json"
sweep.write_text(json.dumps({
    "format": "cosweep-sweep/1", "name": "parallel_orders", "model": str(source / "models/colliding_masses/model.json"), "t_end": 7,
    "method": {"master": "gauss_seidel", "hold": "taylor", "order": 1},
    "axes": [{"name": "first", "path": "method.events.first", "values": ["sequence", "parallel"]},
             {"name": "H", "path": "method.step.size", "values": [0.01, 0.02, 0.04]}],
    "metrics": ["event_time_error"], "fits": [{"along": "H"}]}))
result("parallel_orders", sweep)
told = json.loads(subprocess.run([program, "info", output / "parallel_orders.h5", "--json"], check=True, capture_output=True).stdout)
for order in told["fits"][0]["orders"]:
    expect((order["expected"] is None) == (order["settings"]["first"] == "parallel"), f"{order}")

# The woodpecker's exact events until 1 s, also with two errors of the thesis. With its printed momentum the last lock is
# one whose release holds at once, which a search for changes of sign does not see.
def woodpeckers():
    model = json.loads((source / "models/woodpecker/model.json").read_text())
    value = {name: p["value"] for name, p in model["parameters"].items()}
    printed, code = json.loads(json.dumps(model)), json.loads(json.dumps(model))
    for event in printed["events"][:2]:
        event["set"]["bird.w"]["terms"].update({"u.vz": "mB*lG/(JB+mB*lG)", "u.wS": "mB*lG*lS/(JB+mB*lG)"})
    mS, mB, JS, JB, lS, lG, g = (value[key] for key in ("mS", "mB", "JS", "JB", "lS", "lG", "g"))
    mass = [[mS + mB, mB * lS, mB * lG], [mB * lS, JS + mB * lS**2, mB * lS * lG], [mB * lG, mB * lS * lG, JB + mB * lG**2]]
    z, sleeve, bird = numpy.linalg.solve(mass, [0, 0, mB * (lG - lS) * g])
    code["subsystems"][0]["modes"][1]["e"] = [0, z - g, 0, sleeve]
    code["subsystems"][1]["modes"][1]["e"] = [0, bird]
    return {"equations (5.1c) and code of (5.10)": model, "momentum as printed in (5.10): lG not squared": printed,
            "code of the thesis: lS in the third residual of state 1": code}


for number, (variant, model) in enumerate(woodpeckers().items()):
    (output / f"woodpecker_{number}_model.json").write_text(json.dumps(model))
    sweep = output / f"woodpecker_{number}.json"
    sweep.write_text(json.dumps({
        "format": "cosweep-sweep/1", "name": f"woodpecker_{number}", "model": f"woodpecker_{number}_model.json", "t_end": 1,
        "method": {"hold": "taylor", "order": 2, "step": {"size": 0.001}, "events": {"table": 64}},
        "metrics": ["exact_event_time", "exact_event_kind"]}))
    file = result(f"woodpecker_{number}", sweep)
    names = [event["name"] for event in model["events"]]
    found = [(float(t), names[kind]) for t, kind in zip(file["exact_event_time"][()], file["exact_event_kind"][()]) if kind >= 0]
    want = [(float(row["t"]), row["event"]) for row in table("woodpecker_events") if row["variant"] == variant]
    if number == 1:
        expect(found.pop() == (found[-1][0], "release_high"), f"{variant}: the last release")
    expect([name for _, name in found] == [name for _, name in want], f"{variant}: {found}")
    worst = max(abs(a - b) for (a, _), (b, _) in zip(found, want))
    expect(worst < 1e-9, f"{variant}: event times {worst} s apart")

# Two states: with constant inputs a macro step is a matrix that can be written down.
states = result("two_states")
a11, a12, a21, a22 = -10, 4, -4, -1


def step_of(solver, a, b, H):
    """What a macro step makes of the state and of a constant input; implicit_euler takes two micro steps."""
    g = 1 / (1 - H / 2 * a)
    return {"exact": (math.exp(a * H), math.expm1(a * H) / a * b), "euler": (1 + H * a, H * b),
            "implicit_euler": (g * g, (g + g * g) * H / 2 * b)}[solver]


for (i, first), (j, second), (m, master), (h, H) in itertools.product(
        *(enumerate(x.decode() for x in states[axis][:]) for axis in ("first", "second", "master")), enumerate(states["H"][:])):
    (p1, q1), (p2, q2) = step_of(first, a11, a12, H), step_of(second, a22, a21, H)
    matrix = [[p1, q1], [q2, p2]] if master == "jacobi" else [[p1, q1], [q2 * p1, p2 + q2 * q1]]
    want, found = max(abs(numpy.linalg.eigvals(matrix))), float(states["spectral_radius"][i, j, m, 0, h])
    expect(math.isclose(found, want, rel_tol=1e-7), f"{first}, {second}, {master}, H {H}: {found!r}; want {want!r}")

finish()
