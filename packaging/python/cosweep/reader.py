"""Files that the program cannot read: `cosweep import` runs this in a process of its own, whose answer it takes."""

import ast
import io
import math
import os
import runpy
import struct
import sys
import traceback
from pathlib import Path

import numpy as np

from . import arrays, fmi, ssp
from .archive import MOST_XML, Archive, Refused, Room
from .network import Network

LONGEST = 4000                               # characters of a message
MOST, MOST_TEXTS = 2000, 100_000             # rows and columns; texts of an array
MOST_HEADER = 1 << 16                        # bytes
ABOUT, WARNING, VARIABLES, FAILURE = range(4)           # host/import/foreign.c
NUMBERS, TEXT, CELLS, STRUCT, OBJECT, OTHER = range(6)  # host/import/variable.h
WRONG, MEMORY, UNREADABLE = 3, 4, 5                     # exit statuses


class Cells:
    """Texts and numbers in rows."""

    def __init__(self, rows, columns, items):
        self.rows, self.columns, self.items = rows, columns, items


class Other(str):
    """What a variable is that cannot be read."""


UNREAD = Other("of a type that is not read; want numbers or texts")
KINDS = {"O": "an object array", "V": "an array of records", "M": "an array of times", "m": "an array of times"}


def unread(kind):
    """Of an array with items of a kind."""
    return Other(f"{KINDS[kind]}; want numbers or texts") if kind in KINDS else UNREAD


def shaped(shape, kind):
    """None for the shape of a matrix or a vector, else Other."""
    written = "x".join(map(str, (*shape, 1) if len(shape) == 1 else shape))
    if len(shape) > 2:
        return Other(f"{written}; want a matrix")
    if kind in "US" and math.prod(shape) > MOST_TEXTS:
        return Other(f"{written}; want at most {MOST_TEXTS} texts")
    if kind not in "US" and max(shape, default=0) > MOST:
        return Other(f"{written}; want at most {MOST} rows and columns")
    return Other("complex; want real numbers") if kind == "c" else None


def variable(value):
    """Numbers, Cells or a text of an array or a list."""
    if isinstance(value, (Cells, Other, dict)):
        return value
    if hasattr(value, "toarray"):  # of scipy.sparse
        value = value.toarray()
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        return UNREAD
    if array.dtype.kind not in "iufbcUS":
        return unread(array.dtype.kind)
    other = shaped(array.shape, array.dtype.kind)
    if other is not None:
        return other
    if array.dtype.kind not in "US":
        return array.astype(np.float64)
    items = [item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item) for item in array.ravel()]
    return Cells(len(array), array.shape[1] if array.ndim > 1 else 1, items) if array.ndim else items[0]


class Answer:
    """Records for the program, which takes what is complete."""

    def __init__(self, descriptor):
        os.set_inheritable(descriptor, False)
        self.file, self.shown = os.fdopen(descriptor, "wb"), None

    def _count(self, number):
        self.file.write(struct.pack("N", number))

    def _text(self, text):
        data = text.encode("utf-8", "replace").replace(b"\0", b" ")
        self._count(len(data))
        self.file.write(data)

    def about(self, part):
        """Code of this part is run from now on; "": of the file."""
        if part != self.shown:
            self._count(ABOUT)
            self._text(part)
            self.file.flush()
            self.shown = part

    def warn(self, text):
        self._count(WARNING)
        self._text(" ".join(text.split()))

    def fail(self, status, text):
        self._count(FAILURE)
        self._count(status)
        self._text(" ".join(text.split())[:LONGEST])
        self.file.flush()

    def give(self, variables):
        whole, self.file = self.file, io.BytesIO()  # nothing is said before all is known
        try:
            self._count(VARIABLES)
            self._variable("", variables)
            said = self.file.getbuffer()
        finally:
            self.file = whole
        whole.write(said)
        whole.flush()

    def _variable(self, name, value):
        value = variable(value)
        kind, rows, columns, one, text, parts = STRUCT, 1, 1, False, "", []
        if isinstance(value, dict):
            parts = list(value.items())
        elif isinstance(value, Cells):
            kind, rows, columns, parts = CELLS, value.rows, value.columns, [("", item) for item in value.items]
        elif isinstance(value, str):
            kind, rows, columns, text = OTHER if isinstance(value, Other) else TEXT, 0, 0, str(value)
        else:
            kind, one = NUMBERS, value.ndim == 1
            rows, columns = (*value.shape, 1, 1)[:2]
        self._text(name)
        for number in (kind, rows, columns, one):
            self._count(number)
        self._text(text)
        if kind == NUMBERS:
            self.file.write(value.tobytes())
        self._count(len(parts))
        for called, part in parts:
            self._variable(called, part)


# ---- archives of NumPy

def read_array(file, label):
    """An array of numbers, Cells or a text; Other where it is none of these, or too large."""
    start = file.read(8)
    size = struct.calcsize("<H" if start[6:7] == b"\1" else "<I")
    length = int.from_bytes(file.read(size), "little")
    if start[:6] != b"\x93NUMPY" or start[6] not in (1, 2, 3) or length > MOST_HEADER:
        raise Refused(f"{label}: is damaged: an array without header")
    header = ast.literal_eval(file.read(length).decode("utf-8" if start[6] == 3 else "latin1").strip())
    shape, descr = header["shape"], header["descr"]
    dtype = np.dtype(descr) if isinstance(descr, str) else np.dtype("V") if isinstance(descr, list) else None
    if not isinstance(shape, tuple) or any(not isinstance(n, int) or n < 0 for n in shape):
        raise Refused(f"{label}: is damaged: an array of shape {shape}")
    if dtype is None or dtype.kind not in "iufbcUS":
        return unread(dtype.kind if dtype is not None else "")
    other = shaped(shape, dtype.kind)
    if other is not None:
        return other
    count = math.prod(shape)
    if count * dtype.itemsize > MOST_XML:
        return Other(f"{count * dtype.itemsize / (1 << 20):.0f} MiB of texts; want at most {MOST_XML >> 20}")
    data = file.read(count * dtype.itemsize)
    if len(data) < count * dtype.itemsize:
        raise Refused(f"{label}: is damaged: an array ends early")
    return variable(np.ndarray(shape, dtype, data, order="F" if header["fortran_order"] else "C"))


def read_npz(path, answer):
    """Arrays A, B, C, D, ... of one subsystem, or NAME.A, NAME.B, ... of several."""
    out, systems, room = {}, {}, Room()
    with Archive(path) as archive:
        for entry, info in archive.entries.items():
            if not entry.endswith(".npy"):
                continue
            name, _, part = entry[:-4].replace("/", ".").rpartition(".")
            with archive.damage(), archive.open(entry) as file:
                value = read_array(file, archive.label)
            if isinstance(value, np.ndarray):
                room.take(value.nbytes, archive.label)
            whole = systems.setdefault(name, {}) if name else out
            if part in whole or name in out or (not name and part in systems):
                raise Refused(f"{archive.label}: has \"{entry}\" twice")
            whole[part] = value
    return {**systems, **out}


# ---- Python files

def of_connections(wires, constants):
    """Rows (from, to, gain) and (value, to)."""
    items = [item for a, b, gain in wires for item in (a, b, gain)] + [item for v, to in constants for item in (v, to, "")]
    return {"connections": Cells(len(items) // 3, 3, items)} if items else {}


def of_network(net):
    """Subsystems and connections of a Network."""
    def units(s, key):
        return [s["units"].get(name, "") for name in s[key]]
    systems = {s["name"]: {**{k: net.numbers(s[k]) for k in arrays.SHAPES}, "StateName": s["states"], "InputName": s["inputs"],
                           "OutputName": s["outputs"], "StateUnit": units(s, "states"), "InputUnit": units(s, "inputs"),
                           "OutputUnit": units(s, "outputs")} for s in net.subsystems}
    def number(item):
        return float(net.numbers(np.array(item, object)))
    wires = [(c["from"], c["to"], number(c.get("gain", 1.0))) for c in net.connections if "from" in c]
    return {**systems, **of_connections(wires, [(number(c["value"]), c["to"]) for c in net.connections if "value" in c])}


def run_script(path, label):
    """The variables that a Python file leaves."""
    sys.path.append(str(Path(path).resolve().parent))  # last: what it imports from beside it hides nothing
    try:
        space = runpy.run_path(str(path))
    except MemoryError:
        raise
    except BaseException as error:  # also SystemExit
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = lines[-1] if lines else getattr(error, "lineno", None)
        raise Refused(f"{label}:{line or ''}: {type(error).__name__}: {error}") from error
    return {k: v for k, v in space.items() if not k.startswith("_") and not isinstance(v, type)}


def read_script(path, answer):
    """What a Python file leaves in its variables: one Network, or systems with A, B, C, D."""
    label = Path(path).name
    answer.about("")
    space = run_script(path, label)
    nets = [v for v in space.values() if isinstance(v, Network)]
    systems = {k: v for k, v in space.items() if not arrays.is_array(v) and arrays.is_system_like(v)}
    if len(nets) > 1:
        raise Refused(f"{label}: {len(nets)} networks; want one")
    if nets and nets[0].subsystems:
        if nets[0].parameters:
            answer.warn(f"{label}: parameters have their values; Network.save keeps them")
        return of_network(nets[0])
    if not systems:
        raise Refused(f"{label}: no Network and no system with A, B, C, D")
    try:
        return {name: arrays.of_system(name, value) for name, value in systems.items()}
    except ValueError as error:
        raise Refused(f"{label}: {error}") from error


# ---- FMUs

def read_fmu(path, answer, identify, states, at, step):
    parts, warnings = fmi.read(path, step=identify or step, states=states, black_box=identify is not None, at=at,
                               tell=answer.about)
    for warning in warnings:
        answer.warn(warning)
    return parts


def read_system(path, answer, identify, states, at, step):
    parts, wires, constants, warnings = ssp.read(path, at, step, identify, states, answer.about)
    for warning in warnings:
        answer.warn(warning)
    return {**parts, **of_connections(wires, [(value, to) for to, value in constants])}


# ---- the process

def read(path, answer, *options):
    suffix = Path(path).suffix
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: no such file")
    if suffix == ".npz":
        return read_npz(path, answer)
    if suffix == ".py":
        return read_script(path, answer)
    path = Path(os.path.abspath(path))
    os.chdir(os.environ["TMPDIR"])  # where files go that FMUs write
    return (read_fmu if suffix == ".fmu" else read_system)(path, answer, *options)


def number(text, kind=float):
    return kind(text) if text else None


def judged(path, error):
    """Exit status and message of what was raised; the message names the file."""
    if isinstance(error, MemoryError):
        return MEMORY, f"{path}: out of memory: reading it needs more than --memory allows"
    if isinstance(error, (OSError, ImportError)):
        return UNREADABLE, str(error)
    if isinstance(error, ValueError):
        return WRONG, str(error)
    return WRONG, f"{type(error).__name__}: {error}"


def main(descriptor, path, identify, states, at, step):
    """Answers to a descriptor, and ends without what libraries do at the end of Python."""
    answer = Answer(int(descriptor))
    try:
        answer.give(read(path, answer, number(identify), number(states, int), number(at), number(step)))
    except BaseException as error:
        status, message = judged(path, error)
        label = Path(path).name
        answer.fail(status, message if label in message else f"{label}: {message}")
    os._exit(0)
