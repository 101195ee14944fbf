"""MAT-files of versions 4, 5, 7 and 7.3 as tests need them: also what MATLAB alone writes, and what is wrong."""

import contextlib
import struct
import zlib
from pathlib import Path

INT8, UINT8, INT16, UINT16, INT32, UINT32, DOUBLE, MATRIX, COMPRESSED, UTF8 = 1, 2, 3, 4, 5, 6, 9, 14, 15, 16
CELL, STRUCT, OBJECT, CHAR, SPARSE, REAL, SINGLE, FUNCTION, OPAQUE = 1, 2, 3, 4, 5, 6, 7, 16, 17
INTEGERS = 10  # of 16 bits
order = "<"    # of the bytes of versions 5 and 7; what is made keeps that of its making


class Item:
    """A variable of a class with dimensions; `body`: what follows its name."""

    def __init__(self, kind, dimensions, body, flags=0, items=0):
        self.kind, self.dimensions, self.body, self.flags, self.items = kind, dimensions, body, flags, items


def element(kind, data):
    return struct.pack(order + "II", kind, len(data)) + data + bytes(-len(data) % 8)


def doubles(values):
    return element(DOUBLE, b"".join(struct.pack(order + "d", v) for v in values))


def numbers(rows, imaginary=False):
    """A matrix of a list of rows."""
    columns = len(rows[0]) if rows else 0
    real = doubles(rows[i][k] for k in range(columns) for i in range(len(rows)))
    return Item(REAL, (len(rows), columns), real + (real if imaginary else b""), 0x0800 if imaginary else 0)


def integers(rows):
    """The same of 16 bits."""
    data = b"".join(struct.pack(order + "h", rows[i][k]) for k in range(len(rows[0])) for i in range(len(rows)))
    return Item(INTEGERS, (len(rows), len(rows[0])), element(INT16, data))


def cube():
    return Item(REAL, (2, 2, 2), doubles(range(8)))


def sparse(rows):
    """The entries that are not zero."""
    columns = len(rows[0])
    entries = [(k, i, rows[i][k]) for k in range(columns) for i in range(len(rows)) if rows[i][k] != 0]
    starts = [sum(e[0] < k for e in entries) for k in range(columns + 1)]
    body = element(INT32, b"".join(struct.pack(order + "i", e[1]) for e in entries))
    body += element(INT32, b"".join(struct.pack(order + "i", s) for s in starts)) + doubles(e[2] for e in entries)
    return Item(SPARSE, (len(rows), columns), body, 0, max(1, len(entries)))


def text(string):
    """Characters of 16 bits."""
    data = string.encode("utf-16-le" if order == "<" else "utf-16-be")
    return Item(CHAR, (1 if data else 0, len(data) // 2), element(UINT16, data))


def characters(rows):
    """A matrix of characters, rows filled with blanks."""
    width = max(map(len, rows))
    data = "".join(row.ljust(width)[k] for k in range(width) for row in rows)
    return Item(CHAR, (len(rows), width), element(UTF8, data.encode()))


def cells(rows):
    rows = [row if isinstance(row, (list, tuple)) else [row] for row in rows]
    columns = len(rows[0]) if rows else 0
    body = b"".join(matrix("", as_item(rows[i][k])) for k in range(columns) for i in range(len(rows)))
    return Item(CELL, (len(rows), columns), body)


def structure(fields, count=1):
    names = b"".join(name.encode().ljust(32, b"\0") for name in fields)
    body = struct.pack(order + "II", 4 << 16 | INT32, 32) + element(INT8, names)
    return Item(STRUCT, (1, count), body + b"".join(matrix("", as_item(v)) for v in fields.values()) * count)


def an_object():
    """As MATLAB writes objects of classes such as ss."""
    body = element(INT8, b"MCOS") + element(INT8, b"ss")
    return Item(OPAQUE, None, body + matrix("", Item(REAL, (1, 1), doubles([1]))))


def as_item(value):
    if isinstance(value, Item):
        return value
    if isinstance(value, str):
        return text(value)
    if isinstance(value, (int, float)):
        return numbers([[value]])
    if value and isinstance(value[0], str):
        return cells(value)
    return numbers(value)


def matrix(name, item):
    out = element(UINT32, struct.pack(order + "II", item.kind | item.flags, item.items))
    if item.dimensions is not None:
        out += element(INT32, b"".join(struct.pack(order + "i", n) for n in item.dimensions))
    out += element(INT8, name.encode()) + item.body
    return struct.pack(order + "II", MATRIX, len(out)) + out


def header():
    return b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack(order + "H", 0x0100) + (b"IM" if order == "<" else b"MI")


def pack(one):
    """A variable compressed."""
    packed = zlib.compress(one)
    return struct.pack(order + "II", COMPRESSED, len(packed)) + packed


@contextlib.contextmanager
def big_endian():
    """What is made within has the order of bytes of other machines."""
    global order
    order = ">"
    try:
        yield
    finally:
        order = "<"


def saved(variables, compressed=False):
    """The bytes of a file."""
    each = [matrix(name, as_item(value)) for name, value in variables.items()]
    return header() + b"".join(map(pack, each) if compressed else each)


def save(path, variables, compressed=False):
    Path(path).write_bytes(saved(variables, compressed))


# ---- version 4

TYPES_4 = "dfihHB"
FULL, TEXT, SPARSE_4 = 0, 1, 2


def matrix_4(name, rows, type=0, kind=FULL, big=False):
    """`rows`: lists of numbers, of characters' codes, or of row, column and value of the entries of a sparse matrix."""
    order, columns = "<>"[big], len(rows[0]) if rows else 0
    header = struct.pack(order + "5i", big * 1000 + type * 10 + kind, len(rows), columns, 0, len(name) + 1)
    numbers = [rows[i][k] for k in range(columns) for i in range(len(rows))]
    return header + name.encode() + b"\0" + struct.pack(f"{order}{len(numbers)}{TYPES_4[type]}", *numbers)


# ---- version 7.3: HDF5, by h5py, which the caller has

def of_matlab(file):
    """What MATLAB writes beside data in version 7.3: two functions, for data and for cells of texts, into groups of a
    file of h5py."""
    import h5py
    import numpy as np

    def put(group, name, values, kind="double", **attributes):
        values = np.asarray(values)
        group[name] = values.T if values.ndim == 2 else values
        group[name].attrs["MATLAB_class"] = np.bytes_(kind)
        for key, value in attributes.items():
            group[name].attrs[key] = value

    def texts(group, name, items):
        for i, item in enumerate(items):
            units = np.frombuffer(item.encode("utf-16-le"), "<u2")
            if item:
                put(file["#refs#"], f"{name}{i}", units.reshape(1, -1), "char", MATLAB_int_decode=np.int32(2))
            else:
                put(file["#refs#"], f"{name}{i}", np.zeros(2, "u8"), "char", MATLAB_empty=np.uint8(1))
        put(group, name, np.array([[file["#refs#"][f"{name}{i}"].ref for i in range(len(items))]], h5py.ref_dtype), "cell")
    return put, texts


def save_hdf5(path):
    """An oscillator: a structure with numbers, cells of texts and a sparse vector."""
    import h5py
    import numpy as np

    with h5py.File(path, "w", userblock_size=512) as file:
        put, texts = of_matlab(file)
        file.create_group("#refs#")
        osc = file.create_group("osc")
        osc.attrs["MATLAB_class"] = np.bytes_("struct")
        put(osc, "A", [[1.0, 2.0], [3.0, 4.0]])
        put(osc, "B", np.array([[5], [6]], "i2"), "int16")
        put(osc, "C", [[7.0, 8.0]])
        put(osc, "D", np.zeros(2, "u8"), MATLAB_empty=np.uint8(1))
        texts(osc, "StateName", ["φ", "𝜔1"])
        texts(osc, "InputName", [""])
        sparse = osc.create_group("x0")
        sparse.attrs["MATLAB_class"], sparse.attrs["MATLAB_sparse"] = np.bytes_("double"), np.uint64(2)
        sparse["data"], sparse["ir"], sparse["jc"] = [9.0], np.array([1], "u8"), np.array([0, 1], "u8")
