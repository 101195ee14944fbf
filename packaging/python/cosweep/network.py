"""Networks of linear subsystems x' = A x + B u, y = C x + D u, u = L y + b."""

import ast
import html
import json
import math
import operator
import re
import warnings
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


_TOP = {"$schema", "format", "name", "description", "reference", "parameters", "subsystems", "connections", "monitors"}
_READ = {"name", "description", "states", "inputs", "outputs", "A", "B", "C", "D", "e", "f", "g", "x0"}
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
        if isinstance(node, ast.Name):
            raise ValueError(f"{item}: no parameter \"{node.id}\"; there is: {', '.join(values) or 'none'}")
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](value(node.operand))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
            return _FUNCTIONS[node.func.id](*map(value, node.args))
        raise ValueError(f"{item}: not understood")

    try:
        return value(ast.parse(item.replace("^", "**").strip(), mode="eval").body)
    except (SyntaxError, ArithmeticError, TypeError) as error:
        raise ValueError(f"{item}: {error.msg if isinstance(error, SyntaxError) else error}") from error


def _equation(item):
    """An equation of a model: a text, a number, or an expression of sympy."""
    if isinstance(item, str):
        return item
    if not hasattr(item, "free_symbols"):
        return float(item)
    import sympy
    exact = {number: sympy.Float(number, 17) for number in item.atoms(sympy.Float)}
    return sympy.sstr(item.xreplace(exact), full_prec=True).replace("**", "^")


def _items(value):
    """An array of numbers and expressions where there are expressions; else None."""
    if hasattr(value, "toarray") or getattr(value, "dtype", np.dtype(object)).kind not in "OUS":
        return None
    try:
        array = np.array(value if isinstance(value, np.ndarray) else _plain(value), dtype=object)
    except ValueError:  # rows of different lengths
        return None
    return array if any(isinstance(item, str) for item in array.ravel()) else None


def _plain(value):
    """Lists of lists, without arrays in them."""
    return [_plain(item) for item in value] if isinstance(value, (list, tuple, np.ndarray)) else value


def _shaped(value, shape):
    items = _items(value)
    return np.reshape(np.asarray(value, float) if items is None else items, shape)


def _value_of(parameter):
    return parameter["value"] if isinstance(parameter, dict) else parameter


def _aligned(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [[cell.ljust(w) for cell, w in zip(row, widths)] for row in rows]


def _mix(mixed, parts):
    """The parts, with expressions where they were given; their shapes are those of the numbers that they stand for."""
    for key, items in mixed.items():
        parts[key] = np.array([item if isinstance(item, str) else float(item) for item in items.ravel()],
                              dtype=object).reshape(parts[key].shape)
    return parts


class Network:
    """Subsystems and their connections; becomes a model of cosweep."""

    def __init__(self, name, parameters=None):
        """parameters: {name: number, expression over those before, or {"value": ..., "unit": ..., "description": ...}}."""
        self.name = name
        self.parameters = {}
        self.subsystems = []
        self.connections = []
        self.more = {}  # further keys of its model file: description, reference, monitors
        self._declare(parameters)

    def __repr__(self):
        return self._shown("{}".format, lambda rows: "\n".join(("  " + "  ".join(row)).rstrip() for row in _aligned(rows)), "\n")

    def _repr_html_(self):
        def table(rows):
            cells = ("<tr>" + "".join(f"<td style='text-align: left'>{html.escape(cell)}</td>" for cell in row) + "</tr>"
                     for row in rows)
            return f"<table><tbody>{''.join(cells)}</tbody></table>"
        return self._shown(lambda text: f"<p>{html.escape(text)}</p>", table, "")

    def _shown(self, line, table, between):
        """What it consists of: a line and tables."""
        def signals(s, key):
            return ", ".join(n + (f" [{s['units'][n]}]" if s["units"].get(n) else "") for n in s[key])
        fed = {c["to"] for c in self.connections}
        open_ = [f"{s['name']}.{u}" for s in self.subsystems for u in s["inputs"] if f"{s['name']}.{u}" not in fed]
        states = sum(len(s["states"]) for s in self.subsystems)
        parts = [line(f"{self.name}: {len(self.subsystems)} subsystems, {states} states, {len(self.connections)} connections"),
                 table([(s["name"], f"states {signals(s, 'states') or '-'}", f"inputs {signals(s, 'inputs') or '-'}",
                         f"outputs {signals(s, 'outputs') or '-'}") for s in self.subsystems])]
        if self.connections:
            parts.append(table([(c.get("from", f"{c.get('value')}"), "->", c["to"],
                                 f"* {c['gain']}" if c.get("gain", 1) != 1 else "") for c in self.connections]))
        if self.parameters:
            parts.append(line("parameters " + ", ".join(f"{n} = {_value_of(p)}" for n, p in self.parameters.items())))
        if open_:
            parts.append(line("without source: " + ", ".join(open_)))
        return between.join(part for part in parts if part)

    def _declare(self, parameters):
        for name, parameter in (parameters or {}).items():
            if self.parameters.setdefault(name, parameter) != parameter:
                raise ValueError(f"parameter {name} is {_value_of(self.parameters[name])} already, not {_value_of(parameter)}")

    def values(self):
        """The numbers of the parameters, {name: value}."""
        values = {}
        for name, parameter in self.parameters.items():
            values[name] = evaluate(_value_of(parameter), values)
        return values

    def numbers(self, items):
        """The numbers of a part of a subsystem, whose expressions have the values of the parameters."""
        if items.dtype != object:
            return items
        values = self.values()
        return np.array([evaluate(item, values) for item in items.ravel()], float).reshape(items.shape)

    def add(self, name, A=None, B=None, C=None, D=None, x0=None, states=None, inputs=None, outputs=None, units=None, e=None,
            f=None, E=None, parameters=None, g=None):
        """Adds a subsystem x' = A x + B u + e, y = C x + D u + f, or E x' = A x + B u + e, or by equations: with `g` there
        are no matrices, f is a list of expressions for x', g of one for y, texts or of sympy, over the names of states and
        inputs and over parameters. A may be an object with A, B, C,
        D, such as control.StateSpace, or a transfer function, and D stand alone. x0, e, f are zero where they are not
        given, names are x1, u1, y1, ...; units: {signal: unit}. Matrices and vectors may have expressions over parameters
        of the network, [["-R/L", 1]], to which `parameters` adds. What is no matter of course is left to the program, as
        by `cosweep import`. Returns the network."""
        if g is not None:
            return self._add_equations(name, A, f or [], g, x0, states, inputs or [], outputs, units, parameters)
        own = A is None or arrays.is_array(A)  # where expressions may stand
        matrices = {"A": A, "B": B, "C": C, "D": D} if own else arrays.of_system(name, A)
        given = {**matrices, **{key: v for key, v in dict(E=E, x0=x0, e=e, f=f).items() if v is not None}}
        given = {key: value for key, value in given.items() if value is not None}
        self._declare(parameters)
        items = {key: _items(given[key]) for key in arrays.SHAPES if key in given and (own or key not in "ABCD")}
        mixed = {key: value for key, value in items.items() if value is not None}
        if mixed and "E" in given:
            raise ValueError(f"{name}: E x' = A x + B u + e is not solved where there are expressions; want it solved for x'")
        try:
            numeric = {**given, **{key: self.numbers(value) for key, value in mixed.items()}}
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
        parts = _mix(mixed, arrays.settled(name, numeric) or arrays.judged(name, numeric))
        n, m, p = len(parts["A"]), parts["B"].shape[1], len(parts["C"])
        return self._append({"name": name, **parts, "units": dict(units or {})},
                            (("states", "x", states, n), ("inputs", "u", inputs, m), ("outputs", "y", outputs, p)))

    def _add_equations(self, name, A, f, g, x0, states, inputs, outputs, units, parameters):
        if A is not None:
            raise ValueError(f"{name}: a matrix together with g; want either matrices or equations, f and g")
        self._declare(parameters)
        f, g, inputs = ([part] if isinstance(part, str) or not hasattr(part, "__iter__") else list(part)
                        for part in (f, g, inputs))
        parts = {"f": [_equation(item) for item in f], "g": [_equation(item) for item in g],
                 "x0": list(x0) if x0 is not None else [0] * len(f)}
        return self._append({"name": name, **parts, "units": dict(units or {})},
                            (("states", "x", states, len(f)), ("inputs", "u", inputs, len(inputs)),
                             ("outputs", "y", outputs, len(g))))

    def _append(self, subsystem, signals):
        """Adds a subsystem with the names of its signals: (key, letter, names or None, count)."""
        for key, letter, names, count in signals:
            names = [names] if isinstance(names, str) else names
            subsystem[key] = list(names) if names is not None else [f"{letter}{i + 1}" for i in range(count)]
            if len(subsystem[key]) != count:
                raise ValueError(f"{subsystem['name']}: {key} has {len(subsystem[key])} names; want {count}")
        self.subsystems.append(subsystem)
        return self

    def connect(self, source, target, gain=1):
        """From an output, "a.y", to an input, "b.u"; the gain may be an expression. Returns the network."""
        self.connections.append({"from": source, "to": target, **({} if gain == 1 else {"gain": self._checked(gain)})})
        return self

    def constant(self, target, value):
        """Feeds a constant to an input. Returns the network."""
        self.connections.append({"to": target, "value": self._checked(value)})
        return self

    def _checked(self, item):
        """A gain or a constant: a number, or an expression over parameters."""
        if not isinstance(item, str):
            return float(item)
        evaluate(item, self.values())
        return item

    @classmethod
    def from_control(cls, ic, x0=None, name=None):
        """The network of control.interconnect(...): its subsystems, its connections, unconnected inputs constant 0."""
        if not hasattr(ic, "syslist") or not hasattr(ic, "connect_map"):
            raise ValueError(f"{type(ic).__name__} has no subsystems; want the result of control.interconnect, or "
                             "Network(name).add(...)")
        own = str(getattr(ic, "name", None) or "")
        net, first = cls(name or (_legal([own])[0] if re.match(r"[A-Za-z]", own) and "[" not in own else "interconnected")), 0
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
        net._warn_inputs(ic, targets)
        return net

    @staticmethod
    def _warn_inputs(ic, targets):
        """Inputs of the whole system are what nobody feeds here."""
        fed = getattr(ic, "input_map", None)
        if fed is None:
            return
        fed = np.asarray(fed.todense() if hasattr(fed, "todense") else fed)
        for label, column in zip(ic.input_labels, fed.T):
            here = [target for target, gain in zip(targets, column) if gain != 0]
            if here:
                warnings.warn(f"input {label} is constantly 0; net.constant(\"{here[0]}\", value) feeds it", stacklevel=3)

    # ---- with numbers that vary

    @classmethod
    def vary(cls, build, **values):
        """The network of build(Kp=...) with numbers that depend on Kp in any way: vary(build, Kp=[1, 2, 4]) returns it,
        with a parameter for each number that differs, and an axis along which they move together, for run(net, {"Kp":
        axis}, ...). Several names have lists of equal length. All networks have the same subsystems and connections."""
        values = {name: np.asarray(items, float).ravel().tolist() for name, items in values.items()}
        if len({len(items) for items in values.values()}) != 1 or not min(map(len, values.values())):
            raise ValueError("vary: want lists of equal length, as vary(build, Kp=[1, 2, 4])")
        nets = [build(**dict(zip(values, point))) for point in zip(*values.values())]
        net, table = nets[0], {name: items for name, items in values.items()}

        def merged(label, items):
            """One number of all networks: itself, or a parameter."""
            if all(item == items[0] for item in items):
                return items[0]
            if any(isinstance(item, str) for item in items):
                raise ValueError(f"vary: {label} differs, and has expressions; want numbers there")
            name = _legal([label])[0]
            while name in table or name in net.parameters:
                name += "_"
            table[name] = [float(item) for item in items]
            return name

        for other in nets[1:]:
            if cls._frame(other) != cls._frame(net):
                raise ValueError("vary: subsystems, connections or parameters differ between the networks; want numbers alone")
        for i, s in enumerate(net.subsystems):
            for key in arrays.SHAPES:
                parts = [other.subsystems[i][key] for other in nets]
                items = [merged("_".join([s["name"], key, *(str(k + 1) for k in at)]), [part[at] for part in parts])
                         for at in np.ndindex(parts[0].shape)]
                if any(isinstance(item, str) for item in items):
                    s[key] = np.array(items, dtype=object).reshape(parts[0].shape)
        for i, c in enumerate(net.connections):
            for key in {"gain", "value"} & {key for other in nets for key in other.connections[i]}:
                c[key] = merged(f"{key}_{c['to']}", [other.connections[i].get(key, 1) for other in nets])
        net.parameters.update({name: items[0] for name, items in table.items() if name not in net.parameters})
        return net, {"zip": {f"parameters.{name}": items for name, items in table.items()}}

    @staticmethod
    def _frame(net):
        """What networks have in common that differ in numbers alone."""
        subsystems = [{key: part for key, part in s.items() if key not in arrays.SHAPES} for s in net.subsystems]
        sizes = [[s[key].shape for key in arrays.SHAPES] for s in net.subsystems]
        return subsystems, sizes, [(c.get("from"), c["to"]) for c in net.connections], net.parameters

    # ---- from files

    @classmethod
    def from_model(cls, model):
        """The network of a model's dict. Raises ValueError where it has events or modes."""
        left = set(model) - _TOP | {key for s in model["subsystems"] for key in s} - _READ
        if left:
            raise ValueError(f"{model['name']}: {', '.join(sorted(left))} cannot be in a Network; give the file's path")
        net = cls(model["name"], model.get("parameters"))
        net.more = {key: model[key] for key in ("description", "reference", "monitors") if model.get(key)}
        for s in model["subsystems"]:
            signals = {key: [i if isinstance(i, dict) else {"name": i} for i in s.get(key, [])]
                       for key in ("states", "inputs", "outputs")}
            units = {i["name"]: i["unit"] for key in signals for i in signals[key] if i.get("unit")}
            names = {key: [i["name"] for i in signals[key]] for key in signals}
            if "g" in s:
                net.add(s["name"], f=s.get("f"), g=s["g"], x0=s.get("x0"), **names, units=units)
                continue
            n, m, p = (len(names[key]) for key in ("states", "inputs", "outputs"))
            shapes = (("A", (n, n)), ("B", (n, m)), ("C", (p, n)), ("D", (p, m)), ("e", n), ("f", p), ("x0", n))
            parts = {key: _shaped(s[key], shape) if np.size(s.get(key, [])) else np.zeros(shape) for key, shape in shapes}
            net.add(s["name"], **parts, **names, units=units)
        for c in model["connections"]:
            if "value" in c:
                net.constant(c["to"], c["value"])
            if "from" in c:
                net.connect(c["from"], c["to"], c.get("gain", 1))
        return net

    @classmethod
    def load(cls, path, **options):
        """The network of a file: a model of cosweep, or what `cosweep import` reads, whose warnings are warned of.
        options: name, connect (a list), match, identify, states, at, step, no_code, time_limit, memory."""
        from .program import load
        path = Path(path)
        if path.suffix == ".json":
            content = json.loads(path.read_text(encoding="utf-8-sig"))
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
        """The model as the dict of a model file, with parameters and expressions."""
        def signal(subsystem, name):
            unit = subsystem["units"].get(name)
            return {"name": name, "unit": unit} if unit else name

        def part(subsystem):
            out = {"name": subsystem["name"]}
            for key in ("states", "inputs", "outputs"):
                out[key] = [signal(subsystem, name) for name in subsystem[key]]
            if "g" in subsystem:
                return {**out, **({"f": subsystem["f"], "x0": subsystem["x0"]} if subsystem["f"] else {}),
                        "g": subsystem["g"]}
            out["A"] = subsystem["A"].tolist() if subsystem["states"] else []
            if subsystem["inputs"]:
                out["B"] = subsystem["B"].tolist()
            out["C"] = subsystem["C"].tolist()
            if (subsystem["D"] != 0).any():
                out["D"] = subsystem["D"].tolist()
            for key in ("e", "f", "x0"):
                if (subsystem[key] != 0).any():
                    out[key] = subsystem[key].tolist()
            return out

        return {"format": "cosweep-model/1", "name": self.name, **self.more,
                **({"parameters": dict(self.parameters)} if self.parameters else {}),
                "subsystems": [part(s) for s in self.subsystems], "connections": list(self.connections)}

    def save(self, path):
        """Writes the model file."""
        Path(path).write_text(json.dumps(self.model(), indent=1, allow_nan=False) + "\n", encoding="utf-8")

    def matrices(self):
        """A, B, C, D of all subsystems, L, and M of the coupled model x' = M x, as a dict of arrays. Raises
        numpy.linalg.LinAlgError where the algebraic loop is singular."""
        equations = [s["name"] for s in self.subsystems if "g" in s]
        if equations:
            raise ValueError(f"{equations[0]}: given by equations; cosweep check MODEL --matrices prints their matrices")

        def diagonal(key):
            blocks = [self.numbers(s[key]) for s in self.subsystems]
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
                L[targets.index(c["to"]), sources.index(c["from"])] += evaluate(c.get("gain", 1), self.values())
        M = A + B @ L @ np.linalg.solve(np.eye(len(sources)) - D @ L, C)
        return {"A": A, "B": B, "C": C, "D": D, "L": L, "M": M}
