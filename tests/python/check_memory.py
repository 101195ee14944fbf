"""Memory that `check` says beside what `run` has at its peak: check_memory.py PROGRAM SOURCE FOLDER, without OpenCL.

Small sweeps, many runs, large networks of both studies, and a document of half a million numbers: said is between 0.6 and
1.5 times the peak, and check itself never has more."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from checking import expect, finish

PROGRAM, SOURCE, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), Path(sys.argv[3])
UNIT = {"B": 1e-6, "kB": 1e-3, "MB": 1.0, "GB": 1e3}
ORDERS = {"name": "order", "path": "method.order", "values": [0, 1]}


def run(*argv):
    """What a command prints, and its peak in MB."""
    environment = {**os.environ, "OCL_ICD_VENDORS": "/nonexistent"}
    done = subprocess.Popen([PROGRAM, *argv], cwd=FOLDER, env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    printed = done.stdout.read()
    wrong = done.stderr.read()
    _, status, usage = os.wait4(done.pid, 0)
    expect(os.waitstatus_to_exitcode(status) == 0, f"{argv}: {wrong}")
    return printed, usage.ru_maxrss * 1024e-6


def chain(masses):
    """A chain of masses and springs, cut in the middle: every matrix in full."""
    def half(first):
        n, at = masses // 2, 0 if not first else masses // 2 - 1
        rows = [[0.0] * (2 * n) for _ in range(2 * n)]
        for i in range(n):
            rows[i][n + i] = 1.0
            for j, k in ((i - 1, 1.0), (i, -2.0), (i + 1, 1.0)):
                if 0 <= j < n:
                    rows[n + i][j], rows[n + i][n + j] = k, 0.01 * k
        b = [[1.0 if i == n + at else 0.0] for i in range(2 * n)]
        c = [[1.0 if i == at else 0.0 for i in range(2 * n)]]
        return {"states": [f"x{i}" for i in range(2 * n)], "inputs": ["u"], "outputs": ["y"], "A": rows, "B": b, "C": c,
                "x0": [0.1] * (2 * n)}

    subsystems = [{"name": "a", **half(True)}, {"name": "b", **half(False)}]
    connections = [{"from": "a.y", "to": "b.u"}, {"from": "b.y", "to": "a.u"}]
    path = FOLDER / f"chain_{masses}.json"
    path.write_text(json.dumps({"format": "cosweep-model/1", "name": "chain", "subsystems": subsystems,
                                "connections": connections}))
    return path.name


def try_sweep(what, *more, **fields):
    """Said against had; returns both."""
    (FOLDER / "sweep.json").write_text(json.dumps({"format": "cosweep-sweep/1", "name": "sweep", **fields}))
    return try_file(what, "sweep.json", *more)


def try_file(what, sweep, *more):
    printed, checking = run("check", sweep, *more)
    said = re.search(r"^  memory .*; ([0-9.]+) (\w+) where steps become long for the network$", printed, re.M) or \
        re.search(r"^  memory +(?:about|at least) ([0-9.]+) (\w+), of which tiles ", printed, re.M)
    expect(said is not None, f"{what}: no memory in {printed}")
    if said is None:
        return
    said = float(said[1]) * UNIT[said[2]]
    _, had = run("run", sweep, "-o", "result.h5", "--force", "--quiet", *more)
    print(f"{what}: said {said:.1f} MB, had {had:.1f} MB, check {checking:.1f} MB")
    expect(0.6 < said / had < 1.5, f"{what}: said {said:.1f} MB, had {had:.1f} MB")
    expect(checking < 1.1 * had, f"{what}: check had {checking:.1f} MB, run {had:.1f} MB")


FOLDER.mkdir(parents=True, exist_ok=True)
two_mass = f"{SOURCE}/models/two_mass_oscillator/model.json"
for name in ("two_mass_sample", "stability_two_mass", "stick_slip", "race_car"):
    try_file(name, f"{SOURCE}/sweeps/{name}.json")
lagrange = {"hold": "lagrange", "order": 0, "step": {"size": 0.01}}
sizes = {"name": "H", "path": "method.step.size", "logspace": [0.01, 0.1, 100000]}
for more in ((), ("--memory", "64M")):
    try_sweep(f"200,000 maps {more}", *more, model=two_mass, study="stability", method=lagrange,
              axes=[sizes, ORDERS], metrics=["spectral_radius"])
try_sweep("100,000 runs", model=two_mass, method=lagrange, t_end=1.0, axes=[{**sizes, "logspace": [0.01, 0.1, 50000]},
          ORDERS], metrics=["output_error"])
network = chain(160)
many = {"name": "H", "path": "method.step.size", "linspace": [0.01, 0.2, 12]}
try_sweep("320 states, maps", model=network, study="stability", method=lagrange, axes=[ORDERS, many],
          metrics=["spectral_radius"])
try_sweep("320 states, doubling", model=network, method={**lagrange, "engine": "double"}, t_end=10.0, axes=[ORDERS],
          metrics=["output_error"])
try_sweep("320 states, variable steps", model=network, t_end=0.5, axes=[ORDERS], metrics=["steps"],
          method={"hold": "lagrange", "order": 1, "step": {"control": "pi_defect", "initial": 0.01, "tolerance": 1e-3}})
try_sweep("320 states, steps that become long", model=network, t_end=200.0, metrics=["steps"],
          method={"hold": "lagrange", "order": 1, "step": {"control": "pi_defect", "initial": 1.0, "tolerance": 0.1}})
try_sweep("1,000 states", model=chain(500), method=lagrange, t_end=0.1, axes=[ORDERS], metrics=["output_error_final"])
alone, _ = run("check", "sweep.json", f"{SOURCE}/sweeps/stick_slip.json")
said = re.findall(r"^  memory .* ([0-9.]+) MB, of which", alone, re.M)
expect(len(said) == 2 and float(said[1]) < float(said[0]) / 2, f"a file after a large one: {said}")
finish()
