"""What results contain, for checks that two of them are the same, and sweeps that such checks can compute again and
again. Exits 77 where h5py is missing."""

import json
import sys

try:
    import h5py
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)


def contents(path):
    """All bytes of the datasets of a result, but of its provenance the kernels and the plan alone."""
    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and not name.startswith("provenance"):
            found[name] = repr(item[...].tolist()) if item.dtype.kind == "O" else item[...].tobytes()

    with h5py.File(path) as file:
        file.visititems(visit)
        found["kernel"] = repr(file["provenance/kernel"][...].tolist())
        found["plan"] = repr(file["provenance/plan"][...])
    return found


def thinned(path, counts, folder):
    """A copy of a sweep in `folder` with so many points on some of its axes, {name: count}."""
    sweep = json.loads(path.read_text())
    sweep["model"] = str((path.parent / sweep["model"]).resolve())
    for axis in sweep["axes"]:
        for spacing in ("linspace", "logspace"):
            if axis["name"] in counts and spacing in axis:
                axis[spacing][2] = counts[axis["name"]]
    copy = folder / path.name
    copy.write_text(json.dumps(sweep))
    return copy
