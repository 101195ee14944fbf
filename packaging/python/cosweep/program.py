"""The commands of the program cosweep."""

import atexit
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

_OPTIONS = {"device", "lanes", "tile_runs", "memory", "no_fragments"}
_numbers = itertools.count(1)
_folder = None
_checked = set()  # programs whose version is right


class Error(Exception):
    """What the program said; status: its exit status."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class Figure:
    """A figure; notebooks show it."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        Path(path).write_text(self.svg, encoding="utf-8")


def _place():
    """A new folder that is removed when Python ends."""
    global _folder
    if _folder is None:
        _folder = Path(tempfile.mkdtemp(prefix="cosweep-"))
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    place = _folder / str(next(_numbers))
    place.mkdir()
    return place


def _words(options):
    """Options of the command line: lists with commas, True for a flag, a dict for PATH=VALUE."""
    words = []
    for key, value in options.items():
        name = "--" + (key if key == "H" else key.rstrip("_").replace("_", "-"))
        if isinstance(value, dict):
            for path, item in value.items():
                words += [name, f"{path}={item if isinstance(item, str) else json.dumps(_plain(item))}"]
        elif value is True:
            words.append(name)
        elif value is not None and value is not False:
            values = [value] if isinstance(value, str) or np.ndim(value) == 0 else value
            words += [name, ",".join(str(v) for v in values)]
    return words


def find_program():
    """The path of the program; raises Error if there is none."""
    program = os.environ.get("COSWEEP") or shutil.which("cosweep")
    if program is None:
        raise Error("the program cosweep is not installed; want it in PATH, or its path in COSWEEP", 5)
    if program not in _checked:
        _check_version(program)
        _checked.add(program)
    return program


def _check_version(program):
    """Raises Error where the program is older than an installed package."""
    from importlib import metadata  # as late as its user: reading it takes longer than numpy
    try:
        want = metadata.version("cosweep").split(".")[:2]
    except metadata.PackageNotFoundError:  # from a checkout
        return
    try:
        said = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    except OSError as error:
        raise Error(f"{program}: {error.strerror}", 5) from error
    found = re.search(r"cosweep (\d+)\.(\d+)[\d.]*", said)
    if found is not None and tuple(map(int, found.groups())) < tuple(map(int, want)):
        raise Error(f"{found[0]} found, want {'.'.join(want)} or later", 5)


def _call(words, place=None, progress=False):
    program = find_program()
    words = [program, *map(str, words)]
    try:
        status, out, err = _watch(words) if progress else _listen(words)
    except OSError as error:
        raise Error(f"{program}: {error.strerror}", 5) from error
    if status != 0:
        message = err.strip()
        if place is not None:
            message = message.replace(f"{place}/", "")
            message = re.sub(r"^(model|sweep)\.json:\d+:\d+: ", "", message, flags=re.M)
        raise Error(message, status)
    return out


def _end(process):
    """Ends the program as Ctrl-C does, which keeps what it has computed."""
    process.send_signal(signal.SIGINT)
    process.wait()


def _listen(words, environment=None):
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            out, err = process.communicate()
        except KeyboardInterrupt:
            _end(process)
            raise
    return process.returncode, out, err


# ---- models of files

_IMPORT = {"name", "connect", "match", "identify", "states", "at", "step", "no_code", "time_limit", "memory"}


def load(paths, called=None, **options):
    """The model that `cosweep import` makes of files, each `called` by a name of its own if given; warns of what it says
    on standard error."""
    for key in set(options) - _IMPORT:
        raise TypeError(f"no option {key}; want one of: {', '.join(sorted(_IMPORT))}")
    for path in paths:
        if not os.path.exists(path):
            raise FileNotFoundError(f"{path}: no such file")
    home = Path(__file__).resolve().parent.parent  # where this package is, also for the Python that the program starts
    more = [] if home.name in ("site-packages", "dist-packages") else [str(home)]
    folders = more + [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    environment = {**os.environ, "COSWEEP_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(folders)}
    with tempfile.TemporaryDirectory(prefix="cosweep-") as folder:
        if called is not None:
            links = [Path(folder) / (name + Path(path).suffix) for name, path in zip(called, paths)]
            for link, path in zip(links, paths):
                link.symlink_to(Path(path).resolve())
            paths = links
        made = Path(folder) / "model.json"
        wishes = [f"--connect={wish}" for wish in options.pop("connect", None) or ()]
        words = [find_program(), "import", "--quiet", "-o", str(made), *wishes, *_words(options), "--", *map(str, paths)]
        status, _, said = _listen(words, environment)
        said = said.replace(f"{folder}/", "").strip()
        if status != 0:
            raise Error(said, status)
        for line in said.splitlines():
            warnings.warn(line, stacklevel=3)
        return json.loads(made.read_text(encoding="utf-8"))


# ---- progress

_BAR = re.compile(r"^\[[#.]+\] *(\d+) % +([\d,]+) of ([\d,]+) (\w+)(.*)")


def _shows_progress():
    """Whether there is tqdm, and a terminal or a notebook to show it on."""
    try:
        import tqdm  # noqa: F401
    except ImportError:
        return False
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _read_pieces(end):
    """What comes from a terminal's other end, cut where the program returns to the beginning of the line."""
    rest = ""
    while True:
        try:
            data = os.read(end, 4096)
        except OSError:  # the program has closed it
            data = b""
        if not data:
            yield rest
            return
        rest += data.decode(errors="replace")
        *pieces, rest = re.split(r"[\r\n]+", rest)
        yield from pieces


def _watch(words):
    """The same with the program's own progress, which it draws on terminals, shown by tqdm."""
    import fcntl
    import pty
    import struct
    import termios

    from tqdm.auto import tqdm

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    said = []
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(words, stdout=out, stderr=theirs, env={**os.environ, "NO_COLOR": "1"})
        os.close(theirs)
        bar = None
        try:
            for piece in _read_pieces(ours):
                found = _BAR.match(piece)
                if found is None:
                    said.append(piece)
                    continue
                done, whole = (int(found[i].replace(",", "")) for i in (2, 3))
                if bar is None or bar.total != whole or bar.unit != f" {found[4]}":
                    if bar is not None:
                        bar.close()
                    bar = tqdm(total=whole, unit=f" {found[4]}", leave=False)
                bar.set_postfix_str(f"{found[1]} %{found[5].rstrip()}", refresh=False)
                bar.update(done - bar.n)
            process.wait()
        except KeyboardInterrupt:
            _end(process)
            raise
        finally:
            if bar is not None:
                bar.close()
            os.close(ours)
        out.seek(0)
        # On terminals the program quotes the line that is wrong, here one of a temporary file.
        told = [line for line in said if line.strip() and not line.startswith("    ")]
        return process.returncode, out.read(), "\n".join(told)


def _plain(value):
    """As JSON takes it."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _save_model(model, place):
    """The path of a model: a Network, a dict or a path."""
    if isinstance(model, (str, os.PathLike)):
        return Path(model).resolve()
    path = place / "model.json"
    content = model.model() if hasattr(model, "model") else model
    path.write_text(json.dumps(_plain(content), indent=1), encoding="utf-8")
    return path


def axis(path, values, unit=None):
    """An axis of a sweep: the values of a setting, or of several settings alike where path is a list."""
    out = {"path": path} if isinstance(path, str) else {"paths": list(path)}
    return {**out, "values": _plain(values), **({"unit": unit} if unit else {})}


def zip_axis(values):
    """An axis along which several settings move together: {path: values}."""
    return {"zip": {path: _plain(items) for path, items in values.items()}}


def sample(over, count, design="lhs", seed=0):
    """An axis of points drawn between both ends, {path: (low, high)}, or {path: {"log": (low, high)}}; design: "lhs",
    "sobol" or "random"."""
    return {"sample": {design: int(count), "seed": int(seed), "over": _plain(over)}}


def _open(path):
    """A result, in memory, with the sweep and the record of its origin."""
    import xarray  # takes a second, which import has no need of
    with xarray.open_dataset(path, engine="h5netcdf") as file:
        dataset = file.load()
    with xarray.open_dataset(path, engine="h5netcdf", group="provenance") as file:
        origin = {**{str(k): v for k, v in file.attrs.items()},
                  **{str(k): v.values.tolist() for k, v in file.variables.items()}}
    dataset.attrs["provenance"] = origin
    dataset.attrs["sweep"] = json.loads(origin["sweep"])
    dataset.encoding["source"] = str(path)
    return dataset


def _sweep(command, model, axes, out, words, settings):
    place = _place()
    if not isinstance(axes, (list, tuple)):
        axes = [{"name": name, **value} for name, value in dict(axes).items()]
    sweep = {"format": "cosweep-sweep/1", "name": settings.pop("name", "python"),
             "model": str(_save_model(model, place)), "axes": axes,
             **{key: value for key, value in settings.items() if value is not None}}
    options = {key: sweep.pop(key) for key in _OPTIONS & set(sweep)}
    progress = sweep.pop("progress", _shows_progress()) and command == "run"
    (place / "sweep.json").write_text(json.dumps(_plain(sweep), indent=1), encoding="utf-8")
    result = Path(out) if out is not None else place / "result.h5"
    quiet = [] if progress else ["--quiet"]
    _call([command, place / "sweep.json", "-o", result, *quiet, *words, *_words(options)], place, progress)
    return _open(result)


def run(model, axes=(), method=None, metrics=None, study="simulation", t_end=None, out=None, **settings):
    """Runs a sweep; returns its result as xarray.Dataset with attrs["sweep"] and attrs["provenance"].

    model: a Network, the dict of a model file, or its path. axes: {name: axis(...)}, or the list of a sweep file.
    settings: further keys of sweep files (parameters, fits, skip, ...) and the options device, lanes, tile_runs,
    memory, no_fragments. out: the file in which the result stays. progress: whether tqdm shows it; by itself on
    terminals and in notebooks, where there is tqdm. Raises Error."""
    return _sweep("run", model, axes, out, [], dict(settings, method=method, metrics=metrics, study=study, t_end=t_end))


def stability(model, axes=(), method=None, metrics=None, out=None, **settings):
    """Runs a sweep of study stability."""
    return run(model, axes, method, metrics, "stability", None, out, **settings)


def trace(model, method=None, t_end=None, axes=(), at=None, out=None, **settings):
    """The time series of one run; at: {axis: value} where there are axes of several values."""
    words = [word for name, value in (at or {}).items() for word in ("--at", f"{name}={value}")]
    return _sweep("trace", model, axes, out, words, dict(settings, method=method, t_end=t_end))


def explain(model, **options):
    """What `cosweep explain` says, as the dict of its JSON. options: H, for_, can, steps, set={path: value}, device."""
    place = _place()
    return json.loads(_call(["explain", _save_model(model, place), "--json", "--quiet", *_words(options)], place))


def recommend(model, error, **options):
    """The cheapest settings for a relative error, as the dict of the JSON of `cosweep recommend`; "sweep" holds what
    run(model, **sweep) takes. options: t_end, signal, cost, can, set={path: value}, device."""
    place = _place()
    out = place / "recommended.json"
    words = ["recommend", _save_model(model, place), "--error", error, "-o", out, "--json", "--quiet"]
    found = json.loads(_call(words + _words(options), place))
    sweep = json.loads(out.read_text(encoding="utf-8"))
    found["sweep"] = {key: value for key, value in sweep.items() if key not in ("format", "model")}
    return found


def plot(result, **options):
    """A figure of a Dataset of run, stability or trace, or of a result file. options: those of `cosweep plot`."""
    path = result.encoding.get("source") if hasattr(result, "encoding") else result
    if path is None:
        raise ValueError("the dataset does not come from cosweep; want one of run, stability or trace, or a path")
    figure = _place() / "figure.svg"
    _call(["plot", path, "-o", figure, *_words(options)], figure.parent)
    return Figure(figure.read_text(encoding="utf-8"))
