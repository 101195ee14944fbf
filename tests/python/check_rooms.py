#!/usr/bin/env python3
"""The rooms of host/: who includes and who calls whom: check_rooms.py HOST OBJECTS [--table]

HOST is host/ of the checkout, OBJECTS the folder CMakeFiles of its build. What a room may look into is read from the
lines `room(NAME SEES ...)` of HOST/CMakeLists.txt, which list the rooms from the lowest to the highest. Fails where a
room sees one that comes after it, where a file includes a header or an object calls a function of a room it does not
see, and where a file of a room is in two rooms by name. --table prints who uses whom, and lines per room."""
import collections
import pathlib
import re
import sys

from symbols import symbols

arguments = [a for a in sys.argv[1:] if a != "--table"]
if len(arguments) != 2:
    sys.exit(__doc__)
host, objects = (pathlib.Path(a) for a in arguments)
faults = []

sees = {}
for name, rest in re.findall(r"^ *room\((\w+)([^)]*)\)", (host / "CMakeLists.txt").read_text(), re.M):
    words = rest.split()
    start = words.index("SEES") + 1 if "SEES" in words else len(words)
    names = []
    for word in words[start:]:
        if word in ("DOOR", "MORE"):
            break
        names.append(word)
    faults += [f"{name} sees {other}, which does not come before it" for other in names if other not in sees]
    sees[name] = names
if not sees:
    sys.exit("no room in CMakeLists.txt: this check has lost its subject")

files = [f for room in sees for f in sorted((host / room).glob("*.[ch]"))]
room_of = {}
for file in files:
    if file.name in room_of:
        faults.append(f"{file.name} is in {room_of[file.name]} and in {file.parent.name}")
    room_of[file.name] = file.parent.name
folders = {f.name for f in host.iterdir() if f.is_dir() and list(f.glob("*.c"))} - {"manual"}
faults += [f"{name}/ is no room of CMakeLists.txt" for name in sorted(folders - set(sees))]

includes = collections.defaultdict(collections.Counter)
for file in files:
    for header in re.findall(r'^#include "([^"]+)"', file.read_text(), re.M):
        other, own = room_of.get(header), file.parent.name
        if other is None or other == own:
            continue
        includes[own][other] += 1
        if other not in sees[own]:
            faults.append(f"{own}/{file.name} includes {header} of {other}, which {own} does not see")

defined, used = {}, collections.defaultdict(set)
for room in sees:
    for item, kind, symbol in symbols((objects / f"room_{room}.dir").rglob("*.o")):
        if item.parent.name == room and not (host / room / item.stem).exists():
            continue  # of a file that is gone
        if kind == "U":
            used[room].add(symbol)
        else:
            defined[symbol] = room
if not defined:
    sys.exit(f"no objects below {objects}: this check has lost its subject")
calls = collections.defaultdict(collections.Counter)
for room, symbols in used.items():
    for symbol in sorted(symbols):
        other = defined.get(symbol, room)
        if other == room:
            continue
        calls[room][other] += 1
        if other not in sees[room]:
            faults.append(f"{room} uses {symbol} of {other}, which it does not see")

if "--table" in sys.argv:
    print(f"{'room':8}{'files':>6}{'lines':>7}  {'includes':60}  functions and tables used")
    for room in sees:
        own = [f for f in files if f.parent.name == room]
        lines = sum(len(f.read_text().splitlines()) for f in own)
        row = [" ".join(f"{other}:{count}" for other, count in table[room].items()) for table in (includes, calls)]
        print(f"{room:8}{len(own):6}{lines:7}  {row[0]:60}  {row[1]}")
if faults:
    sys.exit("\n".join(faults))
arrows = sum(len(calls[room]) for room in sees)
print(f"{len(sees)} rooms, {len(files)} files, {arrows} arrows of calls, none upwards")
