#!/usr/bin/python3
"""One rule for all doors: the same matrices as NumPy archive, JSON, HDF5, MAT-file of versions 5 and 7.3, variables of a
Python file and arguments of Network.add give the same subsystem, the same warning or the same error.

usage: check_foreign.py COSWEEP SERVE SOURCE OUTPUT

SERVE is the program `serve` of the tests, which imports all files of doors. Exits 0, or 1 with a line per fault. Exits 77
where the program or this Python lacks a library."""

import contextlib
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

from checking import expect, finish
from damaging import Server
import matfiles as mat

try:
    import h5netcdf  # noqa: F401
    import h5py
    import numpy as np
    import xarray  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, serve = map(os.path.abspath, sys.argv[1:3])
source, output = Path(sys.argv[3]).resolve(), Path(sys.argv[4])
sys.dont_write_bytecode = True
sys.path.insert(0, str(source / "packaging/python"))
os.environ.update(COSWEEP=program, COSWEEP_PYTHON=sys.executable, PYTHONPATH=str(source / "packaging/python"),
                  PYTHONDONTWRITEBYTECODE="1")
import cosweep as cs  # noqa: E402

output.mkdir(parents=True, exist_ok=True)
os.chdir(output)
server = Server(serve, Path.cwd(), None, 60)
A, B, C = [[-1.0, 2.0], [0.0, -3.0]], [[1.0], [2.0]], [[1.0, 1.0]]
SYSTEM = {"A": np.array(A), "B": np.array(B), "C": np.array(C)}
SAME = {"A": A, "B": B, "C": C}
HALF = [[1.0, 0.5], [0.5, 1.0]]
MATRICES, VECTORS = set("ABCDE"), {"e", "f", "x0"}
DOORS = ("npz", "json", "h5", "mat", "struct", "7.3", "py", "add", "arguments")
METAL = [[1e-9, 2e3], [3e-9, -4e3]]  # rows and columns of very different units


def rows_of(value):
    """As a MAT-file has it: lists are rows."""
    return np.atleast_2d(np.asarray(value)).tolist()


def of_mat(value):
    if isinstance(value, str) or (isinstance(value, list) and value and isinstance(value[0], str)):
        return value
    value = np.asarray(value)
    return mat.numbers(rows_of(value.real) if value.size else [], np.iscomplexobj(value))


def write(door, parts):
    """The file of a door."""
    path = f"case.{'mat' if door in ('struct', '7.3') else door}"
    if door == "npz":
        np.savez(path, **{f"plant.{key}": value for key, value in parts.items()})
    elif door == "json":
        text = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in parts.items()}
        Path(path).write_text(json.dumps({"plant": text}))
    elif door == "h5":
        with h5py.File(path, "w") as file:
            for key, value in parts.items():
                file[f"plant/{key}"] = value
    elif door == "7.3":
        with h5py.File(path, "w") as file:
            put, texts = mat.of_matlab(file)
            file.create_group("#refs#")
            plant = file.create_group("plant")
            for key, value in parts.items():
                if isinstance(value, str):
                    put(plant, key, np.frombuffer(value.encode("utf-16-le"), "<u2").reshape(1, -1), "char",
                        MATLAB_int_decode=np.int32(2))
                elif isinstance(value, list):
                    texts(plant, key, value)
                elif np.size(value) == 0:
                    put(plant, key, np.zeros(2, "u8"), MATLAB_empty=np.uint8(1))
                else:
                    put(plant, key, rows_of(value))
    elif door == "py":
        np.savez("parts.npz", **parts)
        Path(path).write_text("import types, numpy\nplant = types.SimpleNamespace(**numpy.load('parts.npz'))\n")
    else:
        variables = {key: of_mat(value) for key, value in parts.items()}
        mat.save(path, {"plant": mat.structure(variables)} if door == "struct" else variables)
    return path


def imported(path, output="out.json"):
    """Exit status and what is said."""
    server.mutant = path
    status, _, said = server.run(["import", "-o", output, "--force", "--quiet"])
    return status, said.decode()


def through_file(door, parts):
    """The subsystem, or None, and what is said, without the place."""
    return through(write(door, parts), "" if door == "mat" else "plant: ")


def through(path, name):
    """The same of a file that is there; name: of the subsystem, which lines about it begin with."""
    Path("out.json").unlink(missing_ok=True)
    status, said = imported(path)
    lines = [line for line in said.splitlines() if not line.startswith("no source: ")]
    for line in lines:
        expect(re.match(rf"{path}(:\d+:\d+)?: {name}", line) is not None, f"{line}; want {path}: {name}...")
    said = [re.sub(rf"^{path}(:\d+:\d+)?: {name}", "", line) for line in lines]
    expect(status in (0, 3), f"{path}: exit status {status}")
    return (json.loads(Path("out.json").read_text())["subsystems"][0] if status == 0 else None), said


def through_add(door, parts):
    net, found = cs.Network("n"), None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            if door == "add":
                net.add("plant", SimpleNamespace(**parts))
            else:
                net.add("plant", **parts)
            found = net.model()["subsystems"][0]
        except ValueError as error:
            told = [SimpleNamespace(message=error)]
    said = [str(one.message) for one in told]
    expect(all(line.startswith("plant: ") for line in said), f"{door}: {said}")
    return found, [line.removeprefix("plant: ") for line in said]


def opens(door, parts):
    """Whether the door takes such things at all."""
    values = [np.asarray(value) for value in parts.values()]
    if door == "json":
        return not any(np.iscomplexobj(v) or (v.dtype.kind == "f" and not np.isfinite(v).all()) for v in values)
    if door in ("py", "add"):  # attributes of other names are none of a subsystem
        return not set(parts) & (VECTORS | {"X0", "Notes", "StateName"})
    if door == "arguments":
        return set(parts) <= MATRICES | VECTORS
    if door == "7.3":
        return not any(np.iscomplexobj(v) for v in values)
    return True


def case(parts, want=None, said=(), doors=DOORS, tolerance=0):
    """Beside the system, or in place of its matrices: numbers that come out, or None, and all that is said."""
    parts = {**SYSTEM, **parts}
    parts = {key: value for key, value in parts.items() if value is not None}
    said = [said] if isinstance(said, str) else list(said)
    for door in doors:
        if not opens(door, parts):
            continue
        found, told = (through_add if door in ("add", "arguments") else through_file)(door, parts)
        what = f"{door}: {parts}"
        expect(told == said, f"{what}: {told}; want {said}")
        expect((found is None) == (want is None), f"{what}: {found}; want {want}")
        for key, value in (want or {}).items():
            got = np.asarray((found or {}).get(key, np.zeros_like(value)), float)
            good = got.shape == np.shape(value) and np.abs(got - value).max(initial=0) <= tolerance * np.abs(value).max(initial=0)
            expect(good, f"{what}: {key}: {got.tolist()}; want {value}")


SOLVED = "E x' = A x + B u is solved for x'"
SINGULAR = "E is singular: the equations are not solvable for x'; want E of full rank"

# Forms of the same numbers, a row for every door: what comes out of each is SAME, or an error that begins so.
OBJECTS = "A is an object array; want numbers or texts"
ROWS = (
    # door, plain, 16 bits, big-endian, sparse
    ("npz", SAME, SAME, SAME, OBJECTS),
    ("json", SAME, SAME, None, None),
    ("h5", SAME, SAME, SAME, "A is a structure; want a matrix of numbers"),
    ("4", SAME, SAME, SAME, SAME),
    ("mat", SAME, SAME, SAME, SAME),
    ("struct", SAME, SAME, SAME, SAME),
    ("7.3", SAME, SAME, SAME, SAME),
    ("mo", SAME, SAME, None, None),
    ("py", SAME, SAME, SAME, None),
    ("add", SAME, SAME, SAME, SAME),
    ("arguments", SAME, SAME, SAME, SAME),
)


class Sparse:
    """As scipy.sparse has it."""

    def __init__(self, value):
        self.value = value

    def toarray(self):
        return self.value


def formed(form):
    """The matrices in a form of numpy."""
    kind = {"16 bits": "=i2", "big-endian": ">f8"}.get(form, "=f8")
    parts = {key: value.astype(kind) for key, value in SYSTEM.items()}
    return {key: Sparse(value) for key, value in parts.items()} if form == "sparse" else parts


def write_form(door, form):
    """The file of a door in a form that numpy does not know."""
    values = {key: value.astype(int).tolist() for key, value in SYSTEM.items()}
    if door == "4":
        entries = {key: [[i + 1, k + 1, row[k]] for i, row in enumerate(rows) for k in range(len(row)) if row[k]]
                   + [[len(rows), len(rows[0]), 0]] for key, rows in values.items()}
        kind = {"16 bits": dict(type=3), "big-endian": dict(big=True), "sparse": dict(kind=mat.SPARSE_4)}.get(form, {})
        return b"".join(mat.matrix_4(key, (entries if form == "sparse" else values)[key], **kind) for key in values)
    if door == "mo":
        point = "" if form == "16 bits" else ".0"
        rows = {key: "; ".join(", ".join(f"{v}{point}" for v in row) for row in value) for key, value in values.items()}
        return ("model plant\n" + "".join(f"  parameter Real {key}[{len(values[key])}, {len(values[key][0])}] = [{text}];\n"
                                          for key, text in rows.items()) + "end plant;\n").encode()
    with mat.big_endian() if form == "big-endian" else contextlib.nullcontext():
        made = {key: {"16 bits": mat.integers, "sparse": mat.sparse}.get(form, mat.numbers)(rows)
                for key, rows in values.items()}
        return mat.saved({"plant": mat.structure(made)} if door == "struct" else made)


def write_sparse_hdf5(path, matlab):
    """As MATLAB or others write matrices whose entries are mostly 0."""
    with h5py.File(path, "w") as file:
        for key, value in SYSTEM.items():
            group = file.create_group(f"plant/{key}")
            entries = [(k, i) for k in range(value.shape[1]) for i in range(value.shape[0]) if value[i, k]]
            group["data"], group["ir" if matlab else "indices"] = [value[i, k] for k, i in entries], [i for _, i in entries]
            group["jc" if matlab else "indptr"] = [sum(e[0] < k for e in entries) for k in range(value.shape[1] + 1)]
            if matlab:
                group.attrs["MATLAB_class"], group.attrs["MATLAB_sparse"] = np.bytes_("double"), np.uint64(len(value))


for door, *wants in ROWS:
    for form, want in zip(("plain", "16 bits", "big-endian", "sparse"), wants):
        if want is None:
            continue
        if door in ("add", "arguments"):
            found, said = through_add(door, formed(form))
        elif door in ("4", "mat", "struct", "mo"):
            path = "case.mo" if door == "mo" else "case.mat"
            Path(path).write_bytes(write_form(door, form))
            found, said = through(path, "" if door in ("4", "mat", "mo") else "plant: ")
        elif form == "sparse" and door in ("h5", "7.3"):
            path = "case.mat" if door == "7.3" else "case.h5"
            write_sparse_hdf5(path, door == "7.3")
            found, said = through(path, "plant: ")
        else:
            found, said = through_file(door, formed(form))
        said = [line for line in said if not line.startswith("offsets at the point")]
        got = {key: found[key] for key in want} if found is not None and want is SAME else found
        expect(got == want and not said if want is SAME else found is None and said == [want],
               f"{door}, {form}: {found} {said}; want {want}")

# E: solved where it has full rank, whatever the units; nothing where it says nothing.
case({}, SAME)
case({"E": np.diag([2.0, 5.0])}, {"A": [[-0.5, 1], [0, -0.6000000000000001]], "B": [[0.5], [0.4]], "C": C}, SOLVED)
case({"E": np.array(HALF), "e": np.array([1.0, 2.0])},
     {"A": np.linalg.solve(HALF, A), "B": np.linalg.solve(HALF, B), "C": C, "e": [0, 2]}, SOLVED, tolerance=1e-15)
case({"E": np.array(METAL), "A": np.diag([1e-9, 1e3])},
     {"A": np.linalg.solve([[1, 2], [3, -4]], np.diag([1e-9, 1e3])) / [[1e-9], [1e3]]}, SOLVED, tolerance=1e-14)
case({"E": np.eye(2)}, SAME)
case({"E": np.zeros((0, 0))}, SAME)
case({"E": np.diag([1.0, 0.0])}, None, SINGULAR)
case({"E": np.array([[1.0, 1.0], [1.0, 1.0 + 1e-10]])}, None, "E has a condition number of 4.0e+10; want at most 1e+08")
case({"E": np.eye(3)}, None, "E has 3 rows, A 2")
case({"E": np.eye(2) * 1j}, None, "E is complex; want real numbers")

# Discrete time and delays: refused in every spelling, silent where they are 0 or nothing.
for name in ("Ts", "ts", "dt", "SampleTime", "sample_time", "SamplingTime", "samplingPeriod", "sampling_interval", "Tsam",
             "sample_rate", "SamplingFrequency"):
    case({name: 0.5}, None, f"{name} is 0.5: cosweep takes continuous subsystems (d2c)", ("npz", "json", "h5", "mat", "add"))
    case({name: 0.0}, SAME, (), ("npz", "struct", "add"))
case({"Ts": -1}, None, "Ts is -1: cosweep takes continuous subsystems (d2c)")
case({"dt": np.zeros(0)}, SAME)
for name in ("InputDelay", "OutputDelay", "InternalDelay", "ioDelay", "input_delay", "delays"):
    case({name: np.array([0.0, 0.5])}, None, f"{name} is 0.5: cosweep takes subsystems without delays (pade)",
         ("npz", "json", "struct", "add"))
case({"InputDelay": np.zeros(1), "OutputDelay": 0.0, "InternalDelay": np.zeros((0, 1)), "ioDelay": np.zeros((1, 1))}, SAME)
case({"TimeUnit": "seconds"}, SAME)
case({"TimeUnit": "minutes"}, None, 'TimeUnit is "minutes"; want seconds (chgTimeUnit)')

# What is no matrix of real numbers.
case({"B": np.array(B) * 1j}, None, "B is complex; want real numbers")
case({"B": np.array([[np.nan], [1.0]])}, None, "B has a number that is not finite, in row 1")
case({"A": np.array([[1.0, 2.0]])}, None, "A is 1x2; want as many columns as rows")
case({"C": np.array([[1.0, 1.0, 1.0]])}, None, "C has 3 columns, A 2")
case({"x0": np.zeros((2, 2))}, None, "x0 is 2x2; want a vector")
case({"D": "x"}, None, "D is a text; want a matrix of numbers", set(DOORS) - {"json", "arguments"})
case({"D": "x"}, None, 'x: no parameter "x"; there is: none', ("arguments",))

# Lists.
TURNED = "C is 2x1: read as a row, of one output"
case({"B": np.array([1.0, 2.0]), "C": np.array([1.0, 1.0]), "x0": np.array([[1.0], [2.0]])}, {**SAME, "x0": [1, 2]}, TURNED,
     ("npz", "json", "h5", "py", "arguments"))
case({"B": np.array([[1.0, 2.0]])}, SAME, "B is 1x2: read as a column, of one input")
case({"C": np.array([[1.0], [1.0]])}, SAME, TURNED)
case({"x0": np.array([[1.0, 2.0]])}, {**SAME, "x0": [1, 2]})
case({"A": np.array([[-1.0]]), "B": np.array([1.0, 2.0, 3.0]), "C": np.array([[4.0]]), "D": np.array([5.0, 6.0, 7.0])},
     {"B": [[1, 2, 3]], "C": [[4]], "D": [[5, 6, 7]]},
     ["B is 3x1: read as a row, of 3 inputs", "D is 3x1: read as a row, of one output"], ("npz", "json", "h5", "add"))
case({"A": np.array([[-1.0]]), "B": np.array([[1.0], [2.0]]), "C": np.array([[4.0]])}, None, "B has 2 rows, A 1")

# Small letters, where there is no A; e is then E.
SMALL = {"A": None, "B": None, "C": None, "a": np.array(A), "b": np.array(B), "c": np.array(C)}
case(SMALL, SAME)
case({**SMALL, "e": np.diag([2.0, 5.0])}, {"A": [[-0.5, 1], [0, -0.6000000000000001]], "B": [[0.5], [0.4]], "C": C}, SOLVED,
     ("npz", "json", "mat", "struct"))

# D alone has no states; beside other subsystems a D of the file is none.
GAIN = {"A": None, "B": None, "C": None, "D": np.array([[2.0, 3.0]])}
case(GAIN, {"D": [[2, 3]], "A": [], "C": [[]]}, (), set(DOORS) - {"py", "add"})
case({**GAIN, "D": np.array([[2j]])}, None, "D is complex; want real numbers", set(DOORS) - {"py", "add"})
case({**GAIN, "E": np.eye(2)}, None, "E has 2 rows, A 0", set(DOORS) - {"py", "add"})
case({"A": None}, None, "no A; want the matrices A, B, C and D", ("json", "arguments"))
mat.save("beside.mat", {"D": 2, "plant": mat.structure({key: of_mat(value) for key, value in SYSTEM.items()})})
found, told = through("beside.mat", "")
expect(found["name"] == "plant" and told == ["D is not read"], told)

# What is not read is named; JSON admits no such keys.
case({"Notes": "mine", "log": np.zeros((3, 4)), "empty": np.zeros((0, 0))}, SAME, "Notes, log are not read",
     ("npz", "mat", "struct", "7.3"))
np.savez("several.npz", **{f"v{i}": [1] for i in range(30)}, **SYSTEM)
found, told = through_file("npz", {**SYSTEM, **{f"v{i:02}": 1.0 for i in range(30)}})
expect(told == [f"{', '.join(f'v{i:02}' for i in range(20))}, ... are not read"], told)
with h5py.File("root.h5", "w", track_order=True) as file:
    for name in ("two", "one"):
        group = file.create_group(name, track_order=True)
        for key, value in SYSTEM.items():
            group[key] = value
    file["two/D"] = h5py.SoftLink("/one/A")
    file["big"], file["part/C"], file["none"] = np.zeros(5000), 1.0, np.zeros((0, 7))
done = subprocess.run([program, "import", "root.h5", "-o", "out.json", "--force"], capture_output=True, text=True)
expect(done.returncode == 3 and "root.h5: two: D is a link; want the data themselves" in done.stderr, done.stderr)
with h5py.File("root.h5", "a") as file:
    del file["two/D"]
    file["connections"] = np.array([["two.y1", "one.u1", "2.5"], ["3", "two.u1", ""]], h5py.string_dtype())
done = subprocess.run([program, "import", "root.h5", "-o", "out.json", "--force"], capture_output=True, text=True)
expect(done.stderr == "root.h5: big, part (without A) are not read\n", done.stderr)
mat.save("names.mat", {**{k: of_mat(v) for k, v in SYSTEM.items()},
                       "delay_line": mat.structure({k: of_mat(v) for k, v in SYSTEM.items()})})
done = subprocess.run([program, "import", "names.mat", "-o", "two.json", "--force"], capture_output=True, text=True)
expect(done.returncode == 0 and "2 subsystems" in done.stdout, f"a subsystem may have any name: {done.stderr}")
with h5py.File("root.h5", "a") as file:
    file.attrs["Ts"] = 0.1
done = subprocess.run([program, "import", "root.h5", "-o", "two.json", "--force"], capture_output=True, text=True)
expect(done.stderr == "root.h5: Ts is 0.1: cosweep takes continuous subsystems (d2c)\n", done.stderr)
model = json.loads(Path("out.json").read_text())
expect([s["name"] for s in model["subsystems"]] == ["two", "one"], "the order in which they were written")
expect(model["connections"] == [{"from": "two.y1", "to": "one.u1", "gain": 2.5}, {"to": "two.u1", "value": 3}],
       model["connections"])
np.savez("none.npz", num=[1], den=[1, 2])
_, said = imported("none.npz")
expect(said == "none.npz: no subsystem; want objects with the matrices A, B, C and D; found num, den\n", said)

# Objects without matrices, and matrices of scipy.sparse.
TransferFunction = type("TransferFunction", (), {"num": [1], "den": [1, 2]})
for what, words in ((lambda: cs.Network("n").add("g", TransferFunction()), "g: TransferFunction has no matrices A, B, C, D; want"),
                    (lambda: cs.Network.from_control(SimpleNamespace(**SYSTEM)), "SimpleNamespace has no subsystems; want")):
    try:
        what()
        expect(False, f"not refused: {words}")
    except ValueError as error:
        expect(str(error).startswith(words), error)
Path("tf.py").write_text("g = type('TransferFunction', (), {'num': [1], 'den': [1, 2]})()\n")
status, said = imported("tf.py")
expect(status == 3 and said.startswith("tf.py: g: TransferFunction has no matrices"), said)
sparse = SimpleNamespace(toarray=lambda: np.array(A))
expect(cs.Network("n").add("s", sparse, B, C).model()["subsystems"][0]["A"] == A, "sparse")

# Texts are lines: an error is one.
WIRES = [["plant\ny1", "plant.u1", "1"]]
np.savez("lines.npz", **{f"plant.{key}": value for key, value in SYSTEM.items()}, connections=WIRES)
Path("lines.json").write_text(json.dumps({"plant": {"A": A, "B": B, "C": C}, "connections": [WIRES[0][:2]]}))
mat.save("lines.mat", {"plant": mat.structure({k: of_mat(v) for k, v in SYSTEM.items()}), "connections": mat.cells(WIRES)})
for path in ("lines.npz", "lines.json", "lines.mat"):
    status, said = imported(path)
    expect(status == 3 and said.count("\n") == 1 and 'no output "plant y1"' in said, f"{path}: {said}")
server.end()
finish()
