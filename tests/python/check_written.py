#!/usr/bin/python3
"""Reads what earlier versions have written with every command that takes such files: results, traces and journals.

usage: check_written.py COSWEEP FOLDER

FOLDER has a folder per version (its README.md). Exits 0, or 1 with one line per fault on stderr.
"""

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from checking import expect, finish

program, written = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
KEPT = {"orders.h5.gz": "10: 10 ok", "map.h5.gz": "32: 32 ok", "trace.h5.gz": None}  # runs


def run(*words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def succeed(version, *words, said=""):
    code, out, err = run(*words)
    expect(code == 0 and said in out, f"{version}: {' '.join(words)}: status {code}: {err.strip() or out[:300]}")
    return out


def check_result(version, packed):
    name = packed.name[:-3]
    Path(name).write_bytes(gzip.decompress(packed.read_bytes()))
    runs = KEPT[packed.name]
    succeed(version, "info", name, said=f"runs      {runs}\n" if runs else "steps     20 taken, 0 rejected\n")
    succeed(version, "info", name, "--json", said='"kind"')
    exported = succeed(version, "export", name, "-o", "-")
    expect(exported == packed.with_name(name[:-3] + ".csv").read_text(), f"{version}: {name}: the numbers are others")
    for to, words in {"matlab": ["--format", "matlab"], "page": [], "figure": []}.items():
        command = {"matlab": "export", "page": "report", "figure": "plot"}[to]
        succeed(version, command, name, *words, "-o", f"{name}.{to}" + (".svg" if to == "figure" else ""), "--force")
    code, out, err = run("verify", name)
    checked = "provenance/plan" in out  # files with a checksum have that too
    expect(code == (0 if checked else 5) and "damaged" not in out, f"{version}: verify {name}: {code}: {out}{err}")
    expect(checked or "has no checksum at its end" in err, f"{version}: verify {name}: {err}")
    if runs is not None:
        succeed(version, "compare", name, name, said="no difference")
        succeed(version, "import", name, "-o", "model.json", "--force")
        succeed(version, "check", "model.json")
        code, out, err = run("verify", name, "--recompute", "2")
        right = 4 if checked else 5
        expect(code == right and "Traceback" not in err, f"{version}: verify --recompute: status {code}: {out}{err}")


def check_journal(version, journal):
    out = succeed(version, "info", str(journal), said="5 of 10 runs are done")
    expect("shard     1 of 2\n" in out and "program   cosweep 0." in out, f"{version}: {out}")
    succeed(version, "info", str(journal), "--json", said='"done": {"runs": 5,')


versions = [folder for folder in sorted(written.iterdir()) if folder.is_dir()]
expect(len(versions) >= 2, f"{written}: {len(versions)} versions")
with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    for folder in versions:
        files = sorted(folder.iterdir())
        for file in files:
            if file.suffix == ".gz":
                check_result(folder.name, file)
            elif file.suffix == ".journal":
                check_journal(folder.name, file)
        expect(any(file.suffix == ".gz" for file in files), f"{folder}: has no results")
    os.chdir("/")
finish()
