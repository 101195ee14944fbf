"""The two-mass study: cosweep compared with hand-written C, numpy, JAX, diffrax and clODE."""

import os
from pathlib import Path

import numpy as np

import cosweep as program
import sampling

HERE = Path(__file__).resolve().parent
CASE = "two_mass_order1"
TOLERANCE = program.TOLERANCE
AT_LEAST = 0.1  # s: below, plain coordinates lose the digits of the output error by subtraction


class Study:
    def __init__(self, cosweep, rivals, unbuilt, python, runs, smallest, limit):
        """`rivals`: folder of the C programs; `unbuilt`: why there are none, or None."""
        self.cosweep, self.rivals, self.unbuilt, self.python, self.limit = cosweep, rivals, unbuilt, python, limit
        self.scratch = cosweep.scratch
        self.size = ["--runs", runs, "--smallest", smallest]
        self.settings = {"axes.0.logspace.2": runs, "axes.0.logspace.0": smallest}
        self.step_size = smallest ** (1 - np.arange(runs) / (runs - 1))
        self.environment = {**os.environ, "POCL_CACHE_DIR": str(self.scratch / "pocl"), "LC_ALL": "C"}
        (self.scratch / "pocl").mkdir()
        self.peak = None  # GFLOP/s per core

    def compiled(self, program, *words):
        def sample():
            if self.unbuilt:
                raise sampling.Failure(self.unbuilt)
            return sampling.call([self.rivals / program, *words], self.environment, self.limit)

        return sample

    def rival(self, name, command):
        values = self.scratch / f"{name}.csv"
        return lambda: sampling.call([*command, *self.size, "--values", values], self.environment, self.limit)

    def own(self, engine, **method):
        settings = {**self.settings, "method.engine": engine,
                    **{f"method.{key}": value for key, value in method.items()}}
        return self.cosweep.sample(HERE / f"{CASE}.json", settings, self.scratch / f"{engine}.h5")

    def variants(self):
        numpy_python, made = self.python["numpy"], self.python["venv"]
        yield "FMA peak", self.compiled("fma_peak")
        for kind in ("scalar", "vector"):
            values = self.scratch / f"{kind} C.csv"
            yield f"{kind} C", self.compiled(f"two_mass_{kind}", *self.size, "--values", values)
        yield "numpy", self.rival("numpy", [numpy_python, HERE / "rival_numpy.py"])
        for name in ("JAX", "diffrax", "clODE"):
            yield name, self.rival(name, [made, HERE / f"rival_{name.lower()}.py"])
        for engine in ("step", "double", "auto"):
            yield f"cosweep, engine {engine}", self.own(engine)

    def check(self, name, missing):
        """Compares a rival's results with cosweep's; gives a line."""
        values = np.loadtxt(self.scratch / f"{name}.csv", delimiter=",", skiprows=1).T
        own = program.results(self.scratch / ("heun.h5" if name == "diffrax" else "step.h5"))
        return self.compared(name, values[2:], own, missing)

    def compared(self, name, values, own, missing):
        apart = program.apart(values, own)
        large = self.step_size >= AT_LEAST * (1 - 1e-9)
        line = {"case": "agreement", "implementation": name, "study": CASE, "tolerance": TOLERANCE,
                "step_size_at_least": AT_LEAST, "largest_difference": float(np.max(apart[large])),
                "largest_difference_of_all": float(np.max(apart)), "runs_compared": int(np.sum(large))}
        if not line["largest_difference"] <= TOLERANCE:
            missing[name] = f"results differ by {line['largest_difference']:.1e} from those of cosweep"
        return line

    def check_all(self, samples, missing):
        """Before anything is reported: lines of agreement; who disagrees is reported as missing."""
        if "cosweep, engine step" not in samples:
            return
        if "diffrax" in samples:  # Heun's method, two steps per macro step: cosweep has it too
            heun = {**self.settings, "method.engine": "step", "method.solver": "heun", "method.micro_steps": 2}
            self.cosweep.run(HERE / f"{CASE}.json", heun, self.scratch / "heun.h5")
        for name in ("scalar C", "vector C", "numpy", "JAX", "diffrax"):
            if name in samples:
                sampling.emit(self.check(name, missing))
        own = program.results(self.scratch / "step.h5")
        for engine in ("double", "auto"):
            name = f"cosweep, engine {engine}"
            if name in samples:
                sampling.emit(self.compared(name, program.results(self.scratch / f"{engine}.h5"), own, missing))

    def figures(self, name, line):
        """Adds rates and the share of the peak."""
        own = name.startswith("cosweep")
        kernel = self.cosweep.kernel_core_seconds(line) if own else line["core_seconds"]
        if name == "cosweep, engine step":
            line["step_operations"] = program.step_operations(self.scratch / "step.h5")
        operations = line.get("step_operations")
        line["kernel_core_seconds"] = kernel
        line["lane_steps_per_core_second"] = line["steps"] / line["process_core_seconds"]
        line["lane_steps_per_core_second_kernel"] = line["steps"] / kernel if kernel else None
        if own:
            line["lane_steps_per_device_second"] = line["steps"] / line["device_seconds"]
        rate = 1e-9 * line["steps"] * operations / kernel if operations and kernel else None
        line["gflops_per_core"] = rate
        line["fma_share"] = rate / self.peak if rate and self.peak else None
        return {"case": CASE, "implementation": name, **line}

    def run(self, repeats):
        """Prints the lines; gives the number of rivals that disagree."""
        samples, missing = sampling.interleave(
            dict(self.variants()), repeats, lambda number: sampling.progress(f"{CASE}: round {number} of {repeats}"))
        absent = len(missing)
        self.check_all(samples, missing)
        for name, taken in samples.items():
            line = sampling.median(taken)
            if name == "FMA peak":
                self.peak = line["gflops_per_core"]
                sampling.emit(line)
            elif name not in missing:
                sampling.emit(self.figures(name, line))
        for name, reason in missing.items():
            case = "fma_peak" if name == "FMA peak" else CASE
            sampling.emit({"case": case, "implementation": name, "missing": reason})
        return len(missing) - absent
