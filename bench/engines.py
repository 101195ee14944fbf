"""The two ways of computing: the kernels compiled with cosweep (device `host`) beside programs built for a variant by
OpenCL, on models with 5, 16 and 32 states."""

import copy
import json
import os
import random
import statistics

import chain
import cosweep as program
import sampling

CASE = "engines"
HOST, BUILT, PLANNED = "host", "opencl", "planned"
RATE = "lane_steps_per_core_second"
TWO_MASS = program.MODELS / "two_mass_oscillator" / "model.json"
STATES = {5: (1024, 40000, 100, 65536), 16: (256, 10000, 20, 4096), 32: (128, 8000, 20, 1024)}
FEW = 100  # steps, of the sweep that is subtracted


class Engines:
    def __init__(self, cosweep, quick, limit):
        """Compares the host with the device that `cosweep` uses."""
        self.of = {HOST: copy.copy(cosweep), BUILT: cosweep}
        self.of[HOST].device = ["--device", "host"]
        self.cosweep, self.quick, self.limit, self.disagree = cosweep, quick, limit, 0

    def sweep(self, states, name, t_end, method, axis, metrics=program.METRICS):
        model = TWO_MASS
        if states != 5:
            model = self.cosweep.scratch / f"chain{states // 2}.json"
            model.write_text(json.dumps(chain.model(states // 2)))
        return self.cosweep.sweep(f"engines_{states}_{name}", model, t_end, method, [axis], metrics)

    def damping(self, states, runs):
        path, ends = ("parameters.dk", [1, 20]) if states == 5 else ("parameters.d", [0.1, 1])
        return "damping", path, {"linspace": [*ends, runs]}

    def fixed(self, states, order):
        """A sweep, the one to subtract, and the steps that only the first one takes."""
        runs, steps, _, _ = STATES[states]
        steps = max(steps // (4 if self.quick else 1), 2 * FEW)
        both = [self.sweep(states, f"fixed_{order}_{count}", 10.0, {"order": order, "engine": "step", "step": {
            "control": "fixed", "size": 10.0 / count}}, self.damping(states, runs)) for count in (steps, FEW)]
        return *both, runs * (steps - FEW)

    def variable(self, states, order):
        runs, _, t_end, _ = STATES[states]
        draw = random.Random(7)
        axis = "tolerance", "method.step.tolerance", {"values": [10 ** (-7 + 6 * draw.random()) for _ in range(runs)]}
        method = {"order": order, "step": {"control": "pi_defect", "initial": 1e-3, "tolerance": 1e-3}}
        both = [self.sweep(states, f"vary_{order}_{name}", end, method, axis, (*program.METRICS, "steps"))
                for name, end in (("all", t_end / (10 if self.quick else 1)), ("none", 1e-3))]
        return *both, None

    def measure(self, known, variants, repeats, key, figure):
        """Times the variants, (engine, "all" or "few"), and prints a line with each engine's `figure` of the core-seconds
        that all took beyond few, and of those of planning; and how fast the host is, OpenCL being 1."""
        samples, missing = sampling.interleave(variants, repeats, lambda number: sampling.progress(
            f"{CASE}: {known['states']} states, {known['what']}, order {known['order']}, round {number} of {repeats}"))
        if not missing and not program.same_bytes(self.result(HOST), self.result(BUILT)):
            missing[HOST, "all"] = "results have other bits than those of OpenCL"
            self.disagree += 1
        if missing:
            sampling.emit({"case": CASE, **known, "missing": "; ".join(
                f"{engine}: {reason}" for (engine, _), reason in missing.items())})
            return
        taken = {engine: statistics.median(
            more["process_core_seconds"] - fewer["process_core_seconds"]
            for more, fewer in zip(samples[engine, "all"], samples[engine, "few"])) for engine, _ in variants}
        steps = samples[HOST, "all"][0].get("steps")
        values = {engine: figure(taken[engine], taken.get(PLANNED, 0.0), steps) for engine in (HOST, BUILT)}
        ratio = values[HOST] / values[BUILT]
        sampling.emit({"case": CASE, **known, **{f"{engine}_{key}": value for engine, value in values.items()},
                       "ratio": ratio if key == RATE else 1 / ratio, "repeats": repeats,
                       "device": samples[BUILT, "all"][0]["device"], "load": os.getloadavg()[0]})

    def result(self, engine):
        return self.cosweep.scratch / f"engines_{engine}.h5"

    def steps(self, states, kind, order, repeats):
        whole, few, steps = (self.fixed if kind == "fixed" else self.variable)(states, order)
        variants = {(engine, role): own.sample(sweep, {}, self.result(engine) if role == "all" else None)
                    for role, sweep in (("all", whole), ("few", few)) for engine, own in self.of.items()}
        self.measure({"states": states, "what": f"{kind} steps", "order": order}, variants, repeats, RATE,
                     lambda taken, planned, told: (steps or told) / taken)

    def plan(self, sweep):
        return lambda: sampling.call([self.cosweep.program, "run", sweep, "--dry-run", "--json", *self.of[HOST].device],
                                     self.cosweep.environment, self.limit)

    def assembly(self, states, repeats):
        """Core-µs that a run takes beyond its planning: many runs of 10 steps less few of them, less the same of calls
        that only plan. Besides the assembly of a map these are 10 steps and a line of the result."""
        runs = STATES[states][3] // (8 if self.quick else 1)
        method = {"order": 1, "engine": "step", "step": {"control": "fixed", "size": 1.0}}
        sweeps = {role: self.sweep(states, f"assembly_{role}", 10.0, method, self.damping(states, count))
                  for role, count in (("all", runs), ("few", runs // 8))}
        variants = {(engine, role): own.sample(sweep, {}, self.result(engine) if role == "all" else None)
                    for role, sweep in sweeps.items() for engine, own in self.of.items()}
        variants |= {(PLANNED, role): self.plan(sweep) for role, sweep in sweeps.items()}
        self.measure({"states": states, "what": "assembly", "order": 1}, variants, repeats, "microseconds_per_run",
                     lambda taken, planned, told: 1e6 * (taken - planned) / (runs - runs // 8))

    def run(self, repeats):
        """Prints the lines; gives the number of those with other bits."""
        for states in STATES:
            for kind, order in (("fixed", 0), ("fixed", 1), ("variable", 1)):
                self.steps(states, kind, order, repeats)
            self.assembly(states, repeats)
        return self.disagree
