#!/usr/bin/env python3
"""Prints a cosweep model of equal masses in a row between two walls: one subsystem, two states, per mass.

The mass chain of models/mass_chain with any number of masses; neighbours exchange position and velocity."""

import argparse
import json


def subsystem(j):
    return {"name": f"mass{j}", "states": ["x", "v"], "inputs": ["force"], "outputs": ["x", "v"],
            "A": [[0, 1], ["-2*k/m", "-2*d/m"]], "B": [[0], ["1/m"]], "C": [[1, 0], [0, 1]],
            "x0": [1 if j == 1 else 0, 0]}


def model(masses):
    """`masses` is at least 2."""
    connections = [{"from": f"mass{j + side}.{output}", "to": f"mass{j}.force", "gain": gain}
                   for j in range(1, masses + 1) for side in (-1, 1) if 1 <= j + side <= masses
                   for output, gain in (("x", "k"), ("v", "d"))]
    return {"format": "cosweep-model/1", "name": f"chain{masses}",
            "description": f"{masses} equal masses in a row between two walls, {2 * masses} states",
            "parameters": {"m": 1, "k": 4, "d": 0.2},
            "subsystems": [subsystem(j) for j in range(1, masses + 1)], "connections": connections}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("masses", type=int)
    options = parser.parse_args()
    if options.masses < 2:
        parser.error("want at least 2 masses")
    print(json.dumps(model(options.masses), indent=1))


if __name__ == "__main__":
    main()
