#!/usr/bin/python3
"""Checks that result files open in xarray (netCDF4, h5netcdf), h5py, netCDF4 and ncdump with names, axes and units.

usage: check_xarray.py RESULT.h5...

Holds for every result file (docs/formats.md section 4); exits 0, or 1 with one line per fault on stderr. Exits 77 where
a library is missing.
"""

import shutil
import subprocess
import sys

try:
    import h5py
    import h5py.h5ds
    import netCDF4
    import numpy as np
    import xarray as xr
    import h5netcdf  # noqa: F401  (xarray's other engine)
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

ROOT = ("Conventions", "title", "source", "history")
CHUNK = 4 << 20


class Checks:
    def __init__(self, path):
        self.path, self.faults, self.made = path, 0, 0

    def expect(self, good, what):
        self.made += 1
        if not good:
            self.faults += 1
            print(f"{self.path}: {what}", file=sys.stderr)


def is_text(value):
    return isinstance(value, str)


def check_h5py(checks, path):
    """What HDF5 itself says; returns {name: (dimensions, data)} to compare the others with."""
    found = {}
    with h5py.File(path, "r") as file:
        for name in ROOT:
            checks.expect(is_text(file.attrs.get(name)), f"root attribute {name} is no text")
        checks.expect(file.attrs.get("Conventions") == "CF-1.8", "Conventions is not CF-1.8")
        checks.expect("provenance" in file, "no group /provenance")
        for name, data in file.items():
            if not isinstance(data, h5py.Dataset):
                continue
            for attribute in ("long_name", "units"):
                checks.expect(is_text(data.attrs.get(attribute)), f"{name}: attribute {attribute} is no text")
            check_storage(checks, name, data)
            labels = [dimension.label for dimension in data.dims]
            if h5py.h5ds.is_scale(data.id):
                labels = [name]
                checks.expect(data.ndim == 1, f"{name}: a scale of {data.ndim} dimensions")
            else:
                for dimension, label in zip(data.dims, labels):
                    scales = [scale.name for scale in dimension.values()]
                    checks.expect(scales == ["/" + label], f"{name}: dimension {label} has the scales {scales}")
            found[name] = (tuple(labels), data.asstr()[()] if data.dtype.kind == "O" else data[()])
        for name, note in file["provenance"].items():
            kind = h5py.check_string_dtype(note.dtype)
            checks.expect(kind is None or (kind.length is None and kind.encoding == "utf-8"),
                          f"provenance/{name}: {note.dtype} is no text of variable length in UTF-8")
    return found


def check_storage(checks, name, data):
    kind = h5py.check_string_dtype(data.dtype)
    if kind is not None:
        checks.expect(kind.length is None and kind.encoding == "utf-8", f"{name}: no variable-length UTF-8")
        return
    checks.expect(data.dtype in (np.float64, np.int64, np.uint8), f"{name}: type {data.dtype}")
    if data.dtype == np.float64 and not h5py.h5ds.is_scale(data.id):
        fill = data.attrs.get("_FillValue")
        checks.expect(fill is not None and np.isnan(fill).all(), f"{name}: _FillValue is {fill}")
    if data.shape:
        checks.expect(data.chunks and data.fletcher32, f"{name}: no checksums")
    if data.chunks:
        size = int(np.prod(data.chunks)) * data.dtype.itemsize
        whole = data.chunks == data.shape
        checks.expect(size <= CHUNK and (whole or size >= 1 << 18), f"{name}: chunks of {size} bytes")
        packed = data.shuffle and data.compression == "gzip" and data.compression_opts == 1
        checks.expect(packed == (data.nbytes >= 4096), f"{name}: want shuffle and gzip 1 from 4096 bytes on")
    if "flag_meanings" in data.attrs:
        words = data.attrs["flag_meanings"].split()
        values = data.attrs["flag_values"]
        checks.expect(values.dtype == np.uint8 and list(values) == list(range(len(words))), f"{name}: flag_values")
        checks.expect(data.dtype == np.uint8, f"{name}: flags that are no uint8")


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if a.dtype.kind == "f" or b.dtype.kind == "f":
        return np.array_equal(a.astype(float), b.astype(float), equal_nan=True)
    return np.array_equal(a, b)


def check_xarray(checks, path, engine, found):
    with xr.open_dataset(path, engine=engine) as data:
        checks.expect(set(data.variables) == set(found), f"{engine}: variables {sorted(data.variables)}")
        for name, (dimensions, values) in found.items():
            if name not in data.variables:
                continue
            variable = data[name]
            checks.expect(variable.dims == dimensions, f"{engine}: {name} has the dimensions {variable.dims}")
            checks.expect(same(variable.values, values), f"{engine}: {name} has other values")
            checks.expect((name in data.coords) == (dimensions == (name,)), f"{engine}: {name} is no coordinate")
        for name in data.dims:
            one = data[name].values[-1]
            checks.expect(data.sel({name: one}).sizes.get(name, 1) == 1, f"{engine}: no selection by {name}={one}")
    with xr.open_dataset(path, engine=engine, group="provenance") as notes:
        for name in notes.variables:
            notes[name].load()
        checks.expect(len(notes.data_vars) > 0, f"{engine}: provenance is empty")


def check_netcdf(checks, path, found):
    with netCDF4.Dataset(path) as file:
        for name, (dimensions, _) in found.items():
            checks.expect(name in file.variables and file.variables[name].dimensions == dimensions,
                          f"netCDF4: {name} has other dimensions than {dimensions}")
    if shutil.which("ncdump"):
        dump = subprocess.run(["ncdump", path], capture_output=True)
        checks.expect(dump.returncode == 0, f"ncdump: {dump.stderr.decode()}")


def main(paths):
    if not paths:
        sys.exit(__doc__)
    faults = 0
    for path in paths:
        checks = Checks(path)
        found = check_h5py(checks, path)
        for engine in ("netcdf4", "h5netcdf"):
            check_xarray(checks, path, engine, found)
        check_netcdf(checks, path, found)
        print(f"{path}: {len(found)} variables, {checks.made} checks, {checks.faults} faults")
        faults += checks.faults
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
