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
from importlib.util import find_spec
from pathlib import Path

import numpy as np

_numbers = itertools.count(1)
_folder = None
_checked = set()  # programs whose version is right


class Error(Exception):
    """What the program said; status: its exit status."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


def new_folder():
    """A new folder that is removed when Python ends."""
    global _folder
    if _folder is None:
        _folder = Path(tempfile.mkdtemp(prefix="cosweep-"))
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    place = _folder / str(next(_numbers))
    place.mkdir()
    return place


def words_of(options):
    """Options of the command line: lists with commas, True for a flag, a dict for PATH=VALUE, also with several values."""
    def items(value):
        return value if isinstance(value, (list, tuple, np.ndarray)) else [value]
    words = []
    for key, value in options.items():
        name = "--" + (key if key == "H" else key.rstrip("_").replace("_", "-"))
        if isinstance(value, dict):
            for path, item in ((path, item) for path, several in value.items() for item in items(several)):
                words += [name, f"{path}={item if isinstance(item, str) else json.dumps(plain(item))}"]
        elif value is True:
            words.append(name)
        elif value is not None and value is not False:
            values = [value] if isinstance(value, str) or np.ndim(value) == 0 else value
            words += [name, ",".join(str(v) for v in values)]
    return words


def find_program():
    """The path of the program: that of COSWEEP, or which this package carries, or which PATH finds. Raises Error if there
    is none."""
    carried = Path(__file__).resolve().parent / "bin" / "cosweep"
    program = os.environ.get("COSWEEP") or (str(carried) if carried.exists() else shutil.which("cosweep"))
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


def call(words, place=None, progress=False, accept=(0,)):
    """What the program prints on standard output and on standard error, without the folder `place`, and its exit status,
    one of those that are accepted. Raises Error."""
    __tracebackhide__ = True
    program = find_program()
    words = [program, *map(str, words)]
    try:
        status, out, err = _watch(words) if progress else listen(words)
    except OSError as error:
        raise Error(f"{program}: {error.strerror}", 5) from error
    said = err.strip()
    if place is not None:
        said = said.replace(f"{place}/", "")
        said = re.sub(r"^(model|sweep)\.json:\d+:\d+: ", "", said, flags=re.M)
    if status not in accept:
        raise Error(said.replace("--force overwrites", "force=True overwrites"), status)
    return out, said, status


def _end(process):
    """Ends the program as Ctrl-C does, which keeps what it has computed."""
    process.send_signal(signal.SIGINT)
    process.wait()


def listen(words, environment=None):
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
        words = [find_program(), "import", "--quiet", "-o", str(made), *wishes, *words_of(options), "--", *map(str, paths)]
        status, _, said = listen(words, environment)
        said = said.replace(f"{folder}/", "").strip()
        if status != 0:
            raise Error(said, status)
        for line in said.splitlines():
            warnings.warn(line, stacklevel=3)
        return json.loads(made.read_text(encoding="utf-8"))


# ---- progress

_BAR = re.compile(r"^(?:\[[#.]+\])? *([\d.]+) % +([\d,]+ of [\d,]+ (\w[\w ]*?))(?:  (.*))?$")
_SHOWN = "{n:3g} %|{bar}| {desc} [{elapsed}<{remaining}{postfix}]"  # work done, which moves where runs take long
_RATE = re.compile(r"[\d.,]+ ?\w? steps/s")
_SUMMARY = re.compile(r"^\w+: ([\d,]+ runs?\b.* in |compiles )")  # what --quiet leaves out


def shows_progress():
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

    if "ipykernel" in sys.modules and find_spec("ipywidgets") is not None:
        from tqdm.auto import tqdm
    else:
        from tqdm.std import tqdm

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    said = []
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(words, stdout=out, stderr=theirs, env={**os.environ, "NO_COLOR": "1"})
        os.close(theirs)
        bar = kind = None
        try:
            for piece in _read_pieces(ours):
                found = _BAR.match(piece.rstrip())
                if found is None:
                    said.append(piece)
                    continue
                if found[3] != kind:
                    kind = found[3]
                    if bar is not None:
                        bar.close()
                    bar = tqdm(total=100, leave=False, miniters=0, bar_format=_SHOWN)
                rate = _RATE.search(found[4] or "")
                bar.set_description_str(found[2], refresh=False)
                bar.set_postfix_str(rate[0] if rate else "", refresh=False)
                bar.update(float(found[1]) - bar.n)
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
        told = [line for line in said if line.strip() and not line.startswith("    ") and not _SUMMARY.match(line)]
        return process.returncode, out.read(), "\n".join(told)


def plain(value):
    """As JSON takes it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def save_model(model, place):
    """The path of a model: a Network, a dict or a path."""
    if isinstance(model, (str, os.PathLike)):
        return Path(model).resolve()
    path = place / "model.json"
    content = model.model() if hasattr(model, "model") else model
    path.write_text(json.dumps(plain(content), indent=1), encoding="utf-8")
    return path
