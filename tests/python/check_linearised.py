#!/usr/bin/env python3
"""Nonlinear models beside an independent program: equilibria in closed form, and largest stable steps of orders 0 and 1 from
derivatives by complex steps.

    python3 check_linearised.py PROGRAM SOURCE FOLDER
"""
import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
from scipy.linalg import expm

from checking import expect, finish

program, source, folder = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)


def jacobian(f, x):
    """By complex steps, exact but for rounding."""
    columns = []
    for j in range(len(x)):
        z = np.array(x, complex)
        z[j] += 1e-30j
        columns.append(np.imag(np.array(f(z))) / 1e-30)
    return np.array(columns).T


def radius(A, B, K, H, order):
    """x' = A x + B u with u = K x held over a step, or on the line through this point and the one before."""
    n, m = B.shape
    zero = np.zeros((m, n))
    e = expm(np.block([[A * H, B * H, np.zeros((n, m))], [zero, np.zeros((m, m)), np.eye(m)], [zero, np.zeros((m, 2 * m))]]))
    now, line = e[:n, :n] + e[:n, n:n + m] @ K, e[:n, n + m:] @ K
    step = now if order == 0 else np.block([[now + line, -line], [np.eye(n), np.zeros((n, n))]])
    return max(abs(np.linalg.eigvals(step)))


def limit(A, B, K, low, high, order):
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if radius(A, B, K, middle, order) <= 1 else (low, middle)
    return low


def pendulum(W):
    M, m, l, g, ks, kv, ka, kw = 1, .2, .5, 9.81, -5.1, -6.9, -47, -10.2

    def f(z):
        s, v, a, w, F = z
        acceleration = (F + W + m * l * w**2 * np.sin(a) - m * g * np.sin(a) * np.cos(a) - W * np.cos(a)**2) / (M + m * np.sin(a)**2)
        return [v, acceleration, w, (g * np.sin(a) + W / m * np.cos(a) - np.cos(a) * acceleration) / l]
    a = -np.arctan(W / (m * g))
    x = [(W - ka * a) / ks, 0, a, 0]
    J = jacobian(f, x + [-W])
    return x, (J[:, :4], J[:, 4:], -np.array([[ks, kv, ka, kw]]), 1e-3, .5)


def boost(v_ref):
    E, L, r, C, R, kp, ki = 12, 1e-4, .05, 2e-4, 10, .002, 4
    i = 2 * v_ref**2 / R / (E + np.sqrt(E**2 - 4 * r * v_ref**2 / R))
    x = [i, v_ref, 1 - (E - r * i) / v_ref]

    def f(z):
        i, v, _, d, u = z
        return [(E - r * i - (1 - d) * v) / L, ((1 - d) * i - v / R) / C, ki * (v_ref - u)]
    J = jacobian(f, x + [x[2], v_ref])
    K = np.array([[0, -kp, 1], [0, 1, 0]])
    return x, (J[:, :3], J[:, 3:], K, 1e-5, .01)


def oscillator(x1):
    J = jacobian(lambda z: [z[1], 1e6 * ((1 - z[0]**2) * z[1] - z[0])], [x1, 0])
    return [x1, 0], (np.diag(np.diag(J)), J - np.diag(np.diag(J)), np.eye(2), 1e-3, 10)


def run(name, sweep):
    sweep = {"format": "cosweep-sweep/1", "name": name, "study": "stability",
             "model": str(source / f"models/{name}/model.json"), "method": {"hold": "lagrange"}, **sweep}
    (folder / f"{name}.json").write_text(json.dumps(sweep))
    done = subprocess.run([program, "run", f"{name}.json", "-o", f"{name}.h5", "--force", "--device", "host", "--quiet"],
                          cwd=folder, capture_output=True, text=True)
    return done


cases = [("pendulum_cart", "W", [0, .5, 1, 1.5], pendulum, {}), ("boost_converter", "v_ref", [14, 24, 30, 36], boost, {})]
cases.append(("van_der_pol", "x10", [1.05, 1.5, 2.5], oscillator, {"operating_point": "initial", "parameters": {"x20": 0}}))
worst = [0.0, 0.0]
for name, parameter, values, reference, more in cases:
    known = [reference(value) for value in values]
    sizes = [known[0][1][3], known[0][1][4], 61]
    done = run(name, {"axes": [{"name": "order", "path": "method.order", "values": [0, 1]}, {"name": parameter, "path": f"parameters.{parameter}", "values": values},
                               {"name": "H", "path": "method.step.size", "logspace": sizes}], "boundary": {"along": "H"}, **more})
    expect(done.returncode == 0, f"{name}: {done.stderr}")
    with h5py.File(folder / f"{name}.h5") as file:
        point, residual, first = (file[key][()] for key in ("operating_point", "equilibrium_residual", "H_stable_first"))
        provenance = file["provenance"]["sweep"][()]
    kept = json.loads(provenance)["operating_point"]
    expect(kept == more.get("operating_point", "equilibrium"), f"{name}: {kept} in the provenance")
    for k, (x, system) in enumerate(known):
        scale = max(np.abs(x).max(), 1e-3)
        away = np.abs(point[:, k] - np.array(x)).max() / scale
        for order in range(2):
            H = limit(*system, order)
            other = abs(first[order][k] - H) / H
            worst = [max(worst[0], away), max(worst[1], other)]
            expect(other < 1e-8, f"{name}, {parameter} = {values[k]}, {order}: limit {first[order][k]:.12g}, not {H:.12g}")
        expect(away < 1e-12, f"{name}, {parameter} = {values[k]}: at {point[0][k][0]}, not {x}")
        expect(more or np.abs(residual[:, k]).max() < 1e-9 * scale * np.abs(system[0]).max(), f"{name}: residual {residual[0][k][0]}")

# Every output says where the model was linearised.
WHERE = {"equilibrium": "linearised at the equilibrium that is reached from the initial states",
         "initial": "linearised at the initial states"}


def told(*command):
    """What is printed, in one line; of --json the object."""
    force = ["--force"] if "-o" in command else []
    done = subprocess.run([program, *command, *force], cwd=folder, capture_output=True, text=True)
    expect(done.returncode == 0, f"{command}: {done.stderr}")
    return json.loads(done.stdout) if "--json" in command else " ".join((done.stdout + done.stderr).split())


model = str(source / "models/boost_converter/model.json")
for point, where in WHERE.items():
    H = {"name": "H", "path": "method.step.size", "logspace": [1e-5, .01, 31]}
    run("boost_converter", {"axes": [H], "boundary": {"along": "H"}, "operating_point": point})
    texts = {"run": told("run", "boost_converter.json", "-o", "a.h5", "--device", "host"),
             "info": told("info", "boost_converter.h5"), "check": told("check", "boost_converter.json", "--device", "host"),
             "explain": told("explain", model, "--device", "host", "--set", f"operating_point={point}")}
    for command in (["plot", "a.h5", "-o", "a.svg", "--script"], ["report", "a.h5", "-o", "report.html"],
                    ["explore", "a.h5", "-o", "explore.html"],
                    ["explain", model, "-o", "explain.html", "--device", "host", "--set", f"operating_point={point}"]):
        told(*command)
    # of pages the figures and what stands around them; gnuplot sets the words of a figure one by one
    for name in ("a.gp", "report.html", "explain.html"):
        texts[name] = (folder / name).read_text()
    expect(texts["report.html"].count(where.split("reached")[0]) > 1, "report: not with its figures")
    for name, text in texts.items():
        expect(where in text, f"{name} does not say \"{where}\"")
    expect(f'"linearised": "{where.removeprefix("linearised ")}"' in (folder / "explore.html").read_text(), "explore")
    for name in ("a.h5", "boost_converter.h5"):
        with h5py.File(folder / name) as file:
            expect("linearised " + file["provenance"]["linearised"][()].decode() == where, f"{name}: provenance")
            expect("linearised " + file.attrs["linearised"] == where, f"{name}: attribute")
    for command in (["run", "boost_converter.json", "-o", "a.h5", "--device", "host"], ["info", "a.h5"]):
        expect(where == "linearised " + told(*command, "--json").get("linearised", ""), f"{command} --json")

# No equilibrium: the run says why.
done = run("boost_converter", {"axes": [{"name": "v_ref", "path": "parameters.v_ref", "values": [24, 200]}],
                               "method": {"step": {"size": 1e-5}}})
with h5py.File(folder / "boost_converter.h5") as file:
    expect(list(file["status"][()]) == [0, 7], f"status {file['status'][()]}")
    failures = str(file["provenance"]["failures"][()])
    expect("no equilibrium was found from the initial states" in failures, failures)
print(f"equilibria within {worst[0]:.1e}, limits within {worst[1]:.1e}")
finish()
