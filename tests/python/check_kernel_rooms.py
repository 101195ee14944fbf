#!/usr/bin/env python3
"""The folders of kernels/: which fragments use functions, structs and macros of which others, by name:
check_kernel_rooms.py KERNELS [--table]

Fails where a folder uses what a folder behind it in ORDER defines, and where a fragment lies in no folder of ORDER.
Names that several folders define (each variant has one of them) and names that a variant's text supplies do not count."""
import collections
import pathlib
import re
import sys

ORDER = "lanes flow hold inside step fixed vary spectrum".split()

# Members and locals that happen to have a function's name.
NO_USE = {("types.clh", "tried"), ("dopri5.clh", "tried"), ("solvers.clh", "FIRST")}

arguments = [a for a in sys.argv[1:] if a != "--table"]
if len(arguments) != 1:
    sys.exit(__doc__)
kernels = pathlib.Path(arguments[0])
files = sorted(kernels.rglob("*.cl*"))
faults = [f"{f.relative_to(kernels)}: want it in a folder of {', '.join(ORDER)}" for f in files if f.parent.name not in ORDER]
files = [f for f in files if f.parent.name in ORDER]
if not files:
    sys.exit(f"no fragments below {kernels}: this check has lost its subject")

text = {f: re.sub(r"/\*.*?\*/", "", f.read_text(), flags=re.S) for f in files}
definitions = collections.defaultdict(set)
for file in files:
    for pattern in (r"^(?:static|INLINE|__kernel)[^;{(]*?\b(\w+)\s*\([^;]*?\)\s*\{", r"^struct (\w+) \{", r"^#define (\w+)"):
        for name in re.findall(pattern, text[file], re.M):
            definitions[name].add(file)

uses = {folder: collections.defaultdict(set) for folder in ORDER}
for file in files:
    for name in sorted(set(re.findall(r"\b\w+\b", text[file]))):
        if file in definitions.get(name, {file}) or (file.name, name) in NO_USE:
            continue
        folders = {f.parent.name for f in definitions[name]}
        if len(folders) == 1 and (other := folders.pop()) != file.parent.name:
            uses[file.parent.name][other].add(name)
            if ORDER.index(other) > ORDER.index(file.parent.name):
                faults.append(f"{file.parent.name}/{file.name} uses {name} of {other}, which comes after it")

if "--table" in sys.argv:
    for folder in ORDER:
        lines = sum(len(f.read_text().splitlines()) for f in files if f.parent.name == folder)
        print(f"{folder:10}{lines:6}  " + " ".join(f"{other}:{len(names)}" for other, names in uses[folder].items()))
if faults:
    sys.exit("\n".join(faults))
print(f"{len(ORDER)} folders, {len(files)} fragments, {sum(len(u) for u in uses.values())} arrows, none upwards")
