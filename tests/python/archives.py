"""Archives that `cosweep import` reads in Python, whole and damaged, for damage_import.py: bytes, and what is within them
under checksums that hold."""

import io
import re
import stat
import struct
import subprocess
import tempfile
import warnings
import zipfile
import zlib
from pathlib import Path

import numpy as np
from damaging import cut, flip_bit, move, overwrite

BYTES = (flip_bit, flip_bit, overwrite, cut, move)
NUMBERS = (0, 1, 2, 8, 12, 99, 255, 0xFFFF, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
WILD = ("", " ", "-1", "0", "1", "2", "1e999", "nan", "-inf", "1e-320", "99999999999999999999", "3 4 5", "0x10", "true", "none",
        "../outside", "/dev/zero", "resources/none.fmu", "&lt;&amp;", "%s%n", "\u00e9\u2028", "x" * 70000, "local", "input",
        "output", "parameter", "continuous", "discrete", "Real", "String", "N", "mm", "a.fmu", "SystemStructure.ssd")
FILES = ("/outside", "../outside", "a/../../outside", "c:/a", "b\\a", ".", "", "a//b", "d/" * 40 + "a", "a/", "x" * 300,
         "modelDescription.xml/a", "SystemStructure.ssd", "A.npy", "m.A.npy", "\u00e9.npy", "a\nb.npy")


class Entry:
    """A file of an archive."""

    def __init__(self, name, data, mode=0o644, method=zipfile.ZIP_DEFLATED):
        self.name, self.data, self.mode, self.method = name, bytes(data), mode, method


def unpacked(data):
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return [Entry(info.filename, file.read(info)) for info in file.infolist()]


def packed(entries):
    """Also with names and modes that nobody should write."""
    out = io.BytesIO()
    warnings.simplefilter("ignore", UserWarning)  # of zipfile: names twice
    with zipfile.ZipFile(out, "w") as file:
        file._didModify = True  # also an archive of nothing has an end
        for entry in entries:
            info = zipfile.ZipInfo("x")
            info.filename, info.compress_type, info.external_attr = entry.name, entry.method, entry.mode << 16
            file.writestr(info, entry.data, compresslevel=1)
    return out.getvalue()


# ---- arrays

def npy(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), allow_pickle=True)
    return out.getvalue()


def header(data, dice):
    """Another shape, type, order or version before the same numbers."""
    shape = dice.choice(("()", "(1,)", "(2, 2)", "(4, 1)", "(0, 0)", "(0,)", "(2001, 1)", "(1, 1, 1)", "(-1, 2)", "(True, 2)",
                         "(1.0, 2)", "[2, 2]", "2", "None", f"({1 << 62}, 4)", f"({1 << 70},)", "('a',)", "(2,2"))
    descr = dice.choice(("'<f8'", "'>f8'", "'<f4'", "'<f2'", "'<f16'", "'<i8'", "'|u1'", "'|b1'", "'<c16'", "'|O'", "'<M8[s]'",
                         "'<U3'", "'>U3'", "'|S8'", "'<U0'", "'<U99999999'", "'V8'", "'odd'", "''", "None", "[('x', '<f8')]",
                         "'<f8,<f8'", "'(2,)f8'", "3", "'<U-1'", "b'<f8'", "'<i3'"))
    order = dice.choice(("False", "True", "0", "'C'", "None"))
    text = dice.choice((f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}",) * 8 + (
        f"{{'descr': {descr}}}", "{}", "[]", "", "(" * 300, "[" * 5000, "{'a': 1, **b}", "f()", "'x' * 10**9", "\0", "1e999",
        "-" * 3000 + "1", "9" * 5000, f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, 'more': 1}}", "{1: {}}",
        "{[]: 1}", "x" * 65000, "\xff\xfe")).encode("latin1") + b" " * dice.randrange(64) + b"\n"
    version = dice.choice((1, 1, 1, 2, 3, 0, 4))
    size = struct.pack("<H" if version == 1 else "<I", len(text) + dice.choice((0,) * 8 + (1, 60000)) & 0xFFFF)
    start = 10 + int.from_bytes(data[8:10], "little") if len(data) > 10 else 0
    return f"header v{version} {text[:60]!r}", b"\x93NUMPY" + bytes([version, 0]) + size + text + data[start:]


def another(data, dice):
    """What numpy writes of something else."""
    what = dice.choice(([[None]], {"A": 1}, [[1], [2, 3]], "text", ["a", 1], 3 + 4j, np.float32([[1, 2]]), np.zeros((0, 3)),
                        np.array([["a" * 200, "b"]]), np.bool_([[True]]), np.datetime64("2020-01-01"), [b"\xff", b"a\0b"],
                        np.zeros(1, [("x", "f8")]), np.array(["\ud800"]), [[np.nan]], [[1e308, -1e308]], 10 ** 30))
    array = np.asarray(what) if not isinstance(what, (list, dict)) or isinstance(what, dict) else np.array(what, object)
    return f"array of {what!r:.40}", npy(array)


# ---- XML

def attribute(text, dice):
    found = list(re.finditer(r'([\w:]+)\s*=\s*("[^"]*"|\'[^\']*\')', text))
    if not found:
        return "no attribute", text
    one = dice.choice(found)
    new = dice.choice(WILD + tuple(other[2][1:-1] for other in found[:40]))
    way = dice.randrange(6)
    if way == 0:
        return f"without {one[1]}", text[:one.start()] + text[one.end():]
    if way == 1:
        return f"{one[1]} twice", text[:one.end()] + " " + one[0] + text[one.end():]
    return f"{one[1]}={new[:30]!r}", f'{text[:one.start()]}{one[1]}="{new}"{text[one.end():]}'


def pieces(text, dice):
    """Elements, or only their ends, left out, twice, elsewhere."""
    parts = re.split(r"(?=<)", text)
    i, j, length = dice.randrange(len(parts)), dice.randrange(len(parts)), dice.choice((1, 1, 2, 5))
    some = parts[i:i + length]
    way = dice.randrange(4)
    if way == 0:
        return f"without pieces {i}", "".join(parts[:i] + parts[i + length:])
    if way == 1:
        return f"pieces {i} twice", "".join(parts[:i] + some + parts[i:])
    if way == 2:
        return f"pieces {i} at {j}", "".join(parts[:j] + some + parts[j:])
    whole = [k for k, part in enumerate(parts) if part.rstrip().endswith("/>")]
    if not whole:
        return "nothing", text
    k, here = dice.choice(whole), dice.randrange(1 + len(whole))
    moved = parts.pop(k)
    return f"element {k} elsewhere", "".join(parts[:here] + [moved] + parts[here:])


def around(text, dice):
    """What XML can have before, within and around."""
    at = text.find(">", text.find("<", text.find("?>") + 1)) + 1
    start = text.find("<", text.find("?>") + 1)
    return dice.choice((
        ("entities", f'<!DOCTYPE a [<!ENTITY b "{"c" * 9}"><!ENTITY d "&b;&b;">]>{text[start:at]}&d;{text[at:]}'),
        ("an outer entity", f'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>{text[start:at]}&b;{text[at:]}'),
        ("depth", text[:at] + "<a>" * 150 + "</a>" * 150 + text[at:]), ("much depth", text[:at] + "<a>" * 100000 + text[at:]),
        ("an unknown entity", text[:at] + "&nothing;" + text[at:]), ("a control character", text[:at] + "&#1;\x02" + text[at:]),
        ("an encoding", '<?xml version="1.0" encoding="' + dice.choice(("utf-16", "none", "cp1252", "rot13", "utf-7", ""))
         + '"?>' + text[start:]), ("attributes", text[:at - 1] + "".join(f' a{i}="{i}"' for i in range(3000)) + text[at - 1:]),
        ("a long attribute", text[:at - 1] + ' a="' + "b" * 2000000 + '"' + text[at - 1:]),
        ("elements", text[:at] + "<a/>" * 30000 + text[at:]), ("a comment", text[:at] + "<!-- -- -->" + text[at:]),
        ("no prefixes", text.replace("ssd:", "")), ("nothing", ""), ("two roots", text + text[start:]),
        ("another version", text.replace('fmiVersion="2.0"', 'fmiVersion="' + dice.choice(("1.0", "3.0", "3.1", "", "2")) + '"'))))


def xml(data, dice):
    what, text = [], data.decode("utf-8", "replace")
    for _ in range(dice.choice((1, 1, 2, 4))):
        way = dice.choice((attribute,) * 6 + (pieces,) * 3 + (around,))
        if text:
            said, text = way(text, dice)
            what.append(said)
    return ", ".join(what), text.encode("utf-8", "replace")


# ---- archives

def content(entry, dice):
    """One file of an archive, changed."""
    name = entry.name.lower()
    if name.endswith((".fmu", ".ssp")) and dice.randrange(8):
        what, entry.data = damage(entry.data, dice)
    elif name.endswith((".xml", ".ssd", ".ssv", ".ssm")) and dice.randrange(8):
        what, entry.data = xml(entry.data, dice)
    elif name.endswith(".npy") and dice.randrange(4):
        what, entry.data = dice.choice((header, header, another))(entry.data, dice)
    elif name.endswith(".so"):
        what = "nothing"
    else:
        data = bytearray(entry.data or b" ")
        what, entry.data = dice.choice(BYTES)(data, dice), bytes(data)
    return f"{entry.name}: {what}"


def members(entries, dice):
    """Files twice, missing, elsewhere, of other kinds, too many, too large."""
    entry = dice.choice([e for e in entries if not e.name.endswith(".so")] or entries)  # code may do anything
    way = dice.randrange(40)
    if way == 0:
        entries += [Entry(str(i), b"") for i in range(dice.choice((300, 10_001)))]
    elif way == 1:
        entries.append(Entry(dice.choice(("zeros", "B.npy", "modelDescription.xml")), bytes(dice.choice((1 << 20, 30 << 20)))))
    elif way < 8:
        entry.name = dice.choice(FILES)
    elif way < 14:
        entries.append(Entry(dice.choice((entry.name, "./" + entry.name, entry.name.upper(), entry.name + "/a")), entry.data))
    elif way < 20:
        entry.mode = dice.choice((stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFDIR, stat.S_IFREG)) | dice.choice(
            (0o777, 0, 0o4755))
        entry.data = dice.choice((entry.data, b"/dev/zero", b"../outside"))
    elif way < 26:
        entry.method = dice.choice((zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    elif way < 30:
        entry.data = entry.data[:dice.randrange(len(entry.data) + 1)]
    elif way < 34:
        dice.shuffle(entries)
    else:
        entries.remove(entry)
    return f"members {way} {entry.name[:40]!r}"


def records(data, dice):
    """A number in a head of an entry, in the list of entries or at the end."""
    marks = [match.start() for match in re.finditer(b"PK(?:\1\2|\3\4|\5\6)", bytes(data))]
    if not marks:
        return "no heads"
    at, size = dice.choice(marks) + dice.randrange(4, 46), dice.choice((1, 2, 4))
    value = dice.choice(NUMBERS) & ((1 << 8 * size) - 1)
    data[at:at + size] = value.to_bytes(size, "little")
    return f"{value} at {at}"


def damage(data, dice):
    """What was done, and an archive of which bytes, or files under checksums that hold, are others."""
    what, way = [], dice.randrange(10)
    if way > 1:
        try:
            entries = unpacked(data)
        except (OSError, ValueError, NotImplementedError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error):
            entries = []
        for _ in range(dice.choice((1, 1, 1, 2, 3)) if entries else 0):
            if dice.randrange(4) == 0 and entries:
                what.append(members(entries, dice))
            elif entries:
                what.append(content(dice.choice(entries), dice))
        data = packed(entries)
    if way < 3 and len(data) > 32:
        data = bytearray(data)
        for _ in range(dice.choice((1, 1, 3))):
            what.append(dice.choice(BYTES + (records,) * 5)(data, dice))
            if not data:
                break
        if way == 0 and dice.randrange(8) == 0:
            data[:0] = b"before"
            what.append("something before it")
    return ", ".join(what), bytes(data)


# ---- whole ones

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g" numberOfEventIndicators="0">
<ModelExchange modelIdentifier="m" providesDirectionalDerivative="true"/><CoSimulation modelIdentifier="m"/>
<UnitDefinitions><Unit name="N"><BaseUnit kg="1" m="1" s="-2"/></Unit><Unit name="mm"><BaseUnit m="1" factor="0.001"/></Unit>
</UnitDefinitions><TypeDefinitions><SimpleType name="t"><Real unit="mm" nominal="2"/></SimpleType></TypeDefinitions>
<DefaultExperiment startTime="0" stopTime="1" stepSize="0.01"/><ModelVariables>
<ScalarVariable name="x" valueReference="0" causality="local" initial="exact"><Real start="1" declaredType="t"/></ScalarVariable>
<ScalarVariable name="der(x)" valueReference="1" causality="local"><Real derivative="1"/></ScalarVariable>
<ScalarVariable name="u" valueReference="2" causality="input"><Real start="0" unit="N"/></ScalarVariable>
<ScalarVariable name="y" valueReference="3" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="n" valueReference="4" causality="parameter" variability="fixed"><Integer start="2"/></ScalarVariable>
</ModelVariables><ModelStructure><Outputs><Unknown index="4"/></Outputs><Derivatives><Unknown index="2" dependencies="1"/>
</Derivatives></ModelStructure></fmiModelDescription>
"""
DESCRIPTION_3 = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t"><ModelExchange modelIdentifier="m"/>
<CoSimulation modelIdentifier="m"/><ModelVariables>
<Float64 name="x" valueReference="1" causality="local" start="1 2"><Dimension start="2"/></Float64>
<Float64 name="v" valueReference="2" causality="local" derivative="1"><Dimension start="2"/></Float64>
<Float64 name="u" valueReference="3" causality="input" start="0"><Dimension start="2"/><Dimension start="3"/></Float64>
<Float64 name="y" valueReference="4" causality="output"/></ModelVariables><ModelStructure><Output valueReference="4"/>
<ContinuousStateDerivative valueReference="2"/></ModelStructure></fmiModelDescription>
"""
SPACES = " ".join(f'xmlns:{prefix}="http://ssp-standard.org/SSP1/SystemStructure{name}"' for prefix, name in (
    ("ssd", "Description"), ("ssc", "Common"), ("ssv", "ParameterValues"), ("ssm", "ParameterMapping")))
SET = f"""<ssv:ParameterSet {SPACES} version="1.0" name="p"><ssv:Parameters><ssv:Parameter name="n"><ssv:Integer value="3"/>
</ssv:Parameter><ssv:Parameter name="u"><ssv:Real value="5" unit="N"/></ssv:Parameter><ssv:Parameter name="b"><ssv:Boolean
value="true"/></ssv:Parameter></ssv:Parameters><ssv:Units><ssc:Unit name="N"><ssc:BaseUnit kg="1" m="1" s="-2"/></ssc:Unit>
</ssv:Units></ssv:ParameterSet>"""
MAPPING = f"""<ssm:ParameterMapping {SPACES} version="1.0"><ssm:MappingEntry source="u" target="b.u"><ssc:LinearTransformation
factor="2" offset="1"/></ssm:MappingEntry><ssm:MappingEntry source="n" target="b.n"><ssc:IntegerMappingTransformation>
<ssc:MapEntry source="3" target="4"/></ssc:IntegerMappingTransformation></ssm:MappingEntry></ssm:ParameterMapping>"""
CONNECTORS = """<ssd:Connectors><ssd:Connector name="u" kind="input"><ssc:Real unit="N"/></ssd:Connector><ssd:Connector name="y"
kind="output"><ssc:Real unit="kN"/></ssd:Connector></ssd:Connectors>"""
STRUCTURE = f"""<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription {SPACES} version="1.0" name="two"><ssd:System name="two"><ssd:Elements>
<ssd:Component name="a" source="resources/a.fmu" type="application/x-fmu-sharedlibrary">{CONNECTORS}</ssd:Component>
<ssd:System name="inner">{CONNECTORS}<ssd:Elements><ssd:Component name="b" source="resources/a.fmu">{CONNECTORS}
<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>{SET}</ssd:ParameterValues></ssd:ParameterBinding>
</ssd:ParameterBindings></ssd:Component></ssd:Elements><ssd:Connections><ssd:Connection startConnector="u" endElement="b"
endConnector="u"/><ssd:Connection startElement="b" startConnector="y" endConnector="y"/></ssd:Connections>
<ssd:ParameterBindings><ssd:ParameterBinding source="resources/p.ssv"><ssd:ParameterMapping source="resources/p.ssm"/>
</ssd:ParameterBinding></ssd:ParameterBindings></ssd:System></ssd:Elements><ssd:Connections><ssd:Connection startElement="a"
startConnector="y" endElement="inner" endConnector="u"><ssc:LinearTransformation factor="-2"/></ssd:Connection><ssd:Connection
startElement="inner" startConnector="y" endElement="a" endConnector="u" suppressUnitConversion="true"/></ssd:Connections>
</ssd:System><ssd:Units><ssc:Unit name="N"><ssc:BaseUnit kg="1" m="1" s="-2"/></ssc:Unit><ssc:Unit name="kN"><ssc:BaseUnit kg="1"
m="1" s="-2" factor="1000"/></ssc:Unit></ssd:Units></ssd:SystemStructureDescription>
"""
BINDINGS = f"""<ssd:ParameterBindings><ssd:ParameterBinding prefix="oscillator1."><ssd:ParameterValues><ssv:ParameterSet {SPACES}
version="1.0" name="p"><ssv:Parameters><ssv:Parameter name="x.phi1"><ssv:Real value="3" unit="deg"/></ssv:Parameter><ssv:Parameter
name="u.omega2"><ssv:Integer value="2"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>
</ssd:ParameterBinding></ssd:ParameterBindings>"""


def exported(program, model, form, name):
    """What `export` writes: files, of which FMUs have code that runs."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "export", model, "--format", form, "--force", "-o", Path(folder) / name], check=True,
                       stdout=subprocess.DEVNULL)
        return [path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.suffix == f".{form}"]


def sources(source, program=None):
    """Whole files by extension; the first of each can be read, but FMUs only with the program, whose exports they are
    then."""
    one = {"A": npy([[-1.0, 2], [0, -3]]), "B": npy([[0.0], [1]]), "C": npy([[1, 0]]), "D": npy(0.5), "x0": npy([1.0, 2]),
           "StateName": npy(["i", "w"]), "InputUnit": npy(["V"]), "Ts": npy(0.0), "note": npy("any")}
    two = {f"{name}.{key}": data for name in ("motor", "load") for key, data in one.items()}
    two |= {"connections": npy([["motor.y1", "load.u1", "2.5"], ["load.y1", "motor.u1", "1"]])}
    fmus = [packed([Entry("modelDescription.xml", text.encode()), Entry("resources/linear.txt", b"1"),
                    Entry("documentation/index.html", b"<html/>")]) for text in (DESCRIPTION, DESCRIPTION_3)]
    ssps = [packed([Entry("SystemStructure.ssd", STRUCTURE.encode()), Entry("resources/a.fmu", fmus[0]),
                    Entry("resources/p.ssv", SET.encode()), Entry("resources/p.ssm", MAPPING.encode())])]
    if program:
        model = source / "models/two_mass_oscillator/model.json"
        fmus = exported(program, model, "fmu", "") * 2 + fmus
        ssps = exported(program, model, "ssp", "a.ssp") + ssps
        bound = unpacked(ssps[0])
        structure = next(entry for entry in bound if entry.name == "SystemStructure.ssd")
        structure.data = structure.data.replace(b"<ssd:Connections>", BINDINGS.encode() + b"<ssd:Connections>", 1)
        ssps.append(packed(bound))
    return {".npz": [packed([Entry(f"{key}.npy", data) for key, data in content.items()]) for content in (one, two)],
            ".fmu": fmus, ".ssp": ssps}
