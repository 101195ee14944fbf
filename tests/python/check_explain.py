#!/usr/bin/python3
"""Explanations and recommendations beside numbers of an independent program, and what has to hold of any of them.

usage: check_explain.py COSWEEP MODELS DATA OUTPUT

DATA: explain.csv, modes.csv, merged.csv, gains.csv, recommend.csv and models of their own. Eigenvalues within 1e-12 of the largest, factors of
zero-stability 1e-12, limits 1e-8 (hold taylor 1e-6; one of these, at 114 s, computed again with 60 digits), leading eigenvalues 1e-10, sensitivities and shares 1e-6.
Exits 0, or 1 with a line per fault on stderr. Exits 77 where a library is missing.
"""

import copy
import functools
import json
import subprocess

import beside
from beside import computed, output, path_of, program, rows, written, written_sweep
from checking import expect, finish

import numpy as np

from dense import exponential


def near(found, want, tolerance, what):
    expect(abs(found - want) <= tolerance, f"{what}: {found!r}, not {want!r}")


@functools.cache
def explain(path, *options):
    """What is said of a model, asked once for all rows of a table. Gains, of which most of the time is spent, are those
    of a second unless --t-end asks for them."""
    if "--t-end" not in options:
        options = (*options, "--t-end", "1")
    done = subprocess.run([program, "explain", str(path), "--json", "--quiet", *options], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def whole(text):
    """A complex number as the tables write it, "1.5-0.2i"."""
    return complex(text.replace("i", "j"))


def match(found, want, tolerance, what):
    """The same complex numbers in any order."""
    left = list(found)
    expect(len(found) == len(want), f"{what}: {len(found)} numbers, not {len(want)}")
    for value in want:
        best = min(left, key=lambda v: abs(v - value), default=None)
        if best is None:
            continue
        left.remove(best)
        expect(abs(best - value) <= tolerance, f"{what}: {best}, not {value}")


def limits(found):
    """By master, sequence, hold and order."""
    return {(r["master"], named(r["sequence"]), f"{r['hold']} {r['order']}"): r
            for r in found["limits"] if r["iterations"] == 0}


def named(sequence):
    """A list as one word; the others are words already."""
    return sequence if isinstance(sequence, str) else "-".join(sequence or [])


def check_networks():
    table = rows("explain.csv")
    for model in dict.fromkeys(r["model"] for r in table):
        own = [r for r in table if r["model"] == model]
        kinds = {r["feedthrough"] for r in own if r["quantity"] == "limits"}
        found = {kind: explain(path_of(model), "--can", "derivatives", "--set", f"method.feedthrough={kind}")
                 for kind in kinds}
        one = found["solved"]
        loops = next(r["value"] for r in own if r["quantity"] == "loops")
        expect(sorted(map(sorted, one["feedthrough"]["loops"])) ==
               sorted(sorted(part.split()) for part in loops.split("|") if part.strip()), f"{model}: loops")
        for quantity, values in (("dl_eigenvalue", [complex(*v) for v in one["feedthrough"]["eigenvalues"]]),
                                 ("coupled_mode", [complex(m["re"], m["im"]) for m in one["modes"]])):
            want = [whole(r["value"]) for r in own if r["quantity"] == quantity]
            # the table has 12 digits
            match(values, want, 6e-12 * max(map(abs, want), default=0), f"{model}: {quantity}")
        zeros = {(z["master"], f"{z['hold']} {z['order']}"): z["factor"] for z in one["feedthrough"]["zero_stability"]}
        for r in own:
            if r["quantity"] == "zero_stability":
                want = float(r["value"])
                near(zeros.get((r["master"], r["hold"]), 0.0), want, 5e-12 * max(want, 1.0), f"{model}: zero {r['hold']}")
        for r in own:
            if r["quantity"] == "limits":
                check_limits(model, r, limits(found[r["feedthrough"]]))


def check_limits(model, row, found):
    master, _, sequence = row["master"].partition(" ")
    hold = row["hold"].replace("taylor 0", "lagrange 0")  # the same
    what = f"{model}: {row['feedthrough']} {row['master']} {row['hold']}"
    own = found[(master, sequence, hold)]
    first, *want = row["value"].split()
    expect(own["stable_at_first"] == (first == "stable"), f"{what}: at the first point")
    expect(len(own["changes"]) == len(want), f"{what}: {own['changes']}, not {want}")
    for value, text in zip(own["changes"], want):
        if abs(value - float(text)) > (1e-6 if "taylor" in hold else 1e-8) * float(text):
            method = {"master": master, "hold": hold.split()[0], "order": int(hold.split()[1]),
                      "feedthrough": row["feedthrough"]}
            if sequence:
                method["sequence"] = sequence.split("-")
            check_change(path_of(model), method, value, float(text), what)


def check_change(path, method, own, other, what):
    """The tables' rule is |lambda| <= 1 + 1e-9, that of the program |lambda| = 1: where |lambda| hardly depends on H,
    the two are further apart."""
    near(radius(path, method, own, "spectral_radius"), 1.0, 2e-10, f"{what}: at {own}")
    near(radius(path, method, other, "spectral_radius"), 1.0 + 1e-9, 2e-10, f"{what}: at {other}")


def radius(path, method, H, metric):
    sweep = written_sweep("radius", {"study": "stability", "model": str(path.resolve()),
                                     "method": {**method, "step": {"size": H}}})
    with computed("run", sweep) as file:
        return float(file[metric][...])


def check_modes():
    table = rows("modes.csv")
    for key in dict.fromkeys((r["model"], r["H"], r["method"]) for r in table):
        own = [r for r in table if (r["model"], r["H"], r["method"]) == key]
        method = dict(part.split("=") for part in key[2].split(";"))
        feedthrough = method.get("feedthrough", "solved")
        found = explain(path_of(key[0]), "--H", key[1], "--for", f"jacobi,lagrange,{method['order']}",
                        "--set", f"method.feedthrough={feedthrough}")["leading"][0]
        sensitivity = {f"{s['from']} -> {s['to']}": s["value"] for s in found["sensitivity"]}
        for r in own:
            want, what = float(r["value"]), f"{key}: {r['quantity']} {r['name']}"
            if r["quantity"] == "gain_sensitivity":
                near(sensitivity[r["name"]], want, 1e-6, what)
            elif r["quantity"] == "share":
                near(found["shares"][r["name"]], want, 1e-6, what)
            elif r["quantity"].startswith("eigenvalue"):
                near(found[r["quantity"][-2:]], want, 1e-10, what)
            else:
                near(found[r["quantity"]], want, 1e-9 * max(1.0, abs(want)), what)


def check_merges():
    for r in rows("merged.csv"):
        found = explain(path_of(r["model"]), "--for", f"jacobi,lagrange,{r['method'].split('=')[1]}")
        if r["merged"] == "-":
            own = limits(found)[("jacobi", "", f"lagrange {r['method'].split('=')[1]}")]["changes"][0]
        else:
            pair = sorted(r["merged"].split("+"))
            own = next(m["limit"] for m in found["merged"] if sorted(m["subsystems"]) == pair)
        want, order = float(r["first_limit"]), int(r["method"].split("=")[1])
        what = f"merged {r['model']} {r['method']} {r['merged']}"
        if want == float("inf"):
            expect(own is None or own > 2, f"{what}: {own}")  # the table ends at 2 s
        elif own is None or abs(own - want) > 1e-8 * want:
            expect(own is not None and r["merged"] in ("-", "mass1+mass2"), f"{what}: {own}, not {want}")
            if r["merged"] == "-":
                check_change(path_of(r["model"]), {"order": order}, own, want, what)
            else:
                near(own, want, 3e-8 * want, what)  # as the network itself, whose slope is as small


def check_recommendations():
    """H, counts and radii of recommend.csv exactly, errors in 5 digits; a printed line is what a run of its own gives."""
    table = rows("recommend.csv")
    for model in dict.fromkeys(r["model"] for r in table):
        sweep = output / f"{model}_recommended.json"
        done = subprocess.run([program, "recommend", str(path_of(model)), "--error", "1e-3", "--json", "--quiet", "--force",
                               "-o", str(sweep)], check=True, stdout=subprocess.PIPE)
        found = json.loads(done.stdout)
        names = [s["name"] for s in json.loads(path_of(model).read_text())["subsystems"]]
        sequences = {"jacobi": None, "forward": names, "backward": names[::-1]}
        for r in [r for r in table if r["model"] == model]:
            own = next(c for c in found["combinations"] if c["sequence"] == sequences[r["master"]]
                       and c["order"] == int(r["order"]))
            what = f"recommend {model} {r['master']} {r['order']}"
            near(found["t_end"], float(r["t_end"]), 0, what)
            if r["H"] == "not reached":
                expect(own["H"] is None and own["lowest_error"] > 1e-3, f"{what}: {own}")
                continue
            near(own["H"], float(r["H"]), 6e-6 * own["H"], what)
            near(own["error"], float(r["relative_error"]), 6e-6 * own["error"], what)
            expect((own["evaluations"], own["stages"]) == (int(r["evaluations"]), int(r["stages"])), f"{what}: counts")
            near(own["spectral_radius"], float(r["spectral_radius"]), 6e-6, what)
            near(relative_error(path_of(model), found["t_end"], own), own["error"], 1e-9 * own["error"], what)
        with computed("run", sweep) as file:
            expect(file["output_error_relative"].shape[:2] == (3, 13) and not file["status"][...].any(), f"{sweep}: runs")


def check_gains():
    """Gains from defects of all three kinds to output errors."""
    table = rows("gains.csv")
    for key in dict.fromkeys((r["model"], r["T"]) for r in table):
        found = explain(path_of(key[0]), "--t-end", key[1])["gains"]
        near(found["t_end"], float(key[1]), 0, f"{key}: time")
        gain = {(g["defect"], g["source"], g["output"]): g["gain"] for g in found["gains"]}
        for r in [r for r in table if (r["model"], r["T"]) == key]:
            want = float(r["gain"])
            near(gain[r["defect"], r["source"], r["output"]], want, 1e-9 * want + 1e-13, f"{key}: {r}")


def check_bounds():
    """The example of the gains' source, and bounds above errors: orders, step sizes, masters, solvers, controls."""
    axes = [{"name": "m", "path": "method.order", "values": [0, 1, 2]},
            {"name": "H", "path": "method.step.size", "values": [0.02, 0.1, 0.5]}]
    base = {"hold": "lagrange", "step": {"size": 0.1}}
    for model, t_end, method, some in (
            ("two_mass_oscillator", 10, base, axes), ("quarter_car", 2, base, axes), ("ring", 20, base, axes),
            ("ring", 20, {**base, "feedthrough": "explicit", "start": "ramp"}, axes[1:]),
            ("two_mass_oscillator", 10, {**base, "solver": "euler", "micro_steps": 4}, axes),
            ("mass_spring_damper", 2, {**base, "master": "gauss_seidel"}, axes),
            ("two_mass_oscillator", 10, {"hold": "lagrange", "order": 1, "step":
             {"control": "pi_defect", "tolerance": 1e-3, "initial": 1e-3}},
             [{"name": "tol", "path": "method.step.tolerance", "values": [1e-2, 1e-4]}])):
        sweep = written_sweep("bound", {"model": str(path_of(model)), "t_end": t_end, "method": method, "axes": some,
                                        "metrics": ["error_bound", "output_error"]})
        with computed("run", sweep) as file:
            bound, error, good = file["error_bound"][...], file["output_error"][...], file["status"][...] == 0
            expect(good.any() and (bound[good] >= error[good]).all() and (bound[good] < 1e4 * error[good]).all(),
                   f"bound {model} {method}")
            if model == "two_mass_oscillator" and method == base:
                near(bound[1, 1, 0], 3.3188575882e-4, 1e-9 * 3e-4, "bound at order 1, H = 0.1")


def relative_error(path, t_end, combination):
    method = {key: combination[key] for key in ("master", "hold", "order")}
    if combination["sequence"]:
        method["sequence"] = combination["sequence"]
    sweep = written_sweep("one", {"model": str(path.resolve()), "t_end": t_end,
                                  "method": {**method, "step": {"size": combination["H"]}},
                                  "metrics": ["output_error_relative"]})
    with computed("run", sweep) as file:
        return float(file["output_error_relative"][...].max())


def check_properties():
    """One loop alone: equal sensitivities; no gain, none; another order of subsystems: the same numbers."""
    ring = json.loads(path_of("ring").read_text())
    want = explain(path_of("ring"), "--H", "0.67")
    turned = copy.deepcopy(ring)
    turned["subsystems"].reverse()
    turned["connections"].reverse()
    found = explain(written("turned", turned), "--H", "0.67")
    sides = [{f"{s['from']} {s['to']}": s["value"] for s in one["leading"][0]["sensitivity"]} for one in (found, want)]
    for key in sides[0]:
        near(sides[0][key], sides[1][key], 1e-8, f"turned: {key}")
    for name, share in want["leading"][0]["shares"].items():
        near(found["leading"][0]["shares"][name], share, 1e-8, f"turned: {name}")
    for one, other in ((found, want), (want, found)):
        for key, row in limits(one).items():
            sequence = "-".join(reversed(key[1].split("-")))
            if key[1] == "alternating":  # begins with the other order: two steps that are turned round
                continue
            twin = limits(other).get(key) or limits(other)[(key[0], sequence, key[2])]
            for a, b in zip(row["changes"], twin["changes"]):
                near(a, b, 1e-9 * b, f"turned: {key}")
    idle = copy.deepcopy(ring)
    idle["connections"].append({"from": "cell1.v_left", "to": "cell2.v_right", "gain": 0})
    found = explain(written("idle", idle), "--H", "0.67")["leading"][0]["sensitivity"]
    expect(found[-1]["from"] == "cell1.v_left" and found[-1]["value"] == 0, f"gain 0: {found[-1]}")
    gain = {"inputs": ["u"], "outputs": ["y"], "D": [[0.5]]}
    still = {"format": "cosweep-model/1", "name": "still", "subsystems": [{"name": "a", **gain}, {"name": "b", **gain}],
             "connections": [{"from": "a.y", "to": "b.u"}, {"from": "b.y", "to": "a.u"}]}
    expect("scan" not in explain(written("still", still)), "no mode moves, and yet limits are looked for")
    expect(want["scan"]["per_decade"] == 60, f"a small model is looked at closely: {want['scan']}")
    alone = explain(path_of("two_mass_oscillator"), "--H", "3.4")["leading"][0]["sensitivity"]
    near(alone[0]["value"], alone[1]["value"], 1e-6, "one loop")
    for pair in ((0, 1), (1, 0)):  # the same limit by the eigenvalue itself
        limit = limits(want)[("jacobi", "", f"lagrange {pair[0]}")]["changes"][0]
        at = explain(path_of("ring"), "--H", repr(limit), "--for", f"jacobi,lagrange,{pair[0]}")["leading"][0]
        near(abs(complex(at["re"], at["im"])), 1.0, 1e-8, f"|lambda| at the limit {limit}")


def check_zero_stability():
    """The factors are those of study stability at H = 0, where the states' own eigenvalues are 1."""
    for model in ("ring", "linear_feedthrough"):
        zeros = explain(path_of(model), "--can", "derivatives")["feedthrough"]["zero_stability"]
        zeros += [z for z in explain(path_of(model), "--for", "jacobi,hermite,3")["feedthrough"]["zero_stability"]
                  if z["hold"] == "hermite"]
        expect(len(zeros) == 32, f"{model}: {len(zeros)} factors of zero-stability")
        for zero in zeros:
            method = {"master": zero["master"], "hold": zero["hold"], "order": zero["order"], "feedthrough": "explicit"}
            if zero["sequence"]:
                method["sequence"] = zero["sequence"]
            value = radius(path_of(model), method, 0, "spectral_radius_decaying")
            # The eigenvalues of taylor from order 2 on are defective: rounding moves them by its square root and more.
            steps = 2 if zero["sequence"] == "alternating" else 1
            near(value, zero["factor"] ** steps, 1e-9 if zero["hold"] == "lagrange" or zero["order"] < 2 else 1e-4,
                 f"{model}: {method}")


def check_undamped():
    """What rounding leaves of a real part is no damping."""
    pairs = [m for m in explain(path_of("line_masses"))["modes"] if m["im"] != 0]
    expect(len(pairs) == 4 and all(m["re"] == 0 for m in pairs), f"modes without damping: {pairs}")


def check_limits_of_slopes():
    """Hold hermite is zero-stable up to mu = 1/13 and 0.087292462 < 0; of mu imaginary up to 0.077425751."""
    for d1, d2 in ((1 / 13, 1 / 13), (0.077425751, -0.077425751)):
        zeros = explain(path_of("linear_feedthrough"), "--for", "jacobi,hermite,3", "--set", f"parameters.d1={d1!r}",
                        "--set", f"parameters.d2={d2!r}")["feedthrough"]["zero_stability"]
        near(next(z["factor"] for z in zeros if z["hold"] == "hermite" and z["master"] == "jacobi"), 1.0, 1e-7,
             f"hermite, d = {d1}, {d2}")


def check_steps():
    """Patterns of two steps that the table of cycles has; a pattern is what a study of it as a cycle says."""
    for r in rows("cycles.csv"):
        if r["ratios"] != "1/2" or r["H"] == "0":
            continue
        settings = [f"parameters.{p}" for p in r["parameters"].split(";") if p] + [f"method.feedthrough={r['feedthrough']}"]
        found = explain(path_of(r["model"]), "--for", f"jacobi,lagrange,{r['order']}", "--steps",
                        f"{r['H']}:{2 * float(r['H'])!r}", *(x for s in settings for x in ("--set", s)))["steps"]
        what = f"steps of {r['model']} {r['parameters']} order {r['order']}"
        expect(found["patterns"] == 23, f"{what}: {found['patterns']} patterns")
        grows = float(r["spectral_radius"]) > 1.0 + 1e-9
        expect(found["growth_rate"] >= float(r["growth_rate"]) - 1e-9, f"{what}: {found}")
        if grows and r["parameters"] == "d1=0.35;d2=-0.35":
            expect(found["worst"] == "ab", f"{what}: {found}")
            near(found["spectral_radius"], float(r["spectral_radius"]), 1e-11, what)
            near(found["growth_rate"], float(r["growth_rate"]), 1e-11, what)
    found = explain(path_of("two_mass_oscillator"), "--steps", "0.5:1")["steps"]
    near(found["spectral_radius"], 1.0, 1e-9, "no pattern grows")
    expect(found["worst"] == "a", f"of those that grow alike the shortest: {found}")


def check_alternating():
    """Limits of an alternating sequence are those of runs with it; searches through runs leave it out."""
    found = explain(path_of("mass_spring_damper"))
    rows_of = [r for r in found["limits"] if r["sequence"] == "alternating"]
    expect([r["order"] for r in rows_of] == [0, 1, 2, 3] and not rows_of[0]["changes"], f"alternating: {rows_of}")
    for r in rows_of[1:]:
        method = {key: r[key] for key in ("master", "sequence", "hold", "order")}
        near(radius(path_of("mass_spring_damper"), method, r["changes"][0], "spectral_radius"), 1, 1e-8, f"{method}")
    done = subprocess.run([program, "recommend", str(path_of("mass_spring_damper")), "--json", "--quiet", "--force", "-o",
                           str(output / "alternating.json")], check=True, stdout=subprocess.PIPE)
    said = json.loads(done.stdout)
    expect(all(c["sequence"] != "alternating" for c in said["combinations"]), "recommended after runs: alternating")


# ---- repetitions of a step


def matrices_of(model):
    """Blocks A, B, C, D, the connections L, and the subsystem of every output and input."""
    known = {"k": model["parameters"]["k"]}
    value = lambda x: float(eval(x, known)) if isinstance(x, str) else float(x)
    parts, y_of, u_of = [], [], []
    for i, s in enumerate(model["subsystems"]):
        n, ny, nu = len(s.get("states", [])), len(s["outputs"]), len(s["inputs"])
        for key, shape in (("A", (n, n)), ("B", (n, nu)), ("C", (ny, n)), ("D", (ny, nu))):
            a = np.array([[value(x) for x in row] for row in s.get(key, [])], float)
            parts.append(a if a.size else np.zeros(shape))
        y_of += [(s["name"], y, i) for y in s["outputs"]]
        u_of += [(s["name"], u, i) for u in s["inputs"]]
    whole = []
    for kind in range(4):
        own = parts[kind::4]
        block = np.zeros((sum(a.shape[0] for a in own), sum(a.shape[1] for a in own)))
        row = column = 0
        for a in own:
            block[row:row + a.shape[0], column:column + a.shape[1]] = a
            row, column = row + a.shape[0], column + a.shape[1]
        whole.append(block)
    L = np.zeros((len(u_of), len(y_of)))
    for c in model["connections"]:
        if "from" in c:
            at = [[f"{s}.{n}" for s, n, _ in names].index(c[end]) for names, end in ((u_of, "to"), (y_of, "from"))]
            L[at[0], at[1]] += value(c.get("gain", 1))
    return *whole, L, [i for *_, i in y_of], [i for *_, i in u_of]


def felt(A, B, C, D, H, order):
    """What outputs at the end of a step feel of inputs' values there: inputs are the polynomial that is 1 there and 0 at
    `order` points before, of order 0 a constant."""
    n, m = B.shape
    a = np.zeros((n + (order + 1) * m,) * 2)
    a[:n, :n], a[:n, n:n + m] = A, B
    for j in range(order):
        a[n + j * m:n + (j + 1) * m, n + (j + 1) * m:n + (j + 2) * m] = np.eye(m)
    after = exponential(a * H)[:n, n:]
    polynomial = np.poly1d([1.0])
    for point in range(order):
        polynomial *= np.poly1d([1.0, point]) / (1.0 + point)
    x, factorial = np.zeros((n, m)), 1.0
    for j, c in enumerate(polynomial.coeffs[::-1]):
        factorial *= max(j, 1)
        x += c * factorial / H**j * after[:, j * m:(j + 1) * m]
    return C @ x + D


def best_relaxation(mu):
    """The w above 0 with the least largest |1 - w mu|, among those where one of them is least or two are equal."""
    candidates = [1.999] + [m.real / abs(m)**2 for m in mu]
    candidates += [2 * (a.real - b.real) / (abs(a)**2 - abs(b)**2) for a in mu for b in mu if abs(abs(a) - abs(b)) > 1e-9]
    return min((max(abs(1 - w * m) for m in mu), w) for w in candidates if 1e-3 < w <= 1.999)


def check_repetitions():
    """Contractions and the best relaxation beside those of the matrices of a repetition."""
    models = (beside.data.parent / "random" / "models.jsonl").read_text().splitlines()
    models.append(json.dumps({  # whose second output no input uses
        "format": "cosweep-model/1", "name": "unused", "parameters": {"k": 0}, "connections": [{"from": "a.y", "to": "a.u"}],
        "subsystems": [{"name": "a", "states": ["x"], "inputs": ["u"], "outputs": ["y", "z"], "A": [[-2]], "B": [[1]],
                        "C": [[1], [1]], "D": [[0.7], [0]], "x0": [1]}]}))
    for number, order, H in ((2, 1, 3.0), (53, 1, 3.0), (56, 1, 3.0), (59, 1, 3.0), (48, 2, 0.3), (-1, 1, 0.1)):
        model = json.loads(models[number])
        *abcd, L, y_of, u_of = matrices_of(model)
        found = explain(written(model["name"], model), "--can", "rollback", "--H", repr(H), "--for",
                        f"jacobi,lagrange,{order}", "--set", "method.feedthrough=explicit")
        what = f"repetitions of {model['name']}, order {order}"
        one = found["repetitions"][0]
        M = felt(*abcd, H, order)
        lambdas = np.linalg.eigvals(M @ L)
        new = np.array([[L[i, j] if y_of[j] < u_of[i] else 0 for j in range(len(y_of))] for i in range(len(u_of))])
        staggered = np.linalg.eigvals(np.linalg.solve(np.eye(len(y_of)) - M @ new, M @ (L - new)))
        near(one["H"], H, 0, what)
        for master, values in (("jacobi", lambdas), ("gauss_seidel", staggered)):
            near(one["contraction"][master], max(abs(values)), 1e-8 * max(abs(values)) + 1e-8, f"{what}: {master}")
        least, w = best_relaxation(1 - lambdas)
        expect((one["relaxed"] < 1) == (least < 1), f"{what}: {one}, not {least} with {w}")
        if least < 1:
            near(one["relaxed"], least, 1e-9, f"{what}: with {one['relaxation']}, not {w}")
            near(one["relaxation"], w, 1e-6 * w, f"{what}: relaxation")
        grows, said = one["contraction"]["jacobi"] >= 1, [a for a in found["advice"] if "plain repetitions" in a]
        expect(len(said) == grows and all(("no relaxation" in a) == (least >= 1) for a in said), f"{what}: {said}")
        expect((grows, least < 1) == {2: (True, False), 53: (True, True), 56: (True, True)}.get(number, (False, True)),
               f"{what}: {one}")


def check_repeated():
    """Combinations that are repeated to a tolerance cost what a run of them does, with an H that their limit has too."""
    path = path_of("damped_oscillator")
    done = subprocess.run([program, "recommend", str(path), "--json", "--quiet", "--force", "--can", "rollback", "-o",
                           str(output / "repeated.json"), "--error", "0.01", "--set", "parameters.m=0.05"], check=True,
                          stdout=subprocess.PIPE)
    said = json.loads(done.stdout)
    reached = [c for c in said["combinations"] if c["H"] is not None]
    limit = {c["order"]: c for c in reached if c["iterations"] == "converged"}
    repeated = [c for c in reached if c["iterations"] == "tolerance"]
    expect(len(repeated) == 12 and {c["acceleration"] for c in repeated} == {"quasi_newton"}, f"repeated: {repeated}")
    for c in repeated:
        method = {key: c[key] for key in ("master", "hold", "order", "iterations", "acceleration")}
        if c["sequence"]:
            method["sequence"] = c["sequence"]
        sweep = written_sweep("repeated_run", {
            "model": str(path.resolve()), "t_end": said["t_end"], "parameters": {"m": 0.05},
            "method": {**method, "tolerance_iterations": 1e-5, "step": {"size": c["H"]}},
            "metrics": ["output_error_relative", "evaluations", "stages"]})
        with computed("run", sweep) as file:
            expect(all(file[key][...] == c[key] for key in ("evaluations", "stages")), f"repeated: {c}")
            near(file["output_error_relative"][...].max(), c["error"], 1e-9, f"repeated: {c}")
        one = limit[c["order"]]
        expect(c["error"] <= 0.01 and c["H"] <= one["H"] and c["limit"] == one["limit"], f"repeated: {c}, limit {one}")
        expect(c["H"] < one["H"] or c["spectral_radius"] == one["spectral_radius"], f"repeated: {c}")


check_networks()
check_modes()
check_merges()
check_gains()
check_bounds()
check_recommendations()
check_properties()
check_zero_stability()
check_undamped()
check_limits_of_slopes()
check_alternating()
check_repetitions()
check_repeated()
check_steps()
finish()
