#!/usr/bin/python3
"""Masters and holds beside numbers of an independent program, and what has to hold of any of them.

usage: check_methods.py COSWEEP MODELS DATA OUTPUT

DATA: masters.csv, computed with 50 digits in plain coordinates: errors, spectral radii and contractions, 1e-11 relative,
by steps, by doubling and by steps that are not assembled; random.csv, the same of random networks; nepce.csv, the same with compensation, alternating.csv, with an
alternating sequence (two steps are a period), waveform.csv, with hold waveform, jacobian.csv, with interface Jacobians, lines.csv, with lines as waves;
kyllingstad_compensation.csv (50 digits, until rounding decides), compensation.csv, discrepancies with it, 1e-9; defect_choice.csv, steps by some defects alone, 1e-8;
limits.csv: limits of stability, 1e-8 relative.
Exits 0, or 1 with a line per fault on stderr. Exits 77 where a library is missing.
"""

import json
import math
import subprocess
from itertools import groupby

import beside
from beside import computed, output, program, rows, written_sweep
from beside import names as labels
from checking import expect, finish


drawn = {}  # random networks, written where they can be read
for line in (beside.data.parent / "random" / "models.jsonl").read_text().splitlines():
    model = json.loads(line)
    drawn[model["name"]] = beside.written(model["name"], model).resolve()


def near(found, want, relative, absolute, what):
    expect(abs(found - want) <= relative * abs(want) + absolute, f"{what}: {found!r}, not {want!r}")


def path_of(model):
    return str(drawn[model] if model in drawn else beside.path_of(model))


def run(name, sweep):
    """The open result of a sweep."""
    return computed("run", written_sweep(name, sweep))


def trace(name, sweep):
    """The open trace of the only run of a sweep."""
    return computed("trace", written_sweep(name, {key: value for key, value in sweep.items() if key != "metrics"}))


def fails(name, sweep, message):
    done = subprocess.run([program, "run", str(written_sweep(name, sweep)), "--dry-run"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    expect(done.returncode != 0 and message in done.stderr, f"{name}: {done.stderr!r}, not {message!r}")


def pairs(text):
    return dict(pair.split("=") for pair in text.split(";") if pair)


def number(text):
    try:
        return int(text)
    except ValueError:
        return float(text)


def method(text):
    """The settings of a row, "order=1;iterations=converged", as a sweep has them."""
    settings = {"hold": "lagrange"}
    for key, value in pairs(text).items():
        if key == "sequence" and "/" in value:
            settings[key] = value.split("/")
        elif key == "rates":
            own = (pair.split(":") for pair in value.split("/"))
            settings["subsystems"] = {name: {"rate": int(rate)} for name, rate in own}
        elif key in ("relaxation", "order", "latency", "compensation", "points", "weight") or (key == "iterations" and value != "converged"):
            settings[key] = number(value)
        else:
            settings[key] = value
    return settings


def check_traced(name, lines, sweep):
    """Errors of a run with rates or waves, whose steps no control can vary, from its trace."""
    file = trace(f"{name}_traced", sweep)
    names, errors = labels(file, "output"), file["output_error"][1:]
    for line in lines:
        if line["signal"]:
            own = errors[:, names.index(line["signal"])]
            found = abs(own[-1]) if line["metric"] == "output_error_final" else math.sqrt((own**2).mean())
            near(float(found), float(line["value"]), 1e-11, 1e-16, f"{name} traced {line['metric']} {line['signal']}")


def check_case(name, lines):
    first = lines[0]
    H, t_end = float(first["H"]), float(first["t_end"])
    parameters = {key: float(value) for key, value in pairs(first["parameters"]).items()}
    settings = method(first["method"])
    metrics = ["output_error", "output_error_final"]
    spectral = ["spectral_radius", "spectral_radius_decaying"]
    if "iterations" in settings:
        spectral.append("contraction")
    ways = {"step": {"engine": "step", "step": {"control": "fixed", "size": H}},
            "double": {"engine": "double", "step": {"control": "fixed", "size": H}},
            "varied": {"step": {"control": "threshold", "signal": lines[-1]["signal"], "threshold": 1e9, "below": H,
                                "above": H}}}
    if settings.get("sequence") == "alternating":
        del ways["double"]
    if "subsystems" in settings or "lines" in settings:
        del ways["varied"]
        check_traced(name, lines, {"model": path_of(first["model"]), "parameters": parameters, "t_end": t_end,
                                   "method": {**settings, "error_at": "points", "step": {"size": H}}})
    for way, more in ways.items():
        sweep = {"model": path_of(first["model"]), "parameters": parameters, "t_end": t_end,
                 "method": {**settings, "error_at": "points", **more},
                 "metrics": metrics + (spectral if way != "varied" else [])}
        file = run(f"{name}_{way}", sweep)
        names = labels(file, "output")
        for line in lines:
            metric, want = line["metric"], float(line["value"])
            if metric not in file:
                continue
            found = file[metric][...]
            found = float(found[names.index(line["signal"])] if line["signal"] else found)
            near(found, want, 1e-11, 1e-16, f"{name} {way} {metric} {line['signal']}")


def check_limits(line):
    settings = method(line["settings"])
    first, *limits = line["limits"].split()
    end = {"mass_spring_damper": 1.0, "ring": 4.0}[line["model"]]
    name = "limits_" + line["model"] + "_" + "_".join(pairs(line["settings"]).values()).replace(":", "").replace("/", "")
    sweep = {"model": path_of(line["model"]), "study": "stability", "method": {**settings, "step": {"control": "fixed"}},
             "axes": [{"name": "H", "path": "method.step.size", "linspace": [end / 400, end, 400]}],
             "metrics": ["stable"], "boundary": {"along": "H"}}
    file = run(name, sweep)
    expect(bool(file["stable"][0]) == (first == "stable"), f"{name}: stable at first {file['stable'][0]}")
    found = [float(x) for x in file["H_crossings"][...] if x == x] if limits else []
    expect(int(file["H_crossing_count"][()]) == len(limits), f"{name}: {file['H_crossing_count'][()]} limits")
    for have, want in zip(found, limits):
        near(have, float(want), 1e-8, 0, name)


for name, lines in groupby(rows("masters.csv"), key=lambda line: line["case"]):
    check_case(name, list(lines))
for name, lines in groupby(rows("random.csv"), key=lambda line: line["case"]):
    check_case(name, list(lines))
for name, lines in groupby(rows("nepce.csv"), key=lambda line: line["case"]):
    check_case(name, list(lines))
for name, lines in groupby(rows("alternating.csv"), key=lambda line: line["case"]):
    check_case(name, list(lines))
for name, lines in groupby(rows("waveform.csv"), key=lambda line: line["case"]):
    check_case(name, list(lines))
for name, lines in groupby(rows("jacobian.csv"), key=lambda line: line["case"]):
    check_case(name, list(lines))
for name, lines in groupby(rows("least_squares.csv"), key=lambda line: line["case"]):
    check_case(name, list(lines))
for name, lines in groupby(rows("lines.csv"), key=lambda line: line["case"]):
    check_case(name, list(lines))
for line in rows("limits.csv"):
    check_limits(line)

oscillator = {"model": path_of("two_mass_oscillator"), "t_end": 4, "metrics": ["output_error"]}


def with_method(**settings):
    return {**oscillator, "method": {"hold": "lagrange", "order": 1, "step": {"size": 0.2}, **settings}}


# Repeated often enough, steps converge to what `converged` computes, whatever repeats them: where each repetition leaves
# less than a half, 60 leave nothing.
def check_often(model, H, hold, order):
    common = {"model": path_of(model), "t_end": 20 * H, "metrics": ["output_error", "contraction"]}
    base = {"hold": hold, "order": order, "step": {"size": H}}
    solved = run("solved", {**common, "method": {**base, "iterations": "converged"}})
    compared = 0
    for master in ("jacobi", "gauss_seidel"):
        often = run("often", {**common, "method": {**base, "master": master, "iterations": 60,
                                                    "relaxation": 0.9}})
        if float(often["contraction"][()]) < 0.5:
            compared += 1
            for one, other in zip(solved["output_error"][...], often["output_error"][...]):
                near(other, one, 1e-12, 0, f"{model} {hold} {order} {master}: 60 repetitions")
    return compared


for model, H in (("two_mass_oscillator", 0.2), ("mass_spring_damper", 0.05), ("ring", 0.25)):
    for hold, order in (("lagrange", 2), ("taylor", 1), ("hermite", 3), ("waveform", 1), ("waveform", 3)):
        expect(check_often(model, H, hold, order) == 2, f"{model} {hold}: contraction")
often = sum(check_often(model, 0.05, "lagrange", 1) for model in list(drawn)[::5])
expect(often > 12, f"{often} masters of random networks with a contraction below a half")

# One correction by the exact interface Jacobian is the fixed point; by others it is one where repetitions are often
# enough, and with a first-order one limits of stability as methods.md says.
def check_corrected(model, H, order, feedthrough, way):
    base = {"hold": "lagrange", "order": order, "feedthrough": feedthrough, **way(H)}
    common = {"model": path_of(model), "t_end": 20 * H, "metrics": ["output_error"]}
    solved = run("solved", {**common, "method": {**base, "iterations": "converged"}})
    for jacobian, iterations in (("exact", 1), ("first", 40), ("feedthrough", 40)):
        file = run("corrected", {**common, "method": {**base, "iterations": iterations, "jacobian": jacobian}})
        for one, other in zip(solved["output_error"][...], file["output_error"][...]):
            near(other, one, 1e-12, 0, f"{model} order {order} {feedthrough}: corrected by {jacobian}")


steps = {"step": lambda H: {"engine": "step", "step": {"size": H}}, "double": lambda H: {"engine": "double", "step": {"size": H}},
         "cycle": lambda H: {"step": {"control": "cycle", "size": H, "ratios": [1, 0.6]}},
         "pi_defect": lambda H: {"step": {"control": "pi_defect", "initial": H, "tolerance": 1e-3, "max": H}}}
for model, H in (("two_mass_oscillator", 0.2), ("mass_spring_damper", 0.05), ("ring", 0.25)):
    for order in (0, 1, 2, 3):
        for way in steps.values():
            check_corrected(model, H, order, ("solved", "explicit")[order % 2], way)
check_corrected("mass_chain", 0.2, 1, "explicit", steps["step"])  # the first of eight masses feels the last one at once
for model, H in (("two_mass_oscillator", 0.2), ("mass_chain", 0.2)):  # what the exact correction leaves is what w leaves out
    for w in (1, 0.75):
        file = run("left", {"model": path_of(model), "t_end": H, "metrics": ["contraction"], "method": {
            "hold": "lagrange", "order": 1, "iterations": 1, "jacobian": "exact", "relaxation": w, "step": {"size": H}}})
        near(float(file["contraction"][()]), 1 - w, 1e-12, 1e-12, f"{model} w {w}: contraction")
for model, jacobian, end, want in (("quarter_car", "none", 0.5, None), ("quarter_car", "first", 0.5, 0.1631),
                                   ("ring", "first", 4, 2.2484)):
    file = run("corrected_limits", {"model": path_of(model), "study": "stability", "metrics": ["stable", "contraction"],
                                    "method": {"hold": "lagrange", "order": 1, "iterations": 1, "jacobian": jacobian,
                                               "step": {"control": "fixed"}},
                                    "axes": [{"name": "H", "path": "method.step.size", "linspace": [end / 200, end, 200]}],
                                    "boundary": {"along": "H"}})
    found = [float(x) for x in file["H_crossings"][...] if x == x]
    expect(bool(found) == bool(want) and all(abs(x / want - 1) < 1e-3 for x in found[:1]),
           f"{model} {jacobian}: limits {found}, want {want}")
handed, corrected = (run(f"handed_{jacobian}", {"model": path_of("mass_spring_damper"), "t_end": 1, "metrics": ["output_error"], "method": {
    "hold": "lagrange", "order": 1, "iterations": 2, "jacobian": jacobian, "step": {"size": 0.05}}})
    for jacobian in ("none", "feedthrough"))
for one, other in zip(handed["output_error"][...], corrected["output_error"][...]):
    near(other, one, 1e-11, 0, "feedthrough hands on solved outputs")
solved, ignored = (run(f"ignored_{jacobian}", with_method(iterations="converged", jacobian=jacobian)) for jacobian in ("none", "first"))
expect((solved["output_error"][...] == ignored["output_error"][...]).all(), "jacobian changes what converges")
for name, more, message in (
        ("once", {"iterations": 0}, "jacobian first needs iterations from 1 on"),
        ("in_turn", {"master": "gauss_seidel"}, "jacobian first needs master jacobi"),
        ("slopes", {"hold": "taylor"}, "jacobian first needs hold lagrange"),
        ("joined", {"continuity": "c0"}, "jacobian first needs continuity none"),
        ("adaptive", {"jacobian": "exact", "solver": "dopri5"}, "jacobian exact needs another solver than dopri5")):
    fails(f"corrected_{name}", with_method(**{"iterations": 1, "jacobian": "first", **more}), message)

# Least squares through no more points than a polynomial needs is interpolation, whatever the weight; less is refused.
for model, H in (("two_mass_oscillator", 0.2), ("ring", 0.25)):
    for order in (0, 1, 2, 3):
        for way in steps.values():
            if way is not steps["cycle"]:
                common = {"model": path_of(model), "t_end": 20 * H, "metrics": ["output_error", "input_error", "steps"]}
                one, other = (run("fitted", {**common, "method": {"hold": hold, "order": order, **own, **way(H)}}) for hold, own in (
                    ("lagrange", {}), ("least_squares", {"points": order + 1, "weight": 0.3})))
                expect((one["steps"][...] == other["steps"][...]).all(), f"{model} order {order}: steps of a fit")
                for metric in ("output_error", "input_error"):
                    for a, b in zip(one[metric][...], other[metric][...]):
                        near(b, a, 1e-10, 1e-16, f"{model} order {order}: {metric} of as many points as needed")
for weight, want in ((1, 0.0940), (1e-9, 0.1691)):
    file = run("fitted_limits", {"model": path_of("mass_spring_damper"), "study": "stability", "metrics": ["stable"],
                                 "method": {"hold": "least_squares", "order": 1, "weight": weight, "step": {"control": "fixed"}},
                                 "axes": [{"name": "H", "path": "method.step.size", "linspace": [0.0025, 0.25, 100]}],
                                 "boundary": {"along": "H"}})
    near(float(file["H_crossings"][...].ravel()[0]), want, 1e-3, 0, f"limit of a fit with weight {weight}")
fitted = {"hold": "least_squares", "order": 1}
for name, more, message in (
        ("few", {"points": 1}, "a polynomial of degree 1 does not follow from 1 point; want 2 to 8, or a lower order"),
        ("many", {"points": 9}, "want an integer from 1 to 8"),
        ("weightless", {"weight": 0}, "want a number > 0 and <= 1"),
        ("in_turn", {"master": "gauss_seidel"}, "hold least_squares needs master jacobi without iterations"),
        ("late", {"latency": 1}, "hold least_squares needs latency 0"),
        ("cycle", {"step": {"control": "cycle", "size": 0.1, "ratios": [1, 2]}}, "needs another control than cycle and richardson"),
        ("other", {"hold": "lagrange", "points": 3}, "means nothing without hold least_squares")):
    fails(f"fitted_{name}", with_method(**{**fitted, **more}), message)

# Waves have order 2 whatever the order of others is, at any step size the radius 1, and an axis beside subsystems.
lined = {"model": path_of("line_masses"), "t_end": 2, "metrics": ["output_error"]}
waves = {"hold": "lagrange", "lines": "waves", "error_at": "points", "step": {"size": 0.01}}
file = run("waves_orders", {**lined, "method": waves, "fits": [{"along": "H"}], "axes": [
    {"name": "order", "path": "method.order", "values": [0, 3]},
    {"name": "start", "path": "method.start", "values": ["consistent", "ramp", "zero"]},
    {"name": "H", "path": "method.step.size", "logspace": [0.0025, 0.02, 4]}]})
for order in file["output_error_order"][...].ravel():
    near(float(order), 2, 5e-3, 0, "order of waves")
errors = file["output_error"][...].reshape(6, -1)
expect((abs(errors - errors[0]) <= 1e-12 * errors[0]).all(), "waves depend on order or start")
file = run("waves_radius", {"model": lined["model"], "study": "stability", "metrics": ["spectral_radius", "stable"],
                            "method": {"hold": "lagrange", "lines": "waves"},
                            "axes": [{"name": "H", "path": "method.step.size", "linspace": [0, 3, 61]}]})
expect(abs(file["spectral_radius"][...] - 1).max() < 1e-9, f"radius of waves {file['spectral_radius'][...]}")
file = run("lines_ways", {**lined, "method": waves, "axes": [
    {"name": "lines", "path": "method.lines", "values": ["subsystem", "waves"]},
    {"name": "H", "path": "method.step.size", "values": [0.02, 0.01]}]})
alone = run("lines_subsystem", {**lined, "method": {**waves, "lines": "subsystem"}, "axes": [
    {"name": "H", "path": "method.step.size", "values": [0.02, 0.01]}]})
for found, want in zip(file["output_error"][0].ravel(), alone["output_error"][...].ravel()):
    near(float(found), float(want), 1e-13, 0, "lines as subsystems beside waves")
for name, more, message in (
        ("in_turn", {"master": "gauss_seidel"}, "lines waves needs master jacobi without iterations; want that, or lines subsystem"),
        ("repeated", {"iterations": 1}, "lines waves needs master jacobi without iterations"),
        ("varied", {"step": {"control": "pi_defect", "initial": 0.1, "tolerance": 1e-3}}, "lines waves needs step control fixed"),
        ("taylor", {"hold": "taylor"}, "lines waves needs hold lagrange"),
        ("inside", {"error_at": "continuous"}, "lines waves needs error_at points"),
        ("joined", {"continuity": "c0"}, "lines waves needs continuity none"),
        ("late", {"latency": 1}, "lines waves needs latency 0"),
        ("rate", {"subsystems": {"mass1": {"rate": 2}}}, "lines waves needs rate 1"),
        ("solver", {"solver": "rk4"}, "lines waves needs solver exact"),
        ("compensated", {"compensation": 1}, "lines waves needs compensation 0")):
    fails(f"waves_{name}", {**lined, "method": {**waves, **more}}, message)
fails("waves_without", {**oscillator, "method": {"lines": "waves", "step": {"size": 0.1}}},
      "means nothing without lines in the model; want none, or a model with lines")

# One axis over numbers of repetitions and the limit; settings that do not matter to it are the same run.
axis = {"axes": [{"name": "k", "path": "method.iterations", "values": [0, 3, "converged"]},
                 {"name": "master", "path": "method.master", "values": ["jacobi", "gauss_seidel"]}]}
file = run("axis", {**with_method(), **axis})
expect(labels(file, "k") == ["0", "3", "converged"], f"axis: {labels(file, 'k')}")
expect((file["output_error"][2, 0] == file["output_error"][2, 1]).all(), "axis: masters differ where converged")
file = run("relaxations", {**with_method(iterations=2), "axes": [
    {"name": "w", "path": "method.relaxation", "values": [0.0, 0.5, 1.0, 2.0]}]})
expect(list(file["status"][...]) == [7, 0, 0, 7], f"relaxations: status {file['status'][...]}")
plain = run("plain", with_method(iterations=2))
expect((file["output_error"][2] == plain["output_error"][...]).all(), "relaxation 1 is no relaxation")

# Inputs begin a step where they ended the one before, whatever determines the steps.
controls = {"fixed": {"size": 0.2}, "richardson": {"control": "richardson", "initial": 0.1},
            "pi_defect": {"control": "pi_defect", "initial": 0.1, "tolerance": 1e-4},
            "cycle": {"control": "cycle", "size": 0.1, "ratios": [1, 3]}}
masters = {"plain": {}, "ramp": {"start": "ramp"}, "sweep": {"master": "gauss_seidel", "hold": "taylor"},
           "twice": {"iterations": 2}, "converged": {"iterations": "converged"}}
for control, step in controls.items():
    for master, more in masters.items():
        for continuity in ("c0", "c1"):
            name = f"joined_{control}_{master}_{continuity}"
            file = trace(name, with_method(continuity=continuity, step=step, **more))
            taken = [i for i in range(len(file["u"])) if file["accepted"][i]]
            for before, after in zip(taken, taken[1:]):
                for u, start in zip(file["u"][before], file["u_start"][after]):
                    near(start, u, 1e-13, 1e-15, f"{name}: step {after}")
            expect(len(taken) > 3, f"{name}: {len(taken)} steps")

# The corrected estimate is that of outputs whose feed-through passes on what inputs end steps with, continuity or not.
for continuity in ("none", "c0", "c1"):
    for order in range(3):
        file = run("corrected", {"model": path_of("linear_feedthrough"), "t_end": 0.2,
                                 "metrics": ["local_error", "local_error_estimate"],
                                 "method": {"hold": "lagrange", "order": order, "continuity": continuity,
                                            "feedthrough": "explicit", "step": {"size": 5e-4, "estimate": "corrected"}}})
        for estimate, error in zip(file["local_error_estimate"][...], file["local_error"][...]):
            near(estimate / error, 1, 5e-3, 0, f"corrected estimate, order {order}, {continuity}")

# In modal coordinates, as of stiff networks, results are the same.
for name, more in {"c0": {"continuity": "c0"}, "c1": {"continuity": "c1", "hold": "taylor"},
                   "ramp": {"continuity": "c1", "start": "ramp"}, "converged": {"iterations": "converged"},
                   "relaxed": {"master": "gauss_seidel", "iterations": 3, "relaxation": 0.6}}.items():
    for step in ({"size": 0.2}, {"control": "richardson", "initial": 0.1}):
        file = run("modal", {**with_method(**more, step=step), "metrics": ["output_error", "rounding"]})
        expect(float(file["rounding"][()]) < 1e-9, f"{name}: rounding {float(file['rounding'][()])}")

# Of order 0 hold taylor is hold lagrange: defects by the series of the model are those by differences.
defects = ["output_defect", "output_defect_true", "connection_defect", "output_error", "input_error", "state_error"]
for continuity in ("c0", "c1"):
    for model, H in (("two_mass_oscillator", 0.2), ("ring", 0.3), ("quarter_car", 0.005)):
        for more in ({}, {"iterations": 1}, {"start": "ramp"}):
            for step in ({"size": H}, {"control": "threshold", "signal": "", "threshold": 1e9, "below": H, "above": H}):
                if "signal" in step:
                    step["signal"] = labels(one, "output")[0]
                one, other = (run(f"series_{hold}", {"model": path_of(model), "t_end": 10 * H, "metrics": defects,
                                                     "method": {"hold": hold, "continuity": continuity, "step": step,
                                                                **more}}) for hold in ("taylor", "lagrange"))
                for metric in defects:
                    for a, b in zip(one[metric][...], other[metric][...]):
                        near(a, b, 1e-9, 1e-13, f"{metric} of {model} with {continuity} {more} {step}")

# After an event too, whatever outputs send.
for continuity in ("c0", "c1"):
    one, other = (run(f"event_{hold}", {"model": path_of("reservoirs"), "t_end": 2, "metrics": ["input_error", "state_error"],
                                        "method": {"hold": hold, "continuity": continuity, "input_order": 0,
                                                   "output_order": 1, "step": {"size": 0.05}}})
                  for hold in ("taylor", "lagrange"))
    for metric in ("input_error", "state_error"):
        for a, b in zip(one[metric][...], other[metric][...]):
            near(a, b, 1e-9, 1e-13, f"{metric} of reservoirs with {continuity}")

# Errors are below the bound made from defects.
for model, H in (("two_mass_oscillator", 0.2), ("ring", 0.3)):
    for hold, order in (("lagrange", 1), ("taylor", 2)):
        for more in ({"continuity": "c0"}, {"continuity": "c1", "master": "gauss_seidel", "iterations": 2, "relaxation": 0.7},
                     {"iterations": "converged"}, {"latency": 1, "feedthrough": "explicit"}):
            file = run("bound", {"model": path_of(model), "t_end": 20 * H, "metrics": ["output_error", "error_bound"],
                                 "method": {"hold": hold, "order": order, "step": {"size": H}, **more}})
            ratio = file["error_bound"][...] / file["output_error"][...]
            expect(ratio.min() >= 1 and ratio.max() < 100, f"bound of {model} {hold} {more}: {ratio}")

# An alternating sequence: order 2 with constants where nothing passes on inputs, none else; the list of the model's names
# is not alternating; traces have the same steps; what it excludes.
turned = {"master": "gauss_seidel", "sequence": "alternating", "hold": "lagrange", "error_at": "points"}
axes = [{"name": "order", "path": "method.order", "values": [0, 1, 2, 3]},
        {"name": "H", "path": "method.step.size", "values": [0.004 / 2**i for i in range(4)]}]
file = run("turned", {"model": path_of("mass_spring_damper"), "t_end": 0.4, "metrics": ["output_error"], "axes": axes,
                      "fits": [{"along": "H"}], "method": {**turned, "step": {"control": "fixed"}}})
for order, want in enumerate((2, 2, 3, 4)):
    for signal in range(4):
        errors = file["output_error"][order, :, signal]
        found = math.log2(errors[2] / errors[3])
        expect(abs(found - want) < 0.15, f"order {order} of an alternating sequence: {found}")
base = {**turned, "order": 1, "step": {"size": 0.2}}
one, other = (run("turned_list", {**oscillator, "method": {**base, "sequence": sequence}})
              for sequence in ("model", ["oscillator1", "oscillator2"]))
expect((one["output_error"][...] == other["output_error"][...]).all(), "a sequence in the model's order is the model's")
other = run("turned", {**oscillator, "method": base})
expect((one["output_error"][...] != other["output_error"][...]).all(), "an alternating sequence is another")
file = trace("turned_trace", {**oscillator, "method": base})
traced = ((file["output_error"][1:] ** 2).mean(axis=0)) ** 0.5
for a, b in zip(other["output_error"][...], traced):
    near(b, a, 1e-11, 1e-16, "alternating: traced")
for feedthrough in ("explicit", "solved"):  # cycles of an odd number of steps have a period of twice as many
    cycles = [run("turned_cycle", {"model": path_of("two_mass_oscillator"), "study": "stability",
                                   "method": {"master": "gauss_seidel", "sequence": "alternating", "hold": "lagrange",
                                              "order": 1, "feedthrough": feedthrough,
                                              "step": {"control": "cycle", "size": 0.2, "ratios": ratios}}})
              for ratios in ([1, 2, 1.5], [1, 2, 1.5, 1, 2, 1.5])]
    near(float(cycles[0]["spectral_radius"][()]), float(cycles[1]["spectral_radius"][()]), 1e-13, 0, "alternating cycle")
whole, longest = (run("turned_long", {"model": path_of("two_mass_oscillator"), "study": "stability",
                                      "method": {"master": "gauss_seidel", "sequence": "alternating", "hold": "lagrange",
                                                 "step": {"size": 0.2, **step}}})
                  for step in ({}, {"control": "cycle", "ratios": [1] * 15}))  # periods of 2 and of 30 equal steps
near(float(longest["spectral_radius_decaying"][()]), float(whole["spectral_radius_decaying"][()]) ** 15, 1e-11, 0,
     "alternating cycle of the most ratios")
for name, more, message in (
        ("repeated", {"iterations": 1}, "is for steps that are done once"),
        ("halved", {"step": {"control": "richardson", "initial": 0.1}}, "control richardson compares a step with two halves"),
        ("doubled", {"engine": "double"}, "engine double combines equal ones"),
        ("mistaken", {"sequence": "alternate"}, 'did you mean "alternating"? want one of: model, alternating, or a list')):
    fails(name, with_method(**{**turned, **more}), message)

# Hold waveform: the orders that methods.md says, whatever feed-through; with a line what lagrange converges to; events
# cost no order; traces have the same steps; settings that leave it the same are the same; what it excludes.
waved = {"hold": "waveform", "iterations": "converged", "error_at": "points"}
for model, sizes, end in (("mass_spring_damper", [0.1, 0.05, 0.025], 0.8), ("ring", [1, 0.5, 0.25], 8)):
    for more, want in (({"order": 1}, 2), ({"order": 2}, 4), ({"order": 3}, 6), ({"order": 3, "nodes": "equal"}, 4)):
        for feedthrough in ("solved", "explicit"):
            file = run("waved", {"model": path_of(model), "t_end": end, "metrics": ["output_error"],
                                 "axes": [{"name": "H", "path": "method.step.size", "values": sizes}],
                                 "method": {**waved, **more, "feedthrough": feedthrough, "step": {"control": "fixed"}}})
            for signal, errors in enumerate(file["output_error"][...].T):
                found = math.log2(errors[1] / errors[2])
                expect(abs(found - want) < 0.25, f"waveform {model} {more} {feedthrough}, output {signal}: order {found}")
base = {**waved, "order": 1, "step": {"size": 0.2}}
one, other = (run("waved_line", {**oscillator, "method": {**base, "hold": hold}}) for hold in ("waveform", "lagrange"))
for a, b in zip(one["output_error"][...], other["output_error"][...]):
    near(a, b, 1e-12, 0, "waveform of a line is lagrange")
for order in (1, 2):
    one, other = (run("waved_nodes", {**oscillator, "method": {**base, "order": order, "nodes": nodes}})
                  for nodes in ("lobatto", "equal"))
    expect((one["output_error"][...] == other["output_error"][...]).all(), "nodes differ from order 3 on")
file = run("waved_events", {"model": path_of("reservoirs"), "t_end": 2, "metrics": ["output_error_final"],
                            "axes": [{"name": "H", "path": "method.step.size", "values": [0.4, 0.2, 0.1]}],
                            "method": {**waved, "order": 2, "step": {"control": "fixed"}}})
for signal, errors in enumerate(file["output_error_final"][...].T):
    found = math.log2(errors[1] / errors[2]) if errors[2] > 1e-15 else 4
    expect(found > 3.5, f"waveform after an event, output {signal}: order {found}")
for more in ({"order": 3}, {"input_order": 2, "output_order": 3, "iterations": 2, "master": "gauss_seidel"},
             {"order": 2, "iterations": 3, "relaxation": 0.8, "solver": "rk4"}):
    settings = {**waved, "step": {"size": 0.2}, **more}
    file, traced = (f("waved_trace", {**oscillator, "method": settings}) for f in (run, trace))
    traced = ((traced["output_error"][1:] ** 2).mean(axis=0)) ** 0.5
    for a, b in zip(file["output_error"][...], traced):
        near(b, a, 1e-11, 1e-16, f"waveform traced: {more}")
    file = run("modal", {**oscillator, "method": settings, "metrics": ["output_error", "input_error", "rounding"]})
    expect(float(file["rounding"][()]) < 1e-9, f"waveform {more}: rounding {float(file['rounding'][()])}")
for model, end in (("mass_spring_damper", 1.0), ("ring", 4.0), ("two_mass_oscillator", 4.0), ("quarter_car", 0.5)):
    file = run("waved_stable", {"model": path_of(model), "study": "stability", "metrics": ["stable"],
                                "method": {"hold": "waveform", "iterations": "converged", "step": {"control": "fixed"}},
                                "axes": [{"name": "order", "path": "method.order", "values": [1, 2, 3]},
                                         {"name": "H", "path": "method.step.size", "linspace": [end / 16, end, 16]}]})
    expect(bool(file["stable"][...].all()), f"waveform {model}: unstable")
for name, more, message in (
        ("once", {"iterations": 0}, "hold waveform has no values ahead; want iterations"),
        ("constant", {"order": 0}, "hold waveform has one order for all subsystems; want the same input_order from 1 to 3"),
        ("unlike", {"subsystems": {"oscillator1": {"input_order": 2}}}, "hold waveform has one order for all subsystems"),
        ("ramp", {"start": "ramp"}, "hold waveform has no history to begin with; want start consistent"),
        ("joined", {"continuity": "c1"}, "hold waveform begins with the values that are known; want continuity none"),
        ("halved", {"step": {"control": "richardson", "initial": 0.1}}, "want another control, or another hold"),
        ("rated", {"subsystems": {"oscillator1": {"rate": 2}}}, "hold waveform samples steps that are done at once"),
        ("adaptive", {"solver": "dopri5", "iterations": 2}, "want another solver, or another hold"),
        ("mistaken", {"nodes": "lobato"}, 'did you mean "lobatto"?')):
    fails(name, with_method(**{**waved, **more}), message)

# Latency: by steps, by doubling and by tries, whatever the start; that of all subsystems is that of each.
for start in ("consistent", "ramp", "zero"):
    for hold in ("lagrange", "taylor"):
        for more in ({"latency": 3}, {"latency": 1, "continuity": "c1"}, {"subsystems": {"oscillator2": {"latency": 2}}}):
            base = {"hold": hold, "order": 2, "start": start, "feedthrough": "explicit", **more}
            errors = []
            for way in ({"engine": "step", "step": {"size": 0.05}}, {"engine": "double", "step": {"size": 0.05}},
                        {"step": {"control": "threshold", "signal": "oscillator1.tau1", "threshold": 1e9,
                                  "below": 0.05, "above": 0.05}}):
                file = run("late", {**oscillator, "t_end": 1, "method": {**base, **way},
                                    "metrics": ["output_error", "connection_defect", "output_defect"]})
                errors.append([x for metric in ("output_error", "connection_defect", "output_defect")
                               for x in file[metric][...]])
            for other in errors[1:]:
                for a, b in zip(errors[0], other):
                    near(b, a, 1e-9, 1e-15, f"latency: {start} {hold} {more}")
each = {name: {"latency": 2} for name in ("oscillator1", "oscillator2")}
one, other = (run("each", with_method(feedthrough="explicit", **more)) for more in ({"latency": 2}, {"subsystems": each}))
expect((one["output_error"][...] == other["output_error"][...]).all(), "latency of each subsystem")
# Derivatives sent beyond the inputs' own order do not matter, nor at the beginning.
sent = {"hold": "taylor", "input_order": 0, "feedthrough": "explicit", "latency": 2, "step": {"size": 0.2}}
less, more = (run("sent", {**oscillator, "metrics": ["input_error_max"], "method": {**sent, "output_order": order}})
              for order in (0, 1))
near(more["input_error_max"][...].max(), less["input_error_max"][...].max(), 1e-12, 0,
     "latency: derivatives sent, not used")
file = trace("late_ramp", with_method(feedthrough="explicit", latency=2, start="ramp", order=1))
change = [max(abs(file["u_start"][i] - file["u_start"][1])) for i in range(1, 5)]  # the first row is T_0
expect(max(change[:3]) < 1e-14 and change[3] > 1e-3, f"latency: inputs before points exist change by {change}")
file = run("modal", {**with_method(feedthrough="explicit", latency=2), "metrics": ["output_error", "rounding"]})
expect(float(file["rounding"][()]) < 1e-9, f"latency: rounding {float(file['rounding'][()])}")
for order in range(4):
    axis = {"name": "H", "path": "method.step.size", "values": [0.004 / 2**i for i in range(4)]}
    errors = run("orders", {"model": path_of("mass_spring_damper"), "t_end": 0.4, "metrics": ["output_error"], "axes": [axis],
                            "method": {"hold": "lagrange", "order": order, "latency": 1}})["output_error"][...]
    for signal in range(4):
        found = math.log2(errors[2, signal] / errors[3, signal])
        expect(abs(found - order - 1) < 0.15, f"order {order} with latency: {found}")

# Rates: by steps, by doubling and in traces, whatever the start; also in modal coordinates, as of stiff networks.
for start in ("consistent", "ramp", "zero"):
    for hold, feedthrough, rates, master in (("lagrange", "explicit", (3, 2, 1), "jacobi"),
                                             ("lagrange", "solved", (1, 2, 4), "jacobi"),
                                             ("taylor", "explicit", (2, 3, 5), "jacobi"),
                                             ("taylor", "solved", (4, 1, 2), "jacobi"),
                                             ("lagrange", "explicit", (5, 2, 3), "gauss_seidel"),
                                             ("lagrange", "solved", (1, 3, 2), "gauss_seidel")):
        base = {"hold": hold, "order": 2, "start": start, "feedthrough": feedthrough, "error_at": "points",
                "master": master,
                "subsystems": {f"cell{i + 1}": {"rate": rate} for i, rate in enumerate(rates)}}
        sweep = {"model": path_of("ring"), "t_end": 1, "metrics": ["output_error", "state_error", "rounding"]}
        one, other = (run("rated", {**sweep, "method": {**base, "engine": engine, "step": {"size": 0.1}}})
                      for engine in ("step", "double"))
        file = trace("rated_trace", {**sweep, "method": {**base, "step": {"size": 0.1}}})
        for metric in ("output_error", "state_error"):
            traced = ((file[metric][1:] ** 2).mean(axis=0)) ** 0.5
            for a, b, c in zip(one[metric][...], other[metric][...], traced):
                near(b, a, 1e-10, 1e-16, f"rates: {metric} {start} {hold} doubled")
                near(c, a, 1e-10, 1e-16, f"rates: {metric} {start} {hold} traced")
        expect(float(one["rounding"][()]) < 1e-9, f"rates: {start} {hold}: rounding {float(one['rounding'][()])}")

# A rate of all subsystems is a smaller step; rates whose extra points send nothing new change nothing.
for start in ("consistent", "ramp", "zero"):
    for hold in ("lagrange", "taylor"):
        for feedthrough in ("explicit", "solved"):
            base = {"hold": hold, "order": 3, "start": start, "feedthrough": feedthrough, "error_at": "points"}
            each = {name: {"rate": 4} for name in ("oscillator1", "oscillator2")}
            one, other = (run("equal", {**oscillator, "method": {**base, **more}, "metrics": ["output_error_final"]})
                          for more in ({"step": {"size": 0.05}}, {"step": {"size": 0.2}, "subsystems": each}))
            for a, b in zip(one["output_error_final"][...], other["output_error_final"][...]):
                near(b, a, 1e-10, 1e-16, f"rates of all: {start} {hold} {feedthrough}")

# Rates do not change the order, and the program says so.
rated = {"mass1": {"rate": 1}, "mass2": {"rate": 2}, "mass3": {"rate": 3}}
for hold, more in (("lagrange", {}), ("taylor", {}), ("lagrange", {"master": "gauss_seidel"}),
                   ("lagrange", {"master": "gauss_seidel", "sequence": ["mass3", "mass2", "mass1"]})):
    axes = [{"name": "order", "path": "method.order", "values": [0, 1, 2, 3]},
            {"name": "H", "path": "method.step.size", "values": [0.004 / 2**i for i in range(4)]}]
    file = run("orders", {"model": path_of("three_masses"), "t_end": 0.4, "metrics": ["output_error"], "axes": axes,
                          "fits": [{"along": "H"}],
                          "method": {"hold": hold, "error_at": "points", "subsystems": rated, **more,
                                     "step": {"control": "fixed"}}})
    for order in range(4):
        for signal in range(6):
            errors = file["output_error"][order, :, signal]
            found = math.log2(errors[2] / errors[3])
            expect(abs(found - order - 1) < 0.15, f"order {order} of {hold} with rates {more}: {found}")

# Own steps that wait for one another under gauss_seidel: after mass1 two of mass2, whose first lets mass3 begin; four and
# four overlap but for one.
for model, rates, want in (("three_masses", rated, 5), ("two_mass_oscillator", each, 5)):
    file = run("stages", {"model": path_of(model), "t_end": 1, "metrics": ["stages", "evaluations"],
                          "method": {"hold": "lagrange", "error_at": "points", "master": "gauss_seidel",
                                     "subsystems": rates, "step": {"size": 0.1}}})
    near(float(file["stages"][()]), 10 * want, 0, 0, f"stages of {model}")
    near(float(file["evaluations"][()]), 10 * sum(own["rate"] for own in rates.values()), 0, 0, f"steps of {model}")

# What rates exclude.
three = {"model": path_of("three_masses"), "t_end": 1}
for name, more, message in (
        ("alternating", {"master": "gauss_seidel", "sequence": "alternating"},
         "needs another sequence than alternating"),
        ("in_turn", {"master": "gauss_seidel", "hold": "taylor"}, "needs hold lagrange under gauss_seidel"),
        ("repeated", {"iterations": 2}, "needs master jacobi or gauss_seidel without iterations"),
        ("backward", {"hold": "backward_difference"}, "needs hold lagrange or taylor"),
        ("refreshed", {"hold": "taylor", "feedthrough": "refresh"}, "needs feedthrough explicit or solved"),
        ("joined", {"continuity": "c0"}, "needs continuity none"),
        ("aged", {"latency": 1}, "needs latency 0"),
        ("solver", {"solver": "rk4"}, "needs solver exact"),
        ("continuous", {"error_at": "continuous"}, "needs error_at points"),
        ("varied", {"step": {"control": "pi_defect", "initial": 0.1, "tolerance": 1e-3}},
         "needs step control fixed")):
    base = {"hold": "lagrange", "error_at": "points", "step": {"size": 0.1}, "subsystems": {"mass2": {"rate": 2}}}
    fails(name, {**three, "method": {**base, **more}}, f"method.subsystems.mass2.rate: {message}")
for metric in ("output_defect", "connection_defect", "integration_defect", "error_bound", "local_error"):
    fails(metric, {**three, "metrics": [metric], "method": base}, "not available: in some run subsystems have a rate")

# The energy of a bond beside its definition: a spring with a damper that gives a force to a mass, and gets its velocity.
spring = {"k": 10.0, "d": 0.3, "m": 2.0, "x0": 0.4, "v0": -1.0}
(output / "bond_model.json").write_text(json.dumps({
    "format": "cosweep-model/1", "name": "bond", "subsystems": [
        {"name": "spring", "A": [[0]], "B": [[1]], "C": [[spring["k"]]], "D": [[spring["d"]]], "x0": [spring["x0"]],
         "states": ["x"], "inputs": ["v"], "outputs": ["F"]},
        {"name": "mass", "A": [[0]], "B": [[-1 / spring["m"]]], "C": [[1]], "D": [[0]], "x0": [spring["v0"]],
         "states": ["v"], "inputs": ["F"], "outputs": ["v"]}],
    "connections": [{"from": "spring.F", "to": "mass.F"}, {"from": "mass.v", "to": "spring.v"}]}))
BOND = [{"a": ["spring.v", "spring.F"], "b": ["mass.F", "mass.v"]}]


def energy_by_definition(order, H, steps):
    """Of lagrange, jacobi, explicit: both subsystems integrate the polynomials that they hold, degree 0 or 1."""
    k, d, m, x, v = (spring[name] for name in ("k", "d", "m", "x0", "v0"))
    force, speed, energy = k * x + d * v, v, 0.0
    slopes = [(k * v + d * -force / m) if order else 0.0, -force / m if order else 0.0]  # replaced below
    if order:
        # one step back along the exact solution, m v' = -(k x + d v), x' = v, by its Taylor series
        a, b, back, scale = x, v, [x, v], 1.0
        for n in range(1, 30):
            a, b = b, -(k * a + d * b) / m
            scale *= -H / n
            back = [back[0] + scale * a, back[1] + scale * b]
        slopes = [(force - (k * back[0] + d * back[1])) / H, (speed - back[1]) / H]
    for _ in range(steps):
        f0, v0, fs, vs = force, speed, *slopes
        nodes = [(0.5 - math.sqrt(0.6) / 2, 5 / 18), (0.5, 4 / 9), (0.5 + math.sqrt(0.6) / 2, 5 / 18)]

        def at(t, x=x, v=v):
            u, w = v0 + vs * t, f0 + fs * t
            return u, k * (x + v0 * t + vs * t * t / 2) + d * u, w, v - (f0 * t + fs * t * t / 2) / m
        energy += H * sum(weight * (u * F - w * s) for place, weight in nodes for u, F, w, s in [at(place * H)])
        u, force, _, speed = at(H)
        x, v = x + v0 * H + vs * H * H / 2, speed
        slopes = [(force - f0) / H, (speed - v0) / H] if order else [0.0, 0.0]
    return energy


for order in (0, 1):
    for H in (0.2, 0.01):
        for step in ({"size": H}, {"control": "threshold", "signal": "mass.v", "threshold": 1e9, "below": H, "above": H},
                     {"control": "pi_ecco", "initial": H, "min": H, "max": H, "atol": 1, "rtol": 1}):
            file = run("bond", {"model": "bond_model.json", "t_end": 20 * H, "metrics": ["bond_energy", "output_error"],
                                "method": {"hold": "lagrange", "order": order, "feedthrough": "explicit",
                                           "step": {**step, "bonds": BOND}}})
            near(float(file["bond_energy"][0]), energy_by_definition(order, H, 20), 1e-10, 1e-15, f"energy {order} {H} {step}")
both = BOND + [{"a": BOND[0]["b"], "b": BOND[0]["a"]}]
axes = [{"name": "bonds", "path": "method.step.bonds", "values": [{"label": "one", "value": BOND}, {"label": "both", "value": both}]},
        {"name": "solver", "path": "method.solver", "values": ["exact", "rk4", "dopri5"]},
        {"name": "H", "path": "method.step.size", "values": [0.02, 0.01]}]
file = run("bonds", {"model": "bond_model.json", "t_end": 1, "metrics": ["bond_energy"], "axes": axes,
                     "method": {"hold": "lagrange", "order": 2, "tolerance": 1e-10, "step": {"control": "fixed"}}})
energy = file["bond_energy"][...]
expect(math.isnan(energy[0, 0, 0, 1]) and (energy[1, ..., 0] == -energy[1, ..., 1]).all(), "energy: sides exchanged")
expect((energy[0, ..., 0] == energy[1, ..., 0]).all(), "energy of the same bond in two lists")
expect(abs(math.log2(energy[1, 0, 0, 0] / energy[1, 0, 1, 0]) - 3) < 0.2, f"order of energy: {energy[1, 0, :, 0]}")
for other in (1, 2):
    near(energy[1, other, 1, 0], energy[1, 0, 1, 0], 1e-4, 0, "energy of other solvers")
leaky = json.loads((output / "bond_model.json").read_text().replace('"A": [[0]]', '"A": [[-0.1]]'))
(output / "leaky_model.json").write_text(json.dumps(leaky))
file = run("exact_bond", {"model": "leaky_model.json", "t_end": 1, "metrics": ["bond_energy", "rounding"],
                          "method": {"hold": "taylor", "order": 3, "iterations": "converged",
                                     "step": {"size": 1e-3, "bonds": BOND}}})
expect(abs(file["bond_energy"][0]) < 1e-11 and float(file["rounding"][()]) < 1e-6, f"energy: {file['bond_energy'][0]}, {file['rounding'][()]}")
fails("no_bond", {"model": "bond_model.json", "t_end": 1, "metrics": ["bond_energy"], "method": {"step": {"size": 0.1}}},
      "no run has method.step.bonds")
fails("bond_unused", {"model": "bond_model.json", "t_end": 1, "method": {"step": {"size": 0.1, "bonds": BOND}}},
      "method.step.bonds: has no effect with control fixed")

# Hold hermite: of order 4, whatever advances, by steps, by doubling and by tries, also where latency or continuity change
# what is held; and in modal coordinates.
cubic = {"hold": "hermite", "order": 3}
for master in ({}, {"feedthrough": "explicit"}, {"master": "gauss_seidel"}, {"iterations": 1}, {"iterations": "converged"},
               {"continuity": "c1"}, {"latency": 1, "feedthrough": "explicit"}):
    largest = 0.008 if "latency" in master else 0.1
    axis = {"name": "H", "path": "method.step.size", "values": [largest / 2**i for i in range(4)]}
    file = run("cubic", {**with_method(**cubic, **master, step={"control": "fixed"}), "axes": [axis], "fits": [{"along": "H"}]})
    errors = file["output_error"][...]
    for signal in range(2):
        found = math.log2(errors[2, signal] / errors[3, signal])
        expect(abs(found - 4) < 0.25, f"order of hermite {master}: {found}")
    for start in ("consistent", "ramp"):
        base = {**cubic, **master, "start": start}
        metrics = ["output_error", "connection_defect", "output_defect", "output_defect_true", "state_error_final"]
        found = []
        for way in ({"engine": "step", "step": {"size": 0.05}}, {"engine": "double", "step": {"size": 0.05}},
                    {"step": {"control": "threshold", "signal": "oscillator1.tau1", "threshold": 1e9,
                              "below": 0.05, "above": 0.05}}):
            file = run("cubic_ways", {**oscillator, "t_end": 1, "method": {**base, **way}, "metrics": metrics})
            found.append([x for metric in metrics for x in file[metric][...]])
        for other in found[1:]:
            for a, b in zip(found[0], other):
                near(b, a, 1e-9, 1e-16, f"hermite: {start} {master}")
    for step in ({"size": 0.2}, {"control": "richardson", "initial": 0.1}):
        if "latency" in master and "control" in step:
            continue
        file = run("modal", {**with_method(**cubic, **master, step=step), "metrics": ["output_error", "rounding"]})
        expect(float(file["rounding"][()]) < 1e-8, f"hermite {master}: rounding {float(file['rounding'][()])}")

# Steps of different sizes: of the right order, and inputs of the steps go through the values and slopes that were sent.
axis = {"name": "H", "path": "method.step.size", "values": [0.04 / 2**i for i in range(4)]}
for feedthrough in ("explicit", "solved"):
    errors = run("uneven", {**with_method(**cubic, feedthrough=feedthrough, step={"control": "cycle", "ratios": [2, 3, 2.5]}),
                            "axes": [axis]})["output_error"][...]
    for signal in range(2):
        found = math.log2(errors[2, signal] / errors[3, signal])
        expect(abs(found - 4) < 0.25, f"order of hermite in uneven steps: {found}")
# In a ramp the first step is a straight line of the known slope, and the second a cubic polynomial.
file = trace("cubic_ramp", with_method(**cubic, start="ramp", feedthrough="explicit"))
straight = trace("straight", with_method(hold="taylor", order=1, feedthrough="explicit"))
for a, b in zip(file["u"][1], straight["u"][1]):
    near(a, b, 1e-14, 1e-16, "hermite: first step of a ramp")
for a, b in zip(file["u"][2], straight["u"][2]):
    expect(abs(a - b) > 1e-8, "hermite: second step of a ramp")
fails("cubic_order", with_method(hold="hermite", order=2), "hold hermite has order 3; want input_order and output_order 3")
fails("cubic_corrected", with_method(**cubic, feedthrough="explicit", step={"size": 0.1, "estimate": "corrected"}), "want estimate plain")
fails("cubic_zero", with_method(**cubic, start="zero"), "want start consistent or ramp")
fails("cubic_events", {"model": path_of("thermostat"), "t_end": 1, "method": {**cubic, "step": {"size": 0.1}}}, "a model without events")
fails("cubic_rate", {**three, "method": {**base, **cubic, "error_at": "points", "step": {"size": 0.1}, "latency": 0,
                                         "continuity": "none", "subsystems": {"mass2": {"rate": 2}}}}, "needs hold lagrange or taylor")

# Order m + 1, with every continuity.
sizes = [0.1 / 2**i for i in range(4)]
for order in range(4):
    axes = [{"name": "way", "path": "method.continuity", "values": ["none", "c0", "c1"]},
            {"name": "H", "path": "method.step.size", "values": sizes}]
    errors = run("orders", {**with_method(order=order, step={"control": "fixed"}), "axes": axes})["output_error"][...]
    for way in range(3):
        for signal in range(2):
            found = math.log2(errors[way, 2, signal] / errors[way, 3, signal])
            expect(abs(found - order - 1) < 0.15, f"order {order} of continuity {way}: {found}")

# No fixed point: at H = 0 two components send on exactly what they receive.
loop = {"format": "cosweep-model/1", "name": "loop",
        "subsystems": [{"name": name, "A": [[-1]], "B": [[1]], "C": [[1]], "D": [[gain]], "x0": [1],
                        "states": ["x"], "inputs": ["u"], "outputs": ["y"]}
                       for name, gain in (("a", 1), ("b", 1))],
        "connections": [{"from": "a.y", "to": "b.u"}, {"from": "b.y", "to": "a.u"}]}
(output / "loop_model.json").write_text(json.dumps(loop))
file = run("loop", {"model": "loop_model.json", "study": "stability",
                    "method": {"hold": "lagrange", "feedthrough": "explicit", "iterations": "converged",
                               "step": {"control": "fixed"}},
                    "axes": [{"name": "H", "path": "method.step.size", "values": [0, 0.1]}],
                    "metrics": ["spectral_radius", "contraction"]})
expect(list(file["status"][...]) == [4, 0], f"loop: status {file['status'][...]}")

# A fixed point for which the first equation does not hold its own unknown: a sends to itself, with a gain of 1.
loop["connections"].append({"from": "a.y", "to": "a.u"})
(output / "loop_model.json").write_text(json.dumps(loop))
file = run("own_loop", {"model": "loop_model.json", "study": "stability",
                        "method": {"hold": "lagrange", "feedthrough": "explicit", "iterations": "converged",
                                   "step": {"control": "fixed"}},
                        "axes": [{"name": "H", "path": "method.step.size", "values": [0]}], "metrics": ["contraction"]})
expect(int(file["status"][0]) == 0, f"own loop: status {file['status'][0]}")
near(float(file["contraction"][0]), (1 + 5**0.5) / 2, 1e-14, 0, "own loop: contraction")

# Which defects control the steps.
file = run("defect_choice", {"model": path_of("two_mass_oscillator"), "t_end": 1,
    "method": {"feedthrough": "explicit",
               "step": {"control": "pi_defect", "initial": 1e-4, "end": "overshoot"}},
    "axes": [{"name": "judged", "path": "method.step.defects", "values": ["both", "connection", "output"]},
             {"name": "order", "path": "method.order", "values": [0, 1, 2]},
             {"name": "tolerance", "path": "method.step.tolerance", "values": [1e-3, 1e-2, 1e-1, 1]}],
    "metrics": ["steps", "step_mean", "output_error", "output_defect", "connection_defect"]})
for line, at in zip(rows("defect_choice.csv"), ((i, j, k) for i in range(3) for j in range(3) for k in range(4))):
    name = f"defects {line['eps_from']}, order {line['order']}, {line['tolerance']}"
    expect(int(file["steps"][at]) == int(line["steps"]), f"{name}: {file['steps'][at]} steps")
    near(float(file["step_mean"][at]), float(line["step_mean"]), 1e-8, 0, name)
    for signal, column in (("oscillator1.tau1", "output_error_tau1"), ("oscillator2.omega2", "output_error_omega2")):
        near(float(file["output_error"][at][labels(file, "output").index(signal)]), float(line[column]), 1e-8, 0, name)
fails("judges", with_method(step={"control": "richardson", "initial": 0.1, "atol": 1e-3, "rtol": 1e-3, "defects": "both"}),
      "has no effect with control richardson")

# Compensation: discrepancies of Kyllingstad's oscillator, whose integrals of a flow are compared.
bond = [{"a": ["spring_damper.velocity", "spring_damper.force"], "b": ["mass.force", "mass.velocity"]}]
ecco = {"control": "pi_ecco", "initial": 0.1, "bonds": bond, "kp": 0.2, "ki": 0.1, "shrink_max": 0.2, "growth_max": 1.2,
        "atol": 1e-6, "rtol": 1e-6, "min": 1e-5, "max": 0.1}
displacements = {"model": path_of("damped_oscillator"), "metrics": ["monitor_final", "monitor_max", "steps"]}
for line in rows("kyllingstad_compensation.csv"):
    name = "_".join(["displaced", *(line[key] for key in ("v0", "velocity", "force", "control"))])
    of = {"spring_damper": {"compensation": int(line["velocity"])}, "mass": {"compensation": int(line["force"])}}
    file = run(name, {**displacements, "parameters": {"v0": float(line["v0"])}, "t_end": float(line["t_end"]),
                      "method": {"hold": "lagrange", "feedthrough": "explicit", "start": "zero", "subsystems": of,
                                 "step": {"size": 0.1} if line["control"] == "fixed" else ecco}})
    expect(int(file["steps"][()]) == int(line["steps"]), f"{name}: {file['steps'][()]} steps")
    for metric, column in (("monitor_final", "dx_final"), ("monitor_max", "dx_max")):
        near(float(file[metric][0]), float(line[column]), 1e-9, 1e-17, f"{name} {metric}")

# Over the whole run of the paper. Where pi_ecco has compensated inputs rounding decides which steps it takes after those
# of kyllingstad_compensation.csv, which the program says itself (status 8): there only the largest discrepancy is that
# of the table.
compensations = [{"name": name, "path": f"method.subsystems.{part}.compensation", "values": [0, 1]}
                 for name, part in (("velocity", "spring_damper"), ("force", "mass"))]
throughout = {control: run(f"displaced_throughout_{number}", {
    **displacements, "t_end": 15, "axes": [{"name": "v0", "path": "parameters.v0", "values": [0, 1]}, *compensations],
    "metrics": [*displacements["metrics"], "rounding"],
    "method": {"hold": "lagrange", "feedthrough": "explicit", "start": "zero", "step": step}})
    for number, (control, step) in enumerate((("fixed 0.1", {"size": 0.1}), ("pi_ecco", ecco)))}
for line in rows("compensation.csv"):
    given, file = line["compensated_input"], throughout[line["control"]]
    at = (int(float(line["v0"])), int(given in ("velocity", "both")), int(given in ("force", "both")))
    name = f"displaced throughout, {', '.join(list(line.values())[:3])}"
    decided = line["control"] == "pi_ecco" and given != "none"
    expect(int(file["status"][at]) == (8 if decided else 0), f"{name}: status {file['status'][at]}")
    near(float(file["monitor_max"][at][0]), float(line["dx_max"]), 1e-4 if decided else 1e-9, 0, f"{name}: monitor_max")
    if decided and given != "force":
        expect(abs(file["monitor_final"][at][0]) < 5e-6, f"{name}: {file['monitor_final'][at][0]!r}")
    if not decided:
        near(float(file["monitor_final"][at][0]), float(line["dx_final"]), 1e-9, 0, f"{name}: monitor_final")
        expect(int(file["steps"][at]) == int(line["steps"]), f"{name}: {file['steps'][at]} steps")

# Without feed-through order 0 that is given back all has the eigenvalues of a line, large networks too.
def copies(name, count):
    """A model of so many networks that have nothing to do with each other."""
    one = json.loads(open(path_of(name)).read())
    many = {**one, "name": f"{name}_{count}", "monitors": [], "subsystems": [], "connections": []}
    for i in range(count):
        for part in one["subsystems"]:
            many["subsystems"].append({**part, "name": f"{part['name']}_{i}"})
        for link in one["connections"]:
            ends = {end: f"_{i}.".join(link[end].split(".")) for end in ("from", "to")}
            many["connections"].append({**link, **ends})
    path = beside.written(f"{name}_{count}", {key: value for key, value in many.items() if value or key != "monitors"})
    return str(path.resolve())


for model, H in (("mass_spring_damper", [1e-4, 0.01, 0.169, 0.3]), (copies("mass_spring_damper", 12), [0.01, 0.169]),
                 (path_of("quarter_car"), [0.01, 0.3])):
    model = path_of(model) if "/" not in model else model
    radii = [run(f"{json.loads(open(model).read())['name']}_like_{order}", {
        "model": model, "study": "stability", "metrics": ["spectral_radius"],
        "method": {"hold": "lagrange", "order": order, "compensation": 1 - order},
        "axes": [{"name": "H", "path": "method.step.size", "values": H}]})["spectral_radius"][...] for order in (0, 1)]
    for h, given_back, line in zip(H, *radii):
        near(float(given_back), float(line), 1e-11, 0, f"{model}, H = {h}: radius of compensation and of a line")

# Copies of a network, computed by the kernels of large ones, have its errors, also in unequal steps and with fast modes.
for step in ({"size": 0.02}, {"control": "cycle", "size": 0.02, "ratios": [1, 2, 0.5]},
             {"control": "pi_defect", "initial": 0.01, "tolerance": 0.05, "max": 0.1}):
    for stiff in (False, True):
        common = {"parameters": {"c1": 5000 if stiff else 1}, "t_end": 0.4, "metrics": ["output_error", "state_error_final", "steps"],
                  "method": {"hold": "lagrange", "order": 1, "compensation": 0.8, "step": step,
                             "start": "ramp" if stiff else "consistent"}}
        name = f"copies_{step.get('control', 'fixed')}_{stiff:d}"
        small = run(f"{name}_1", {**common, "model": path_of("mass_spring_damper")})
        large = run(f"{name}_12", {**common, "model": copies("mass_spring_damper", 12)})
        expect(int(small["steps"][()]) == int(large["steps"][()]), f"{name}: {large['steps'][()]} steps")
        for metric in ("output_error", "state_error_final"):
            for i, found in enumerate(large[metric][...]):
                want = float(small[metric][i % len(small[metric])])
                near(float(found), want, 1e-10, 1e-15, f"{name} {metric} {i}")

# Given back nothing, the kernels are those without it, and so are the numbers.
plain = run("compensated_none", with_method())
file = run("compensated", {**with_method(subsystems={"oscillator1": {"compensation": 0}}), "axes": [
    {"name": "share", "path": "method.compensation", "values": [0, 0.25, 1]}]})
expect((file["output_error"][0] == plain["output_error"][...]).all(), "compensation 0 is none")
for i in (1, 2):
    expect((file["output_error"][i] != plain["output_error"][...]).any(), "compensation changes nothing")

fails("more", with_method(compensation=1.5), "found 1.5; want a number from 0 to 1")
fails("axis", {**with_method(), "axes": [{"name": "a", "path": "method.compensation", "values": [0, -0.5]}]},
      "want a number from 0 to 1")
for name, more, wants in (("sweeps", {"master": "gauss_seidel"}, "master jacobi without iterations"),
                          ("repeats", {"iterations": 1}, "master jacobi without iterations"),
                          ("derives", {"hold": "taylor"}, "hold lagrange"),
                          ("joins", {"continuity": "c0"}, "continuity none"),
                          ("late_back", {"latency": 1, "feedthrough": "explicit"}, "latency 0"),
                          ("adapts", {"solver": "dopri5"}, "another solver than dopri5"),
                          ("halves_back", {"feedthrough": "explicit", "step": {
                              "control": "richardson", "initial": 0.1, "atol": 1e-3, "rtol": 1e-3,
                              "estimate": "corrected"}}, "estimate plain")):
    fails(name, with_method(**{"compensation": 1, **more}), f"compensation: needs {wants}")
    fails(f"{name}_own", with_method(**{"subsystems": {"oscillator2": {"compensation": 0.5}}, **more}), f"needs {wants}")

# Solvers with memory: a trace, whose steps are not assembled, has the points of a run; copies of a network, computed by
# the kernels of large ones, have its errors, also where micro steps are beyond the reach of series and with fast modes.
twins = {"model": path_of("mass_spring_damper_twins"), "t_end": 0.5}
for master, more in (("jacobi", {}), ("gauss_seidel", {"iterations": 1}), ("jacobi", {"iterations": "converged"}),
                     ("jacobi", {"compensation": 0.7}), ("jacobi", {"latency": 2, "start": "ramp", "order": 2})):
    for solver, memory in (("ab2", "keep"), ("bdf2", "keep"), ("bdf2", "restart")):
        name = f"remembered_{master}_{'_'.join(map(str, more.values()))}_{solver}_{memory}"
        method = {"hold": "lagrange", "order": 1, "feedthrough": "explicit", "solver": solver, "memory": memory,
                  "micro_steps": 4, "step": {"size": 0.05}, "master": master, **more,
                  "subsystems": {"exact1": {"solver": "exact"}, "exact2": {"solver": "exact"}}}
        file = run(name, {**twins, "method": method, "metrics": ["monitor_rms"]})
        followed = trace(f"{name}_trace", {**twins, "method": method})["monitor_value"][1:]
        for i, found in enumerate(file["monitor_rms"][...]):
            near(float(found), math.sqrt(float((followed[:, i]**2).mean())), 1e-11, 0, f"{name}: {i} in a trace")

for solver in ("ab2", "bdf2"):
    for stiffness, fast in ((10, 1), (10, 5000), (1e6, 1)):
        if solver == "ab2" and (stiffness > 10 or fast > 1):
            continue
        common = {"parameters": {"c1": fast, "k1": stiffness}, "t_end": 0.4, "metrics": ["output_error", "state_error_final"],
                  "method": {"hold": "lagrange", "order": 1, "solver": solver, "memory": "keep", "micro_steps": 2,
                             "step": {"size": 0.02}}}
        name = f"copies_{solver}_{fast}_{stiffness:.0f}"
        small = run(f"{name}_1", {**common, "model": path_of("mass_spring_damper")})
        large = run(f"{name}_12", {**common, "model": copies("mass_spring_damper", 12)})
        for metric in ("output_error", "state_error_final"):
            for i, found in enumerate(large[metric][...]):
                near(float(found), float(small[metric][i % len(small[metric])]), 1e-10, 1e-15, f"{name} {metric} {i}")

# A kept memory grows as its eigenvalues say: the run diverges where these are outside the unit circle.
for solver in ("ab2", "bdf2"):
    file = run(f"growing_{solver}", {"model": path_of("mass_spring_damper"), "t_end": 200,
        "metrics": ["spectral_radius", "state_error_final"],
        "method": {"hold": "lagrange", "order": 1, "solver": solver, "memory": "keep", "micro_steps": 4},
        "axes": [{"name": "H", "path": "method.step.size", "values": [0.05, 0.1, 0.2, 0.3]}]})
    radii = [float(x) for x in file["spectral_radius"][...]]
    ends = [max(abs(float(x)) for x in at) for at in file["state_error_final"][...]]
    for radius, end, status in zip(radii, ends, file["status"][...]):
        expect((radius > 1) == (int(status) != 0 or end > 1), f"{solver}: radius {radius}, error {end}")
    expect(min(radii) < 1 < max(radii), f"{solver}: {radii}")

for name, more, wants in (("cycles", {"step": {"control": "cycle", "size": 0.2, "ratios": [1, 2]}}, "step control fixed"),
                          ("adapts_itself", {"step": {"control": "pi_defect", "initial": 0.1, "tolerance": 1}}, "step control fixed")):
    fails(name, with_method(solver="ab2", memory="keep", **more), f"keep needs {wants}, as what it keeps is of steps of one size")
    expect(run(f"{name}_anew", with_method(solver="ab2", **more))["status"][()] == 0, f"{name}: restart")
fails("searched", {"model": path_of("thermostat"), "t_end": 1, "method": {"solver": "bdf2", "step": {"size": 0.1}}},
      "want another solver, or a model whose events add constants at given times")
timed = {"model": path_of("reservoirs"), "t_end": 1, "method": {"solver": "ab2", "step": {"size": 0.1}}}
expect(run("timed_anew", timed)["status"][()] == 0, "time events: restart")
for key, value in (("interruption", 1e-4), ("grid", "keep")):
    fails(f"timed_{key}", {**timed, "method": {**timed["method"], "events": {key: value}}},
          "want another solver, or none of these three")
fails("timed", {"model": path_of("reservoirs"), "t_end": 1, "method": {"solver": "bdf2", "memory": "keep", "step": {"size": 0.1}}},
      "keep needs a model without events")

fails("user", with_method(continuity="c0", hold="taylor", feedthrough="refresh"), "no meaning with feedthrough refresh")
fails("late", with_method(latency=1, feedthrough="solved", hold="lagrange", iterations=2), "are not late")
fails("present", {"model": path_of("ring"), "t_end": 1, "method": {"latency": 1, "step": {"size": 0.1}}},
      "solved outputs know the present; latency needs feedthrough explicit")
fails("halves", with_method(latency=1, feedthrough="explicit", step={"control": "richardson", "initial": 0.1}), "half as late")
fails("events", {"model": path_of("thermostat"), "t_end": 1, "method": {"latency": 1, "step": {"size": 0.1}}},
      "what is under way at an event")
fails("unused", with_method(relaxation=0.5), "relaxation: means nothing without iterations")
fails("out", with_method(iterations=2, relaxation=2), "want a number > 0 and < 2")
fails("word", with_method(iterations="convergd"), 'or "converged"')
fails("dopri5", with_method(iterations="converged", solver="dopri5"), "converged solves linear equations")
tolerance = {"iterations": "tolerance", "hold": "lagrange"}
for more, message in (({"hold": "taylor"}, "want hold lagrange, or other iterations"),
                      ({"step": {"control": "richardson", "initial": 0.1}}, "want control fixed"),
                      ({"solver": "dopri5"}, "steps that are linear"), ({"engine": "double"}, "want engine auto or step"),
                      ({"feedthrough": "refresh", "hold": "taylor"}, "without iterations"),
                      ({"iterations_max": 1}, "want an integer from 2 to 1000"),
                      ({"tolerance_iterations": 0}, "want a number > 0")):
    fails("tolerance", with_method(**{**tolerance, **more}), message)
for key, value in (("acceleration", "aitken"), ("tolerance_iterations", 1e-3), ("iterations_max", 9)):
    fails(f"no_{key}", with_method(iterations=2, **{key: value}), f'{key}: means nothing without iterations "tolerance"')
fails("no_tolerance", {**with_method(iterations=2), "metrics": ["repetitions"]}, "no run has iterations tolerance")
fails("no_matrix", {**with_method(**tolerance), "metrics": ["contraction"]}, "iterations tolerance, whose steps have no matrix")
fails("no_map", {"model": path_of("ring"), "study": "stability", "method": {**tolerance, "step": {"size": 0.1}}},
      "has no matrix of a step")
fails("none", {"model": path_of("two_mass_oscillator"), "study": "stability", "method": {"step": {"size": 0.2}},
               "metrics": ["contraction"]}, "no run has iterations")

finish()
