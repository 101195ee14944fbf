#!/usr/bin/env python3
"""FMUs and SSP files imported by the Python package.

usage: check_import_fmus.py COSWEEP SOURCE OUTPUT

Models exported as SSP files come back the same; a black box has the transfer functions of the model; units, gains,
nested systems, parameters, their mappings and the operating point of SSP files; an FMU that is not linear and one of FMI
3.0 with arrays (tests/data/import/pendulum.c, belt.c, compiled here with $CC or cc); FMUs of OpenModelica, where the
package gemseo-fmu is installed. Exits 0, or 1 with a line per fault; 77 where FMPy or scipy is missing
(tests/scripts/tools.sh COSWEEP --install --import).
"""

import importlib.util
import os
import re
import subprocess
import sys
import time
import warnings
import zipfile
from pathlib import Path

from checking import expect, finish

try:
    import h5netcdf  # noqa: F401
    import numpy as np
    import scipy  # noqa: F401
    import xarray  # noqa: F401
    from fmpy import fmi3
except ImportError as missing:
    print(f"skipped: {missing}; want a Python with fmpy, scipy, xarray and h5netcdf: tests/scripts/tools.sh COSWEEP "
          "--install --import", file=sys.stderr)
    sys.exit(77)

program, source, output = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(source / "packaging/python"))
os.environ["COSWEEP"] = program
os.environ["PYTHONPATH"] = str(source / "packaging/python")
os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
import cosweep as cs  # noqa: E402
from cosweep import fmi  # noqa: E402

output.mkdir(parents=True, exist_ok=True)
os.chdir(output)
MODELS = ("two_mass_oscillator", "mass_spring_damper", "quarter_car", "three_masses", "ring", "linear_feedthrough")
SAME, IDENTIFIED = 1e-9, 1e-8


def call(*words):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True)


def loaded(what, *more, **options):
    """A network and what was warned of."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        net = what(*more, **options)
    return net, "\n".join(str(w.message) for w in said)


def close(got, want, what, tolerance=SAME):
    got, want = np.asarray(got, float), np.asarray(want, float)
    scale = np.abs(want).max(initial=0) or 1.0
    good = got.shape == want.shape and np.abs(got - want).max(initial=0) <= tolerance * scale
    expect(good, f"{what}: {got.tolist()}; want {want.tolist()}")


def refused(what, *words, kind=(ValueError, cs.Error)):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            what()
    except kind as error:
        expect(all(word in str(error) for word in words), f"{error}; want {words}")
    else:
        expect(False, f"not refused: {words}")


def transfer(parts, s):
    A, B, C, D = (np.asarray(parts[key], float) for key in "ABCD")
    return C @ np.linalg.solve(s * np.eye(len(A)) - A, B) + D


# ---- models there and back

for model in MODELS:
    own = source / "tests/data/tools" / f"{model}.json"
    path = own if own.exists() else source / "models" / model / "model.json"
    done = call("export", path, "--format", "ssp", "--force", "-o", f"{model}.ssp")
    expect(done.returncode == 0, done.stderr)
    done = call("import", f"{model}.ssp", "--force", "-o", f"{model}.json")
    expect(done.returncode == 0, f"import {model}.ssp: {done.stderr}")
    got, want = cs.Network.load(f"{model}.json"), cs.Network.load(path)
    close(got.matrices()["M"], want.matrices()["M"], f"{model}: M")
    for s, t in zip(got.subsystems, want.subsystems):
        for key in ("A", "C", "e", "f", "x0"):
            close(got.numbers(s[key]), want.numbers(t[key]), f"{model}: {t['name']}: {key}")
        expect(s["states"] == t["states"] and s["outputs"] == t["outputs"], f"{model}: {s['states']} {s['outputs']}")
        if s["B"].shape == t["B"].shape:  # several connections to an input are as many inputs of the FMU
            close(got.numbers(s["B"]), want.numbers(t["B"]), f"{model}: {t['name']}: B")
            expect(s["inputs"] == t["inputs"] or any("_1" in u for u in s["inputs"]), f"{model}: {s['inputs']}")

# ---- black boxes

for name in ("oscillator1", "oscillator2"):
    with zipfile.ZipFile("two_mass_oscillator.ssp") as file:
        Path(f"{name}.fmu").write_bytes(file.read(f"resources/{name}.fmu"))
    exact, _ = fmi.read(f"{name}.fmu")
    box, said = fmi.read(f"{name}.fmu", black_box=True, step=0.5)
    expect(len(box["A"]) == len(exact["A"]) and "identified with" in said[0], f"{name}: {said}")
    expect("has model exchange, whose matrices are more exact" in said[1], f"{name}: {said}")
    close(np.sort_complex(np.linalg.eigvals(box["A"])).imag, np.sort_complex(np.linalg.eigvals(exact["A"])).imag,
          f"{name}: eigenvalues", IDENTIFIED)
    close(box["D"], exact["D"], f"{name}: D", 1e-11)
    for s in (1j, 0.3 + 0.2j):
        difference = np.abs(transfer(box, s) - transfer(exact, s)).max()
        expect(difference < IDENTIFIED, f"{name}: transfer function at {s}: {difference}")
    close(box["C"] @ box["x0"], exact["C"] @ exact["x0"], f"{name}: outputs at the start", IDENTIFIED)
    close(box["C"] @ box["A"] @ box["x0"], exact["C"] @ exact["A"] @ exact["x0"], f"{name}: slopes", IDENTIFIED)
done = call("import", "oscillator1.fmu", "--identify", "0.5", "--states", "3", "--force", "-o", "box.json")
expect(done.returncode == 0 and "oscillator1.fmu: identified with 3 states" in done.stderr, done.stderr)
refused(lambda: fmi._logarithm(np.diag([-0.5, 0.3]), "a.fmu"), "a.fmu: h is too long for the fastest mode")
refused(lambda: fmi._order("a.fmu", np.logspace(0, -14, 30), None), "a.fmu: no order stands out: nonlinear or noisy")

# ---- an FMU that is not linear

VARIABLES = """<ScalarVariable name="phi" valueReference="0" causality="output" variability="continuous" initial="exact">
<Real unit="rad" start="1.2"/></ScalarVariable>
<ScalarVariable name="w" valueReference="1" causality="local" variability="continuous" initial="exact"><Real start="0.25"
/></ScalarVariable>
<ScalarVariable name="der(phi)" valueReference="2" causality="local" variability="continuous"><Real derivative="1"/>
</ScalarVariable>
<ScalarVariable name="der(w)" valueReference="3" causality="local" variability="continuous"><Real derivative="2"/>
</ScalarVariable>
<ScalarVariable name="u[1]" valueReference="4" causality="input" variability="continuous"><Real start="3" unit="N m"/>
</ScalarVariable>
<ScalarVariable name="y" valueReference="5" causality="output" variability="continuous"><Real/></ScalarVariable>
<ScalarVariable name="g" valueReference="6" causality="parameter" variability="fixed"><Real start="9.81"/></ScalarVariable>
<ScalarVariable name="d" valueReference="7" causality="parameter" variability="fixed"><Real start="0.1"/></ScalarVariable>
<ScalarVariable name="k" valueReference="8" causality="parameter" variability="fixed"><Real start="0.5"/></ScalarVariable>
<ScalarVariable name="wrong" valueReference="9" causality="parameter" variability="fixed"><Real start="0"/></ScalarVariable>
<ScalarVariable name="on" valueReference="10" causality="input" variability="discrete"><Boolean start="true"/>
</ScalarVariable>"""


REST = ("SetDebugLogging", "Reset", "GetInteger", "GetBoolean", "GetString", "SetInteger", "SetBoolean", "SetString",
        "GetFMUstate", "SetFMUstate", "FreeFMUstate", "SerializedFMUstateSize", "SerializeFMUstate", "DeSerializeFMUstate",
        "EnterEventMode", "CompletedIntegratorStep", "SetTime", "GetEventIndicators", "GetNominalsOfContinuousStates")


Path("rest.c").write_text("".join(f"int fmi2{name}(void) {{ return 0; }}\n" for name in REST))
subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", f"-I{source}/host/fmu/binary",
                str(source / "tests/data/import/pendulum.c"), "rest.c", "-o", "pendulum.so", "-lm"], check=True)


def write_pendulum(path, indicators=0, directional="true"):
    description = f"""<?xml version="1.0"?><fmiModelDescription fmiVersion="2.0" modelName="pendulum" guid="1"
numberOfEventIndicators="{indicators}"><ModelExchange modelIdentifier="pendulum"
providesDirectionalDerivative="{directional}"/><ModelVariables>{VARIABLES}</ModelVariables><ModelStructure><Outputs>
<Unknown index="1"/><Unknown index="6"/></Outputs><Derivatives><Unknown index="3"/><Unknown index="4"/></Derivatives>
</ModelStructure></fmiModelDescription>"""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("modelDescription.xml", description)
        file.write("pendulum.so", "binaries/linux64/pendulum.so")


def pendulum(g=9.81, d=0.1, k=0.5, phi=1.2, w=0.25, u=3.0):
    """A, B, C, D, e, f at a point."""
    A, B = np.array([[0, 1], [-g * np.cos(phi), -d]]), np.array([[0], [1]])
    C, D = np.eye(2), np.array([[0], [k]])
    f0 = np.array([w, -g * np.sin(phi) - d * w + u + 2])
    return A, B, C, D, f0 - A @ [phi, w] - B @ [u], np.zeros(2)


for directional, tolerance in (("true", 1e-12), ("false", 1e-8)):
    write_pendulum("pendulum.fmu", directional=directional)
    net, said = loaded(cs.Network.load, "pendulum.fmu")
    one = net.subsystems[0]
    for key, want in zip(("A", "B", "C", "D", "e", "f"), pendulum()):
        close(one[key], want, f"pendulum: {key}", tolerance)
    expect((one["states"], one["inputs"], one["outputs"]) == (["phi", "w"], ["u_1"], ["phi", "y"]), one)
    expect(one["units"].get("u_1") == "N m" and net.connections == [{"to": "pendulum.u_1", "value": 3.0}], net.connections)
    expect("pendulum.fmu: nonlinear: derivatives change by " in said and "the study holds near t = 0" in said, said)
    expect("pendulum.fmu: input on is left out: Boolean, not continuous" in said, said)
expect("nonlinear" not in " ".join(fmi.read("oscillator1.fmu")[1]), "a linear FMU is called nonlinear")
write_pendulum("pendulum.fmu", indicators=2)
parts, said = fmi.read("pendulum.fmu", {"wrong": 4.0, "g": 5.0}, {"u[1]": 1.0})
close(parts["A"], pendulum(g=5.0)[0], "differences", 1e-8)
expect(any("directional derivatives are not those" in w for w in said), said)
expect(any("event indicators: 2" in w for w in said), said)
refused(lambda: fmi.read("pendulum.fmu", {"mass": 1}), 'pendulum.fmu: no variable "mass"; it has: ')
Path("broken.fmu").write_bytes(b"PK")
refused(lambda: fmi.read("broken.fmu"), "broken.fmu: ")
done = call("import", "none.fmu", "-o", "none.json")
expect(done.returncode == 5 and "none.fmu: no such file" in done.stderr, done.stderr)
done = call("import", "pendulum.fmu", "--connect", "pendulum.y -> pendulum.on", "-o", "none.json")
expect(done.returncode == 3 and 'no input "pendulum.on"' in done.stderr, done.stderr)
net, _ = loaded(cs.Network.from_fmus, {"a": "oscillator1.fmu", "b": "oscillator2.fmu"},
                [("a.tau1", "b.tau1"), ("b.omega2", "a.omega2", 1.0)])
close(net.matrices()["M"], cs.Network.load(source / "models/two_mass_oscillator/model.json").matrices()["M"], "from_fmus")

# ---- FMUs of OpenModelica, from a package that is not imported: it needs many others

found = importlib.util.find_spec("gemseo_fmu")
if found is None:
    print("left out: FMUs of OpenModelica: gemseo-fmu is missing")
else:
    folder = Path(found.submodule_search_locations[0]) / "problems/fmu_files/linux"
    DAMPER = {"A": [[0, 1], [-1e4, -10]], "B": [[0], [-1]], "C": [[-1, 0]], "D": [[0]], "e": [0, 1e4], "f": [0.5],
              "x0": [0.5, 0]}
    SPRING = {"A": [[0, -2], [1, 0]], "B": [[-1, -1, 2, 1], [0, 0, 0, 0]], "C": np.eye(2), "D": np.zeros((2, 4)),
              "x0": [0, 1], "f": [0, 0]}
    for name, want, word in (("Mass_Damper", DAMPER, ""), ("MassSpringSubSystem2", SPRING, ""), ("add", {"D": [[1, 1]]}, ""),
                             ("MassSpringSubSystem1", {**SPRING, "B": [[0, 1, -1, 1], [0, 0, 0, 0]], "x0": [1, 0]},
                              "MassSpringSubSystem1.fmu: nonlinear: derivatives change by "),
                             ("ramp", {"f": [0]}, "ramp.fmu: event indicators: 2; its events are not imported")):
        parts, said = fmi.read(folder / f"{name}.fmu")
        for key, value in want.items():
            close(parts[key], value, f"{name}: {key}", 1e-7)
        expect(len(said) == (word != "") and word in "".join(said), f"{name}: {said}; want {word}")
    done = call("import", folder / "MassSpringSubSystem1.fmu", folder / "MassSpringSubSystem2.fmu", "--match", "--force", "-o",
                "springs.json")
    expect(done.returncode == 0, done.stderr)
    close(cs.Network.load("springs.json").matrices()["M"], [[0, -2, 0, 1], [1, 0, 0, 0], [0, 1, 0, -2], [0, 0, 1, 0]],
          "two springs: M", 1e-7)

# ---- FMI 3.0

BELT = (source / "tests/data/import/belt.c").read_text()
NEEDED = {name for kind in (fmi3.FMU3Model, fmi3.FMU3Slave) for name in dir(kind) if name.startswith("fmi3")}
Path("rest3.c").write_text("".join(f"int {name}(void) {{ return 0; }}\n" for name in sorted(NEEDED)
                                   if f"{name}(" not in BELT))
subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", str(source / "tests/data/import/belt.c"), "rest3.c",
                "-o", "belt.so", "-lm"], check=True)
BELT_VARIABLES = """<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="x" valueReference="1" causality="output" initial="exact" start="0.5 0.25" unit="rad/s"><Dimension start="2"/>
</Float64>
<Float64 name="der(x)" valueReference="2" derivative="1"><Dimension start="2"/></Float64>
<Float64 name="u" valueReference="3" causality="input" start="0.5 -1" unit="N m"><Dimension start="2"/></Float64>
<Float64 name="y" valueReference="4" causality="output"/>
<Float64 name="k" valueReference="5" causality="parameter" variability="tunable" start="0.5" unit="kg"/>
<Float64 name="c" valueReference="6" causality="parameter" variability="tunable" start="0"/>
<Float64 name="wrong" valueReference="7" causality="parameter" variability="tunable" start="0"/>
<Boolean name="steep" valueReference="8" causality="parameter" variability="tunable" start="false"/>
<Int32 name="gain" valueReference="9" causality="parameter" variability="tunable" start="1"/>
<Enumeration name="mode" valueReference="10" causality="parameter" variability="tunable" declaredType="modes" start="1"/>
<Float32 name="z" valueReference="11" causality="output"/>
<Clock name="tick" valueReference="12" causality="input" intervalVariability="triggered"/>
<Float64 name="slope" valueReference="13" causality="parameter" variability="tunable" start="0"/>"""


def write_belt(path, exchange=True, box=True, directional="true"):
    interfaces = (f'<ModelExchange modelIdentifier="belt" providesDirectionalDerivatives="{directional}"/>' if exchange
                  else "") + ('<CoSimulation modelIdentifier="belt"/>' if box else "")
    description = f"""<?xml version="1.0"?><fmiModelDescription fmiVersion="3.0" modelName="belt" instantiationToken="1">
{interfaces}<UnitDefinitions><Unit name="kg"><BaseUnit kg="1"/></Unit></UnitDefinitions><TypeDefinitions><EnumerationType
name="modes"><Item name="slow" value="1"/><Item name="fast" value="2"/></EnumerationType></TypeDefinitions>
<DefaultExperiment stepSize="0.25"/><ModelVariables>{BELT_VARIABLES}</ModelVariables><ModelStructure>
<Output valueReference="1"/><Output valueReference="4"/><Output valueReference="11"/><ContinuousStateDerivative
valueReference="2"/></ModelStructure></fmiModelDescription>"""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("modelDescription.xml", description)
        file.write("belt.so", "binaries/x86_64-linux/belt.so")


def belt(k=0.5, gain=1, c=0, x=0.5):
    """A, B, C, D, e at a point."""
    A, B = np.array([[-1 - 3 * c * x ** 2, 2], [0, -3]]), np.array([[1, 0], [0, gain]])
    return A, B, np.array([[1, 0], [0, 1], [1, 1]]), np.array([[0, 0], [0, 0], [k, 0]]), np.array([2 * c * x ** 3, 0.5])


for directional, tolerance in (("true", 1e-13), ("false", 1e-8)):
    write_belt("belt.fmu", directional=directional)
    parts, said = fmi.read("belt.fmu")
    for key, want in zip("ABCDe", belt()):
        close(parts[key], want, f"belt: {key}, {directional}", tolerance)
    expect("belt.fmu: output z is left out: Float32, not Float64" in said, said)
    expect("belt.fmu: input tick is left out: Clock, not continuous" in said and len(said) == 2, said)
net, _ = loaded(cs.Network.load, "belt.fmu")
one = net.subsystems[0]
expect((one["states"], one["inputs"], one["outputs"]) == (["x_1", "x_2"], ["u_1", "u_2"], ["x_1", "x_2", "y"]), one)
expect(one["units"].get("u_2") == "N m" and one["x0"].tolist() == [0.5, 0.25], one)
expect(net.connections == [{"to": "belt.u_1", "value": 0.5}, {"to": "belt.u_2", "value": -1.0}], net.connections)
write_belt("belt.fmu")
parts, _ = fmi.read("belt.fmu", {"k": "2", "steep": "true", "gain": "3", "mode": "fast", "x": "1 2"})
close(parts["B"], belt(gain=12)[1], "belt: parameters of all types", 1e-13)
close(np.append(parts["D"][2], parts["x0"]), [2, 0, 1, 2], "belt: a parameter and start values", 1e-13)
parts, said = fmi.read("belt.fmu", {"c": 1.0})
close(parts["A"], belt(c=1)[0], "belt: not linear", 1e-12)
close(parts["e"], belt(c=1)[4], "belt: rest", 1e-12)
expect(any("nonlinear" in w for w in said), said)
expect(any("directional derivatives are not those" in w for w in fmi.read("belt.fmu", {"wrong": 1.0})[1]), "belt: wrong")
refused(lambda: fmi.read("belt.fmu", {"gain": "many"}), 'belt.fmu: gain is of type Int32, not "many"')
refused(lambda: fmi.read("belt.fmu", {"x": "1 2 3"}), "belt.fmu: x has 2 elements, not 3")
for black_box in (False, True):
    refused(lambda: fmi.read("belt.fmu", {"y": 1}, black_box=black_box), "belt.fmu: fmi3SetFloat64 failed")
refused(lambda: fmi.read("belt.fmu", {"y": 1}, at=1.0, step=0.5), "belt.fmu: fmi3SetFloat64 failed")
refused(lambda: fmi.read("belt.fmu", {"steep": "perhaps"}), 'belt.fmu: steep is of type Boolean, not "perhaps"')
box, said = fmi.read("belt.fmu", black_box=True)
expect("belt.fmu: identified with 3 states" in " ".join(said), said)  # the constant rate is one more
write_belt("box.fmu", exchange=False)
box, said = fmi.read("box.fmu")
exact = dict(zip("ABCD", belt()))
for s in (1j, 0.3 + 0.2j):
    close(np.abs(transfer(box, s) - transfer(exact, s)).max() + 1, 1, f"box: transfer function at {s}", IDENTIFIED)
write_belt("exchange.fmu", box=False)
refused(lambda: fmi.read("exchange.fmu", at=1.0, step=0.1), "exchange.fmu: no co-simulation; it cannot be run")
refused(lambda: fmi.read("box.fmu", at=1.0, step=0.1), "box.fmu: a black box: its states cannot be set to those at 1 s")
refused(lambda: fmi.read("belt.fmu", at=1.0), "belt.fmu: --at 1 needs --step, the size of the steps up to there (s)")

# At a time: the states that the inputs at their start values lead to. A u2 of -1 and a constant of 1/2 in x2'.
parts, said = fmi.read("belt.fmu", {"c": 1.0}, at=2.1, step=0.25)
x2 = -1 / 6 + (0.25 + 1 / 6) * np.exp(-3 * 2.1)
close(parts["x0"][1], x2, "a state after 2.1 s", 1e-10)
close(parts["A"], belt(c=1, x=parts["x0"][0])[0], "linear at 2.1 s", 1e-10)
parts, _ = fmi.read("belt.fmu", {"slope": 2.0}, at=1.5, step=0.5)
close(parts["e"], [3, 0.5], "a rate at 1.5 s", 1e-10)
done = call("import", "belt.fmu", "--at", "2.1", "--step", "0.25", "--force", "-o", "at.json")
expect(done.returncode == 0, done.stderr)
close(cs.Network.load("at.json").subsystems[0]["x0"][1], x2, "import --at", 1e-10)
for words, status, message in (
        (("belt.fmu", "exchange.fmu", "--match", "--at", "1", "--step", "0.1"), 2,
         "cosweep import: --at: FMUs run up to there one by one; want an SSP file of those that are connected"),
        ((source / "tests/data/import/several.mo", "--at", "1"), 2, "--at: means nothing without FMUs"),
        (("belt.fmu", "--at", "0"), 2, "cosweep import: --at 0; want a number above 0"),
        (("belt.fmu", "--at", "1"), 3, "belt.fmu: --at 1 needs --step")):
    done = call("import", *words, "--force", "-o", "none.json")
    expect(done.returncode == status and message in done.stderr, f"{words}: {done.returncode} {done.stderr}")

# ---- systems

HEAD = ('<?xml version="1.0"?><ssd:SystemStructureDescription version="1.0" name="two" '
        'xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
        'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" '
        'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"><ssd:System name="two">')
UNITS = ('<ssd:Units><ssc:Unit name="N m"><ssc:BaseUnit kg="1" m="2" s="-2"/></ssc:Unit><ssc:Unit name="kN m"><ssc:BaseUnit '
         'kg="1" m="2" s="-2" factor="1000"/></ssc:Unit><ssc:Unit name="odd"><ssc:BaseUnit kg="1" m="2" s="-2" '
         'factor="2" offset="6"/></ssc:Unit><ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit><ssc:Unit name="kg">'
         '<ssc:BaseUnit kg="1"/></ssc:Unit></ssd:Units>')


def connector(name, kind, unit=None):
    return (f'<ssd:Connector name="{name}" kind="{kind}"><ssc:Real' + (f' unit="{unit}"' if unit else "")
            + "/></ssd:Connector>")


def component(name, fmu, connectors, bindings=""):
    return (f'<ssd:Component name="{name}" source="{fmu}.fmu"><ssd:Connectors>{connectors}</ssd:Connectors>{bindings}'
            "</ssd:Component>")


def parameters(values):
    items = "".join(f'<ssv:Parameter name="{k}"><ssv:Real value="{v}"/></ssv:Parameter>' for k, v in values.items())
    return ("<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version='1.0' name='p'>"
            f"<ssv:Parameters>{items}</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>"
            "</ssd:ParameterBindings>")


def connection(a, y, b, u, inside="", more=""):
    ends = "".join(f' {which}Element="{e}"' if e else "" for which, e in (("start", a), ("end", b)))
    return f'<ssd:Connection{ends} startConnector="{y}" endConnector="{u}"{more}>{inside}</ssd:Connection>'


def write_system(elements, connections, units=UNITS, before="", path="two.ssd"):
    Path(path).write_text(f"{HEAD}{before}<ssd:Elements>{elements}</ssd:Elements><ssd:Connections>{connections}"
                          f"</ssd:Connections></ssd:System>{units}</ssd:SystemStructureDescription>")


def one(unit="N m", **values):
    return component("one", "oscillator1", connector("u.omega2", "input") + connector("y.tau1", "output", unit),
                     parameters(values) if values else "")


def two(unit="N m"):
    return component("second", "oscillator2", connector("u.tau1", "input", unit) + connector("y.omega2", "output"))


BACK = connection("second", "y.omega2", "one", "u.omega2")
exact1, exact2 = fmi.read("oscillator1.fmu")[0], fmi.read("oscillator2.fmu")[0]
CASES = [  # unit of the torque there and here, more of the connection, gain, constant
    ("N m", "N m", "", "", 1, 0), ("kN m", "N m", "", "", 1000, 0), ("odd", "N m", "", "", 2, 6),
    ("N m", "odd", "", "", 0.5, -3), ("kN m", "N m", "", ' suppressUnitConversion="true"', 1, 0),
    ("kN m", "N m", '<ssc:LinearTransformation factor="-2" offset="5"/>', ' suppressUnitConversion="true"', -2, 5),
    # SystemStructureCommon.xsd: units are converted first, then the transformation is applied
    ("kN m", "N m", '<ssc:LinearTransformation factor="-2" offset="5"/>', "", -2000, 5),
    ("odd", "N m", '<ssc:LinearTransformation factor="3" offset="5"/>', "", 6, 23)]
for there, here, inside, more, gain, offset in CASES:
    write_system(one(there) + two(here), connection("one", "y.tau1", "second", "u.tau1", inside, more) + BACK)
    net, said = loaded(cs.Network.from_ssp, "two.ssd")
    L = net.matrices()["L"]
    close(L, [[0, 1], [gain, 0]], f"gain {there} -> {here} {inside}{more}")
    constants = [c for c in net.connections if "value" in c]
    expect(constants == ([{"to": "second.tau1", "value": float(offset)}] if offset else []), f"offset: {constants}")
write_system(one(**{"x.phi1": 7}) + two(), connection("one", "y.tau1", "second", "u.tau1") + BACK)
close(loaded(cs.Network.from_ssp, "two.ssd")[0].subsystems[0]["x0"], [7, .1, .2], "a parameter")
Path("p.ssv").write_text('<ssv:ParameterSet xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" '
                         'version="1.0" name="p"><ssv:Parameters><ssv:Parameter name="second.x.phi2"><ssv:Real value="3"/>'
                         "</ssv:Parameter></ssv:Parameters></ssv:ParameterSet>")
binding = '<ssd:ParameterBindings><ssd:ParameterBinding source="p.ssv"/></ssd:ParameterBindings>'
write_system(one() + two() + "", connection("one", "y.tau1", "second", "u.tau1") + BACK, path="two.ssd")
text = Path("two.ssd").read_text().replace("<ssd:Connections>", f"{binding}<ssd:Connections>")
Path("two.ssd").write_text(text)
close(loaded(cs.Network.from_ssp, "two.ssd")[0].subsystems[1]["x0"], [3, .1], "a parameter file")

# Mappings: what is not named is not applied, units are converted before transformations, tables of all types.
BELT = component("belt", "belt", "".join(connector(f"u[{i}]", "input") + connector(f"x[{i}]", "output") for i in (1, 2)))
SET = ("<ssv:ParameterSet {} version='1.0' name='p'><ssv:Parameters>"
       "<ssv:Parameter name='weight'><ssv:Real value='2' unit='kg'/></ssv:Parameter>"
       "<ssv:Parameter name='grams'><ssv:Real value='3000' unit='g'/></ssv:Parameter>"
       "<ssv:Parameter name='odd'><ssv:Real value='3' unit='lb'/></ssv:Parameter>"
       "<ssv:Parameter name='length'><ssv:Real value='3' unit='m'/></ssv:Parameter>"
       "<ssv:Parameter name='flat'><ssv:Boolean value='0'/></ssv:Parameter>"
       "<ssv:Parameter name='count'><ssv:Integer value='5'/></ssv:Parameter>"
       "<ssv:Parameter name='pace'><ssv:Enumeration value='quick'/></ssv:Parameter>"
       "<ssv:Parameter name='gain'><ssv:Integer value='7'/></ssv:Parameter>"
       "<ssv:Parameter name='word'><ssv:Real value='much'/></ssv:Parameter>"
       "</ssv:Parameters><ssv:Units><ssc:Unit name='g'><ssc:BaseUnit kg='1' factor='0.001'/></ssc:Unit><ssc:Unit name='kg'>"
       "<ssc:BaseUnit kg='1'/></ssc:Unit><ssc:Unit name='m'><ssc:BaseUnit m='1'/></ssc:Unit></ssv:Units></ssv:ParameterSet>")
SPACES = " ".join(f"xmlns:{key}='http://ssp-standard.org/SSP1/SystemStructure{name}'" for key, name in (
    ("ssv", "ParameterValues"), ("ssc", "Common"), ("ssm", "ParameterMapping")))
Path("p.ssv").write_text(SET.format(SPACES))


def table(kind, *entries):
    return (f"<ssc:{kind}MappingTransformation>" + "".join(f"<ssc:MapEntry source='{a}' target='{b}'/>" for a, b in entries)
            + f"</ssc:{kind}MappingTransformation>")


def mapping(*entries, more=SPACES):
    return (f"<ssm:ParameterMapping {more} version='1.0'>" + "".join(
        f"<ssm:MappingEntry source='{e[0]}' target='{e[1]}'{e[3] if len(e) > 3 else ''}>{e[2] if len(e) > 2 else ''}"
        "</ssm:MappingEntry>" for e in entries) + "</ssm:ParameterMapping>")


def bound(*entries, elements=BELT, inside="", source="p.ssv", prefix=""):
    """A system in two.ssd with the set of p.ssv, mapped, bound to the system."""
    inside = inside or f"<ssd:ParameterMapping>{mapping(*entries)}</ssd:ParameterMapping>"
    write_system(elements, "")
    binding = (f"<ssd:ParameterBindings><ssd:ParameterBinding source='{source}' prefix='{prefix}'>{inside}"
               "</ssd:ParameterBinding></ssd:ParameterBindings>")
    Path("two.ssd").write_text(Path("two.ssd").read_text().replace("<ssd:Connections>", f"{binding}<ssd:Connections>"))
    return loaded(cs.Network.from_ssp, "two.ssd")


TWICE = "<ssc:LinearTransformation factor='2' offset='0.5'/>"
ALONE = " suppressUnitConversion='true'"
FAST, SLOW = table("Enumeration", ("quick", "fast"), ("idle", "slow")), table("Integer", ("5", "3"), ("6", "4"))
for entries, k, gain in (
        ((("weight", "belt.k"),), 2, 1), ((("weight", "belt.k", TWICE),), 4.5, 1), ((("grams", "belt.k"),), 3, 1),
        ((("grams", "belt.k", TWICE),), 6.5, 1), ((("grams", "belt.k", TWICE, ALONE),), 6000.5, 1),
        ((("flat", "belt.steep", table("Boolean", ("true", "false"), ("false", "true"))),), .5, 2),
        ((("count", "belt.gain", SLOW),), .5, 3), ((("gain", "belt.gain"),), .5, 7),
        ((("pace", "belt.mode", FAST), ("weight", "belt.k"), ("count", "belt.gain")), 2, 10)):
    net, said = bound(*entries)
    found = net.subsystems[0]
    close([found["D"][-1, 0], found["B"][1, 1]], [k, gain], f"mapping {entries}", 1e-12)
    expect("is left out" not in said.replace("input tick is left out", "").replace("output z is left out", ""), said)
Path("p.ssm").write_text(mapping(("belt.weight", "belt.k", TWICE)))
net, said = bound(inside="<ssd:ParameterMapping source='p.ssm'/>", prefix="belt.")
close(net.subsystems[0]["D"][-1, 0], 4.5, "a mapping in a file, and a prefix")
net, said = bound(("grams", "belt.k"), elements=BELT.replace("</ssd:Component>", parameters({"k": 9, "c": 1})
                                                             + "</ssd:Component>"))
close(net.subsystems[0]["D"][-1, 0], 3, "a system counts more than its component")
close(net.subsystems[0]["A"][0, 0], belt(c=1)[0][0, 0], "a component's own parameter", 1e-12)
net, said = bound(("nothing", "belt.k"), ("weight", "belt.nothing"))
expect('two.ssd: no parameter "nothing"; its mapping to "belt.k" is left out' in said, said)
expect('two.ssd: no variable "belt.nothing"; its value is left out' in said, said)
net, said = bound(("weight", "belt.x"), ("length", "belt.u[2]"))
expect(net.subsystems[0]["x0"].tolist() == [2, 2] and {"to": "belt.u_2", "value": 3.0} in net.connections, net.connections)
inner = (f'<ssd:System name="drive"><ssd:Connectors>{connector("weight", "parameter", "kg")}</ssd:Connectors><ssd:Elements>'
         f'{BELT}</ssd:Elements><ssd:Connections>{connection("", "weight", "belt", "k", TWICE.replace(chr(39), chr(34)))}'
         "</ssd:Connections></ssd:System>")
net, said = bound(("grams", "drive.weight"), ("count", "drive.belt.gain"), elements=inner)
close([net.subsystems[0]["D"][-1, 0], net.subsystems[0]["B"][1, 1]], [6.5, 5], "through a system's connector")
net, said = bound(("grams", "drive.weight"), ("weight", "drive.belt.k"), elements=inner)
close(net.subsystems[0]["D"][-1, 0], 2, "the later one wins")
for entries, options, words in (
        ((("length", "belt.k"),), {}, ("two.ssd: belt.k: [m] and [kg] are units of different kinds",)),
        ((("odd", "belt.k"),), {}, ('two.ssd: belt.k: unit "lb" has no BaseUnit',)),
        ((("word", "belt.k"),), {}, ('two.ssd: belt.k: "much" is no number',)),
        ((("count", "belt.gain", TWICE),), {}, ("two.ssd: count: a LinearTransformation is for Real, not Integer",)),
        ((("count", "belt.gain", FAST),), {}, ("a EnumerationMappingTransformation is for Enumeration, not Integer",)),
        ((("flat", "belt.steep", SLOW),), {}, ("IntegerMappingTransformation is for Integer or Enumeration, not Boolean",)),
        ((("gain", "belt.gain", SLOW),), {}, ('two.ssd: gain: no MapEntry for "7"; it has: 5, 6',)),
        ((("pace", "belt.mode"),), {}, ('belt.fmu: mode is of type Enumeration, not "quick"',)),
        ((("count", "drive.weight"),), {"elements": inner}, ("two.ssd: drive.weight: a gain is for Real, not Integer",)),
        ((), {"inside": "<ssd:ParameterMapping source='q.ssm'/>"}, ("two.ssd: no file q.ssm",)),
        ((), {"inside": "<ssd:ParameterMapping source='p.c'/>"}, ("two.ssd: p.c: ",)),
        ((), {"inside": "<ssd:ParameterMapping type='text/plain'/>"},
         ("two.ssd: text/plain is not read; want application/x-ssp-parameter-mapping",)),
        ((), {"source": "q.ssv"}, ("two.ssd: no file q.ssv",)),
        ((), {"inside": "<ssd:ParameterMapping source='p.ssm' sourceBase='component'/>"},
         ("two.ssd: p.ssm: sourceBase component is not read; want SSD",))):
    Path("p.c").write_text("<")
    refused(lambda: bound(*entries, **options), *words)

inner = (f'<ssd:System name="drive"><ssd:Connectors>{connector("speed", "input")}{connector("torque", "output", "N m")}'
         f'</ssd:Connectors><ssd:Elements>{one("kN m")}</ssd:Elements><ssd:Connections>'
         f'{connection("", "speed", "one", "u.omega2")}{connection("one", "y.tau1", "", "torque")}</ssd:Connections>'
         "</ssd:System>")
write_system(inner + two(), connection("drive", "torque", "second", "u.tau1") + connection("second", "y.omega2", "drive",
                                                                                           "speed"))
net, _ = loaded(cs.Network.from_ssp, "two.ssd")
expect([s["name"] for s in net.subsystems] == ["drive_one", "second"], [s["name"] for s in net.subsystems])
close(net.matrices()["L"], [[0, 1], [1000, 0]], "through system connectors")

# Where the two meet at the start: e and f of the pendulum at the torque it gets.
write_pendulum("pendulum.fmu")
write_system(component("swing", "pendulum", connector("u[1]", "input") + connector("y", "output")),
             connection("swing", "y", "swing", "u[1]", '<ssc:LinearTransformation factor="0.5" offset="1"/>'))
net, _ = loaded(cs.Network.from_ssp, "two.ssd")
u = (0.5 * 0.25 + 1) / (1 - 0.25)  # u = y / 2 + 1, y = w + u / 2
close(net.subsystems[0]["e"], pendulum(u=u)[4], "operating point", 1e-8)

# After a run: the states of the plain co-simulation.
call("export", source / "models/two_mass_oscillator/model.json", "--format", "ssp", "--force", "-o", "two.ssp")
net, _ = loaded(cs.Network.from_ssp, "two.ssp", at=2.0, step=0.1)
end = cs.trace(source / "models/two_mass_oscillator/model.json",
               {"hold": "lagrange", "order": 0, "feedthrough": "explicit", "step": {"size": 0.1, "control": "fixed"}}, 2.0)
states = np.concatenate([s["x0"] for s in net.subsystems])
close(states, (end.x_exact if "x" not in end else end.x)[-1].values, "states after 2 s", 1e-12)

for elements, connections, words in (
        (one() + two(), connection("one", "tau", "second", "u.tau1"),
         ('two.ssd: no connector "tau" at component "one"; it has: y.tau1',)),
        (one() + two(), connection("one", "y.tau1", "second", "y.omega2"), ('at component "second"; it has: u.tau1',)),
        (one() + two("m"), connection("one", "y.tau1", "second", "u.tau1"), ("units of different kinds", "[N m]", "[m]")),
        (one("lb") + two(), connection("one", "y.tau1", "second", "u.tau1"), ('unit "lb" has no BaseUnit',)),
        (component("x", "none", ""), "", ("two.ssd: x: no file none.fmu",)),
        (one() + two(), connection("one", "y.tau1", "third", "u.tau1"),
         ('two.ssd: no element "third"; it has: one, second',)),
        (component("x", "pendulum", connector("u[1]", "input") + connector("y", "output")),
         connection("x", "y", "x", "u[1]", '<ssc:LinearTransformation factor="2" offset="1"/>'),
         ("two.ssd: no operating point",))):
    write_system(elements, connections)
    refused(lambda: cs.Network.from_ssp("two.ssd"), *words)

# OMSimulator writes them so, older versions without the inner wrapper.
for wrapped in ("{}", "<oms:Annotations>{}</oms:Annotations>"):
    write_system(one() + two(), connection("one", "y.tau1", "second", "u.tau1"))
    tlm = ('<oms:Connections><oms:Connection startElement="foo" startConnector="tlm" endElement="foo2" endConnector="tlm" '
           'delay="0.001" alpha="0.3" linearimpedance="100" angularimpedance="0"/></oms:Connections>')
    note = ('<ssd:Annotations><ssc:Annotation type="org.openmodelica" xmlns:ssc="http://ssp-standard.org/SSP1/'
            'SystemStructureCommon" xmlns:oms="https://raw.githubusercontent.com/OpenModelica/OMSimulator">'
            f"{wrapped.format(tlm)}</ssc:Annotation></ssd:Annotations>")
    text = Path("two.ssd").read_text()
    expect(text.count("</ssd:System>") == 1, "one system")
    Path("two.ssd").write_text(text.replace("</ssd:System>", f"{note}</ssd:System>"))
    refused(lambda: cs.Network.from_ssp("two.ssd"), "two.ssd: foo.tlm -> foo2.tlm: a TLM connection is not read")

# ---- black boxes with discrete variables

call("export", source / "models/ring/model.json", "--format", "fmu", "--force", "-o", "ring")
with zipfile.ZipFile("ring/cell1.fmu") as file:
    cell = {name: file.read(name) for name in file.namelist()}
library = next(name for name in cell if name.endswith(".so"))


def write_fmu(path, changed, method=zipfile.ZIP_DEFLATED):
    """cell1 of the ring with other files."""
    with zipfile.ZipFile(path, "w", method) as file:
        for name, content in {**cell, **changed}.items():
            file.writestr(name, content)


def described(*changes):
    text = cell["modelDescription.xml"].decode()
    for old, new in changes:
        text, count = re.subn(old, new, text, flags=re.S)
        expect(count > 0, f"cell1 has no {old}")
    return {"modelDescription.xml": text}


BOX = ("<ModelExchange.*?/>", "")
exact = fmi.read("ring/cell1.fmu")[0]
write_fmu("discrete.fmu", described(BOX, ('variability="continuous"', 'variability="discrete"')))
box, said = fmi.read("discrete.fmu", black_box=True, step=0.05)
expect(box["InputName"] == exact["InputName"] and box["OutputName"] == exact["OutputName"], f"discrete: {box}")
expect(len(box["A"]) == len(exact["A"]) and not any("left out" in line for line in said), f"discrete: {said}")
for s in (1j, 0.3 + 0.2j):
    difference = np.abs(transfer(box, s) - transfer(exact, s)).max()
    expect(difference < IDENTIFIED, f"discrete: transfer function at {s}: {difference}")
write_fmu("stepless.fmu", described(BOX, ('<DefaultExperiment startTime="0" stepSize="[^"]*"', '<DefaultExperiment startTime="0"')))
refused(lambda: fmi.read("stepless.fmu"), "stepless.fmu: a black box without a step size in its default experiment; want "
        "--step H, a tenth to a half of its shortest time constant (s)")
box, said = fmi.read("stepless.fmu", step=0.05)
expect(len(box["A"]) == len(exact["A"]) and len(said) == 1, f"stepless: {said}")
OUTPUTS = ('(causality="output"[^>]*variability=)"continuous"', r'\1"discrete"')
write_fmu("discrete.fmu", described(OUTPUTS))
parts, said = fmi.read("discrete.fmu")  # model exchange changes them at events alone
expect(parts["OutputName"] == [] and "discrete.fmu: output y.v_left is left out: discrete, not continuous" in said, said)

# ---- code that ends, crashes or loops

temporary = (output / "tmp").resolve()
temporary.mkdir(exist_ok=True)
os.environ["TMPDIR"] = str(temporary)


def ending(code, changed=None):
    """cell1 with a library that does this when it is loaded."""
    Path("end.c").write_text("#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) "
                             f"static void begin(void) {{ {code} }}\n")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-w", "end.c", "-o", "end.so"], check=True)
    return {library: Path("end.so").read_bytes(), **(changed or {})}


def fails(message, *words, status=3, whole=True):
    """One line beside what is run; no model, nothing among temporary files."""
    done = call("import", *words, "-o", "never.json")
    told, *more = done.stderr.splitlines()
    good = more == [message] if whole else len(more) == 1 and more[0].startswith(message)
    expect(done.returncode == status and " runs " in told and good, f"import {words}: {done.returncode}: {done.stderr}")
    expect(not Path("never.json").exists() and not any(temporary.iterdir()), f"import {words} leaves something")


write_fmu("end.fmu", ending("_exit(0);"))
fails("end.fmu: its code ended its process, with exit status 0", "end.fmu")
fails("end.fmu: its code ended its process, with exit status 0", "end.fmu", "--identify", 0.05)
with zipfile.ZipFile("two.ssp") as file:
    two_ssp = {name: file.read(name) for name in file.namelist()}
with zipfile.ZipFile("oscillator2.fmu") as file, zipfile.ZipFile("end2.fmu", "w") as out:
    for name in file.namelist():
        out.writestr(name, Path("end.so").read_bytes() if name.endswith(".so") else file.read(name))
with zipfile.ZipFile("end.ssp", "w") as file:
    for name, content in {**two_ssp, "resources/oscillator2.fmu": Path("end2.fmu").read_bytes()}.items():
        file.writestr(name, content)
fails("end.ssp: oscillator2: its code ended its process, with exit status 0", "end.ssp")
fails("end.ssp: oscillator2: its code ended its process, with exit status 0", "end.ssp", "--at", 1, "--step", 0.5)
write_fmu("end.fmu", ending('fclose(fopen("stray", "w")); puts("out"); fputs("err", stderr); abort();'))
fails("end.fmu: its code crashed (Aborted)", "end.fmu")
expect(not Path("stray").exists(), "an FMU writes into the working directory")
write_fmu("end.fmu", ending("for (;;) pause();"))
fails("end.fmu: its code did not come to an end within 6 s; --time-limit allows more", "end.fmu", "--time-limit", 6)
process = subprocess.Popen([program, "import", "end.fmu", "-o", "never.json"], stderr=subprocess.DEVNULL)
while not any(temporary.glob("*/*/resources/*")):
    time.sleep(0.01)
process.terminate()
expect(process.wait() == 130 and not any(temporary.iterdir()), "SIGTERM leaves something")
done = call("import", "ring/cell1.fmu", "--quiet", "-o", "never.json")
expect(done.returncode == 0 and not re.search("runs|model", done.stdout + done.stderr), done)
Path("never.json").unlink()
write_fmu("end.fmu", ending("abort();", described(BOX, ("<Real[^>]*/></ScalarVariable>", "<Boolean start='0'/></ScalarVariable>"))))
done = call("import", "end.fmu", "--identify", 0.05, "-o", "never.json")
expect(done.returncode == 3 and done.stderr.endswith(
    "end.fmu: no outputs of Real variables that are continuous or discrete\n"), done)

# ---- archives and descriptions that are wrong

for name in ("ring/cell1.fmu", "two.ssp"):
    content, cut = Path(name).read_bytes(), f"cut{Path(name).suffix}"
    for length in range(0, len(content), len(content) // 5 + 1):
        Path(cut).write_bytes(content[:length])
        fails(f"{cut}: is damaged: ", cut, whole=False)
MANY = "".join(f'<ScalarVariable name="m{i}" valueReference="{i}" causality="output"><Real/></ScalarVariable>' for i in range(2001))
for changed, message in (
        ({"modelDescription.xml": "<a/>"}, "bad.fmu: modelDescription.xml: is no description of FMI"),
        ({"modelDescription.xml": "<a>"}, "bad.fmu: modelDescription.xml: no element found"),
        (described(("<fmiModelDescription", "<!DOCTYPE a [<!ENTITY b 'b'>]><fmiModelDescription")),
         "bad.fmu: modelDescription.xml: has a document type"),
        (described(('fmiVersion="2.0"', 'fmiVersion="1.0"')), "bad.fmu: FMI 1.0; want 2.0 or 3.0"),
        (described(('(modelIdentifier=)"linear"', r'\1"../../linear"')),
         'bad.fmu: modelIdentifier "../../linear" is no name of a file'),
        (described(("</ModelVariables>", f"{MANY}</ModelVariables>")), "bad.fmu: more than 2000 outputs"),
        (described((r'<Derivatives><Unknown index="\d+"', '<Derivatives><Unknown index="1"')),
         "bad.fmu: u.i_left is the derivative of nothing"),
        (described((r'<Derivatives><Unknown index="\d+"', '<Derivatives><Unknown index="many"')),
         "bad.fmu: modelDescription.xml: cannot be read: "),
        ({"../outside": "x"}, 'bad.fmu: "../outside" is no path in the archive'),
        ({"resources/zeros": bytes(80 << 20)}, "bad.fmu: unpacks to "),
        ({library: b"nothing"}, "bad.fmu: its binary cannot be started: ")):
    write_fmu("bad.fmu", changed)
    fails(message, "bad.fmu", whole=False)
write_fmu("good.fmu", {"documentation/zeros": bytes(80 << 20)})
expect(call("import", "good.fmu", "--force", "-o", "good.json").returncode == 0, "documentation counts")
with zipfile.ZipFile("bad.fmu", "w") as file:
    file.writestr("a", "b")
fails("bad.fmu: no modelDescription.xml in it", "bad.fmu")
with zipfile.ZipFile("bad.ssp", "w") as file:
    file.writestr("a", "b")
fails("bad.ssp: no SystemStructure.ssd in it", "bad.ssp")
refused(lambda: fmi.read("belt.fmu", {"y": 1}), "belt.fmu: fmi3SetFloat64 failed")

RING = ('<ssd:System name="a"><ssd:Connectors>' + connector("p", "inout") + connector("q", "inout") + "</ssd:Connectors>"
        f'<ssd:Connections>{connection("", "p", "", "q")}{connection("", "q", "", "p")}</ssd:Connections></ssd:System>')
(output / "inner").mkdir(exist_ok=True)
(output / "inner/one.fmu").write_bytes(Path("oscillator1.fmu").read_bytes())
(output / "inner/linked.fmu").unlink(missing_ok=True)
(output / "inner/linked.fmu").symlink_to("../oscillator1.fmu")
for elements, connections, message in (
        (one() + RING, connection("one", "y.tau1", "a", "p"), "a.p -> a.q: leads back to itself"),
        (component("x", "../oscillator1", ""), "", "x: ../oscillator1.fmu: is outside; want a file in the same archive or folder"),
        (component("x", output.resolve() / "oscillator1", ""), "", "oscillator1.fmu: is outside"),
        (component("x", "linked", ""), "", "x: linked.fmu: is outside"),
        (component("x", "one", "").replace("one.fmu", "."), "", "x: .: is outside"),
        (component("x", "one", "").replace('name="x" ', ""), "", "system: a Component without name"),
        (component("x", "one", "") * 2, "", 'two elements are called "x"'),
        (component("x", "one", ""), "<ssd:Connection startElement='x' endElement='x' startConnector='y'/>",
         "a Connection without endConnector"),
        ('<ssd:System name="a"><ssd:Elements>' * 120 + "</ssd:Elements></ssd:System>" * 120, "",
         "has more than 200 elements in each other"),
        (component("x", "one", "", "<ssd:ParameterBindings><ssd:ParameterBinding source='../p.ssv'/></ssd:ParameterBindings>"), "",
         "../p.ssv: is outside")):
    write_system(elements.replace('source="oscillator1.fmu"', 'source="one.fmu"'), connections, path="inner/two.ssd")
    done = call("import", "inner/two.ssd", "-q", "-o", "never.json")
    expect(done.returncode == 3 and done.stderr.startswith("two.ssd: ") and message in done.stderr
           and done.stderr.count("\n") == 1, f"{message}: {done.returncode} {done.stderr}")
    expect(not any(temporary.iterdir()), f"{message}: leaves something")
with zipfile.ZipFile("bad.ssp", "w") as file:
    for name, content in {**two_ssp, "SystemStructure.ssd": two_ssp["SystemStructure.ssd"].replace(
            b"resources/oscillator2.fmu", b"../oscillator2.fmu")}.items():
        file.writestr(name, content)
fails("bad.ssp: oscillator2: ../oscillator2.fmu: is outside; want a file in the same archive or folder", "bad.ssp")
finish()
