#!/usr/bin/python3
"""Checks that what `cosweep export` makes of a result holds the result's numbers: CSV as the csv module reads it, XDMF
by following its references into the result, bit by bit.

usage: check_export.py COSWEEP RESULT.h5

Exits 77 where a library is missing.
"""

import csv
import io
import itertools
import math
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

try:
    import h5py
    import netCDF4  # noqa: F401
    import numpy as np
    import xarray as xr
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

cosweep, path = sys.argv[1:]


def export(*options):
    return subprocess.run([cosweep, "export", path, "-o", "-", *options], check=True, capture_output=True).stdout


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def check_csv(data, *options):
    """Every field with a number is that of the file at the row's coordinates; all numbers of the file are there."""
    rows = list(csv.DictReader(io.StringIO(export(*options).decode())))
    axes = list(data.status.dims if "status" in data else ("point",))
    metrics = [name for name in rows[0] if name not in axes + ["run", "signal_kind", "signal"]]
    found = dict.fromkeys(metrics, 0)
    places = {name: {str(v) if isinstance(v, str) else float(v): i for i, v in enumerate(data[name].values)}
              for name in data.dims if name in data}
    raw = {name: (data[name].dims, data[name].values) for name in metrics}
    for row in rows:
        at = {name: places[name][row[name] if row[name] in places[name] else float(row[name])] for name in axes}
        kind = row.get("signal_kind")
        if kind:
            at[kind] = places[kind][row["signal"] if row["signal"] in places[kind] else float(row["signal"])]
        for name in metrics:
            dims, values = raw[name]
            own = set(dims) <= set(at)
            assert own == (row[name] != ""), (name, row)
            if not own:
                continue
            value = values[tuple(at[d] for d in dims)]
            assert row[name] == value if isinstance(value, str) else same(float(row[name]), float(value)), (name, row)
            found[name] += 1
        if "run" in row:
            assert int(row["run"]) == np.ravel_multi_index([at[d] for d in axes], [data.sizes[d] for d in axes])
    for name in metrics:
        assert found[name] >= data[name].size, name
    return metrics


def read_item(item):
    """The numbers of a DataItem."""
    if item.get("ItemType") == "HyperSlab":
        slab, source = item
        first, step, count = np.fromstring(slab.text, int, sep=" ").reshape(3, -1)
        assert (step == 1).all()
        whole = read_item(source)
        part = whole[tuple(slice(f, f + c) for f, c in zip(first, count))]
    elif item.get("Format") == "HDF":
        name, dataset = item.text.split(":")
        with h5py.File(name, "r") as file:
            part = file[dataset][...]
        assert part.dtype == {"Float": "f8", "Int": "i8", "UChar": "u1"}[item.get("NumberType")], item.text
    else:
        part = np.fromstring(item.text, sep=" ")
    return part.reshape([int(n) for n in item.get("Dimensions").split()])


def check_xdmf(data):
    """Every attribute is the part of the file that its grid and its name say, over the coordinates it says."""
    numbers = 0
    for grid in ET.fromstring(export("--format", "xdmf")).find("Domain/Grid"):
        at = dict(word.split("=") for word in grid.get("Name").split(", ") if "=" in word)
        legend = grid.find("Information").get("Value")
        along = [word.split(": ")[1].split(" (")[0] for word in legend.split(", ")]
        cut = data.sel({k: v if data[k].dtype.kind in "OU" else float(v) for k, v in at.items()})
        for name, item in itertools.zip_longest(along, grid.find("Geometry")):
            got = read_item(item)
            if name is None:
                assert got == [0]
            elif name.startswith("log10 "):
                np.testing.assert_allclose(got, np.log10(data[name[6:]]), rtol=0, atol=1e-15)
            else:
                np.testing.assert_array_equal(got, data[name])
        names = [name.removeprefix("log10 ") for name in reversed(along)]
        shape = [1] * (3 - len(names)) + [data.sizes[n] for n in names]
        assert [int(n) for n in grid.find("Topology").get("Dimensions").split()] == shape
        for attribute in grid.findall("Attribute"):
            metric, _, signal = attribute.get("Name").partition(" ")
            want = cut[metric]
            if signal:
                kind = next(d for d in want.dims if d not in names)
                want = want.sel({kind: signal if data[kind].dtype.kind in "OU" else float(signal)})
            assert list(want.dims) == names, (metric, want.dims)
            np.testing.assert_array_equal(read_item(attribute.find("DataItem")), want.values.reshape(shape))
            numbers += want.size
    return numbers


with xr.open_dataset(path, decode_times=False, mask_and_scale=False) as result:
    columns = check_csv(result)
    assert "status" in columns and len(columns) > 3, columns
    fewer = check_csv(result.isel({result.status.dims[0]: [0]}), "--metric", "status", "--where",
                      f"{result.status.dims[0]}={result[result.status.dims[0]].values[0]}")
    assert fewer == ["status"], fewer
    last = result.status.dims[-1]
    if result.sizes[last] > 2:
        two = result[last].values[[0, 2]]
        rows = export("--metric", "status", *[f"--where={last}={float(value)!r}" for value in two]).decode().split()
        assert len(rows) == 1 + 2 * result.status.size // result.sizes[last], rows
    os.chdir(os.path.dirname(os.path.abspath(path)))
    over_all = [v for v in result.data_vars.values() if set(result.status.dims) <= set(v.dims)]
    assert check_xdmf(result) == sum(v.size for v in over_all)
with h5py.File(path) as file:
    has_group = "refined" in file
if has_group:
    with xr.open_dataset(path, group="refined") as points:
        assert "spectral_radius" in check_csv(points, "--group", "refined")
