#!/usr/bin/python3
"""Runs every command of the program once for each call of a function, which fails there, and checks what is left.

usage: faults.py PROGRAM LIBRARY SOURCE [--most N] [--commands REGEX] [--functions REGEX] [--from OBJECTS]
                 [--device NAME] [--jobs N]

LIBRARY is built from fault.c, SOURCE is the source tree. A failing call has to end the command with the exit status of
its kind, with a message and without a change of what it writes, or change nothing at all: never a signal, another
result, a wrong status, or a file left behind. --most tries N calls of each function, spread evenly, rather than all.
--from: objects whose calls fail, default the program alone; `libhdf5` adds those that HDF5 makes for it. Kernels are
kept in COSWEEP_CACHE, where it names a directory.

Prints a table of commands and functions, each command at its end, and every wrong end. Exits 0 if there is none, else 1.
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from checking import has_opencl
from damaging import scratch

# The functions or groups of fault.c, and the exit statuses that tell of them: 3 where a sweep names the file, 4 memory
# and devices, 5 files. `query`: OpenCL's properties. `full`: standard output is a full device.
FUNCTIONS = {
    "memory": {4}, "opencl": {4}, "query": {4}, "process": {4, 5}, "mmap": {4, 5}, "read": {3, 5}, "open": {3, 5},
    "stat": {3, 5}, "write": {5}, "close": {5}, "fsync": {5}, "ftruncate": {5}, "rename": {5}, "unlink": {5},
    "flock": {5}, "mkdir": {5}, "full": {5},
}
OLD = "what was there before\n"


class Command:
    """`outputs`: files it writes, each of which exists before where `old`. `found`: copies of inputs that it finds."""

    def __init__(self, name, words, outputs=(), old=True, found=()):
        self.name, self.words, self.outputs, self.old, self.found = name, words.split(), outputs, old, found


COMMANDS = [
    Command("run", "run ../in/steps.json --force -o out.h5", ["out.h5"]),
    Command("run new", "run ../in/steps.json -q -o out.h5", ["out.h5"], False),
    Command("run two", "run ../in/steps.json ../in/map.json -q --force -o .", ["steps.h5", "map.h5"]),
    Command("run varied", "run ../in/varied.json --json --force -o out.h5", ["out.h5"]),
    Command("run own", "run ../in/own.json --device cpu --force -o out.h5", ["out.h5"]),
    Command("run stability", "run ../in/map.json --force -o out.h5", ["out.h5"]),
    Command("run rounding", "run ../in/rounding.json --device host --force -o out.h5", ["out.h5"]),
    Command("run windows", "run ../in/windows.json --device host --memory 4M --force -o out.h5", ["out.h5"]),
    Command("run kept", "run ../in/steps.json --journal 0 --force -o out.h5", ["out.h5"]),
    Command("run spilled", "run ../in/many.json --memory 1 --journal off --force -o out.h5", ["out.h5"]),
    Command("run shard", "run ../in/map.json --shard 1/2 -o map.h5", ["map.h5.1of2.journal"], False),
    Command("merge", "merge ../in/map.json --force -o map.h5", ["map.h5"], found=["map.h5.1of2.journal", "map.h5.2of2.journal"]),
    Command("merge rest", "merge ../in/map.json --complete --force -o map.h5", ["map.h5"], found=["map.h5.1of2.journal"]),
    Command("merge windows", "merge ../in/networks.json --device host --force -o networks.h5", ["networks.h5"],
            found=["networks.h5.1of2.journal", "networks.h5.2of2.journal"]),
    Command("run resume", "run ../in/map.json --resume -o map.h5", found=["map.h5"]),
    Command("run dry", "run ../in/steps.json --dry-run"),
    Command("run kernel", "run ../in/steps.json --print-kernel"),
    Command("trace", "trace ../in/varied.json --force -o out.h5", ["out.h5"]),
    Command("check", "check ../in/varied.json"),
    Command("check own", "check ../in/own.json"),
    Command("check model", "check ../in/reservoirs.json"),
    Command("info", "info ../in/steps.h5"),
    Command("info json", "info ../in/steps.h5 --json"),
    Command("info trace", "info ../in/trace.h5"),
    Command("info trace json", "info ../in/trace.h5 --json"),
    Command("info stability", "info ../in/map.h5"),
    Command("info stability json", "info ../in/map.h5 --json"),
    Command("info journal", "info ../in/map.h5.1of2.journal"),
    Command("info journal json", "info ../in/map.h5.1of2.journal --json"),
    Command("info rank", "info ../in/steps.h5 --rank output_error --error 1e-2"),
    Command("info rank json", "info ../in/steps.h5 --rank output_error --budget 50 --json"),
    Command("plot", "plot ../in/steps.h5 --force -o out.svg", ["out.svg"]),
    Command("plot new", "plot ../in/steps.h5 -o out.svg", ["out.svg"], False),
    Command("plot script", "plot ../in/steps.h5 --script --force -o out.svg", ["out.svg", "out.gp", "out.dat"]),
    Command("plot cost", "plot ../in/steps.h5 --kind cost --force -o out.svg", ["out.svg"]),
    Command("plot lines", "plot ../in/steps.h5 --kind lines --metric output_error,evaluations --force -o out.svg",
            ["out.svg"]),
    Command("plot points", "plot ../in/steps.h5 --kind points --x order --force -o out.svg", ["out.svg"]),
    Command("plot map", "plot ../in/map.h5 --force -o out.svg", ["out.svg"]),
    Command("plot trace", "plot ../in/trace.h5 --force -o out.svg", ["out.svg"]),
    Command("plot traces", "plot ../in/trace.h5 ../in/trace2.h5 --force -o out.svg", ["out.svg"]),
    Command("report", "report ../in/steps.h5 --force -o out.html", ["out.html"]),
    Command("report map", "report ../in/map.h5 -o -"),
    Command("report trace", "report ../in/trace.h5 --force -o out.html", ["out.html"]),
    Command("export csv", "export ../in/steps.h5 --force -o out.csv", ["out.csv"]),
    Command("export csv trace", "export ../in/trace.h5 -o -"),
    Command("export csv group", "export ../in/map.h5 --group refined -o -"),
    Command("export matlab", "export ../in/map.h5 --format matlab --force -o out.mat", ["out.mat"]),
    Command("export ssp", "export ../in/two_mass_oscillator.json --format ssp --force -o out.ssp", ["out.ssp"]),
    Command("export osp", "export ../in/two_mass_oscillator.json --format osp -o fmus",
            ["fmus/oscillator1.fmu", "fmus/oscillator2.fmu", "fmus/OspSystemStructure.xml"], False),
    Command("export fmu", "export ../in/two_mass_oscillator.json --format fmu -o fmus",
            ["fmus/oscillator1.fmu", "fmus/oscillator2.fmu"], False),
    Command("import json", "import ../in/motor_load.json --force -o out.json", ["out.json"]),
    Command("import mo", "import ../in/linear_motor.mo --force -o out.json", ["out.json"]),
    Command("compare", "compare ../in/steps.h5 ../in/steps.h5"),
    Command("verify", "verify ../in/map.h5"),
    Command("verify again", "verify ../in/steps.h5 --recompute 3"),
    Command("explain", "explain ../in/reservoirs.json --device host --force -o out.html", ["out.html"]),
    Command("explain json", "explain ../in/linear_feedthrough.json --device host --steps 0.1:0.2 --json"),
    Command("recommend", "recommend ../in/reservoirs.json --error 1e-2 --t-end 0.2 --device host --force -o out.json",
            ["out.json"]),
    Command("export xdmf", "export ../in/map.h5 --format xdmf --force -o out.xmf", ["out.xmf"]),
    Command("import", "import ../in/two_mass.mat --force -o out.json", ["out.json"]),
    Command("import hdf5", "import ../in/plain_v73.mat --force -o out.json", ["out.json"]),
    Command("import npz", "import ../in/any.npz --force -o out.json", ["out.json"]),
    Command("import result", "import ../in/steps.h5 --force -o out.json", ["out.json"]),
    Command("new", "new demo", ["demo/model.json", "demo/sweep.json"], False),
    Command("schema", "schema sweep"),
    Command("devices", "devices"),
    Command("help", "run --help"),
    Command("version", "--version"),
]

# Commands that leave a journal where they fail.
KEEPING = ("run kept", "merge", "merge rest", "merge windows")

# Commands that do what others do as well, but for one thing that is no matter of the device: calls of OpenCL fail in
# them, too, but all other calls on the host, where kernels need not be loaded each time.
ALIKE = ("run new", "run two", "run kept", "run spilled", "run shard")

# Other properties of a device make other kernels: only commands that build none are run without them.
LISTINGS = ("run dry", "run kernel", "check", "check own", "devices")

SWEEPS = {
    "steps": '"study": "simulation", "model": "two_mass_oscillator.json", "t_end": 1,'
             ' "method": {"feedthrough": "explicit", "step": {"control": "fixed"}},'
             ' "axes": [{"name": "order", "path": "method.order", "values": [0, 1]},'
             ' {"name": "H", "path": "method.step.size", "values": [0.05, 0.1, 0.2], "unit": "s"}],'
             ' "metrics": ["output_error", "evaluations"], "fits": [{"along": "H"}]',
    "many": '"study": "simulation", "model": "two_mass_oscillator.json", "t_end": 0.5,'
            ' "method": {"feedthrough": "explicit", "step": {"control": "fixed"}},'
            ' "axes": [{"name": "H", "path": "method.step.size", "linspace": [0.1, 0.2, 4100], "unit": "s"},'
            ' {"name": "order", "path": "method.order", "values": [0, 1]}],'
            ' "metrics": ["output_error", "output_defect"], "fits": [{"along": "H", "metrics": ["output_error"]}]',
    "varied": '"study": "simulation", "model": "reservoirs.json", "t_end": 1.2,'
              ' "method": {"order": 1, "feedthrough": "explicit",'
              ' "step": {"control": "pi_defect", "tolerance": 0.01, "initial": 0.05}},'
              ' "metrics": ["output_error", "steps"]',
    "own": '"study": "simulation", "model": "linear_feedthrough.json", "t_end": 1,'
           ' "method": {"order": 0, "feedthrough": "explicit",'
           ' "master": {"kernel": "moving_average.clh", "memory": 2}},'
           ' "axes": [{"name": "H", "path": "method.step.size", "values": [0.1, 0.2]}], "metrics": ["output_error"]',
    "rounding": '"study": "simulation", "model": "two_mass_oscillator.json", "t_end": 1,'
                ' "axes": [{"name": "H", "path": "method.step.size", "values": [0.1, 0.2]}],'
                ' "metrics": ["output_error", "rounding", "spectral_radius"]',
    # of two windows: as many runs as --memory allows, or networks as a merger plans at once
    "windows": '"study": "simulation", "model": "two_mass_oscillator.json", "t_end": 0.2,'
               ' "axes": [{"name": "H", "path": "method.step.size", "linspace": [0.1, 0.2, 4100]}],'
               ' "metrics": ["output_error", "spectral_radius"], "fits": [{"along": "H"}]',
    "networks": '"study": "simulation", "model": "mass_chain.json", "t_end": 0.1,'
                ' "method": {"step": {"size": 0.1}},'
                ' "axes": [{"name": "k", "path": "parameters.k", "linspace": [4, 5, 4600]}], "metrics": ["output_error"]',
    "map": '"study": "stability", "model": "linear_feedthrough.json",'
           ' "method": {"hold": "lagrange", "feedthrough": "explicit", "step": {"size": 0.1}},'
           ' "axes": [{"name": "d1", "path": "parameters.d1", "linspace": [-1.9, 1.9, 5]},'
           ' {"name": "d2", "path": "parameters.d2", "linspace": [-1.9, 1.9, 5]}],'
           ' "metrics": ["spectral_radius", "stable"], "boundary": {"along": "d2"}, "refine": 1',
}

# Draws nothing, but each figure has bytes of its own.
GNUPLOT = """#!/bin/sh
exec >figure.out
echo '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><!--'
cksum <figure.gp
cksum <figure.dat
echo '--></svg>'
"""


# Has read every file, by what host/import/foreign.c takes: the variables of it, a structure with A. Another one has not.
PYTHON = """#!/bin/sh
cat ../in/answer >/proc/self/fd/$3
"""
NUMBERS, STRUCT, WARNING, VARIABLES = 0, 3, 1, 2


def of_python():
    def counts(*numbers):
        return struct.pack(f"{len(numbers)}N", *numbers)

    def variable(name, kind, body, parts=b"", count=0):
        return counts(len(name)) + name + counts(kind, 1, 1, 0, 0) + body + counts(count) + parts
    return (counts(WARNING, 4) + b"told" + counts(VARIABLES)
            + variable(b"", STRUCT, b"", variable(b"A", NUMBERS, struct.pack("d", -1.0)), 1))


def quick(*words, **more):
    return subprocess.run(words, check=True, **more)


def prepare(folder, options):
    """What all workers read: sweeps, their results, kernels, a gnuplot."""
    inputs = folder / "in"
    for name in ("in", "bin"):
        (folder / name).mkdir()
    put_inputs(inputs, options.source, ("two_mass_oscillator", "reservoirs", "linear_feedthrough", "mass_chain"), SWEEPS)
    shutil.copy(options.source / "sweeps" / "moving_average.clh", inputs)
    for name in ("motor_load.json", "linear_motor.mo"):
        shutil.copy(options.source / "tests" / "data" / "import" / name, inputs)
    for name in ("two_mass.mat", "plain_v73.mat"):
        shutil.copy(options.source / "tests/data/import" / name, inputs)
    (folder / "bin" / "gnuplot").write_text(GNUPLOT)
    (folder / "bin" / "python3").write_text(PYTHON)
    (inputs / "answer").write_bytes(of_python())
    for name in ("gnuplot", "python3"):
        (folder / "bin" / name).chmod(0o755)
    kept = pathlib.Path(os.environ.get("COSWEEP_CACHE", folder / "kept"))
    kept.mkdir(mode=0o700, parents=True, exist_ok=True)
    environment = dict(os.environ, COSWEEP_CACHE=str(kept))
    program = options.program
    for name in ("steps", "map"):
        quick(program, "run", f"{name}.json", "-q", "-o", f"{name}.h5", cwd=inputs, env=environment)
    for name, device in (("own", "cpu"), ("varied", options.device))[0 if options.opencl else 1:]:
        quick(program, "run", f"{name}.json", "-q", "-o", f"../{name}.h5", "--device", device, cwd=inputs, env=environment)
    for name, device in (("map", options.device), ("networks", "host")):
        for shard in ("1/2", "2/2"):
            quick(program, "run", f"{name}.json", "-q", "-o", f"{name}.h5", "--shard", shard, "--device", device,
                  cwd=inputs, env=environment, stdout=subprocess.DEVNULL)
    for name, tolerance in (("trace", "0.01"), ("trace2", "0.02")):
        quick(program, "trace", "varied.json", "-q", "-o", f"{name}.h5", "--set",
              f"method.step.tolerance={tolerance}", cwd=inputs, env=environment, stdout=subprocess.DEVNULL)
    return kept


def contents(folder, read):
    """Files as path: bytes, or None where they are not to be read; folders as path: None. Journals name processes."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(path, name), folder)] = None
        for name in files:
            full = os.path.join(path, name)
            whole = read and stat.S_ISREG(os.lstat(full).st_mode) and not name.endswith(".journal")
            found[os.path.relpath(full, folder)] = pathlib.Path(full).read_bytes() if whole else None
    return found


def drivers():
    """Libraries that OpenCL loads for each process that asks for devices, which takes as long as most commands."""
    found = sorted(pathlib.Path("/etc/OpenCL/vendors").glob("*.icd"))
    return [name for path in found for name in path.read_text().split()]


class Place:
    """The folders of a worker: work/ with what a command finds, cache/ with kernels, tmp/ for temporary files."""

    def __init__(self, folder, kept, options):
        self.folder, self.options = folder, options
        folder.mkdir()
        (folder / "in").symlink_to("../in")
        (folder / "tmp").mkdir()
        shutil.copytree(kept, folder / "cache")
        (folder / "cache").chmod(0o700)
        self.cached = None

    def clear(self, command):
        for name in ("work", "tmp", "cache/run"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            (self.folder / name).mkdir()
        for name in command.outputs if command.old else []:
            (self.folder / "work" / name).write_text(OLD)
        for name in command.found:
            shutil.copy(self.folder / "in" / name, self.folder / "work")

    def serve(self, command, loads=(), device=None):
        environment = dict(os.environ, COSWEEP_DEVICE=device or self.options.device, LD_BIND_NOW="1",
                           LD_PRELOAD=str(self.options.library), FAULT=",".join(FUNCTIONS),
                           FAULT_LOAD=",".join(loads), TMPDIR=str(self.folder / "tmp"),
                           COSWEEP_CACHE=str(self.folder / "cache"),
                           PATH=f"{self.folder.parent / 'bin'}:{os.environ['PATH']}")
        if self.options.where:
            environment["FAULT_WHERE"] = "1"
        if self.options.objects:
            environment["FAULT_FROM"] = self.options.objects
        return subprocess.Popen([str(self.options.program), *command.words], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, env=environment, text=True)

    def ask(self, server, command, function, n):
        """Status, calls of each function where n is 0, and what it left: output, messages, files."""
        full = function == "full"
        self.clear(command)
        server.stdin.write(f"{n} {self.folder / 'work'} {function}{' full' if full else ''}\n")
        server.stdin.flush()
        status, *calls = map(int, server.stdout.readline().split())
        out = (self.folder / "out.txt").read_bytes() if not full else b""
        err = (self.folder / "err.txt").read_bytes().decode(errors="replace")
        left = {name: contents(self.folder / name, name == "work") for name in ("work", "tmp", "cache")}
        return status, dict(zip(FUNCTIONS, calls)), out, err, left


def may_stay(command, function, name, more):
    """Whether files may be left there: one whose removal failed, what the next process removes, and a journal."""
    if name == "work" and more == [f"{command.outputs[0]}.journal"] and command.name in KEEPING:
        return True
    if name == "cache":
        return function in ("memory", "open", "stat", "unlink") and all(path.startswith("run/") for path in more)
    files = [path for path in more if not any(other.startswith(path + "/") for other in more)]
    return function == "unlink" and len(files) == 1


def lacks_figures(command, function, got):
    """A report without figures says so, and that gnuplot cannot be used is no failure of it."""
    return command.name.startswith("report") and function != "memory" and "no figures:" in got[3]


def needs_no_device(command, function):
    """Whether the command shows what it can without a device, or without properties of it."""
    return function == "query" or (function == "opencl" and command.name.startswith("check"))


def lists_devices_in_trouble(command, function):
    return command.name == "devices" and function == "query"


def without_cache(out):
    """What is printed, but for what the cache decides: kernels that it cannot read are not in it, and runs that have to
    build them are long enough for a journal."""
    lines = [line for line in out.splitlines() if not line.startswith((b"  kernels ", b"  time ", b"  journal "))]
    return [re.sub(rb'"kernels_(built|kept)": \d+', b"", line) for line in lines]


def without_measured(out):
    """What is printed, but for the memory that the process has, which is measured."""
    return re.sub(rb'(  memory +(?:about|at least) )[\d.]+ \w+|"host_memory": \d+', rb"\1", out)


def judge(command, function, clean, got):
    """What is wrong with an execution, or its kind: "same", "failed"."""
    status, _, out, err, left = got
    _, _, clean_out, _, clean_left = clean
    out, clean_out = without_measured(out), without_measured(clean_out)
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    code = os.WEXITSTATUS(status)
    for name in ("tmp", "cache", "work"):
        more = sorted(set(left[name]) - set(clean_left[name]))
        if more and may_stay(command, function, name, more):
            for path in more:
                del left[name][path]
        elif more:
            return f"status {code}, {name}/{more[0]} left"
    if code == 0 and ((err and needs_no_device(command, function)) or lacks_figures(command, function, got)):
        return "failed"
    for path, data in left["work"].items():
        before = OLD.encode() if command.old and path in command.outputs else None
        if data not in (before, clean_left["work"][path]):
            return f"status {code}, {path} is neither old nor new"
    if code == 0:
        if function != "full" and without_cache(out) != without_cache(clean_out):
            return "status 0 with other output"
        if left["work"] != clean_left["work"]:
            return "status 0 with another result"
        return "same" if function != "full" or not clean_out else "status 0 though nothing was printed"
    missing = [path for path in command.outputs if command.old and path not in left["work"]]
    if missing:
        return f"status {code}, {missing[0]} is gone"
    if not err:
        return f"status {code} without a message"
    if not clean_out.startswith(out) and not lists_devices_in_trouble(command, function):
        return f"status {code} with other output"
    wanted = FUNCTIONS[function]
    if code not in wanted:
        return f"status {code}: {err.strip().splitlines()[-1]}"
    return "failed"


def where(place, options):
    """Who made the call that failed, innermost first; names of static functions need a program built with -g."""
    path = place.folder / "where.txt"
    if not options.where or not path.exists():
        return ""
    inside = re.findall(re.escape(options.program.name) + r"\(.*?\+?(0x[0-9a-f]+)?\) ?\[", path.read_text())
    said = subprocess.run(["addr2line", "-f", "-s", "-e", options.program, *inside[:7]],
                          capture_output=True, text=True).stdout.split("\n")
    return "  in " + " < ".join(f"{name} ({line.split(' ')[0]})" for name, line in zip(said[::2], said[1::2]))


def arguments():
    """A parser of what every harness here is told."""
    parser = argparse.ArgumentParser()
    for name in ("program", "library", "source"):
        parser.add_argument(name, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--most", type=int)
    return parser


def put_inputs(folder, source, models, sweeps):
    for model in models:
        shutil.copy(source / "models" / model / "model.json", folder / f"{model}.json")
    for name, text in sweeps.items():
        (folder / f"{name}.json").write_text(f'{{"format": "cosweep-sweep/1", "name": "{name}", {text}}}\n')


def choose(calls, most):
    """Numbers of the calls to fail: all, or the first and further ones spread evenly."""
    if most is None or calls <= most:
        return list(range(1, calls + 1))
    return sorted({1 + round(i * (calls - 1) / max(1, most - 1)) for i in range(most)})


class Table:
    """Prints what was tried of each command at its end, so that what has been found is seen where the rest is not."""

    def __init__(self):
        self.lock, self.total, self.wrong = threading.Lock(), [0, 0, 0, 0, 0], False
        print(f"{'command':20} {'function':10} {'calls':>6} {'tried':>6} {'failed':>6} {'same':>6} {'WRONG':>6}", flush=True)

    def add(self, command, found):
        """`found`: (function, calls, [(number of the call, verdict)]) of all functions that it calls."""
        with self.lock:
            for function, calls, verdicts in found:
                kinds = [verdict for _, verdict in verdicts]
                failed, same = kinds.count("failed"), kinds.count("same")
                row = [calls, len(kinds), failed, same, len(kinds) - failed - same]
                self.total = [a + b for a, b in zip(self.total, row)]
                self.show(command.name, function, row)
            for function, _, verdicts in found:
                for n, verdict in verdicts:
                    if verdict not in ("failed", "same"):
                        self.wrong = True
                        print(f"WRONG: {command.name}, call {n} of {function}: {verdict}", flush=True)

    def show(self, command, function, row):
        print(f"{command:20} {function:10} {row[0]:6} {row[1]:6} {row[2]:6} {row[3]:6} {row[4] or '':>6}", flush=True)


def try_function(place, server, command, function, clean, calls):
    verdicts = []
    for n in [0] if function == "full" else choose(calls, place.options.most):
        verdict = judge(command, function, clean, place.ask(server, command, function, n))
        verdicts.append((n, verdict if verdict in ("same", "failed") else verdict + where(place, place.options)))
    return function, calls, verdicts


def try_functions(place, server, command, functions, clean):
    calls = dict(clean[1], full=1)
    return [try_function(place, server, command, function, clean, calls[function]) for function in functions
            if calls[function] > 0 and (function != "query" or command.name in LISTINGS)]


def try_on_host(place, command, functions):
    with place.serve(command, device="host") as server:
        clean = place.ask(server, command, "memory", 0)
        return try_functions(place, server, command, functions, clean)


def try_command(place, command, functions):
    with place.serve(command) as server:
        clean = place.ask(server, command, "memory", 0)
        if clean[0] != 0:
            return [("none", 1, [(0, f"wait status {clean[0]} without a fault: {clean[3].strip()}")])]
        if clean[1]["opencl"] == 0:
            return try_functions(place, server, command, functions, clean)
    here = [f for f in functions if f == "opencl"] if command.name in ALIKE else functions
    with place.serve(command, drivers()) as server:
        found = try_functions(place, server, command, here, clean)
    elsewhere = [f for f in functions if f not in here]
    return found + (try_on_host(place, command, elsewhere) if elsewhere else [])


def work(place, commands, functions, table):
    while True:
        with table.lock:
            if not commands:
                return
            command = commands.pop(0)
        try:
            table.add(command, try_command(place, command, functions))
        except Exception as fault:  # the harness itself
            table.add(command, [("none", 1, [(0, f"the harness failed: {fault!r}")])])


def main():
    parser = arguments()
    parser.add_argument("--commands", default="")
    parser.add_argument("--functions", default="")
    parser.add_argument("--from", dest="objects")
    parser.add_argument("--device", default="cpu", help="cpu: calls of OpenCL fail as well; host takes a third of the time")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--where", action="store_true", help="say who made a call whose failure goes wrong")
    options = parser.parse_args()
    options.opencl = has_opencl("fragments of OpenCL; what else it computes, the host does")
    if not options.opencl:
        options.device = "host"
    os.environ["COSWEEP_DEVICE"] = options.device
    commands = [c for c in COMMANDS if re.search(options.commands, c.name) and (options.opencl or "cpu" not in c.words)]
    functions = [f for f in FUNCTIONS if re.search(options.functions, f)]
    table = Table()
    with scratch() as name:
        folder = pathlib.Path(name)
        kept = prepare(folder, options)
        places = [Place(folder / f"place{i}", kept, options) for i in range(options.jobs)]
        threads = [threading.Thread(target=work, args=(place, commands, functions, table)) for place in places]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    table.show("all", "", table.total)
    return 1 if table.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
