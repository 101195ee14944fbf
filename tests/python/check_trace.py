#!/usr/bin/python3
"""Checks a trace as xarray, h5py and netCDF4 read it: `t` can grow, is no date, and orders the steps.

usage: check_trace.py TRACE.h5

Exits 0, or 1 with one line per fault on stderr. Exits 77 where a library is missing. What holds for every result file
is in check_xarray.py.
"""

import sys

from checking import expect, finish

try:
    import h5py
    import netCDF4
    import numpy as np
    import xarray as xr
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)


def check_growth(path):
    with h5py.File(path, "r") as file:
        expect(file["t"].maxshape == (None,), f"t: {file['t'].maxshape}")
        expect(file["x"].maxshape == (None, file["x"].shape[1]), f"x: {file['x'].maxshape}")
        expect(file["state"].maxshape == file["state"].shape, "state can grow")
    with netCDF4.Dataset(path) as file:
        expect([name for name, d in file.dimensions.items() if d.isunlimited()] == ["t"], "netCDF4: not t alone grows")


def check_steps(path):
    with xr.open_dataset(path) as data:
        t = data.t.values
        expect(t.dtype == np.float64, f"t is read as {t.dtype}")
        expect(data.H.dtype == np.float64, f"H is read as {data.H.dtype}")
        taken = data.isel(t=data.accepted.values == 1)
        expect(t[0] == 0 and np.isnan(data.H.values[0]), "the first row is not the start")
        expect(bool((np.diff(taken.t.values) > 0).all()), "steps that were taken do not follow each other")
        expect(np.allclose(taken.t.values[1:], (taken.t_start + taken.H).values[1:], rtol=1e-14, atol=0), "t is not "
               "t_start + H")
        expect(np.allclose((data.x - data.x_exact).values, data.state_error.values, rtol=0, atol=1e-14), "state_error")
        expect(np.allclose((data.y - data.y_exact).values, data.output_error.values, rtol=0, atol=1e-14),
               "output_error")
        expect(data.x.sel(state=data.state.values[0]).dims == ("t",), "no selection of a state")


if len(sys.argv) != 2:
    sys.exit(__doc__)
check_growth(sys.argv[1])
check_steps(sys.argv[1])
finish()
