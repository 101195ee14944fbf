#!/usr/bin/python3
"""cosweep import of MAT-files and HDF5 files: models, and every message about a file that is wrong.

usage: check_import.py COSWEEP SOURCE OUTPUT [RESULT.h5]

Exits 0, or 1 with a line per fault. Exits 77 where the program or this Python lacks a library."""

import json
import os
import subprocess
import sys
from pathlib import Path

from checking import expect, finish
import matfiles as mat

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, source, output = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
result = Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else None
data = source / "tests/data/import"
output.mkdir(parents=True, exist_ok=True)
os.chdir(output)


def run(*words):
    return subprocess.run([program, "import", *map(str, words), "-o", "out.json", "--force"], capture_output=True,
                          text=True)


def imported(*words):
    """The model and what is said of it on stderr."""
    done = run(*words)
    expect(done.returncode == 0, f"import {words}: {done.stderr}")
    return (json.loads(Path("out.json").read_text()) if done.returncode == 0 else {"subsystems": [{}]}), done.stderr


def refused(what, *words, status=3):
    done = run(*words)
    expect(done.returncode == status and what in done.stderr, f"import {words}: {done.returncode}: {done.stderr}; want {what}")


def same(got, want, what):
    expect(got == want, f"{what}: {got}; want {want}")


def names(items):
    return [item if isinstance(item, str) else item["name"] for item in items]


if "this build reads no MAT-files" in run(data / "two_mass.mat").stderr:
    refused("two_mass.mat: this build reads no MAT-files (libmatio-dev)", data / "two_mass.mat", status=5)
    print("skipped: the program is built without libmatio", file=sys.stderr)
    sys.exit(77)

# The reference files. The shipped model has expressions, whose values a result of the program has.
model, _ = imported(data / "two_mass.mat")
shipped = json.loads((source / "models/two_mass_oscillator/model.json").read_text())
values = {name: parameter["value"] for name, parameter in shipped["parameters"].items()}


def number(item):
    return item if not isinstance(item, str) else eval(item, {}, dict(values))


for got, want in zip(model["subsystems"], shipped["subsystems"], strict=True):
    for key in ("A", "B", "C", "D"):
        same(got.get(key), [[number(n) for n in row] for row in want[key]] if key in want else None, want["name"] + key)
    same(got["x0"], [number(n) for n in want["x0"]], "x0")
    for key in ("states", "inputs", "outputs"):
        same(names(got[key]), names(want[key]), key)
same(model["connections"], shipped["connections"], "connections")

plain, said = imported(data / "plain_v4.mat")
same(plain["subsystems"][0]["B"], [[0], [0.2], [1]], "plain_v4")
same(plain["subsystems"][0]["D"], [[-2]], "plain_v4")
expect("plain_v4.mat: B is 1x3: read as a column, of one input" in said, said)
osc, _ = imported(data / "plain_v73.mat")
expected = {"name": "osc", "states": ["x1", "x2"], "inputs": ["u1"], "outputs": ["y1"], "A": [[1, 0], [0, 1]],
            "B": [[1], [1]], "C": [[1, 1]], "x0": [1, 1]}
same(osc["subsystems"], [expected], "plain_v73")

# All that a structure may have, compressed and not.
MOTOR = {"A": [[-1, 2], [0, -3]], "B": [[0], [1]], "C": [[1, 0]], "D": 0.5, "x0": [[0.1, 1e-300]], "e": [[1], [2]],
         "f": 7, "u0": 3, "StateName": ["i (A)", "i.A"], "StateUnit": mat.characters(["A", "rad/s"]),
         "InputName": "tau", "InputUnit": ["N m"], "OutputName": ["ω"], "Ts": 0, "Notes": "mine"}
WANT = {"name": "motor", "states": [{"name": "i_A", "unit": "A", "description": "i (A)"},
                                    {"name": "i_A_2", "unit": "rad/s", "description": "i.A"}],
        "inputs": [{"name": "tau", "unit": "N m"}], "outputs": [{"name": "y1", "description": "ω"}],
        "A": [[-1, 2], [0, -3]], "B": [[0], [1]], "C": [[1, 0]], "D": [[0.5]], "e": [1, 2], "f": [7], "x0": [0.1, 1e-300]}
for compressed in (False, True):
    mat.save("motor.mat", {"motor": mat.structure(MOTOR), "y": [[1, 2]], "log": mat.structure({"t": 1}),
                           "cube": mat.cube()}, compressed)
    got, said = imported("motor.mat")
    same(got["subsystems"], [WANT], "motor")
    same(got["connections"], [{"to": "motor.tau", "value": 3}], "u0")
    expect("motor.mat: motor: Notes is not read" in said, said)
LOAD = {"A": -1, "B": 1, "C": 1, "D": mat.sparse([[3]]), "InputName": ["w"], "OutputName": ["tau"]}
mat.save("two.mat", {"motor": mat.structure({**MOTOR, "OutputName": "w"}), "load": mat.structure(LOAD),
                     "connections": mat.cells([["motor.w", "load.w", -2], ["load.tau", "motor.tau", 1]])})
both, _ = imported("two.mat")
same(both["connections"], [{"from": "motor.w", "to": "load.w", "gain": -2}, {"from": "load.tau", "to": "motor.tau"}],
     "gains")
mat.save("two.mat", {"load": mat.structure(LOAD), "connections": mat.cells([[2.5, "load.w"]])})
same(imported("two.mat")[0]["connections"], [{"to": "load.w", "value": 2.5}], "a constant")
mat.save("two.mat", {"motor": mat.structure({**MOTOR, "OutputName": "w"}), "load": mat.structure(LOAD),
                     "connections": mat.cells([["motor.w", "load.w", -2], [0.5, "motor.tau", ""]])})
same(imported("two.mat")[0]["connections"], [{"from": "motor.w", "to": "load.w", "gain": -2}, {"to": "motor.tau", "value": 0.5}],
     "a constant among gains")
mat.save("some.mat", {"A": mat.sparse([[0, 2], [-1, 0]]), "B": [[0], [1]], "C": [[1, 0], [0, 1]], "D": [],
                      "OutputName": ["p", "q"]}, True)
got, _ = imported("some.mat", "two.mat")
same([s["name"] for s in got["subsystems"]], ["some", "motor", "load"], "several files")
same((got["subsystems"][0]["A"], got["subsystems"][0]["outputs"]), ([[0, 2], [-1, 0]], ["p", "q"]), "plain")
mat.save("gain.mat", {"A": [], "D": [[1, 2]]})
same(imported("gain.mat")[0]["subsystems"][0]["D"], [[1, 2]], "a gain")

# What is wrong.
GOOD = {"A": [[1, 2, 3], [3, 4, 3], [5, 6, 3]]}
WRONG = [
    ({"oscillator1": mat.an_object()}, "two.mat: oscillator1: an ss object; save matrices instead: "
     "[A,B,C,D] = ssdata(sys); save('two.mat','A','B','C','D','-v7')"),
    ({"osc": mat.structure({"A": 1, "Ts": 0.01})}, "two.mat: osc: Ts is 0.01: cosweep takes continuous subsystems (d2c)"),
    ({"A": 1, "Ts": 0.01}, "two.mat: Ts is 0.01: cosweep takes continuous subsystems (d2c)"),
    ({"osc": mat.structure({"A": [[1, 2], [3, 4], [5, 6]]})}, "two.mat: osc: A is 3x2; want as many columns as rows"),
    ({"osc": mat.structure({**GOOD, "B": [[1], [2]]})}, "two.mat: osc: B has 2 rows, A 3"),
    ({"osc": mat.structure({"A": 1, "C": [[1, 2]]})}, "two.mat: osc: C has 2 columns, A 1"),
    ({"osc": mat.structure({"A": 1, "B": 1, "C": 1, "D": [[1, 2]]})}, "two.mat: osc: D has 2 columns, B 1"),
    ({"osc": mat.structure({"A": 1, "x0": [[1, 2]]})}, "two.mat: osc: x0 has 2 numbers, A 1 state"),
    ({"osc": mat.structure({"A": 1, "x0": [[1, 2], [3, 4]]})}, "two.mat: osc: x0 "),
    ({"osc": mat.structure({"A": mat.numbers([[1]], True)})}, "two.mat: osc: A is complex; want real numbers"),
    ({"A": mat.numbers([[1]], True)}, "two.mat: A is complex; want real numbers"),
    ({"osc": mat.structure({**GOOD, "StateName": ["a", "b"]})}, "two.mat: osc: StateName has 2 names, A 3 states"),
    ({"osc": mat.structure({"A": 1, "C": 1, "OutputUnit": ["a", "b"]})}, "OutputUnit has 2 units, C 1 output"),
    ({"osc": mat.structure({"A": 1, "StateName": mat.cells([[1]])})}, "two.mat: osc: StateName{1} is no text"),
    ({"osc": mat.structure({"A": 1, "StateName": [[1, 2]]})}, "StateName is a matrix; want a cell array of texts"),
    ({"osc": mat.structure({"A": "x"})}, "two.mat: osc: A is a text; want a matrix of numbers"),
    ({"osc": mat.structure({"A": mat.cube()})}, "two.mat: osc: A is 2x2x2; want a matrix"),
    ({"osc": mat.structure({"A": mat.an_object()})}, "two.mat: osc: A is an object; want a matrix of numbers"),
    ({"osc": mat.structure({"A": mat.numbers([[0.0] * 2001])})}, "A is 1x2001; want at most 2000 rows and columns"),
    ({"osc": mat.structure({"A": float("nan")})}, "two.mat: osc: A has a number that is not finite, in row 1"),
    ({"osc": mat.structure({"A": 1}, 3)}, "two.mat: osc: an array of 1x3 structures; want a variable of its own"),
    ({"osc": mat.structure({"B": 1})}, "two.mat: no subsystem; want objects with the matrices A, B, C and D"),
    ({"osc": mat.structure({"A": 1}), "connections": "x"}, "two.mat: connections: want a cell array with rows"),
    ({"osc": mat.structure({"A": 1}), "connections": mat.cells([["a.y", 1]])}, "two.mat: connections: row 1: want"),
    ({"osc": mat.structure({"A": 1}), "connections": mat.cells([[1, "osc.u", 2]])}, "two.mat: connections: row 1: want"),
    ({"osc": mat.structure({"A": 1}), "connections": mat.cells([["a.y", "osc.u"]])}, 'two.mat: no output "a.y"'),
]
for variables, message in WRONG:
    for compressed in (False, True):
        mat.save("two.mat", variables, compressed)
        refused(message, "two.mat")
        expect(not (Path("two.json").exists()), message)
mat.save("two.mat", {"osc": mat.structure({"A": 1}), "b": mat.structure({"A": 2})})
whole = Path("two.mat").read_bytes()
Path("two.mat").write_bytes(whole[:-8])
refused("two.mat: is damaged: ends within the last of 2 variables", "two.mat", status=5)
Path("two.mat").write_bytes(whole + b"\x0e")
refused("two.mat: is damaged after 2 variables", "two.mat", status=5)
bad = bytearray(whole)
bad[128] = 99
Path("two.mat").write_bytes(bad)
refused("two.mat: is damaged: holds 2 variables, of which ", "two.mat", status=5)
names = whole.index(b"A\0\0\0")  # of the fields; before it how long they are together
Path("two.mat").write_bytes(whole[:names - 4] + (1 << 16).to_bytes(4, "little") + whole[names:])
refused('two.mat: "osc" is damaged: it has fewer numbers than its dimensions say', "two.mat", status=5)
SHORT = 'two.mat: "{}" is damaged: it has fewer numbers than its dimensions say'
FEW = mat.Item(mat.REAL, (2, 2), mat.doubles([1, 2, 3]))
HALF = mat.Item(mat.REAL, (2, 2), mat.doubles([1, 2, 3, 4]), 0x0800)
for variables, name in (({"A": FEW}, "A"), ({"osc": mat.structure({"A": FEW})}, "osc"), ({"osc": mat.structure({"A": HALF})}, "osc"),
                        ({"osc": mat.structure({"A": 1, "StateName": mat.Item(mat.CELL, (2, 1), mat.matrix("", mat.text("a")))})},
                         "osc"),
                        ({"osc": mat.structure({"A": 1, "StateName": mat.Item(mat.CHAR, (1, 5), mat.text("four").body)})}, "osc"),
                        ({"osc": mat.structure({"A": mat.Item(mat.REAL, (2, 2), mat.element(10, bytes(32)))})}, "osc"),
                        ({"osc": mat.structure({"A": mat.Item(mat.REAL, (1, 1), mat.element(17, bytes(8)))})}, "osc"),
                        ({"osc": mat.Item(mat.STRUCT, (1, 1), mat.structure({"A": 1, "B": 1}).body[:-8])}, "osc"),
                        ({"A": mat.Item(mat.SPARSE, (1, 1), mat.sparse([[3]]).body[:32], 0, 1)}, "A")):
    for compressed in (False, True):
        mat.save("two.mat", variables, compressed)
        refused(SHORT.format(name), "two.mat", status=5)
mat.save("two.mat", {"osc": mat.structure({"A": 1})})
whole = bytearray(Path("two.mat").read_bytes())
whole[140] = 12  # bytes of flags
Path("two.mat").write_bytes(whole)
refused("two.mat: is damaged: holds a variable without flags and dimensions", "two.mat", status=5)
mat.save("two.mat", {"log": FEW, "osc": mat.structure({"A": 1}), "A": mat.numbers([])}, True)
imported("two.mat")  # what is not read may be anything
mat.save("two.mat", {"osc": mat.structure({"A": 1})}, True)
whole = bytearray(Path("two.mat").read_bytes())
whole[-1] ^= 1  # of the checksum
Path("two.mat").write_bytes(whole)
refused('two.mat: "osc" is damaged: it cannot be unpacked to its end', "two.mat", status=5)
Path("two.mat").write_bytes(b"nothing of the kind")
refused("two.mat: is no MAT-file", "two.mat", status=5)
refused("none.mat: cannot be opened: No such file or directory", "none.mat", status=5)

# HDF5 as Python writes it: rows are rows.
with h5py.File("plain.h5", "w") as file:
    for name, parts in {"motor": MOTOR, "load": LOAD}.items():
        group = file.create_group(name)
        for key in ("A", "B", "C", "D", "x0", "e", "f", "u0"):
            if key in parts and not isinstance(parts[key], mat.Item):
                group[key] = np.atleast_2d(parts[key])
    file["motor"].attrs["StateName"] = ["a", "b"]
    file["motor"].attrs["InputName"] = np.array([b"tau"])
    file["motor"]["OutputName"] = np.array(["w"], dtype=h5py.string_dtype())
    file["motor"]["StateUnit"] = np.array([b"rad", b"m"])
    file["load"].attrs["InputName"] = "w"
    file["load"]["x0"] = [4.0]
    file["connections"] = np.array([["motor.w", "load.w"], ["load.y1", "motor.tau"]], dtype=h5py.string_dtype())
got, _ = imported("plain.h5")
same([s["name"] for s in got["subsystems"]], ["load", "motor"], "HDF5")
same(got["subsystems"][0], {"name": "load", "states": ["x1"], "inputs": ["w"], "outputs": ["y1"], "A": [[-1]],
                            "B": [[1]], "C": [[1]], "x0": [4]}, "load")
same(got["subsystems"][1], {**{k: v for k, v in WANT.items() if k != "outputs"}, "outputs": ["w"],
                            "inputs": ["tau"], "states": [{"name": "a", "unit": "rad"}, {"name": "b", "unit": "m"}]},
     "motor of HDF5")
same(len(got["connections"]), 2, "connections of HDF5")
with h5py.File("root.h5", "w") as file:
    file["A"], file["B"], file["C"], file["log"] = [[1, 2], [3, 4]], [[1], [2]], [[5, 6]], np.zeros(5000)
same(imported("root.h5")[0]["subsystems"][0]["A"], [[1, 2], [3, 4]], "rows")

mat.save_hdf5("new.mat")
same(imported("new.mat")[0]["subsystems"],
     [{"name": "osc", "states": [{"name": "x1", "description": "φ"}, {"name": "x1_2", "description": "𝜔1"}],
       "inputs": ["u1"], "outputs": ["y1"], "A": [[1, 2], [3, 4]], "B": [[5], [6]], "C": [[7, 8]], "x0": [0, 9]}],
     "version 7.3")


def of_hdf5(fill, message, status=3):
    with h5py.File("two.mat", "w") as file:
        fill(file, *mat.of_matlab(file))
    refused(message, "two.mat", status=status)


of_hdf5(lambda f, put, _: put(f, "oscillator1", np.zeros((1, 6), "u4"), "ss", MATLAB_object_decode=np.int32(3)),
        "two.mat: oscillator1: an ss object; save matrices instead: [A,B,C,D] = ssdata(sys); "
        "save('two.mat','A','B','C','D','-v7')")
of_hdf5(lambda f, put, _: put(f, "A", np.zeros((1, 1), [("real", "f8"), ("imag", "f8")])), "two.mat: A is complex")
of_hdf5(lambda f, put, _: put(f, "A", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "two.mat: A is 3x2; want")
of_hdf5(lambda f, put, _: put(f, "A", np.zeros((2, 2, 2))), "two.mat: A is 2x2x2; want a matrix")
of_hdf5(lambda f, put, _: (put(f, "A", [[1.0]]), put(f, "Ts", [[0.5]])), "two.mat: Ts is 0.5: cosweep takes continuous")
of_hdf5(lambda f, put, _: f.create_group("a"), "two.mat: no subsystem")


def elsewhere(file, put, how):
    """A in another file, to which it is linked, or which has its bytes."""
    with h5py.File("other.h5", "w") as other:
        other["A"] = np.eye(2)
    put(file, "B", [[1.0, 0.0]])
    if how == "link":
        file["A"] = h5py.ExternalLink("other.h5", "/A")
    elif how == "external":
        file.create_dataset("A", (2, 2), "f8", external=[("other.h5", 0, 32)])
    else:
        layout = h5py.VirtualLayout((2, 2), "f8")
        layout[:] = h5py.VirtualSource("other.h5", "A", (2, 2))
        file.create_virtual_dataset("A", layout)


for way in ("link", "external", "virtual"):
    of_hdf5(lambda f, put, _: elsewhere(f, put, way), 'two.mat: "A" is kept in another file', status=5)
cut = Path("new.mat").read_bytes()
Path("two.mat").write_bytes(cut[:len(cut) // 2])
refused("two.mat: cannot read: truncated file", "two.mat", status=5)
Path("two.mat").write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM" + bytes(600))
refused("two.mat: is damaged: of version 7.3, but without HDF5's signature\n", "two.mat", status=5)
expect(run("two.mat").stderr.count("\n") == 1, "HDF5 says something as well")

# A result has its model.
if result is not None:
    got, _ = imported(result, "--name", "again")
    with h5py.File(result) as file:
        want = json.loads(file["provenance/model"][()])
    same(got, {**want, "name": "again"}, "the model of a result")
    refused("a result of cosweep has a whole model in it; import it alone", result, "--match")
    refused("a result of cosweep has a whole model in it; import it alone", "root.h5", result)
finish()
