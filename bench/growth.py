"""Curves over the number of runs, of steps and of states, and where doubling overtakes stepping."""

import json

import numpy as np

import chain
import cosweep as program
import sampling

TWO_MASS = program.MODELS / "two_mass_oscillator" / "model.json"
DAMPING = "parameters.dk", 1, 20
STEP_BUDGET = 4e8  # steps of all runs that stepping may take per call


class Growth:
    def __init__(self, cosweep, repeats, quick, peak):
        """`peak`: GFLOP/s per core, None if it was not measured."""
        self.cosweep, self.repeats, self.quick, self.peak = cosweep, repeats, quick, peak
        self.disagree, self.gone = 0, set()

    def axis(self, path, first, last, runs):
        values = {"linspace": [first, last, runs]} if runs > 1 else {"values": [first]}
        return [("swept", path, values)]

    def point(self, case, sweep, engines, known):
        """Times one sweep with the engines given; gives their lines, and prints those of failures."""
        variants = {engine: self.cosweep.sample(sweep, {"method.engine": engine}, self.result(engine))
                    for engine in engines if (case, engine) not in self.gone}
        samples, missing = sampling.interleave(variants, self.repeats, lambda _: None)
        self.gone |= {(case, engine) for engine in missing}
        missing = {engine: "left out: failed before" for engine in engines if engine not in variants} | missing
        lines = {}
        for engine in engines:
            name = {"case": case, "implementation": f"cosweep, engine {engine}", **known}
            if engine in missing:
                sampling.emit({**name, "missing": missing[engine]})
                continue
            line = sampling.median(samples[engine])
            if engine != "step" and "step" in samples:
                line["largest_difference"] = self.from_step(engine)
                if not line["largest_difference"] <= program.TOLERANCE:
                    self.disagree += 1
                    sampling.emit({**name, "missing": f"results differ by {line['largest_difference']:.1e}"})
                    continue
            kernel = self.cosweep.kernel_core_seconds(line)
            line["kernel_core_seconds"] = kernel
            line["kernel_microseconds_per_run"] = 1e6 * kernel / line["runs"] if kernel else None
            line["device_microseconds_per_run"] = 1e6 * line["device_seconds"] / line["runs"]
            lines[engine] = {**name, **line, **known}
        return lines

    def from_step(self, engine):
        """The largest relative difference from the results of stepping."""
        return float(np.max(program.apart(program.results(self.result(engine)), program.results(self.result("step")))))

    def result(self, engine):
        return self.cosweep.scratch / f"growth_{engine}.h5"

    def emit(self, lines):
        for line in lines.values():
            sampling.emit(line)

    def two_mass(self, case, runs, steps, t_end, engines):
        sweep = self.cosweep.sweep(case, TWO_MASS, t_end, {"step": {"control": "fixed", "size": t_end / steps}},
                                   self.axis(*DAMPING, runs))
        return self.point(case, sweep, engines, {"states": 5, "steps_per_run": steps})

    def runs(self):
        last = 4 if self.quick else 6
        for exponent in range(last + 1):
            sampling.progress(f"growth_runs: 10^{exponent} of 10^{last} runs")
            self.emit(self.two_mass("growth_runs", 10 ** exponent, 1000, 10.0, ("step", "auto")))

    def steps(self):
        most = 512 if self.quick else 4096
        stepped = []
        for exponent in range(2, 9):
            steps = 10 ** exponent
            sampling.progress(f"growth_steps: 10^{exponent} of 10^8 steps")
            runs = min(most, int(STEP_BUDGET / (10 if self.quick else 1) / steps) // 8 * 8)
            if exponent <= (5 if self.quick else 6):
                lines = self.two_mass("growth_steps", runs, steps, 100.0, ("step", "double"))
                stepped += [lines["step"]] if "step" in lines else []
            else:
                lines = self.two_mass("growth_steps", most, steps, 100.0, ("double",))
            self.emit(lines)
        if len(stepped) > 1:
            sampling.emit(self.marginal(*stepped[-2:]))

    def marginal(self, fewer, more):
        """The stepping kernel alone: what steps beyond those of `fewer` cost, without the assembly of the map."""
        line = {"case": "marginal_step", "implementation": fewer["implementation"], "states": fewer["states"],
                "step_operations": program.step_operations(self.result("step")), "gflops_per_core": None,
                "fma_share": None, "lane_steps_per_core_second": None}
        if more["kernel_core_seconds"]:
            seconds = (more["kernel_microseconds_per_run"] - fewer["kernel_microseconds_per_run"]) * 1e-6
            rate = (more["steps_per_run"] - fewer["steps_per_run"]) / seconds
            line["lane_steps_per_core_second"] = rate
            if line["step_operations"]:
                line["gflops_per_core"] = 1e-9 * rate * line["step_operations"]
                line["fma_share"] = line["gflops_per_core"] / self.peak if self.peak else None
        return line

    def states(self):
        runs = 64 if self.quick else 512
        self.emit(self.two_mass("growth_states", runs, 1000, 10.0, ("step", "double")))
        for masses in (4, 8, 16) if self.quick else (3, 4, 5, 6, 8, 12, 16):
            sampling.progress(f"growth_states: {2 * masses} of 32 states")
            self.emit(self.chain("growth_states", masses, runs, 1000, ("step", "double")))

    def chain(self, case, masses, runs, steps, engines):
        model = self.cosweep.scratch / f"chain{masses}.json"
        model.write_text(json.dumps(chain.model(masses)))
        sweep = self.cosweep.sweep(case, model, 10.0, {"step": {"control": "fixed", "size": 10.0 / steps}},
                                   self.axis("parameters.d", 0.1, 1, runs))
        return self.point(case, sweep, engines, {"states": 2 * masses, "steps_per_run": steps})

    def break_even(self):
        runs = 512 if self.quick else 4096
        grid = (100, 300, 1000, 3000) if self.quick else (100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000)
        for steps in grid:
            sampling.progress(f"break_even: {steps} of {grid[-1]} steps")
            self.emit(self.chosen(self.two_mass("break_even", runs, steps, 10.0, ("step", "double", "auto"))))
            self.emit(self.chosen(self.chain("break_even", 8, runs // 4, steps, ("step", "double", "auto"))))

    def chosen(self, lines):
        """Names the engine that auto took, by its bytes: both engines give the same numbers but for rounding."""
        if "auto" in lines:
            same = [engine for engine in ("step", "double")
                    if engine in lines and program.same_bytes(self.result(engine), self.result("auto"))]
            lines["auto"]["auto_took"] = same[0] if same else None
        return lines
