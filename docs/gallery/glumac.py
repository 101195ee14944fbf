"""Glumac and Kovačić 2023: Fig. 4 to 10, (57), Theorems 1 and 4."""

import json
import math
import os

import numpy as np

from gallery import SOURCE, Deviation, digits, flow, most, nearest, rows, table

SETTINGS = {"published": ("refresh", "zero"), "stated": ("explicit", "consistent")}
TAU1, OMEGA2 = "oscillator1.tau1", "oscillator2.omega2"


def matrices(name):
    """A, B, C, D and x0 of a model's subsystems with its own parameters; expressions of + - * / alone."""
    with open(os.path.join(SOURCE, "models", name, "model.json"), encoding="utf-8") as file:
        model = json.load(file)
    known = {}
    for key, value in model["parameters"].items():
        value = value["value"] if isinstance(value, dict) else value
        known[key] = eval(value, {}, known) if isinstance(value, str) else value
    number = np.vectorize(lambda entry: float(eval(entry, {}, known) if isinstance(entry, str) else entry))
    return [{key: number(np.array(part[key], dtype=object)) for key in ("A", "B", "C", "D", "x0") if key in part}
            for part in model["subsystems"]]


def replay(trace, solver, refresh):
    """States at the ends of the steps, from the paper's equations and the trace's step sizes alone: order 0, every
    subsystem with one input and one output, the other's."""
    parts = matrices("two_mass_oscillator")
    x = [part["x0"] for part in parts]
    d = [float(part["D"][0, 0]) if "D" in part else 0.0 for part in parts]
    c = [float((part["C"] @ start)[0]) for part, start in zip(parts, x)]
    y = np.linalg.solve(np.array([[1, -d[0]], [-d[1], 1]]), np.array(c))
    u, states = [y[1], y[0]], [np.concatenate(x)]
    for h in trace.H.values[1:]:
        for i, part in enumerate(parts):
            if solver == "euler":
                x[i] = x[i] + h * (part["A"] @ x[i] + part["B"][:, 0] * u[i])
            else:
                whole = np.block([[part["A"], part["B"]], [np.zeros((1, len(x[i]) + 1))]])
                x[i] = (flow(whole, h) @ np.append(x[i], u[i]))[:-1]
        states.append(np.concatenate(x))
        c = [float((part["C"] @ state)[0]) for part, state in zip(parts, x)]
        if refresh:
            u[0] = c[1] + d[1] * u[1]
            u[1] = c[0] + d[0] * u[0]
        else:
            u = [c[1] + d[1] * u[1], c[0] + d[0] * u[0]]
    return np.array(states)


def traces(gallery):
    body, deviation, pictures = [], 0.0, []
    for setting, (feedthrough, _) in enumerate(SETTINGS.values()):
        for control, steps in ("fixed", "fixed step"), ("pi_defect", "variable step"):
            for solver in "exact", "euler":
                name = f"fig4_{list(SETTINGS)[setting]}_{control}_{solver}"
                trace = gallery.trace("glumac_traces", name, "--at", f"setting={setting}", "--at", f"control={control}",
                                      "--at", f"solver={solver}")
                states = replay(trace, solver, feedthrough == "refresh")
                deviation = max(deviation, np.abs(trace.x.values - states).max())
                taken = trace.H.values[1:]
                body.append([list(SETTINGS)[setting], control, solver, len(taken), digits(taken.min()),
                             digits(taken.max()), digits(abs(trace.output_error.sel(output=TAU1, t=slice(10, None))).max())])
                if setting == 1 and solver == "exact":
                    pictures.append(gallery.picture(f"glumac_4_{control}", f"Fig. 4: time histories, {steps}, exact solvers", name,
                                                    "--metric", "y"))
    commands = "\n".join(line for line in gallery.commands().split("\n") if "stated" in line and "exact" in line
                         or line == "```")
    return f"""## [G] Fig. 4: time histories with fixed and variable steps

Order 0 until 50 s, with a fixed step of 1 s, and with defect-controlled steps that start at 1 s with tolerance 0.005.

{chr(10).join(pictures)}

{commands}

{rows(["setting", "control", "solver", "steps", "smallest H, s", "largest H, s", "largest error of tau1 after 10 s, N m"], body)}

- **Agreement.** The time histories follow the monolithic solution, more closely with controlled steps, and the step shrinks as the paper says. All states of the eight runs agree with a second computation directly from the paper's equations with numpy (`replay` in `docs/gallery/glumac.py`): {most(deviation)} apart.
- **Differences.** The paper's text gives two settings for Fig. 4b: tolerance 0.005 and H = 1 s in (49), 0.1 and 0.001 s further down. Here (49) is used. The paper prints no numbers to compare with.
"""


def fixed_step(gallery):
    results = dict(zip(SETTINGS, gallery.run("glumac_fixed_step_published", "glumac_fixed_step_stated")))
    deviation = {"exact": Deviation(), "euler": Deviation(1e-30)}
    for row in table("glumac_fixed_step"):
        setting = next((key for key, value in SETTINGS.items() if value == (row["feedthrough"], row["start"])), None)
        if setting and row["input_order"] == row["output_order"] and int(row["input_order"]) < 3:
            data = results[setting][row["metric"]]
            along = {data.dims[-1]: row["signal"]}
            deviation[row["solver"]].add(nearest(data, solver=row["solver"], order=int(row["input_order"]),
                                                 H=float(row["H"]), **along), row["value"])
    body = []
    for setting, result in results.items():
        for solver in "exact", "euler":
            for order in 0, 1, 2:
                at = {"solver": solver, "order": order}
                cells = [result[f"{metric}_order"].sel(**at, **{dimension: signal}).item() for metric, dimension, signal in
                         (("output_defect", "output", TAU1), ("connection_defect", "input", "oscillator1.omega2"),
                          ("output_error", "output", TAU1), ("output_error", "output", OMEGA2))]
                body.append([setting, solver, order] + ["zero" if np.isnan(cell) else f"{cell:.2f}" for cell in cells])
    zero = max(float(result.output_defect.sel(solver="euler", order=[1, 2]).max()) for result in results.values())
    pictures = [gallery.picture(f"glumac_{figure}_{setting}_{solver}", f"Fig. {figure}: {metric}, {setting}, {solver}",
                                f"glumac_fixed_step_{setting}", "--metric", metric, "--where", f"solver={solver}")
                for figure, metric, setting, solver in
                (("5a", "output_defect", "published", "exact"), ("5b", "connection_defect", "published", "exact"),
                 ("5b", "connection_defect", "stated", "exact"), ("6", "output_error", "published", "exact"),
                 ("6", "output_error", "stated", "exact"), ("6", "output_error", "stated", "euler"))]
    return f"""## [G] Fig. 5 and 6: defects and errors against the step size

Orders 0 to 2, exact and Euler solver, H from 1e-3 to 1 s, once with the settings of the code behind the paper's figures ("published": `feedthrough` refresh, `start` zero), and once with the method as its text states it ("stated": explicit, consistent).

{chr(10).join(pictures)}

{gallery.commands()}

Fitted orders:

{rows(["setting", "solver", "order n", "output defect tau1", "connection defect omega2", "error tau1", "error omega2"], body)}

- **Agreement.** {deviation["exact"].values} values with exact subsystems agree with a 40-digit computation, {most(deviation["exact"].relative)} relative; {deviation["euler"].values} with Euler {most(deviation["euler"].relative)} relative, and where the table has zeros, {most(deviation["euler"].absolute)}. The output defect has order n + 1 (Theorem 3); with Euler it is zero for n ≥ 1 (55), here {most(zero)}; Euler limits errors to order 1.
- **Differences.** According to the text, the connection defect with the exact solver is O(H^(n+1)). That holds for the method as stated; with the settings of the published code the order is limited to 1.5. The first step of that code has no derivatives; the square of the defect is O(H²) over that one step of length H, and so its RMS over the run is O(H^1.5). Equations (51), (52) lack the square and the root: as printed, positive and negative parts would cancel. The text gives Euler's connection defect as O(H²) and, two paragraphs on, as O(H): it has order 2. (54) is not true of this model, whose y1 is no multiple of a state. Algorithm 1 repeats `until T[k] <= t_end` where >= is meant. At the coarsest steps Euler's errors of orders 1 and 2 deviate from the slope because a run then has only one or two steps.
"""


def variable_step(gallery):
    names = ("glumac_variable_step_published", "glumac_variable_step_stated")
    results = dict(zip(SETTINGS, gallery.run(*names)))
    low, high, steps = Deviation(1e-13), Deviation(1e-13), 0
    for row in table("glumac_variable"):
        setting = next(key for key, value in SETTINGS.items() if value == (row["feedthrough"], row["start"]))
        data = results[setting][row["metric"]]
        along = {data.dims[-1]: row["signal"]} if row["signal"] else {}
        ours = nearest(data, solver=row["solver"], order=int(row["order"]), tolerance=float(row["tolerance"]), **along)
        if row["metric"] == "steps":
            steps += int(ours) == int(float(row["value"]))
        else:
            (low if int(row["order"]) < 2 else high).add(ours, row["value"])
    runs = sum(result.steps.size for result in results.values())
    body = []
    for setting, result in results.items():
        for order in 0, 1, 2:
            here = result.sel(solver="exact", order=order)
            share = [float((here[metric].max(dimension) / here.tolerance).max()) for metric, dimension in
                     (("output_defect", "output"), ("connection_defect", "input"), ("output_error", "output"))]
            means = [f"{int(nearest(here.steps, tolerance=t))}, {float(nearest(here.step_mean, tolerance=t)):.4f}"
                     for t in (1e-3, 1e-2, 1e-1, 1.0)]
            body.append([setting, order, *(f"{part:.2f}" for part in share), *means])
    zero = max(float(result.output_defect.sel(solver="euler", order=[1, 2]).max()) for result in results.values())
    pictures = [gallery.picture(f"glumac_{figure}", f"Fig. {figure}: {metric}, published, exact", names[0], "--metric", metric,
                                "--where", "solver=exact") for figure, metric in
                ((7, "output_defect"), (8, "connection_defect"), (9, "output_error"), (10, "step_mean"))]
    return f"""## [G] Fig. 7 to 10: defect-controlled steps

`pi_defect`, first step 1e-4 s, tolerances from 1e-3 to 1, t_end 1 s.

{chr(10).join(pictures)}

{gallery.commands()}

Exact solver: largest defects and errors divided by the tolerance, and number of steps and mean step in s at four tolerances:

{rows(["setting", "order", "output defect", "connection defect", "error", "1e-3", "1e-2", "1e-1", "1"], body)}

- **Agreement.** All numbers of steps equal those of a 40-digit computation: {steps} of {runs}. Defects, errors and step sizes: {most(low.relative)} relative for orders 0 and 1, {most(high.relative)} for order 2. As in Fig. 7 and 8 all defects stay below the tolerance; with Euler the output defect is zero for n ≥ 1, here {most(zero)}. As in Fig. 9 errors shrink with the tolerance. With few exceptions a higher order takes larger steps up to tolerances of 0.1, which is the benefit that Fig. 10 is meant to show.
- **Differences.** The text says of Fig. 10 that a higher order takes *smaller* steps, right after calling this a benefit; the numbers show the opposite. The captions give a first step of 1e-4 s, the text 0.001; the captions are used here. At least 14 steps are needed in any case, because no step is more than twice the previous one: at large tolerances runs end before the controller acts, and orders hardly differ.
"""


def solvers(gallery):
    result = gallery.run("glumac_solvers")
    pictures = [gallery.picture("glumac_57", "Output error of tau1 by solver", "glumac_solvers", "--metric", "output_error",
                                "--signal", TAU1, "--curve", "solver", "--panel", "order")]
    body = []
    for solver in "euler", "heun", "rk4":
        for order in 0, 1, 2, 3:
            here = result.sel(solver=solver, order=order)
            p, q, r, error = (here[f"{metric}_order"].min(skipna=True).item() for metric in (
                "connection_defect", "output_defect_true", "integration_defect", "output_error"))
            whole = [math.inf if math.isnan(value) else round(value) for value in (p, q, r)]
            body.append([solver, order, *("zero" if math.isnan(value) else f"{value:.2f}" for value in (p, q, r)),
                         f"{error:.2f}", min(whole), min(whole[0], whole[1], whole[2] + 1)])
    return f"""## [G] (57): what the solver leaves of the order

By (57) errors have order min(p, q, r + 1) where connection, output and integration defects have orders p, q and r. Settings as stated, H from 1e-3 to 0.05 s, order n of inputs and outputs.

{chr(10).join(pictures)}

{gallery.commands()}

Fitted orders, the smallest over all signals, of tau1 and omega2 for the error:

{rows(["solver", "order n", "p", "q", "r", "error", "min(p, q, r)", "min(p, q, r + 1)"], body)}

- **(57) is refuted** by Euler from n = 1 and by Heun from n = 2: where the solver is what limits, the error has order r, not r + 1; of Fig. 6 the text itself says O(H). With `rk4` it has r + 1, 4 at n = 3: its defect of order 3 is that of the cubic between the ends of a step, which are of order 4. What holds for all three is the smallest of p, q and the order of the solver, 1, 2 or 4.
"""


def defect_ratios(gallery):
    """Estimated over true output defect at a share of the first step, order 0, from the ends of shorter steps: [H][share] of
    all outputs."""
    end = {H: gallery.trace("glumac_output_defect", f"defect_{H}", "--at", "order=0", "--at", f"H={H}").y.isel(t=1)
           for H in (0.025, 0.05, 0.1, 0.2)}
    return {H: {share: 2 * (1 - share) * (end[H] - end[H / 2]) / (end[H] - end[share * H]) for share in shares}
            for H, shares in ((0.2, (0.125, 0.25)), (0.1, (0.25,)))}


def output_defects(gallery):
    result = gallery.run("glumac_output_defect")
    deviation = Deviation()
    for row in table("glumac_output_defect"):
        data = result[row["metric"]]
        deviation.add(nearest(data, order=int(row["order"]), H=float(row["H"]), **{data.dims[-1]: row["signal"]}), row["value"])
    pictures = [gallery.picture("glumac_theorem_4", "Theorem 4: output defect of tau1, estimated and true",
                                "glumac_output_defect", "--metric", "output_defect,output_defect_true", "--signal", TAU1)]
    ratio = result.output_defect / result.output_defect_true
    body = [[output, order, *(f"{float(ratio.sel(order=order, output=output).isel(H=i)):.5f}" for i in (3, 2, 1, 0))]
            for output in (TAU1, OMEGA2) for order in range(4)]
    ratios = defect_ratios(gallery)
    for row in table("glumac_output_defect_place"):
        deviation.add(ratios[float(row["H"])][float(row["alpha"])].sel(output=row["signal"]), row["value"])
    places = [[output, *(f"{float(ratio.sel(output=output)):.5f}" for at in ratios.values() for ratio in at.values())]
              for output in (TAU1, OMEGA2)]
    return f"""## [G] Theorem 4: the estimated output defect

What a sample in the middle of a step says of the output defect, beside the defect itself, from the exact course of the outputs inside steps. Settings as stated, exact subsystems, until 1 s.

{chr(10).join(pictures)}

{gallery.commands()}

Estimated divided by true output defect, RMS over the run:

{rows(["output", "order n", "H = 0.2 s", "0.1", "0.05", "0.025"], body)}

The theorem is about one place in a step, at a share α of it. Held inputs of order 0 are constants, so what a subsystem computes at α in the first step of H is the end of a first step of αH, which traces have; the estimate there is 2 (1 - α) times the defect at α = 1/2:

{rows(["output, n = 0, first step", "H = 0.2 s, α = 1/8", "H = 0.2 s, α = 1/4", "H = 0.1 s, α = 1/4"], places)}

- **Agreement.** The ratio tends to 1, as Theorem 4 says, at one place too. Its distance from 1 halves with H, but for tau1 at n = 1, where it changes sign. {deviation.values} defects, errors and ratios at one place agree with a 40-digit computation, {most(deviation.relative)} relative.
- **Differences.** The first table has RMS over all places of all steps, as results have metrics of whole runs.
"""


def theorem(t_end, defect):
    """The right side of [G] (10) for the two-mass oscillator until t_end, without error at the start: constants are
    spectral norms of the coupled matrices, defects RMS of (connection, output); by Young's inequality it bounds the RMS of
    the errors as it does their largest values."""
    parts = matrices("two_mass_oscillator")
    a, b, c = (block(*(part[key] for part in parts)) for key in "ABC")
    d = block(*(part.get("D", np.zeros((1, 1))) for part in parts))
    crossed = np.array([[0.0, 1.0], [1.0, 0.0]])
    inputs = np.linalg.inv(np.eye(2) - crossed @ d)  # u = inputs (L C x + L dy + du)
    k_f = np.linalg.norm(a + b @ inputs @ crossed @ c, 2)
    k_big = np.linalg.norm(np.hstack([inputs @ crossed @ c, inputs @ crossed, inputs]), 2)
    k_g = np.linalg.norm(np.hstack([c, d]), 2)
    entry = np.linalg.norm(b @ inputs, 2) * sum(defect)
    return k_f, (k_g / k_f * (1 + k_big) * math.expm1(k_f * t_end) * entry + (1 + k_g * k_big) * defect[1] +
                 k_g * k_big * defect[0])


def block(one, two):
    """Both matrices on the diagonal."""
    return np.block([[one, np.zeros((len(one), two.shape[1]))], [np.zeros((len(two), one.shape[1])), two]])


def bounds(gallery):
    result = gallery.run("glumac_bound")
    body = []
    for t_end in result.t_end.values:
        here = nearest(result, t_end=t_end)
        k_f, bound = theorem(t_end, [float(np.sqrt((here[metric]**2).sum())) for metric in (
            "connection_defect", "output_defect_true")])
        cells = [float(here[metric].sel(output=output)) for output in (TAU1, OMEGA2) for metric in ("output_error", "error_bound")]
        if not (cells[0] <= cells[1] <= bound and cells[2] <= cells[3] <= bound):
            raise SystemExit(f"glumac_bound: t_end {t_end}: {cells} and {bound}")
        body.append([f"{t_end:g}", *map(digits, cells), f"{bound:.2g}"])
    pictures = [gallery.picture("glumac_theorem_1", "Theorem 1: error of tau1, and its bound by exact gains", "glumac_bound",
                                "--kind", "lines", "--metric", "output_error,error_bound", "--signal", TAU1)]
    return f"""## [G] Theorem 1: how far defects bound errors

(8) to (10) bound errors by defects for any network of which one knows Lipschitz constants, by the factor (e^(K T) - 1)/K. Of a linear network the gains from each defect to each output are known: `error_bound`. Order 0, H = 0.1 s, settings as stated, over the length T of the run; the theorem with spectral norms, K = {digits(k_f)} 1/s.

{chr(10).join(pictures)}

{gallery.commands()}

RMS, tau1 in N m and omega2 in rad/s:

{rows(["T, s", "error of tau1", "its bound", "error of omega2", "its bound", "(10), of both"], body)}

- **Agreement.** All errors are below their bounds, and these below (10).
- **What the theorem is worth.** Its factor knows nothing of damping: {body[1][5]} for errors of {body[1][1]} after 1 s, {body[-1][5]} after {body[-1][0]} s. The exact gains stay within a factor of {float(body[0][2]) / float(body[0][1]):.1f} to {float(body[-1][2]) / float(body[-1][1]):.0f} of the error of tau1. That a bound exists justifies control of defects; its size says nothing.
"""


FIGURES = (traces, fixed_step, solvers, variable_step, output_defects, bounds)
