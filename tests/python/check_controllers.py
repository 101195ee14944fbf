#!/usr/bin/python3
"""Shipped controllers beside a program of a few lines in plain coordinates: the same steps within rounding.

usage: check_controllers.py COSWEEP MODELS DATA OUTPUT

The masses of mass_spring_damper, jacobi, hold lagrange: subsystems advance by matrix exponentials with the held
polynomials as further states. Laws are written as in the papers, in factors, not in logarithms (Gustafsson 1991;
Soederlind 2003). Steps within 1e-9, indicators 1e-7. Exits 0, or 1 with a line per fault on stderr; 77 where a library
or OpenCL is missing.
"""

import os
import sys

import numpy as np

from beside import computed, models, written_sweep
from checking import expect, finish, has_opencl
from dense import exponential

if not has_opencl("controllers that are fragments"):
    sys.exit(77)
os.environ["COSWEEP_DEVICE"] = "auto"  # host has no fragments

T_END, INITIAL = 2.0, 0.002
K1, K2, K3, C1, C2, C3 = 10.0, 25.0, 50.0, 1.0, 0.1, 2.0
A = np.zeros((4, 4))
A[:2, :2] = [[0, 1], [-(K1 + K2), -(C1 + C2)]]
A[2:, 2:] = [[0, 1], [-(K3 + K2), -(C3 + C2)]]
B = np.zeros((4, 4))  # of inputs x2, v2, x1, v1
B[1, :2] = B[3, 2:] = [K2, C2]
L = np.eye(4)[[2, 3, 0, 1]]
START = np.array([1.0, 0.0, 0.0, 0.0])


def through(times, values, at):
    """The polynomial through points, one row of `values` for each time."""
    weight = [np.prod([(at - s) / (t - s) for s in times if s != t]) for t in times]
    return np.array(weight) @ np.array(values)


class Masses:
    def __init__(self, m, nominal):
        self.m, self.times = m, [-j * nominal for j in range(m + 1)]  # newest first
        self.points = [exponential((A + B @ L) * t) @ START for t in self.times]

    def advanced(self, h, share):
        """Outputs, which are the states, after a share of a step of size h."""
        now, m = self.times[0], self.m
        slopes = np.vander([t - now for t in self.times], increasing=True)
        held = np.linalg.solve(slopes, np.array(self.points) @ L.T)  # coefficients of powers of t - T
        n = 4 + 4 * (m + 1)
        whole = np.zeros((n, n))
        whole[:4, :4], whole[:4, 4:8] = A, B
        for j in range(m):  # state j: the polynomial's derivative of that order
            whole[4 + 4 * j:8 + 4 * j, 8 + 4 * j:12 + 4 * j] = np.eye(4)
        scale = np.cumprod([1.0] + [float(j) for j in range(1, m + 1)])
        return (exponential(whole * h * share) @ np.concatenate([self.points[0], (held * scale[:, None]).ravel()]))[:4]

    def largest_defect(self, h, y):
        """Largest RMS over the step of connection defects and estimated output defects."""
        now, end = self.times[0], self.times[0] + h
        known = [end, *self.times[:self.m]]
        new = [y, *self.points[:self.m]]
        node, weight = np.polynomial.legendre.leggauss(8)
        at, weight = now + h * (node + 1) / 2, weight / 2
        middle = end - h / 2
        gap = np.array([L @ (through(self.times, self.points, t) - through(known, new, t)) for t in at])
        rho = self.advanced(h, 0.5) - through(known, new, middle)
        omega = np.array([np.prod([t - s for s in known]) for t in at]) / np.prod([middle - s for s in known])
        return np.sqrt(np.concatenate([weight @ gap ** 2, rho ** 2 * (weight @ omega ** 2)])).max()

    def take(self, h, y):
        self.times = [self.times[0] + h, *self.times[:self.m]]
        self.points = [y, *self.points[:self.m]]


def pi34(tol, k, e, h, before):
    e1 = before[-1][0] if before else tol
    return h * (tol / e) ** (0.3 / k) * (e1 / e) ** (0.4 / k)


def h211(tol, k, e, h, before):
    e1, h1 = before[-1] if before else (tol, INITIAL)
    return h * (tol / e) ** (1 / (4 * k)) * (tol / e1) ** (1 / (4 * k)) * (h / h1) ** -0.25


def h312(tol, k, e, h, before):
    (e2, h2), (e1, h1) = ([(tol, INITIAL)] * 2 + before)[-2:]
    return (h * (tol / e * (tol / e1) ** 2 * tol / e2) ** (1 / (8 * k)) * (h / h1) ** -0.375 * (h1 / h2) ** -0.125)


def run(name, m, tol, share):
    """Start, size and indicator of every step tried, and whether it was accepted."""
    masses, nominal, before, rows, seen = Masses(m, INITIAL), INITIAL, [], [], [START]
    law = {"pi34": pi34, "gustafsson": pi34, "h312": h312}.get(name, h211)
    own = name == "predictor"
    time = 0.0
    while time < T_END:
        cut = T_END - time <= nominal * (1 + 1e-9)
        h = T_END - time if cut else nominal
        y = masses.advanced(h, 1.0)
        enough = len(seen) > m
        if own:
            extent = np.ptp(np.array([*seen, y]), axis=0)
            off = np.abs(through(masses.times, masses.points, masses.times[0] + h) - y)
            e = (off / (1 - share + share * np.maximum(extent, 1e-30))).max() / (m + 2) if enough else 0.0
        else:
            e = masses.largest_defect(h, y)
        h1 = before[-1][1] if before else INITIAL
        accepted = name != "gustafsson" or e <= 1.2 * tol or np.log(h) < np.log(h1) - 0.7
        rows.append((time, h, e, accepted))
        if not accepted:
            nominal = h * min((tol / e) ** (1 / (m + 1)), np.exp(-0.1))
        elif not cut:
            nominal = law(tol, m + 1, e, h, before) if enough or not own else nominal
            before.append((e if enough or not own else tol, h))
        if accepted:
            masses.take(h, y)
            seen.append(y)
            time += h
    return rows


def check(name, m, memory, tol=2e-4, share=0.0):
    step = {"control": {"kernel": str(models.resolve().parent / "sweeps" / f"{name}.clh"), "memory": memory},
            "initial": INITIAL, "tolerance": tol, "accept": 1.2, "kp": share}
    sweep = written_sweep(f"{name}_{m}", {"model": str((models / "mass_spring_damper" / "model.json").resolve()),
                                          "t_end": T_END, "method": {"hold": "lagrange", "order": m, "step": step}})
    want, what = run(name, m, tol, share), f"{name} order {m} share {share}"
    with computed("trace", sweep) as file:  # row 0 is the start
        found = np.array([file[key][1:] for key in ("t_start", "H", "eps", "accepted")], dtype=float).T
    expect(len(found) == len(want), f"{what}: {len(found)} steps, not {len(want)}")
    if len(found) != len(want):
        return
    want = np.array(want, dtype=float)
    for column, tolerance in ((0, 1e-9), (1, 1e-9), (2, 1e-7)):
        last = -1 if column == 1 else None  # what is left up to t_end has the errors of all others
        off = np.abs(found[:last, column] - want[:last, column]) / np.maximum(want[:last, column], 1e-12)
        expect(off.max() <= tolerance, f"{what}: column {column} off by {off.max():.1e} in step {off.argmax()}")
    expect((found[:, 3] == want[:, 3]).all(), f"{what}: other steps are rejected")
    expect(name != "gustafsson" or (want[:, 3] == 0).any(), f"{what}: nothing is rejected")
    expect(np.ptp(np.log(want[:-1, 1])) > 0.5, f"{what}: steps hardly vary")


check("pi34", 1, 1)
check("gustafsson", 1, 2)
check("h211", 1, 2)
check("h312", 1, 4)
check("h312", 2, 4)
check("predictor", 1, 22)
check("predictor", 2, 26, share=1.0)
finish()
