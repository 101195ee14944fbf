#!/usr/bin/env python3
"""The same bytes from every driver of OpenCL: check_drivers.py COSWEEP SOURCE FOLDER [NETWORKS].

Random networks with all kinds of methods, each stepped, doubled and with variable steps, and networks with state
events, on the host and on every device of OpenCL with double precision; every number of a result but those of its
provenance has to be equal. PoCL, which takes longest and has other tests, computes the first networks alone. Exits 77
where there are not two drivers; Intel's runtime of the Python that COSWEEP_TOOLS_PYTHON names is one
(tests/scripts/tools.sh --get)."""

import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from checking import add_runtime, devices, expect, finish
from contents import datasets

program, source, folder = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
networks = int(sys.argv[4]) if len(sys.argv) > 4 else 60
EVENTS = 3  # sweeps of tests/data/events, of 12 methods each
OF_POCL = 8  # networks
FORMS = {"step": {"engine": "step"}, "double": {"engine": "double"},
         "vary": {"step": {"control": "pi_defect", "tolerance": 1e-3, "initial": 0.01}}}


def run(sweep, device):
    out = sweep.with_name(f"{sweep.stem}-{device}.h5")
    done = subprocess.run([program, "run", str(sweep), "--device", str(device), "--force", "-o", str(out)],
                          capture_output=True, text=True)
    return (datasets(out) if done.returncode in (0, 1) and out.exists() else None), done.stderr.strip()


def write(name, sweep):
    path = folder / f"{name}.json"
    path.write_text(json.dumps(sweep))
    return path


def sweeps_of(i, model, sweep):
    model_path = folder / f"model_{i:02}.json"
    model_path.write_text(model)
    for form, method in FORMS.items():
        own = json.loads(sweep)
        own["model"], own["name"] = model_path.name, f"{form}_{i:02}"
        own["method"].update(method)
        if form == "double":  # which has no largest values
            own["metrics"] = ["output_defect", "connection_defect", "output_error", "state_error"]
        yield form, write(own["name"], own), i < OF_POCL


def sweeps_of_events():
    for i in range(EVENTS):
        for name in (f"model_{i:02}.json", f"random_{i:02}.json"):
            shutil.copy(source / "tests/data/events" / name, folder / f"events_{name}")
        own = json.loads((folder / f"events_random_{i:02}.json").read_text())
        yield "events", write(f"events_{i:02}", own | {"model": f"events_model_{i:02}.json"}), False


def compare(form, sweep, everywhere):
    """How many numbers were compared; None where the program refuses the sweep, as some methods have no such form."""
    host, said = run(sweep, "host")
    if host is None:
        return form, None
    for index, name in found.items():
        if not everywhere and "Portable Computing Language" in name:
            continue
        other, said = run(sweep, index)
        expect(other is not None, f"{sweep.name}, {name}: {said}")
        different = [key for key in host if other is not None and host[key] != other.get(key)]
        expect(not different, f"{sweep.name}, {name}: other bytes in {', '.join(different)}")
    return form, len(host)


add_runtime(folder)
found = {index: ", ".join(words) for index, words in devices(program).items()}
if len({name.split(", ")[-1] for name in found.values()}) < 2:
    print(f"skipped: one driver of OpenCL, {', '.join(found.values()) or 'none'}; want two (OCL_ICD_VENDORS)")
    sys.exit(77)
folder.mkdir(parents=True, exist_ok=True)
random = source / "tests/data/random"
lines = [(random / f"{kind}.jsonl").read_text().splitlines()[:networks] for kind in ("models", "sweeps")]
wanted = [*sweeps_of_events(), *(row for i, pair in enumerate(zip(*lines)) for row in sweeps_of(i, *pair))]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    done = list(pool.map(lambda row: compare(*row), wanted))
count = {form: sum(f == form and n is not None for f, n in done) for form in (*FORMS, "events")}
for form, least in (("step", networks // 2), ("double", networks // 4), ("vary", networks // 2), ("events", EVENTS)):
    expect(count[form] >= least, f"{form}: {count[form]} sweeps compared")
finish(f"{', '.join(f'{n} {form}' for form, n in count.items())}: host, {'; '.join(found.values())}")
