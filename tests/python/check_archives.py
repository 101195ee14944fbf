#!/usr/bin/python3
"""cosweep import of what Python reads: its process, archives that are damaged or ask for too much, files that hide modules.

usage: check_archives.py COSWEEP SOURCE OUTPUT

FMUs and SSP files are in check_import_fmus.py. Exits 0, or 1 with a line per fault; 77 where numpy is missing."""

import io
import json
import os
import shutil
import signal
import stat
import struct
import subprocess
import sys
import time
import types
import zipfile
from pathlib import Path

from checking import expect, finish

try:
    import archives
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, source, output = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
package = source / "packaging/python"
sys.dont_write_bytecode = True
sys.path.insert(0, str(package))
from cosweep import archive, fmi, parameters, ssp  # noqa: E402
from cosweep.reader import read_npz  # noqa: E402

shutil.rmtree(output, ignore_errors=True)
output.mkdir(parents=True)
os.chdir(output)
temporary = output / "tmp"
temporary.mkdir()
ENVIRONMENT = {**os.environ, "COSWEEP_PYTHON": sys.executable, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1",
               "TMPDIR": str(temporary)}


def run(*words, folder=output, path=str(package)):
    return subprocess.run([program, "import", *map(str, words), "-o", "out.json"], cwd=folder, capture_output=True, text=True,
                          env={**ENVIRONMENT, "PYTHONPATH": path})


def left():
    return sorted(path.name for path in temporary.iterdir())


def refused(message, *words, status=3, whole=True):
    """One line, no model, nothing among temporary files."""
    done = run(*words, "-q")
    said = done.stderr.rstrip("\n")
    good = said == message if whole else message in said and "\n" not in said
    expect(done.returncode == status and good, f"import {words}: {done.returncode}: {said}; want {message}")
    expect(not Path("out.json").exists() and left() == [], f"import {words} leaves {left()}")


def imported(*words, **more):
    done = run(*words, **more)
    expect(done.returncode == 0, f"import {words}: {done.stderr}")
    made = more.get("folder", output) / "out.json"
    model = json.loads(made.read_text()) if done.returncode == 0 else {"subsystems": [{}], "connections": []}
    made.unlink(missing_ok=True)
    expect(left() == [], f"import {words} leaves {left()}")
    return model, done.stderr


def said_here(path):
    """What the reader itself refuses, without a process of its own; "" where it reads the file."""
    try:
        read_npz(path, None)
        return ""
    except archive.Refused as error:
        return str(error)


# ---- archives of NumPy

def member(shape, content=b"", descr="<f8", version=1, order=False):
    """An array as a file, whose header may say anything."""
    text = f"{{'descr': {descr!r}, 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    text += b" " * (63 - (10 + len(text)) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + content


def pack(name, content, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(name, "w", method) as file:
        for key, value in content.items():
            file.writestr(key, value)


A = np.array([[-1.0]])
np.savez("whole.npz", A=A, B=A, C=A, D=A)
whole = Path("whole.npz").read_bytes()
one, said = imported("whole.npz")
expect(one["subsystems"][0]["D"] == [[-1]] and "runs" not in said, f"{one} {said}")
for length in range(0, len(whole), 61):
    Path("cut.npz").write_bytes(whole[:length])
    expect(said_here("cut.npz").startswith("cut.npz: is damaged: "), f"cut at {length}: {said_here('cut.npz')}")
refused("cut.npz: is damaged: ", "cut.npz", whole=False)
ARRAYS = [
    ({"A.npy": member("(1000000, 1000000)")}, "A is 1000000x1000000; want at most 2000 rows and columns"),
    ({"A.npy": member("(11585, 11585)", bytes(1 << 20))}, "A is 11585x11585; want at most 2000 rows and columns"),
    ({"A.npy": member("(2001,)")}, "A is 2001x1; want at most 2000 rows and columns"),
    ({"A.npy": member("(2, 2)", bytes(8))}, "is damaged: an array ends early"),
    ({"A.npy": member("(-1, 2)")}, "is damaged: an array of shape (-1, 2)"),
    ({"A.npy": member("[1, 1]")}, "is damaged: an array of shape [1, 1]"),
    ({"A.npy": member("(1, 1, 1)", bytes(8))}, "A is 1x1x1; want a matrix"),
    ({"A.npy": member("(1, 1)", bytes(16), "<c16")}, "A is complex; want real numbers"),
    ({"A.npy": member("(1, 1)", b"", "|O")}, "A is an object array; want numbers or texts"),
    ({"A.npy": member("(1, 1)", bytes(8), [("x", "<f8")])}, "A is an array of records; want numbers or texts"),
    ({"A.npy": member("(1, 1)", bytes(8), "<M8[s]")}, "A is an array of times; want numbers or texts"),
    ({"A.npy": member("(1, 1)", bytes(8), 3)}, "A is of a type that is not read; want numbers or texts"),
    ({"A.npy": member("(1, 1)", bytes(8), "odd")}, "is damaged: data type 'odd' not understood"),
    ({"A.npy": b"anything"}, "is damaged: an array without header"),
    ({"A.npy": b"\x93NUMPY\2\0\xff\xff\xff\x7f"}, "is damaged: an array without header"),
    ({"A.npy": b"\x93NUMPY\1\0\4\0(((("}, "is damaged: "),
    ({"A.npy": member("(1, 1)", bytes(8)), "StateName.npy": member("(1000000,)", b"", "<U9")},
     "StateName is 1000000x1; want at most 100000 texts"),
    ({"A.npy": member("(1, 1)", bytes(8)), "StateName.npy": member("(3,)", b"", "<U99999999")},
     "StateName is 1144 MiB of texts; want at most 64"),
    ({"m.A.npy": member("(1, 1)", bytes(8)), "m/A.npy": member("(1, 1)", bytes(8))}, 'has "m/A.npy" twice'),
    ({"m.npy": member("(1, 1)", bytes(8)), "m/A.npy": member("(1, 1)", bytes(8))}, 'has "m/A.npy" twice'),
    ({"a.B.npy": member("(1, 1)", bytes(8))}, "no subsystem; want objects with the matrices A, B, C and D; found a (without A)"),
    ({"A.npy": member("(1, 1)", bytes(8)), "Ts.npy": member("()", struct.pack("d", 0.5))},
     "Ts is 0.5: cosweep takes continuous subsystems (d2c)"),
    ({}, "no subsystem; want objects with the matrices A, B, C and D")]
for content, message in ARRAYS:
    pack("bad.npz", content)
    said = said_here("bad.npz")
    if said:
        open_end = message.endswith(": ")
        expect(said.startswith(f"bad.npz: {message}") if open_end else said == f"bad.npz: {message}", f"{said}; want {message}")
    else:  # the program refuses what it is told
        refused(f"bad.npz: {message}", "bad.npz")
pack("bad.npz", {"A.npy": member("(1, 1)", bytes(8))}, zipfile.ZIP_BZIP2)
refused('bad.npz: "A.npy" is packed in an unusual way; want stored or deflated', "bad.npz")
refused("none.npz: no such file", "none.npz", status=5)

# Of every order and version; what is large beside the matrices is not read.
values = np.array([[-1, 2], [3, -4]], "<f8")
pack("good.npz", {"m.A.npy": member("(2, 2)", values.tobytes("F"), version=2, order=True),
                  "m.B.npy": member("(2, 1)", struct.pack(">ii", 5, 6), ">i4", version=3),
                  "m.C.npy": member("(2,)", b"\1\0", "|b1"), "m.StateName.npy": member("(2,)", b"xxyy", "|S2"),
                  "m.InputName.npy": member("()", "force".encode("utf-32-le"), "<U5"),
                  "log.npy": member("(1000000, 1000000)"), "m.note.npy": member("(3000, 1)"), "readme.txt": b"any"})
got, said = imported("good.npz")
want = {"name": "m", "states": ["xx", "yy"], "inputs": ["force"], "outputs": ["y1"], "A": [[-1, 2], [3, -4]],
        "B": [[5], [6]], "C": [[1, 0]]}
expect(got["subsystems"] == [want] and "good.npz: m: note is not read" in said, f"{got['subsystems']} {said}")
np.savez("two.npz", **{f"{name}.{part}": A for name in "ab" for part in "ABC"},
         connections=[["a.y1", "b.u1", "2.5"], ["b.y1", "a.u1", "1"]])
got, _ = imported("two.npz")
expect(got["connections"] == [{"from": "a.y1", "to": "b.u1", "gain": 2.5}, {"from": "b.y1", "to": "a.u1"}], got["connections"])
np.savez("two.npz", A=A, connections=[["a.y1", "b.u1", "much"]])
refused("two.npz: connections: row 1: want {'a.y', 'b.u'}, {'a.y', 'b.u', gain} or {constant, 'b.u'}", "two.npz")

# ---- archives that are unpacked

def names(**entries):
    """An archive in which an entry is another than it says."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.get("content", {"a": b"x"}).items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = entries.get("mode", 0o644) << 16
            file.writestr(info, content)
    return data.getvalue()


def unpacked(data, message, left_out=()):
    Path("a.fmu").write_bytes(data)
    folder = output / "unpacked"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        with archive.Archive("a.fmu") as file:
            file.unpack(folder, archive.Room(), left_out)
    except archive.Refused as error:
        expect(message is not None and str(error).startswith(f"a.fmu: {message}"), f"{error}; want {message}")
        expect(not any(folder.iterdir()) or "damaged" in message, f"{message}: unpacked all the same")
    else:
        expect(message is None, f"not refused: {message}")
    expect(not Path("outside").exists() and not Path("../outside").exists(), f"{message}: outside")
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


expect(unpacked(names(content={"a": b"x", "b/c": b"y", "doc/d": b"z"}), None, ("doc/",)) == ["a", "b/c"], "left out")
for name in ("/outside", "../outside", "b/../../outside", "c:/a", "b\\a", "."):
    unpacked(names(content={name: b"x"}), f'"{name}" is no path in the archive')
unpacked(names(content={"d/" * 40 + "a": b"x"}), f'"{"d/" * 40}a" is 40 folders deep; want less than 32')
unpacked(names(mode=stat.S_IFLNK | 0o777), '"a" is a symbolic link')
unpacked(names(content={"a": b"x", "./a": b"y"}), 'has "a" twice')
unpacked(names(content={"a": b"x", "a/b": b"y"}), "is damaged: ")
unpacked(names(content={str(i): b"" for i in range(10_001)}), "has 10001 entries; want at most 10000")
unpacked(names(content={"a": bytes(80 << 20)}), "unpacks to ")
unpacked(b"x" + names(), "is damaged: something stands before its first entry")
plain = bytearray(names(content={"a": bytes(range(256)) * 4}))
central = plain.index(b"PK\1\2")
for at, value, message in ((8, 1, '"a" is encrypted'), (10, 12, '"a" is packed in an unusual way'), (24, 1 << 31, "unpacks to more"),
                           (24, 100, "is damaged: "), (20, 1 << 20, "is damaged: its entries overlap"), (16, 77, "is damaged: ")):
    changed = plain.copy()
    changed[central + at:central + at + (2 if at < 16 else 4)] = value.to_bytes(2 if at < 16 else 4, "little")
    unpacked(bytes(changed), message)


def xml(text, message):
    Path("x.xml").write_text(text)
    try:
        archive.read_xml("x.xml", "x.xml")
    except archive.Refused as error:
        expect(message is not None and str(error).startswith(f"x.xml: {message}"), f"{error}; want {message}")
    else:
        expect(message is None, f"not refused: {message}")


xml("<a>" * 200 + "</a>" * 200, None)
xml("<a>" * 201 + "</a>" * 201, "has more than 200 elements in each other")
xml('<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>', "has a document type")
xml("<a>", "no element found")
xml('<?xml version="1.0" encoding="nothing"?><a/>', "unknown encoding")
Path("inner").mkdir()
Path("inner/link").symlink_to("../whole.npz")
Path("inner/loop").symlink_to("loop")
Path("inner/file").touch()
expect(archive.inside("inner", "file", "") == output / "inner/file", "inside")
for name, message in (("../whole.npz", "is outside"), ("link", "is outside"), (str(output / "whole.npz"), "is outside"),
                      ("/dev/zero", "is outside"), (".", "is outside"), ("none", "no file"), ("loop", "no file"),
                      ("a\0b", "no file"), ("x" * 5000, "no file")):
    try:
        archive.inside("inner", name, "a.ssd")
        expect(False, f"inside: {name}")
    except archive.Refused as error:
        expect(message in str(error), f"{name!r}: {error}")

# ---- structures of systems and numbers in them

def wrong(what, message):
    try:
        what()
    except ValueError as error:
        expect(str(error) == message, f"{error}; want {message}")
    else:
        expect(False, f"not refused: {message}")


def structure(old, new):
    entries = archives.unpacked(archives.sources(source)[".ssp"][0])
    for entry in entries:
        entry.data = entry.data.replace(old.encode(), new.encode())
    Path("s.ssp").write_bytes(archives.packed(entries))
    ssp.System("s.ssp").close()


structure("", "")
for old, new, message in ((' name="u" kind="input"', ' kind="input"', "s.ssp: a: a Connector without name"),
                          (' target="b.u"', "", "s.ssp: resources/p.ssm: u: a MappingEntry without target"),
                          (' target="4"', "", 's.ssp: resources/p.ssm: n: the MapEntry for "3" has no target'),
                          ('factor="2"', 'factor="nan"', 's.ssp: resources/p.ssm: u: "nan" is no number'),
                          (' factor="1000"', ' factor="1e999"', 'unit "kN": "1e999" is no number')):
    wrong(lambda old=old, new=new: structure(old, new), message)
wrong(lambda: parameters.conversion("a", ("N", ((1,), 1, 0)), ("k", ((1,), 0, 0))), 'a: unit "k" has factor 0')
for key in ("start", "nominal"):
    real = types.SimpleNamespace(name="x", shape=None, declaredType=None, unit=None, **{"start": None, "nominal": None, key: "true"})
    wrong(lambda real=real: fmi._Signal(real, 0, 1, "a.fmu"), 'a.fmu: x: "true" is no number')

# ---- modules of the working directory

shadow = output / "shadow"
MODULES = ("numpy", "cosweep", "ast", "os", "struct", "zipfile", "encodings", "site", "sitecustomize", "usercustomize",
           "argparse", "ctypes")
for package_of_it in (False, True):
    shutil.rmtree(shadow, ignore_errors=True)
    shadow.mkdir()
    shutil.copy("whole.npz", shadow)
    (shadow / "net.py").write_text('import cosweep\nnet = cosweep.Network("n").add("s", [[-1]])\n')
    for name in MODULES:
        if package_of_it:
            (shadow / name).mkdir()
        (shadow / (f"{name}/__init__.py" if package_of_it else f"{name}.py")).write_text(
            f'open({str(shadow / "WAS_RUN")!r}, "w").write({name!r})\n')
    for path in (str(package), f"{package}:", f":{package}", f".:{package}", f"{package}:{shadow}", f"../shadow:{package}"):
        for file in ("whole.npz", "net.py"):
            imported(file, folder=shadow, path=path)
            expect(not (shadow / "WAS_RUN").exists(), f"{path} {file}: a module of the working directory was run")
            (shadow / "WAS_RUN").unlink(missing_ok=True)
relative = os.path.relpath(package, output)
imported("whole.npz", path=relative)

# ---- Python files: code

SYSTEM = 'import cosweep\nnet = cosweep.Network("n").add("s", [[-1]])\n'
Path("beside.py").write_text("value = -3\n")
Path("net.py").write_text('import beside, cosweep\nprint("out")\nnet = cosweep.Network("n").add("s", [[beside.value]])\n')
got, said = imported("net.py")
expect(got["subsystems"][0]["A"] == [[-3]] and said == "net.py: runs it\n", f"{got} {said}")
done = run("net.py", "--quiet", "--force")
expect((done.returncode, done.stdout, done.stderr) == (0, "", ""), done)
Path("out.json").unlink()
refused("net.py: reading Python files runs it; --no-code allows none", "net.py", "--no-code")
for name in ("a.fmu", "a.ssp", "a.ssd"):
    refused("--no-code allows none", "whole.npz", name, "--no-code", whole=False)
imported("whole.npz", "--no-code")
CODE = [("import os\nos._exit(0)\n", "net.py: its code ended its process, with exit status 0"),
        ("import os\nos._exit(97)\n", "net.py: its code ended its process, with exit status 97"),
        *((f"import os, sys\nos.write(int(sys.argv[1]), {answer})\n", "net.py: its code gave nonsense")
          for answer in (bytes([9] * 64), struct.pack("QQQ", 3, 77, 1) + b"x", struct.pack("QQQ", 3, 3, 0))),
        ("import os\nos.abort()\n", "net.py: its code crashed (Aborted)"),
        ("import sys\nsys.exit(0)\n", "net.py:2: SystemExit: 0"),
        ("x = 1\ny = nothing\n", "net.py:2: NameError: name 'nothing' is not defined"),
        ("x = (\n", "net.py:1: SyntaxError: "),
        ("raise ValueError('one\\ntwo\\x1b[31m')\n", "net.py:1: ValueError: one two\ufffd[31m"),
        (f"{SYSTEM}other = cosweep.Network('b')\n", "net.py: 2 networks; want one"),
        ("x = 1\n", "net.py: no Network and no system with A, B, C, D")]
for code, message in CODE:
    Path("net.py").write_text(code)
    refused(message, "net.py", whole=not message.endswith(": "))
Path("net.py").write_text("while True:\n  pass\n")
refused("net.py: its code did not come to an end within 2 s; --time-limit allows more", "net.py", "--time-limit", 2)
Path("net.py").write_text("import signal\nwhile True:\n  signal.pause()\n")
refused("net.py: its code did not come to an end within 2.5 s; --time-limit allows more", "net.py", "--time-limit", 2.5)
if run("whole.npz", "--memory", "1K").returncode != 0:  # not under AddressSanitizer
    Path("net.py").write_text("x = bytearray(3 << 30)\n")
    refused("net.py: out of memory: reading it needs more than --memory allows", "net.py", "--memory", "1G", status=4)
Path("out.json").unlink(missing_ok=True)
Path("net.py").write_text(f"""import os, subprocess, sys
found = [os.path.realpath(f"/proc/self/fd/{{i}}") for i in range(3)]
assert found == ["/dev/null"] * 3, found
assert os.getsid(0) == os.getpid(), "a session of another"
try:
  os.open("/dev/tty", os.O_RDWR)
  assert False, "a terminal"
except OSError:
  pass
subprocess.Popen(["sleep", "1000"], stdout=subprocess.DEVNULL)
open(os.environ["TMPDIR"] + "/left", "w").close()
{SYSTEM}""")
imported("net.py")

# ---- an end by a signal

Path("net.py").write_text(f"""import os, time
open({str(output / "runs")!r}, "w").write(str(os.getpid()))
while True:
  os.makedirs(os.environ["TMPDIR"] + "/more/and/more", exist_ok=True)
""")


def is_running(process):
    """Nor a zombie that nobody has waited for."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


for number, status in ((signal.SIGTERM, 130), (signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)):
    Path("runs").unlink(missing_ok=True)
    with subprocess.Popen([program, "import", "net.py", "-o", "out.json"], env=ENVIRONMENT, stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL) as process:
        while not Path("runs").exists() or not Path("runs").read_text():
            time.sleep(0.01)
        child = int(Path("runs").read_text())
        process.send_signal(number)
        process.wait()
    expect(process.returncode == status, f"signal {number}: status {process.returncode}")
    while is_running(child):
        time.sleep(0.01)
    if number != signal.SIGKILL:
        expect(left() == [], f"signal {number}: leaves {left()}")
    shutil.rmtree(temporary)
    temporary.mkdir()
    expect(not Path("out.json").exists(), f"signal {number}: a model")

expect(read_npz("whole.npz", None).keys() == {"A", "B", "C", "D"}, "read_npz")
finish()
