#!/usr/bin/env python3
"""Random linear networks by equations beside the same ones by matrices: every byte of their results has to be equal.

    python3 check_equations.py PROGRAM FOLDER COUNT
"""
import json
import random
import subprocess
import sys
from pathlib import Path

from checking import expect, finish

program, folder, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
PARAMETERS = {"p": 0.7, "q": "p^2 + 0.1", "k": {"value": 1.3, "unit": "N/m"}}
FACTORS = ["p", "q", "k", "1/k", "p/q", "sqrt(k)", "-p*k", "0.37", "2", "exp(-p)", "(p - k)", "sin(q)"]


def term(rng, coefficient, signal):
    """One of the ways to write a coefficient times a signal."""
    if coefficient == "1":
        return signal
    return rng.choice([f"({coefficient})*{signal}", f"{signal}*({coefficient})", f"{signal}*(({coefficient}))",
                       f"({coefficient})*(0 + {signal})"])


def equation(rng, row, signals, constant):
    terms = [term(rng, c, s) for c, s in zip(row, signals) if c != 0] + ([constant] if constant != 0 else [])
    rng.shuffle(terms)
    text = ""
    for t in terms:
        if text and rng.random() < 0.3 and t != constant:
            text += f" - -{t}"
        else:
            text += f" + {t}" if text else t
    return text or 0


def entry(rng, share):
    return "*".join(rng.choice(FACTORS) for _ in range(rng.randint(1, 2))) if rng.random() < share else 0


def network(rng):
    by_matrices, by_equations, outputs = [], [], []
    for i in range(rng.randint(2, 4)):
        n, m, p = rng.randint(0, 3), rng.randint(1, 2), rng.randint(1, 2)
        states, inputs = [f"x{k}" for k in range(n)], [f"u{k}" for k in range(m)]
        A = [[f"-2 - {rng.choice(FACTORS)}^2" if r == c else entry(rng, 0.5) for c in range(n)] for r in range(n)]
        B, C = [[entry(rng, 0.6) for _ in inputs] for _ in states], [[entry(rng, 0.7) for _ in states] for _ in range(p)]
        D = [["0.05*p" if i == 0 and rng.random() < 0.5 else 0 for _ in inputs] for _ in range(p)]
        e, f = [entry(rng, 0.3) for _ in states], [entry(rng, 0.3) for _ in range(p)]
        head = {"name": f"s{i}", "states": states, "inputs": inputs, "outputs": [f"y{k}" for k in range(p)],
                "x0": [rng.choice([1, "p", "-k"]) for _ in states]}
        by_matrices.append({**head, "A": A, "B": B, "C": C, "D": D, "e": e, "f": f})
        signals = states + inputs
        by_equations.append({**head, "f": [equation(rng, a + b, signals, c) for a, b, c in zip(A, B, e)],
                             "g": [equation(rng, a + b, signals, c) for a, b, c in zip(C, D, f)]})
        outputs += [f"s{i}.y{k}" for k in range(p)]
    connections = [{"from": rng.choice(outputs), "to": f"s{i}.u{k}", "gain": rng.choice([1, -0.5, "p/4"])}
                   for i, s in enumerate(by_matrices) for k in range(len(s["inputs"]))]
    kicked = next((s for s in by_matrices if s["states"]), None)
    events = [{"name": "kick", "t": 0.55, "add": {f"{kicked['name']}.x0": "k"}}] if kicked and rng.random() < 0.5 else []
    rest = {"connections": connections, "events": events}
    mixed = [rng.choice(pair) for pair in zip(by_matrices, by_equations)]
    return [{"format": "cosweep-model/1", "name": "net", "parameters": PARAMETERS, "subsystems": s, **rest}
            for s in (by_matrices, by_equations, mixed)]


SWEEP = {"format": "cosweep-sweep/1", "name": "net", "model": "model.json", "t_end": 1,
         "method": {"step": {"size": 0.1}},
         "axes": [{"name": "order", "path": "method.order", "values": [0, 1]},
                  {"name": "p", "path": "parameters.p", "values": [0.7, 0.2]},
                  {"name": "master", "path": "method.master", "values": ["jacobi", "gauss_seidel"]}]}


def result(model):
    (folder / "model.json").write_text(json.dumps(model))
    (folder / "sweep.json").write_text(json.dumps(SWEEP))
    told = []
    for command in (["run", "sweep.json", "-o", "r.h5", "--force", "--quiet", "--device", "host"],
                    ["export", "r.h5", "--format", "csv", "-o", "r.csv", "--force"]):
        done = subprocess.run([program, *command], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            return done.stderr
    return (folder / "r.csv").read_bytes()


for seed in range(count):
    wanted, *written = (result(model) for model in network(random.Random(seed)))
    expect(isinstance(wanted, bytes) and len(wanted) > 500, f"network {seed}: {wanted}")
    for name, bytes_of in zip(("by equations", "mixed"), written):
        expect(bytes_of == wanted, f"network {seed} {name}: {bytes_of if isinstance(bytes_of, str) else 'other bytes'}")
finish()
