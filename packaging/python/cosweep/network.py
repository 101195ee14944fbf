"""Networks of linear subsystems x' = A x + B u, y = C x + D u, u = L y + b."""

import ast
import json
import math
import operator
import re
from pathlib import Path

import numpy as np

from . import arrays


def _legal(names):
    """Names as models have them, those of `cosweep import`: other characters become _, doubles get _2, _3."""
    out = []
    for name in names:
        base = re.sub("[^A-Za-z0-9]+", "_", name).strip("_") or "x"
        base = ("x" + base if base[0].isdigit() else base)[:63]
        legal, copy = base, 1
        while legal in out:
            copy += 1
            legal = f"{base[:62 - len(str(copy))]}_{copy}"
        out.append(legal)
    return out


_READ = {"name", "description", "states", "inputs", "outputs", "A", "B", "C", "D", "e", "f", "x0"}
_FUNCTIONS = {name: getattr(math, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tan")}
_FUNCTIONS.update(abs=abs, min=min, max=max)
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
              ast.Pow: operator.pow, ast.USub: operator.neg, ast.UAdd: operator.pos}


def evaluate(item, values):
    """A number of a model: itself, or an expression over parameters."""
    if not isinstance(item, str):
        return float(item)

    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return float(node.value)
        if isinstance(node, ast.Name) and node.id in values:
            return values[node.id]
        if isinstance(node, ast.Name) and node.id == "pi":
            return math.pi
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](value(node.operand))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
            return _FUNCTIONS[node.func.id](*map(value, node.args))
        raise ValueError(f"{item}: not understood")

    return value(ast.parse(item.replace("^", "**"), mode="eval").body)


class Network:
    """Subsystems and their connections; becomes a model of cosweep."""

    def __init__(self, name):
        self.name = name
        self.subsystems = []
        self.connections = []

    def add(self, name, A=None, B=None, C=None, D=None, x0=None, states=None, inputs=None, outputs=None, units=None, e=None,
            f=None, E=None):
        """Adds a subsystem x' = A x + B u + e, y = C x + D u + f, or E x' = A x + B u + e; A may be an object with A, B, C,
        D, such as control.StateSpace. x0, e, f are zero where they are not given, names are x1, u1, y1, ...; units:
        {signal: unit}. What is no matter of course is left to the program, as by `cosweep import`. Returns the network."""
        matrices = {"A": A, "B": B, "C": C, "D": D} if A is None or arrays.is_array(A) else arrays.of_system(name, A)
        given = {**matrices, **{key: v for key, v in dict(E=E, x0=x0, e=e, f=f).items() if v is not None}}
        given = {key: value for key, value in given.items() if value is not None}
        parts = arrays.settled(name, given) or arrays.judged(name, given)
        n, m, p = len(parts["A"]), parts["B"].shape[1], len(parts["C"])
        subsystem = {"name": name, **parts, "units": dict(units or {})}
        for key, letter, names, count in (("states", "x", states, n), ("inputs", "u", inputs, m),
                                          ("outputs", "y", outputs, p)):
            names = [names] if isinstance(names, str) else names
            subsystem[key] = list(names) if names is not None else [f"{letter}{i + 1}" for i in range(count)]
            if len(subsystem[key]) != count:
                raise ValueError(f"{name}: {key} has {len(subsystem[key])} names; want {count}")
        self.subsystems.append(subsystem)
        return self

    def connect(self, source, target, gain=1):
        """From an output, "a.y", to an input, "b.u". Returns the network."""
        self.connections.append({"from": source, "to": target, **({} if gain == 1 else {"gain": float(gain)})})
        return self

    def constant(self, target, value):
        """Feeds a constant to an input. Returns the network."""
        self.connections.append({"to": target, "value": float(value)})
        return self

    @classmethod
    def from_control(cls, ic, x0=None, name=None):
        """The network of control.interconnect(...): its subsystems, its connections, unconnected inputs constant 0."""
        if not hasattr(ic, "syslist") or not hasattr(ic, "connect_map"):
            raise ValueError(f"{type(ic).__name__} has no subsystems; want the result of control.interconnect, or "
                             "Network(name).add(...)")
        net, first = cls(name or "interconnected"), 0
        for called, s in zip(_legal([s.name for s in ic.syslist]), ic.syslist):
            n = s.nstates
            net.add(called, s, x0=None if x0 is None else list(x0)[first:first + n], states=_legal(s.state_labels),
                    inputs=_legal(s.input_labels), outputs=_legal(s.output_labels))
            first += n
        if x0 is not None and len(list(x0)) != first:
            raise ValueError(f"x0 has {len(list(x0))} numbers; want {first}")
        sources = [f"{s['name']}.{y}" for s in net.subsystems for y in s["outputs"]]
        targets = [f"{s['name']}.{u}" for s in net.subsystems for u in s["inputs"]]
        gains = np.asarray(ic.connect_map.todense() if hasattr(ic.connect_map, "todense") else ic.connect_map)
        for i, target in enumerate(targets):
            for j, source in enumerate(sources):
                if gains[i, j] != 0:
                    net.connect(source, target, gains[i, j])
            if not gains[i].any():
                net.constant(target, 0)
        return net

    # ---- from files

    @classmethod
    def from_model(cls, model):
        """The network of a model's dict; parameters at their values. Raises ValueError where it has events or modes."""
        left = {"events", "modes"} & set(model) | {key for s in model["subsystems"] for key in s} - _READ
        if left:
            raise ValueError(f"{model['name']}: {', '.join(sorted(left))} cannot be in a Network; give the file's path")
        values = {}
        for name, parameter in model.get("parameters", {}).items():
            values[name] = evaluate(parameter["value"] if isinstance(parameter, dict) else parameter, values)

        def numbers(item):
            return [numbers(i) for i in item] if isinstance(item, list) else evaluate(item, values)

        net = cls(model["name"])
        for s in model["subsystems"]:
            signals = {key: [i if isinstance(i, dict) else {"name": i} for i in s.get(key, [])]
                       for key in ("states", "inputs", "outputs")}
            units = {i["name"]: i["unit"] for key in signals for i in signals[key] if i.get("unit")}
            names = {key: [i["name"] for i in signals[key]] for key in signals}
            n, m, p = (len(names[key]) for key in ("states", "inputs", "outputs"))
            parts = {key: np.reshape(numbers(s[key]), shape) if np.size(s.get(key, [])) else np.zeros(shape)
                     for key, shape in (("A", (n, n)), ("B", (n, m)), ("C", (p, n)), ("D", (p, m)), ("e", n), ("f", p),
                                        ("x0", n))}
            net.add(s["name"], **parts, **names, units=units)
        for c in model["connections"]:
            if "value" in c:
                net.constant(c["to"], evaluate(c["value"], values))
            if "from" in c:
                net.connect(c["from"], c["to"], evaluate(c.get("gain", 1), values))
        return net

    @classmethod
    def load(cls, path, **options):
        """The network of a file: a model of cosweep, or what `cosweep import` reads, whose warnings are warned of.
        options: name, connect (a list), match, identify, states, at, step, no_code, time_limit, memory."""
        from .program import load
        path = Path(path)
        if path.suffix == ".json":
            content = json.loads(path.read_text(encoding="utf-8"))
            if str(content.get("format", "")).startswith("cosweep-model/"):
                return cls.from_model(content)
        return cls.from_model(load([path], **options))

    @classmethod
    def from_fmus(cls, fmus, connections=(), name="fmus", **options):
        """FMUs {name: path} as subsystems; connections: ("a.y", "b.u") or ("a.y", "b.u", gain), with the names of the
        FMUs. options: identify (step size of black boxes, s), states, step. They are linear at their initial values."""
        from .program import load
        wishes = [f"{c[0]} -> {c[1]}" + (f" * {c[2]!r}" if len(c) > 2 else "") for c in connections]
        return cls.from_model(load(list(fmus.values()), called=list(fmus), name=name, connect=wishes, **options))

    @classmethod
    def from_ssp(cls, path, at=None, step=None):
        """The components and connections of an SSP file, linear at their initial values, or after a run up to the time
        `at` with exchanges every `step` s."""
        return cls.load(path, at=at, step=step)

    def model(self):
        """The model as the dict of a model file."""
        def signal(subsystem, name):
            unit = subsystem["units"].get(name)
            return {"name": name, "unit": unit} if unit else name

        def part(subsystem):
            out = {"name": subsystem["name"]}
            for key in ("states", "inputs", "outputs"):
                out[key] = [signal(subsystem, name) for name in subsystem[key]]
            out["A"] = subsystem["A"].tolist() if subsystem["states"] else []
            if subsystem["inputs"]:
                out["B"] = subsystem["B"].tolist()
            out["C"] = subsystem["C"].tolist()
            if subsystem["D"].any():
                out["D"] = subsystem["D"].tolist()
            for key in ("e", "f", "x0"):
                if subsystem[key].any():
                    out[key] = subsystem[key].tolist()
            return out

        return {"format": "cosweep-model/1", "name": self.name,
                "subsystems": [part(s) for s in self.subsystems], "connections": list(self.connections)}

    def save(self, path):
        """Writes the model file."""
        Path(path).write_text(json.dumps(self.model(), indent=1, allow_nan=False) + "\n", encoding="utf-8")

    def matrices(self):
        """A, B, C, D of all subsystems, L, and M of the coupled model x' = M x, as a dict of arrays. Raises
        numpy.linalg.LinAlgError where the algebraic loop is singular."""
        def diagonal(key):
            blocks = [s[key] for s in self.subsystems]
            out = np.zeros((sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)))
            row = column = 0
            for block in blocks:
                out[row:row + block.shape[0], column:column + block.shape[1]] = block
                row, column = row + block.shape[0], column + block.shape[1]
            return out

        A, B, C, D = (diagonal(key) for key in "ABCD")
        sources = [f"{s['name']}.{y}" for s in self.subsystems for y in s["outputs"]]
        targets = [f"{s['name']}.{u}" for s in self.subsystems for u in s["inputs"]]
        L = np.zeros((len(targets), len(sources)))
        for c in self.connections:
            if "from" in c:
                L[targets.index(c["to"]), sources.index(c["from"])] += c.get("gain", 1)
        M = A + B @ L @ np.linalg.solve(np.eye(len(sources)) - D @ L, C)
        return {"A": A, "B": B, "C": C, "D": D, "L": L, "M": M}
