#!/usr/bin/python3
"""Checks that a result of study stability opens in xarray with its limits and its group of refined points.

usage: check_stability.py RESULT.h5

The result is that of tests/data/stability_sweep.json. Exits 77 where a library is missing.
"""

import sys

try:
    import h5netcdf  # noqa: F401
    import netCDF4  # noqa: F401
    import numpy as np
    import xarray as xr
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

path = sys.argv[1]
for engine in ("netcdf4", "h5netcdf"):
    with xr.open_dataset(path, engine=engine) as root, xr.open_dataset(path, engine=engine, group="refined") as group:
        assert root.eigenvalue_re.dims == ("hold", "d1", "d2", "mode"), root.eigenvalue_re.dims
        radius = np.hypot(root.eigenvalue_re, root.eigenvalue_im).max("mode")
        np.testing.assert_allclose(radius, root.spectral_radius, rtol=1e-15)
        assert root.stable.dtype == np.uint8 and set(np.unique(root.stable)) == {0, 1}
        assert root.d2_stable_max.dims == ("hold", "d1") and root.d2_crossings.dims == ("hold", "d1", "crossing")
        assert (root.d2_crossing_count == root.d2_crossings.notnull().sum("crossing")).all()
        assert group.spectral_radius.dims == ("point",) and group.sizes["point"] > 100
        assert set(group.hold.values) == {"lagrange", "backward_difference"}
        assert set(group.level.values) == {1, 2}
        assert (group.stable == (group.spectral_radius <= 1 + 1e-9)).all()
        assert abs(group.d1).max() <= 1.9 and group.d1.attrs["long_name"] == "parameters.d1"
