#!/usr/bin/python3
"""Kills a run at calls that change files, or has one fail there, then the run that goes on, and checks the third.

usage: kills.py PROGRAM LIBRARY SOURCE [--most N | --imports N]

LIBRARY is built from fault.c. At call n of a function the process ends as by kill -9, before it or after half of a
write; it is started again and ends likewise at another call; a third one is left alone. Its result must be that of an
unharmed run, with nothing left behind, whatever the journal was like: the same bytes, or with variable steps, whose
provenance says how vectors were filled, no difference to `compare`. --most tries N calls of each function, spread
evenly, rather than all.

Then commands that make temporary folders are killed likewise, and the same command, left alone, has to leave none.

Then commands get a Ctrl-C right after call n of a function, as if it came just then: they end with 0 and all files
that an unharmed one writes, or with 130 and not all of them.

--imports N does something else: it ends `import`, of every kind of file that can be read here, N times at moments drawn by
chance, by kill -9, SIGTERM and SIGINT in turn. Then there is no model or a whole one, no process goes on, and the next
import leaves nothing beside it or among temporary files. FMUs and SSP files need a COSWEEP_PYTHON with FMPy.

Prints tables. Exits 0 if every third run, and every end of these, was right, else 1.
"""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from faults import arguments, choose, put_inputs

FUNCTIONS = [("write", "kill"), ("write", "half"), ("fsync", "kill"), ("open", "kill"), ("rename", "kill"),
             ("unlink", "kill"), ("close", "kill"), ("write", "fail"), ("fsync", "fail")]

METHOD = '"method": {"feedthrough": "explicit", "step": {"control": "fixed"}}'
SWEEPS = {
    # 64 runs one by one, and their spectra
    "fixed": f'"study": "simulation", "model": "two_mass_oscillator.json", "t_end": 1, {METHOD},'
             ' "axes": [{"name": "order", "path": "method.order", "values": [0, 1]},'
             ' {"name": "H", "path": "method.step.size", "logspace": [0.01, 0.5, 32], "unit": "s"}],'
             ' "metrics": ["output_error", "evaluations", "spectral_radius"], "fits": [{"along": "H"}]',
    "varied": '"study": "simulation", "model": "reservoirs.json", "t_end": 1.2,'
              ' "method": {"order": 1, "feedthrough": "explicit", "step": {"control": "pi_defect", "initial": 0.05}},'
              ' "axes": [{"name": "tolerance", "path": "method.step.tolerance", "logspace": [1e-4, 1e-1, 24]}],'
              ' "metrics": ["output_error", "steps"]',
    "map": '"study": "stability", "model": "linear_feedthrough.json",'
           ' "method": {"hold": "lagrange", "feedthrough": "explicit", "step": {"size": 0.1}},'
           ' "axes": [{"name": "d1", "path": "parameters.d1", "linspace": [-1.9, 1.9, 7]},'
           ' {"name": "d2", "path": "parameters.d2", "linspace": [-1.9, 1.9, 7]}],'
           ' "metrics": ["spectral_radius", "stable"], "boundary": {"along": "d2"}, "refine": 2',
}
OPTIONS = ["--device", "host", "--journal", "0", "--tile-runs", "8", "--resume", "--quiet", "-o", "out.h5"]

COMMANDS = {
    "run": "run ../in/fixed.json -q --device host --journal off -o out.h5",
    "report": "report ../in/fixed.h5 -o out.html",
    "export": "export ../in/fixed.h5 -o out.csv",
    "export osp": "export ../in/two_mass_oscillator.json --format osp -o .",
    "import": "import ../in/fixed.h5 -o out.json",
    "plot script": "plot ../in/fixed.h5 --script -o out.svg",
    "new": "new .",
}

SCRATCH = {"plot": "plot ../in/fixed.h5 -o out.svg"}


class Server:
    """The program before its main(), which runs as often as it is asked to."""

    def __init__(self, options, folder, words, function):
        self.work, self.function = folder / "work", function
        environment = dict(os.environ, LD_PRELOAD=str(options.library), FAULT=function, TMPDIR=str(folder / "tmp"))
        self.process = subprocess.Popen([options.program, *words],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)

    def ask(self, n, kind):
        """Status, and where n is 0 the number of calls."""
        self.process.stdin.write(f"{n} {self.work} {self.function} {kind}\n")
        self.process.stdin.flush()
        return list(map(int, self.process.stdout.readline().split()))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def left(work):
    return {path.name: path.read_bytes() for path in work.iterdir()}


def names(work):
    return {str(path.relative_to(work)) for path in work.rglob("*")}


def restart(work):
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()


def is_same(options, folder, sweep, found, clean):
    """Whether a third run left what an unharmed one does."""
    if sweep != "varied" or set(found) != set(clean):
        return found == clean
    (folder / "clean.h5").write_bytes(clean["out.h5"])
    return subprocess.run([options.program, "compare", folder / "clean.h5", folder / "work" / "out.h5"],
                          stdout=subprocess.DEVNULL).returncode == 0


def try_all(options, folder, sweep, function, kind):
    """Calls, third runs, those that went on from a journal, and what went wrong."""
    server, work = Server(options, folder, ["run", f"../in/{sweep}.json", *OPTIONS], function), folder / "work"
    restart(work)
    status, calls = server.ask(0, kind)
    clean, wrong, went_on = left(work), [], 0
    if status != 0 or list(clean) != ["out.h5"]:
        return calls, 0, 0, [f"status {status} without a fault, {sorted(clean)}"]
    numbers = choose(calls, options.most)
    for n in numbers:
        restart(work)
        killed = []
        for at in (n, 1 + 7 * n % calls):
            killed += server.ask(at, kind)
        journal = "out.h5.journal" in left(work)
        went_on += journal
        status, _ = server.ask(0, kind)
        found = left(work)
        if killed[0] not in (signal.SIGKILL if kind != "fail" else 5 << 8, 0):  # 0: there were fewer records to write
            wrong.append(f"call {n}: wait status {killed[0]}, want that of a kill, or of a failure that is told")
        if status != 0 or not is_same(options, folder, sweep, found, clean):
            said = (folder / "err.txt").read_text().strip()
            more = [name for name in found if found[name] != clean.get(name)]
            wrong.append(f"call {n}: the third run ends with {status} {said}; differing: {more}")
    server.close()
    return calls, len(numbers), went_on, wrong


def litter_all(options, folder, words, function):
    """Calls, kills, those that left a temporary folder, and what went wrong."""
    server, work, scratch = Server(options, folder, words, function), folder / "work", folder / "tmp"
    restart(work)
    status, calls = server.ask(0, "kill")
    clean, wrong, littered = names(work), [], 0
    if status != 0 or not clean or names(scratch):
        return calls, 0, 0, [f"status {status} without a kill, {sorted(clean)}, {sorted(names(scratch))}"]
    numbers = choose(calls, options.most)
    for n in numbers:
        restart(work)
        server.ask(n, "kill")
        littered += len(names(scratch)) > 0
        status, _ = server.ask(0, "kill")
        if status != 0 or names(work) != clean or names(scratch):
            wrong.append(f"call {n}: the second one ends with {status}, left are {sorted(names(work))}, "
                         f"{sorted(names(scratch))}")
    server.close()
    return calls, len(numbers), littered, wrong


def interrupt_all(options, folder, words, function):
    """Calls, those of which were followed by a signal, ends with 0, and what went wrong."""
    server, work = Server(options, folder, words, function), folder / "work"
    restart(work)
    status, calls = server.ask(0, "signal")
    clean, wrong, done = names(work), [], 0
    if status != 0 or not clean:
        return calls, 0, 0, [f"status {status} without a signal, {sorted(clean)}"]
    numbers = choose(calls, options.most)
    for n in numbers:
        restart(work)
        status = server.ask(n, "signal")[0]
        code, found = os.waitstatus_to_exitcode(status), names(work)
        done += code == 0
        if not (found == clean if code == 0 else code == 130 and found < clean):
            wrong.append(f"call {n}: status {code}, left are {sorted(found)}")
    server.close()
    return calls, len(numbers), done, wrong


# ---- imports at any moment

ENDS = {signal.SIGKILL: "SIGKILL", signal.SIGTERM: "SIGTERM", signal.SIGINT: "SIGINT"}
MARK = "COSWEEP_KILLS"  # in the environment of all processes of an import


def foreign_files(options, folder, python):
    """Files to import, by the name of their kind."""
    data = options.source / "tests/data/import"
    files = {"json": data / "motor_load.json", "mat": data / "two_mass.mat"}
    try:
        import archives
    except ImportError as missing:
        print(f"without .npz, .fmu, .ssp: {missing}")
        return files
    made = archives.sources(options.source, options.program)
    fmus = subprocess.run([python, "-c", "import fmpy, scipy"], stderr=subprocess.DEVNULL).returncode == 0
    for extension in (".npz", ".fmu", ".ssp") if fmus else (".npz",):
        files[extension[1:]] = folder / f"in/foreign{extension}"
        files[extension[1:]].write_bytes(made[extension][0])
    return files


def marked(mark):
    """Processes of an import, but not those that have ended."""
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (place / "environ").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except OSError:
            pass
    return found


def kill_import(options, folder, file, environment, moment, number):
    """Exit status, and what is wrong after a signal after so many seconds; without `number` there is none."""
    mark = f"{os.getpid()} {time.monotonic_ns()}"
    process = subprocess.Popen([options.program, "import", file, "-q", "--force", "-o", "out.json"], cwd=folder / "work",
                               env={**environment, MARK: mark}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if number is not None:
        time.sleep(moment)
        process.send_signal(number)
    process.wait()
    for _ in range(500):  # the system ends those of a killed one
        left_over = marked(mark)
        if not left_over:
            return process.returncode, ""
        time.sleep(0.01)
    for one in left_over:
        os.kill(one, signal.SIGKILL)
    return process.returncode, f"processes go on: {left_over}"


def kill_imports(options, folder):
    python = os.environ.get("COSWEEP_PYTHON", sys.executable)
    environment = {**os.environ, "COSWEEP_PYTHON": python, "PYTHONPATH": str(options.source / "packaging/python"),
                   "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(folder / "tmp")}
    work, scratch, dice, wrongs = folder / "work", folder / "tmp", random.Random(1), 0
    files, totals = foreign_files(options, folder, python), {}

    def unharmed(file):
        """The model, and seconds; nothing else may be there then."""
        begun = time.monotonic()
        status, wrong = kill_import(options, folder, file, environment, 0, None)
        seconds = time.monotonic() - begun
        found = left(work)
        if status != 0 or wrong or set(found) != {"out.json"} or names(scratch):
            raise SystemExit(f"WRONG: {file.name}: an unharmed import: {status} {wrong} {sorted(found)} {names(scratch)}")
        return found["out.json"], seconds

    restart(work)
    clean = {kind: unharmed(file) for kind, file in files.items()}
    for i in range(options.imports):
        kind, number = list(files)[i % len(files)], list(ENDS)[i // len(files) % len(ENDS)]
        model, seconds = clean[kind]
        restart(work)
        moment = dice.uniform(0, 1.1 * seconds)
        status, wrong = kill_import(options, folder, files[kind], environment, moment, number)
        found = left(work)
        littered = bool(names(scratch) or set(found) - {"out.json"})
        if status not in (0, -number) and not (status == 130 and number != signal.SIGKILL):
            wrong += f" status {status}"
        if found.get("out.json", model) != model or (status == 0 and not found):
            wrong += f" status {status} with {[(name, len(data)) for name, data in found.items()]}"
        if littered and number != signal.SIGKILL:
            wrong += f" leaves {sorted(found)}, {sorted(names(scratch))}"
        if littered:
            unharmed(files[kind])
        if wrong:
            print(f"WRONG: {kind}, {ENDS[number]} after {moment:.4f} s:{wrong}")
            wrongs += 1
        total = totals.setdefault((kind, number), [0, 0, 0])
        for at, more in enumerate((1, "out.json" in found, littered)):
            total[at] += more
    print(f"{'import':6} {'signal':8} {'tried':>6} {'model':>6} {'litter':>6}")
    for (kind, number), total in sorted(totals.items()):
        print(f"{kind:6} {ENDS[number]:8} {total[0]:6} {total[1]:6} {total[2]:6}")
    print(f"{options.imports} imports ended, {wrongs} wrong")
    return wrongs > 0


def main():
    parser = arguments()
    parser.add_argument("--imports", type=int)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in ("in", "work", "tmp"):
            (folder / part).mkdir()
        if options.imports is not None:
            return kill_imports(options, folder)
        put_inputs(folder / "in", options.source, ("two_mass_oscillator", "reservoirs", "linear_feedthrough"), SWEEPS)
        print(f"{'function':14} {'sweep':8} {'calls':>6} {'killed':>6} {'journal':>7} {'WRONG':>6}")
        total = [0, 0, 0]
        for function, kind in FUNCTIONS:
            for sweep in SWEEPS:
                calls, tried, went_on, wrong = try_all(options, folder, sweep, function, kind)
                print(f"{function + ' ' + kind:14} {sweep:8} {calls:6} {tried:6} {went_on:7} {len(wrong) or '':>6}")
                for line in wrong:
                    print(f"WRONG: {sweep}, {function} {kind}, {line}")
                total = [total[0] + tried, total[1] + went_on, total[2] + len(wrong)]
        print(f"{'all':30} {total[0]:6} {total[1]:7} {total[2]:6}")
        subprocess.run([options.program, "run", "fixed.json", "-q"], cwd=folder / "in", check=True,
                       stdout=subprocess.DEVNULL)
        print(f"\n{'function':14} {'command':14} {'calls':>6} {'killed':>6} {'litter':>6} {'WRONG':>6}")
        littered = wrongs = 0
        for function in ("open", "unlink"):
            for name, words in SCRATCH.items():
                calls, tried, left_some, wrong = litter_all(options, folder, words.split(), function)
                print(f"{function + ' kill':14} {name:14} {calls:6} {tried:6} {left_some:6} {len(wrong) or '':>6}")
                for line in wrong:
                    print(f"WRONG: {name}, {function} kill, {line}")
                littered, wrongs = littered + left_some, wrongs + len(wrong)
        print(f"\n{'signal after':14} {'command':14} {'calls':>6} {'tried':>6} {'done':>6} {'WRONG':>6}")
        finished = 0
        for function in ("rename", "fsync", "unlink"):
            for name, words in COMMANDS.items():
                calls, tried, done, wrong = interrupt_all(options, folder, words.split(), function)
                print(f"{function:14} {name:14} {calls:6} {tried:6} {done:6} {len(wrong) or '':>6}")
                for line in wrong:
                    print(f"WRONG: {name}, signal after {function}, {line}")
                finished, wrongs = finished + done, wrongs + len(wrong)
        failed = total[2] + wrongs > 0 or total[1] == 0 or littered == 0 or finished == 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
