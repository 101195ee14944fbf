#!/usr/bin/env python3
"""Writes tests/data/heated_rods.csv: errors of heated rods with a controller, small beside the signals.

    python3 make_heated_rods.py ../data/heated_rods.csv

Needs python-flint; the tests read the table only. Takes a minute. Master jacobi, hold lagrange of order 0: in each
step the rod and the controller take the exponentials of their own matrices with the input held. Everything is computed
in plain coordinates, with intervals of 400 bits.
"""
import sys

from flint import arb, arb_mat, ctx

ctx.prec = 400


def rod(cells):
    """A of cells that conduct with 200 1/s, both ends at 0; the controller heats cell 0 and measures the middle one."""
    return [[-400 if i == j else 200 * (abs(i - j) == 1) for j in range(cells)] for i in range(cells)]


def column(values):
    return arb_mat([[value] for value in values])


def values(cells, steps):
    """Middle cell and controller at 1 s: errors and exact values."""
    a, middle, H = rod(cells), cells // 2, arb(1) / steps
    heated = [row + [int(i == 0)] for i, row in enumerate(a)]
    network = heated + [[-int(j == middle) for j in range(cells)] + [-1]]
    start = [1] * cells
    exact = arb_mat(network).exp() * column(start + [0])
    own, decay = (arb_mat(heated + [[0] * (cells + 1)]) * H).exp(), (-H).exp()
    x, control = start, arb(0)
    for _ in range(steps):
        moved = own * column(x + [control])
        control = decay * control - (1 - decay) * x[middle]
        x = [moved[i, 0] for i in range(cells)]
    return [(x[middle] - exact[middle, 0], exact[middle, 0]), (control - exact[cells, 0], exact[cells, 0])]


with open(sys.argv[1], "w") as file:
    print("# Heated rods with a controller, errors at 1 s of jacobi, hold lagrange, order 0: tests/python/make_heated_rods.py.\n"
          "cells,H,signal,error,value", file=file)
    for cells in 60, 100, 200:
        for H in 0.1, 0.05:
            for signal, (error, value) in zip(("middle", "control"), values(cells, round(1 / H))):
                print(cells, H, signal, error.str(17, radius=False), value.str(17, radius=False), sep=",", file=file)
