"""cosweep as a variant of the benchmark: sweeps, one call, figures of its kernels, results."""

import json
import os
import re
import subprocess
from pathlib import Path

import h5py
import numpy as np

import sampling

TOLERANCE = 1e-9  # relative, of all results
METRICS = ("output_defect", "connection_defect", "output_error")
MODELS = Path(__file__).resolve().parent.parent / "models"


class Cosweep:
    """The program, the device it is to use (kernels are timed on OpenCL's CPU unless another is named), and a scratch
    folder that also holds its compiled kernels."""

    def __init__(self, program, device, scratch, limit):
        self.program, self.scratch, self.limit = Path(program), Path(scratch), limit
        self.named = ["--device", device] if device else []
        self.device = ["--device", device or "cpu"]
        self.environment = {**os.environ, "COSWEEP_CACHE": str(self.scratch / "kernels"), "LC_ALL": "C"}
        self.environment.pop("POCL_CACHE_DIR", None)
        self.cores = len(os.sched_getaffinity(0))
        listed = subprocess.run([self.program, "devices"], capture_output=True, text=True, env=self.environment)
        self.types = dict(re.findall(r"^[* ]+\d+  (.*?) {2,}(\w+) {2,}", listed.stdout, re.MULTILINE))

    def sweep(self, name, model, t_end, method, axes, metrics=METRICS):
        """Writes a sweep file; axes are (name, path, {spacing: ...}). Gives its path."""
        path = self.scratch / f"{name}.json"
        path.write_text(json.dumps({
            "format": "cosweep-sweep/1", "name": name, "model": str(model), "study": "simulation", "t_end": t_end,
            "method": {"hold": "taylor", "order": 1, "feedthrough": "explicit", "error_at": "points",
                       "step": {"control": "fixed", "size": 1}, **method},
            "axes": [{"name": axis, "path": path, **values} for axis, path, values in axes],
            "metrics": list(metrics)}))
        return path

    def run(self, sweep, settings, output):
        """One call; its line with the figures of the kernels."""
        words = [word for path, value in settings.items() for word in ("--set", f"{path}={value}")]
        line = sampling.call([self.program, "run", sweep, "--json", "--quiet", "--force", "-o", output, *words,
                              *self.device], self.environment, self.limit)
        failed = line["runs"] - line.pop("status")["ok"]
        if failed:
            raise sampling.Failure(f"{failed} of {line['runs']} runs failed")
        line.pop("output")
        return line

    def sample(self, sweep, settings, output=None):
        """What sampling.interleave calls."""
        target = output or self.scratch / "result.h5"
        return lambda: self.run(sweep, settings, target)

    def kernel_core_seconds(self, line):
        """Processor time of the kernels: their wall clock on all cores, and never more than the program took; None on
        a device with cores of its own."""
        if self.types.get(line["device"]) != "cpu":
            return None
        return min(line["device_seconds"] * self.cores, line["core_seconds"])


def results(path):
    """Results of every run as [result, run]; of the two-mass model in the order of the rivals' columns."""
    with h5py.File(path) as file:
        return np.concatenate([file[metric][...].T for metric in METRICS])


def apart(values, reference):
    """The largest relative difference of each run, 0 where both are 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.max(np.where(values == reference, 0, np.abs(values / reference - 1)), axis=0)


def same_bytes(path, other):
    with h5py.File(path) as one, h5py.File(other) as two:
        return all(one[metric][...].tobytes() == two[metric][...].tobytes() for metric in METRICS)


def step_operations(path):
    """Floating-point operations of a step as its kernel tells, for results of one variant; else None."""
    with h5py.File(path) as file:
        kernels = file["provenance/kernel"].asstr()[...]
        told = re.search(r"#define STEP_OPERATIONS (\d+)", kernels[0]) if len(kernels) == 1 else None
        return int(told[1]) if told else None
