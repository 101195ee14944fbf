#!/usr/bin/env python3
"""A network of frame.py by dense matrices, as a user of numpy and scipy would: master jacobi, held inputs of order 0.

Psi is E + G L C, where E and G come from one exponential of each half. Study `stability`: the spectral radius of Psi at
every step size. Otherwise so many steps of one size by products with Psi, and the exact solution at the end."""

import argparse
import json

import numpy as np
from scipy.linalg import block_diag, expm

import frame
import two_mass_map as study


def numbers(rows, names):
    return np.array([[eval(str(entry), {"__builtins__": {}}, names) for entry in row] for row in rows], float)


def network(storeys):
    """The halves' A and B, C of both, L and the initial states."""
    model = frame.model(storeys)
    halves = model["subsystems"]
    a, b, c = ([numbers(half[key], model["parameters"]) for half in halves] for key in "ABC")
    inputs, outputs = ([(half["name"], signal) for half in halves for signal in half[key]]
                       for key in ("inputs", "outputs"))
    l = np.zeros((len(inputs), len(outputs)))
    for join in model["connections"]:
        l[inputs.index(tuple(join["to"].split("."))), outputs.index(tuple(join["from"].split(".")))] = 1
    return a, b, block_diag(*c), l, np.concatenate([half["x0"] for half in halves]).astype(float)


def step(a, b, c, l, size):
    """Psi of a step."""
    e, g = [], []
    for own, inputs in zip(a, b):
        n, u = inputs.shape
        whole = np.zeros((n + u, n + u))
        whole[:n, :n], whole[:n, n:] = own, inputs
        both = expm(size * whole)
        e.append(both[:n, :n])
        g.append(both[:n, n:])
    return block_diag(*e) + block_diag(*g) @ l @ c


def simulate(a, b, c, l, x0, size, steps):
    """Errors of the outputs after so many steps."""
    psi, x = step(a, b, c, l, size), x0
    for _ in range(steps):
        x = psi @ x
    exact = expm(steps * size * (block_diag(*a) + block_diag(*b) @ l @ c)) @ x0
    return np.abs(c @ (x - exact))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("storeys", type=int)
    parser.add_argument("--sizes", type=float, nargs="+", required=True, help="step sizes; the first one is simulated")
    parser.add_argument("--steps", type=int, default=0, help="0: study stability")
    parser.add_argument("--values", help="file for the results as doubles")
    options = parser.parse_args()
    a, b, c, l, x0 = network(options.storeys)
    with study.Timed() as timed:
        if options.steps:
            values = simulate(a, b, c, l, x0, options.sizes[0], options.steps)
        else:
            values = np.array([np.abs(np.linalg.eigvals(step(a, b, c, l, size))).max() for size in options.sizes])
    if options.values:
        values.tofile(options.values)
    print(json.dumps({"case": "dense", "states": len(x0), "seconds": timed.seconds,
                      "core_seconds": timed.core_seconds, "numpy": np.__version__}))


if __name__ == "__main__":
    main()
