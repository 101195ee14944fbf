"""The two-mass oscillator as one would write it down first: co-simulation and exact solution side by side in double
precision, defects and errors as differences of the two.

usage: plain.py RESULT.h5     the result of docs/accuracy/floor.json

Jacobi, hold taylor, outputs explicit, start consistent, exact subsystems (docs/methods.md, sections 1 to 3). Prints, for
step sizes that take some seconds here, the RMS of the connection defect of oscillator1.omega2 and of the error of
oscillator2.omega2 at communication points: from cosweep, and the relative deviation of what is computed here."""

import math
import sys

import numpy as np
import xarray as xr

FINEST = 2e-4
A = np.zeros((5, 5))  # states phi1, omega1, phi2 of oscillator1 and phi2, omega2 of oscillator2; inputs omega2, tau1
A[:3, :3] = [[0, 1, 0], [-0.2, -0.3, 0.1], [0, 0, 0]]
A[3:, 3:] = [[0, 1], [-0.1, -0.2]]
B = np.array([[0, 0], [0.2, 0], [1, 0], [0, 0], [0, 0.1]])
C = np.array([[1.0, 2, -1, 0, 0], [0, 0, 0, 0, 1]])
D = np.array([[-2.0, 0], [0, 0]])
L = np.array([[0.0, 1], [1, 0]])
X0 = np.array([0.1, 0.1, 0.2, 0.2, 0.1])
NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)


def flow(matrix, t):
    """Exponential of matrix * t; norms here are below 1."""
    whole = term = np.eye(len(matrix))
    for i in range(1, 30):
        term = term @ matrix * (t / i)
        whole = whole + term
    return whole


def derivatives(x, u):
    """y, y', ... from the states and the derivatives u[j] of the inputs at the same time."""
    result = []
    for values in u:
        result.append(C @ x + D @ values)
        x = A @ x + B @ values
    return np.array(result)


def run(order, H, steps):
    """RMS of the connection defect of input 0 and of the error of output 1 at communication points."""
    count = order + 1
    solved = np.linalg.inv(np.eye(2) - D @ L) @ C
    M = A + B @ L @ solved
    held = np.zeros((5 + 2 * count, 5 + 2 * count))  # states, and the inputs' derivatives as a chain
    held[:5, :5], held[:5, 5:7] = A, B
    for j in range(order):
        held[5 + 2 * j:7 + 2 * j, 7 + 2 * j:9 + 2 * j] = np.eye(2)
    step, exact_step = flow(held, H), flow(M, H)
    x, r = X0.copy(), X0.copy()
    u = np.array([L @ solved @ np.linalg.matrix_power(M, j) @ r for j in range(count)])
    powers = np.array([[(H * (node - 1) / 2)**j / math.factorial(j) for j in range(count)] for node in NODES])
    defect = error = 0.0
    for _ in range(steps):
        z = step @ np.concatenate([x, u.ravel()])
        x, end, r = z[:5], z[5:].reshape(count, 2), exact_step @ r
        y = derivatives(x, end)
        defect += (WEIGHTS / 2) @ (powers @ (end - y @ L.T)[:, 0])**2
        error += (y[0, 1] - (solved @ r)[1])**2
        u = y @ L.T
    return math.sqrt(defect / steps), math.sqrt(error / steps)


def main():
    result = xr.open_dataset(sys.argv[1])
    print("order  H        connection defect   plain       error     plain")
    for order in result.order.values.astype(int):
        for H in result.H.values[result.H.values > FINEST]:
            here = result.sel(order=order, H=H)
            ours = (float(here.connection_defect.sel(input="oscillator1.omega2")),
                    float(here.output_error.sel(output="oscillator2.omega2")))
            theirs = run(order, H, math.ceil(1 / H * (1 - 1e-9)))
            off = [abs(b / a - 1) for a, b in zip(ours, theirs)]
            print(f"{order}      {H:.1e}  {ours[0]:14.2e} {off[0]:13.0e} {ours[1]:13.2e} {off[1]:9.0e}")


if __name__ == "__main__":
    main()
