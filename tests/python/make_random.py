#!/usr/bin/env python3
"""Writes the random networks of tests/data/random and what every method has to give for them.

    python3 make_random.py NUM_PY DIRECTORY

NUM_PY is the path of the reference module `num.py`: a direct evaluation of docs/methods.md in plain coordinates and
long double. DIRECTORY gets
    models.jsonl   one model file per line, case 0, 1, ...
    sweeps.jsonl   one sweep file per line (its "model" is "model.json")
    expected.csv   case, metric, signal, value
The seeds are fixed: the same call writes the same files. A network whose co-simulation grows is drawn again, so that
rounding is not amplified and a comparison to 1e-11 means something.
"""
import importlib.util
import itertools
import json
import math
import os
import random
import sys

import numpy as np

CASES = 60
FACTORS = {
    "hold": ["taylor", "lagrange", "backward_difference"],
    "input_order": [0, 1, 2, 3],
    "output_order": [0, 1, 2, 3],
    "feedthrough": ["explicit", "solved", "refresh"],
    "start": ["consistent", "ramp", "zero"],
    "solver": ["exact", "euler"],
    "error_at": ["continuous", "points"],
}
ERRORS = ["output_error", "input_error", "state_error"]
METRICS = (["output_defect", "output_defect_true", "connection_defect", "integration_defect"] + ERRORS +
           [e + "_max" for e in ERRORS] + [e + "_final" for e in ERRORS] + ["monitor_rms", "monitor_final"])


def load_module(path):
    spec = importlib.util.spec_from_file_location("num", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---------------------------------------------------------------- settings: every pair of values occurs
def meaningful(row):
    return row["feedthrough"] != "refresh" or row["hold"] == "taylor"


def pairwise(rng, count):
    names = list(FACTORS)
    pairs = lambda row: {((a, row[a]), (b, row[b])) for a, b in itertools.combinations(names, 2)}
    every = [dict(zip(names, values)) for values in itertools.product(*FACTORS.values())]
    every = [row for row in every if meaningful(row)]
    missing = set().union(*(pairs(row) for row in every))
    rows = []
    while len(rows) < count:
        best = max(rng.sample(every, 150), key=lambda row: len(pairs(row) & missing))
        missing -= pairs(best)
        rows.append(best)
    assert not missing, "%d pairs of settings do not occur" % len(missing)
    return rows


# ---------------------------------------------------------------- networks
def matrix(rng, rows, columns, scale, zeros=0.0):
    entry = lambda: 0 if rng.random() < zeros else round(rng.uniform(-1, 1) * scale, 3) or round(scale / 3, 3)
    return [[entry() for _ in range(columns)] for _ in range(rows)]


def subsystem(rng, name, shape, feed):
    states, inputs, outputs = shape
    fast = rng.uniform(1, 5)
    A = matrix(rng, states, states, fast, 0.15)
    for i in range(states):
        A[i][i] = round(A[i][i] - 0.6 * fast, 3)
    vector = lambda count, scale: [row[0] for row in matrix(rng, count, 1, scale, 0.3)]
    sub = {"name": name}
    for kind, letter, count in (("states", "x", states), ("inputs", "u", inputs), ("outputs", "y", outputs)):
        sub[kind] = ["%s%d" % (letter, i + 1) for i in range(count)]
    if states:
        sub["A"] = A
        sub["C"] = matrix(rng, outputs, states, 1.5, 0.1)
        sub["x0"] = [row[0] for row in matrix(rng, states, 1, 2)]
        if rng.random() < 0.6:
            sub["e"] = vector(states, 1)
    if inputs:
        sub["D"] = matrix(rng, outputs, inputs, feed)
        if states:
            sub["B"] = matrix(rng, states, inputs, 1.5, 0.1)
    if rng.random() < 0.6:
        sub["f"] = vector(outputs, 1)
    return sub


def shapes(rng, special):
    """(states, inputs, outputs) of each subsystem; `special` adds a source or a pure gain."""
    count = rng.choice([2, 2, 3, 3, 4])
    out = [(rng.randint(1, 3), rng.randint(1, 2), rng.randint(1, 2)) for _ in range(count)]
    if special == "source":
        out[-1] = (2, 0, 1)
    if special == "gain":
        out[-1] = (0, 1, 1)
    return out


def connections(rng, subs, weight):
    sources = [(s["name"], y) for s in subs for y in s["outputs"]]
    out = []
    for sub in subs:
        for u in sub["inputs"]:
            to = "%s.%s" % (sub["name"], u)
            others = [q for q in sources if q[0] != sub["name"]]
            own = [q for q in sources if q[0] == sub["name"]]
            chosen = [rng.choice(others)]
            if rng.random() < 0.3:
                chosen.append(rng.choice(own))
            if rng.random() < 0.3:
                chosen.append(rng.choice(others))
            for name, y in chosen:
                gain = round(rng.choice([-1, 1]) * rng.uniform(0.4, 1) * weight, 3)
                text = "%r*k" % gain if rng.random() < 0.2 else gain
                out.append({"from": "%s.%s" % (name, y), "to": to, "gain": text})
            if rng.random() < 0.25:
                out.append({"to": to, "value": round(rng.uniform(-1, 1), 3)})
    return out


def monitors(rng, subs):
    """One monitor over a state, an input and an output."""
    pick = lambda kind: rng.choice([(s["name"], v) for s in subs for v in s[kind]])
    terms = {}
    for kind, letter in (("states", "x"), ("inputs", "u"), ("outputs", "y")):
        name, signal = pick(kind)
        terms["%s.%s.%s" % (name, letter, signal)] = round(rng.uniform(0.5, 2), 3)
    return [{"name": "mix", "terms": terms}]


def draw_model(rng, case, special):
    feed, weight = rng.choice([0.05, 0.2, 0.5]), rng.uniform(0.4, 1)
    subs = [subsystem(rng, "s%d" % (i + 1), shape, feed) for i, shape in enumerate(shapes(rng, special))]
    return {"format": "cosweep-model/1", "name": "random_%02d" % case, "parameters": {"k": 0.75},
            "subsystems": subs, "connections": connections(rng, subs, weight), "monitors": monitors(rng, subs)}


def overrides(rng, subs):
    """Every fifth case or so: one subsystem with its own orders and solver."""
    if rng.random() > 0.2:
        return {}
    own = {"input_order": rng.randint(0, 3), "output_order": rng.randint(0, 3), "solver": rng.choice(["exact", "euler"])}
    return {rng.choice(subs)["name"]: own}


def draw_sweep(rng, case, model, settings, norm):
    """A step size with norm(M) H up to about 1 (now and then 2.5), 20 to 60 steps, t_end on a step or inside one."""
    reach = rng.uniform(1.2, 2.5) if rng.random() < 0.1 else rng.uniform(0.25, 1)
    size = min(max(round(reach / norm, 3), 0.02), 0.25)
    steps = rng.randint(20, 60)
    t_end = round(steps * size, 6) if rng.random() < 0.5 else round((steps - 0.4) * size, 6)
    method = dict(settings, step={"control": "fixed", "size": size})
    own = overrides(rng, model["subsystems"])
    if own:
        method["subsystems"] = own
    return {"format": "cosweep-sweep/1", "name": "random_%02d" % case, "model": "model.json", "study": "simulation",
            "t_end": t_end, "method": method, "metrics": METRICS}


# ---------------------------------------------------------------- the reference
class Network:
    """Numbers and names of a model for the reference module."""

    def __init__(self, num, model):
        subs, k = model["subsystems"], model["parameters"]["k"]
        names = lambda kind: ["%s.%s" % (s["name"], v) for s in subs for v in s[kind]]
        self.states, self.inputs, self.outputs = names("states"), names("inputs"), names("outputs")
        value = lambda v: float(v[:-2]) * k if isinstance(v, str) else v
        L = np.zeros((len(self.inputs), len(self.outputs)))
        b = np.zeros(len(self.inputs))
        for c in model["connections"]:
            row = self.inputs.index(c["to"])
            if "from" in c:
                L[row, self.outputs.index(c["from"])] += value(c["gain"])
            else:
                b[row] += c["value"]
        self.net = num.Net([self.numbers(s) for s in subs], L, b)
        self.subsystems = subs
        kinds = {"x": self.states, "u": self.inputs, "y": self.outputs}
        split = lambda key: key.split(".")
        self.terms = [(split(key)[1], kinds[split(key)[1]].index(split(key)[0] + "." + split(key)[2]), gain)
                      for key, gain in model["monitors"][0]["terms"].items()]

    @staticmethod
    def numbers(s):
        nx, nu, ny = len(s["states"]), len(s["inputs"]), len(s["outputs"])
        get = lambda key, shape: np.array(s.get(key, np.zeros(shape)), dtype=float).reshape(shape)
        return (get("A", (nx, nx)), get("B", (nx, nu)), get("C", (ny, nx)), get("D", (ny, nu)), get("e", nx),
                get("f", ny), get("x0", nx))


def method_of(num, network, method):
    own = method.get("subsystems", {})
    setting = lambda s, key: own.get(s["name"], {}).get(key, method[key])
    m = num.Method()
    m.master, m.hold, m.start, m.feed = "jacobi", method["hold"], method["start"], method["feedthrough"]
    m.mi = [setting(s, "input_order") for s in network.subsystems for _ in s["inputs"]]
    m.no = [setting(s, "output_order") for s in network.subsystems for _ in s["outputs"]]
    m.euler = [setting(s, "solver") == "euler" for s in network.subsystems]
    return m


class Stepper:
    """The reference's macro step with every reconstruction limited to degree min(n, k) in step k of a ramp, taylor
    included; the module itself limits only the node polynomials."""

    def __init__(self, num, net, method):
        self.inner, self.method = num.Stepper(net, method), method

    def step(self, k, x, memory, r, H, nodes):
        ramp = self.method.start == "ramp"
        full = self.method.no
        if ramp:
            self.method.no = [min(n, k) for n in full]
        out = self.inner.step(x, memory, r, H, ramp=k - 1 if ramp else 9, npts=k if ramp else 99,
                              measure=("rho", "du", "ey", "eu", "ex"), nodes=nodes)
        self.method.no = full
        return out


class Record:
    """Sums of squares, peaks and last values of everything measured over a run."""

    def __init__(self, weights):
        self.weights, self.sums, self.peaks, self.last = weights, {}, {}, {}

    def add(self, name, values):
        """Values at the quadrature nodes of one step."""
        self.sums[name] = self.sums.get(name, 0) + sum(w * v[:, 0] ** 2 for w, v in zip(self.weights, values))

    def point(self, name, value):
        """The value at a communication point."""
        self.sums[name + "@"] = self.sums.get(name + "@", 0) + value[:, 0] ** 2
        self.peaks[name] = np.maximum(self.peaks.get(name, 0), np.abs(value[:, 0]))
        self.last[name] = value[:, 0]

    def rms(self, name, steps):
        return np.sqrt(self.sums[name] / np.longdouble(steps))


def measure(num, network, method, H, t_end, points):
    """All metrics of one run, and the RMS of every signal of the exact solution."""
    net, H = network.net, np.longdouble(H)
    steps = math.ceil(float(np.longdouble(t_end) / H * (1 - np.longdouble(1e-9))))
    nodes, weights = num.gauss(num.Q)
    stepper, record = Stepper(num, net, method), Record(weights)
    r, x = net.r0[:, None], net.x0[:, None].copy()
    start = lambda part: [m @ r for m in part]
    history = stepper.inner.initial(H)
    memory = start(history) if method.hold == "taylor" else tuple(start(part) for part in history)
    for k in range(1, steps + 1):
        o = stepper.step(k, x, memory, r, H, nodes)
        measure_step(network, method, record, o, [net.exact_flow(H, s) @ r for s in nodes], (o["x"] - x) / H)
        x, memory, r = o["x"], o["mem"], o["r"]
        measure_point(network, record, o, x, r)
    table = {q: record.rms(q, steps) for q in METRICS if "defect" in q}
    for name in ERRORS:
        table[name] = record.rms(name + "@" if points else name, steps)
        table[name + "_max"], table[name + "_final"] = record.peaks[name], np.abs(record.last[name])
    table["monitor_rms"], table["monitor_final"] = record.rms("monitor@", steps), record.last["monitor"]
    return table, {kind: record.rms(kind, steps) for kind in ("output", "input", "state")}


def measure_step(network, method, record, o, exact, chord):
    """Everything defined between communication points; exact: r at the nodes, chord: (x~(T_k) - x~(T_k-1))/H."""
    net = network.net
    state = [d + q[:net.nx] for d, q in zip(o["ex"], exact)]
    held = [d + net.U @ q for d, q in zip(o["eu"], exact)]
    reconstructed = [d + net.Y @ q for d, q in zip(o["ey"], exact)]
    record.sums["output_defect"] = (record.sums.get("output_defect", 0) +
                                    o["rho"][:, 0] ** 2 * np.array(o["odfac"]) ** 2)
    record.add("connection_defect", o["du"])
    record.add("output_defect_true", [y - net.C @ v - net.D @ u - net.f[:, None]
                                      for y, v, u in zip(reconstructed, state, held)])
    record.add("integration_defect", integration_defect(net, method, state, held, chord))
    for name, key in (("output_error", "ey"), ("input_error", "eu"), ("state_error", "ex")):
        record.add(name, o[key])
    record.add("state", [q[:net.nx] for q in exact])
    record.add("input", [net.U @ q for q in exact])
    record.add("output", [net.Y @ q for q in exact])


def measure_point(network, record, o, x, r):
    net = network.net
    record.point("output_error", o["y1"] - net.Y @ r)
    record.point("input_error", o["u1"] - net.U @ r)
    record.point("state_error", x - r[:net.nx])
    kinds = {"x": x, "u": o["u1"], "y": o["y1"]}
    record.point("monitor", sum(np.longdouble(gain) * kinds[kind][[i]] for kind, i, gain in network.terms))


def integration_defect(net, method, state, held, chord):
    """x~' - f(x~, u~): the chord's slope with euler, zero by definition where the subsystem is integrated exactly."""
    euler = np.array([flag for flag, count in zip(method.euler, net.nxs) for _ in range(count)], dtype=bool)
    return [np.where(euler[:, None], chord - (net.A @ v + net.B @ u + net.e[:, None]), 0)
            for v, u in zip(state, held)]


# ---------------------------------------------------------------- cases
def well_behaved(network, table, signals):
    """Bounded, well conditioned, and the errors lie between rounding and the signals."""
    net = network.net
    if np.linalg.cond((np.eye(net.ny, dtype=float) - (net.D @ net.L).astype(float))) > 20:
        return False
    if not all(np.all(np.isfinite(v)) for v in table.values()):
        return False
    for kind in ("output", "input", "state"):
        size = signals[kind]
        if np.any(size < 1e-2) or np.any(size > 30) or np.any(table[kind + "_error"] > 0.5 * size):
            return False
    return bool(np.all(table["state_error"] > 1e-13 * signals["state"]))


def draw_case(num, case, settings):
    special = {5: "source", 6: "gain"}.get(case % 10)
    for attempt in itertools.count():
        rng = random.Random(1000 * attempt + case)
        model = draw_model(rng, case, special)
        network = Network(num, model)
        norm = float(np.max(np.sum(np.abs(network.net.M[:-1, :-1].astype(float)), axis=1)))
        sweep = draw_sweep(rng, case, model, settings, norm)
        method = sweep["method"]
        table, signals = measure(num, network, method_of(num, network, method), method["step"]["size"],
                                 sweep["t_end"], method["error_at"] == "points")
        if well_behaved(network, table, signals):
            return model, sweep, rows_of(network, table, signals) + [("reach", "M H", norm * method["step"]["size"])]


def rows_of(network, table, signals):
    labels = {"output": network.outputs, "input": network.inputs, "state": network.states, "monitor": ["mix"]}
    over = lambda metric: ("input" if metric == "connection_defect" else "state" if metric == "integration_defect"
                           else metric.split("_")[0])
    rows = [(q, label, v) for q in METRICS for label, v in zip(labels[over(q)], table[q])]
    for kind, values in signals.items():
        rows += [(kind + "_rms", label, v) for label, v in zip(labels[kind], values)]
    return rows


def text(value):
    return "0" if value == 0 else np.format_float_scientific(value, precision=19, unique=False)


def main():
    num, directory = load_module(sys.argv[1]), sys.argv[2]
    settings = pairwise(random.Random(2023), CASES)
    open_in = lambda name: open(os.path.join(directory, name), "w", encoding="utf-8")
    with open_in("models.jsonl") as models, open_in("sweeps.jsonl") as sweeps, open_in("expected.csv") as expected:
        expected.write("# tests/python/make_random.py: docs/methods.md evaluated in long double, plain coordinates; "
                       "<kind>_rms is the RMS of the exact solution's signal over the run, reach the row sum norm of M H\n")
        expected.write("case,metric,signal,value\n")
        for case, row in enumerate(settings):
            model, sweep, rows = draw_case(num, case, row)
            models.write(json.dumps(model, separators=(",", ":")) + "\n")
            sweeps.write(json.dumps(sweep, separators=(",", ":")) + "\n")
            for metric, signal, value in rows:
                expected.write("%d,%s,%s,%s\n" % (case, metric, signal, text(value)))


if __name__ == "__main__":
    main()
