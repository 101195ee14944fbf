#!/usr/bin/python3
"""Are the orders that `info` expects those that runs have? Surveys of many combinations of settings on several models:
no fitted order may be further than 0.15 from the one expected.

usage: check_orders.py COSWEEP SOURCE FOLDER [SURVEY...] [--list N]

Surveys are the rows of the table below, by default those with few combinations; `all` is all of them. Each is a sweep
over its axes and five step sizes for each of its models. --list: so many of the deviations of every metric are printed
(3). Exits 0, or 1 with what deviates on stderr.
"""

import argparse
import collections
import json
import subprocess
import sys
from pathlib import Path

from checking import expect, finish

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("source", type=Path)
parser.add_argument("folder", type=Path)
parser.add_argument("surveys", nargs="*")
parser.add_argument("--list", type=int, default=3)
arguments = parser.parse_args()

# ---- models, of parameters where no leading term vanishes, the end of their runs, and a step size
# where leading terms rule and rounding does not


def shipped(name, event=None, **parameters):
    model = json.loads((arguments.source / "models" / name / "model.json").read_text())
    for parameter, value in parameters.items():
        model["parameters"][parameter]["value"] = value
    if event:
        model["events"] = [{"name": "kick"} | event]
    return model


masses = {"v10": 0.7, "v20": -0.4, "k1": 1, "k2": 2.5, "k3": 5, "c1": 0.5, "c2": 0.4, "c3": 0.2}
others = {"m2": 1.6, "x20": 0.6, "v10": -0.9, "v20": 0.5, "c2": 0.8}
kick = {"t": 0.731, "add": {"mass1.v1": 0.5, "mass2.x2": 0.2, "mass2.v2": -0.4}}
MODELS = {
    "two": (shipped("two_mass_oscillator", omega20=0.13), 13, 6e-6),
    "masses": (shipped("mass_spring_damper", **masses), 2.3, 3e-6),
    "loop": (shipped("linear_feedthrough", d1=0.3, d2=-0.32), 2.1, 3e-6),
    "through": (shipped("mass_spring_damper_feedthrough", **masses | others), 2.3, 2e-6),
    "ring": (shipped("ring", RC=0.2, GL=0.3), 2.1, 3e-6),
    "weak": (shipped("linear_feedthrough", d1=0.05, d2=-0.07), 2.1, 3e-6),
    "kicked": (shipped("mass_spring_damper", kick, **masses), 2.3, 3e-6),
}
THREE = ("two", "masses", "loop")
MORE = ("through", "ring", "weak")
LATE = ("two", "masses", "weak")
DRAWN = []
for line in (arguments.source / "tests/data/random/models.jsonl").read_text().splitlines():
    model = json.loads(line)
    MODELS[model["name"]] = (model, 1.1, 3e-6)
    if model["name"] not in ("random_25", "random_56"):  # outputs whose leading terms all but cancel at these steps
        DRAWN.append(model["name"])

# ---- surveys: models, axes (keys of the method), what is fixed, metrics, factor of the step sizes

AXES = {
    "start": ["consistent", "ramp", "zero"],
    "hold": ["taylor", "lagrange", "backward_difference"],
    "order": [0, 1, 2, 3],
    "input_order": [0, 1, 2, 3],
    "output_order": [0, 1, 2, 3],
    "master": ["jacobi", "gauss_seidel"],
    "continuity": ["none", "c0", "c1"],
    "feedthrough": ["explicit", "solved"],
    "iterations": [0, 1, 2, 3, "converged"],
    "solver": ["euler", "heun", "rk4", "implicit_euler", "trapezoidal", "ab2", "bdf2"],
    "memory": ["restart", "keep"],
    "micro_steps": [1, 2, 4],
    "latency": [1, 2, 3],
}
ERRORS = ["state_error", "output_error", "input_error"]
DEFECTS = ["output_defect", "output_defect_true", "connection_defect", "integration_defect"]
MANY = ERRORS + [e + "_final" for e in ERRORS] + DEFECTS
MAXIMA = [e + "_max" for e in ERRORS]
LOCAL = ["local_error", "local_error_estimate"]


def axes(names, **values):
    return {name: AXES[name] for name in names.split()} | values


def rate(subsystem, value):
    return {"subsystems": {subsystem: {"rate": value}}}


some = [0, 1, "converged"]
alike = axes("start hold order master continuity feedthrough", iterations=some)
apart = axes("start input_order output_order master continuity feedthrough iterations")
hermite = {"hold": "hermite", "order": 3}
explicit = {"feedthrough": "explicit"}
few = axes("start hold continuity feedthrough", input_order=[0, 2], output_order=[2], iterations=some)
local = axes("hold input_order output_order master continuity feedthrough", iterations=[0, 1])
late = axes("hold input_order output_order latency continuity")
late_hermite = axes("latency continuity", start=["consistent", "ramp"])
rates = axes("start input_order output_order feedthrough", hold=["taylor", "lagrange"])
begun = {"start": ["ramp", "zero"]}
given_back = axes("start input_order output_order feedthrough", compensation=[0.5, 1])
few_given_back = {"start": ["consistent"], "input_order": [0, 1], "output_order": [1], "feedthrough": ["solved"]}
restarted = {"start": ["consistent"], "order": [0, 2, 3], "feedthrough": ["solved"]}
SURVEYS = {
    "few": (THREE, few, {}, MANY, 1),
    "few_given_back": (["masses"], given_back | few_given_back, {"hold": "lagrange"}, MANY, 3),
    "few_remembered": (["masses"], few_given_back | {"solver": ["ab2", "bdf2"]} | axes("memory", compensation=[0, 1]),
                       {"hold": "lagrange"}, MANY, 3),
    "taylor": (THREE, apart, {"hold": "taylor"}, MANY, 1),
    "lagrange": (THREE, apart, {"hold": "lagrange"}, MANY, 1),
    "backward_difference": (THREE, apart, {"hold": "backward_difference"}, MANY, 1),
    "least_squares": (THREE, axes("start input_order output_order continuity feedthrough", points=[4, 7], weight=[1, 0.6]),
                      {"hold": "least_squares"}, MANY, 1),
    "hermite": (MORE, axes("master continuity feedthrough iterations", start=["consistent", "ramp"]), hermite, MANY, 1),
    "hermite_late": (["masses", "through"], late_hermite, hermite | explicit, MANY, 0.1),
    "refresh": (MORE, axes("start input_order output_order"), {"feedthrough": "refresh"}, MANY, 1),
    "points": (THREE, alike, {"error_at": "points"}, ERRORS, 1),
    "maxima": (THREE, alike, {}, MAXIMA, 20),
    "solvers": (THREE, axes("start hold solver order feedthrough", iterations=some), {"micro_steps": 2}, MANY, 1),
    "memory": (THREE, axes("start hold memory order continuity feedthrough", solver=["ab2", "bdf2"], iterations=some),
               {"micro_steps": 2}, MANY, 1),
    "euler": (THREE, axes("start hold order micro_steps continuity feedthrough"), {"solver": "euler"}, MANY, 1),
    "euler_through": (MORE, axes("start order continuity feedthrough"), {"solver": "euler", "micro_steps": 1}, MANY, 1),
    "late": (LATE, late | {"start": ["consistent"]}, explicit, ERRORS + DEFECTS, 0.1),
    "late_begun": (LATE, late | begun | {"latency": [1, 2]}, explicit, MANY, 1e-4),
    "corrected": (THREE, axes("start order feedthrough", jacobian=["feedthrough", "first", "exact"], iterations=[1, 2]),
                  {"hold": "lagrange"}, MANY, 1),
    "local": (MORE, local, {}, LOCAL, 50),
    "given_back": (THREE, given_back, {"hold": "lagrange"}, MANY, 3),
    "given_back_local": (THREE, given_back | {"start": ["consistent"]}, {"hold": "lagrange"}, LOCAL, 50),
    "more": (MORE, alike, {}, MANY, 1),
    "rates": (["masses"], rates, {"error_at": "points"} | rate("mass1", 3), ERRORS, 1),
    "rates_loop": (["loop"], rates, {"error_at": "points"} | rate("lag2", 2), ERRORS, 1),
    "rates_in_turn": (["masses"], rates | {"hold": ["lagrange"]},
                      {"error_at": "points", "master": "gauss_seidel"} | rate("mass1", 3), ERRORS, 1),
    "rates_through": (["through"], rates, {"error_at": "points"} | rate("mass2", 2), ERRORS, 1),
    "drawn": (DRAWN, alike | {"start": ["consistent"]}, {}, ERRORS + DEFECTS, 1),
    "drawn_begun": (DRAWN[:20], alike | begun | {"order": [0, 2]}, {}, ERRORS + DEFECTS, 1e-3),
    "kicked": (["kicked"], alike | restarted, {}, ERRORS + MAXIMA, 30),
}


def sweep(name, chosen, fixed, metrics, model, t_end, least):
    method = {"hold": "taylor"} | fixed | {"step": {"control": "fixed", "max_steps": 10**11}}
    listed = [{"name": key + "s", "path": f"method.{key}", "values": values} for key, values in chosen.items()]
    listed.append({"name": "H", "path": "method.step.size", "logspace": [least, 30 * least, 5]})
    return {"format": "cosweep-sweep/1", "name": name, "model": model, "t_end": t_end, "method": method, "axes": listed,
            "metrics": metrics, "fits": [{"along": "H"}]}


def told(order):
    settings = " ".join(map(str, order["settings"].values()))
    fitted = "nothing" if order["order"] is None else f"{order['order']:.2f}"
    return f"{order['signal']}: expected {order['expected']}, fitted {fitted}: {settings}"


def survey(name, model):
    """Runs one survey of one model; returns how many orders have which verdict."""
    _, chosen, fixed, metrics, factor = SURVEYS[name]
    description, t_end, least = MODELS[model]
    stem = arguments.folder / f"{model}_{name}"
    file = stem.with_suffix(".h5")
    (arguments.folder / f"{model}.json").write_text(json.dumps(description))
    stem.with_suffix(".json").write_text(
        json.dumps(sweep(stem.name, chosen, fixed, metrics, f"{model}.json", t_end, least * factor)))
    command = [arguments.program, "run", stem.with_suffix(".json"), "-o", file, "--force", "--fresh", "--quiet"]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode not in (0, 3, 4):  # some or all runs may diverge
        sys.exit(f"{stem.name}: {ran.stderr}")
    info = subprocess.run([arguments.program, "info", file, "--json"], capture_output=True, text=True, check=True)
    file.unlink()
    counts, combinations = collections.Counter(), set()
    for fit in json.loads(info.stdout)["fits"]:
        counts.update(order["verdict"] or "none" for order in fit["orders"])
        combinations.update(json.dumps(order["settings"]) for order in fit["orders"])
        off = [order for order in fit["orders"] if order["verdict"] == "deviates"]
        expect(not off, f"{stem.name}: {fit['metric']}: {len(off)} orders deviate")
        for order in off[:: max(1, len(off) // max(1, arguments.list))][: arguments.list]:
            print("   ", told(order), file=sys.stderr)
    print(f"{stem.name}: {len(combinations)} combinations: {dict(counts)}", flush=True)
    return counts + collections.Counter(combinations=len(combinations))


arguments.folder.mkdir(parents=True, exist_ok=True)
names = list(SURVEYS) if arguments.surveys == ["all"] else arguments.surveys or ["few", "few_given_back", "few_remembered"]
total = collections.Counter()
for name in names:
    for model in SURVEYS[name][0]:
        total.update(survey(name, model))
expect(3 * total["agrees"] > total["none"] + total["not fitted"], "many orders are expected and fitted")
finish(f"{total['combinations']} combinations: {total['agrees'] + total['deviates']} orders compared, "
       f"{total['deviates']} off, {total['not fitted']} could not be fitted, of {total['none']} nothing is expected")
