#!/usr/bin/env python3
"""The two-mass study in JAX: one step written for one run, vmap over runs, fori_loop over steps, double precision.

The runs are cut into batches of similar length; each batch loops to the end of its longest run, and runs that have
ended are weighted with 0. One compilation serves all batches. It is done ahead of time and not in `seconds`."""

import jax
import jax.numpy as jnp
import numpy as np

import two_mass_map as study

jax.config.update("jax_enable_x64", True)

BATCH = 64  # of 8 to 512 the fastest


def one_run(blocks, state, steps, longest):
    def body(k, carry):
        state, sums = carry
        weight = jnp.where(k < steps, 1.0, 0.0)
        state, squares = study.step(blocks, state)
        return [jnp.stack(values) for values in state], sums + weight * jnp.stack(squares)

    return jax.lax.fori_loop(0, longest, body, (list(state), jnp.zeros(study.SQUARES)))[1]


def compiled(batch, example):
    over_runs = jax.vmap(one_run, in_axes=(-1, -1, -1, None), out_axes=-1)
    return jax.jit(over_runs).lower(*batch(example), 1).compile()


def main():
    options = study.arguments(__doc__)
    H, steps = study.ensemble(options.runs, options.smallest)
    blocks, state = study.rows(H), study.initial(H)
    size = min(BATCH, options.runs)

    def batch(first):
        part = slice(first, first + size)
        return jax.device_put((tuple(b[..., part] for b in blocks), tuple(s[..., part] for s in state), steps[part]))

    run = compiled(batch, 0)
    starts = range(0, options.runs, size)
    batches = [(batch(first), int(steps[first])) for first in starts]
    with study.Timed() as timed:
        sums = [run(*data, longest) for data, longest in batches]
        sums = np.concatenate(jax.block_until_ready(sums), axis=1)
    study.report("JAX", options, H, steps, study.results(sums, steps), timed, jax=jax.__version__)


if __name__ == "__main__":
    main()
