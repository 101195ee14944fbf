#!/usr/bin/env python3
"""Prints a cosweep model of a frame of equal storeys on the ground, cut in the middle: two subsystems.

Each half holds the displacements, then the velocities, of its storeys. It receives the place and speed of the other
half's storey at the cut and returns its own. 60 storeys in a half give 240 states, whose fastest mode has
sqrt(4 k/m) rad/s."""

import argparse
import json


def stiffness(storeys, free):
    """Of a row of storeys between fixed neighbours, or with nothing above, without the factor k."""
    return [[2 - (free and i == storeys - 1) if i == j else -1 if abs(i - j) == 1 else 0 for j in range(storeys)]
            for i in range(storeys)]


def scaled(row, factor):
    """A row of expressions `entry * factor`, zeros as they are."""
    return [entry and f"{-entry}*{factor}" for entry in row]


def half(name, storeys, upper):
    """A half whose storey at the cut is joined to the other half; the one at its other end is displaced by 1."""
    cut, end = (0, storeys - 1) if upper else (storeys - 1, 0)
    still = [0] * storeys
    moving = [[int(i == j) for j in range(storeys)] for i in range(storeys)]
    return {"name": name, "states": [f"x{i}" for i in range(storeys)] + [f"v{i}" for i in range(storeys)],
            "inputs": ["x", "v"], "outputs": ["x", "v"],
            "A": [still + row for row in moving] +
                 [scaled(row, "k/m") + scaled(row, "d/m") for row in stiffness(storeys, upper)],
            "B": [[0, 0]] * storeys + [["k/m", "d/m"] if i == cut else [0, 0] for i in range(storeys)],
            "C": [moving[cut] + still, still + moving[cut]],
            "x0": [int(i == end) for i in range(storeys)] + still}


def model(storeys):
    """`storeys` of each half is at least 1; four states for each."""
    return {"format": "cosweep-model/1", "name": f"frame{storeys}",
            "description": f"Two halves of {storeys} equal storeys on the ground, {4 * storeys} states",
            "parameters": {"m": 1, "k": 900, "d": 1.5},
            "subsystems": [half("lower", storeys, False), half("upper", storeys, True)],
            "connections": [{"from": f"{a}.{signal}", "to": f"{b}.{signal}"}
                            for a, b in (("upper", "lower"), ("lower", "upper")) for signal in ("x", "v")]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("storeys", type=int)
    options = parser.parse_args()
    if options.storeys < 1:
        parser.error("want at least 1 storey")
    print(json.dumps(model(options.storeys), indent=1))


if __name__ == "__main__":
    main()
