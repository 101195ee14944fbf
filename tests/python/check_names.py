#!/usr/bin/env python3
"""Names of host/ are addresses: check_names.py HOST OBJECTS

A function or table that other files may use is called cs_STEM_... (or cs_STEMs_..., for many of them), is declared in
STEM.h or STEM_private.h and defined in STEM.c or STEM_*.c of the same room. OBJECTS is the folder CMakeFiles of the
build of HOST; symbols are read from the objects by nm. Fails with a line for each name that leads elsewhere."""
import collections
import pathlib
import re
import sys

from symbols import symbols

# Name: why it may be called otherwise.
EXCEPTIONS = {}


def plurals(stem):
    """What many of them are called: axis, axes."""
    return [stem + "s", stem[:-2] + "es" if stem.endswith("is") else stem + "es"]


if len(sys.argv) != 3:
    sys.exit(__doc__)
host, objects = (pathlib.Path(a) for a in sys.argv[1:])
declared = collections.defaultdict(set)
for header in sorted(host.rglob("*.h")):
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    for line in text.splitlines():
        if re.match(r"[a-z]", line) and not line.startswith("typedef"):
            for name in re.findall(r"\b(cs_\w+)\s*(?:\(|\[|;|,)", line)[:None if line.startswith("extern") else 1]:
                declared[name].add(header)

faults, names, used = [], 0, set()
for item, kind, name in symbols(objects.glob("room_*.dir/**/*.o")):
    file = item.name.split(".")[0]
    if item.parent.suffix != ".dir" and not (host / item.parent.name / f"{file}.c").exists():
        continue  # of a file that is gone
    if kind == "U":
        continue
    names += 1
    if name in EXCEPTIONS:
        used.add(name)
        continue
    headers = declared[name]
    if len(headers) != 1:
        found = ", ".join(sorted(h.name for h in headers)) or "no header"
        faults.append(f"{name} of {file}.c is declared in {found}; want one header")
        continue
    stem = next(iter(headers)).stem.removesuffix("_private")
    if not any(name == f"cs_{s}" or name.startswith(f"cs_{s}_") for s in [stem, *plurals(stem)]):
        faults.append(f"{name} is declared in {stem}.h; want it called cs_{stem}_...")
    elif file != stem and not file.startswith(stem + "_"):
        faults.append(f"{name} of {stem}.h is defined in {file}.c; want it in {stem}.c or {stem}_*.c")
faults += [f"{name} is an exception that nothing needs" for name in EXCEPTIONS if name not in used]
if names == 0:
    sys.exit(f"no objects below {objects}: this check has lost its subject")
if faults:
    sys.exit("\n".join(faults))
print(f"{names} names lead to their files, {len(EXCEPTIONS)} exceptions")
