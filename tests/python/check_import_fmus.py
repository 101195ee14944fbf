#!/usr/bin/env python3
"""FMUs and SSP files imported by the Python package.

usage: check_import_fmus.py COSWEEP SOURCE OUTPUT

Models exported as SSP files come back the same; a black box has the transfer functions of the model; units, gains,
nested systems, parameters and the operating point of SSP files; an FMU that is not linear (tests/data/import/pendulum.c,
compiled here with $CC or cc). Exits 0, or 1 with a line per fault; 77 where FMPy or scipy is missing
(tests/scripts/tools.sh COSWEEP --install --import).
"""

import os
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

from checking import expect, finish

try:
    import fmpy  # noqa: F401
    import h5netcdf  # noqa: F401
    import numpy as np
    import scipy  # noqa: F401
    import xarray  # noqa: F401
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
            close(s[key], t[key], f"{model}: {t['name']}: {key}")
        if s["B"].shape == t["B"].shape:  # several connections to an input are as many inputs of the FMU
            close(s["B"], t["B"], f"{model}: {t['name']}: B")

# ---- black boxes

for name in ("oscillator1", "oscillator2"):
    with zipfile.ZipFile("two_mass_oscillator.ssp") as file:
        Path(f"{name}.fmu").write_bytes(file.read(f"resources/{name}.fmu"))
    exact, _ = fmi.read(f"{name}.fmu")
    box, said = fmi.read(f"{name}.fmu", black_box=True, step=0.5)
    expect(len(box["A"]) == len(exact["A"]) and "identified with" in said[0], f"{name}: {said}")
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
                [("a.y.tau1", "b.u.tau1"), ("b.y.omega2", "a.u.omega2", 1.0)])
close(net.matrices()["M"], cs.Network.load(source / "models/two_mass_oscillator/model.json").matrices()["M"], "from_fmus")

# ---- systems

HEAD = ('<?xml version="1.0"?><ssd:SystemStructureDescription version="1.0" name="two" '
        'xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
        'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" '
        'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"><ssd:System name="two">')
UNITS = ('<ssd:Units><ssc:Unit name="N m"><ssc:BaseUnit kg="1" m="2" s="-2"/></ssc:Unit><ssc:Unit name="kN m"><ssc:BaseUnit '
         'kg="1" m="2" s="-2" factor="1000"/></ssc:Unit><ssc:Unit name="odd"><ssc:BaseUnit kg="1" m="2" s="-2" '
         'factor="2" offset="6"/></ssc:Unit><ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit></ssd:Units>')


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
    ("kN m", "N m", '<ssc:LinearTransformation factor="-2" offset="5"/>', "", -2, 5)]
for there, here, inside, more, gain, offset in CASES:
    write_system(one(there) + two(here), connection("one", "y.tau1", "second", "u.tau1", inside, more) + BACK)
    net, said = loaded(cs.Network.from_ssp, "two.ssd")
    L = net.matrices()["L"]
    close(L, [[0, 1], [gain, 0]], f"gain {there} -> {here} {inside}{more}")
    constants = [c for c in net.connections if "value" in c]
    expect(constants == ([{"to": "second.u_tau1", "value": float(offset)}] if offset else []), f"offset: {constants}")
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
finish()
