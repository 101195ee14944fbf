"""Models beyond 40 states: check_large.py PROGRAM FOLDER [sanitized], with right values from dense matrices;
sanitized: what recommend finds is not compared with explain, whose code is that of smaller models and of recommend.

Structures of lightly damped modes under a lag, frames cut in two and heated rods against a store, each with fast modes;
every command without OpenCL and with a small stack. Order 0 and 1, master jacobi, hold lagrange: Psi of order 0 on the
states x is E + G0 L C, with G0 the response to a held input; of order 1 on (x, u of the point before) the held input
goes on along the line through the two newest points.
"""
import csv, json, os, pty, resource, subprocess, sys

import h5py
import numpy as np

from dense import exponential


PROGRAM, FOLDER = os.path.abspath(sys.argv[1]), sys.argv[2]
SANITIZED = sys.argv[3:] == ["sanitized"]
os.makedirs(FOLDER, exist_ok=True)
failed = 0


def expect(what, good, found=""):
    global failed
    if not good:
        failed += 1
        print("FAILED", what, found)


def structure(modes, fastest):
    rate = np.linspace(4.0, fastest, modes)
    shape = np.sin(1.0 + np.arange(modes) ** 2) / modes
    zero = np.zeros(modes)
    a = np.block([[np.zeros((modes, modes)), np.eye(modes)], [-np.diag(rate**2), -np.diag(0.02 * rate)]])
    force = np.concatenate([zero, shape])
    return (a, force[:, None], force[None, :]), lag(-3.0)


def lag(gain):
    return np.array([[-2.0]]), np.array([[1.0]]), np.array([[gain]])


def frame(storeys):
    def half(last):
        k = 800.0 * (2 * np.eye(storeys) - np.eye(storeys, k=1) - np.eye(storeys, k=-1))
        if last:
            k[-1, -1] /= 2.0
        a = np.block([[np.zeros((storeys, storeys)), np.eye(storeys)], [-k, -0.002 * k]])
        b, c = np.zeros((2 * storeys, 1)), np.zeros((1, 2 * storeys))
        at = storeys - 1 if not last else 0
        b[storeys + at, 0], c[0, at] = 800.0, 1.0
        return a, b, c

    return half(False), half(True)


def rod(cells):
    a = 0.5 * cells**2 * (np.eye(cells, k=1) - 2.0 * np.eye(cells) + np.eye(cells, k=-1))
    a[-1, -1] /= 2.0
    b, c = np.zeros((cells, 1)), np.zeros((1, cells))
    b[0, 0], c[0, -1] = 0.5 * cells**2, 1.0
    return (a, b, c), lag(1.0)


def write(name, parts, start):
    subsystems = []
    for letter, (a, b, c), x0 in zip("ab", parts, start):
        subsystems.append({"name": letter, "states": ["x%d" % i for i in range(len(a))], "inputs": ["u"],
                           "outputs": ["y"], "A": a.tolist(), "B": b.tolist(), "C": c.tolist(), "x0": x0.tolist()})
    model = {"format": "cosweep-model/1", "name": name, "subsystems": subsystems,
             "connections": [{"from": "a.y", "to": "b.u"}, {"from": "b.y", "to": "a.u"}]}
    with open("%s/%s.json" % (FOLDER, name), "w") as file:
        json.dump(model, file)


def whole(parts):
    """A, B L C and B L of the network, and C."""
    sizes = [len(a) for a, _, _ in parts]
    n = sum(sizes)
    A, B, C, at = np.zeros((n, n)), np.zeros((n, 2)), np.zeros((2, n)), 0
    for i, (a, b, c) in enumerate(parts):
        A[at : at + len(a), at : at + len(a)] = a
        B[at : at + len(a), i], C[i, at : at + len(a)] = b[:, 0], c[0]
        at += len(a)
    return A, B, C


L = np.array([[0.0, 1.0], [1.0, 0.0]])


def steps_of(parts, H):
    """Psi of order 0 and 1."""
    A, B, C = whole(parts)
    n = len(A)
    z = np.zeros((n + 4, n + 4))
    z[:n, :n], z[:n, n : n + 2], z[n : n + 2, n + 2 :] = A, B, np.eye(2)
    f = exponential(H * z)
    e, g0, g1 = f[:n, :n], f[:n, n : n + 2], f[:n, n + 2 :] / H
    k = L @ C
    return e + g0 @ k, np.block([[e + (g0 + g1) @ k, -g1], [k, np.zeros((2, 2))]])


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, resource.getrlimit(resource.RLIMIT_STACK)[1]))


def cosweep(*arguments, status=0, drivers=False):
    environment = dict(os.environ, **({} if drivers else {"OCL_ICD_VENDORS": "/nonexistent"}))
    run = subprocess.run([PROGRAM, *arguments], cwd=FOLDER, env=environment, capture_output=True, text=True,
                         preexec_fn=small_stack)
    expect(" ".join(arguments), run.returncode == status, "%d: %s" % (run.returncode, run.stderr[-600:]))
    return run


def write_sweep(name, **fields):
    with open("%s/%s_sweep.json" % (FOLDER, name), "w") as file:
        json.dump({"format": "cosweep-sweep/1", "name": name, "model": name + ".json", **fields}, file)


def sweep(name, **fields):
    write_sweep(name, **fields)
    cosweep("run", name + "_sweep.json", "-o", name + ".h5", "--force", "--quiet")
    return h5py.File("%s/%s.h5" % (FOLDER, name), "r")


ORDERS = {"name": "order", "path": "method.order", "values": [0, 1]}


def examine(name, parts, steps, variable):
    A, B, C = whole(parts)
    x0 = np.zeros(len(A))
    x0[0] = x0[-1] = 1.0
    write(name, parts, np.split(x0, [len(parts[0][0])]))
    method = {"hold": "lagrange", "order": 0, "step": {"size": steps[0]}}
    axes = [ORDERS, {"name": "H", "path": "method.step.size", "values": steps}]
    radius = sweep(name, study="stability", method=method, axes=axes, metrics=["spectral_radius"])["spectral_radius"][:]
    for i, H in enumerate(steps):
        psi = steps_of(parts, H)
        for order in range(2):
            right = np.abs(np.linalg.eigvals(psi[order])).max()
            expect("%s radius, order %d, H %g" % (name, order, H), abs(radius[order, i] - right) < 1e-8,
                   (radius[order, i], right))
        x, exact = x0, exponential(20 * H * (A + B @ L @ C)) @ x0
        for _ in range(20):
            x = psi[0] @ x
        right = np.abs(C @ (x - exact))
        fixed = dict(method, start="ramp", step={"size": H})
        varied = dict(fixed, step={"control": "pi_defect", "initial": H, "min": H, "max": H, "tolerance": 1e9})
        for kind in [fixed, varied][: 1 + variable]:
            error = sweep(name, method=kind, t_end=20 * H, metrics=["output_error_final"], axes=[
                {"name": "order", "path": "method.order", "values": [0]}])["output_error_final"][:].ravel()
            expect("%s error, H %g, %s" % (name, H, kind["step"]),
                   np.all(np.abs(error - right) <= 1e-7 * right + 1e-11), (error, right))


MODELS = {
    "structure_49": (structure(24, 180.0), [0.002, 0.03]),
    "structure_121": (structure(60, 220.0), [0.01]),
    "frame_96": (frame(24), [0.004, 0.1]),
    "rod_45": (rod(44), [0.01, 0.4]),
    "rod_40": (rod(39), [0.4]),
    "frame_40": (frame(10), [0.1]),
    "frame_44": (frame(11), [0.1]),
}
for name, (parts, steps) in MODELS.items():
    examine(name, parts, steps, True)

# steps so long that study stability separates modes, and shorter ones, of one network in one sweep
steps = [20.0, 25.0, 26.0, 40.0]
radius = sweep("rod_45", study="stability", method={"hold": "lagrange", "order": 0, "step": {"size": 1.0}},
               axes=[{"name": "H", "path": "method.step.size", "values": steps}], metrics=["spectral_radius"])["spectral_radius"][:]
for found, H in zip(radius, steps):
    right = np.abs(np.linalg.eigvals(steps_of(MODELS["rod_45"][0], H)[0])).max()
    expect("rod_45 radius, H %g" % H, abs(found - right) < 1e-8, (found, right))

# errors that are small beside the signals, which 400 bits know: right to 1e-9, or to 2e-13 of the signal
HERE = os.path.dirname(os.path.abspath(__file__))
with open(HERE + "/../data/heated_rods.csv") as file:
    table = list(csv.DictReader(line for line in file if not line.startswith("#")))
for cells in sorted({int(row["cells"]) for row in table}):
    a = 200.0 * (np.eye(cells, k=1) - 2.0 * np.eye(cells) + np.eye(cells, k=-1))
    b, c = np.eye(cells)[:, :1], np.eye(cells)[cells // 2 : cells // 2 + 1]
    write("rod", ((a, b, c), (np.array([[-1.0]]), np.array([[-1.0]]), np.array([[1.0]]))), [np.ones(cells), np.zeros(1)])
    rows = {float(row["H"]): [] for row in table if int(row["cells"]) == cells}
    for row in (row for row in table if int(row["cells"]) == cells):
        rows[float(row["H"])].append([abs(float(row[name])) for name in ("error", "value")])
    H, right = list(rows), np.array(list(rows.values()))  # [H][signal][error, value]
    varied = {"control": "pi_defect", "initial": H[0], "min": H[0], "max": H[0], "tolerance": 1e9}
    for kind, axes in (({"size": H[0]}, [{"name": "H", "path": "method.step.size", "values": H}]), (varied, [])):
        found = sweep("rod", method={"hold": "lagrange", "order": 0, "start": "ramp", "step": kind}, t_end=1.0,
                      metrics=["output_error_final"], axes=axes)["output_error_final"][:].reshape(-1, 2)
        error, value = right[: len(found), :, 0], right[: len(found), :, 1]
        expect("rod of %d cells, %s" % (cells, kind), np.all(np.abs(found - error) <= 1e-9 * error + 2e-13 * value),
               (found, error))

# networks in turn, whose matrices of a length differ
with open(FOLDER + "/structure_49.json") as file:
    model = json.load(file)
model["parameters"] = {"p": 2.0}
model["subsystems"][1]["A"] = [["-p"]]
with open(FOLDER + "/structure_p.json", "w") as file:
    json.dump(model, file)
axes = [{"name": "H", "path": "method.step.size", "values": [0.03, 0.3]},
        {"name": "p", "path": "parameters.p", "values": [2.0, 40.0, 1.0, 7.0, 20.0, 4.0]}]
method = {"hold": "lagrange", "order": 0, "step": {"size": 0.03}}
radius = sweep("structure_p", study="stability", method=method, axes=axes, metrics=["spectral_radius"])["spectral_radius"][:]
error = sweep("structure_p", method=method, t_end=3.0, axes=axes, metrics=["output_error_final"])["output_error_final"][:]
x0 = np.zeros(49)
x0[0] = x0[-1] = 1.0
for (i, j), found in np.ndenumerate(radius):
    H, p = axes[0]["values"][i], axes[1]["values"][j]
    parts = structure(24, 180.0)[0], (np.array([[-p]]), *lag(-3.0)[1:])
    psi, steps, (A, B, C) = steps_of(parts, H)[0], round(3.0 / H), whole(parts)
    right = np.abs(np.linalg.eigvals(psi)).max()
    expect("structure_p radius, H %g, p %g" % (H, p), abs(found - right) < 1e-8, (found, right))
    right = np.abs(C @ (np.linalg.matrix_power(psi, steps) @ x0 - exponential(3.0 * (A + B @ L @ C)) @ x0))
    expect("structure_p error, H %g, p %g" % (H, p),
           np.all(np.abs(error[i, j] - right) <= 1e-7 * right + 1e-11), (error[i, j], right))

# controls that choose steps, implicit and adaptive solvers, rates, other masters, integrals over time, the commands
for control in ({"control": "pi_defect", "initial": 0.001, "tolerance": 1e-5},
                {"control": "richardson", "initial": 0.001, "atol": 1e-5, "rtol": 1e-5}):
    for name in ("structure_49", "rod_45"):
        found = sweep(name, method={"hold": "lagrange", "order": 1, "step": control}, t_end=0.2,
                      metrics=["output_error_final", "steps"], axes=[ORDERS])
        expect("%s %s" % (name, control), np.all(found["output_error_final"][:] < 1e-2), found["output_error_final"][:])


def replay(name, parts, trace, halves, order):
    """The states of a trace, whose steps or half steps are taken once more by dense matrices."""
    A, B, C = whole(parts)
    n = len(A)
    z = np.zeros((n + 4, n + 4))
    z[:n, :n], z[:n, n : n + 2], z[n : n + 2, n + 2 :] = A, B, np.eye(2)
    kept = trace["accepted"][:] > 0
    t, x, most = trace["t"][:][kept], trace["x"][:][kept], np.abs(trace["x"][:]).max()
    now, worst, points = x[0], 0.0, []  # times and inputs of communication points
    for k in range(1, len(t)):
        for part in range(halves):
            h, u = (t[k] - t[k - 1]) / halves, L @ C @ now
            slope = (u - points[-1][1]) / (t[k - 1] + part * h - points[-1][0]) if order == 1 and points else 0.0 * u
            points.append((t[k - 1] + part * h, u))
            now = (exponential(h * z) @ np.concatenate([now, u, slope]))[:n]
        worst = max(worst, np.abs(now - x[k]).max() / most)
    expect("%s, %d steps replayed, order %d, halves %d" % (name, len(t) - 1, order, halves), len(t) > 4 and worst < 1e-11,
           worst)


for name, (parts, _) in MODELS.items():
    for halves, control in ((2, {"control": "richardson", "initial": 1e-3, "atol": 1e-7, "rtol": 1e-7}),
                            (1, {"control": "pi_defect", "initial": 1e-3, "tolerance": 1e-2})):
        write_sweep(name, t_end=0.1, metrics=["output_error_final"], axes=[ORDERS],
                    method={"hold": "lagrange", "order": 0, "start": "ramp", "step": control})
        for order in range(2):
            cosweep("trace", name + "_sweep.json", "--at", "order=%d" % order, "-o", "trace.h5", "--force")
            with h5py.File(FOLDER + "/trace.h5", "r") as trace:
                replay(name, parts, trace, halves, order)

# threads of PoCL have the stack that private memory needs
if subprocess.run([PROGRAM, "check", "frame_44_sweep.json", "--device", "cpu"], cwd=FOLDER, capture_output=True).returncode == 0:
    write_sweep("frame_44", t_end=0.1, metrics=["output_error_final"], axes=[],
                method={"hold": "lagrange", "step": {"control": "pi_defect", "initial": 1e-3, "tolerance": 1e-2}})
    cosweep("run", "frame_44_sweep.json", "-o", "frame_44.h5", "--force", "--quiet", "--device", "cpu", drivers=True)

for settings in ({"master": "gauss_seidel"}, {"hold": "taylor"},
                 {"solver": "implicit_euler", "micro_steps": 2}, {"solver": "dopri5"}):
    method = {"hold": "lagrange", "order": 1, "step": {"size": 0.005}, **settings}
    found = sweep("structure_49", method=method, t_end=0.05, metrics=["output_error_final", "output_error"],
                  axes=[{"name": "order", "path": "method.order", "values": [1]}])
    expect("structure_49 %s" % settings, np.all(np.isfinite(found["output_error"][:])), found["output_error"][:])
# integrals of errors over time: by rows of all outputs, and column by column where states are wanted too
for name, H, end in (("structure_49", [0.002, 0.2], 2.0), ("frame_44", [0.3], 2.0), ("rod_45", [0.01, 0.4], 2.0),
                     ("rod_45", [0.01], 0.05)):  # few steps, after which no growth hides what slow components add
    for master in ("jacobi", "gauss_seidel"):
        wanted = ["output_error", "input_error"]
        rows, columns = ({key: found[key][:] for key in wanted} for found in (
            sweep(name, method={"hold": "lagrange", "master": master}, t_end=end, metrics=metrics, axes=[
                {"name": "order", "path": "method.order", "values": [0, 1, 2]},
                {"name": "H", "path": "method.step.size", "values": H}]) for metrics in (wanted, wanted + ["state_error"])))
        for key in wanted:
            expect("%s %s %s" % (name, master, key), np.allclose(rows[key], columns[key], rtol=1e-9, atol=1e-13, equal_nan=True),
                   (rows[key], columns[key]))

# steps, and doubling, which adds up squares by the Gram matrix or, where they cancel (race_car), by its factor
with open(HERE + "/../../models/race_car/model.json") as file:
    car = json.load(file)
with open(FOLDER + "/race_car.json", "w") as file:
    json.dump(car, file)
for name, H, orders in (("structure_49", [0.002], [0, 1, 2]), ("frame_44", [0.01], [0, 1, 2]), ("rod_45", [0.01], [0, 1]),
                        ("race_car", [0.001], [0, 1])):
    wanted = ["output_error", "output_error_final"]
    stepped, doubled = ({key: found[key][:] for key in wanted} for found in (
        sweep(name, method={"hold": "lagrange", "engine": engine}, t_end=301 * H[0], metrics=wanted, axes=[
            {"name": "order", "path": "method.order", "values": orders},
            {"name": "H", "path": "method.step.size", "values": H}]) for engine in ("step", "double")))
    for key in wanted:
        size = np.abs(stepped[key]).max()
        expect("%s %s, stepped and doubled" % (name, key), size > 0 and
               np.allclose(stepped[key], doubled[key], rtol=1e-9, atol=1e-13 * size), (stepped[key], doubled[key]))

# what recommend says of step sizes is what runs with them give, and a larger step size of its list does not keep it
advice = json.loads(cosweep("recommend", "frame_44.json", "--json", "--force", "--quiet").stdout)
best = advice["combinations"][0]
apart = 1.001 * (advice["H"][1] / advice["H"][0]) ** (1.0 / 120.0)
relative = sweep("frame_44", t_end=advice["t_end"], metrics=["output_error_relative", "spectral_radius"],
                 method={key: best[key] for key in ("master", "hold", "order")} |
                        ({"sequence": best["sequence"]} if best["sequence"] else {}),
                 axes=[{"name": "H", "path": "method.step.size", "values": [best["H"], best["H"] * apart]}])
found = relative["output_error_relative"][:].max(axis=1)
expect("recommend's error", abs(found[0] - best["error"]) < 1e-6 * found[0] and found[0] <= 1e-3, (found, best))
expect("recommend's H is the largest", found[1] > 1e-3, (found, best))
expect("recommend's radius", abs(relative["spectral_radius"][0] - best["spectral_radius"]) < 1e-12, best)

# 42 inputs of which three are independent, one has no effect and one a constant: the answers of the model with three
mixed = np.random.default_rng(3).uniform(-1.0, 1.0, (42, 3))
mixed[7], mixed[40:] = 0.0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
send = np.random.default_rng(4).uniform(-1.0, 1.0, (42, 2)) / 20.0
entries = np.array([[2e3, 0.0, 1e3], [0.0, 0.3, 0.0], [0.0, 0.0, 0.5]])  # of B, and the last row of D
start = {"states": ["x", "v"], "x0": [0.4, 0.0]}


def two(name, inputs, seen, sent, value):
    sender = {"name": "a", **start, "inputs": ["u"], "A": [[0, 1], [-9, -0.9]], "B": [[0], [1]], "C": sent.tolist(),
              "outputs": ["y%d" % i for i in range(len(sent))]}
    receiver = {"name": "b", **start, "inputs": ["u%d" % i for i in range(inputs)], "A": [[-3, 40], [0, -5]],
                "B": seen[:2].tolist(), "C": [[1e-3, 1]], "D": [[*seen[2]]], "outputs": ["y"], "e": [0, 0.02]}
    links = [{"from": "a.y%d" % i, "to": "b.u%d" % i} for i in range(inputs)] + [{"from": "b.y", "to": "a.u"}]
    constants = [{"to": "b.u%d" % i, "value": v} for i, v in enumerate(value)]
    with open("%s/%s.json" % (FOLDER, name), "w") as file:
        json.dump({"format": "cosweep-model/1", "name": name, "subsystems": [sender, receiver],
                   "connections": links + constants}, file)
    options = ["--signal", "b.y", "--error", "0.05", "--t-end", "2", "--json", "--force", "--quiet"]
    return json.loads(cosweep("recommend", name + ".json", *options).stdout)["combinations"]


constant = np.zeros(42)
constant[5] = 0.2
wide, slim = (two("wide", 42, entries @ mixed.T, send, constant),
              two("slim", 3, entries, mixed.T @ send, mixed.T @ constant))
for one, other in zip(wide, slim):
    same = all(one[key] == other[key] for key in ("master", "hold", "order", "sequence", "H", "evaluations", "stages"))
    pairs = [(one[key], other[key]) for key in ("error", "limit", "spectral_radius")]
    close = all(p == q if p is None or q is None else abs(p - q) < 1e-8 * q for p, q in pairs)
    expect("recommend with fewer inputs", same and close, (one, other))
expect("combinations with fewer inputs", len(wide) == len(slim) > 8 and slim[0]["H"] is not None, slim[0])

# its limits, looked for a decade at a time up to the first change, are those that explain finds in the whole range
if not SANITIZED:
    explained = json.loads(cosweep("explain", "frame_44.json", "--json").stdout)
    kind = ("master", "sequence", "order")
    compared = 0
    for one in advice["combinations"]:
        for limit in explained["limits"]:
            if one["H"] is None or [limit[k] for k in kind] != [one[k] for k in kind]:
                continue
            whole = limit["changes"][0] if limit["changes"] else None
            compared += whole is not None and whole > 10.0 * explained["scan"]["first"]
            both = one["limit"] is not None and whole is not None
            same = abs(one["limit"] - whole) < 1e-8 * whole if both else one["limit"] == whole
            expect("recommend's limit", same, (one, limit))
    expect("limits beyond the first decade", compared > 2, compared)
    expect("explain says where it looked", explained["scan"]["per_decade"] == 54, explained["scan"])

# check knows what separating modes takes: several core-seconds
write("rod_401", rod(400), [np.zeros(400), np.zeros(1)])
few = {"t_end": 1.0, "method": {"hold": "lagrange", "order": 0, "step": {"size": 0.1}}, "axes": [ORDERS]}
write_sweep("rod_401", metrics=["steps"], **few)
said = cosweep("check", "rod_401_sweep.json").stdout
expect("check's time", "time      about " in said, said)
# and errors of states inside the steps, for which every column goes through the nodes; those of outputs take little
write("rod_201", rod(200), [np.zeros(200), np.zeros(1)])
for metric, long in (("state_error", True), ("output_error_final", False)):
    write_sweep("rod_201", metrics=[metric], **few)
    said = cosweep("check", "rod_201_sweep.json").stdout
    expect("check's time of " + metric, ("time      about " in said) == long, said)


def on_terminal(*arguments):
    """What the program says on a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(FOLDER)
        os.environ["OCL_ICD_VENDORS"] = "/nonexistent"
        os.execv(PROGRAM, [PROGRAM, *arguments])
    said = b""
    try:
        while part := os.read(terminal, 65536):
            said += part
    except OSError:  # it has ended
        pass
    os.waitpid(child, 0)
    return said.decode()


write_sweep("rod_401", metrics=["steps"], **dict(few, t_end=0.2))
said = on_terminal("run", "rod_401_sweep.json", "-o", "rod_401.h5", "--force")
expect("progress moves while modes are separated", said.count("separating modes, ") > 1, said)
write("frame_1004", frame(251), [np.zeros(502), np.zeros(502)])
write_sweep("frame_1004", **few)
for command in ("check", "run"):
    said = cosweep(command, "frame_1004_sweep.json", status=3).stderr
    expect(command, "the model has 1004 states; want at most 1000" in said, said)
for command in ("explain", "recommend"):
    options = [] if command == "explain" else ["--error", "1e-3"]
    said = cosweep(command, "frame_1004.json", *options, status=3).stderr
    expect(command, "frame_1004.json: the model has 1004 states" in said, said)
left = [name for name in os.listdir(FOLDER) if name.startswith("frame_1004.") and not name.endswith(".json")]
expect("nothing is left", left == [], left)
print("large models:", "FAILED" if failed else "passed")
sys.exit(failed > 0)
