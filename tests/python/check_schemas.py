#!/usr/bin/python3
"""Checks the JSON Schemas with files that are right and files that are wrong, which the program judges too.

usage: check_schemas.py PROGRAM SOURCE_DIRECTORY SCRATCH_DIRECTORY

Exits 77 where jsonschema is missing.
"""

import copy
import json
import pathlib
import shutil
import subprocess
import sys

try:
    import jsonschema
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, source, scratch = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
validator = {}
for kind in ("model", "sweep"):
    schema = json.loads((source / "docs/schemas" / f"{kind}.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator[kind] = jsonschema.Draft7Validator(schema)


def kind_of(value):
    return "model" if value["format"].startswith("cosweep-model/") else "sweep"


def complaints(value):
    return [f"{list(e.absolute_path)}: {e.message[:200]}" for e in validator[kind_of(value)].iter_errors(value)]


def takes(path):
    return subprocess.run([program, "check", path], capture_output=True, timeout=120).returncode == 0


# ---- what is right

right = [p for d in ("models", "sweeps", "host/cli/starter", "tests/data") for p in sorted((source / d).rglob("*.json"))
         if p.parent.name != "import"]  # what import reads is no file of ours
wrong = 0
for path in right:
    for complaint in complaints(json.loads(path.read_text())):
        print(f"{path}: {complaint}")
        wrong += 1
drawn = 0
for kind in ("models", "sweeps"):
    for number, line in enumerate((source / "tests/data/random" / f"{kind}.jsonl").read_text().splitlines(), 1):
        drawn += 1
        for complaint in complaints(json.loads(line)):
            print(f"random {kind}, line {number}: {complaint}")
            wrong += 1

# Beside the shipped files: what few of them have.
model = json.loads((source / "host/cli/starter/model.json").read_text())
sweep = json.loads((source / "host/cli/starter/sweep.json").read_text())
shutil.copy(source / "sweeps/moving_average.clh", scratch)
shutil.copy(source / "sweeps/filter.clh", scratch)
(scratch / "model.json").write_text(json.dumps(model))

# By matrices, as modes have them.
MATRICES = copy.deepcopy(model)
MATRICES["subsystems"][0].update(A=[["-R/L", "-K/L"], ["K/J", 0]], B=[[0], ["-1/J"]], C=[[0, 1]], e=["V/L", 0])
del MATRICES["subsystems"][0]["f"], MATRICES["subsystems"][0]["g"]

# With modes, and an event of every kind.
JUMPING = copy.deepcopy(MATRICES)
JUMPING["subsystems"][0]["modes"] = [{"name": "off"}, {"name": "on", "description": "driven", "e": ["V/L", 0]}]
JUMPING["events"] = [
    {"name": "start", "when": {"motor": [{"terms": {"x.w": 1}, "above": 5}, {"terms": {"torque": "K"}, "below": 0}]},
     "in": {"motor": "off"}, "to": {"motor": "on"}, "set": {"motor.i": {"terms": {"u.torque": "1/K"}, "constant": 1}}},
    {"name": "meet", "in": {"motor": ["off", "on"]}, "add": {"load.wL": {}},
     "when": {"load": [{"terms": {"u.w": 2}, "above": 9}], "motor": [{"terms": {"y.w": 2}, "above": 9}]}},
    {"name": "stop", "t": 1, "to": {"motor": "off"}}]


def changed(value, path, new):
    """A copy in which what stands at `path`, a tuple of keys, is `new`; DELETE takes it away."""
    value = copy.deepcopy(value)
    at = value
    for key in path[:-1]:
        at = at.setdefault(key, {}) if isinstance(at, dict) else at[key]
    if new is DELETE:
        del at[path[-1]]
    elif isinstance(at, list) and path[-1] == len(at):
        at.append(new)
    else:
        at[path[-1]] = new
    return value


DELETE = object()
STABILITY = {"format": "cosweep-sweep/1", "name": "s", "model": "model.json", "study": "stability",
             "method": {"step": {"size": 0}}}
BOND = {"a": ["motor.torque", "motor.w"], "b": ["load.w", "load.torque"]}
ECCO = changed(sweep, ("axes",), [])
ECCO["method"] = {"step": {"control": "pi_ecco", "initial": 0.01, "bonds": [BOND], "max": "none", "kp": "auto"}}
ECCO["fits"] = []
AXIS = ("axes", 2)
LABELLED = {"name": "s", "path": "method.sequence",
            "values": ["model", {"label": "back", "value": ["load", "motor"]}]}

LINED = json.loads((source / "models/line_masses/model.json").read_text())

good = [
    changed(model, ("parameters", "R"), "V/10"),
    changed(model, ("connections", 0, "gain"), "K/K"),
    changed(model, ("connections", 2), {"to": "load.w", "value": 0}),
    changed(model, ("events",), [{"name": "e", "t": 1, "set": {"motor.i": 0}, "add": {"load.wL": "V"}}]),
    changed(model, ("monitors", 0, "flow"), "motor.w"),
    LINED,
    changed(LINED, ("lines", 0, "sign"), 1),
    JUMPING,
    changed(JUMPING, ("events", 0, "set"), DELETE),
    changed(JUMPING, ("events", 0, "set", "motor.i"), {"terms": {}}),
    changed(JUMPING, ("events", 2, "in"), {"motor": "on"}),
    changed(JUMPING, ("subsystems", 0, "modes", 0, "A"), MATRICES["subsystems"][0]["A"]),
    STABILITY,
    changed(STABILITY, ("metrics",), ["eigenvalue"]),
    changed(STABILITY, ("fits",), []),
    {**changed(STABILITY, ("axes",), [{"name": "H", "path": "method.step.size", "linspace": [0, 1, 5]}]),
     "boundary": {"along": "H"}},
    changed(sweep, ("method", "master"), {"kernel": "moving_average.clh", "memory": 1}),
    changed(sweep, ("method", "master"), {"kernel": "moving_average.clh", "memory": 1, "parameters": {"w": 1}}),
    changed(changed(sweep, ("method", "master"), {"kernel": "moving_average.clh", "memory": 1, "parameters": {"w": 1}}),
            AXIS, {"name": "w", "path": "method.master.parameters.w", "values": [1, 2]}),
    changed(sweep, ("method", "micro_steps"), "auto"),
    changed(sweep, ("method", "subsystems"), {"motor": {"solver": "rk4", "micro_steps": 4}}),
    changed({**sweep, "t_end": 1}, AXIS, {"name": "end", "path": "t_end", "values": [1, 2]}),
    changed(changed(sweep, ("t_end",), DELETE), AXIS, {"name": "end", "path": "t_end", "values": [1, 2]}),
    changed(sweep, AXIS, {"name": "z", "zip": {"parameters.V": [1, 2], "method.solver": ["exact", "rk4"]}}),
    changed(sweep, AXIS, {"name": "z", "sample": {"lhs": 3, "over": {"parameters.V": [1, 2], "parameters.R": {"log": [1, 2]}}}}),
    changed(changed(sweep, ("method", "master"), "gauss_seidel"), AXIS, LABELLED),
    changed(sweep, AXIS, {"name": "n", "path": "method.subsystems.motor.solver", "values": ["exact", "rk4"]}),
    changed(sweep, ("skip",), [{"order": 2, "H": 0.05}]),
    ECCO,
]
for value in good:
    (scratch / "file.json").write_text(json.dumps(value))
    for complaint in complaints(value):
        print(f"right, but {complaint}: {json.dumps(value)[:200]}")
        wrong += 1
    if not takes(scratch / "file.json"):
        print(f"taken for right, but the program refuses: {json.dumps(value)}")
        wrong += 1

# ---- what is wrong: (file, place, value)

bad = [
    (model, ("format",), "cosweep-model/2"),
    (model, ("name",), DELETE),
    (model, ("name",), "two masses"),
    (model, ("subsystem",), []),
    (model, ("subsystems",), []),
    (model, ("subsystems", 0, "state"), ["x"]),
    (model, ("subsystems", 0, "states", 0), "2x"),
    (model, ("subsystems", 0, "states", 0), {"unit": "m"}),
    (model, ("subsystems", 0, "f"), "w"),
    (model, ("subsystems", 0, "f", 0), None),
    (model, ("subsystems", 0, "g", 0), "w$"),
    (MATRICES, ("subsystems", 0, "A", 0), 1),
    (MATRICES, ("subsystems", 0, "A", 0, 0), None),
    (MATRICES, ("subsystems", 0, "A", 0, 0), "R$"),
    (model, ("subsystems", 0, "e"), 1),
    (model, ("subsystems", 0, "g"), "i"),
    (model, ("subsystems", 0, "g"), [None]),
    (model, ("parameters", "pi"), 3),
    (model, ("parameters", "R", "vaule"), 3),
    (model, ("parameters", "R", "value"), DELETE),
    (model, ("connections", 0, "to"), DELETE),
    (model, ("connections", 0, "from"), "motor"),
    (model, ("connections", 0, "value"), 1),
    (model, ("connections", 0), {"to": "load.w"}),
    (model, ("monitors", 0, "terms"), {}),
    (model, ("monitors", 0, "terms", "motor.z.w"), 1),
    (model, ("events",), [{"name": "e", "t": 0, "set": {"motor.i": 0}}]),
    (model, ("events",), [{"name": "e", "t": 1}]),
    (model, ("events",), [{"name": "e", "set": {"motor.i": 0}}]),
    (LINED, ("lines", 0, "sign"), 2),
    (LINED, ("lines", 0, "stiffness"), DELETE),
    (LINED, ("lines", 0, "a", "flow"), DELETE),
    (LINED, ("lines", 0, "b", "effort"), "F"),
    (LINED, ("lines", 0, "length"), 2),
    (model, ("$schema",), 7),
    (JUMPING, ("subsystems", 0, "modes"), [{"name": "off"}]),
    (JUMPING, ("subsystems", 0, "modes", 0, "name"), DELETE),
    (JUMPING, ("subsystems", 0, "modes", 0, "name"), "switched off"),
    (JUMPING, ("subsystems", 0, "modes", 0, "x0"), [0, 0]),
    (JUMPING, ("subsystems", 0, "modes", 0, "A"), [0, 0]),
    (JUMPING, ("subsystems", 0, "modes", 1, "e", 0), None),
    (JUMPING, ("events", 0, "t"), 1),
    (JUMPING, ("events", 0, "when"), DELETE),
    (JUMPING, ("events", 0, "when"), {}),
    (JUMPING, ("events", 0, "when", "motor"), []),
    (JUMPING, ("events", 0, "when", "motor.w"), [{"terms": {"w": 1}, "above": 5}]),
    (JUMPING, ("events", 0, "when", "motor", 0, "below"), 5),
    (JUMPING, ("events", 0, "when", "motor", 0, "above"), DELETE),
    (JUMPING, ("events", 0, "when", "motor", 0, "above"), True),
    (JUMPING, ("events", 0, "when", "motor", 0, "terms"), {}),
    (JUMPING, ("events", 0, "when", "motor", 0, "terms"), DELETE),
    (JUMPING, ("events", 0, "when", "motor", 0, "terms", "load.wL"), 1),
    (JUMPING, ("events", 0, "when", "motor", 0, "terms", "z.w"), 1),
    (JUMPING, ("events", 0, "in"), {}),
    (JUMPING, ("events", 0, "in", "motor"), []),
    (JUMPING, ("events", 0, "in", "motor"), ["off", "off"]),
    (JUMPING, ("events", 0, "in", "motor"), 0),
    (JUMPING, ("events", 0, "to", "motor"), ["on"]),
    (JUMPING, ("events", 0, "to"), {}),
    (JUMPING, ("events", 0, "set", "motor.i", "term"), {"w": 1}),
    (JUMPING, ("events", 0, "set", "motor.i", "terms", "load.wL"), 1),
    (JUMPING, ("events", 0, "set", "motor.i"), [1]),
    (JUMPING, ("events", 2, "to"), DELETE),
    (sweep, ("format",), "cosweep-sweep/0"),
    (sweep, ("name",), "a/b"),
    (sweep, ("model",), DELETE),
    (sweep, ("metric",), []),
    (sweep, ("study",), "stabilty"),
    (sweep, ("t_end",), DELETE),
    (sweep, ("t_end",), 0),
    (sweep, ("t_end",), "2"),
    (sweep, ("parameters", "k"), "2"),
    (sweep, ("method", "hold"), "linear"),
    (sweep, ("method", "holds"), "taylor"),
    (sweep, ("method", "order"), 4),
    (sweep, ("method", "order"), 1.5),
    (sweep, ("method", "input_order"), 1),
    (sweep, ("method", "micro_steps"), 3),
    (sweep, ("method", "micro_steps"), "many"),
    (sweep, ("method", "iterations"), -1),
    (sweep, ("method", "master"), {"memory": 1}),
    (sweep, ("method", "master"), {"kernel": "moving_average.clh", "memory": 65}),
    (sweep, ("method", "master"), {"kernel": "moving_average.clh", "memory": 1, "parameters": {"w": "1"}}),
    (sweep, ("method", "sequence"), ["motor", "motor"]),
    (sweep, ("method", "step", "size"), 0),
    (sweep, ("method", "step", "control"), "pi"),
    (sweep, ("method", "step", "hmax"), 1),
    (sweep, ("method", "subsystems"), {"motor": {"hold": "taylor"}}),
    (sweep, ("method", "subsystems"), {"motor": {"solver": "rk45"}}),
    (sweep, ("method", "events"), {"detect": "some"}),
    (sweep, ("method", "events"), {"window": 0}),
    (sweep, ("method", "events"), {"at_once": 1.5}),
    (sweep, ("method", "events"), {"table": 1001}),
    (sweep, ("method", "events"), {"restart": "auto"}),
    (sweep, ("modes",), {"motor": 1}),
    (sweep, ("axes", 0, "path"), "method.events.table"),
    (sweep, AXIS, {"name": "g", "path": "method.events.grid", "values": ["kept"]}),
    (sweep, ("axes", 0, "path"), DELETE),
    (sweep, ("axes", 0, "path"), "method.odrer"),
    (sweep, ("axes", 0, "path"), "method.subsystems.motor.hold"),
    (sweep, ("axes", 0, "paths"), ["method.order"]),
    (sweep, ("axes", 0, "values"), []),
    (sweep, ("axes", 0, "values"), DELETE),
    (sweep, ("axes", 0, "linspace"), [0, 2, 3]),
    (sweep, ("axes", 1, "logspace"), [0, 1, 3]),
    (sweep, ("axes", 1, "logspace"), [0.1, 1]),
    (sweep, ("axes", 1, "logspace"), [0.1, 1, 2.5]),
    (sweep, ("axes", 1, "name"), "1/H"),
    (sweep, ("axes", 1, "step"), 1),
    (sweep, AXIS, {"name": "s", "path": "method.solver", "values": ["exact", "rk45"]}),
    (sweep, AXIS, {"name": "s", "path": "method.subsystems.load.solver", "values": ["rk45"]}),
    (sweep, AXIS, {"name": "z", "zip": {"parameters.V": [1, 2]}, "values": [1, 2]}),
    (sweep, AXIS, {"name": "z", "zip": {}}),
    (sweep, AXIS, {"name": "z", "sample": {"lhs": 3}}),
    (sweep, AXIS, {"name": "z", "sample": {"lhs": 3, "sobol": 2, "over": {"parameters.V": [1, 2]}}}),
    (sweep, AXIS, {"name": "z", "sample": {"lhs": 3, "over": {"parameters.V": [1]}}}),
    (sweep, AXIS, {"name": "s", "path": "method.sequence", "values": [{"value": ["load", "motor"]}]}),
    (sweep, ("skip",), [{}]),
    (sweep, ("metrics",), []),
    (sweep, ("metrics",), ["output_eror"]),
    (sweep, ("metrics",), ["steps", "steps"]),
    (sweep, ("metrics",), ["eigenvalue"]),
    (sweep, ("fits", 0, "along"), DELETE),
    (sweep, ("fits", 0, "metrics"), "output_error"),
    (sweep, ("boundary",), {"along": "H"}),
    (sweep, ("refine",), 2),
    (STABILITY, ("t_end",), 1),
    (STABILITY, ("method", "start"), "zero"),
    (STABILITY, ("method", "step", "max_steps"), 10),
    (STABILITY, ("method", "events"), {}),
    (STABILITY, ("method", "step", "size"), -1),
    (STABILITY, ("method", "subsystems"), {"motor": {"tolerance": 1}}),
    (STABILITY, ("metrics",), ["output_error"]),
    (STABILITY, ("refine",), 0),
    (ECCO, ("method", "step", "bonds"), []),
    (ECCO, ("method", "step", "bonds", 0, "sign"), 0),
    (ECCO, ("method", "step", "bonds", 0, "a"), ["motor.torque"]),
    (ECCO, ("method", "step", "max"), "inf"),
    (ECCO, ("method", "step", "growth_max"), 0),
]
for value, place, new in bad:
    made = changed(value, place, new)
    said = "" if new is DELETE else json.dumps(new)
    (scratch / "file.json").write_text(json.dumps(made))
    if not list(validator[kind_of(value)].iter_errors(made)):
        print(f"validates, but should not: {'.'.join(map(str, place))} {said}")
        wrong += 1
    if takes(scratch / "file.json"):
        print(f"does not validate, but the program takes it: {'.'.join(map(str, place))} {said}")
        wrong += 1

print(f"{len(right)} files, {drawn} drawn at random and {len(good)} more are right, {len(bad)} are wrong: "
      f"{wrong} judged otherwise")
sys.exit(1 if wrong else 0)
