#!/usr/bin/env python3
"""Kernels are OpenCL C 1.2 and nothing else: check_language.py COSWEEP SOURCE FOLDER [NETWORKS].

The programs of the shipped sweeps and of random ones, with one lane and with eight, are read by clang, which may say
nothing with -Wall -Wextra -pedantic; of a model one program of those with the same fragments. Some parameters,
functions and variables are not used, as all fragments of a kind define the same ones, and choices are constants:
these warnings are off. No function of OpenCL is declared but those of host/device/declared.cl, unless there is a
fragment of a user. Exits 77 without clang."""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from checking import expect, finish

program, source, folder = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
networks = int(sys.argv[4]) if len(sys.argv) > 4 else 100
STRICT = ["-D__OPENCL_VERSION__=120", "-Wall", "-Wextra", "-pedantic", "-Wno-unused-parameter",
          "-Wno-unused-function", "-Wno-unused-variable", "-Wno-constant-logical-operand"]
# What a compiler for OpenCL defines before it reads anything.
TYPES = "typedef unsigned int uint; typedef unsigned long ulong; typedef __SIZE_TYPE__ size_t;\n"
declared = TYPES + (source / "host/device/declared.cl").read_text()
own = re.compile(r'^#line 1 "(?!kernels/|variant: )', re.M)  # a fragment of a user
fragment = re.compile(r'^#line 1 "(.*)"', re.M)

clang = next((found for name in ("clang", "clang-14", "clang-15") if (found := shutil.which(name))), None)
if clang is None:
    print("skipped: clang is missing")
    sys.exit(77)


def sweeps():
    yield from sorted((source / "sweeps").glob("*.json"))
    random = source / "tests/data/random"
    lines = [(random / f"{kind}.jsonl").read_text().splitlines()[:networks] for kind in ("models", "sweeps")]
    for i, (model, sweep) in enumerate(zip(*lines)):
        (folder / f"model_{i:03}.json").write_text(model)
        path = folder / f"sweep_{i:03}.json"
        path.write_text(json.dumps(json.loads(sweep) | {"model": f"model_{i:03}.json"}))
        yield path


def programs_of(sweep):
    texts = []
    for lanes in ("1", "8"):
        done = subprocess.run([program, "run", sweep, "--print-kernel", "--lanes", lanes], capture_output=True, text=True)
        expect(done.returncode == 0, f"{sweep.name}: {done.stderr.strip()}")
        for variant in done.stdout.split("/* ---- a separate program ---- */\n"):
            texts += re.split(r"(?m)^(?=/\* .* \*/\n#define VW )", variant)
    return {(text[:text.find(":")], "#define VW 1\n" in text, *fragment.findall(text)): text for text in texts if text.strip()}


def check(text):
    users = own.search(text) is not None
    done = subprocess.run([clang, "-x", "cl", "-cl-std=CL1.2", *STRICT, "-fsyntax-only", *([] if users else ["-cl-no-stdinc"]), "-"],
                          input=text if users else declared + text, capture_output=True, text=True)
    said = done.stderr.strip()
    title = text.partition("\n")[0]
    expect(done.returncode == 0 and not said, f"{title}\n{said[:2000]}")


folder.mkdir(parents=True, exist_ok=True)
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    wanted = list(sweeps())
    texts = {}
    for found in pool.map(programs_of, wanted):
        texts.update(found)
    list(pool.map(check, texts.values()))
finish(f"{len(texts)} programs of {len(wanted)} sweeps, {os.path.basename(clang)}")
