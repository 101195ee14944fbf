"""State events: steps of the colliding masses with their collisions searched, beside the same network's with an event at a
given time; and 10,000 runs over macro step and reset."""

import json

import h5py

import cosweep as program
import sampling

CASE = "events"
MODEL = program.MODELS / "colliding_masses" / "model.json"
TIMED, SEARCHED = "time event", "state events"
METRICS = ("output_defect", "state_error", "output_error", "steps")
PUBLISHED = {"master": "gauss_seidel", "hold": "lagrange", "order": 1, "start": "ramp", "feedthrough": "solved",
             "error_at": "continuous", "step": {"control": "fixed", "size": 0.1},
             "events": {"detect": "first", "grid": "keep", "interruption": 1e-4, "window": 0.2}}


class Events:
    def __init__(self, cosweep, runs, limit):
        self.cosweep, self.limit = cosweep, limit
        self.side = max(round(runs ** 0.5), 8)
        self.ensemble = 10000 if runs >= 4096 else 1000

    def model(self, name):
        """The masses with a push at 1 s, or the push without what they do to each other."""
        model = json.loads(MODEL.read_text())
        model["parameters"]["kick"] = 0.5
        push = {"name": "push", "t": 1, "add": {"upper.v": "kick"}}
        model["events"] = [push] if name == TIMED else [*model["events"], push]
        path = self.cosweep.scratch / f"{name.replace(' ', '_')}.json"
        path.write_text(json.dumps(model))
        return path

    def sample(self, name, master, order):
        method = {"master": master, "order": order, "feedthrough": "solved", "error_at": "continuous"}
        axes = [("kick", "parameters.kick", {"linspace": [0.1, 1, self.side]}),
                ("H", "method.step.size", {"logspace": [0.005, 0.1, self.side]})]
        stem = f"{name.replace(' ', '_')}_{master}_{order}"
        return self.cosweep.sample(self.cosweep.sweep(f"{stem}_sweep", self.model(name), 7, method, axes, METRICS), {})

    def compare(self, master, order, repeats):
        """Core-seconds per step of both, and their ratio."""
        samples, missing = sampling.interleave(
            {name: self.sample(name, master, order) for name in (TIMED, SEARCHED)}, repeats,
            lambda number: sampling.progress(f"{CASE}: {master}, order {order}, round {number} of {repeats}"))
        line = {"case": CASE, "master": master, "order": order}
        if missing:
            sampling.emit({**line, "missing": "; ".join(f"{name}: {reason}" for name, reason in missing.items())})
            return
        for name, key in ((TIMED, "time_event"), (SEARCHED, "state_events")):
            middle = sampling.median(samples[name])
            kernel = self.cosweep.kernel_core_seconds(middle)
            line[f"{key}_core_nanoseconds"] = 1e9 * (kernel or middle["device_seconds"]) / middle["steps"]
        line["ratio"] = line["state_events_core_nanoseconds"] / line["time_event_core_nanoseconds"]
        sampling.emit({**line, "steps": middle["steps"], "runs": middle["runs"], "device": middle["device"]})

    def run_ensemble(self, repeats):
        """Runs over T, with resets by extrapolated inputs and joint ones."""
        axes = [("reset", "method.events.reset", {"values": ["extrapolated", "joint"]}),
                ("H", "method.step.size", {"logspace": [0.01, 0.4, self.ensemble // 2]})]
        result = self.cosweep.scratch / "ensemble.h5"
        sweep = self.cosweep.sweep("events_ensemble", MODEL, 7, PUBLISHED, axes,
                                   [*METRICS, "missed_events", "spurious_events", "first_divergence"])
        samples, missing = sampling.interleave({CASE: self.cosweep.sample(sweep, {}, result)}, repeats, lambda number: None)
        line = {"case": "events_ensemble", "runs": self.ensemble}
        if missing:
            sampling.emit({**line, "missing": missing[CASE]})
            return
        middle = sampling.median(samples[CASE])
        with h5py.File(result) as file:
            occupancy = float(file["provenance/occupancy"][()])
            right = int(((file["missed_events"][...] + file["spurious_events"][...]).sum(axis=-1) == 0).sum())
        sampling.emit({**line, "seconds": middle["process_seconds"], "core_seconds": middle["process_core_seconds"],
                       "steps": middle["steps"], "occupancy": occupancy, "runs_with_the_right_events": right,
                       "device": middle["device"]})

    def run(self, repeats):
        for master in ("jacobi", "gauss_seidel"):
            for order in (0, 1, 3):
                self.compare(master, order, repeats)
        self.run_ensemble(repeats)
