#!/usr/bin/python3
"""Every shipped sweep of a model with state events, with fewer runs: what the commands make of its result and of a trace.

usage: check_event_sweeps.py COSWEEP SOURCE OUTPUT

Of each sweep the run with most events is traced. `plot`, `report`, `export` and `verify` have to succeed with both
files; exported rows are compared with the datasets, and datasets of /events with the conventions of netCDF.

Exits 0, or 1 with lines per fault on stderr. Exits 77 where a library is missing.
"""

import csv
import json
import math
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import checking
from checking import expect, finish

try:
    import h5py
    import netCDF4
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

POINTS = 3  # of an axis of numbers
ASKED = ["events", "exact_events", "event_time_error", "state_error", "event_time", "event_kind", "exact_event_time",
         "exact_event_kind"]

program, source, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])


def run(*arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    expect(done.returncode == 0, f"{' '.join(map(str, arguments))}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def thin(path):
    """The sweep with at most POINTS points of every axis of numbers, and lists of events among its metrics."""
    sweep = json.loads(path.read_text())
    sweep["model"] = str((path.parent / sweep["model"]).resolve())
    sweep["metrics"] = ASKED
    sweep.pop("fits", None)
    for axis in sweep["axes"]:
        for key in ("linspace", "logspace"):
            if key in axis:
                axis[key][2] = POINTS
    thinned = output / path.name
    thinned.write_text(json.dumps(sweep))
    return thinned


def has_state_events(path):
    model = (path.parent / json.loads(path.read_text())["model"]).resolve()
    return any("when" in event for event in json.loads(model.read_text()).get("events", []))


def same(text, value):
    if isinstance(value, (str, bytes)):
        return text == (value if isinstance(value, str) else value.decode())
    return math.isnan(float(text)) and math.isnan(value) if text == "NaN" else float(text) == value


def rows_of(*arguments):
    return list(csv.DictReader(run("export", *arguments, "-o", "-").splitlines()))


def check_result(path):
    """Rows of kind event and occurrence, with the numbers of the datasets."""
    rows = rows_of(path)
    with h5py.File(path) as file:
        for kind, metrics in (("event", ASKED[:3]), ("occurrence", ASKED[4:])):
            found = [row for row in rows if row["signal_kind"] == kind]
            length, runs = len(file[kind]), file["status"].size
            expect(len(found) == runs * length, f"{path}: {len(found)} rows of kind {kind}, not {runs * length}")
            for metric in metrics:
                values = file[metric][...].ravel()
                expect(all(same(row[metric], value) for row, value in zip(found, values)), f"{path}: exported {metric}")
        return int(np.argmax(file["exact_events"][...].reshape(file["status"].size, -1).sum(axis=1)))


def check_conventions(path):
    """Group /events as netCDF knows it."""
    with netCDF4.Dataset(path) as file:
        group = file["events"]
        expect([name for name, d in group.dimensions.items() if d.isunlimited()] == ["occurrence"],
               f"{path}: not occurrence alone grows")
        for name, variable in group.variables.items():
            dimensions = ("occurrence", "state") if name in ("x_before", "x_after") else variable.dimensions[:1]
            expect(variable.dimensions == dimensions, f"{path}: {name} is over {variable.dimensions}")
            expect(all(hasattr(variable, key) for key in ("long_name", "units")), f"{path}: {name} without attributes")
            for i, dimension in enumerate(variable.dimensions):
                expect(variable.shape[i] == len(group.dimensions[dimension]), f"{path}: shape of {name}")


def check_group(path):
    """Rows of group /events, a row for every occurrence and state."""
    rows = rows_of(path, "--group", "events")
    with h5py.File(path) as file:
        group = file["events"]
        states = len(group["state"])
        expect(len(rows) == len(group["time"]) * states > 0, f"{path}: {len(rows)} rows of group events")
        for name in ("time", "event", "event_name", "solution", "late", "timed", "partner", "configuration"):
            expect(all(same(row[name], value) for row, value in zip(rows, np.repeat(group[name][...], states))),
                   f"{path}: exported {name}")
        for name in ("x_before", "x_after"):
            expect(all(same(row[name], value) for row, value in zip(rows, group[name][...].ravel())),
                   f"{path}: exported {name}")
        return np.sum(group["solution"][...] == 1), np.sum(group["solution"][...] == 0)


def check_pages(path):
    """Report, figure, MAT-file and checksums of a file."""
    expect(all(line.startswith("ok") for line in run("verify", path).splitlines()), f"{path}: not verified")
    page, figure = path.with_suffix(".html"), path.with_suffix(".svg")
    run("report", path, "-o", page, "--force")
    run("export", path, "--format", "matlab", "-o", path.with_suffix(".mat"), "--force")
    expect(page.exists() and path.stem in page.read_text(), f"{page}: does not name the sweep")
    if shutil.which("gnuplot") is None:
        return
    run("plot", path, "-o", figure, "--force")
    if figure.exists():
        xml.parse(figure)


def check(path):
    """The events of its trace, of both solutions."""
    sweep = thin(path)
    result, trace = sweep.with_suffix(".h5"), output / f"{path.stem}.trace.h5"
    run("run", sweep, "-o", result, "--force", "--quiet")
    number = check_result(result)
    run("trace", sweep, "--run", number, "-o", trace, "--force", "--quiet")
    for file in (result, trace):
        check_pages(file)
    check_conventions(trace)
    return check_group(trace)


output.mkdir(parents=True, exist_ok=True)
sweeps = [path for path in sorted((source / "sweeps").glob("*.json")) if has_state_events(path)]
expect(len(sweeps) >= 9, f"{len(sweeps)} sweeps of models with state events")
for path in sweeps:
    exact, own = check(path)
    print(f"{path.stem}: {exact} events of the exact solution, {own} of the co-simulation")
finish(f"{len(sweeps)} sweeps, {checking.faults} faults")
