"""The two-mass study as arrays [item, run]: rows of a step, initial values, one step, results. For numpy and JAX.

Fixed step, Jacobi, hold taylor of order 1, explicit feed-through, exact subsystems, consistent start, as in
two_mass_order1.json. Derivatives are stored as H y', so that on a step the held input is u0 + u1 s, s from 0 to 1.
"""

import argparse
import json
import math
import platform
import time

import numpy as np

T_END = 100.0
J1, C1, D1, CK, DK, J2, C2, D2 = 10.0, 1.0, 1.0, 1.0, 2.0, 10.0, 1.0, 2.0
START = np.array([0.1, 0.1, 0.2, 0.1])  # phi1, omega1, phi2, omega2

# Coupled system over (phi1, omega1, phi2, omega2); the subsystems with their inputs' polynomials as further states.
EXACT = np.array([[0, 1, 0, 0],
                  [-(C1 + CK) / J1, -(D1 + DK) / J1, CK / J1, DK / J1],
                  [0, 0, 0, 1],
                  [CK / J2, DK / J2, -(CK + C2) / J2, -(DK + D2) / J2]])
FIRST = np.array([[0, 1, 0, 0], [-(C1 + CK) / J1, -(D1 + DK) / J1, CK / J1, DK / J1], [0, 0, 0, 1]])
SECOND = np.array([[0, 1, 0], [-C2 / J2, -D2 / J2, 1 / J2]])
TAU1 = np.array([CK, DK, -CK, -DK])
OMEGA2 = np.array([0.0, 1.0])

COLUMNS = ("output_defect_tau1", "output_defect_omega2", "connection_defect_omega2", "connection_defect_tau1",
           "output_error_tau1", "output_error_omega2")
RESULTS = len(COLUMNS)
TERMS = 30  # of a series in ||M|| H < 2


def ensemble(runs, smallest):
    """Step sizes, ascending, and numbers of steps."""
    H = smallest ** (1 - np.arange(runs) / (runs - 1))
    return H, np.ceil(T_END / H * (1 - 1e-9)).astype(np.int64)


def held(system, H):
    """z' = M z in scaled time with the input u0 + u1 s as two more states; [run, size, size]."""
    states, columns = system.shape
    M = np.zeros((len(H), columns + 1, columns + 1))
    M[:, :states, :columns] = system * H[:, None, None]
    M[:, columns - 1, columns] = 1
    return M


def series(M, row, weight):
    """sum over k of weight(k) row M^k/k!; [size, run]."""
    term = np.zeros(M.shape[:2])
    term[:, :len(row)] = row
    total = np.zeros_like(term)
    for k in range(TERMS):
        total += weight(k) * term
        term = np.einsum("ri,rij->rj", term, M) / (k + 1)
    return total.T.copy()


def rows(H):
    """Blocks of rows, each [row, coefficient, run]: oscillator 1, oscillator 2, exact solution."""
    end, slope = (lambda k: 1.0), (lambda k: float(k))

    def middle(k):  # value at s = 1/2 minus the tangent from s = 1
        return 0.5 ** k - 1 + 0.5 * k

    first, second, exact = held(FIRST, H), held(SECOND, H), EXACT * H[:, None, None]
    unit = np.eye(4)
    block1 = [series(first, unit[0], end), series(first, unit[1], end), series(first, unit[2], end),
              series(first, TAU1, end), series(first, TAU1, slope), series(first, TAU1, middle)]
    block2 = [series(second, unit[0], end), series(second, OMEGA2, end), series(second, OMEGA2, slope),
              series(second, OMEGA2, middle)]
    block3 = [series(exact, unit[i], end) for i in range(4)] + [series(exact, TAU1, end)]
    return np.array(block1), np.array(block2), np.array(block3)


def initial(H):
    """Oscillator 1 with its input [5, run], oscillator 2 with its input [4, run], exact solution [4, run]."""
    slope = EXACT @ START
    ones = np.ones_like(H)
    return (np.array([*(START[:3, None] * ones), START[3] * ones, slope[3] * H]),
            np.array([*(START[2:, None] * ones), TAU1 @ START * ones, TAU1 @ slope * H]),
            START[:, None] * ones)


def dot(row, z):
    total = row[0] * z[0]
    for coefficient, value in zip(row[1:], z[1:]):
        total = total + coefficient * value
    return total


def step(blocks, state):
    """One macro step, with any library of arrays: the next state, and the squares that the results need."""
    first, second, exact = blocks
    z1, z2, r = state
    phi1, omega1, tau1, tau1_slope, tau1_middle = (dot(first[i], z1) for i in (0, 1, 3, 4, 5))
    phi2 = z1[2] + first[2][3] * z1[3] + first[2][4] * z1[4]
    phi2_own, omega2, omega2_slope, omega2_middle = (dot(second[i], z2) for i in range(4))
    following = [dot(exact[i], r) for i in range(4)]

    gap1, gap1_slope = z1[3] + z1[4] - omega2, z1[4] - omega2_slope
    gap2, gap2_slope = z2[2] + z2[3] - tau1, z2[3] - tau1_slope
    measures = (tau1_middle, omega2_middle, gap1 - 0.5 * gap1_slope, gap1_slope, gap2 - 0.5 * gap2_slope, gap2_slope,
                tau1 - dot(exact[4], r), omega2 - following[3])
    state = ([phi1, omega1, phi2, omega2, omega2_slope], [phi2_own, omega2, tau1, tau1_slope], following)
    return state, [value * value for value in measures]


SQUARES = 8


def results(sums, steps):
    """RMS over the run [6, run] from the sums of `step`'s squares."""
    mean = sums / steps
    return np.sqrt(np.array([mean[0] * 16 / 5, mean[1] * 16 / 5, mean[2] + mean[3] / 12, mean[4] + mean[5] / 12,
                             mean[6], mean[7]]))


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--runs", type=int, default=4096)
    parser.add_argument("--smallest", type=float, default=1e-3, help="smallest step size, s; the largest is 1 s")
    parser.add_argument("--values", help="file for step size, steps and six RMS results of every run")
    return parser.parse_args()


class Timed:
    """Wall clock and processor time of a block."""

    def __enter__(self):
        self.wall, self.core = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_):
        self.seconds = time.perf_counter() - self.wall
        self.core_seconds = time.process_time() - self.core


def report(implementation, options, H, steps, values, timed, **more):
    """Prints the rival's JSON line and writes its results, [6, run]."""
    if options.values:
        np.savetxt(options.values, np.vstack([H, steps, values]).T, delimiter=",", comments="", fmt="%.17g",
                   header=",".join(("H", "steps") + COLUMNS))
    print(json.dumps({"case": "two_mass_order1", "implementation": implementation, "runs": len(H),
                      "steps": int(steps.sum()), "seconds": timed.seconds, "core_seconds": timed.core_seconds,
                      "checksum": math.fsum(values.ravel()), "python": platform.python_version(), **more}))
