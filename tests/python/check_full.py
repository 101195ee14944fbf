#!/usr/bin/python3
"""A file system that is really full: check_full.py COSWEEP SOURCE OUTPUT [SIZES]

A sweep runs on file systems in memory of SIZES sizes, 10 unless said, from too small to large enough, with a journal
that is synced at once. Where there is no room left the run ends with status 5 and one message, and leaves nothing but
its journal; with more room the same command goes on from there, to a result with the same bytes as elsewhere. Exits 77
where a process may not mount file systems, in a name space of its own, or h5py is missing."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from checking import expect, finish
from contents import contents

INSIDE = "COSWEEP_CHECK_FULL"
if INSIDE not in os.environ:
    own = ["unshare", "--mount"] + (["--map-root-user"] if os.geteuid() != 0 else [])
    if shutil.which("unshare") is None or subprocess.run([*own, "true"], capture_output=True).returncode != 0:
        print("skipped: no name space of its own for file systems", file=sys.stderr)
        sys.exit(77)
    os.environ[INSIDE] = "1"
    os.execvp("unshare", [*own, sys.executable, *sys.argv])

program, source, output = (Path(word).resolve() for word in sys.argv[1:4])
sizes = int(sys.argv[4]) if len(sys.argv) > 4 else 10
shutil.rmtree(output, ignore_errors=True)
disk = output / "disk"
disk.mkdir(parents=True)
ENOUGH = 16 << 20
FULL = ("No space left on device", "the free space there is")  # later, or before anything is computed
SWEEP = f"""{{"format": "cosweep-sweep/1", "name": "full", "study": "simulation", "t_end": 1,
 "model": "{source}/models/two_mass_oscillator/model.json",
 "method": {{"feedthrough": "explicit", "step": {{"control": "fixed"}}}},
 "axes": [{{"name": "order", "path": "method.order", "values": [0, 1]}},
          {{"name": "H", "path": "method.step.size", "logspace": [0.01, 0.5, 400], "unit": "s"}}],
 "metrics": ["output_error", "evaluations", "spectral_radius"], "fits": [{{"along": "H"}}]}}"""


def mount(size, *more):
    return subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join((f"size={size}", *more)), "tmpfs", disk],
                          capture_output=True).returncode == 0


def run(folder, *more):
    done = subprocess.run([program, "run", "sweep.json", "-o", folder / "out.h5", "--quiet", "--journal", "0", *more],
                          cwd=output, capture_output=True, text=True)
    return done.returncode, done.stderr


def runs_kept():
    journal = disk / "out.h5.journal"
    if not journal.exists():
        return 0
    said = subprocess.run([program, "info", journal, "--json"], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)["done"]["runs"]


(output / "sweep.json").write_text(SWEEP)
if not mount(ENOUGH):
    print("skipped: no file systems in memory can be mounted", file=sys.stderr)
    sys.exit(77)
status, said = run(output)
expect(status == 0, f"without limits: {said}")
want = contents(output / "out.h5")
subprocess.run(["umount", disk], check=True)

enough = os.path.getsize(output / "out.h5") * 2  # journal and result
failed = went_on = 0
for i in range(sizes):
    size = max(4096, enough * (i + 1) // sizes // 4096 * 4096)
    expect(mount(size), f"{size} bytes: cannot be mounted")
    status, said = run(disk)
    left = sorted(path.name for path in disk.iterdir())
    if status != 0:
        failed += 1
        expect(status == 5 and said.count("\n") == 1 and any(words in said for words in FULL),
               f"{size} bytes: status {status}: {said}")
        expect(left in ([], ["out.h5.journal"]), f"{size} bytes: left are {left}")
        kept = runs_kept()
        expect(mount(ENOUGH, "remount"), "cannot be enlarged")
        status, said = run(disk)
        went_on += kept > 0
        expect(("goes on from" in said) == (kept > 0), f"{size} bytes: {kept} runs were kept, then: {said}")
        left = sorted(path.name for path in disk.iterdir())
    expect(status == 0 and left == ["out.h5"], f"{size} bytes: status {status}: {said}, left are {left}")
    expect(contents(disk / "out.h5") == want, f"{size} bytes: another result")
    subprocess.run(["umount", disk], check=True)
expect(0 < failed < sizes and went_on > 0, f"{failed} of {sizes} had too little room, {went_on} went on from a journal")
finish(f"{sizes} sizes up to {enough} bytes: {failed} full, {went_on} gone on from a journal")
