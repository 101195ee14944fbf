#!/usr/bin/env python3
"""Writes tests/data/long_runs.csv: what long fixed-step runs have to give, up to 10^8 steps.

    python3 make_long_runs.py ../data/long_runs.csv

Needs mpmath (Debian: python3-mpmath); the tests read the table only. Takes about three minutes.

Everything is computed in plain coordinates, as docs/methods.md sections 1 to 3 and 6 define it: the simulated states,
the output samples that the holds remember and the exact solution stand side by side, errors and defects are plain
differences, and 140 decimal digits leave enough of them. One macro step is linear in these numbers z, z_k = P z_{k-1},
so that a mean square over N steps is a quadratic form in G = sum z_k z_k', which doubling gives exactly:
G_2m = G_m + P_m G_m P_m', P_2m = P_m^2.

The script stops unless
  - doubling agrees with taking every one of 1000 steps on its own (the longest form of each hold), and
  - every value stays the same to 17 digits when computed with 40 digits and 4 quadrature nodes more.
"""
import json
import os
import sys
from fractions import Fraction

from mpmath import mp, mpf

DIGITS, NODES = 140, 20
MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models")

# model, t_end, hold, order, feedthrough, start
CASES = (
    [("two_mass_oscillator", 100, "taylor", order, "explicit", "consistent") for order in range(4)]
    + [("damped_oscillator", 100, "lagrange", order, feedthrough, start)
       for order in (1, 2) for feedthrough, start in (("explicit", "ramp"), ("solved", "zero"))]
    # Left alone for 150 s this model decays to 1e-30 of its start or less.
    + [("mass_spring_damper", 150, "taylor", 1, "explicit", "consistent"),
       ("mass_spring_damper", 150, "taylor", 3, "explicit", "ramp"),
       ("mass_spring_damper", 150, "lagrange", 2, "solved", "consistent")])
STEPS = {"two_mass_oscillator": (10**3, 10**5, 10**8), "damped_oscillator": (10**3, 10**5, 10**8),
         "mass_spring_damper": (10**4, 10**5, 10**8)}
METRICS = ("output_defect", "connection_defect", "output_error", "state_error")


# ---------------------------------------------------------------- matrices: lists of rows
def product(a, b):
    columns = list(zip(*b))
    return [[mp.fdot(row, column) for column in columns] for row in a]


def transpose(a):
    return [list(column) for column in zip(*a)]


def add(a, b, factor=1):
    return [[x + factor * y for x, y in zip(row, other)] for row, other in zip(a, b)]


def scale(a, factor):
    return [[x * factor for x in row] for row in a]


def zeros(rows, columns):
    return [[mpf(0)] * columns for _ in range(rows)]


def identity(size):
    return [[mpf(i == j) for j in range(size)] for i in range(size)]


def inverse(a):
    """Gauss-Jordan with pivots."""
    size = len(a)
    rows = [list(row) + unit for row, unit in zip(a, identity(size))]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(size):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i])]
    return [row[size:] for row in rows]


def largest(a):
    return max(abs(x) for row in a for x in row)


def gauss_legendre(count):
    """Nodes and weights on (0, 1), by Newton's method on the three-term recurrence."""
    points = []
    for i in range(count):
        x = mp.cos(mp.pi * (i + mpf(3) / 4) / (count + mpf(1) / 2))
        change = mpf(1)
        while abs(change) > mpf(10)**(-mp.dps // 2 - 5):
            low, high = mpf(1), x
            for k in range(1, count):
                low, high = high, ((2 * k + 1) * x * high - k * low) / (k + 1)
            slope = count * (low - x * high) / (1 - x * x)
            change = high / slope
            x -= change
        low, high = mpf(1), x
        for k in range(1, count):
            low, high = high, ((2 * k + 1) * x * high - k * low) / (k + 1)
        slope = count * (low - x * high) / (1 - x * x)
        points.append(((1 + x) / 2, 1 / ((1 - x * x) * slope * slope)))
    return points


# ---------------------------------------------------------------- polynomials in s: lists of coefficients (matrices)
def value(polynomial, s):
    result = polynomial[-1]
    for coefficient in reversed(polynomial[:-1]):
        result = add(coefficient, result, s)
    return result


def interpolate(nodes, values):
    """The polynomial that has the matrix values[i] at s = nodes[i]."""
    weights = inverse([[mpf(s)**j for j in range(len(nodes))] for s in nodes])
    result = []
    for row in weights:
        total = scale(values[0], row[0])
        for weight, matrix in zip(row[1:], values[1:]):
            total = add(total, matrix, weight)
        result.append(total)
    return result


# ---------------------------------------------------------------- model
class Network:
    """A model file without constant terms: x' = A x + B u, y = C x + D u, u = L y; exact: x' = M x, y = Y x."""

    def __init__(self, name):
        with open(os.path.join(MODELS, name, "model.json"), encoding="utf-8") as file:
            model = json.load(file)
        parameters = {}
        for key, entry in model["parameters"].items():
            parameters[key] = Fraction(str(entry["value"] if isinstance(entry, dict) else entry))
        number = lambda entry: eval(entry, {}, parameters) if isinstance(entry, str) else Fraction(str(entry))
        subsystems = model["subsystems"]
        names = {kind: [s["name"] + "." + (v["name"] if isinstance(v, dict) else v) for s in subsystems for v in s[kind]]
                 for kind in ("states", "inputs", "outputs")}
        self.states, self.inputs, self.outputs = names["states"], names["inputs"], names["outputs"]

        def stack(key, rows, columns):
            result, top, left = zeros(len(names[rows]), len(names[columns])), 0, 0
            for subsystem in subsystems:
                for i, row in enumerate(subsystem.get(key, [])):
                    for j, entry in enumerate(row):
                        exact = Fraction(number(entry))
                        result[top + i][left + j] = mpf(exact.numerator) / exact.denominator
                top += len(subsystem[rows])
                left += len(subsystem[columns])
            return result

        if any(key in s for s in subsystems for key in ("e", "f")):
            raise SystemExit(name + ": constant terms are not supported")
        self.A, self.B = stack("A", "states", "states"), stack("B", "states", "inputs")
        self.C, self.D = stack("C", "outputs", "states"), stack("D", "outputs", "inputs")
        self.L = zeros(len(self.inputs), len(self.outputs))
        for connection in model["connections"]:
            gain = Fraction(number(connection.get("gain", 1)))
            self.L[self.inputs.index(connection["to"])][self.outputs.index(connection["from"])] += (
                mpf(gain.numerator) / gain.denominator)
        start = [Fraction(number(entry)) for s in subsystems for entry in s["x0"]]
        self.x0 = [[mpf(entry.numerator) / entry.denominator] for entry in start]
        loop = add(identity(len(self.outputs)), product(self.D, self.L), -1)
        self.Y = product(inverse(loop), self.C)
        self.M = add(self.A, product(self.B, product(self.L, self.Y)))


# ---------------------------------------------------------------- one macro step
class Step:
    """What a run carries from one communication point to the next, z: the simulated states, the memory and the exact
    states. The memory is, for taylor, the recorded samples y^(j) H^j/j!, j = 0 .. order, for lagrange the recorded
    samples at T, T - H, ..., T - order H."""

    def __init__(self, network, hold, order, feedthrough, start, size, points):
        self.network, self.hold, self.order, self.points = network, hold, order, points
        self.feedthrough, self.start, self.size = feedthrough, start, size
        self.states, self.outputs = len(network.states), len(network.outputs)

    def split(self, z):
        x, rest = z[:self.states], z[self.states:]
        memory = [rest[j * self.outputs:(j + 1) * self.outputs] for j in range(self.order + 1)]
        return x, memory, rest[(self.order + 1) * self.outputs:]

    def series(self, start, inputs=()):
        """Taylor coefficients in s of the solution from `start`: the exact one, or A x + B u with inputs given as
        polynomials in s."""
        drift = self.network.A if inputs else self.network.M
        terms = [start]
        floor = mpf(10)**(-mp.dps - 5) * (largest(start) + sum(largest(u) for u in inputs))
        while len(terms) <= self.order + 2 or largest(terms[-1]) > floor:
            slope = product(drift, terms[-1])
            if len(terms) - 1 < len(inputs):
                slope = add(slope, product(self.network.B, inputs[len(terms) - 1]))
            terms.append(scale(slope, self.size / len(terms)))
        return terms

    def initial(self):
        points = [self.network.x0]
        for _ in range(self.order):
            points.append(value(self.series(points[-1]), mpf(-1)))
        if self.hold == "taylor":
            points = self.series(self.network.x0)[:self.order + 1]
        samples = [product(self.network.Y, point) for point in points]
        if self.start == "zero" and self.hold == "lagrange":
            samples = [samples[0]] * (self.order + 1)
        elif self.start == "zero":
            samples = [samples[0]] + [scale(sample, 0) for sample in samples[1:]]
        return self.network.x0 + [row for sample in samples for row in sample] + self.network.x0

    def degrees(self, k):
        """Of the inputs' and of the outputs' polynomials in step k = 1, 2, ..."""
        if self.start == "ramp":
            return min(self.order, k - 1), min(self.order, k)
        return self.order, self.order

    def held(self, memory, degree):
        """The inputs' polynomials."""
        combined = [product(self.network.L, sample) for sample in memory[:degree + 1]]
        return combined if self.hold == "taylor" else interpolate([-p for p in range(degree + 1)], combined)

    def record(self, x, inputs):
        """The samples at the end of the step, with derivatives for hold taylor."""
        network, end = self.network, value(inputs, mpf(1))
        if self.feedthrough == "solved":
            if self.hold == "taylor":
                raise SystemExit("hold taylor: feed-through solved is not supported")
            return [product(network.Y, x)]
        samples, factor = [add(product(network.C, x), product(network.D, end))], mpf(1)
        for j in range(1, self.order + 1 if self.hold == "taylor" else 1):
            # derivatives with respect to s: those of x by the model, those of the inputs by their polynomials
            x = scale(add(product(network.A, x), product(network.B, end)), self.size)
            inputs = [scale(c, i) for i, c in enumerate(inputs)][1:] or [scale(end, 0)]
            end = value(inputs, mpf(1))
            factor *= j
            samples.append(scale(add(product(network.C, x), product(network.D, end)), 1 / factor))
        return samples

    def defect_factor(self, degree):
        """RMS over the step of the estimated output defect whose midpoint value is 1."""
        if self.hold == "taylor":
            return mpf(2)**(degree + 1) / mp.sqrt(2 * degree + 3)
        def node(s):
            return mp.fprod(s - 1 + j for j in range(degree + 1))
        return mp.sqrt(mp.fsum(w * node(s)**2 for s, w in self.points)) / abs(node(mpf(1) / 2))

    def advance(self, z, k):
        """z after step k, and for every metric the weighted rows whose squares add up to the step's mean square:
        {metric: [matrix, ...]}. `z` is a column or a matrix of them."""
        network = self.network
        x, memory, exact = self.split(z)
        input_degree, output_degree = self.degrees(k)
        inputs = self.held(memory, input_degree)
        flow, exact_flow = self.series(x, inputs), self.series(exact)
        end = value(flow, mpf(1))
        samples = self.record(end, inputs)
        if self.hold == "taylor":
            reconstructed = lambda s: value(samples[:output_degree + 1], s - 1)
        else:
            samples = samples + memory[:self.order]
            past = interpolate([1 - p for p in range(output_degree + 1)], samples[:output_degree + 1])
            reconstructed = lambda s: value(past, s)
        half = mpf(1) / 2
        middle = add(product(network.C, value(flow, half)), product(network.D, value(inputs, half)))
        rows = {metric: [] for metric in METRICS}
        rows["output_defect"].append(scale(add(middle, reconstructed(half), -1), self.defect_factor(output_degree)))
        for s, weight in self.points:
            root, y, now = mp.sqrt(weight), reconstructed(s), value(exact_flow, s)
            rows["connection_defect"].append(scale(add(value(inputs, s), product(network.L, y), -1), root))
            rows["output_error"].append(scale(add(y, product(network.Y, now), -1), root))
            rows["state_error"].append(scale(add(value(flow, s), now, -1), root))
        return end + [row for sample in samples for row in sample] + value(exact_flow, mpf(1)), rows

    def finals(self, z):
        x, memory, exact = self.split(z)
        gap = lambda a, b: [abs(row[0]) for row in add(a, b, -1)]
        return {"state_error_final": gap(x, exact),
                "output_error_final": gap(memory[0], product(self.network.Y, exact))}


# ---------------------------------------------------------------- runs
def add_squares(sums, rows):
    for metric, matrices in rows.items():
        for matrix in matrices:
            if metric not in sums:
                sums[metric] = [mpf(0)] * len(matrix)
            sums[metric] = [total + row[0]**2 for total, row in zip(sums[metric], matrix)]


def finish(step, sums, steps, z):
    result = {metric: [mp.sqrt(total / steps) for total in sums[metric]] for metric in METRICS}
    result.update(step.finals(z))
    return result


def run_by_steps(step, steps):
    z, sums = step.initial(), {}
    for k in range(1, steps + 1):
        z, rows = step.advance(z, k)
        add_squares(sums, rows)
    return finish(step, sums, steps, z)


def gram(P, z, steps):
    """sum of z_k z_k' over k < steps, and z after them."""
    G, power, done = product(z, transpose(z)), P, 1
    for bit in bin(steps)[3:]:
        G = add(G, product(product(power, G), transpose(power)))
        power, done = product(power, power), 2 * done
        if bit == "1":
            after = product(power, z)
            G = add(G, product(after, transpose(after)))
            power, done = product(power, P), done + 1
    assert done == steps
    return G, product(power, z)


def run_by_doubling(step, steps):
    z, sums = step.initial(), {}
    first = step.order if step.start == "ramp" else 0
    for k in range(1, first + 1):
        z, rows = step.advance(z, k)
        add_squares(sums, rows)
    P, forms = step.advance(identity(len(z)), first + 1)
    G, z = gram(P, z, steps - first)
    for metric, matrices in forms.items():
        for matrix in matrices:
            squares = [mp.fdot(row, [mp.fdot(line, row) for line in G]) for row in matrix]
            sums[metric] = [a + b for a, b in zip(sums.get(metric, [mpf(0)] * len(matrix)), squares)]
    return finish(step, sums, steps, z)


# ---------------------------------------------------------------- checks and the table
def difference(one, other):
    """Largest relative difference of two results."""
    return max(abs(a - b) / abs(b) if b else abs(a) for name in one for a, b in zip(one[name], other[name]))


def prepare(case, steps, digits, nodes):
    """A case's step with a working precision; H is the double nearest to t_end / N."""
    mp.dps = digits
    model, t_end, *method = case
    return Step(Network(model), *method, mpf(t_end / steps), gauss_legendre(nodes))


def check_doubling(case):
    step = prepare(case, 1000, DIGITS, NODES)
    worst = difference(run_by_doubling(step, 1000), run_by_steps(step, 1000))
    print("doubling against 1000 single steps,", *case, ":", mp.nstr(worst, 3), flush=True)
    if worst > mpf(10)**-40:
        raise SystemExit("doubling and stepping differ")


def write_run(file, case, steps):
    finer = run_by_doubling(prepare(case, steps, DIGITS + 40, NODES + 4), steps)
    step = prepare(case, steps, DIGITS, NODES)
    result = run_by_doubling(step, steps)
    worst = difference(result, finer)
    decay = largest(run_exact(step, steps)) / largest(step.network.x0)
    print(*case, steps, "steps: digits and nodes change", mp.nstr(worst, 3), "; signal left", mp.nstr(decay, 3),
          flush=True)
    if worst > mpf(10)**-18:
        raise SystemExit("more digits or nodes are needed")
    network = step.network
    names = {"output": network.outputs, "connection": network.inputs, "state": network.states}
    for metric, values in result.items():
        rms = max(result[metric[:-len("_final")]]) if metric.endswith("_final") else mpf(0)
        for signal, number in zip(names[metric.split("_")[0]], values):
            row = [*case, steps, repr(case[1] / steps), metric, signal, mp.nstr(number, 17), mp.nstr(rms, 3)]
            file.write(",".join(map(str, row)) + "\n")


def run_exact(step, steps):
    """The exact solution at the end, r."""
    flow, r = value(step.series(identity(step.states)), mpf(1)), step.network.x0
    for bit in bin(steps)[2:][::-1]:
        r = product(flow, r) if bit == "1" else r
        flow = product(flow, flow)
    return r


HEADER = """\
# Long fixed-step runs of models/NAME, jacobi, solver exact, equal input and output order, error_at continuous: N macro steps of H = t_end / N (the nearest double, as printed).
# Values of an independent program in plain coordinates with 140 digits (tests/python/make_long_runs.py), printed with 17. metric, signal, value: as in docs/formats.md.
# scale: for final errors the largest RMS error of the run among the signals of the metric, for what rounding leaves of errors that have decayed; 0 for RMS values.
model,t_end,hold,order,feedthrough,start,N,H,metric,signal,value,scale
"""


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: make_long_runs.py TABLE")
    for case in (CASES[3], CASES[6], CASES[7], CASES[9]):
        check_doubling(case)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(HEADER)
        for case in CASES:
            for steps in STEPS[case[0]]:
                write_run(file, case, steps)


if __name__ == "__main__":
    main()
