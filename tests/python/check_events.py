#!/usr/bin/python3
"""Compares runs with state events with tables of an independent simulator: extended precision, plain coordinates.

usage: check_events.py COSWEEP FOLDER OUTPUT [NAME...]

FOLDER has NAME.json, a sweep, and NAME.csv, a row per run: axes, status, steps, counts, errors, the first events of both
solutions and their times; noise_t and noise_x say how far double precision came out from it (event times in s, final
states). The same events in the same order, times within max(1e-12, 100 noise_t), errors within 1e-8 of themselves and
the same. Errors of signals that jump (by at most JUMP) are O(sqrt of the time between the events of a pair), so that
the tolerance of these times is one of theirs. Rows with noise_t of 1e-6 or more have the status in common only.

Exits 0, or 1 with lines per fault on stderr. Exits 77 where a library is missing.
"""

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

JUMP = 20
COUNTS = ["events", "exact_events", "late_events", "missed_events", "spurious_events"]
TIMES = ["event_time_error", "event_time_error_max", "event_time_error_first"]
LISTS = ["event_time", "exact_event_time"]
KINDS = ["event_kind", "exact_event_kind"]
ERRORS = [f"{kind}_error{part}" for kind in ("state", "input", "output") for part in ("", "_final", "_between")]
ALONE = ["time_between", "first_divergence"]
METRICS = ["steps", "rollbacks", "t_final", *COUNTS, *TIMES, *LISTS, *KINDS, *ERRORS, *ALONE]

program, folder, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
names = sys.argv[4:] or sorted(file.stem for file in folder.glob("*.csv"))
faults = 0


def fault(place, what):
    global faults
    faults += 1
    if faults <= 20:
        print(f"{place}: {what}", file=sys.stderr)


def run(name):
    """The result of a sweep, with all metrics of the table."""
    sweep = json.loads((folder / f"{name}.json").read_text())
    sweep["model"] = str((folder / sweep["model"]).resolve())
    changes = "predicted" in json.dumps(sweep) # only then the metric exists
    sweep["metrics"] = METRICS + (["sequence_changes"] if changes else [])
    output.mkdir(parents=True, exist_ok=True)
    (output / f"{name}.json").write_text(json.dumps(sweep))
    result = output / f"{name}.h5"
    command = [program, "run", str(output / f"{name}.json"), "-o", str(result), "--force", "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return h5py.File(result)


class Row:
    """A row of the table and the run beside it."""

    def __init__(self, place, row, at, t_end):
        self.place, self.row, self.at = place, row, at
        noise, states = float(row.get("noise_t", 0)), float(row.get("noise_x", 0))
        self.same = noise < 1e-6
        self.time = max(1e-12, 100 * noise)
        self.size = max(1e-12, 100 * noise, 100 * states)
        self.t_end = t_end

    def near(self, key, found, want, allowed):
        if math.isnan(found) != math.isnan(want) or abs(found - want) > allowed:
            fault(self.place, f"{key} is {found!r}, not {want!r}")

    def equal(self, key, found):
        if int(found) != int(self.row[key]):
            fault(self.place, f"{key} is {int(found)}, not {self.row[key]}")

    def check_error(self, key, found):
        want = float(self.row[key])
        jumps = JUMP**2 * self.time * 16 / (2 * self.t_end * abs(want)) if want != 0 else 0
        self.near(key, found, want, 1e-8 * abs(want) + self.size + min(jumps, 1e-4 * abs(want)))


def check(name):
    """Compares all rows of a table. Returns how many were compared in full."""
    result, compared = run(name), 0
    with open(folder / f"{name}.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    labels = {over: [str(v.decode() if isinstance(v, bytes) else v) for v in result[over][...]]
              for over in ("state", "input", "output", "event") if over in result}
    arrays = {key: result[key][...] for key in [*METRICS, "status", "sequence_changes"] if key in result}
    shape = arrays["status"].shape
    t_end = json.loads((folder / f"{name}.json").read_text())["t_end"]
    for number, row in enumerate(rows):
        index = np.unravel_index(int(row["run"]), shape)
        one = Row(f"{name} run {row['run']}", row, index, t_end)
        one.equal("status", arrays["status"][index])
        if not one.same or int(row["status"]) != 0:
            continue
        compared += 1
        for key in row:
            metric, _, signal = key.rstrip("]").partition("[")
            if key in arrays and key in ("steps", "rollbacks", "sequence_changes"):
                one.equal(key, arrays[key][index])
            elif key == "t_final":
                one.near(key, float(arrays[key][index]), float(row[key]), one.time)
            elif key in ALONE:
                want = float(row[key])
                one.near(key, float(arrays[key][index]), want, 32 * one.time * max(1, 0 if math.isnan(want) else want))
            elif metric in LISTS and int(signal) < arrays[metric].shape[-1]:
                want = float(row[key])
                one.near(key, float(arrays[metric][index][int(signal)]), want,
                         one.time * max(1, 0 if math.isnan(want) else want))
            elif metric in KINDS and int(signal) < arrays[metric].shape[-1]:
                want = labels["event"].index(row[key]) if row[key] else -1
                one.near(key, int(arrays[metric][index][int(signal)]), want, 0)
            elif metric in COUNTS:
                one.equal(key, arrays[metric][index][labels["event"].index(signal)])
            elif metric in TIMES:
                want = float(row[key])
                one.near(key, float(arrays[metric][index][labels["event"].index(signal)]), want,
                         one.time + (0 if math.isnan(want) else 1e-8 * want))
            elif metric in ERRORS:
                over = metric.partition("_")[0]
                one.check_error(key, float(arrays[metric][index][labels[over].index(signal)]))
    print(f"{name}: {len(rows)} runs, {compared} compared in full")
    return compared


def check_trace(name, at):
    """A trace of one run ends with the errors of that run, to the bit, and lists its events."""
    trace = output / "trace.h5"
    command = [program, "trace", str(output / f"{name}.json"), "-o", str(trace), "--force", "--quiet"]
    subprocess.run(command + [f"--at={text}" for text in at], check=True, stdout=subprocess.DEVNULL)
    with h5py.File(output / f"{name}.h5") as result, h5py.File(trace) as rows:
        run = np.unravel_index(int(rows["provenance"].attrs["run"]) if "run" in rows["provenance"].attrs
                               else int(rows["provenance/run"][()]), result["status"].shape)
        for kind in ("state", "input", "output"):
            if not np.array_equal(np.abs(rows[f"{kind}_error"][-1]), result[f"{kind}_error_final"][run]):
                fault(f"trace of {name}", f"{kind} errors at the end are not those of the run")
        times = result["event_time"][run]
        times = times[np.isfinite(times)]
        happened = rows["t"][...][rows["event"][...] == 1]
        for time in times:
            if not np.any(np.abs(happened - time) <= 1e-13 * max(1, time)):
                fault(f"trace of {name}", f"nothing happens at {time!r}")
        given_up = int(np.sum(rows["accepted"][...] == 0))
        if given_up == 0 or given_up != int(np.sum(np.isnan(rows["state_error"][:, 0]))):
            fault(f"trace of {name}", f"{given_up} tries were given up")


def check_occurrences(name, number):
    """The group /events of a trace has the events of the run, in the order of time, with the partners that were counted."""
    trace = output / "trace.h5"
    command = [program, "trace", str(output / f"{name}.json"), "-o", str(trace), "--force", "--quiet", "--run", str(number)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with h5py.File(output / f"{name}.h5") as result, h5py.File(trace) as rows:
        run = np.unravel_index(number, result["status"].shape)
        group, labels = rows["events"], [text.decode() for text in result["event"][...]]
        names = [text.decode() for text in group["event_name"][...]]
        kind = np.array([labels.index(name) if name in labels else -1 for name in names])
        exact, time, partner = group["solution"][...] == 1, group["time"][...], group["partner"][...]
        place = f"events of run {number} of {name}"
        if np.any(np.diff(time) < 0) or np.any(exact[1:] & ~exact[:-1] & (np.diff(time) == 0)):
            fault(place, "not in the order of time")
        for side, times, kinds in ((~exact, "event_time", "event_kind"), (exact, "exact_event_time", "exact_event_kind")):
            of_side = side & (kind >= 0)
            many = min(np.sum(of_side), result[times].shape[-1])
            if not np.array_equal(time[of_side][:many], result[times][run][:many]):
                fault(place, f"{times} {time[of_side][:many]}, not {result[times][run][:many]}")
            if not np.array_equal(kind[of_side][:many], result[kinds][run][:many]):
                fault(place, f"{kinds} {kind[of_side][:many]}, not {result[kinds][run][:many]}")
        for i in range(len(labels)):
            pairs = (kind == i) & ~exact & (partner >= 0)
            apart = time[pairs] - time[partner[pairs]]
            rms = np.sqrt(np.mean(apart**2)) if np.any(pairs) else math.nan
            if not np.isclose(rms, result["event_time_error"][run][i], rtol=1e-9, atol=1e-15, equal_nan=True):
                fault(place, f"{labels[i]}: times of partners are {rms!r} apart, not {result['event_time_error'][run][i]!r}")
            if np.sum((kind == i) & (group["late"][...] == 1)) != result["late_events"][run][i]:
                fault(place, f"{labels[i]}: late {group['late'][...]}")
            if not np.array_equal(partner[partner[pairs]], np.flatnonzero(pairs)):
                fault(place, f"{labels[i]}: partners are not mutual")
        ends = {t: after for t, after, good in zip(rows["t"][...], rows["x_after"][...], rows["accepted"][...]) if good}
        last = {t: after for t, after in zip(time[~exact], group["x_after"][...][~exact])}
        for t, after in last.items():
            if not np.allclose(after, ends[t], rtol=1e-13, atol=1e-13):
                fault(place, f"states after the events at {t!r} are {ends[t]}, not {after}")
    rows = subprocess.run([program, "export", str(trace), "--group", "events", "--metric", "event_name", "-o", "-"],
                          check=True, capture_output=True, text=True).stdout.split()
    if rows[1:] != [f"{i},{name}" for i, name in enumerate(names)]:
        fault(place, f"exported as {rows[:3]}")
    return len(time)


total = sum(check(name) for name in names)
if "push" in names:
    check_trace("push", ["master=jacobi", "hold=taylor", "order=2", "H=0.07"])
happened = sum(check_occurrences(name, number) for name, number in (
    ("push", 5), ("walls", 20), ("walls", 2), ("published", 7), ("published", 100), ("random_00", 3), ("random_06", 8),
    ("stick_slip", 4), ("woodpecker", 1), ("led", 11)) if name in names)
print(f"{happened} events in traces")
print(f"{total} runs compared, {faults} faults")
sys.exit(1 if faults or total == 0 else 0)
