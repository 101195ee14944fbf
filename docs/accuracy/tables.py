"""Runs of up to 10^8 macro steps beside values of 140 digits (tests/data/long_runs.csv).

usage: tables.py PROGRAM TABLE.csv MODELS [MODEL...]     MODELS: the folder of the models; default is every model

Prints for each model the number of values, the smallest of them and the largest relative deviation of RMS values; of
errors at the end of the run, which may have decayed to nothing, the largest deviation over the largest error of the
run. The model's own runs that decay are the test of what rounding leaves."""

import csv
import json
import os
import subprocess
import sys
import tempfile

import xarray as xr

KEYS = {"hold": "method.hold", "order": "method.order", "feedthrough": "method.feedthrough", "start": "method.start"}


def compare(program, rows, model, path, folder):
    """Lines of one model of the table."""
    settings = sorted({tuple(row[key] for key in KEYS) for row in rows})
    sizes = sorted({row["H"] for row in rows}, key=float)
    sweep = {"format": "cosweep-sweep/1", "name": model, "model": path, "t_end": float(rows[0]["t_end"]),
             "axes": [{"name": "setting", "zip": {
                 KEYS[key]: [int(value[i]) if key == "order" else value[i] for value in settings]
                 for i, key in enumerate(KEYS)}},
                      {"name": "H", "path": "method.step.size", "values": [float(size) for size in sizes]}],
             "metrics": sorted({row["metric"] for row in rows})}
    with open(os.path.join(folder, "sweep.json"), "w", encoding="utf-8") as file:
        json.dump(sweep, file)
    result = os.path.join(folder, model + ".h5")
    subprocess.run([program, "run", "sweep.json", "-q", "-o", result], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    worst, smallest, final, count = 0.0, 1.0, 0.0, 0
    with xr.open_dataset(result) as data:
        for row in rows:
            at = {"setting": settings.index(tuple(row[key] for key in KEYS)), "H": sizes.index(row["H"])}
            array = data[row["metric"]]
            ours, theirs = float(array.isel(at).sel({array.dims[-1]: row["signal"]})), float(row["value"])
            if row["metric"].endswith("_final"):
                final = max(final, abs(ours - theirs) / max(float(row["scale"]), abs(theirs)))
            elif theirs > 0:
                worst = max(worst, abs(ours / theirs - 1))
                smallest = min(smallest, theirs)
            count += 1
    print(f"{model:20} {count:6} values, smallest {smallest:.1e}, RMS {worst:.0e}, at the end {final:.0e}")


def main():
    program, table, models = (os.path.abspath(word) for word in sys.argv[1:4])
    with open(table, encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    with tempfile.TemporaryDirectory() as folder:
        for model in sys.argv[4:] or sorted({row["model"] for row in rows}):
            compare(program, [row for row in rows if row["model"] == model], model,
                    os.path.join(models, model, "model.json"), folder)


if __name__ == "__main__":
    main()
