#!/usr/bin/python3
"""Checks what `cosweep info` says of a result or a trace against the file itself, read by h5py.

usage: check_info.py COSWEEP FILE.h5

Exits 0, or 1 with one line per fault on stderr. Exits 77 where a library is missing.
"""

import json
import subprocess
import sys

from checking import expect, finish

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)


def info(*words):
    return subprocess.run([program, "info", path, *words], check=True, capture_output=True, text=True).stdout


def names(dataset):
    return [name.decode() for name in dataset[()]]


def check_text(text):
    for line in text.splitlines()[1:]:
        expect(len(line) <= 79 or path in line, f"wider than 79: {line}")
        expect(line == line.rstrip(), f"blanks at the end: {line!r}")


def check_metric(file, metric, ok):
    """Least and largest are those of the successful runs, and the place named has them."""
    name, values = metric["name"], file[metric["name"]][()].astype(float)
    runs = ok.size
    values = values.reshape(runs, -1)
    good = values[ok.ravel()]
    expect(metric["numbers"] == np.isfinite(good).sum(), f"{name}: {metric['numbers']} numbers")
    if metric["numbers"] == 0:
        return
    for end, value in (("least", np.nanmin(good)), ("largest", np.nanmax(good))):
        point = metric[end]
        expect(point["value"] == value, f"{name}: {end} {point['value']}, want {value}")
        row = values[point["run"]]
        if "signal" in point:
            dimension = file[name].dims[file[name].ndim - 1][0]
            signals = names(dimension) if dimension.dtype.kind == "O" else list(dimension[()])
            row = row[[signals.index(point["signal"])]]
        expect(value in row, f"{name}: {end} is not at run {point['run']}")


def check_fit(file, fit):
    orders = file[fit["metric"] + "_order"][()].ravel()
    told = np.array([np.nan if o["order"] is None else o["order"] for o in fit["orders"]])
    expect(np.array_equal(told, orders, equal_nan=True), f"{fit['metric']}: orders differ from the file's")
    for order in fit["orders"]:
        if isinstance(order["expected"], (int, float)) and order["order"] is not None:
            near = abs(order["order"] - order["expected"]) <= 0.15
            expect(order["verdict"] == ("agrees" if near else "deviates"), f"{fit['metric']}: {order}")
    verdicts = [o["verdict"] for o in fit["orders"]]
    expect(fit["agree"] == verdicts.count("agrees") and fit["deviate"] == verdicts.count("deviates"), "counts")


def check_ranked(file, told, ok):
    values = np.abs(file[told["metric"]][()]).reshape(ok.size, -1).max(axis=1)
    values = np.sort(values[ok.ravel() & np.isfinite(values)])
    best, worst = [r["value"] for r in told["best"]], [r["value"] for r in told["worst"]]
    # Ties, equal but for rounding, are in the order of the runs.
    expect(np.allclose(best, values[: len(best)], rtol=2e-9, atol=0), f"best: {best}")
    expect(np.allclose(worst, values[::-1][: len(worst)], rtol=2e-9, atol=0), f"worst: {worst}")
    tied = np.sum(np.isclose(values, values[0], rtol=1e-9, atol=0)) if values.size else 0
    expect(told["tied"] == tied, f"{told['tied']} ties, not {tied}")


def check_result(file, told):
    ok = file["status"][()] == 0
    expect(told["kind"] == "result" and told["runs"] == ok.size and told["succeeded"] == ok.sum(), "runs")
    axes = [a["name"] for a in told["axes"]]
    expect(axes == [d[0].name.strip("/") for d in file["status"].dims], f"axes: {axes}")
    for metric in told["metrics"]:
        check_metric(file, metric, ok)
    for fit in told["fits"]:
        check_fit(file, fit)
    expect(sum(f["count"] for f in told["failures"]) == (~ok).sum(), "failures")
    if "ranked_by" in told:
        check_ranked(file, told["ranked_by"], ok)
    return len(told["metrics"]) > 0


def check_trace(file, told):
    taken = file["accepted"][()] == 1
    given_up = file["found"][()][1:].sum() if "found" in file else 0
    expect(told["taken"] == taken[1:].sum() and told["given_up"] == given_up and
           told["rejected"] == (~taken[1:]).sum() - given_up, "steps")
    sizes = file["H"][()][1:][taken[1:]]
    expect(told["step_min"] == sizes.min() and told["step_max"] == sizes.max(), "range of H")
    expect(told["t_last"] == file["t"][()][taken][-1], "end")
    for course in told["courses"]:
        values = file[course["name"]][()]
        if values.ndim == 2:
            values = values[:, names(file[course["name"]].dims[1][0]).index(course["signal"])]
        values = values[taken]
        expect(course["end"] == values[-1], f"{course['name']}: end {course['end']}, want {values[-1]}")
        expect(course["largest"] == np.nanmax(np.abs(values)), f"{course['name']}: largest {course['largest']}")
    return len(told["courses"]) > 0


program, path = sys.argv[1:]
check_text(info())
digest = json.loads(info("--json"))
with h5py.File(path, "r") as result:
    seen = check_trace(result, digest) if digest["kind"] == "trace" else check_result(result, digest)
expect(seen, "nothing was told")
finish()
