#!/usr/bin/python3
"""What every command prints of names, units, descriptions, paths and options that others have chosen:
check_printed.py COSWEEP SERVE SOURCE OUTPUT

Texts contain what terminals obey, what hides or reorders other characters, line breaks, and bytes that are not UTF-8.
All commands get them, from models, sweeps, results, journals, tables, fragments, file names and options, and print into
pipes and on a terminal: nothing of it may arrive there as it is, and no line may begin with what stands behind a line
break in a name. Figures, reports, XDMF files and FMUs have to be well-formed XML; CSV and MAT-files hold what can be
shown. SERVE is the program `serve` of the tests, which runs all that a line with tabs between words can say. Exits 77 where
h5py is missing."""

import io
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import termios
import threading
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

from checking import expect, finish, has_opencl

try:
    import h5py
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, serve = (str(Path(path).resolve()) for path in sys.argv[1:3])
source, output = Path(sys.argv[3]).resolve(), Path(sys.argv[4]).resolve()
shutil.rmtree(output, ignore_errors=True)
output.mkdir(parents=True)

# Escape sequences, C1 (in UTF-8, and as a byte), DEL, overrides and isolates, line separators, no characters, markup.
BREAK = "\nFORGED"
SHORT = "\x1b[31m\x07\x9b1m\x7f\u202e\u2066\u2028\u0085\r\b\ufffe\uffff"
NASTY = "a" + SHORT + "]]>&<b>'\"`$(id)%s{^}\\" + BREAK
RAW = NASTY.encode() + b"\xff\x9b\xc3"  # in files and on command lines
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")
ENVIRONMENT = dict(os.environ, NO_COLOR="1", TERM="dumb", COSWEEP_DEVICE="host")
ENVIRONMENT.pop("COSWEEP_PROGRAM", None)
SERVED = ("out", "err")  # files of the server: what commands print
server = subprocess.Popen([serve, "60"], cwd=output, env={**ENVIRONMENT, "LD_BIND_NOW": "1"}, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE)


def judge(what, data, lines=True, bar=False):
    """Bytes that were printed; `bar`: a progress bar returns to the beginning of its line."""
    try:
        text = data.decode()
    except UnicodeDecodeError as wrong:
        expect(False, f"{what}: prints bytes that are not UTF-8: {wrong}")
        return
    found = BAD.search(text.replace("\r", "") if bar else text)
    expect(found is None, f"{what}: prints {found and ascii(text[max(0, found.start() - 60):found.end() + 20])}")
    if lines:
        forged = re.search("(?m)^FORGED", text)
        expect(forged is None, f"{what}: a name goes on in a line of its own: {forged and ascii(text[:forged.end()])}")


def served(words):
    """Exit status of a command that the server runs, with what it prints in its files; None: it has to be run here."""
    line = b"\t".join(words)
    if b"\n" in line or b"" in words or line.count(b"\t") != len(words) - 1 or len(line) > 4000 or len(words) > 15:
        return None
    server.stdin.write(line + b"\n")
    server.stdin.flush()
    return os.waitstatus_to_exitcode(int(server.stdout.readline()))


def on_terminal(words, environment):
    """What arrives at a terminal."""
    own, its = pty.openpty()
    mode = termios.tcgetattr(its)
    mode[1] &= ~termios.OPOST
    termios.tcsetattr(its, termios.TCSANOW, mode)
    data = []

    def listen():
        try:
            while part := os.read(own, 65536):
                data.append(part)
        except OSError:  # nobody has the other end open any more
            pass

    listener = threading.Thread(target=listen)
    listener.start()
    for name in SERVED:
        (output / name).unlink(missing_ok=True)
        (output / name).symlink_to(os.ttyname(its))
    if environment is not ENVIRONMENT or served(words) is None:
        subprocess.run([program, *words], cwd=output, env=environment, stdin=subprocess.DEVNULL, stdout=its, stderr=its)
    for name in SERVED:
        (output / name).unlink()
    os.close(its)
    listener.join()
    os.close(own)
    return b"".join(data)


def on_pipes(words, environment):
    """Exit status, output and messages."""
    status = served(words) if environment is ENVIRONMENT else None
    if status is not None:
        return status, *((output / name).read_bytes() for name in SERVED)
    done = subprocess.run([program, *words], cwd=output, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def cosweep(*words, status=None, lines=True, exact=False, terminal=True, more=None):
    """Runs a command with pipes, and again on a terminal; `exact`: what pipes get is a file's. Its output."""
    words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    environment = dict(ENVIRONMENT, **more) if more else ENVIRONMENT
    ended, out, err = on_pipes(words, environment)
    what = " ".join(ascii(word.decode(errors="replace"))[1:-1] for word in words)[:90]
    judge(what, err, lines)
    if not exact:
        judge(what, out, lines)
    expect(status is None or ended == status, f"{what}: exit status {ended}: {err.decode(errors='replace')}")
    if terminal:
        judge(what + " (terminal)", on_terminal(words, environment), lines and not exact, bar=True)
    return out


def write(name, content):
    (output / name).write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=True))


# ---- models and sweeps

def lag(name, rate):
    return {"name": name, "description": NASTY, "states": [{"name": "x", "unit": NASTY, "description": NASTY}],
            "inputs": [{"name": "u", "unit": NASTY}], "outputs": [{"name": "y", "unit": SHORT, "description": NASTY}],
            "A": [[-rate]], "B": [["k"]], "C": [[1]], "x0": [1]}


model = {"format": "cosweep-model/1", "name": "lags", "description": NASTY, "reference": NASTY,
         "parameters": {"k": {"value": -1, "unit": NASTY, "description": NASTY}},
         "subsystems": [lag("a", 1), lag("b", 2)],
         "connections": [{"from": "b.y", "to": "a.u"}, {"from": "a.y", "to": "b.u"}],
         "monitors": [{"name": "sum", "unit": NASTY, "description": NASTY, "terms": {"a.y": 1, "b.y": 1}}]}
sweep = {"format": "cosweep-sweep/1", "name": "texts", "description": NASTY, "model": "model.json", "t_end": 1,
         "method": {"order": 0},
         "axes": [{"name": "how", "path": "method.sequence", "description": NASTY,
                   "values": [{"label": NASTY, "value": ["a", "b"]}, {"label": "c", "value": ["b", "a"]}]},
                  {"name": "k", "path": "parameters.k", "values": [-1], "unit": NASTY, "description": NASTY},
                  {"name": "H", "path": "method.step.size", "logspace": [0.01, 0.1, 5], "description": NASTY}],
         "fits": [{"along": "H"}]}
write("model.json", model)
write("sweep.json", sweep)
write("failing.json", dict(sweep, name="failing", axes=[sweep["axes"][0], {
    "name": "H", "path": "method.step.size", "values": [-1, 0.1, 1e9], "description": NASTY}]))
write("bad_axis_unit.json", dict(sweep, axes=[dict(sweep["axes"][2], unit=NASTY)]))
write("stability.json", dict({key: value for key, value in sweep.items() if key not in ("t_end", "fits")},
                             name="stability", study="stability", boundary={"along": "H"}))
write("design.csv", f'parameters.k,method.hold\n-1,taylor\n-2,"lagr{NASTY}"\n')
write("bad_design.json", dict(sweep, name="design", axes=[{"name": "p", "zip": "design.csv"}]))
write("bad_head.csv", f'"{NASTY}",t_end\n1,2\n')
write("bad_head.json", dict(sweep, name="head", axes=[{"name": "p", "zip": "bad_head.csv"}]))
write("bad_keys.json", dict(model, **{NASTY: 1}))
write("bad_name.json", dict(model, name=NASTY))
write("bad_unit.json", dict(model, parameters={NASTY: 1}))
write("bad_expression.json", dict(model, parameters={"k": NASTY}))
write("bad_setting.json", dict(sweep, method={"hold": NASTY, NASTY: 2}))
write("bad_model.json", dict(sweep, model=NASTY))
write("bad_path.json", dict(sweep, axes=[{"name": "p", "path": NASTY, "values": [1]}]))
write("not.json", "{" + NASTY)
(output / "bytes.json").write_bytes(b"{" + RAW)
for name in ("model", "sweep", "stability"):
    cosweep("check", f"{name}.json", status=0)
for path in sorted(output.glob("bad_*.json")) + [output / "not.json", output / "bytes.json"]:
    cosweep("check", path.name)
    cosweep("run", path.name, "-o", "bad.h5")
    cosweep("explain", path.name)
cosweep("run", "sweep.json", "-o", "texts.h5", "--force", status=0)
cosweep("run", "sweep.json", "-o", "texts.h5", status=5)
cosweep("run", "sweep.json", "-o", "texts.h5", "--force", "--json", status=0)
cosweep("run", "failing.json", "-o", "failing.h5", "--force", status=0)
cosweep("run", "stability.json", "-o", "stability.h5", "--force", status=0)
cosweep("run", "sweep.json", "--dry-run", status=0)
cosweep("run", "sweep.json", "--dry-run", "--json", status=0)
cosweep("run", "sweep.json", "--print-kernel", exact=True, status=0)
cosweep("trace", "sweep.json", "--run", "0", "-o", "trace.h5", "--force", status=0)
cosweep("trace", "sweep.json", "--at", "H=0.1", "-o", "trace.h5", "--force", status=2)
cosweep("trace", "sweep.json", "--at", b"how=" + RAW, "--at", "H=0.1", "-o", "trace.h5", "--force")
cosweep("explain", "model.json", status=0)
cosweep("explain", "model.json", "--json", status=0)
cosweep("explain", "model.json", "-o", "explained.html", "--force", status=0)
cosweep("recommend", "model.json", "-o", "recommended.json", "--force")
for kind in ("fmu", "ssp", "osp"):
    cosweep("export", "model.json", "--format", kind, "-o", f"as_{kind}", "--force", status=0)

# ---- paths and options

PATH = RAW.replace(b"/", b"").replace(b"\n", b"")
folder = output.joinpath(os.fsdecode(PATH))
folder.mkdir()
for name in ("model.json", "sweep.json", "texts.h5", "trace.h5", "failing.h5"):
    shutil.copy(output / name, folder)
    there = os.fsencode(folder.name) + b"/" + name.encode()
    for words in (["check"], ["run", "--dry-run"], ["info"], ["info", "--json"], ["verify"], ["explain"], ["trace"],
                  ["export", "--format", "xdmf", "--force"], ["report", "--force"], ["plot", "--force"],
                  ["compare", "texts.h5"], ["import"], ["__complete", "run", "--set", ""]):
        cosweep(*words, there, exact=words[0] in ("export", "report", "plot", "trace"), terminal=name == "model.json")
    cosweep("run", there, "-o", there + b".h5", "--force", exact=True)
odd = os.fsdecode(b"\xe9t\xe9.h5")  # names of older days
(output / odd).write_bytes((output / "texts.h5").read_bytes())
told = cosweep("export", os.fsencode(odd), "-o", os.fsencode(odd) + b".csv", exact=True, status=0)
expect(told == b"\xe9t\xe9.h5.csv\n", f"a path that other programs read: {told}")
nowhere = b"no" + PATH
for words in (["check"], ["run", "sweep.json", "-o"], ["info"], ["run"]):
    cosweep(*words, b"no" + RAW, status=2)
for words in (["check"], ["run"], ["trace"], ["info"], ["plot"], ["report"], ["export"], ["verify"], ["explain"],
              ["recommend"], ["import"], ["merge"], ["schema"], ["compare", "texts.h5"], [], ["info", "--rank"]):
    cosweep(*words, nowhere)
    cosweep(*words, b"--" + nowhere, terminal=False)
    cosweep(*words, nowhere + b".h5", nowhere + b".json", terminal=False)
cosweep("new", nowhere, exact=True)
cosweep("new", nowhere)
for words in (["run", "sweep.json", "--set"], ["run", "sweep.json", "--device"], ["check", "sweep.json", "--set"],
              ["run", "sweep.json", "--shard"], ["run", "sweep.json", "--journal"], ["plot", "texts.h5", "--where"],
              ["plot", "texts.h5", "--metric"], ["plot", "texts.h5", "--kind"], ["plot", "texts.h5", "--font"],
              ["plot", "texts.h5", "--xrange"], ["plot", "texts.h5", "--width"], ["info", "texts.h5", "--rank"],
              ["export", "texts.h5", "--group"], ["export", "texts.h5", "--format"], ["explain", "model.json", "--H"],
              ["explain", "model.json", "--for"], ["recommend", "model.json", "--signal"],
              ["import", "model.json", "--connect"], ["import", "model.json", "--name"]):
    for value in (nowhere, b"H=" + nowhere, b"how=" + nowhere, nowhere + b"=1", b"description=" + nowhere):
        cosweep(*words, value, terminal=False)
cosweep("run", "sweep.json", "-o", "other.h5", "--force", more={"COSWEEP_DEVICE": NASTY})
cosweep("devices", more={"OCL_ICD_VENDORS": NASTY.replace("/", "")})
cosweep("devices")

# ---- what others read

def expect_xml(name, data):
    try:
        xml.fromstring(data)
        expect(True, "")
    except xml.ParseError as wrong:
        expect(False, f"{name} is no XML: {wrong}")
    text = data.decode()
    found = re.search("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)
    expect(found is None, f"{name}: {found and ascii(text[max(0, found.start() - 60):found.end()])}")


def expect_files(name):
    """All that can be made of a result or a trace."""
    for words in (["info"], ["info", "--json"], ["verify"], ["compare", "texts.h5"], ["compare", "trace.h5"],
                  ["info", "--rank", "output_error"], ["info", "--rank", "output_error", "--json"],
                  ["__complete", "plot", "--where", ""], ["__complete", "plot", "--where", "how"],
                  ["__complete", "export", "--metric", ""], ["plot", "--force", "--title", RAW]):
        cosweep(*words, name)
    drawn = [[], ["--kind", "convergence"], ["--kind", "map"], ["--kind", "cost"], ["--kind", "trace"],
             ["--kind", "lines"], ["--kind", "points"], ["--kind", "lines", "--curve", "how"], ["--title", RAW]]
    figures = 0
    for k, words in enumerate(drawn):
        figure = output / f"{name}.{k}.svg"
        cosweep("plot", name, *words, "-o", figure.name, "--force", "--script")
        figures += figure.exists()
        if figure.exists():
            expect_xml(figure.name, figure.read_bytes())
    expect(figures >= 2, f"{name}: only {figures} figures")
    cosweep("report", name, "-o", f"{name}.html", "--force")
    expect_xml(f"{name}.html", (output / f"{name}.html").read_bytes())
    cosweep("report", name, "-o", "-", lines=False)
    csv = cosweep("export", name, "-o", "-", lines=False)
    judge(f"CSV of {name}", csv, lines=False)
    expect(name == "trace.h5" or b"]]>&<b>" in csv, f"CSV of {name}: names are lost: {csv[:300]}")
    if name != "trace.h5":
        cosweep("export", name, "--format", "xdmf", "-o", f"{name}.xmf", "--force")
        if (output / f"{name}.xmf").exists():
            expect_xml(f"{name}.xmf", (output / f"{name}.xmf").read_bytes())
    cosweep("export", name, "--format", "matlab", "-o", f"{name}.mat", "--force")
    texts = (output / f"{name}.mat").read_bytes().decode("utf-16-le", errors="replace")
    expect("\x1b[31m" not in texts and "\u202e" not in texts, f"{name}.mat has what cannot be shown")


for name in ("texts.h5", "trace.h5", "failing.h5", "stability.h5"):
    expect_files(name)
expect_xml("explained.html", (output / "explained.html").read_bytes())
for path in list(output.glob("as_*/*.fmu")) + [output / "as_ssp"]:
    if path.is_file():
        with zipfile.ZipFile(path) as archive:
            for member in archive.namelist():
                if member.endswith((".xml", ".ssd")):
                    expect_xml(f"{path.name}: {member}", archive.read(member))
                if member.endswith(".fmu"):
                    inner = zipfile.ZipFile(io.BytesIO(archive.read(member)))
                    expect_xml(f"{path.name}: {member}", inner.read("modelDescription.xml"))

# ---- results of others, all of whose texts are odd

def put(item, name):
    """A text attribute in place of another one."""
    item.attrs.create(name, RAW, dtype=h5py.string_dtype())


def make_odd(name, to):
    shutil.copy(output / name, output / to)
    with h5py.File(output / to, "r+") as file:
        for note in ("title", "source", "history"):
            put(file, note)
        for key, item in file.items():
            if isinstance(item, h5py.Dataset):
                for note in ("long_name", "units"):
                    put(item, note)
                if h5py.check_string_dtype(item.dtype) and len(item.shape) == 1:
                    item[...] = [RAW + str(i).encode() for i in range(item.shape[0])]
        for key, item in file["provenance"].items():
            if h5py.check_string_dtype(item.dtype) and key not in ("model", "sweep", "kernel"):
                item[...] = RAW


for name in ("texts.h5", "trace.h5"):
    make_odd(name, "odd_" + name)
    expect_files("odd_" + name)
    cosweep("import", "odd_" + name, "-o", "again.json", "--force")

# ---- journals

cosweep("run", "sweep.json", "-o", "parts.h5", "--shard", "1/1", status=0)
cosweep("info", "parts.h5.1of1.journal", status=0)
cosweep("info", "parts.h5.1of1.journal", "--json", status=0)
command = [b"run", b"sweep.json", b"-o", b"odd" + nowhere[-9:] + b".h5", b"--shard", b"1/1"]
cosweep(*command)
for path in output.glob("odd*.journal"):
    cosweep("info", os.fsencode(path.name))
cosweep("merge", "sweep.json", "-o", "parts.h5", "--force", status=0)

# ---- files to import

system = {"A": [[-1]], "B": [[1]], "C": [[1]], "StateName": [NASTY], "InputName": [NASTY], "OutputName": [NASTY],
          "StateUnit": [NASTY]}
write("to_import.json", {NASTY: dict(system, **{NASTY: [[1]]})})
cosweep("import", "to_import.json", "-o", "imported.json", "--force", status=3)
write("to_import.json", {NASTY: system})
cosweep("import", "to_import.json", "-o", "imported.json", "--force", status=0)
cosweep("check", "imported.json", status=0)
(output / "linear.mo").write_bytes(b"model linear_" + RAW + b"\n  parameter Integer n = " + RAW + b";\nend;")
cosweep("import", "linear.mo", "-o", "imported.json", "--force")
with h5py.File(output / "system.h5", "w") as file:
    group = file.create_group(NASTY.replace("/", ""))
    group["A"], group["B"], group["C"] = [[-1.0]], [[1.0]], [[1.0]]
    group["StateName"] = [RAW]
    group[SHORT] = [RAW]
cosweep("import", "system.h5", "-o", "imported.json", "--force")

# ---- what compilers say of fragments

(output / "odd.clh").write_bytes(b"#error \"\x1b[31m\xc2\x9b \xe2\x80\xae\"\n" + SHORT.encode() + b"\n")
write("fragment.json", dict(sweep, name="fragment", method={"order": 0, "master": {
    "kernel": "odd.clh", "memory": 0, "passes": 1}}, axes=sweep["axes"][1:]))
if has_opencl("messages of its compiler"):
    for more in ([], ["--print-kernel"]):
        cosweep("run", "fragment.json", "-o", "fragment.h5", "--device", "cpu", "--force", *more, lines=False,
                exact=bool(more))

server.stdin.close()
server.wait()
finish()
