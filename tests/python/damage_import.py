#!/usr/bin/python3
"""Damages files in many ways and has `cosweep import` read them.

usage: damage_import.py SERVER COUNT SEED SOURCE [EXTENSION...]

A mutant is a copy of a file with other bytes, or cut off: of MAT-files of versions 4, 5 (6 is the same), 7 or 7.3, those
of version 7 mostly within what is compressed; with an EXTENSION .npz, .fmu or .ssp of archives that Python reads, mostly
within their files, under checksums that hold (archives.py). The command has to end by itself, within a second of
computing for MAT-files, with an exit status that it documents and one line where that is an error, and to write a model
only where it is 0. What libmatio and HDF5 do to the process that reads is contained there. Mutants of which that is not
true are kept in the working directory. SERVER is the program `serve` of the tests, or one that reads many files in one
process and is many times faster: `imports`, which reads again what ends that process as the command does, and reads.py
for archives, where every error has to be one of the package's own. With COSWEEP, the program, in the environment there are
FMUs with code that runs, which need FMPy.

Prints a table of outcomes by version, of the mutants so far where SIGINT or SIGTERM ends it. Exits 0, or 1 with one line
per fault on stderr. Exits 77 where a library is missing."""

import os
import pathlib
import random
import struct
import sys

import matfiles as mat
from damaging import MANY, NEVER_SET, Server, Tally, cut, flip_bit, judge, move, overwrite, scratch

try:
    import archives
    import h5py  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

LIMIT = {".mat": 1, ".npz": 5, ".fmu": 10, ".ssp": 10}  # s of computing; for MAT-files the program allows its process 3
FMUS = (".fmu", ".ssp")
OPTIONS = [["-q", *more] for more in ([], [], [], ["--identify", "0.05"], ["--identify", "0.1", "--states", "2"],
                                      ["--at", "0.1", "--step", "0.02"])]  # of FMUs
SMALLEST = 32  # bytes that are left to damage
# What a file asks for beyond this is refused, as by the limit of host/import/foreign.c, which this sanitizer has not.
ADDRESSES = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=256"


# Memory that was never set under AddressSanitizer, as numbers of 64 and 32 bits.
UNSET = [repr(struct.unpack("<" + kind, bytes([NEVER_SET]) * struct.calcsize(kind))[0]).encode() for kind in "dfiI"]


def swap_numbers(data, dice):
    """Lengths and types are numbers of 32 bits."""
    at = dice.randrange(len(data) // 4) * 4
    value = dice.choice((0, 1, 2, 3, 5, 7, 8, 14, 15, 17, 255, 2000, 2001, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1))
    data[at:at + 4] = struct.pack(dice.choice("<<<>") + "I", value)
    return f"{value} at {at}"


WAYS = (flip_bit, flip_bit, overwrite, overwrite, cut, move) + (swap_numbers,) * 3


def damage(data, dice):
    what = []
    for _ in range(dice.choice((1, 1, 2, 3))):
        if len(data) > SMALLEST:
            what.append(dice.choice(WAYS)(data, dice))
    return ", ".join(what)


def damage_whole(data, dice):
    data = bytearray(data)
    return damage(data, dice), data


def damage_within(elements, dice):
    """Variables of which one is damaged before it is compressed; now and then the whole file is damaged as well."""
    i = dice.randrange(len(elements))
    one = bytearray(elements[i])
    what = f"within element {i}: {damage(one, dice)}"
    data = bytearray(mat.header() + b"".join(mat.pack(bytes(one) if k == i else e) for k, e in enumerate(elements)))
    return (what if dice.randrange(8) else f"{what}, {damage(data, dice)}"), data


def mat_files(source, folder):
    """For each version files, and how they are damaged. The first of each is right as it stands."""
    def read(name):
        return (source / "tests/data/import" / name).read_bytes()

    def save(what, *more):
        what(folder / "own.mat", *more)
        return (folder / "own.mat").read_bytes()

    whole = {"motor": mat.structure({"A": [[-1, 2], [0, -3]], "B": [[0], [1]], "C": mat.sparse([[1, 0]]), "D": 0.5,
                                     "x0": [[0.1, 0.2]], "StateName": ["i", "w"], "InputUnit": ["V"],
                                     "OutputName": mat.characters(["y"]), "e": []}),
             "sys": mat.structure({"A": mat.sparse([[0, 2], [-1, 0]]), "StateName": mat.cells([["a"], ["b"]])}),
             "connections": mat.cells([["motor.y", "motor.u1", -2]])}
    plain = {"A": mat.sparse([[-1, 2], [0, -3]]), "B": [[0], [1]], "C": mat.cells([["x"]]), "StateName": mat.characters(["i", "w"])}
    names = [[ord(c) for c in row] for row in ("phi ", "w   ")]
    version_4 = [b"".join(mat.matrix_4(name, rows, type, kind, big)
                          for name, rows, type, kind in (("A", [[-1, 2], [3, -4]], 0, mat.FULL), ("B", [[1], [2]], 1, mat.FULL),
                                                         ("C", [[1, 1, 7], [1, 2, 8], [1, 2, 0]], 0, mat.SPARSE_4),
                                                         ("D", [[1]], 2, mat.FULL), ("x0", [[1], [2]], 3, mat.FULL),
                                                         ("e", [[0], [9]], 4, mat.FULL), ("StateName", names, 5, mat.TEXT)))
                 for big in (False, True)]
    elements = [mat.matrix(name, mat.as_item(value)) for name, value in whole.items()]
    return {"version 4": [(damage_whole, read("plain_v4.mat"))] + [(damage_whole, data) for data in version_4],
            "version 5/6": [(damage_whole, save(mat.save, whole)), (damage_whole, save(mat.save, plain))],
            "version 7": [(damage_whole, read("two_mass.mat"))] + [(damage_within, elements)] * 4,
            "version 7.3": [(damage_whole, read("plain_v73.mat")), (damage_whole, save(mat.save_hdf5))]}


def sources(source, folder, extensions):
    """The same by extension, for each version."""
    made = archives.sources(source, os.environ.get("COSWEEP"))
    return {extension: mat_files(source, folder) if extension == ".mat"
            else {extension[1:]: [(archives.damage, data) for data in made[extension]]} for extension in extensions}


def main(program, count, seed, source, extensions):
    os.environ["ASAN_OPTIONS"] = f"{ADDRESSES}:{os.environ.get('ASAN_OPTIONS', '')}"
    os.environ["PYTHONPATH"] = str(source / "packaging/python")
    os.environ.setdefault("COSWEEP_PYTHON", sys.executable)
    tally = Tally(seed)
    with scratch() as name:
        folder = pathlib.Path(name)
        server = Server(program, folder, "mutant", max(LIMIT[extension] for extension in extensions))
        model, files = folder / "m.json", sources(source, folder, extensions)

        def read(extension, data, more):
            mutant = folder / f"mutant{extension}"
            mutant.unlink(missing_ok=True)  # `imports` wants a new file
            mutant.write_bytes(data)
            model.unlink(missing_ok=True)
            server.mutant = mutant.name
            return mutant, *server.run(["import", "--force", *more, "-o", model.name])

        for extension, versions in files.items():
            for of_version in versions.values():
                _, status, _, err = read(extension, of_version[0][1], [])
                if b"this build reads no MAT-files" in err:
                    print("skipped: the program is built without libmatio", file=sys.stderr)
                    return 77
                assert status == 0 or (extension in FMUS and "COSWEEP" not in os.environ), err
        for number in tally.numbers(count):
            dice = random.Random(f"{seed} {number}")
            extension = dice.choice(extensions) if len(extensions) > 1 else extensions[0]
            version = dice.choice(list(files[extension]))
            way, data = dice.choice(files[extension][version])
            what, data = way(data, dice)
            mutant, status, out, err = read(extension, data, dice.choice(OPTIONS) if extension in FMUS else [])
            outcome = judge(status, out, err, None, False) if status != 3 else "refused"
            if MANY in err and outcome in ("done", "refused"):
                outcome += " alone, after it has ended a process of many files"
            if status not in (0, None) and outcome == "refused" and b"Sanitizer" not in err and err.count(b"\n") != 1:
                outcome = "NOT ONE ERROR"
            if status == 0 and any(number in model.read_bytes() for number in UNSET):
                outcome = "NUMBERS NEVER SET"
            if status is not None and model.exists() != (status == 0):
                outcome = "MODEL WITHOUT SUCCESS"
            tally.add(version, outcome, mutant, number, f"{what}: {err.decode(errors='replace')[:600]}")
    return tally.show()


if __name__ == "__main__":
    if len(sys.argv) < 5 or set(sys.argv[5:]) - set(LIMIT):
        sys.exit(__doc__)
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve()), int(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4]).resolve(),
                  sys.argv[5:] or [".mat"]))
