#!/usr/bin/python3
"""Every way in for matrices times all that changes what they mean or how they are stored: the same subsystem, or refused
with file and name, and nothing dropped without a word.

usage: check_readers.py COSWEEP SOURCE OUTPUT

Exits 0, or 1 with a line per fault. Exits 77 where the program or this Python lacks a library."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

from checking import expect, finish
import matfiles as mat

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, source, output = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
package = source / "packaging/python"
sys.dont_write_bytecode = True
sys.path.insert(0, str(package))
os.environ.update(COSWEEP=program, COSWEEP_PYTHON=sys.executable, PYTHONPATH=str(package), PYTHONDONTWRITEBYTECODE="1")
import cosweep as cs  # noqa: E402

output.mkdir(parents=True, exist_ok=True)
os.chdir(output)


class Sparse:
    """As scipy.sparse has them."""

    def __init__(self, rows):
        self.rows = np.asarray(rows, float)

    def toarray(self):
        return self.rows


# ---- ways in: each writes the parts, and returns what `import` is given

def of_mat(parts):
    def item(value):
        if isinstance(value, Sparse):
            return mat.sparse(value.rows.tolist())
        rows = np.atleast_2d(value)
        if rows.dtype.kind == "c":
            return mat.numbers(rows.real.tolist(), imaginary=True)
        return mat.integers(rows.tolist()) if rows.dtype.kind == "i" else mat.numbers(rows.tolist())
    return {key: item(value) for key, value in parts.items()}


def mat_top(parts):
    mat.save("in.mat", of_mat(parts))
    return "in.mat"


def mat_struct(parts):
    mat.save("in.mat", {"sys": mat.structure(of_mat(parts))}, True)
    return "in.mat"


def mat_73(parts):
    with h5py.File("in.mat", "w", userblock_size=512) as file:
        put, _ = mat.of_matlab(file)
        for key, value in parts.items():
            if isinstance(value, Sparse):
                columns = [np.flatnonzero(column) for column in value.rows.T]
                group = file.create_group(key)
                group.attrs["MATLAB_class"], group.attrs["MATLAB_sparse"] = np.bytes_("double"), np.uint64(len(value.rows))
                group["data"] = np.concatenate([column[rows] for column, rows in zip(value.rows.T, columns)])
                group["ir"] = np.concatenate(columns).astype("u8")
                group["jc"] = np.cumsum([0] + [len(rows) for rows in columns]).astype("u8")
            elif np.asarray(value).dtype.kind == "c":
                pairs = np.zeros(np.atleast_2d(value).shape, [("real", "f8"), ("imag", "f8")])
                pairs["real"], pairs["imag"] = np.real(value), np.imag(value)
                put(file, key, pairs)
            else:
                rows = np.atleast_2d(value)
                put(file, key, rows, "int16" if rows.dtype.kind == "i" else "double")
    return "in.mat"


def hdf5(parts):
    with h5py.File("in.h5", "w") as file:
        for key, value in parts.items():
            file[key] = value
    return "in.h5"


def npz(parts):
    np.savez("in.npz", **parts)
    return "in.npz"


def npz_named(parts):
    np.savez("in.npz", **{f"sys.{key}": value for key, value in parts.items()})
    return "in.npz"


def of_json(parts):
    return {key: np.asarray(value).tolist() for key, value in parts.items()}


def json_top(parts):
    Path("in.json").write_text(json.dumps(of_json(parts)))
    return "in.json"


def json_named(parts):
    Path("in.json").write_text(json.dumps({"sys": of_json(parts)}))
    return "in.json"


def written(value):
    if isinstance(value, Sparse):
        return f"Sparse(np.array({value.rows.tolist()}))"
    array = np.asarray(value)
    return f"np.array({array.tolist()}, dtype='{array.dtype.str}')".replace("nan", "np.nan")


def python(parts):
    Path("in.py").write_text("import numpy as np\nfrom types import SimpleNamespace\nclass Sparse:\n"
                             "    def __init__(self, rows): self.rows = rows\n    def toarray(self): return self.rows\n"
                             f"sys_ = SimpleNamespace({', '.join(f'{k}={written(v)}' for k, v in parts.items())})\n")
    return "in.py"


def of_file(write):
    def read(parts):
        done = subprocess.run([program, "import", write(parts), "-o", "out.json", "--force"], capture_output=True, text=True)
        model = json.loads(Path("out.json").read_text())["subsystems"][0] if done.returncode == 0 else None
        return done.returncode, model, done.stderr
    return read


def add(parts):
    own = set(parts) <= {"A", "B", "C", "D", "E", "x0", "e", "f"}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            net = cs.Network("n").add("sys", **parts) if own else cs.Network("n").add("sys", SimpleNamespace(**parts))
        except ValueError as error:
            return 3, None, str(error)
    return 0, net.model()["subsystems"][0], "\n".join(str(warning.message) for warning in said)


WAYS = {"mat": of_file(mat_top), "struct": of_file(mat_struct), "mat 7.3": of_file(mat_73), "h5": of_file(hdf5),
        "npz": of_file(npz), "npz of several": of_file(npz_named), "json": of_file(json_top),
        "json of several": of_file(json_named), "py": of_file(python), "Network.add": add}

# ---- what may stand beside the matrices, and how they may be stored

BASE = {"A": np.array([[0., 1], [-4, -1]]), "B": np.array([[0.], [1]]), "C": np.array([[1., 0]]), "D": np.array([[0.]])}
E = np.array([[2., 0], [0, 4]])
SAME, TEXT = "same", ("json", "json of several")  # TEXT: files without types
TABLE = {  # name: (parts, "same", "solved" or what is refused, ways that cannot have it)
    "nothing": (BASE, SAME, ()),
    "E": ({**BASE, "A": E @ BASE["A"], "B": E @ BASE["B"], "E": E}, "solved", ()),
    "E singular": ({**BASE, "E": np.array([[1., 0], [0, 0]])}, "E", ()),
    "E identity": ({**BASE, "E": np.eye(2)}, SAME, ()),
    "delay": ({**BASE, "InputDelay": np.array(.5)}, "InputDelay", ()),
    "output delay": ({**BASE, "OutputDelay": np.array([.5])}, "OutputDelay", ()),
    "delay 0": ({**BASE, "InputDelay": np.array(0.)}, SAME, ()),
    "sample time": ({**BASE, "Ts": np.array(.1)}, "Ts", ()),
    "sample time dt": ({**BASE, "dt": np.array(.1)}, "dt", ()),
    "sample time 0": ({**BASE, "Ts": np.array(0.)}, SAME, ()),
    "complex": ({**BASE, "A": BASE["A"] + 1j}, "A is complex", TEXT),
    "NaN": ({**BASE, "A": np.array([[0., np.nan], [-4, -1]])}, "", ()),
    "infinite": ({**BASE, "B": np.array([[0.], [np.inf]])}, "", ()),
    "sparse": ({**BASE, "A": Sparse(BASE["A"])}, SAME, ("h5", "npz", "npz of several", *TEXT)),
    "B as a row": ({**BASE, "B": np.array([[0., 1]])}, SAME, ()),
    "B of one dimension": ({**BASE, "B": np.array([0., 1])}, SAME, ()),
    "C as a column": ({**BASE, "C": np.array([[1.], [0]])}, SAME, ()),
    "C of one dimension": ({**BASE, "C": np.array([1., 0])}, SAME, ()),
    "lower case": ({key.lower(): value for key, value in BASE.items()}, SAME, ()),
    "integers": ({key: value.astype("i2") for key, value in BASE.items()}, SAME, ()),
    "big-endian": ({key: value.astype(">f8") for key, value in BASE.items()}, SAME, TEXT),
    "x0 as a column": ({**BASE, "x0": np.array([[1.], [2]])}, SAME, ()),
    "three dimensions": ({**BASE, "A": np.zeros((2, 2, 2))}, "A", ("mat", "struct", "mat 7.3")),
    "too many columns": ({**BASE, "B": np.ones((3, 2))}, "B", ()),
}

for case, (parts, want, without) in TABLE.items():
    for way, read in WAYS.items():
        if way in without:
            continue
        with mat.big_endian() if case == "big-endian" else warnings.catch_warnings():
            status, model, said = read(parts)
        what = f"{case}, {way}: status {status}: {said.strip()}"
        file = "sys" if way == "Network.add" else "in."
        if want not in (SAME, "solved"):
            expect(status == 3 and file in said and want in said, f"{what}; want it refused by name")
            continue
        expect(status == 0, what)
        if status != 0:
            continue
        for key in "ABC":
            expect(np.allclose(model[key], BASE[key], rtol=1e-15, atol=0), f"{what}: {key} is {model[key]}")
        expect(("solved" in said) == (want == "solved"), f"{what}; want {want}")
        expect("not read" not in said, what)

finish()
