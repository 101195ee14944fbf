"""What checks beside dense matrices share."""

import math

import numpy as np


def exponential(a):
    """By its series, of a matrix halved until its norm is small, then squared."""
    halvings = max(0, math.ceil(math.log2(max(np.abs(a).sum(axis=1).max(), 1e-300))) + 2)
    a = a / 2.0**halvings
    term = result = np.eye(len(a))
    for i in range(1, 20):
        term = term @ a / i
        result = result + term
    for _ in range(halvings):
        result = result @ result
    return result
