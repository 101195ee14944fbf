#!/usr/bin/env python3
"""Kernels of models without state events contain nothing of them, in the texts of shipped sweeps.

usage: check_plain_kernels.py COSWEEP SOURCE

- Fragments: those of EVENTS are in texts with state events alone.
- Tables: no name that only the part "state events" of a text with them defines.
- Code: a statement that names a function, a type or a member of state events is one that `COURSE`, which is 0,
  removes. Left alone are types.clh's structs and no_state_events.clh, whose functions nobody calls then.

Texts are not compared with stored ones: these would differ after any change of a fragment, and say nothing of why.
"""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

from checking import expect, finish

EVENTS = {f"kernels/vary/{name}.clh"
          for name in ("guards", "march", "matching", "search", "settle", "walk", "order", "course", "parallel")}
SIZES = "variant: sizes and tables"
STUB = "kernels/vary/no_state_events.clh"
program, source = sys.argv[1], Path(sys.argv[2])


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def defined(text):
    """Functions and structs of a fragment."""
    return set(re.findall(r"^(?:static|INLINE)[^;{(]*?\b(\w+)\s*\([^;]*?\)\s*\{", text, re.M)) | set(
        re.findall(r"^struct (\w+) \{", text, re.M))


def parts_of(text):
    """The texts of every part, by the name in its #line, of all kernels of a sweep."""
    found = {}
    for kernel in re.split(r"^/\*.*\*/\n#define VW ", text, flags=re.M):
        for part in kernel.split('\n#line 1 "')[1:]:
            name, _, body = part.partition('"\n')
            found.setdefault(name, set()).add(body.strip())
    return found


def tables_of(parts):
    """Names of sizes and tables in a text; of those under the heading "state events" alone, the second."""
    text = "\n".join(sorted(parts[SIZES]))
    own = "".join(re.findall(r"^/\* state events \*/\n(.*?)(?:\n\n|\Z)", text, re.M | re.S))
    names = [set(re.findall(r"^#define (\w+)|^__constant \w+ (\w+)\[", part, re.M)) for part in (text, own)]
    return [{a or b for a, b in found} for found in names]


def structs_of_events(types):
    """The structs of types.clh that are of use with state events."""
    start = types.index("/* ---- state events; of use where COURSE > 0 ---- */")
    return types[start:types.index("/* The state of runs (vary.cl). */")]


def unguarded(text, names):
    """Statements that use one of the names although COURSE does not remove them."""
    guarded, found = [], set()
    word = re.compile(r"->course\b|\w+")
    for segment, end in re.findall(r"([^;{}]*)([;{}])", text):
        use = next((at for at in word.finditer(segment) if at[0] in names), None)
        by = re.search(r"(?<!!)\bCOURSE\b", segment)
        header = end == "{" and not guarded or re.fullmatch(r"\s*(?:const )?struct \w+ \*?\w+", segment)
        if use and not header and not any(guarded) and not (by and by.start() < use.start()):
            found.add(" ".join(segment.split()))
        if end == "{":
            guarded.append(bool(re.search(r"\bif \([^|]*(?<!!)\bCOURSE\b", segment)))
        elif end == "}" and guarded:
            guarded.pop()
    return found


def is_large(sweep):
    """Whether planning its runs takes long."""
    grids = [axis.get("linspace") or axis.get("logspace") or [0, 0, len(axis.get("values", [0]))]
             for axis in sweep["axes"]]
    return math.prod(grid[2] for grid in grids) > 10000


plain, eventful = {}, {}
for path in sorted((source / "sweeps").glob("*.json")):
    sweep = json.loads(path.read_text())
    if is_large(sweep):
        continue
    model = json.loads((path.parent / sweep["model"]).resolve().read_text())
    done = subprocess.run([program, "run", str(path), "--print-kernel"], capture_output=True, text=True)
    expect(done.returncode == 0, f"{path.name}: {done.stderr.strip()}")
    having = any("when" in event for event in model.get("events", []))
    (eventful if having else plain)[path.name] = parts_of(done.stdout)
expect(len(plain) > 15 and len(eventful) > 5, f"{len(plain)} sweeps without state events and {len(eventful)} with them")

in_plain, in_eventful = ({part for parts in texts.values() for part in parts} for texts in (plain, eventful))
own = {part for part in in_eventful - in_plain if part.startswith("kernels/")}
expect(own == EVENTS, f"fragments of state events alone are {sorted(own)}, not {sorted(EVENTS)}")

fragments = {name: without_comments((source / name).read_text()) for name in sorted(EVENTS | {STUB})}
types = structs_of_events((source / "kernels/vary/types.clh").read_text())
names = set.union(*map(defined, fragments.values()), defined(types))
everywhere = set.union(*(tables_of(parts)[0] for parts in plain.values()))
tables = set.union(*(tables_of(parts)[1] for parts in eventful.values()))
expect(len(names) > 60 and len(tables) > 40, f"{len(names)} functions and structs, {len(tables)} tables of state events")
expect(not everywhere & tables, f"tables of state events: {sorted(everywhere & tables)}")
bodies = {}  # of parts, with a sweep that has them
for sweep, parts in plain.items():
    for name, texts in parts.items():
        for text in texts if name not in (STUB, SIZES) else ():
            bodies[text] = f"{sweep}, {name}"
varied = sum("kernels/vary/vary.cl" in parts for parts in plain.values())
expect(varied > 5, f"{varied} sweeps without state events whose steps vary")
for sweep, parts in plain.items():
    sizes = set(re.findall(r"^#define (?:COURSE|TRIGGERS) (\d+)", "\n".join(parts[SIZES]), re.M))
    expect(sizes <= {"0"}, f"{sweep}: COURSE or TRIGGERS is {sorted(sizes)}")
for text, place in bodies.items():
    for statement in unguarded(without_comments(text.replace(types, "")), names | tables | {"->course"}):
        expect(False, f"{place}: state events in `{statement}`")
finish(f"{len(plain)} sweeps without state events, {varied} of them with steps that vary, {len(bodies)} parts, "
       f"{len(names)} functions and structs and {len(tables)} tables of state events")
