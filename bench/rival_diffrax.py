#!/usr/bin/env python3
"""The two-mass study with diffrax: each subsystem is integrated by Heun's method, two steps per macro step, with the
held polynomial as its input. vmap over runs, fori_loop over macro steps, double precision.

The solver is driven by hand, `solver.step`, as diffrax documents it for coupling: a whole `diffeqsolve` per macro step
computes the same several times slower. The exact solution steps with its matrix exponential. Batches as in
rival_jax.py."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np

import two_mass_map as study

jax.config.update("jax_enable_x64", True)

BATCH = 256  # of 16 to 256 the fastest
SOLVER = diffrax.Heun()


def first(s, x, held):
    """dx/ds of oscillator 1 with the input held[0] + held[1] s; held[2] is the macro step."""
    phi1, omega1, phi2 = x
    omega2, H = held[0] + held[1] * s, held[2]
    torque = study.CK * (phi1 - phi2) + study.DK * (omega1 - omega2)
    return H * omega1, -H / study.J1 * (study.C1 * phi1 + study.D1 * omega1 + torque), H * omega2


def second(s, x, held):
    """The same of oscillator 2."""
    phi2, omega2 = x
    tau1, H = held[0] + held[1] * s, held[2]
    return H * omega2, H / study.J2 * (tau1 - study.C2 * phi2 - study.D2 * omega2)


def advance(field, x, held):
    """The states at the midpoint and at the end of the macro step."""
    term = diffrax.ODETerm(field)
    states, memory = [], SOLVER.init(term, 0.0, 0.5, x, held)
    for s in (0.0, 0.5):
        x, _, _, memory, _ = SOLVER.step(term, s, s + 0.5, x, held, memory, made_jump=False)
        states.append(x)
    return states


def macro_step(H, exact, state):
    """The next state, and the squares that the results need, in the order of two_mass_map.step."""
    x1, u, x2, v, r = state
    held1, held2 = (*u, H), (*v, H)
    (middle1, end1), (middle2, end2) = advance(first, x1, held1), advance(second, x2, held2)
    slope1, slope2 = first(1.0, end1, held1), second(1.0, end2, held2)

    def tau1(x, omega2):
        return study.CK * (x[0] - x[2]) + study.DK * (x[1] - omega2)

    y1 = tau1(end1, u[0] + u[1]), tau1(slope1, u[1])
    y2 = end2[1], slope2[1]
    gap1, gap1_slope = u[0] + u[1] - y2[0], u[1] - y2[1]
    gap2, gap2_slope = v[0] + v[1] - y1[0], v[1] - y1[1]
    r = tuple(study.dot(row, r) for row in exact)
    measures = (tau1(middle1, u[0] + 0.5 * u[1]) - (y1[0] - 0.5 * y1[1]), middle2[1] - (y2[0] - 0.5 * y2[1]),
                gap1 - 0.5 * gap1_slope, gap1_slope, gap2 - 0.5 * gap2_slope, gap2_slope,
                y1[0] - study.dot(study.TAU1, r), y2[0] - r[3])
    return (end1, y2, end2, y1, r), [value * value for value in measures]


def one_run(H, exact, state, steps, longest):
    def body(k, carry):
        state, sums = carry
        weight = jnp.where(k < steps, 1.0, 0.0)
        state, squares = macro_step(H, exact, state)
        return state, sums + weight * jnp.stack(squares)

    state = tuple(tuple(values) for values in state)
    return jax.lax.fori_loop(0, longest, body, (state, jnp.zeros(study.SQUARES)))[1]


def main():
    options = study.arguments(__doc__)
    H, steps = study.ensemble(options.runs, options.smallest)
    z1, z2, r = study.initial(H)
    data = H, study.rows(H)[2][:4], (z1[:3], z1[3:], z2[:2], z2[2:], r), steps
    size = min(BATCH, options.runs)

    def batch(start):
        return jax.device_put(jax.tree_util.tree_map(lambda values: values[..., start:start + size], data))

    over_runs = jax.vmap(one_run, in_axes=(-1, -1, -1, -1, None), out_axes=-1)
    run = jax.jit(over_runs).lower(*batch(0), 1).compile()
    batches = [(batch(start), int(steps[start])) for start in range(0, options.runs, size)]
    with study.Timed() as timed:
        sums = [run(*data, longest) for data, longest in batches]
        sums = np.concatenate(jax.block_until_ready(sums), axis=1)
    study.report("diffrax", options, H, steps, study.results(sums, steps), timed, jax=jax.__version__,
                 diffrax=diffrax.__version__)


if __name__ == "__main__":
    main()
