"""A race car of the shape of Andersson 2013, section 5.4; no figure of a paper."""

import json
import math
import os

import numpy as np

from gallery import SOURCE, Deviation, digits, flow, most, rows

WATCHED = ("chassis.y", "chassis.hand")
SIZES = (0.001, 0.002)  # stable with all settings
T_END = 1
CORNERS = ("rf", "lf", "rb", "lb")


class Car:
    """The model's matrices, by Python's own arithmetic: blocks of the subsystems and the connections between them."""

    def __init__(self):
        with open(os.path.join(SOURCE, "models", "race_car", "model.json"), encoding="utf-8") as file:
            model = json.load(file)
        self.values = {name: getattr(math, name) for name in ("sin", "cos")}
        for name, parameter in model["parameters"].items():
            self.values[name] = self.number(parameter["value"])
        subsystems = model["subsystems"]
        self.states, self.inputs, self.outputs = (
            [f"{one['name']}.{signal['name']}" for one in subsystems for signal in one[kind]]
            for kind in ("states", "inputs", "outputs"))
        self.A, self.B, self.C, self.D = (
            self.blocks(subsystems, key, *kinds) for key, *kinds in (
                ("A", "states", "states"), ("B", "states", "inputs"), ("C", "outputs", "states"),
                ("D", "outputs", "inputs")))
        self.x0 = np.array([self.number(value) for one in subsystems
                            for value in one.get("x0", [0] * len(one["states"]))])
        self.L = np.zeros((len(self.inputs), len(self.outputs)))
        for one in model["connections"]:
            self.L[self.inputs.index(one["to"]), self.outputs.index(one["from"])] += 1
        self.wheels = np.array([not name.startswith("chassis.") for name in self.inputs])
        self.Y = np.linalg.solve(np.eye(len(self.outputs)) - self.D @ self.L, self.C)
        self.U = self.L @ self.Y
        self.M = self.A + self.B @ self.U

    def number(self, value):
        """The value of a number or an expression of the model."""
        return float(eval(str(value).replace("^", "**"), {"__builtins__": {}}, self.values))

    def blocks(self, subsystems, key, rows_kind, columns_kind):
        whole = np.zeros([sum(len(one[kind]) for one in subsystems) for kind in (rows_kind, columns_kind)])
        row = column = 0
        for one in subsystems:
            for i, line in enumerate(one.get(key, [])):
                whole[row + i, column:column + len(line)] = [self.number(value) for value in line]
            row, column = row + len(one[rows_kind]), column + len(one[columns_kind])
        return whole

    def responses(self, H):
        """exp(A H), and the responses to inputs 1, t and t^2/2."""
        n = len(self.A)
        chain = np.eye(4 * n, k=n)
        chain[:n, :n] = self.A
        whole = flow(chain, H)[:n]
        return whole[:, :n], *(whole[:, i * n:(i + 1) * n] @ self.B for i in (1, 2, 3))

    def power(self):
        """Largest difference between a force's effect on the chassis and that of virtual power, relative."""
        worst, largest = 0.0, 0.0
        inertias = {"vx": "m", "vy": "m", "vz": "ms", "wroll": "Ix", "wpitch": "Iy", "wyaw": "Iz", "wdelta": "Jd",
                    **{f"vu_{corner}": "mu" for corner in CORNERS}}
        for corner in CORNERS:
            for force, speed in (("fx", "vx"), ("fy", "vy"), ("fz", "vz"), ("mx", "wx"), ("mz", "wz")):
                for state, inertia in inertias.items():
                    at = self.states.index(f"chassis.{state}")
                    effect = self.B[at, self.inputs.index(f"chassis.{corner}_{force}")] * self.values[inertia]
                    moved = self.C[self.outputs.index(f"chassis.{corner}_{speed}"), at]
                    worst, largest = max(worst, abs(effect - moved)), max(largest, abs(moved))
        return worst / largest

    def radius(self, order, H):
        """Spectral radius of a step under jacobi, solved, on this and the last states."""
        n, E, G = len(self.A), *self.split(H)
        u = {0: ((1,),), 1: ((1, 0), (1, -1)), 2: ((1, 0, 0), (1.5, -2, 0.5), (1, -2, 1))}[order]
        psi = np.eye((order + 1) * n, k=-n)
        for back in range(order + 1):
            psi[:n, back * n:(back + 1) * n] = sum(G[i] @ self.U * u[i][back] / H**i for i in range(order + 1))
        psi[:n, :n] += E
        return np.abs(np.linalg.eigvals(psi)).max()

    def split(self, H):
        E, *G = self.responses(H)
        return E, G

    def simulate(self, master, feedthrough, order, H, t_end):
        """States at the end minus the exact ones."""
        E, G = self.split(H)
        whole, back, x, exact = flow(self.M, H), flow(self.M, -H), self.x0, self.x0
        held = [self.U @ one for one in (x, back @ x, back @ back @ x)]
        for _ in range(round(t_end / H)):
            u0, u1, u2 = held
            taylor = [[u0], [u0, (u0 - u1) / H], [u0, (1.5 * u0 - 2 * u1 + 0.5 * u2) / H, (u0 - 2 * u1 + u2) / H**2]][order]
            if master == "gauss_seidel":  # the chassis goes first, so wheels interpolate
                new = E @ x + sum(g @ c for g, c in zip(G, taylor))
                v = self.L @ (self.C @ new)
                inner = [[v], [u0, (v - u0) / H], [u0, (v - u1) / (2 * H), (v - 2 * u0 + u1) / H**2]][order]
                taylor = [np.where(self.wheels, i, o) for i, o in zip(inner, taylor)]
            x, exact = E @ x + sum(g @ c for g, c in zip(G, taylor)), whole @ exact
            end = sum(c * H**i / math.factorial(i) for i, c in enumerate(taylor))
            y = self.C @ x + self.D @ end if feedthrough == "explicit" else self.Y @ x
            held = [self.L @ y, u0, u1]
        return x - exact


def race_car(gallery):
    car, result = Car(), gallery.run("race_car")
    errors, radii, body, spans = Deviation(math.inf), Deviation(), [], []
    for master, feedthrough in (("jacobi", "explicit"), ("jacobi", "solved"), ("gauss_seidel", "solved")):
        for order in 0, 1, 2:
            here = result.sel(master=master, feedthrough=feedthrough, order=order)
            for H in SIZES:
                difference = car.simulate(master, feedthrough, order, H, T_END)
                for state in WATCHED:
                    errors.add(here.state_error_final.sel(H=H, state=state),
                               abs(difference[car.states.index(state)]))
            if (master, feedthrough) == ("jacobi", "solved"):
                for H in result.H.values:
                    radii.add(here.spectral_radius.sel(H=H), car.radius(order, H))
            body.append([master, feedthrough, order,
                         *(digits(here.state_error_final.sel(H=0.001, state=state)) for state in WATCHED),
                         f"{float(here.state_error_final_order.sel(state='chassis.y')):.2f}",
                         *(f"{float(here.spectral_radius.sel(H=H)):.4f}" for H in (0.001, 0.005))])
    jacobi = result.state_error_final.sel(master="jacobi", H=0.001, state="chassis.y")
    spans = np.sort((jacobi.sel(feedthrough="solved") / jacobi.sel(feedthrough="explicit")).values)
    at = ("master=jacobi", "feedthrough=explicit", "order=0", "H=0.001")
    gallery.trace("race_car", "race_car_trace", *(word for one in at for word in ("--at", one)), "--set", "t_end=5")
    pictures = [gallery.picture(f"race_car_{state}", f"Race car: {title}, order 0, H = 1 ms", "race_car_trace", "--metric",
                                "x", "--signal", f"chassis.{state}")
                for state, title in (("y", "position across the road"), ("hand", "angle of the hand wheel"))]
    pictures.append(gallery.picture("race_car_errors", "Race car: error of the position across the road", "race_car",
                                    "--metric", "state_error_final", "--signal", "chassis.y"))
    return f"""## A car in five subsystems

No figure of a paper. Section 5.4 of [A] co-simulates a race car: a chassis with its driver, 37 states and no feed-through, and four wheels, 3 states each, with feed-through, joined by 172 connections. Its models come from a commercial library and are printed nowhere. The car here has that shape and nothing else of it: linear, at a constant speed, on a winding course; its equations and numbers are [cosweep's own](../models/race_car/README.md). Hold `lagrange`.

{chr(10).join(pictures)}

{gallery.commands()}

Errors at t = 1 s of the position across the road and of the angle of the hand wheel (what the thesis' Fig. 5.9 shows) with H = 1 ms, the fitted order of the first, and spectral radii at 1 ms and at 5 ms:

{rows(["master", "feed-through", "order", "error of y, m", "error of hand, rad", "order of y", "radius, 1 ms", "5 ms"], body)}

- **Agreement.** {errors.values} final errors agree with co-simulations by numpy, step by step from the model's matrices: {most(errors.absolute)} m or rad; {radii.values} spectral radii (`jacobi`, `solved`): {most(radii.relative)} relative. Forces of wheels act on the chassis as the principle of virtual power has it: {most(car.power())} relative. The course never ends, so that the radius of a stable step is 1.
- **With the thesis' step,** 1 ms, all settings are stable; near 5 ms it depends on them. The thesis finds that it hardly matters whether outputs are made to agree with new inputs (its Fig. 5.10); here `solved` in place of `explicit` changes the error of y by factors of {digits(spans[0], 2)} to {digits(spans[-1], 2)} under `jacobi`, and lets steps be larger. Nothing else can be compared with it.
"""


FIGURES = (race_car,)
