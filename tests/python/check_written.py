#!/usr/bin/python3
"""Reads what earlier versions have written with every command that takes such files: results, traces and journals.

usage: check_written.py COSWEEP FOLDER [--add VERSION]

FOLDER has a folder per version (its README.md); --add makes one more with what COSWEEP writes. Exits 0, or 1 with one
line per fault on stderr.
"""

import lzma
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checking import expect, finish

program, written = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
KEPT = {"orders.h5.xz": "10: 10 ok", "map.h5.xz": "32: 32 ok", "trace.h5.xz": None}  # runs
INPUTS = ("model.json", "orders.json", "map.json")
SHARDS = ("orders.h5.1of2.journal", "orders.h5.2of2.journal")


def run(*words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def succeed(version, *words, said=""):
    code, out, err = run(*words)
    expect(code == 0 and said in out, f"{version}: {' '.join(words)}: status {code}: {err.strip() or out[:300]}")
    return out


def check_result(version, packed, mine):
    name = packed.name[:-3]
    Path(name).write_bytes(lzma.decompress(packed.read_bytes()))
    runs = KEPT[packed.name]
    succeed(version, "info", name, said=f"runs      {runs}\n" if runs else "steps     20 taken, 0 rejected\n")
    succeed(version, "info", name, "--json", said='"kind"')
    exported = succeed(version, "export", name, "-o", "-")
    expect(exported == packed.with_name(name[:-3] + ".csv").read_text(), f"{version}: {name}: the numbers are others")
    for to, words in {"matlab": ["--format", "matlab"], "page": [], "figure": []}.items():
        command = {"matlab": "export", "page": "report", "figure": "plot"}[to]
        succeed(version, command, name, *words, "-o", f"{name}.{to}" + (".svg" if to == "figure" else ""), "--force")
    code, out, err = run("verify", name)
    checked = b"\ncosweep crc64 " in Path(name).read_bytes()[-32:]
    expect(code == (0 if checked else 5) and "damaged" not in out, f"{version}: verify {name}: {code}: {out}{err}")
    expect(checked or "has no checksum at its end" in err, f"{version}: verify {name}: {err}")
    if runs is not None:
        succeed(version, "compare", name, name, said="no difference")
        succeed(version, "import", name, "-o", "model.json", "--force")
        succeed(version, "check", "model.json")
        code, out, err = run("verify", name, "--recompute", "2")
        right = 0 if mine else 4 if checked else 5
        expect(code == right, f"{version}: verify --recompute: status {code}, not {right}: {out}{err}")


def made_by(journal):
    """The lines on program and device."""
    out = succeed("", "info", str(journal))
    return [line for line in out.splitlines() if line.startswith(("program ", "device "))]


def check_journal(version, journal):
    out = succeed(version, "info", str(journal), said="5 of 10 runs are done")
    expect(f"shard     {journal.name[10]} of 2\n" in out and "program   cosweep 0." in out, f"{version}: {out}")
    succeed(version, "info", str(journal), "--json", said='"done": {"runs": 5,')


def go_on(folder):
    """Completes a shard that has lost its end, and merges both."""
    first = Path(SHARDS[0])
    first.write_bytes(first.read_bytes()[:-100])
    succeed(folder.name, "run", "orders.json", "--device", "host", "--shard", "1/2", said=SHARDS[0])
    succeed(folder.name, "merge", "orders.json", "--device", "host", said="orders.h5")
    exported = succeed(folder.name, "export", "orders.h5", "-o", "-")
    expect(exported == (folder / "orders.csv").read_text(), f"{folder.name}: merged: the numbers are others")


def refuse(version, journals):
    for words in (["run", "--shard", "1/2"], ["merge"]):
        code, _, err = run(words[0], "orders.json", "--device", "host", *words[1:])
        expect(code == 5 and f"{SHARDS[0]}: has 5 runs of another sweep, program or device: was \"" in err,
               f"{version}: {words}: status {code}: {err}")
    for journal in journals:
        expect(Path(journal.name).read_bytes() == journal.read_bytes(), f"{version}: {journal.name} is changed")


def check_version(folder):
    journals, mine = sorted(folder.glob("*.journal")), False
    if journals:
        succeed(folder.name, "run", "orders.json", "--device", "host", "--shard", "1/2", "-o", "now.h5")
        mine = all(made_by(journal) == made_by("now.h5.1of2.journal") for journal in journals)
        for journal in journals:
            check_journal(folder.name, journal)
            shutil.copyfile(journal, journal.name)
        if mine and len(journals) == len(SHARDS):
            go_on(folder)
        else:
            refuse(folder.name, journals)
    packed = sorted(folder.glob("*.xz"))
    expect(packed, f"{folder}: has no results")
    for file in packed:
        check_result(folder.name, file, mine)


def add(version):
    folder = written / version
    folder.mkdir()
    for name, words in {"orders": ["run", "orders.json"], "map": ["run", "map.json"],
                        "trace": ["trace", "orders.json", "--at", "order=1", "--at", "H=0.1"]}.items():
        succeed(version, *words, "--device", "host", "-o", f"{name}.h5")
        (folder / f"{name}.csv").write_text(succeed(version, "export", f"{name}.h5", "-o", "-"))
        (folder / f"{name}.h5.xz").write_bytes(lzma.compress(Path(f"{name}.h5").read_bytes(), preset=9 | lzma.PRESET_EXTREME))
        Path(f"{name}.h5").unlink()
    for number, journal in enumerate(SHARDS, 1):
        succeed(version, "run", "orders.json", "--device", "host", "--shard", f"{number}/{len(SHARDS)}")
        shutil.copyfile(journal, folder / journal)


def inside(work, *words):
    """Calls `work` in a folder with the inputs alone."""
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for name in INPUTS:
            shutil.copyfile(written / name, name)
        work(*words)
        os.chdir("/")


if sys.argv[3:4] == ["--add"]:
    inside(add, sys.argv[4])
versions = [folder for folder in sorted(written.iterdir()) if folder.is_dir()]
expect(len(versions) >= 2, f"{written}: {len(versions)} versions")
for version in versions:
    inside(check_version, version)
finish()
