#!/usr/bin/env python3
"""An ensemble of the two-mass model in clODE: the coupled system as one ODE, classical Runge-Kutta of fourth order.

clODE integrates ensembles of ODEs and knows neither subsystems nor exchange, and one call takes the same number of
steps for every run. So the runs differ in the damping of the coupling, all take as many steps as the runs of the study
do on average, and the result is the final state; it is compared here with the same method as a power of a matrix."""

import json
import os
import platform
import sys
import tempfile

import clode
import numpy as np

import two_mass_map as study

DAMPING = 1.0, 20.0  # of the coupling, N m s/rad: first and last run
TOLERANCE = 1e-9


def right_hand_side(t: float, x: list[float], p: list[float], dx: list[float], aux: list[float],
                    w: list[float]) -> None:
    phi1: float = x[0]
    omega1: float = x[1]
    phi2: float = x[2]
    omega2: float = x[3]
    torque: float = phi1 - phi2 + p[0] * (omega1 - omega2)
    dx[0] = omega1
    dx[1] = -0.1 * (phi1 + omega1 + torque)
    dx[2] = omega2
    dx[3] = 0.1 * (torque - phi2 - 2.0 * omega2)


def by_matrix(damping, H, steps):
    """Final states [run, state] by the same Runge-Kutta method."""
    M = np.tile(study.EXACT, (len(damping), 1, 1))
    change = np.array([[0, 0, 0, 0], [0, -1, 0, 1], [0, 0, 0, 0], [0, 1, 0, -1]]) / study.J1
    z = H * (M + (damping - study.DK)[:, None, None] * change)
    one = np.eye(4)
    growth = one + z @ (one + z @ (one + z @ (one + z / 4) / 3) / 2)
    return np.linalg.matrix_power(growth, steps) @ study.START


def simulator(directory, damping, H, steps):
    os.chdir(directory)  # clODE writes its translation of the right-hand side into the working directory
    names = ("phi1", "omega1", "phi2", "omega2")
    made = clode.Simulator(variables=dict(zip(names, study.START.tolist())), parameters={"dk": study.DK},
                           rhs_equation=right_hand_side, stepper=clode.Stepper.rk4, dt=H, max_steps=steps + 1,
                           t_span=(0.0, (steps - 0.5) * H), single_precision=False,
                           device_type=clode.CLDeviceType.DEVICE_TYPE_CPU)
    made.set_ensemble(parameters={"dk": damping})
    return made


def main():
    options = study.arguments(__doc__)
    values = os.path.abspath(options.values) if options.values else None
    steps = round(float(study.ensemble(options.runs, options.smallest)[1].mean()))
    H = study.T_END / steps
    damping = np.linspace(*DAMPING, options.runs)
    with tempfile.TemporaryDirectory() as directory:
        made = simulator(directory, damping, H, steps)
        with study.Timed() as timed:
            final = made.transient(update_x0=False, fetch_results=True)
        os.chdir("/")
    if values:
        np.savetxt(values, np.column_stack([damping, final]), delimiter=",", fmt="%.17g")
    difference = float(np.max(np.abs(final / by_matrix(damping, H, steps) - 1)))
    if not difference < TOLERANCE:
        sys.exit(f"rival_clode.py: final states differ from the same method as a matrix by {difference:.1e}")
    print(json.dumps({"case": "two_mass_monolithic", "implementation": "clODE", "runs": options.runs,
                      "steps": options.runs * steps, "seconds": timed.seconds, "core_seconds": timed.core_seconds,
                      "largest_difference": difference, "python": platform.python_version(),
                      "clode": clode.__version__}))


if __name__ == "__main__":
    main()
