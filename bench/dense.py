"""Frames cut in two, from 32 to 256 states, beside dense matrices in numpy and scipy: what grows with the model must not
jump where other kernels take over."""

import copy
import json
import os
import subprocess

import h5py
import numpy as np

import cosweep as program
import frame
import sampling

CASE = "dense"
DENSE, OWN = "numpy and scipy", "cosweep"
MASSES = (16, 18, 20, 22, 24, 32, 64, 128)
SIZES = [round(size, 6) for size in np.geomspace(1e-3, 2e-2, 20)]
FIXED, VARIABLE = 1000, 10000  # steps of SIZES[0]
FORCED = {"control": "pi_defect", "initial": SIZES[0], "min": SIZES[0], "max": SIZES[0], "tolerance": 1e9}


class Dense:
    def __init__(self, cosweep, pythons, quick, limit):
        """`pythons`: the first that has scipy computes the yardstick."""
        self.cosweep, self.limit = copy.copy(cosweep), limit
        self.cosweep.device = ["--device", "host"]
        self.masses = MASSES[::3] if quick else MASSES
        self.environment = {**os.environ, "LC_ALL": "C", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.python = next((python for python in pythons if self.has_scipy(python)), None)

    def has_scipy(self, python):
        try:
            return not subprocess.run([python, "-c", "import scipy.linalg"], stderr=subprocess.DEVNULL).returncode
        except OSError:
            return False

    def sweep(self, masses, what, steps):
        model = self.cosweep.scratch / f"frame{masses}.json"
        model.write_text(json.dumps(frame.model(masses // 2)))
        path = self.cosweep.scratch / f"{CASE}_{what}.json"
        path.write_text(json.dumps({
            "format": "cosweep-sweep/1", "name": CASE, "model": str(model),
            "method": {"hold": "lagrange", "order": 0, "step": FORCED if steps == VARIABLE else {"size": SIZES[0]}},
            **({"t_end": steps * SIZES[0], "axes": [], "metrics": ["output_error_final"]} if steps else
               {"study": "stability", "metrics": ["spectral_radius"],
                "axes": [{"name": "H", "path": "method.step.size", "values": SIZES}]})}))
        return path

    def dense(self, masses, steps):
        def sample():
            if self.python is None:
                raise sampling.Failure("no Python with numpy and scipy")
            return sampling.call([self.python, program.MODELS.parent / "bench" / "rival_dense.py", masses // 2, "--steps",
                                  steps, "--values", self.cosweep.scratch / "dense.values", "--sizes", *SIZES],
                                 self.environment, self.limit)

        return sample

    def difference(self, steps):
        """The largest one from the results of dense matrices, whose outputs are of the order of 1."""
        with h5py.File(self.cosweep.scratch / "dense.h5") as file:
            own = file["output_error_final" if steps else "spectral_radius"][...].ravel()
        return float(np.max(np.abs(own - np.fromfile(self.cosweep.scratch / "dense.values"))))

    def point(self, masses, what, steps, repeats):
        """Prints the lines of one model and study; gives whether the results disagree."""
        known = {"case": CASE, "what": what, "masses": masses, "states": 2 * masses}
        output = self.cosweep.scratch / "dense.h5"
        variants = {OWN: self.cosweep.sample(self.sweep(masses, what, steps), {}, output),
                    DENSE: self.dense(masses, steps)}
        samples, missing = sampling.interleave(
            variants, repeats, lambda number: sampling.progress(f"{CASE}: {masses} masses, {what}, round {number}"))
        for name, reason in missing.items():
            sampling.emit({**known, "implementation": name, "missing": reason})
        apart = self.difference(steps) if not missing else 0.0
        for name, taken in samples.items():
            sampling.emit({**known, "implementation": name, **sampling.median(taken), **known, "largest_difference": apart})
        return not apart <= program.TOLERANCE

    def run(self, repeats):
        """Prints the lines; gives the number of points that disagree."""
        return sum(self.point(masses, what, steps, repeats) for masses in self.masses
                   for what, steps in (("stability", 0), ("fixed steps", FIXED), ("variable steps", VARIABLE)))
