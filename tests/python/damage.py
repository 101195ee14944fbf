#!/usr/bin/python3
"""Damages results in many ways and gives them to the commands that read them.

usage: damage.py SERVE COUNT SEED FILE.h5...

A mutant is a copy of a FILE with other bytes, cut off, or with variables of other shapes, types, names or values, or
missing ones, put there by h5py. Every command, of which each mutant meets info and three more, has to end by itself
within 5 s of computing, with an exit status that it documents; and where bytes were damaged it may not print anything
else than of the FILE itself, unless the checksum was cut off as well. What leads into another file is refused as that.
Mutants of which that is not true are kept in the
working directory, as damaged_SEED_NUMBER.h5. With a program built with AddressSanitizer invalid accesses are faults as
well. gnuplot is replaced by a program that draws nothing. SERVE is the program `serve` of the tests, which runs commands
in processes that begin where the program's main does, and first shortens the texts of kernels in the files.

Prints a table of outcomes, of the mutants so far where SIGINT or SIGTERM ends it. Exits 0, or 1 with one line per fault
on stderr. Exits 77 where a library is missing.
"""

import lzma
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys

from damaging import Server, Tally, cut, flip_bit, judge, move, of_file, overwrite, scratch

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

COMMANDS = (["info"], ["info", "--json"], ["info", "--rank", "output_error"], ["plot", "--script", "--force"],
            ["report", "--force"], ["export", "--format", "csv", "-o", "-"],
            ["export", "--format", "matlab", "-o", "-"], ["export", "--format", "xdmf", "-o", "-"],
            ["export", "--group", "refined", "-o", "-"], ["verify", "--recompute", "2", "--device", "host"])
LIMIT = 5  # seconds of computing
HURRY = 1  # for the other commands where HDF5 has run until the program ended it: most of the time would go there


# ---- damaged bytes

def unsealed(damage):
    """Without the checksum, which notices everything, so that HDF5 and the reader meet the damage."""
    def both(path, dice):
        os.truncate(path, path.stat().st_size - 32)
        return damage(path, dice)
    return both


# ---- changed contents, well-formed HDF5

TEXT = h5py.string_dtype()
WILD = ["", "x" * 70000, "a'b", "\x1b[31mred", "a\nb", "<&>", "\\", "{", "%s%n", "é", "''", "=", ",", "1e999"]


def pick(file, dice):
    names = []
    file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    return dice.choice(names)


def replace(file, name, data, dtype=None):
    """Puts other data in the place of a variable, with its attributes and as many of its scales as fit."""
    old = file[name]
    attributes = {key: value for key, value in old.attrs.items() if key not in ("DIMENSION_LIST", "REFERENCE_LIST")}
    scales = [dimension[0].name if len(dimension) else None for dimension in old.dims]
    was_scale = h5py.h5ds.is_scale(old.id)
    del file[name]
    new = file.create_dataset(name, data=data, dtype=dtype)
    for key, value in attributes.items():
        if key not in ("CLASS", "NAME", "_FillValue"):
            new.attrs[key] = value
    if was_scale:
        new.make_scale(name)
        attach_again(file, name)
    for i, scale in enumerate(scales[:new.ndim]):
        if scale is not None and scale in file and file[scale].shape == (new.shape[i],):
            new.dims[i].attach_scale(file[scale])
    return new


def attach_again(file, scale):
    def visit(_, item):
        if not isinstance(item, h5py.Dataset) or h5py.h5ds.is_scale(item.id):
            return
        for i, dimension in enumerate(item.dims):
            if dimension.label == scale and (item.shape[i],) == file[scale].shape:
                try:
                    dimension.attach_scale(file[scale])
                except (RuntimeError, OSError):
                    pass
    file.visititems(visit)


def values_of(dataset):
    return dataset[()]


def drop(file, dice):
    name = pick(file, dice)
    del file[name]
    return f"without {name}"


def retype(file, dice):
    name = pick(file, dice)
    data, dtype = values_of(file[name]), dice.choice(("f4", "f8", "i1", "i4", "i8", "u1", "u8", TEXT, "S8"))
    shape = np.shape(data)
    wanted = np.full(shape, "7", object) if dtype is TEXT else np.full(shape, 7).astype(dtype)
    replace(file, name, wanted, dtype if dtype is TEXT else None)
    return f"{name} as {dtype}"


def reshape(file, dice):
    name = pick(file, dice)
    data = np.asarray(values_of(file[name]))
    shape = list(data.shape)
    way = dice.randrange(5)
    if way == 0 and shape:
        shape[dice.randrange(len(shape))] += dice.choice((-1, 1, 7))
    elif way == 1 and shape:
        shape.pop(dice.randrange(len(shape)))
    elif way == 2:
        shape.append(dice.choice((1, 2, 5)))
    elif way == 3:
        dice.shuffle(shape)
    else:
        shape = []
    shape = [max(0, length) for length in shape]
    kind = data.dtype == object
    new = np.full(shape, "x", object) if kind else np.resize(data, shape).astype(data.dtype)
    replace(file, name, new, TEXT if kind else None)
    return f"{name} of shape {shape}"


def swap_scales(file, dice):
    name = pick(file, dice)
    data = file[name]
    if data.ndim == 0 or h5py.h5ds.is_scale(data.id):
        return drop(file, dice)
    i = dice.randrange(data.ndim)
    scales = [key for key in file if isinstance(file[key], h5py.Dataset) and h5py.h5ds.is_scale(file[key].id)]
    for dimension in list(data.dims[i].values()):
        data.dims[i].detach_scale(dimension)
    scale = dice.choice(scales)
    data.dims[i].attach_scale(file[scale])
    return f"{name}: dimension {i} is {scale}"


def over_others(file, dice):
    """A variable over other dimensions that exist: of the right length everywhere, but not what readers expect."""
    name = pick(file, dice)
    data = file[name]
    if "/" in name or h5py.h5ds.is_scale(data.id) or data.dtype == object:
        return drop(file, dice)
    scales = [key for key in file if isinstance(file[key], h5py.Dataset) and h5py.h5ds.is_scale(file[key].id)]
    over = [dice.choice(scales) for _ in range(dice.randrange(4))]
    shape = [file[scale].shape[0] for scale in over]
    kind = data.dtype
    del file[name]
    new = file.create_dataset(name, data=np.full(shape, 1, kind))
    for i, scale in enumerate(over):
        new.dims[i].attach_scale(file[scale])
    return f"{name} over {over}"


def rename(file, dice):
    name, other = pick(file, dice), pick(file, dice)
    group = name.rsplit("/", 1)[0] + "/" if "/" in name else ""
    new = group + dice.choice([w for w in WILD if w and "/" not in w and len(w) < 100] + [other.split("/")[-1] + "_order"])
    if new not in file:
        file.move(name, new)
    return f"{name} as {new!r}"


def revalue(file, dice):
    name = pick(file, dice)
    data = file[name]
    if data.dtype == object:
        new = np.full(data.shape, dice.choice(WILD), object)
        data[...] = new if data.shape else new.item()
    elif data.dtype.kind == "f":
        data[...] = np.full(data.shape, dice.choice((np.nan, np.inf, -np.inf, 0.0, -1.0, 5e-324, 1.7e308, -1.7e308)))
    else:
        limits = np.iinfo(data.dtype)
        data[...] = np.full(data.shape, dice.choice((0, 1, limits.min, limits.max)))
    return f"{name} with other values"


def one_value(file, dice):
    name = pick(file, dice)
    data = file[name]
    if data.dtype.kind != "f" or data.size == 0:
        return revalue(file, dice)
    values = np.asarray(data[()])
    values.flat[dice.randrange(data.size)] = dice.choice((np.nan, np.inf, 0.0, 1e300, 5e-324, -1.0))
    data[...] = values
    return f"{name} with another value"


def attribute(file, dice):
    data = file[pick(file, dice)]
    key = dice.choice(("units", "long_name", "flag_meanings", "DIMENSION_LIST", "CLASS", "NAME"))
    way = dice.randrange(4)
    if way == 0 and key in data.attrs:
        del data.attrs[key]
    elif way == 1:
        data.attrs[key] = 3.5
    elif way == 2:
        data.attrs[key] = dice.choice([w for w in WILD if len(w) < 60000])
    else:
        data.attrs[key] = ["a", "b"]
    return f"{data.name}: attribute {key}"


def note(file, dice):
    """Texts of the provenance that readers parse."""
    name = "provenance/" + dice.choice(("sweep", "model"))
    text = file[name][()].decode()
    at = dice.randrange(len(text))
    text = dice.choice((text[:at], text[:at] + dice.choice("{}[]\",:0x") + text[at + 1:], "{}", "[]", "null", "",
                        text.replace("\"zip\"", "\"path\""), text.replace("\"path\"", "\"zip\""), "[" * 5000))
    del file[name]
    file.create_dataset(name, data=text, dtype=TEXT)
    return f"{name} with other text"


def huge(file, dice):
    name = pick(file, dice)
    length = 1 << dice.choice((24, 30, 40, 60))
    del file[name]
    file.create_dataset(name, shape=(length,), chunks=(1 << 10,), dtype=dice.choice(("f8", "u1")))
    return f"{name} of {length} values"


def elsewhere(file, dice):
    """A variable or a group in the place of which stands what leads into another file."""
    name = pick(file, dice)
    if dice.randrange(3) == 0 and "/" in name:
        name = name.rsplit("/", 1)[0]
    shape, kind = getattr(file[name], "shape", ()), getattr(file[name], "dtype", None)
    way = "link" if kind is None or not shape or kind == object else dice.choice(("link", "external", "virtual"))
    del file[name]
    if way == "link":
        file[name] = h5py.ExternalLink("source0", "/" + name)
    elif way == "external":
        file.create_dataset(name, shape, kind, external=[("source0", 0, h5py.h5f.UNLIMITED)])
    else:
        layout = h5py.VirtualLayout(shape, kind)
        layout[...] = h5py.VirtualSource("source0", name, shape)
        file.create_virtual_dataset(name, layout)
    return f"{name} elsewhere ({way})"


def crc64(data):
    """As .xz has it, behind the only block and before the index, whose size stands in the last line."""
    packed = lzma.compress(data, check=lzma.CHECK_CRC64, preset=0)
    end = len(packed) - 12 - 4 * (struct.unpack("<I", packed[-8:-4])[0] + 1)
    return struct.unpack("<Q", packed[end - 8:end])[0]


def contents(change):
    """With a checksum that holds, so that `verify` computes runs again."""
    def apply(path, dice):
        os.truncate(path, path.stat().st_size - 32)
        with h5py.File(path, "r+") as file:
            what = change(file, dice)
        data = path.read_bytes()
        path.write_bytes(data + b"\ncosweep crc64 %016x\n" % crc64(data))
        return what
    return apply


BYTES, UNSEALED, CONTENTS, ELSEWHERE = "bytes", "bytes, without the checksum", "contents", "in another file"
damages = tuple(of_file(damage) for damage in (flip_bit, overwrite, cut, move))
kinds = {damage: BYTES for damage in damages}
kinds.update({unsealed(damage): UNSEALED for damage in damages * 2})
kinds.update({contents(change): CONTENTS for change in (drop, retype, reshape, swap_scales, over_others, rename, revalue,
                                                        one_value, attribute, note, huge)})
kinds[contents(elsewhere)] = ELSEWHERE


def main():
    tally = Tally(seed)
    with scratch() as name:
        folder = pathlib.Path(name)
        os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
        (folder / "gnuplot").write_text("#!/bin/sh\necho '<svg></svg>' > figure.out\n")
        (folder / "gnuplot").chmod(0o755)
        mutant = folder / "mutant.h5"
        patient, hasty = (Server(serve, folder, mutant.name, limit) for limit in (LIMIT, HURRY))
        slim, originals = {}, {}
        for i, source in enumerate(sources):
            slim[source] = folder / f"source{i}"
            subprocess.run([serve, "--slim", source, slim[source]], check=True)
            shutil.copy(slim[source], mutant)
            originals[source] = [patient.run(words)[1] for words in COMMANDS]
        for number in tally.numbers(count):
            dice = random.Random(f"{seed} {number}")
            source, way = dice.choice(sources), dice.choice(list(kinds))
            shutil.copy(slim[source], mutant)
            try:
                what = way(mutant, dice)
            except Exception:  # of whatever kind: such a file cannot be made
                tally.outcomes["h5py refuses it"] += 1
                continue
            kind, server = kinds[way], patient
            for words in COMMANDS[:1] + tuple(dice.sample(COMMANDS[1:], 3)):
                want = originals[source][COMMANDS.index(words)]
                status, out, err = server.run(words)
                outcome = judge(status, out, err, None if kind in (CONTENTS, ELSEWHERE) else want, kind == BYTES)
                if kind == ELSEWHERE and (status == 0 or b"is kept in another file" not in out + err):
                    outcome = "READS ANOTHER FILE"
                tally.add(kind, outcome, mutant, number, f"cosweep {' '.join(words)}: {source}: {what}")
                if b"did not come to an end" in err:
                    server = hasty
    return tally.show()


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    serve, count, seed, sources = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    sys.exit(main())
