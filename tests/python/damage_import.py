#!/usr/bin/python3
"""Damages MAT-files and HDF5 files in many ways and has `cosweep import` read them.

usage: damage_import.py SERVE COUNT SEED SOURCE

A mutant is a copy of a file of versions 4, 5, 7 or 7.3 with other bytes, or cut off. The command has to end by itself
within a second of computing, with an exit status that it documents, and to write a model only where that is 0. What libmatio
and HDF5 do to the process that reads is contained there. Mutants of which that is not true are kept in the working
directory. SERVE is the program `serve` of the tests.

Prints a table of outcomes. Exits 0, or 1 with one line per fault on stderr. Exits 77 where a library is missing."""

import pathlib
import random
import shutil
import sys

import matfiles as mat
from damaging import Server, Tally, cut, flip_bit, judge, move, overwrite, scratch

WAYS = (flip_bit, flip_bit, overwrite, overwrite, cut, move)
MUTANT = "mutant.mat"
LIMIT = 1  # seconds of computing; the program itself allows its process three


def swap_numbers(path, dice):
    """Lengths and types are numbers of 32 bits."""
    data = bytearray(path.read_bytes())
    at = dice.randrange(len(data) // 4) * 4
    value = dice.choice((0, 1, 2, 3, 5, 7, 8, 14, 15, 17, 255, 2000, 2001, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1))
    data[at:at + 4] = value.to_bytes(4, "little")
    path.write_bytes(data)
    return f"{value} at {at}"


def sources(source, folder):
    """Files of all kinds; those that are compressed hardly get past their checksums."""
    found = [source / "tests/data/import" / name for name in ("two_mass.mat", "plain_v4.mat", "plain_v73.mat")]
    whole = {"motor": mat.structure({"A": [[-1, 2], [0, -3]], "B": [[0], [1]], "C": mat.sparse([[1, 0]]), "D": 0.5,
                                     "x0": [[0.1, 0.2]], "StateName": ["i", "w"], "InputUnit": ["V"],
                                     "OutputName": mat.characters(["y"]), "e": []}),
             "sys": mat.structure({"A": mat.sparse([[0, 2], [-1, 0]]), "StateName": mat.cells([["a"], ["b"]])}),
             "connections": mat.cells([["motor.y", "motor.u1", -2]])}
    for compressed in (False, False, False, True):
        found.append(folder / f"own{len(found)}.mat")
        mat.save(found[-1], whole, compressed)
    return found


def main(serve, count, seed, source):
    tally = Tally(seed)
    with scratch() as name:
        folder = pathlib.Path(name)
        server = Server(serve, folder, MUTANT, LIMIT)
        files = sources(source, folder)
        mutant, model = folder / MUTANT, folder / "m.json"
        for file in files:
            shutil.copy(file, mutant)
            status, _, err = server.run(["import", "--force", "-o", model.name])
            if b"this build reads no MAT-files" in err:
                print("skipped: the program is built without libmatio", file=sys.stderr)
                return 77
            assert status == 0, (file, err)
        for number in tally.numbers(count):
            dice = random.Random(f"{seed} {number}")
            file = dice.choice(files)
            shutil.copyfile(file, mutant)
            for _ in range(dice.choice((1, 1, 2, 3))):
                if mutant.stat().st_size > 600:
                    what = dice.choice(WAYS + (swap_numbers,) * 3)(mutant, dice)
            model.unlink(missing_ok=True)
            status, out, err = server.run(["import", "--force", "-o", model.name])
            outcome = judge(status, out, err, None, False) if status != 3 else "refused"
            if status is not None and model.exists() != (status == 0):
                outcome = "MODEL WITHOUT SUCCESS"
            tally.add("", outcome, mutant, number, f"{file.name}: {what}")
    return tally.show()


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve()), int(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4]).resolve()))
