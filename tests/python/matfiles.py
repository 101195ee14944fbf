"""MAT-files of version 5, also compressed, as tests need them: also what MATLAB alone writes, and what is wrong."""

import struct
import zlib
from pathlib import Path

INT8, UINT8, UINT16, INT32, UINT32, DOUBLE, MATRIX, COMPRESSED, UTF8 = 1, 2, 4, 5, 6, 9, 14, 15, 16
CELL, STRUCT, OBJECT, CHAR, SPARSE, REAL, SINGLE, FUNCTION, OPAQUE = 1, 2, 3, 4, 5, 6, 7, 16, 17


class Item:
    """A variable of a class with dimensions; `body`: what follows its name."""

    def __init__(self, kind, dimensions, body, flags=0, items=0):
        self.kind, self.dimensions, self.body, self.flags, self.items = kind, dimensions, body, flags, items


def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def doubles(values):
    return element(DOUBLE, b"".join(struct.pack("<d", v) for v in values))


def numbers(rows, imaginary=False):
    """A matrix of a list of rows."""
    columns = len(rows[0]) if rows else 0
    real = doubles(rows[i][k] for k in range(columns) for i in range(len(rows)))
    return Item(REAL, (len(rows), columns), real + (real if imaginary else b""), 0x0800 if imaginary else 0)


def cube():
    return Item(REAL, (2, 2, 2), doubles(range(8)))


def sparse(rows):
    """The entries that are not zero."""
    columns = len(rows[0])
    entries = [(k, i, rows[i][k]) for k in range(columns) for i in range(len(rows)) if rows[i][k] != 0]
    starts = [sum(e[0] < k for e in entries) for k in range(columns + 1)]
    body = element(INT32, b"".join(struct.pack("<i", e[1]) for e in entries))
    body += element(INT32, b"".join(struct.pack("<i", s) for s in starts)) + doubles(e[2] for e in entries)
    return Item(SPARSE, (len(rows), columns), body, 0, max(1, len(entries)))


def text(string):
    """Characters of 16 bits."""
    data = string.encode("utf-16-le")
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
    body = struct.pack("<II", 4 << 16 | INT32, 32) + element(INT8, names)
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
    out = element(UINT32, struct.pack("<II", item.kind | item.flags, item.items))
    if item.dimensions is not None:
        out += element(INT32, b"".join(struct.pack("<i", n) for n in item.dimensions))
    out += element(INT8, name.encode()) + item.body
    return struct.pack("<II", MATRIX, len(out)) + out


def save(path, variables, compressed=False):
    out = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM"
    for name, value in variables.items():
        one = matrix(name, as_item(value))
        packed = zlib.compress(one)
        out += struct.pack("<II", COMPRESSED, len(packed)) + packed if compressed else one
    Path(path).write_bytes(out)
