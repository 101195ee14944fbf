"""Variable steps: cosweep compared with hand-written C on the two-mass study with control pi_defect."""

import os
import random

import h5py
import numpy as np

import cosweep as program
import sampling

CASE = "two_mass_vary"
SCALAR, OWN, IDLE = "scalar C", "cosweep", "cosweep, next to no steps"
TOLERANCE = program.TOLERANCE
METHOD = {"step": {"control": "pi_defect", "initial": 1e-3, "tolerance": 1e-3}}


class Vary:
    def __init__(self, cosweep, rivals, unbuilt, runs, limit):
        """`rivals`: folder of the C programs; `unbuilt`: why there are none, or None."""
        self.cosweep, self.rivals, self.unbuilt, self.limit = cosweep, rivals, unbuilt, limit
        draw = random.Random(7)
        tolerances = [10 ** (-7 + 6 * draw.random()) for _ in range(runs)]
        self.list = cosweep.scratch / "tolerances.txt"
        self.list.write_text("".join(f"{tolerance!r}\n" for tolerance in tolerances))
        self.sweep = cosweep.sweep("vary", program.MODELS / "two_mass_oscillator" / "model.json", 100, METHOD,
                                   [("tolerance", "method.step.tolerance", {"values": tolerances})],
                                   [*program.METRICS, "steps"])
        self.values, self.result = cosweep.scratch / "vary.csv", cosweep.scratch / "vary.h5"
        self.environment = {**os.environ, "LC_ALL": "C"}

    def rival(self):
        if self.unbuilt:
            raise sampling.Failure(self.unbuilt)
        return sampling.call([self.rivals / "two_mass_vary", "--tolerances", self.list, "--values", self.values],
                             self.environment, self.limit)

    def variants(self):
        return {SCALAR: self.rival, OWN: self.cosweep.sample(self.sweep, {}, self.result),
                IDLE: self.cosweep.sample(self.sweep, {"t_end": 1e-3})}

    def compare(self, missing):
        """Gives a line of agreement. Steps may differ in a few runs, where rounding moves a run's last step."""
        values = np.loadtxt(self.values, delimiter=",", skiprows=1).T
        with h5py.File(self.result) as file:
            steps = file["steps"][...]
        same = values[1] == steps
        apart = program.apart(values[2:], program.results(self.result))
        line = {"case": "agreement", "implementation": SCALAR, "study": CASE, "tolerance": TOLERANCE,
                "largest_difference": float(np.max(apart[same], initial=0.0)), "runs_compared": int(np.sum(same)),
                "largest_difference_of_steps": float(np.max(np.abs(values[1] / steps - 1)))}
        if not (line["largest_difference"] <= TOLERANCE and line["largest_difference_of_steps"] <= 0.005
                and 2 * np.sum(same) > len(same)):
            missing[SCALAR] = (f"results differ by {line['largest_difference']:.1e} from those of cosweep, numbers of "
                               f"steps by {line['largest_difference_of_steps']:.1e}")
        return line

    def kernel_core_seconds(self, lines):
        """Processor time of the process less that of the same sweep that ends after its first step; None on a device
        with cores of its own. Other programs on the machine do not count, as they would in wall clocks."""
        if IDLE not in lines or self.cosweep.types.get(lines[OWN]["device"]) != "cpu":
            return None
        return lines[OWN]["process_core_seconds"] - lines[IDLE]["process_core_seconds"]

    def figures(self, name, lines):
        line = lines[name]
        kernel = self.kernel_core_seconds(lines) if name == OWN else line["core_seconds"]
        if name == OWN:
            with h5py.File(self.result) as file:
                line["occupancy"] = float(file["provenance/occupancy"][()])
        line["kernel_core_seconds"] = kernel
        line["lane_steps_per_core_second"] = line["steps"] / line["process_core_seconds"]
        line["lane_steps_per_core_second_kernel"] = line["steps"] / kernel if kernel else None
        return {"case": CASE, "implementation": name, **line}

    def run(self, repeats):
        """Prints the lines; gives the number of rivals that disagree."""
        samples, missing = sampling.interleave(
            self.variants(), repeats, lambda number: sampling.progress(f"{CASE}: round {number} of {repeats}"))
        absent = len(missing)
        if SCALAR in samples and OWN in samples:
            sampling.emit(self.compare(missing))
        lines = {name: sampling.median(taken) for name, taken in samples.items() if name not in missing}
        lines = {name: self.figures(name, lines) for name in (SCALAR, OWN) if name in lines}
        base = lines.get(SCALAR, {}).get("lane_steps_per_core_second_kernel")
        for line in lines.values():
            rate = line["lane_steps_per_core_second_kernel"]
            line["times_scalar"] = rate / base if rate and base else None
            sampling.emit(line)
        for name, reason in missing.items():
            sampling.emit({"case": CASE, "implementation": name, "missing": reason})
        return len(missing) - absent
