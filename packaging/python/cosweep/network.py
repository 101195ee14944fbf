"""Networks of linear subsystems x' = A x + B u, y = C x + D u, u = L y + b."""

import json
import re
from pathlib import Path

import numpy as np


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


def _matrix(value, name, rows=None, columns=None):
    matrix = np.atleast_2d(np.asarray(value))
    if np.iscomplexobj(matrix):
        raise ValueError(f"{name}: complex; want real numbers")
    matrix = matrix.astype(float)
    if matrix.size == 0 and rows is not None and columns is not None:
        return np.zeros((rows, columns))
    wrong = matrix.ndim != 2 or (rows is not None and len(matrix) != rows)
    if wrong or (columns is not None and matrix.shape[1] != columns):
        want = "x".join("any" if n is None else str(n) for n in (rows, columns))
        raise ValueError(f"{name} is {'x'.join(map(str, matrix.shape))}; want {want}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{name} has a value that is not finite")
    return matrix


class Network:
    """Subsystems and their connections; becomes a model of cosweep."""

    def __init__(self, name):
        self.name = name
        self.subsystems = []
        self.connections = []

    def add(self, name, A, B=None, C=None, D=None, x0=None, states=None, inputs=None, outputs=None, units=None):
        """Adds a subsystem; A may be an object with A, B, C, D and dt, such as control.StateSpace. x0 is zero where it
        is not given, names are x1, u1, y1, ...; units: {signal: unit}. Returns the network."""
        if all(hasattr(A, part) for part in "ABCD"):
            dt = getattr(A, "dt", None)
            if dt is not None and (dt is True or dt > 0):
                raise ValueError(f"{name}: Ts is {dt}: cosweep takes continuous subsystems (d2c)")
            A, B, C, D = A.A, A.B, A.C, A.D
        A = _matrix(A, f"{name}: A")
        n = 0 if A.size == 0 else len(A)
        A = _matrix(A, f"{name}: A", n, n)
        m = np.atleast_2d(B).shape[1] if B is not None else 0
        p = np.atleast_2d(C).shape[0] if C is not None else 0
        B = _matrix(B, f"{name}: B", n, m) if B is not None else np.zeros((n, 0))
        C = _matrix(C, f"{name}: C", p, n) if C is not None else np.zeros((0, n))
        D = _matrix(D, f"{name}: D", p, m) if D is not None and m * p > 0 else np.zeros((p, m))
        x0 = np.zeros(n) if x0 is None else _matrix([x0], f"{name}: x0", 1, n)[0]
        subsystem = {"name": name, "A": A, "B": B, "C": C, "D": D, "x0": x0, "units": dict(units or {})}
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
            if subsystem["x0"].any():
                out["x0"] = subsystem["x0"].tolist()
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
