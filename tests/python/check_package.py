#!/usr/bin/python3
"""The Python package: what it makes of networks, results and errors.

usage: check_package.py COSWEEP SOURCE OUTPUT

Exits 0, or 1 with a traceback. Exits 77 where a library is missing."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

program, source, output = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
try:
    import h5netcdf  # noqa: F401
    import numpy as np
    import xarray
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)
sys.dont_write_bytecode = True
sys.path.insert(0, str(source / "packaging/python"))
os.environ["COSWEEP"] = program
import cosweep as cs  # noqa: E402
from cosweep import program as program_module  # noqa: E402

output.mkdir(parents=True, exist_ok=True)
MOTOR = ([[0, 1, 0], [-.2, -.3, .1], [0, 0, 0]], [[0], [.2], [1]], [[1, 2, -1]], [[-2]])
LOAD = ([[0, 1], [-.1, -.2]], [[0], [.1]], [[0, 1]], [[0]])
X0 = [.1, .1, .2, .2, .1]


def refused(what, *words, kind=ValueError):
    try:
        what()
    except kind as error:
        assert all(word in str(error) for word in words), error
        return error
    raise AssertionError(f"not refused: {words}")


def warned(what, *words):
    """What it returns, with a warning that has the words."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        out = what()
    told = [str(one.message) for one in told if one.category is UserWarning]
    assert len(told) == 1 and all(word in told[0] for word in words), told
    return out


def system(name, parts, states, inputs, outputs, dt=0):
    """As python-control has it."""
    return SimpleNamespace(name=name, **dict(zip("ABCD", map(np.array, parts))), dt=dt, nstates=len(parts[0]),
                           state_labels=states, input_labels=inputs, output_labels=outputs)


def interconnected():
    """control.interconnect, of the library where it is there."""
    try:
        import control
    except ImportError:
        return SimpleNamespace(connect_map=np.array([[0., 1.], [1., 0.]]), syslist=[
            system("motor", MOTOR, ["x[0]", "x[1]", "x[2]"], ["omega2"], ["tau1"]),
            system("load", LOAD, ["x[0]", "x[1]"], ["tau1"], ["omega2"])])
    motor = control.ss(*MOTOR, name="motor", inputs="omega2", outputs="tau1")
    load = control.ss(*LOAD, name="load", inputs="tau1", outputs="omega2")
    return control.interconnect([motor, load], outputs=["tau1", "omega2"], inputs=[])


net = cs.Network.from_control(interconnected(), x0=X0)
sizes = np.geomspace(.02, 1, 11)
axes = {"H": cs.axis("method.step.size", sizes, "s")}
method = {"hold": "lagrange", "order": 1, "step": {"control": "fixed"}}
result = cs.run(net, axes, method, ["output_error"], t_end=10)
assert isinstance(result, xarray.Dataset) and result.output_error.dims == ("H", "output")
assert cs.sweep(result)["t_end"] == 10 and "model" in cs.provenance(result)
assert set(result.attrs) == {"Conventions", "title", "source", "history"} and result.title == "interconnected"
found = result.output_error.sel(output=["motor.tau1", "load.omega2"]).values
assert [f"{v:.1e}" for v in found[0]] == ["1.9e-06", "5.9e-07"], found[0]
assert [f"{v:.3e}" for v in found[-1]] == ["4.343e-03", "1.563e-03"], found[-1]

# The saved model has the numbers of the shipped one, bit for bit.
net.save(output / "saved.json")
saved = cs.run(output / "saved.json", axes, method, ["output_error"], t_end=10)
shipped = cs.run(source / "models/two_mass_oscillator/model.json", axes, method, ["output_error"], t_end=10)
assert np.array_equal(saved.output_error.values, found), "saved"
assert np.array_equal(shipped.output_error.values, found), "shipped"

# Matrices, constants, gains and units.
M = net.matrices()["M"]
assert np.allclose(M @ [0, 0, 0, 1, 0], [0, 0, 0, 0, -.1])
assert np.allclose(M[1], [-.2, -.3, .1, 0, .2]) and np.allclose(M[4], [.1, .2, -.1, -.1, -.4])
one = cs.Network("one").add("lag", [[-1]], [[1]], [[1]], inputs="u", outputs="y", units={"y": "V"}).constant("lag.u", 2)
one.add("next", *([[[-1]], [[1]], [[1]]])).connect("lag.y", "next.u1", -3)
model = one.model()
assert model["subsystems"][0]["outputs"] == [{"name": "y", "unit": "V"}]
assert model["connections"] == [{"to": "lag.u", "value": 2.0}, {"from": "lag.y", "to": "next.u1", "gain": -3.0}]
assert one.matrices()["L"][1, 0] == -3
end = cs.trace(one, {"step": {"size": 0.5}}, 1.0)
assert abs(end.y_exact[-1, 0] - 2 * (1 - np.exp(-1))) < 1e-14

# Parameters stay in a network, and in that of a file.
servo = cs.Network("servo", {"R": .299, "L": {"value": 82.3e-6, "unit": "H"}})
servo.add("motor", [["-R/L", "-k/L"], ["k/J", 0]], ["1/L", 0], [[0, 1]], parameters={"k": 30.2e-3, "J": "2*7.1e-6"},
          x0=["0", "k"], outputs="w", inputs="v")
servo.add("pi", D=[["Kp"]], parameters={"Kp": .08})
servo.connect("motor.w", "pi.u1", "-1*Kp/Kp").connect("pi.y1", "motor.v").constant("pi.u1", "100*R/R")
tuned = cs.run(servo, {"Kp": cs.axis("parameters.Kp", [.04, .08])}, {"step": {"size": 1e-5}}, ["output_exact"], t_end=.01)
plain = cs.Network("plain").add("motor", [[-.299 / 82.3e-6, -30.2e-3 / 82.3e-6], [30.2e-3 / 14.2e-6, 0]], [[1 / 82.3e-6], [0]],
                                [[0, 1]], x0=[0, 30.2e-3], outputs="w", inputs="v").add("pi", D=[[.08]])
plain.connect("motor.w", "pi.u1", -1).connect("pi.y1", "motor.v").constant("pi.u1", 100)
fixed = cs.run(plain, (), {"step": {"size": 1e-5}}, ["output_exact"], t_end=.01)
assert np.allclose(tuned.output_exact.sel(Kp=.08), fixed.output_exact, rtol=1e-12) and "units" in tuned.Kp.attrs
assert np.allclose(servo.matrices()["M"], plain.matrices()["M"], rtol=1e-14)
assert not np.allclose(tuned.output_exact[0], tuned.output_exact[1], rtol=1e-3)
text = repr(servo)
assert text.startswith("servo: 2 subsystems, 2 states, 3 connections") and "pi.y1" in text and "Kp = 0.08" in text, text
assert "<table>" in servo._repr_html_() and "without source: motor.v" in repr(cs.Network("n").add("motor", *MOTOR, inputs="v"))
refused(lambda: servo.add("z", [["q"]]), 'z: q: no parameter "q"; there is: R, L, k')
refused(lambda: servo.add("z", [["R/"]]), "z: R/: ")
refused(lambda: servo.add("z", [["R"]], E=[[2]]), "z: E x' = A x + B u + e is not solved")
refused(lambda: servo.add("z", [[1]], parameters={"R": 2}), "parameter R is 0.299 already, not 2")
refused(lambda: servo.connect("pi.y1", "motor.v", "G"), 'no parameter "G"')
# Equations give what matrices give; texts and expressions of sympy.
by_equations = cs.Network("servo", {"R": .299, "L": 82.3e-6, "k": 30.2e-3, "J": "2*7.1e-6", "Kp": .08})
by_equations.add("motor", f=["(v - R*i - k*w)/L", "k*i/J"], g="w", states=["i", "w"], inputs="v", outputs="w", x0=[0, "k"])
by_equations.add("pi", g=["Kp*u1"], inputs=["u1"]).connect("motor.w", "pi.u1", -1).connect("pi.y1", "motor.v")
by_equations.constant("pi.u1", 100)
same = cs.run(by_equations, {"Kp": cs.axis("parameters.Kp", [.04, .08])}, {"step": {"size": 1e-5}}, ["output_exact"], t_end=.01)
assert np.allclose(same.output_exact.values, tuned.output_exact.values, rtol=1e-12)
assert cs.Network.from_model(by_equations.model()).model() == by_equations.model()
refused(by_equations.matrices, "motor: given by equations; cosweep check MODEL --matrices")
refused(lambda: servo.add("z", [[1]], g=["x"]), "z: a matrix together with g")
refused(lambda: servo.add("z", f=["x1"], g=["x1"], states=["a", "b"]), "z: states has 2 names; want 1")
try:
    import sympy
except ImportError:
    print("skipped: sympy is not there")
else:
    i, w, v, R, k = sympy.symbols("i w v R k")
    one = cs.Network("n").add("m", f=[(v - R * i - k * w) / 0.1, sympy.sqrt(2) * k**2 * i], g=[w], states=["i", "w"],
                              inputs=["v"]).subsystems[0]
    assert "k^2" in one["f"][1] and "**" not in "".join(one["f"]), one["f"]
race = source / "models/two_mass_oscillator/model.json"
content, kept_model = json.loads(race.read_text()), cs.Network.load(race).model()
assert kept_model["parameters"] == content["parameters"] and kept_model["monitors"] == content["monitors"]
assert kept_model["subsystems"][0]["A"] == content["subsystems"][0]["A"]
ours = cs.run(cs.Network.load(race), {"k": cs.axis("parameters.ck", [1, 2])}, {"step": {"size": .1}}, t_end=5)
theirs = cs.run(race, {"k": cs.axis("parameters.ck", [1, 2])}, {"step": {"size": .1}}, t_end=5)
assert ours.equals(theirs) and ours.title == "two_mass_oscillator", ours.title

# Transfer functions are realised; names and inputs of python-control's systems are kept or told.
try:
    import scipy.signal
    gain = cs.Network("n").add("g", scipy.signal.TransferFunction([1, 3], [1, 2])).subsystems[0]
    assert gain["A"] == [[-2]] and gain["D"] == [[1]] and gain["B"] * gain["C"] == [[1]], gain
    refused(lambda: cs.Network("n").add("g", scipy.signal.TransferFunction([1], [1, 2], dt=.1)), "g: dt is 0.1")
    refused(lambda: cs.Network("n").add("g", scipy.signal.TransferFunction([1, 0, 0], [1, 2])), "g: Transfer", "no state space: Improper")
except ImportError:
    pass
try:
    import control
    plant, pi = control.tf([1], [1, 1], name="plant", inputs="u", outputs="y"), control.ss(
        [[0]], [[1]], [[1.6]], [[.08]], name="pi", inputs="e", outputs="u")
    whole = control.interconnect([plant, pi, control.summing_junction(["r", "-y"], "e", name="err")], inputs=["r"],
                                 outputs=["y"], name="loop")
    loop = warned(lambda: cs.Network.from_control(whole), 'input r is constantly 0; net.constant("err.r", value) feeds it')
    assert loop.name == "loop" and np.allclose(loop.matrices()["M"], whole.A)
    refused(lambda: cs.Network("n").add("g", control.tf([1, 0, 0], [1, 2])), "g: TransferFunction has no state space")
    refused(lambda: cs.Network("n").add("g", control.tf([1], [1, 2], .1)), "g: dt is 0.1")
except ImportError:
    pass

# Studies, figures, explanations, recommendations.
radii = cs.stability(net, {"H": cs.axis("method.step.size", [0.5, 2.0])}, method, ["spectral_radius"], device="host")
assert radii.spectral_radius.shape == (2,)
both = cs.run(net, {"way": cs.zip_axis({"method.step.size": [.1, .2], "method.order": [0, 1]})}, method, t_end=1)
assert both.sizes["way"] == 2
drawn = cs.stability(source / "models/two_mass_oscillator/model.json", {"draw": cs.sample(
    {"parameters.dk": (1, 3), "parameters.ck": {"log": (.1, 10)}}, 50, "random", 7)}, method | {"step": {"size": .5}},
    ["spectral_radius"])
values = drawn["draw_dk"].values
assert drawn.sizes["draw"] == 50 and values.min() >= 1 and values.max() <= 3 and np.ptp(values) > 1
assert cs.explain(net, H=[0.5])["kind"] == "explanation"
wanted = cs.recommend(net, 1e-2, t_end=20)
again = cs.run(net, **wanted["sweep"])
assert (again.status == 0).any()

# Results fit on a screen, and go into files.
assert len(result._repr_html_()) < 40_000 and len(repr(result)) < 4000
assert result.output_error.attrs["long_name"] == "output error" and result.output_error.attrs["units"] == "1"
assert "units" not in shipped.output_error.attrs and list(shipped.coords["output_units"].values) == ["N m", "rad/s"]
result.sel(output="motor.tau1").to_netcdf(output / "part.nc", engine="h5netcdf")
again = xarray.open_dataset(output / "part.nc", engine="h5netcdf")
assert np.array_equal(again.output_error, found_tau := result.output_error.sel(output="motor.tau1")), found_tau
again.close()
orders = cs.run(net, {"order": cs.axis("method.order", [0, 2]), **axes}, {"hold": "lagrange"}, ["output_error", "evaluations"],
                t_end=10)
assert orders.order.dtype.kind == "i" and orders.H.dtype.kind == "f"


# Numbers that depend on something in any way, and which runs are stable.
def controlled(Kp, name="ctl"):
    made = cs.Network("drive").add("plant", [[0, 1], [-1, -.5]], [[0], [1]], [[1, 0]], x0=[1, 0])
    made.add(name, [[-1 / Kp]], [[1]], [[1 / Kp**2]], [[Kp]])
    return made.connect("plant.y1", f"{name}.u1").connect(f"{name}.y1", "plant.u1", -Kp)


varied, gains = cs.Network.vary(controlled, Kp=[1, 2, 4])
steps = {"H": cs.axis("method.step.size", [.01, .1, 1.], "s")}
known = ["output_error", "output_exact", "spectral_radius"]
several = cs.run(varied, {"Kp": gains, **steps}, {"hold": "lagrange"}, known, t_end=5)
for i, Kp in enumerate([1, 2, 4]):
    one = cs.run(controlled(Kp), steps, {"hold": "lagrange"}, known, t_end=5)
    assert (several.output_error.values[i] == one.output_error.values).all(), Kp
    assert (several.Kp_Kp.values[i], list(several.stable.values[i])) == (Kp, list(one.stable.values))
    assert (one.stable.values == ((one.spectral_radius <= 1) & (one.output_error <= one.output_exact).all("output"))).all()
assert several.stable.values.any() and not several.stable.values.all()
assert "stable" not in cs.run(varied, steps, {"hold": "lagrange"}, ["output_error"], t_end=5)
refused(lambda: cs.Network.vary(controlled, Kp=[1, 2], name=[1]), "lists of equal length")
refused(lambda: cs.Network.vary(lambda Kp: controlled(Kp, f"c{Kp:.0f}"), Kp=[1, 2]), "differ between the networks")


# Failures arrive: of some runs, and of all.
def run_some(progress=False):
    some = warned(lambda: cs.run(net, {"H": cs.axis("method.step.size", [.5, 50.])}, {"hold": "lagrange", "order": 3},
                                 ["output_error"], t_end=50000, progress=progress), "1 of 2 runs failed", "H=50")
    assert list(some.status.values) == [0, 1], some.status


run_some()
all_failed = warned(lambda: cs.run(net, {"H": cs.axis("method.step.size", [40., 50.])}, {"hold": "lagrange", "order": 3},
                                   ["output_error"], t_end=50000), "2 of 2 runs failed", "no run succeeded")
assert (all_failed.status == 1).all() and all_failed.sizes["H"] == 2

# Options of the command line, shards, and what commands say.
kept = output / "kept.h5"
kept.unlink(missing_ok=True)
first = cs.run(net, axes, method, t_end=10, out=kept)
refused(lambda: cs.run(net, axes, method, t_end=10, out=kept), "kept.h5: exists; force=True overwrites it", kind=cs.Error)
assert cs.run(net, axes, method, t_end=10, out=kept, resume=True).equals(first)
assert cs.sweep(cs.run(net, axes, method, t_end=10, out=kept, force=True, set={"t_end": 5}))["t_end"] == 5
refused(lambda: cs.info(first), "kept.h5: was written again")
first = cs.run(net, axes, method, t_end=10)
for left in output.glob("whole.h5*"):
    left.unlink()
for shard in ("1/2", "2/2"):
    assert cs.run(net, axes, method, t_end=10, out=output / "whole.h5", shard=shard, force=True).exists()
assert cs.merge(net, axes, method, t_end=10, out=output / "whole.h5", force=True).equals(first)
same, other = cs.compare(first, output / "whole.h5"), cs.compare(first, result)
assert not any(v["differing"] for v in same["variables"]) and other["only_first"] and "no difference" in repr(same), same
for part in (first.isel(H=[0]), first.output_error):
    for what in (cs.info, cs.report, lambda one: cs.compare(first, one), lambda one: cs.rank(one, "output_error")):
        refused(lambda: what(part), "this is a part of", "want the whole result")
assert len(cs.export(first.isel(H=[0]).output_error, output / "part.csv", force=True).read_text().splitlines()) == 3
assert cs.info(result)["runs"] == 11 and "runs      11: 11 ok" in repr(cs.info(result))
assert cs.rank(orders, "output_error", cost="evaluations", at={"order": [2]})["cases"][0]["front"]
assert "runs      11" in cs.check(net, axes, method, t_end=10) and "2 subsystems, 5 states" in cs.check(net)
assert cs.report(result, output / "page.html").html == (output / "page.html").read_text()
assert "<iframe" in cs.report(result)._repr_html_() and len(repr(cs.report(result))) < 80
table = cs.export(orders, output / "orders.csv", force=True, where={"order": [0, 2]}).read_text().splitlines()
assert len(table) == 1 + 2 * 11 * 2 and (cs.export(net, output / "drive.ssp", force=True)).stat().st_size > 1000
why = cs.explain(net, H=[0.5])
assert why["kind"] == "explanation" and "largest stable H" in repr(why) and "<iframe" in why._repr_html_()
assert repr(wanted).splitlines()[1].startswith("evaluations  stages") and "<table>" in wanted._repr_html_()
refused(lambda: cs.run(net, sizes, method, t_end=1), "axes: ndarray; want", kind=TypeError)
refused(lambda: cs.run(net, {"H": sizes}, method, t_end=1), 'axes["H"]: ndarray; want cosweep.axis', kind=TypeError)

# Figures draw what the dataset has, or nothing.
gnuplot = shutil.which("gnuplot") is not None
if gnuplot:
    def lines(svg):
        """What is drawn, without what is said of its origin."""
        return re.sub(r"(?s)<(metadata|desc)>.*?</\1>", "", svg)

    figures = [lines(cs.plot(one).svg) for one in (orders, orders.sel(order=2), orders.isel(output=[0], H=slice(3)),
                                            orders[["evaluations"]])]
    assert len(set(figures)) == 4 and "<svg" in figures[0] and figures[1] == lines(cs.plot(orders, where="order=2").svg)
    assert "motor.tau1" in figures[2] and "load.omega2" not in figures[2]
    worded = cs.plot(orders, label={"order 2": "parabolas"}, xlabel="macro step [s], log", no_notes=True, title="", width="85mm")
    assert all(f">{word}" in worded.svg.replace("\u00a0", " ") for word in ("parabolas", "macro step [s], log")), worded.svg
    figure = cs.plot(result.output_error)
    figure.save(output / "figure.pdf")
    assert (output / "figure.pdf").read_bytes()[:5] == b"%PDF-" and len(repr(figure)) < 80
    refused(lambda: figure.save(output / "figure.gif"), "want a name ending in .svg, .png or .pdf", kind=cs.Error)
    refused(lambda: cs.plot(orders.mean("H", keep_attrs=True).assign_attrs(orders.attrs)), "dataset")
    for wrong in (orders.assign(output_error=2 * orders.output_error), orders.rename(output_error="mine"),
                  orders.assign_coords(H=2 * orders.H)):
        wrong.encoding = orders.encoding
        refused(lambda: cs.plot(wrong), "want what cosweep has computed")
    end_part = end.isel(t=slice(2))
    end_part.encoding = end.encoding
    refused(lambda: cs.plot(end_part), "this is a part of a trace")

# The notebook, cell by cell.
space = {}
notebook = json.loads((source / "packaging/python/examples/two_masses.ipynb").read_text())
for cell in notebook["cells"]:
    text = "".join(cell["source"])
    # nbconvert goes on at a cell that says that there is no gnuplot
    assert ("cs.plot(" in text) == ("raises-exception" in cell["metadata"].get("tags", [])) or cell["cell_type"] != "code"
    if cell["cell_type"] == "code" and (gnuplot or "cs.plot" not in text):
        exec(compile(text, "two_masses.ipynb", "exec"), space)
assert np.allclose(space["errors"].output_error_order.sel(output="load.omega2"), [1, 2, 3], atol=.1)
assert not gnuplot or space["radii"].spectral_radius.shape == (4, 61)

# Networks of files: as the program imports them, and of NumPy archives and Python files.
shipped = cs.Network.load(source / "models/two_mass_oscillator/model.json")
assert np.allclose(shipped.matrices()["M"], net.matrices()["M"], atol=1e-15)
assert shipped.subsystems[0]["units"]["tau1"] == "N m"
assert np.array_equal(shipped.numbers(shipped.subsystems[0]["A"]), MOTOR[0])
try:
    mat = cs.Network.load(source / "tests/data/import/two_mass.mat")
    assert mat.connections == shipped.connections and np.array_equal(mat.subsystems[0]["x0"], [.1, .1, .2])
except cs.Error as reason:
    assert "this build reads no MAT-files" in str(reason), reason
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    linear = cs.Network.load(source / "tests/data/import/linear_motor.mo", name="drive")
assert linear.name == "drive" and "offsets at the point of linearisation" in str(said[0].message)
np.savez(output / "pair.npz", **{f"motor.{k}": v for k, v in zip("ABCD", MOTOR)}, **{"motor.x0": X0[:3]},
         **{f"load/{k}": v for k, v in zip("ABCD", LOAD)}, **{"load.f": [7], "motor.OutputName": ["tau"]},
         connections=[["motor.tau", "load.u1"], ["load.y1", "motor.u1"]])
pair = cs.Network.load(output / "pair.npz")
assert np.allclose(pair.matrices()["M"], net.matrices()["M"], atol=1e-15) and pair.subsystems[1]["f"] == [7]
assert pair.model()["subsystems"][1]["f"] == [7] and "e" not in pair.model()["subsystems"][1]
(output / "drive.py").write_text(f"""import cosweep
net = cosweep.Network("drive").add("motor", *{MOTOR}, x0={X0[:3]}, units={{"y1": "N m"}}).add("load", *{LOAD}, e=[1, 0])
net.connect("motor.y1", "load.u1", 2).constant("load.u1", 3).constant("motor.u1", 0.5)
""")
environment = {**os.environ, "PYTHONPATH": str(source / "packaging/python"), "PYTHONDONTWRITEBYTECODE": "1",
               "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def command(*words):
    return subprocess.run([program, "import", *words], cwd=output, env=environment, capture_output=True, text=True)


done = command("drive.py", "--force", "-o", "drive.json")
assert done.returncode == 0 and "model drive" in done.stdout and "imported from drive.py" in done.stdout, done
drive = json.loads((output / "drive.json").read_text())
assert drive["connections"] == [{"from": "motor.y1", "to": "load.u1", "gain": 2}, {"to": "load.u1", "value": 3},
                                {"to": "motor.u1", "value": 0.5}], drive["connections"]
assert drive["subsystems"][1]["e"] == [1, 0] and drive["subsystems"][0]["outputs"] == [{"name": "y1", "unit": "N m"}]
assert command("drive.py", "-o", "drive.json").returncode == 5
done = command("drive.py", "--force", "-o", "drive.py")
assert done.returncode == 2 and "would overwrite drive.py" in done.stderr, done
done = command("pair.npz", "drive.py", "--force", "-o", "four.json")
assert done.returncode == 0 and "4 subsystems" in done.stdout, done
(output / "none.py").write_text("x = 1\n")
done = command("none.py", "-o", "x.json")
assert done.returncode == 3 and "none.py: no Network and no system with A, B, C, D" in done.stderr, done
np.savez(output / "bad.npz", **{"a.B": [[1]]})
done = command("bad.npz", "-o", "x.json")
assert done.returncode == 3 and "bad.npz: no subsystem; want objects with the matrices A, B, C and D; found " \
    "a (without A)" in done.stderr, done
np.savez(output / "bad.npz", A=[[1]], Ts=0.5)
done = command("bad.npz", "-o", "x.json")
assert done.returncode == 3 and "bad.npz: Ts is 0.5: cosweep takes continuous subsystems (d2c)" in done.stderr, done
done = command("bad.npz", "missing.fmu", "-o", "x.json")
assert done.returncode in (3, 5) and not (output / "x.json").exists(), done
done = subprocess.run([program, "import", "a.fmu"], env={**environment, "PYTHONPATH": "", "PYTHONNOUSERSITE": "1",
                                                         "PATH": "/none"}, capture_output=True, text=True)
assert done.returncode == 5 and done.stderr == \
    "a.fmu: runs its code\na.fmu: FMUs are read by the Python package: pip install cosweep[fmi]\n", done
refused(lambda: cs.Network.load(source / "models/thermostat/model.json"), "cannot be in a Network; give the file's path")
refused(lambda: cs.Network.load(output / "missing.npz"), "no such file", kind=OSError)

# Progress: what the program draws on a terminal, by a tqdm that takes notes. Ctrl-C ends both.
drawn = []


class Bar:
    def __init__(self, total, leave, miniters, bar_format):
        self.total, self.n, self.said, self.bar_format = total, 0, [], bar_format
        drawn.append(self)

    def update(self, count):
        self.n += count

    def set_description_str(self, text, refresh):
        self.said.append(text)

    def set_postfix_str(self, text, refresh):
        assert "%" not in text and "left" not in text, text
        self.text = text

    def close(self):
        pass


sys.modules["tqdm"] = SimpleNamespace()
sys.modules["tqdm.std"] = SimpleNamespace(tqdm=Bar)
watched = cs.run(net, axes, method, ["output_error"], t_end=10, progress=True)
assert np.array_equal(watched.output_error.values, found)
run_some(progress=True)
assert drawn and drawn[0].total == 100 and drawn[0].said[0] == "0 of 11 runs", vars(drawn[0])
quiet = refused(lambda: cs.run(net, axes, {"hold": "lagrang"}, t_end=1, progress=False), "lagrang", kind=cs.Error)
loud = refused(lambda: cs.run(net, axes, {"hold": "lagrang"}, t_end=1, progress=True), "lagrang", kind=cs.Error)
assert str(quiet) == str(loud) and quiet.status == loud.status, (quiet, loud)
for progress in (True, False):
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        cs.run(net, {"H": cs.axis("method.step.size", np.geomspace(1e-6, 1e-5, 100000))}, {**method, "engine": "step"},
               t_end=1000, progress=progress, out=output / "long.h5")
        raise AssertionError("not interrupted")
    except KeyboardInterrupt:
        pass
version, metadata.version = metadata.version, lambda _: "99.1.2"
program_module._checked.clear()
refused(lambda: cs.explain(net), "cosweep 0.", "found, want 99.1 or later", kind=cs.Error)
metadata.version = version

# What is wrong.
error = refused(lambda: cs.run(net, axes, {"hold": "lagrang"}, t_end=1), 'method.hold: ', '"lagrang"', kind=cs.Error)
assert error.status == 3 and ".json" not in str(error), error
refused(lambda: cs.Network("n").add("a", [[1, 2]]), "a: A is 1x2")
refused(lambda: cs.Network("n").add("a", [[1]], [[1], [2]]), "a: B has 2 rows, A 1")
refused(lambda: cs.Network("n").add("a", [[1j]]), "a: A is complex; want real numbers")
refused(lambda: cs.Network("n").add("a", [[1]], states=["a", "b"]), "a: states has 2 names; want 1")
refused(lambda: cs.Network("n").add("a", system("a", LOAD, [], [], [], 0.01)), "a: dt is 0.01", "d2c")
refused(lambda: cs.Network.from_control(interconnected(), x0=[1] * 6), "x0 has 6 numbers; want 5")
refused(lambda: cs.plot(xarray.Dataset()), "does not come from cosweep")
os.environ["COSWEEP"] = str(output / "none")
refused(lambda: cs.explain(net), "none", kind=cs.Error)
print("good")
