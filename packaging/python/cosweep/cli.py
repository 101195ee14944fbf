"""python3 -m cosweep import: `cosweep import` of files that Python reads."""

import argparse
import contextlib
import io
import json
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from . import arrays, fmi, ssp
from .network import Network
from .program import Error, find_program

READ = (".fmu", ".ssp", ".ssd", ".npz", ".py")


def read_npz(path):
    """Arrays A, B, C, D, ... of one subsystem, or NAME.A, NAME.B, ... of several."""
    label = Path(path).name
    try:
        with np.load(path, allow_pickle=False) as file:
            found = {key: file[key] for key in file.files}
    except (ValueError, OSError) as error:
        raise ValueError(f"{label}: {error}") from error
    systems, connections = {}, []
    for key, value in found.items():
        name, _, part = key.replace("/", ".").rpartition(".")
        if key == "connections":
            connections = [[str(v) for v in row] for row in np.atleast_2d(value)]
        else:
            systems.setdefault(name, {})[part] = value
    return systems, connections


def of_network(net):
    """Subsystems and connections of a Network."""
    def units(s, key):
        return [s["units"].get(name, "") for name in s[key]]
    systems = {s["name"]: {**{k: s[k] for k in arrays.SHAPES}, "StateName": s["states"], "InputName": s["inputs"],
                           "OutputName": s["outputs"], "StateUnit": units(s, "states"), "InputUnit": units(s, "inputs"),
                           "OutputUnit": units(s, "outputs")} for s in net.subsystems}
    return systems, [[c["value"], c["to"]] if "value" in c else [c["from"], c["to"], c.get("gain", 1.0)]
                     for c in net.connections]


def read_script(path):
    """What a Python file leaves in its variables: one Network, or systems with A, B, C, D."""
    space = {k: v for k, v in runpy.run_path(str(path)).items() if not k.startswith("_") and not isinstance(v, type)}
    nets = [v for v in space.values() if isinstance(v, Network)]
    systems = {k: v for k, v in space.items() if not arrays.is_array(v) and arrays.is_system_like(v)}
    label = Path(path).name
    if len(nets) > 1:
        raise ValueError(f"{label}: {len(nets)} networks; want one")
    if nets and nets[0].subsystems:
        return of_network(nets[0])
    if not systems:
        raise ValueError(f"{label}: no Network and no system with A, B, C, D")
    try:
        return {name: arrays.of_system(name, value) for name, value in systems.items()}, []
    except ValueError as error:
        raise ValueError(f"{label}: {error}") from error


def read_file(path, options):
    """Subsystems, connections and warnings of a file."""
    suffix = Path(path).suffix
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: no such file")
    if suffix == ".npz":
        return (*read_npz(path), [])
    if suffix == ".py":
        return (*read_script(path), [])
    if suffix == ".fmu":
        parts, warnings = fmi.read(path, step=options.identify or options.step, states=options.states,
                                   black_box=options.identify is not None, at=options.at)
        return {"": parts}, [], warnings
    parts, wires, constants, warnings = ssp.read(path, options.at, options.step, options.identify, options.states)
    return parts, [list(w) for w in wires] + [[value, to] for to, value in constants], warnings


def parser():
    out = argparse.ArgumentParser(prog="python3 -m cosweep", description="Models of FMUs, SSP files, NumPy archives and "
                                  "Python files; other files are given to the program.")
    one = out.add_subparsers(dest="command", required=True).add_parser("import")
    one.add_argument("files", nargs="+", metavar="FILE")
    one.add_argument("-o", "--output", metavar="MODEL.json", help="model file to write")
    one.add_argument("--name", help="name of the model")
    one.add_argument("--connect", action="append", default=[], metavar='"A.Y -> B.U [* GAIN]"')
    one.add_argument("--match", action="store_true", help="connect outputs to inputs of the same name")
    one.add_argument("--force", action="store_true", help="replace an existing file")
    one.add_argument("--identify", type=float, metavar="H",
                     help="take FMUs as black boxes and find their matrices from responses with steps of H s")
    one.add_argument("--states", type=int, metavar="N", help="number of states of black boxes")
    one.add_argument("--at", type=float, metavar="T", help="run FMUs and SSP files up to T s first")
    one.add_argument("--step", type=float, metavar="H", help="step size (s) of --at, and of black boxes")
    return out


def convert(options, place):
    """The files for the program, and what their names stand for."""
    files, shown = [], {}
    for number, path in enumerate(options.files):
        if Path(path).suffix not in READ:
            files.append(path)
            continue
        systems, connections, told = read_file(path, options)
        for warning in told:
            print(warning, file=sys.stderr)
        folder = place / str(number)
        folder.mkdir()
        made = folder / (Path(path).stem + ".h5")
        try:
            arrays.write(made, systems, connections)
        except ValueError as error:
            raise ValueError(f"{Path(path).name}: {error}") from error
        files.append(str(made))
        shown[str(made)] = path
    return files, shown


def check_options(options):
    """Options of FMUs without any, and FMUs whose common point of operation nothing here can find."""
    kinds = {Path(path).suffix for path in options.files}
    for name in ("identify", "states", "at", "step"):
        if getattr(options, name) is not None and not kinds & {".fmu", ".ssp", ".ssd"}:
            raise Error(f"cosweep import: --{name}: means nothing without FMUs", 2)
        if getattr(options, name) is not None and getattr(options, name) <= 0:
            raise Error(f"cosweep import: --{name} {getattr(options, name)}; want a number above 0", 2)
    if options.at is not None and ".fmu" in kinds and (options.connect or options.match):
        raise Error("cosweep import: --at: FMUs run up to there one by one; want an SSP file of those that are connected", 2)


def check_output(options):
    """Neither a file that is read nor, without --force, one that exists."""
    if options.output is None or not os.path.exists(options.output):
        return
    if any(os.path.exists(path) and os.path.samefile(path, options.output) for path in options.files):
        raise Error(f"cosweep import: {options.output} would be overwritten; want another -o", 2)
    if not options.force:
        raise Error(f"cosweep import: {options.output} exists; want --force to replace it", 5)


def with_names(text, shown):
    """What the program says, with the names of the files that were given."""
    for path, original in shown.items():
        text = text.replace(path, str(original)).replace(Path(path).name, Path(original).name)
    return text


def imported(options):
    """Exit status of the program."""
    check_options(options)
    check_output(options)
    place = Path(tempfile.mkdtemp(prefix="cosweep-"))
    try:
        files, shown = convert(options, place)
        made = place / "model.json"
        words = [find_program(), "import", *files, "-o", str(made), *["--match"] * options.match]
        for wish in options.connect:
            words += ["--connect", wish]
        if options.name:
            words += ["--name", options.name]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode == 0:
            model = with_names(made.read_text(encoding="utf-8"), shown)
            options.output = options.output or json.loads(model)["name"] + ".json"
            check_output(options)
            Path(options.output).write_text(model, encoding="utf-8")
        sys.stderr.write(with_names(done.stderr, shown))
        sys.stdout.write(with_names(done.stdout, shown).replace(str(made), str(options.output)))
        return done.returncode
    finally:
        shutil.rmtree(place, ignore_errors=True)


def load(paths, called=None, **options):
    """The model that `cosweep import` makes of files, each `called` by a name of its own if given; warns of what it says
    on standard error."""
    given = parser().parse_args(["import", *map(str, paths)])
    for key, value in options.items():
        if not hasattr(given, key):
            raise TypeError(f"no option {key}; want one of: name, connect, match, identify, states, at, step")
        setattr(given, key, value if key != "connect" or value is not None else [])
    for path in paths:
        if not os.path.exists(path):
            raise FileNotFoundError(f"{path}: no such file")
    with tempfile.TemporaryDirectory(prefix="cosweep-") as folder:
        given.output = str(Path(folder) / "model.json")
        if called is not None:
            given.files = [shutil.copy(path, Path(folder) / (name + Path(path).suffix)) for name, path in zip(called, paths)]
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            status = imported(given)
        text = said.getvalue().replace(f"{folder}/", "").strip()
        if status != 0:
            raise Error(text, status)
        for line in text.splitlines():
            warnings.warn(line, stacklevel=3)
        return json.loads(Path(given.output).read_text(encoding="utf-8"))


def main(words=None):
    options = parser().parse_args(words)
    try:
        return imported(options)
    except ImportError as error:
        print(error, file=sys.stderr)
        return 5
    except Error as error:
        print(error, file=sys.stderr)
        return error.status
    except OSError as error:
        print(error, file=sys.stderr)
        return 5
    except ValueError as error:
        print(error, file=sys.stderr)
        return 3
