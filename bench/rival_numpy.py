#!/usr/bin/env python3
"""The two-mass study in numpy, vectorised over the runs.

Runs are ordered by their number of steps, the longest first, so that those still running are always the first columns
and a step works on contiguous slices of them."""

import numpy as np

import two_mass_map as study


def simulate(blocks, state, steps):
    """Sums of squares [SQUARES, run]; `steps` descending."""
    sums = np.zeros((study.SQUARES, len(steps)))
    k = 0
    for last in np.unique(steps):
        active = int(np.searchsorted(-steps, -k))  # runs with more than k steps
        part = tuple(block[:, :, :active] for block in blocks)
        state = tuple([value[:active] for value in values] for values in state)
        for k in range(k, last):
            state, squares = study.step(part, state)
            for total, square in zip(sums, squares):
                total[:active] += square
        k = last
    return sums


def main():
    options = study.arguments(__doc__)
    H, steps = study.ensemble(options.runs, options.smallest)
    blocks, state = study.rows(H), study.initial(H)
    with study.Timed() as timed:
        sums = simulate(blocks, state, steps)
    study.report("numpy", options, H, steps, study.results(sums, steps), timed, numpy=np.__version__)


if __name__ == "__main__":
    main()
