#!/usr/bin/python3
"""What state events keep: momentum and energy of joint collisions, independence of the order in the file, of the units of
time and of how a hysteresis is written; nothing changes where none happens; many at once, many conditions, short ones; of the runs beside one nothing.

usage: check_event_properties.py COSWEEP MODELS OUTPUT

Exits 0, or 1 with lines per fault on stderr. Exits 77 where a library is missing.
"""

import copy
import json
import subprocess
import sys
from pathlib import Path

from checking import expect, finish, has_opencl

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

EVENTS = ["events", "exact_events", "late_events", "missed_events", "spurious_events", "event_time", "exact_event_time"]
ERRORS = ["output_defect", "connection_defect", "output_error", "input_error", "state_error", "state_error_final"]

program, models, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
output.mkdir(parents=True, exist_ok=True)


def same(name, found, want, rtol=0.0, atol=1e-13):
    close = np.isclose(found, want, rtol=rtol, atol=atol, equal_nan=True)
    expect(np.all(close), f"{name}: {np.asarray(found)[~close][:3]}, not {np.asarray(want)[~close][:3]}")


def shipped(name):
    return json.loads((models / name / "model.json").read_text())


def sweep_of(name, model, method, t_end, axis, metrics):
    (output / f"{name}_model.json").write_text(json.dumps(model))
    path = output / f"{name}.json"
    path.write_text(json.dumps({
        "format": "cosweep-sweep/1", "name": name, "model": f"{name}_model.json", "t_end": t_end, "method": method,
        "axes": [{"name": "value", **axis}], **({"metrics": metrics} if metrics else {})}))
    return path


def run(name, model, method, t_end, axis, metrics, lanes=0):
    """The metrics of a sweep over one axis, and the status; with `lanes` by a program of OpenCL."""
    path = sweep_of(name, model, method, t_end, axis, metrics)
    result = path.with_suffix(".h5")
    where = ["--device", "cpu", "--lanes", str(lanes)] if lanes else ["--device", "host"]
    subprocess.run([program, "run", path, "-o", result, "--force", "--quiet", *where], check=True,
                   stdout=subprocess.DEVNULL)
    with h5py.File(result) as file:
        return {key: file[key][...] for key in [*metrics, "status"]}


def sizes(*values):
    return {"path": "method.step.size", "values": list(values)}


def momentum_and_energy():
    """At every collision of a trace."""
    model = shipped("colliding_masses")
    mass = np.array([model["parameters"][key]["value"] for key in ("m1", "m2")])
    method = {"master": "gauss_seidel", "order": 1, "step": {"size": 0.1}, "events": {"reset": "joint"}}
    path = sweep_of("momentum", model, method, 7, sizes(0.1), None)
    trace = path.with_suffix(".h5")
    subprocess.run([program, "trace", path, "--run", "0", "-o", trace, "--force", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    with h5py.File(trace) as file:
        names = [name.decode() for name in file["state"][...]]
        at = [names.index("upper.v"), names.index("lower.v")]
        jumps = (file["event"][...] == 1) & (file["accepted"][...] == 1)
        before, after = file["x"][...][jumps][:, at], file["x_after"][...][jumps][:, at]
    hits = np.all(before != after, axis=1)
    expect(np.sum(hits) == 4, f"{np.sum(hits)} collisions in the trace")
    same("momentum", after[hits] @ mass, before[hits] @ mass)
    same("energy", after[hits] ** 2 @ mass, before[hits] ** 2 @ mass, rtol=1e-13)


def order_in_the_file():
    model = shipped("thermostat")
    turned = {**model, "events": model["events"][::-1]}
    method = {"order": 1, "step": {"size": 60}}
    results = [run(name, one, method, 14400, sizes(30, 60, 120), [*EVENTS[:5], *ERRORS, "event_time"])
               for name, one in (("order", model), ("turned", turned))]
    for key in EVENTS[:5]:
        same(f"order, {key}", results[1][key][..., ::-1], results[0][key])
    for key in [*ERRORS, "event_time"]:
        same(f"order, {key}", results[1][key], results[0][key], rtol=1e-10, atol=1e-9)
    expect(np.sum(results[0]["events"]) > 20, "hardly any events")


def pushed(time):
    """The masses, of which the upper one is given a velocity at a time."""
    model = shipped("colliding_masses")
    model["events"].append({"name": "push", "t": time, "add": {"upper.v": 0.5}})
    return model


def none_happens():
    """With a push at a given time in both."""
    model = pushed(1)
    never, without = copy.deepcopy(model), copy.deepcopy(model)
    never["parameters"]["half"]["value"] = -100
    without["parameters"]["half"]["value"] = -100
    without["events"] = [event for event in model["events"] if "t" in event]
    for master, hold, step in (("jacobi", "taylor", {"size": 0.1}), ("gauss_seidel", "lagrange", {"size": 0.05}),
                               ("jacobi", "lagrange", {"control": "richardson", "initial": 0.1})):
        method = {"master": master, "hold": hold, "order": 1, "step": step}
        axis = {"path": "parameters.m1", "values": [0.2, 0.4]}
        found, want = (run(name, one, method, 3, axis, [*ERRORS, "steps"])
                       for name, one in (("never", never), ("without", without)))
        for key in [*ERRORS, "steps"]:
            same(f"none, {key}", found[key], want[key], rtol=1e-9)


def hysteresis(written):
    """A room and its heater, whose state is a mode or a number."""
    switch = [("on", "below", 19, "off", 1), ("off", "above", 21, "on", 0)]
    heater = {"name": "heater", "inputs": ["T"], "outputs": ["q"], "states": ["s"], "A": [[0]], "B": [[0]], "x0": [0]}
    events = []
    if written == "modes":
        heater |= {"C": [[0]], "D": [[0]], "modes": [{"name": "off"}, {"name": "on", "f": [1]}]}
    else:
        heater |= {"C": [[1]], "D": [[0]]}
    for name, side, bound, mode, value in switch:
        one = {"name": name, "when": {"heater": [{"terms": {"T": 1}, side: bound}]}}
        if written == "modes":
            one |= {"in": {"heater": mode}, "to": {"heater": name}}
        else:
            one["when"]["heater"].append({"terms": {"x.s": 1}, ("below" if value else "above"): 0.5})
            one["set"] = {"heater.s": value}
        events.append(one)
    room = {"name": "room", "states": ["T"], "inputs": ["q"], "outputs": ["T"], "A": [[-0.1]], "B": [[2]], "C": [[1]],
            "D": [[0]], "e": [1.2], "x0": [22]}
    return {"format": "cosweep-model/1", "name": written, "subsystems": [room, heater], "events": events,
            "connections": [{"from": "room.T", "to": "heater.T"}, {"from": "heater.q", "to": "room.q"}]}


def two_ways_of_a_hysteresis():
    for master in ("jacobi", "gauss_seidel"):
        method = {"master": master, "hold": "lagrange", "order": 1, "step": {"size": 0.1}}
        found, want = (run(name, hysteresis(name), method, 40, sizes(0.05, 0.2), [*EVENTS, "state_error"])
                       for name in ("modes", "set"))
        for key in EVENTS:
            same(f"hysteresis, {key}", found[key], want[key], rtol=1e-12)
        same("hysteresis, room", found["state_error"][..., 0], want["state_error"][..., 0], rtol=1e-8)
        expect(np.sum(found["events"]) > 10, "hysteresis: hardly any events")


def units_of_time():
    """The same in ms."""
    model, slow = pushed(1), pushed(1000)
    for subsystem in slow["subsystems"]:
        for key in ("A", "B"):
            subsystem[key] = [[f"({entry})/1000" for entry in row] for row in subsystem[key]]
        if "e" in subsystem:
            subsystem["e"] = [f"({entry})/1000" for entry in subsystem["e"]]
    for order in (0, 1, 2):
        method = {"order": order, "step": {"size": 1}, "master": "gauss_seidel"}
        want = run("seconds", model, method, 7, sizes(0.02, 0.1), [*EVENTS, "state_error", "state_error_final"])
        found = run("milliseconds", slow, method, 7000, sizes(20, 100), [*EVENTS, "state_error", "state_error_final"])
        for key in EVENTS[:5]:
            same(f"units, {key}", found[key], want[key])
        for key in EVENTS[5:]:
            same(f"units, {key}", found[key] / 1000, want[key], atol=1e-11)
        same("units, state_error_final", found["state_error_final"], want["state_error_final"], rtol=1e-8, atol=1e-10)


def clock(flags, events):
    """A subsystem with t' = 1 and flags n1, n2, ...; and one that receives t."""
    states = ["t"] + [f"n{i}" for i in range(flags)]
    zeros = [[0] * len(states) for _ in states]
    own = {"name": "c", "states": states, "outputs": ["t"], "A": zeros, "C": [[1] + [0] * flags],
           "e": [1] + [0] * flags, "x0": [0] * len(states)}
    other = {"name": "s", "states": ["x"], "inputs": ["u"], "outputs": ["y"], "A": [[-1]], "B": [[1]], "C": [[1]],
             "D": [[0]], "x0": [1]}
    return {"format": "cosweep-model/1", "name": "clock", "subsystems": [own, other],
            "connections": [{"from": "c.t", "to": "s.u"}],
            "events": [{"name": name, "when": {"c": conditions}, "set": {"c." + flag: 1}}
                       for name, conditions, flag in events]}


def unset(flag):
    return {"terms": {flag: 1}, "below": 0.5}


def ten_at_once():
    """Each lets the next one happen, at the time of the first; listed backwards."""
    chain = [(f"e{i}", [{"terms": {f"n{i - 1}": 1}, "above": 0.5} if i else {"terms": {"x.t": 1}, "above": 0.55},
                        unset(f"n{i}")], f"n{i}") for i in range(10)]
    for events in (chain, chain[::-1]):
        found = run("ten", clock(10, events), {"order": 1, "step": {"size": 0.1}}, 1, sizes(0.1, 0.3),
                    [*EVENTS, "state_error_final", "steps"])
        for key in ("events", "exact_events"):
            expect(np.all(found[key] == 1), f"ten at once: {key} {found[key]}")
        for key in ("event_time", "exact_event_time"):
            same(f"ten at once, {key}", found[key][:, :10], np.full((2, 10), 0.55))
        expect(not np.any(found["late_events"] + found["missed_events"] + found["spurious_events"]), "ten at once: late")
        same("ten at once", found["state_error_final"], 0 * found["state_error_final"])


def many_conditions():
    """64 of them, in 32 events."""
    times = [0.013 + 0.029 * i for i in range(32)]
    events = [(f"e{i}", [{"terms": {"x.t": 1}, "above": times[i]}, unset(f"n{i}")], f"n{i}") for i in range(32)]
    metrics = ["events", "exact_events", "late_events", "event_time_error_max", "state_error_final"]
    found = run("many", clock(32, events), {"order": 1, "step": {"size": 0.1}}, 1, sizes(0.1, 0.03), metrics)
    for key in ("events", "exact_events"):
        expect(np.all(found[key] == 1), f"64 conditions: {key} {found[key]}")
    expect(not np.any(found["late_events"]), "64 conditions: late")
    same("64 conditions", found["event_time_error_max"], 0 * found["event_time_error_max"])


def short_and_grazing():
    """The top of a ball's flight, depth above a sensor, for 2 sqrt(2 depth / g) s; or below it."""
    g, speed = 9.81, 5.0
    top, depths = speed**2 / (2 * g), [1e-3, 1e-6, 1e-9, 6e-14, -1e-12, -1e-6, -1e-3]
    ball = {"name": "c", "states": ["h", "v", "n"], "outputs": ["h"], "A": [[0, 1, 0], [0, 0, 0], [0, 0, 0]],
            "C": [[1, 0, 0]], "e": [0, -g, 0], "x0": [0, speed, 0]}
    model = clock(0, [])
    model["parameters"] = {"depth": 0}
    model["subsystems"][0] = ball
    model["connections"] = [{"from": "c.h", "to": "s.u"}]
    seen = [{"terms": {"x.h": 1}, "above": f"{top!r} - depth"}, {"terms": {"n": 1}, "below": 0.5}]
    model["events"] = [{"name": "seen", "when": {"c": seen}, "set": {"c.n": 1}}]
    for size in (0.2, 0.3, 1):
        found = run("short", model, {"order": 1, "step": {"size": size}}, 1,
                    {"path": "parameters.depth", "values": depths}, EVENTS)
        for i, depth in enumerate(depths):
            expect(found["events"][i, 0] == (depth > 0) and found["exact_events"][i, 0] == (depth > 0),
                   f"depth {depth}: {found['events'][i, 0]} and {found['exact_events'][i, 0]} events")
            if depth > 0:
                want = speed / g - (2 * depth / g) ** 0.5
                same(f"depth {depth}", found["event_time"][i, 0], want, atol=1e-15 / (2 * g * depth) ** 0.5 + 1e-14)


def neighbours():
    """Lanes side by side, of OpenCL and of the host; and runs in another order."""
    steps = [0.1, 0.3, 0.05, 0.02, 0.2, 0.15, 0.25, 0.07, 0.03]
    model, method = shipped("colliding_masses"), {"master": "gauss_seidel", "order": 1, "hold": "lagrange"}
    metrics = [*EVENTS, "state_error", "state_error_final", "output_defect"]
    want = run("neighbours", model, method, 7, sizes(*steps), metrics)
    turned = run("neighbours", model, method, 7, sizes(*steps[::-1]), metrics)
    for lanes in (1, 16) if has_opencl("lanes of OpenCL") else ():
        found = run("neighbours", model, method, 7, sizes(*steps), metrics, lanes)
        for key in metrics:
            expect(np.array_equal(found[key], want[key], equal_nan=True), f"{lanes} lanes: {key}")
    for key in metrics:
        expect(np.array_equal(turned[key][::-1], want[key], equal_nan=True), f"other order of runs: {key}")


momentum_and_energy()
order_in_the_file()
none_happens()
two_ways_of_a_hysteresis()
units_of_time()
ten_at_once()
many_conditions()
short_and_grazing()
neighbours()
finish()
