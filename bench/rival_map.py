#!/usr/bin/env python3
"""The stability map of feedthrough_map.json in numpy: eigvals of all matrices stacked, in blocks that stay in the
cache. The matrix is that of feedthrough_map.c."""

import argparse
import json
import math
import platform

import numpy as np

import two_mass_map as study

H, END, BLOCK = 0.1, 2.0, 1000
X1, X2, U1, U2, V1, V2, ROWS = range(7)


def matrices(d1, d2):
    """Psi [point, row, column]: states, then the inputs' values at T[k] and at T[k-1]."""
    decay = math.exp(-H)
    value = 1 - decay
    slope = 1 - value / H
    psi = np.zeros((len(d1), ROWS, ROWS))
    for x, u, v in ((X1, U1, V1), (X2, U2, V2)):
        psi[:, x, x], psi[:, x, u], psi[:, x, v], psi[:, v, u] = decay, value + slope, -slope, 1
    psi[:, U1], psi[:, U2] = psi[:, X2], psi[:, X1]
    psi[:, U1, U2] += 2 * d2
    psi[:, U1, V2] -= d2
    psi[:, U2, U1] += 2 * d1
    psi[:, U2, V1] -= d1
    return psi


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1000, help="points along each axis")
    parser.add_argument("--values", help="file for the spectral radii as doubles, d2 running fastest")
    options = parser.parse_args()
    gains = np.linspace(-END, END, options.points)
    d1, d2 = (gain.ravel() for gain in np.meshgrid(gains, gains, indexing="ij"))
    radius = np.empty(len(d1))
    with study.Timed() as timed:
        for first in range(0, len(d1), BLOCK):
            block = slice(first, first + BLOCK)
            radius[block] = np.abs(np.linalg.eigvals(matrices(d1[block], d2[block]))).max(axis=1)
    if options.values:
        radius.tofile(options.values)
    print(json.dumps({"case": "stability_map", "points": len(d1), "threads": 1, "seconds": timed.seconds,
                      "core_seconds": timed.core_seconds, "python": platform.python_version(),
                      "numpy": np.__version__}))


if __name__ == "__main__":
    main()
