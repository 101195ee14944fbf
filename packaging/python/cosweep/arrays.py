"""Matrices of other programs, whose meaning the program judges."""

import fnmatch
import json
import tempfile
import warnings
from pathlib import Path

import numpy as np

from .program import Error, find_program, listen

SHAPES = {"A": "nn", "B": "nm", "C": "pn", "D": "pm", "e": "n", "f": "p", "x0": "n"}
# Names of attributes that change what the matrices mean; the program has the same table.
_PATTERNS = [row.split()[0] for row in (Path(__file__).parent / "meanings.txt").read_text().splitlines()
             if not row.startswith("#")]


def _data(value):
    """Numbers or texts as HDF5 takes them; for all else a byte that the program does not read."""
    if hasattr(value, "toarray"):  # of scipy.sparse
        value = value.toarray()
    if isinstance(value, np.ma.MaskedArray):  # what is masked is missing
        value = value.astype(float).filled(np.nan)
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind == "U":
        import h5py
        return array.astype(h5py.string_dtype())
    if array.dtype.kind == "b":
        return array.astype("u1")
    return array if array.dtype.kind in "iufcS" else np.void(b"?")


def _changes(name):
    plain = name.replace("_", "").lower()
    return any(fnmatch.fnmatchcase(plain, pattern) for pattern in _PATTERNS)


def is_array(value):
    return isinstance(value, (list, tuple, int, float, complex)) or hasattr(value, "__array__") or hasattr(value, "toarray")


def is_system(value):
    """Whether an object has matrices."""
    return any(hasattr(value, a) and (hasattr(value, b) or hasattr(value, c)) for a, b, c in ("ABC", "abc"))


def is_system_like(value):
    """Whether it is one, or a transfer function or a nonlinear system, which cannot be read."""
    return is_system(value) or hasattr(value, "nstates") or (hasattr(value, "num") and hasattr(value, "den"))


def _realised(name, value):
    """A state space of a transfer function, of scipy.signal or python-control; all else as it is."""
    try:
        if hasattr(value, "to_ss"):
            return value.to_ss()
        if hasattr(value, "num") and hasattr(value, "den") and type(value).__module__.split(".")[0] == "control":
            import control
            return control.ss(value)
    except Exception as error:  # of these libraries
        raise ValueError(f"{name}: {type(value).__name__} has no state space: {error}") from error
    return value


def of_system(name, value):
    """Its matrices, and what may change their meaning. Transfer functions are realised."""
    if not is_system(value):
        value = _realised(name, value)
    if not is_system(value):
        raise ValueError(f"{name}: {type(value).__name__} has no matrices A, B, C, D; want matrices, a state space or a "
                         "transfer function; control.linearize makes one of a nonlinear system")
    parts = {key: getattr(value, key, None) for key in ("ABCDE" if hasattr(value, "A") else "abcde")}
    changes = {key: getattr(value, key) for key in dir(value) if key[0] != "_" and _changes(key)}
    parts.update({key: part for key, part in changes.items() if not isinstance(part, (int, float)) or part != 0})
    return {key: part for key, part in parts.items() if part is not None and not callable(part)}


def settled(name, parts):
    """The matrices and vectors of a subsystem, where nothing of them is left to be judged; else None. D alone has no
    states."""
    sizes, arrays = {}, {}
    if "A" not in parts and {"B", "C"} & set(parts):
        raise ValueError(f"{name}: no A; want the matrices A, B, C and D")
    if set(parts) - set(SHAPES):
        return None
    for key, value in parts.items():
        array = arrays[key] = np.asarray(_data(value))
        if array.ndim != len(SHAPES[key]) or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
            return None
        if any(sizes.setdefault(side, size) != size for side, size in zip(SHAPES[key], array.shape)):
            return None
    return {key: np.asarray(arrays[key], float) if key in arrays else np.zeros([sizes.get(side, 0) for side in shape])
            for key, shape in SHAPES.items()}


def judged(name, parts):
    """The same of what the program makes of the parts. Raises ValueError where it refuses them, warns of what it says."""
    import h5py  # as late as its users, of which import is none
    with tempfile.TemporaryDirectory(prefix="cosweep-") as folder:
        file, model = Path(folder) / "subsystem.h5", Path(folder) / "model.json"
        with h5py.File(file, "w", track_order=True) as content:
            for key, value in parts.items():
                content[key] = _data(value)
        status, _, said = listen([find_program(), "import", str(file), "-o", str(model)])
        said = said.replace(f"{file}: ", f"{name}: ").strip()
        if status == 3:
            raise ValueError(said)
        if status != 0:
            raise Error(said, status)
        for line in said.splitlines():
            if line.startswith(f"{name}: "):
                warnings.warn(line, stacklevel=3)
        made = json.loads(model.read_text(encoding="utf-8"))["subsystems"][0]
    sides = {"n": len(made["states"]), "m": len(made["inputs"]), "p": len(made["outputs"])}
    shapes = {key: [sides[side] for side in shape] for key, shape in SHAPES.items()}
    return {key: np.reshape(np.asarray(made[key], float), shape) if np.size(made.get(key, [])) else np.zeros(shape)
            for key, shape in shapes.items()}
