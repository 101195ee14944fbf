"""What results contain, for checks that two of them are the same, and sweeps that such checks can compute again and
again. Exits 77 where h5py is missing."""

import functools
import json
import sys

try:
    import h5py
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)


def datasets(path):
    """All bytes of the datasets of a result, but those of its provenance."""
    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and not name.startswith("provenance"):
            found[name] = repr(item[...].tolist()) if item.dtype.kind == "O" else item[...].tobytes()

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def contents(path):
    """The datasets of a result, and the kernels and the plan of its provenance."""
    found = datasets(path)
    with h5py.File(path) as file:
        found["kernel"] = repr(file["provenance/kernel"][...].tolist())
        found["plan"] = repr(file["provenance/plan"][...])
    return found


# Points on axes of shipped sweeps that take long: as many kinds of runs and passes, several windows.
FEWER = {"stability_two_mass": {"dk": 41, "H": 50}, "kyllingstad_controllers": {"kp": 5}}


@functools.cache
def thinned(path, folder):
    """A shipped sweep, or where it takes long a copy of it in `folder` with fewer points."""
    counts = FEWER.get(path.stem)
    if counts is None:
        return path
    sweep = json.loads(path.read_text())
    sweep["model"] = str((path.parent / sweep["model"]).resolve())
    for axis in sweep["axes"]:
        for spacing in ("linspace", "logspace"):
            if axis["name"] in counts and spacing in axis:
                axis[spacing][2] = counts[axis["name"]]
    copy = folder / path.name
    copy.write_text(json.dumps(sweep))
    return copy
