#!/usr/bin/env python3
"""Times cosweep and other programs, and cosweep over growing sizes; prints JSON lines."""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import beside
import cold
import dense
import drivers
import engines
import events
import growth
import sampling
import stability
import vary
from cosweep import Cosweep

HERE = Path(__file__).resolve().parent
CASES = ("cold", "drivers", "rivals", "runs", "steps", "states", "break_even", "vary", "engines", "events", "map", "dense")


def arguments():
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(prog="bench/run.sh", description=__doc__)
    parser.add_argument("build", type=Path, metavar="BUILD_DIR", help="where cosweep was built")
    parser.add_argument("--quick", action="store_true", help="small sizes and 3 repetitions: does everything work?")
    parser.add_argument("--repeats", type=int, help="interleaved repetitions, medians are printed (default 5)")
    parser.add_argument("--runs", type=int, help="runs of the study, a multiple of 8 (default 4096)")
    parser.add_argument("--device", help="device, as for cosweep run (default cpu; case cold: auto)")
    parser.add_argument("--cases", default=",".join(CASES), help="which of %(default)s")
    parser.add_argument("--venv", type=Path, default=cache / "cosweep-bench", help="made by venv.sh (%(default)s)")
    options = parser.parse_args()
    options.repeats = options.repeats or (3 if options.quick else 5)
    options.runs = options.runs or (1024 if options.quick else 4096)
    options.cases = options.cases.split(",")
    if options.repeats < 1 or options.runs < 8 or options.runs % 8:
        parser.error("want at least 1 repetition, and runs in multiples of 8")
    if set(options.cases) - set(CASES):
        parser.error(f"--cases: want some of {', '.join(CASES)}")
    return options


def program(build):
    for path in (build / "cosweep", build / "host" / "cosweep"):
        if os.access(path, os.X_OK):
            return path.resolve()
    sys.exit(f"run.sh: {build}: no program cosweep in it; want the directory of a finished build")


def build_rivals(target):
    """Why the C programs could not be built, None if they were: without a compiler they are missing."""
    built = subprocess.run([HERE / "build.sh", target], stderr=subprocess.PIPE, text=True)
    return sampling.last_line(built.stderr) if built.returncode else None


def processor():
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main():
    options = arguments()
    own = program(options.build)
    limit = 30 if options.quick else 300  # s, of one call
    with tempfile.TemporaryDirectory(prefix="cosweep-bench-") as scratch:
        cosweep = Cosweep(own, options.device, scratch, limit)
        version = subprocess.run([own, "--version"], capture_output=True, text=True).stdout.strip()
        sampling.emit({"case": "machine", "processor": processor(), "cores": cosweep.cores, "version": version,
                       "system": platform.platform(), "quick": options.quick, "load": os.getloadavg()[0]})
        disagree, peak = 0, None
        if "cold" in options.cases:
            cold.Cold(cosweep, limit).run(options.repeats)
        if "drivers" in options.cases:
            drivers.Drivers(cosweep, limit).run(options.repeats)
        rivals = options.build.resolve() / "bench"
        unbuilt = build_rivals(rivals) if {"rivals", "vary", "map"} & set(options.cases) else None
        if "rivals" in options.cases:
            python = {"numpy": sys.executable, "venv": options.venv / "bin" / "python"}
            study = beside.Study(cosweep, rivals, unbuilt, python, options.runs,
                                 0.01 if options.quick else 0.001, limit)
            disagree, peak = study.run(options.repeats), study.peak
        curves = growth.Growth(cosweep, options.repeats, options.quick, peak)
        for case in options.cases:
            if case not in ("cold", "drivers", "rivals", "vary", "engines", "events", "map", "dense"):
                getattr(curves, case)()
        disagree += curves.disagree
        if "vary" in options.cases:
            disagree += vary.Vary(cosweep, rivals, unbuilt, options.runs, limit).run(options.repeats)
        if "engines" in options.cases:
            disagree += engines.Engines(cosweep, options.quick, limit).run(options.repeats)
        if "events" in options.cases:
            events.Events(cosweep, options.runs, limit).run(options.repeats)
        if "map" in options.cases:
            points = 100 if options.quick else 1000
            disagree += stability.Map(cosweep, rivals, unbuilt, points, limit).run(options.repeats)
        if "dense" in options.cases:
            pythons = sys.executable, options.venv / "bin" / "python", "python3"
            disagree += dense.Dense(cosweep, pythons, options.quick, limit).run(options.repeats)
    if disagree:
        sys.exit(f"run.sh: {disagree} variants give other results and are reported as missing")


if __name__ == "__main__":
    main()
