"""What checks beside tables of other programs share, called as SCRIPT COSWEEP MODELS DATA OUTPUT.

DATA has the tables, and models that are not in MODELS; OUTPUT gets all that is written. Exits 77 where h5py is missing.
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

from checking import expect

try:
    import h5py
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, models, data, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4])
output.mkdir(parents=True, exist_ok=True)


def path_of(model):
    """A model beside the tables, or a shipped one, or one beside the tables of tools."""
    places = (data / f"{model}.json", models / model / "model.json", data.parent / "tools" / f"{model}.json")
    return next(path for path in places if path.exists()).resolve()


def rows(name):
    """Those of a table, without comments."""
    with open(data / name, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def names(file, kind):
    """The labels of a dimension."""
    return [name.decode() if isinstance(name, bytes) else name for name in file[kind][...]]


def written(name, content):
    """The path of a model or sweep."""
    path = output / f"{name}.json"
    path.write_text(json.dumps(content))
    return path


def written_sweep(name, members):
    return written(name, {"format": "cosweep-sweep/1", "name": name, **members})


def computed(command, path):
    """The open result of a command, "run" or "trace", with a sweep file."""
    result = path.with_suffix(".h5")
    done = subprocess.run([program, command, str(path), "-o", str(result), "--force", "--quiet"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 0, f"{path.stem}: {done.stderr}")
    return h5py.File(result)
