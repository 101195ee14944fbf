#!/usr/bin/python3
"""sweeps/dejaco_masses.json beside a table of an independent program, for more macro steps: events and errors; and that
nothing interrupts its steps but events of the paper.

usage: check_dejaco.py COSWEEP SOURCE OUTPUT

tests/data/dejaco_masses.csv has a row per reset and macro step T: numbers of events and of late ones, RMS errors of both
positions, m, and the events, "co" collision and "ce" ceiling, with their times, s.

Exits 0, or 1 with lines per fault on stderr. Exits 77 where a library is missing.
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

from checking import expect, finish

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, source, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
output.mkdir(parents=True, exist_ok=True)
shipped = source / "sweeps" / "dejaco_masses.json"


def run(*arguments):
    subprocess.run([program, *map(str, arguments), "--force", "--quiet"], check=True, stdout=subprocess.DEVNULL)


def compare(rows):
    """Every row and the run of the shipped sweep's settings with its macro step."""
    sweep = json.loads(shipped.read_text())
    sweep["model"] = str((shipped.parent / sweep["model"]).resolve())
    resets, steps = sweep["axes"][0]["values"], sorted({float(row["T"]) for row in rows})
    sweep["axes"][1]["values"] = steps
    sweep["metrics"] = ["events", "late_events", "event_time", "event_kind", "state_error"]
    path = output / "dejaco_masses.json"
    path.write_text(json.dumps(sweep))
    run("run", path, "-o", path.with_suffix(".h5"))
    with h5py.File(path.with_suffix(".h5")) as file:
        names, states = [[word.decode() for word in file[over][...]] for over in ("event", "state")]
        values = {key: file[key][...] for key in sweep["metrics"]}
    for row in rows:
        place = f"{row['reset']}, T = {row['T']}"
        at = resets.index(row["reset"]), steps.index(float(row["T"]))
        want = [one.split("@") for one in row["list"].split()]
        found = [(names[kind][:2], time) for kind, time in zip(values["event_kind"][at], values["event_time"][at])
                 if kind >= 0]
        expect([kind for kind, _ in found] == [kind for kind, _ in want], f"{place}: events {found}, not {want}")
        expect(all(abs(time - float(wanted)) < 1e-9 for (_, time), (_, wanted) in zip(found, want)),
               f"{place}: times {found}, not {want}")
        for key, metric in (("events", "events"), ("late", "late_events")):
            expect(values[metric][at].sum() == int(row[key]), f"{place}: {values[metric][at]} {metric}, not {row[key]}")
        for key, state in (("rms_upper_x", "upper.x"), ("rms_lower_x", "lower.x")):
            error = values["state_error"][at][states.index(state)]
            expect(np.isclose(error, float(row[key]), rtol=1e-9, atol=0), f"{place}: {key} is {error!r}, not {row[key]}")


def look_for_time_events():
    """In traces of all runs that the sweep has."""
    for number in range(4):
        trace = output / f"dejaco_masses_{number}.h5"
        run("trace", shipped, "--run", number, "-o", trace)
        with h5py.File(trace) as file:
            group = file["events"]
            expect(len(group["time"]) >= 10 and not np.any(group["timed"][...]),
                   f"run {number}: {np.sum(group['timed'][...])} time events of {len(group['time'])}")


with open(source / "tests" / "data" / "dejaco_masses.csv", newline="") as file:
    table = list(csv.DictReader(file))
expect(len(table) == 22, f"{len(table)} rows")
compare(table)
look_for_time_events()
finish()
