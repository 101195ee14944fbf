#!/usr/bin/env python3
"""FMUs exported now, run now by FMPy and by libcosim, beside cosweep's own traces.

usage: check_fmus.py COSWEEP MODELS DATA OUTPUT

FMPy: validates every FMU, and runs them in a loop that exchanges at communication points, with inputs held and with
inputs extrapolated linearly by their derivatives; libcosim: what --format osp and ssp have written. A final state may
differ by 1e-12 of the largest state of the run. Exits 0, or 1 with a line per fault on stderr; 77 where FMPy or
libcosimpy is missing (tests/scripts/tools.sh).
"""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

from checking import expect, finish

try:
    from fmpy import extract, read_model_description
    from fmpy.fmi2 import FMU2Slave
    from fmpy.ssp.ssd import read_ssd
    from fmpy.validation import validate_fmu
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimObserver import CosimObserver
except ImportError as missing:
    print(f"skipped: {missing}; want a Python with fmpy and libcosimpy: tests/scripts/tools.sh COSWEEP --install",
          file=sys.stderr)
    sys.exit(77)

TOLERANCE = 1e-12
STEPS = 100
# Step sizes (s); libcosim begins with as many exchanges as there are FMUs, too few for loops of direct feed-through.
SIZES = {"two_mass_oscillator": 0.1, "mass_spring_damper": 0.02, "quarter_car": 0.005, "three_masses": 0.01,
         "ring": 0.25, "linear_feedthrough": 0.05}
LOOPS = ("ring", "linear_feedthrough")

program, models, data, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4])
output.mkdir(parents=True, exist_ok=True)


def call(*words):
    return subprocess.run([program, *map(str, words)], check=True, stdout=subprocess.PIPE, text=True).stdout


def path_of(model):
    own = data / f"{model}.json"
    return (own if own.exists() else models / model / "model.json").resolve()


def own_states(model, order):
    """Final states by cosweep, and the largest state of the run."""
    sweep, trace = output / f"{model}.sweep.json", output / f"{model}_{order}.h5"
    sweep.write_text(json.dumps({
        "format": "cosweep-sweep/1", "name": model, "model": str(path_of(model)), "study": "simulation",
        "t_end": STEPS * SIZES[model],
        "method": {"hold": "lagrange", "order": order, "feedthrough": "explicit",
                   "start": "ramp" if order > 0 else "consistent",
                   "step": {"control": "fixed", "size": SIZES[model]}}}))
    call("trace", sweep, "-o", trace, "--force", "--quiet")
    rows = list(csv.DictReader(io.StringIO(call("export", trace, "--metric", "x", "-o", "-"))))
    values = {row["signal"]: float(row["x"]) for row in rows}  # the last row of a signal
    return values, max(abs(float(row["x"])) for row in rows)


class Network:
    """The FMUs of a model and their connections, as SystemStructure.ssd has them."""

    def __init__(self, model):
        folder = output / model
        call("export", path_of(model), "--format", "fmu", "-o", folder, "--force")
        call("export", path_of(model), "--format", "ssp", "-o", output / f"{model}.ssp", "--force")
        self.slaves = {}
        for file in sorted(folder.glob("*.fmu")):
            faults = validate_fmu(str(file))
            expect(not faults, f"{file}: {faults}")
            description = read_model_description(str(file))
            references = {v.name: v.valueReference for v in description.modelVariables}
            slave = FMU2Slave(guid=description.guid, unzipDirectory=extract(str(file)),
                              modelIdentifier=description.coSimulation.modelIdentifier, instanceName=file.stem)
            slave.instantiate()
            slave.setupExperiment(startTime=0.0)
            slave.enterInitializationMode()
            slave.exitInitializationMode()
            self.slaves[file.stem] = (slave, references)
        system = read_ssd(str(output / f"{model}.ssp")).system
        expect({element.name for element in system.elements} == set(self.slaves), f"{model}.ssp: elements")
        self.connections = [(c.startElement, c.startConnector, c.endElement, c.endConnector)
                            for c in system.connections]

    def value(self, name, variable):
        slave, references = self.slaves[name]
        return slave.getReal([references[variable]])[0]

    def exchange(self, before, H):
        """Sets all inputs; extrapolates linearly where the values `before` are known."""
        now = [self.value(*connection[:2]) for connection in self.connections]
        for i, (_, _, name, variable) in enumerate(self.connections):
            slave, references = self.slaves[name]
            slave.setReal([references[variable]], [now[i]])
            if before is not None:
                slave.setRealInputDerivatives([references[variable]], [1], [(now[i] - before[i]) / H])
        return now

    def run(self, H, order):
        for _ in range(1000):
            self.exchange(None, H)  # until loops of feed-through have their initial values
        before = None
        for k in range(STEPS):
            now = self.exchange(before if order > 0 else None, H)
            for slave, _ in self.slaves.values():
                slave.doStep(k * H, H)
            before = now
        return {f"{name}{v[1:]}": self.value(name, v)
                for name, (_, references) in self.slaves.items() for v in references if v.startswith("x.")}


def by_libcosim(model, kind):
    """Final states of what --format KIND writes."""
    H = SIZES[model]
    where = output / (f"{model}_osp" if kind == "osp" else f"{model}.ssp")
    call("export", path_of(model), "--format", kind, "--step", H, "-o", where, "--force")
    if kind == "osp":
        execution = CosimExecution.from_osp_config_file(str(where))
    else:
        execution = CosimExecution.from_ssp_file(str(where), round(H * 1e9))  # ns
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)
    execution.step(STEPS)
    states = {}
    for file in sorted((output / model).glob("*.fmu")):
        slave = execution.slave_index_from_instance_name(file.stem)
        for variable in read_model_description(str(file)).modelVariables:
            if variable.name.startswith("x."):
                states[f"{file.stem}{variable.name[1:]}"] = observer.last_real_values(slave, [variable.valueReference])[0]
    return states


def compare(what, got, want):
    states, largest = want
    expect(sorted(got) == sorted(states), f"{what}: states {sorted(got)}")
    worst = max(abs(got.get(name, float("inf")) - value) for name, value in states.items()) / largest
    expect(worst <= TOLERANCE, f"{what}: differs by {worst:.2g} of the largest state")
    return worst


def main():
    log_output_level(CosimLogLevel.ERROR)
    worst = []
    for model, H in SIZES.items():
        for order in (0, 1):
            worst.append(compare(f"FMPy {model} order {order}", Network(model).run(H, order), own_states(model, order)))
        for kind in ("osp", "ssp") if model not in LOOPS else ():
            worst.append(compare(f"libcosim {model} {kind}", by_libcosim(model, kind), own_states(model, 0)))
    finish(f"{len(worst)} runs of exported FMUs: largest difference {max(worst):.2g} of the largest state")


main()
