"""The stability map: cosweep compared with a loop over LAPACK in C and with numpy's eigvals of stacked matrices."""

import os
import sys
from pathlib import Path

import h5py
import numpy as np

import cosweep as program
import sampling

HERE = Path(__file__).resolve().parent
CASE = "stability_map"
LAPACK, NUMPY, OWN = "LAPACK in C", "numpy", "cosweep"


class Map:
    def __init__(self, cosweep, rivals, unbuilt, points, limit):
        """`rivals`: folder of the C programs; `unbuilt`: why there are none, or None; `points` along each axis."""
        self.cosweep, self.rivals, self.unbuilt, self.points, self.limit = cosweep, rivals, unbuilt, points, limit
        self.environment = {**os.environ, "LC_ALL": "C", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

    def values(self, name):
        return self.cosweep.scratch / f"{name}.radii"

    def rival(self, name, command):
        def sample():
            if name == LAPACK and self.unbuilt:
                raise sampling.Failure(self.unbuilt)
            return sampling.call([*command, "--points", self.points, "--values", self.values(name)], self.environment,
                                 self.limit)

        return sample

    def variants(self):
        yield LAPACK, self.rival(LAPACK, [self.rivals / "feedthrough_map"])
        yield NUMPY, self.rival(NUMPY, [sys.executable, HERE / "rival_map.py"])
        settings = {f"axes.{axis}.linspace.2": self.points for axis in (0, 1)}
        yield OWN, self.cosweep.sample(HERE / "feedthrough_map.json", settings, self.cosweep.scratch / "map.h5")

    def compare(self, name, own, missing):
        """Gives a line of agreement; a rival of which one radius is off is missing."""
        apart = program.apart(np.fromfile(self.values(name))[np.newaxis], own[np.newaxis])
        line = {"case": "agreement", "implementation": name, "study": CASE, "tolerance": program.TOLERANCE,
                "largest_difference": float(np.max(apart)), "points_compared": len(own)}
        if not line["largest_difference"] <= program.TOLERANCE:
            missing[name] = f"radii differ by {line['largest_difference']:.1e} from those of cosweep"
        return line

    def figures(self, name, line):
        points = self.points ** 2
        kernel = self.cosweep.kernel_core_seconds(line) if name == OWN else line["core_seconds"]
        return {"case": CASE, "implementation": name, **line, "points": points, "kernel_core_seconds": kernel,
                "kernel_microseconds_per_point": 1e6 * kernel / points if kernel else None,
                "process_microseconds_per_point": 1e6 * line["process_core_seconds"] / points}

    def run(self, repeats):
        """Prints the lines; gives the number of rivals that disagree."""
        samples, missing = sampling.interleave(
            dict(self.variants()), repeats, lambda number: sampling.progress(f"{CASE}: round {number} of {repeats}"))
        absent = len(missing)
        if OWN in samples:
            with h5py.File(self.cosweep.scratch / "map.h5") as file:
                own = file["spectral_radius"][...].ravel()
            for name in (LAPACK, NUMPY):
                if name in samples:
                    sampling.emit(self.compare(name, own, missing))
        lines = {name: self.figures(name, sampling.median(taken)) for name, taken in samples.items()
                 if name not in missing}
        for line in lines.values():
            for scope in ("kernel", "process"):
                key = f"{scope}_microseconds_per_point"
                base = lines[LAPACK][key] if LAPACK in lines else None
                line[f"{scope}_times_lapack"] = base / line[key] if base and line[key] else None
            sampling.emit(line)
        for name, reason in missing.items():
            sampling.emit({"case": CASE, "implementation": name, "missing": reason})
        return len(missing) - absent
