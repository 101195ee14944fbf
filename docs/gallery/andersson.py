"""Andersson 2013: Fig. 3.3 to 3.8, 3.12 to 3.15 and 5.2, solvers with memory; (3.49) linearised."""

import json

import numpy as np

from gallery import Deviation, digits, most, nearest, rows, table

ORDER = ("constant", "linear", "quadratic", "cubic")


def limits_of(result, order, hold="lagrange", master="jacobi"):
    """Zero-stable products d1 d2, from below to above."""
    low, high = result.d2_crossings.sel(master=master, hold=hold, order=order).values[:2]
    return low, high


def verdicts(result, limits, feedthrough, order, hold):
    """(runs of a pair d1, d2 that converge or do not as the limits say, pairs): they converge where the error at the end
    is smaller with the finest step than with the coarsest. Left out are pairs on a limit and those whose exact solution
    leaves the numbers."""
    low, high = limits_of(limits, order, hold)
    right = pairs = 0
    for d1 in result.d1.values:
        for d2 in result.d2.values:
            if min(abs(d1 * d2 - edge) for edge in (0.99, low, high)) < 1e-9:
                continue
            here = result.sel(feedthrough=feedthrough, order=order, d1=d1, d2=d2)
            final = here.output_error_final.max("output")
            converges = bool((here.status == 0).all()) and float(final[0]) < float(final[-1])
            right += converges == (feedthrough == "solved" or low <= d1 * d2 <= high)
            pairs += 1
    return right, pairs


def simulations(gallery):
    limits = gallery.run("andersson_limits")
    gallery.commands()
    result = gallery.run("andersson_simulations")
    gallery.call("run", "sweeps/andersson_simulations.json", "--set", "method.hold=backward_difference", "-o",
                 "andersson_backward.h5")
    backward = gallery.open("andersson_backward")
    body, pictures = [], []
    for feedthrough, figures in (("explicit", ("3.3, 3.5", "3.5, 3.7", "–")), ("solved", ("3.4", "–", "–"))):
        for order in 0, 1, 2:
            right, pairs = verdicts(result, limits, feedthrough, order, "lagrange")
            body.append([f"{feedthrough}, {ORDER[order]}", figures[order], f"{right} of {pairs}"])
    right, pairs = verdicts(backward, limits, "explicit", 2, "backward_difference")
    body.insert(3, ["explicit, quadratic as in (3.31)", "3.5, 3.8", f"{right} of {pairs}"])
    for name, title, feedthrough, order, d, options in (
            ("3_3_stable", "Fig. 3.3: constant, stable", "explicit", 0, 0.9, ()),
            ("3_3_unstable", "Fig. 3.3: constant, unstable", "explicit", 0, 1.1, ()),
            ("3_4", "Fig. 3.4: constant, outputs solved for", "solved", 0, 1.1, ()),
            ("3_5_linear", "Fig. 3.5: linear, unstable", "explicit", 1, 0.5, ()),
            ("3_8", "Fig. 3.8: quadratic as in (3.31), unstable", "explicit", 2, 0.35,
             ("--set", "method.hold=backward_difference"))):
        trace = f"andersson_{name}"
        gallery.trace("andersson_simulations", trace, *options, "--at", f"feedthrough={feedthrough}", "--at",
                      f"order={order}", "--at", f"d1={d}", "--at", f"d2={-d}", "--at", "H=0.1")
        pictures.append(gallery.picture(trace, f"{title}, d1 = {d}, d2 = {-d}", trace, "--metric", "y"))
    wrong = limits_of(limits, 2), limits_of(limits, 2, "backward_difference")
    return f"""## [A] Fig. 3.3 to 3.5, 3.7, 3.8: two lags with feed-through, simulated

d1 and d2 from -1.1 to 1.1, orders 0 to 2, outputs computed from old inputs (explicit) or solved for, H from 0.02 to 0.2 s.

{chr(10).join(pictures)}

{gallery.commands()}

Does the error at t = 4 s decrease with H exactly where the limits of Fig. 3.6 predict it?

{rows(["outputs, extrapolation", "Fig.", "pairs d1, d2"], body)}

- **Agreement.** With old values the coupling is stable for ρ(DL) ≤ 1 with constant extrapolation, and up to a smaller ρ(DL) with linear and quadratic extrapolation; with outputs solved for it is always stable (3.48). Excluded are the two pairs with d1 d2 = 0.99, whose exact solution itself grows out of range, and, with (3.31), d1 = d2 = 0.2, which lies on its limit.
- **Differences.** (3.31) is called quadratic but is not: the divided difference lacks its node, and the weights at the end of a step are 5/2, -2, 1/2 instead of 3, -3, 1. Its limits for d1 d2 are {digits(wrong[1][0], 4)} and {digits(wrong[1][1], 4)}, those of the polynomial through three points {digits(wrong[0][0], 4)} and {digits(wrong[0][1], 4)} (hold `backward_difference` is the former, `lagrange` the latter). The thesis gives no initial states and no numbers for these figures; the initial states used here are an arbitrary choice.
"""


def regions(gallery):
    limits = gallery.run("andersson_limits")
    result = gallery.run("andersson_regions")
    deviation = Deviation()
    columns = {"rho_J_inc": ("jacobi", "lagrange", "explicit"), "rho_J_con": ("jacobi", "lagrange", "solved"),
               "rho_J_inc_taylor": ("jacobi", "backward_difference", "explicit"),
               "rho_GS_inc": ("gauss_seidel", "lagrange", "explicit"),
               "rho_GS_con": ("gauss_seidel", "lagrange", "solved"),
               "rho_GS_inc_taylor": ("gauss_seidel", "backward_difference", "explicit")}
    singular = 0
    for row in table("andersson_stability"):
        for column, (master, hold, feedthrough) in columns.items():
            ours = float(nearest(result.spectral_radius, master=master, hold=hold, feedthrough=feedthrough,
                                 order=int(row["order"]), H=float(row["H"]), d1=float(row["d1"]), d2=float(row["d2"])))
            if np.isfinite(ours) and row[column] and np.isfinite(float(row[column])):
                deviation.add(ours, row[column])
            else:
                singular += 1
    body, theory = [], 0.0
    for master, powers in (("jacobi", lambda m: 1 / (2**(m + 1) - 1)), ("gauss_seidel", None)):
        for hold in "lagrange", "backward_difference":
            for order in 0, 1, 2, 3:
                low, high = limits_of(limits, order, hold, master)
                if powers and hold == "lagrange":
                    theory = max(theory, abs(np.sqrt(high) - powers(order)))
                body.append([master, hold, order, f"{np.sqrt(high):.6f}", f"{np.sqrt(-low):.6f}"])
    at = ("master=jacobi", "hold=lagrange", "feedthrough=explicit", "H=0", "order=0", "order=1", "order=2")
    picture = gallery.picture("andersson_3_6", "Fig. 3.6: spectral radius over d1, d2 at H = 0", "andersson_regions",
                              "--kind", "map", "--x", "d1", "--y", "d2", "--panel", "order",
                              *(word for one in at for word in ("--where", one)))
    return f"""## [A] Fig. 3.6: where coupling with old values is stable

Spectral radii of the one-step propagation matrix over d1, d2, at H = 0 the zero-stability that the thesis derives; and the limits themselves, by bisection.

{picture}

{gallery.commands()}

Largest stable ρ(DL), outputs explicit:

{rows(["master", "hold", "order", "d1 d2 > 0", "d1 d2 < 0"], body)}

- **Agreement.** {deviation.values} spectral radii, for six kinds of coupling, orders 0 to 3 and H = 0 to 1 s, agree with numpy's eigenvalues of independently derived matrices: {most(deviation.relative)} relative. For d1 d2 > 0, Jacobi and polynomials through points, the limits are 1/(2^(m+1) - 1), {most(theory)} apart. Constant and linear extrapolation agree with the thesis.
- **Differences.** In the thesis quadratic extrapolation is (3.31), with the limit 1/5 for d1 d2 > 0; the polynomial through three points has 1/7. The limits depend on the sign of d1 d2, not on ρ(DL) alone.
"""


def single_steps(gallery, model, method, sizes, points):
    """Local errors of single steps from exact states at t = 0 ... 1, as reference tables have them: RMS over the states."""
    gallery.write("states.json", json.dumps({
        "format": "cosweep-sweep/1", "name": "states", "model": f"models/{model}/model.json", "t_end": 1,
        "method": {"hold": "lagrange", "step": {"size": 1 / (points - 1)}}, "metrics": ["steps"]}))
    name = f"states_{model}_{points}"
    gallery.quietly("trace", "states.json", "-o", name + ".h5")
    exact = gallery.open(name).x_exact.values
    with open(f"{gallery.scratch}/models/{model}/model.json", encoding="utf-8") as file:
        names = list(json.load(file)["parameters"])[-exact.shape[1]:]
    gallery.write("steps.json", json.dumps({
        "format": "cosweep-sweep/1", "name": "steps", "model": f"models/{model}/model.json",
        "method": {"hold": "lagrange", "engine": "step"},
        "axes": [{"name": "method", "zip": method},
                 {"name": "H", "paths": ["t_end", "method.step.size"], "values": sizes, "unit": "s"},
                 {"name": "at", "zip": {f"parameters.{name}": list(exact[:, i]) for i, name in enumerate(names)}}],
        "metrics": ["local_error", "local_error_estimate"]}))
    gallery.quietly("run", "steps.json", "-o", f"steps_{model}_{points}.h5")
    result = gallery.open(f"steps_{model}_{points}")
    return np.sqrt((result.local_error**2).mean("at")), np.sqrt((result.local_error_estimate**2).mean("at"))


def compare_steps(gallery, model, method):
    """Deviation of error and estimate from the table, relative; values that the table's double precision lost left out."""
    error, estimate = single_steps(gallery, model, method, [2e-4, 2e-3, 2e-2, 0.2], 41)
    deviation = Deviation()
    for row in table("andersson_local_error"):
        if row["model"] != model or row["hold"] != "lagrange":
            continue
        for number in range(error.sizes["method"]):
            if (int(row["order"]), row["feedthrough"], row["estimate"] or "plain") != \
                    tuple(method[key][number] for key in ("method.order", "method.feedthrough", "method.step.estimate")):
                continue
            if not np.isclose(error.H.values / 2, float(row["H"])).any():
                continue
            for data, word in (error, "error"), (estimate, "estimated"):
                for output in range(4):
                    theirs = row[f"{word}_{output}"]
                    if theirs and float(theirs) > 1e-6:
                        deviation.add(data.isel(method=number, output=output).sel(H=2 * float(row["H"]), method="nearest"),
                                      theirs)
    return deviation


def local_errors(gallery):
    result = gallery.run("andersson_local_error")
    pictures = [gallery.picture("andersson_3_12", "Fig. 3.12, 3.13: local error, velocity of mass 1", "andersson_local_error", "--signal",
                                "mass1.v1"),
                gallery.picture("andersson_3_13", "Fig. 3.12, 3.13: its estimate", "andersson_local_error", "--metric",
                                "local_error_estimate", "--signal", "mass1.v1")]
    gallery.trace("andersson_local_error", "local_error_time", "--at", "order=1", "--at", "H=0.01262")
    pictures.append(gallery.picture("andersson_3_13_time", "Fig. 3.13: local error over time, order 1, H = 0.0126 s",
                                    "local_error_time", "--metric", "local_error", "--signal", "mass1.v1"))
    commands = gallery.commands()
    deviation = compare_steps(gallery, "mass_spring_damper", {
        "method.order": [0, 1, 2, 3], "method.feedthrough": ["explicit"] * 4, "method.step.estimate": ["plain"] * 4})
    body = []
    for order in 0, 1, 2, 3:
        here = result.sel(order=order)
        ratio = (here.local_error_estimate / here.local_error).isel(H=0)
        body.append([order, *(f"{here.local_error_order.sel(output=output):.2f}" for output in ("mass1.x1", "mass1.v1")),
                     *(f"{ratio.sel(output=output):.3f}" for output in result.output.values)])
    return f"""## [A] Fig. 3.12 and 3.13: local errors and their estimate

Two masses without feed-through (Example 3.3.2): the error of two half steps from exact states, and its estimate by Richardson extrapolation from their difference to one whole step.

{chr(10).join(pictures)}

{commands}

Fitted orders of the local error, and estimate divided by error at H = 2e-4 s:

{rows(["order m", "order of x1", "of v1", *(f"ratio {name}" for name in result.output.values)], body)}

- **Agreement.** For the velocities the estimate agrees well with the error, as the thesis finds; the error has order m + 2. {deviation.values} errors and estimates of single steps from 41 exact states agree with an independent program, {most(deviation.relative)} relative; so do 2400 over time, of 100 steps in three cases, within the rounding of its differences. The subsystems of the thesis were solved to 1e-11, which spoiled its estimate for linear extrapolation at H = 1e-4; with exact subsystems it is not affected.
- **Differences.** For positions the estimate is systematically too small, {digits(float((result.local_error_estimate / result.local_error).isel(H=0, order=0).sel(output="mass1.x1")), 2)} of the error with constant extrapolation: the order of their error is one higher than the formula assumes.
"""


def tolerances(gallery):
    rows_of = table("andersson_tolerances")
    values = sorted({float(row["tolerance"]) for row in rows_of})[1:]
    error, estimate = single_steps(gallery, "mass_spring_damper", {
        "method.solver": ["exact"] + ["dopri5"] * len(values), "method.tolerance": [1.0] + values}, [0.1], 21)
    norm = [np.sqrt((data.isel(H=0)**2).mean("output")).values for data in (error, estimate)]
    deviation = Deviation()
    for row in rows_of:
        if float(row["H"]) == 0.05:
            number = 0 if float(row["tolerance"]) == 0 else 1 + values.index(float(row["tolerance"]))
            for data, word in zip(norm, ("error", "estimated")):
                deviation.add(data[number], row[word])
    change = max(abs(data[1:] / data[0] - 1).max() for data in norm)
    result = gallery.run("andersson_tolerances")
    pictures = [gallery.picture("andersson_3_14", "Fig. 3.14: local error and its estimate, velocity of mass 1",
                                "andersson_tolerances", "--kind", "lines", "--metric", "local_error,local_error_estimate",
                                "--signal", "mass1.v1")]
    smallest = min(float(result[metric].sel(output="mass1.v1").min()) for metric in ("local_error", "local_error_estimate"))
    return f"""## [A] Fig. 3.14: subsystems solved to a tolerance

The two masses without feed-through, constant extrapolation, H = 0.05 s, solver `dopri5` with tolerances from 1e-9 to 1e-3; error and estimate over all outputs.

{chr(10).join(pictures)}

{gallery.commands()}

- **Agreement.** {deviation.values} errors and estimates agree with an independent program, {most(deviation.relative)} relative.
- **Differences.** In the thesis the estimate falls below the error as the tolerance grows. Here neither changes by more than {digits(change, 1)} of itself from 1e-9 to 1e-3: a solver that restarts in every macro step is far more accurate than its tolerance over so short a step. The solver of the thesis continues from step to step; the text does not say how it used its tolerance. Its axis shows errors of 1e-8 to 1e-6; here that of the velocity of mass 1 is {digits(smallest, 1)} m/s, and such errors do not fit this step and constant extrapolation from any initial state of order one.
"""


def feedthrough_errors(gallery):
    result = gallery.run("andersson_local_error_feedthrough")
    pictures = [gallery.picture("andersson_3_15_error", "Fig. 3.15: local error, difference of velocities",
                                "andersson_local_error_feedthrough", "--signal", "mass2.dv", "--where", "setting=0")]
    commands = gallery.commands()
    deviation = compare_steps(gallery, "mass_spring_damper_feedthrough", {
        "method.order": [0, 1, 1, 1], "method.feedthrough": ["explicit", "explicit", "explicit", "solved"],
        "method.step.estimate": ["plain", "plain", "corrected", "plain"]})
    ratios = result.local_error_estimate / result.local_error
    linear = ratios.sel(setting=0, order=1).sel({"H": 0.01}, method="nearest")
    coarse = [ratios.sel(setting=setting, order=0, output="mass2.dv")[-1] for setting in (0, 1)]
    body = []
    for setting, title in enumerate(("explicit, plain", "explicit, corrected", "solved, plain")):
        for order in 0, 1:
            ratio = ratios.sel(setting=setting, order=order).sel({"H": 0.01}, method="nearest")
            body.append([title, order, *(f"{value:.3f}" for value in ratio.values)])
    return f"""## [A] Fig. 3.15: the same with feed-through

The second mass outputs differences, so its outputs depend on its inputs directly (Example 3.3.3).

{chr(10).join(pictures)}

{commands}

Estimate divided by error at the H nearest to 0.01 s:

{rows(["outputs, estimate", "order m", *result.output.values], body)}

- **Agreement.** {deviation.values} errors and estimates of single steps agree with an independent program, {most(deviation.relative)} relative. For linear extrapolation at H = 0.01 s the thesis finds its estimate slightly above the error, as found here for the difference of positions, {digits(linear.sel(output="mass2.dx"))}. With outputs solved for, Richardson's estimate of the velocities is correct again.
- **Differences.** With old inputs the estimate captures less than half of the error of mass 1's outputs, whereas in the figure of the thesis all components are overestimated. In its second half step mass 1 receives the output of mass 2 at the half point, which is in error by O(H^(m+1)) through feed-through; the whole step has no such point. The corrected estimate (with m + 1 in c3, which (3.71) lacks for degrees above 0) does not help there: it concerns outputs with feed-through, and changes those of mass 2 at large steps, from {digits(coarse[0])} to {digits(coarse[1])} of the error of dv at H = 0.2 s, order 0.
"""


def quarter_car(gallery):
    trace = gallery.trace("andersson_quarter_car", "quarter_car", "--at", "setting=0", "--at", "order=0")
    pictures = [gallery.picture("andersson_5_6", "Fig. 5.6, 5.7: the quarter car, its error, steps and their estimates",
                                "quarter_car", "--metric", "x")]
    result = gallery.run("andersson_quarter_car")
    deviation, states, rows_of = Deviation(1e-5), Deviation(10.0), table("andersson_quarter_car_trace")
    if len(rows_of) != trace.sizes["t"] - 1:
        raise SystemExit(f"quarter_car: {trace.sizes['t'] - 1} tries; want {len(rows_of)}")
    rejected = []
    for row, number in zip(rows_of, range(1, trace.sizes["t"])):
        here = trace.isel(t=number)
        deviation.add(here.H, row["H"])
        deviation.add(here.eps, row["ERR"])
        if int(here.accepted) != int(row["accepted"]):
            raise SystemExit(f"quarter_car: try {number}")
        if int(row["accepted"]):
            for state, column in (("chassis.x", "xc"), ("chassis.v", "vc"), ("wheel.x", "xw"), ("wheel.v", "vw")):
                states.add(here.x.sel(state=state), row[column])
        else:
            rejected.append(f"{float(here.t_start + here.H):.4f}")
    printed = ((300, 4), (92, 1), (71, 5))
    body = [[order, f"{printed[order][0]}, {printed[order][1]}",
             *(f"{int(here.steps)}, {int(here.rejected_steps)}" for setting in (0, 1)
               for here in [result.sel(setting=setting, order=order)])] for order in range(3)]
    return f"""## [A] Fig. 5.6, 5.7 and Table 5.2: the quarter car

Steps controlled by Richardson's estimate with tolerances of 1e-4, constant extrapolation, settings of the thesis (`setting` 0): positions and velocities with the exact ones dotted, the errors, the steps and the estimate with the rejected ones.

{chr(10).join(pictures)}

{gallery.commands()}

Steps and rejected steps:

{rows(["order", "Table 5.2", "settings of the thesis", "defaults of `richardson`"], body)}

- **Agreement.** For order 0 both numbers are the printed ones. Every one of the {len(rows_of)} tries is that of an independent program: steps and estimates {most(deviation.relative)} relative, states {most(states.absolute)} m or m/s. Rejected are the tries that end at {", ".join(rejected)} s.
- **Differences.** Orders 1 and 2 differ by one step from Table 5.2: the thesis prints neither its first step nor the points of the polynomials of the coarse step ([sweeps](../sweeps/README.md)). Its (5.12b) has a wrong sign ([quarter_car](../models/quarter_car/README.md)).
"""


def woodpecker(gallery):
    result = gallery.run("andersson_woodpecker")
    near = nearest(result.H, H=1e-3).item()
    body = []
    for order in 1, 2, 3:
        for t_end in 0.16, 1.0:
            here = nearest(result, order=order, t_end=t_end, H=near)
            body.append([order, t_end, int(here.exact_events.sel(event="hit")), int(here.events.sel(event="hit")),
                         *(int(here[metric].sum()) for metric in ("missed_events", "spurious_events")),
                         digits(here.event_time_error.sel(event="hit"), 2)])
    printed = sum(row["event"] == "hit" for row in table("woodpecker_events") if "as printed" in row["variant"])
    pictures = []
    for t_end in 0.16, 1:
        gallery.trace("andersson_woodpecker", f"woodpecker_{t_end}", "--at", f"t_end={t_end}", "--at", "order=2", "--at",
                      f"H={near:.4g}")
        pictures.append(gallery.picture(f"andersson_5_2_{t_end}", f"Fig. 5.2: the woodpecker until {t_end} s",
                                        f"woodpecker_{t_end}", "--metric", "y", "--signal", "bird.phi"))
    return f"""## [A] Fig. 5.2: the woodpecker

A sleeve on a bar that locks at one edge or the other, and a bird on a spring that hits the bar with its beak: impacts, and two subsystems that change their modes together. The thesis solves it as one system; here sleeve and bird are two, `taylor`, in steps of {digits(near)} s.

{chr(10).join(pictures)}

{gallery.commands()}

{rows(["order", "until, s", "hits, exact", "co-simulation", "events missed", "spurious", "RMS error of the times of hits, s"], body)}

- **Agreement.** The beak hits the bar 2 times until 0.16 s and 11 times until 1 s, as printed, in the exact solution and in the co-simulation, with all lockings and releases between.
- **Differences.** The sleeve is released from its lower lock where the forces allow it and the bird moves up. The thesis's code leaves the second condition out: its solver looks for changes of sign. Here events happen where their conditions hold, and without it the sleeve would lock and release without end. In (5.10) and (5.11) the momentum has l_G where the square is meant, which the code has; as printed the beak would hit the bar {printed} times until 1 s (the table of an independent program, which the model with that momentum meets in a test). (5.3a) lacks the reaction λ2 that its code and (5.4a) have, the code of state 1 has l_S where (5.1c) has l_G in its third residual, and Table 5.1 has inertias in kg m and a stiffness in N/rad.
"""


def van_der_pol(gallery):
    result = gallery.run("van_der_pol")
    picture = gallery.picture("andersson_3_49", "(3.49): spectral radius over position and macro step size", "van_der_pol")
    deviation = Deviation()
    for x1 in result.x1.values:
        deviation.add(float(result.H_stable_first.sel(order=0, x1=x1)), x1**2 - 1)
    second = result.H_stable_first.sel(order=1) / (result.x1**2 - 1)
    return f"""## [A] (3.49): the Van der Pol oscillator, linearised

Fig. 3.9 and 4.2 simulate x1' = x2, x2' = 10^6 ((1 - x1²) x2 - x1), whose damping is a product of states, so that no matrices say what a step does. Nonlinear models are not simulated here; what can be said of them is their stability at a point. Below the two states are subsystems, `jacobi`, linearised at rest at x1.

{picture}

{gallery.commands()}

- **Agreement.** With order 0 the largest stable step is x1² - 1, as follows by hand where the fast mode, -10^6 (x1² - 1), has decayed in a step, so that the velocity follows the position held: {most(deviation.relative)} relative at {len(result.x1)} positions. With order 1 it is {digits(second.mean(), 2)} of that. At x1 = 2 a step of 3 s is nine million time constants of the fast mode: subsystems are exact. At |x1| < 1 the oscillator itself grows, whatever the step.
- **Differences.** The thesis restarts a solver of the whole oscillator and looks at its step sizes; it does not split it.
"""


def memories(gallery):
    result = gallery.run("andersson_multistep")
    pictures = [gallery.picture(f"andersson_multistep_{word}", f"Solvers with memory, inputs {title}", "andersson_multistep",
                                "--metric", "monitor_rms", "--signal", "dx1", "--where", f"continuity={word}", "--where",
                                "order=0", "--x", "micro_steps")
                for word, title in (("none", "that jump"), ("c0", "without jumps"))]
    deviation = Deviation()
    rms = np.sqrt((result.monitor_rms**2).mean("monitor"))
    for row in table("andersson_multistep"):
        memory = "restart" if row["solver"] == "heun" else row["memory"]
        deviation.add(rms.sel(continuity=row["continuity"], order=int(row["order"]), solver=row["solver"], memory=memory,
                              micro_steps=int(row["micro_steps"])), row["rms_state_difference_from_exact_solver"])
    body, shares = [], []
    for word in "none", "c0":
        for solver, memory in (("heun", "restart"), ("ab2", "keep"), ("ab2", "restart"), ("bdf2", "keep"), ("bdf2", "restart")):
            here = rms.sel(continuity=word, order=0, solver=solver, memory=memory).values
            body.append(["jump" if word == "none" else "do not jump", solver if solver == "heun" else f"{solver}, {memory}",
                         *(digits(value, 2) for value in here), digits(np.log2(here[-2] / here[-1]))])
    errors = result.state_error.sel(continuity="none", order=0).sel(state=["mass1.x1", "mass1.v1", "mass2.x2", "mass2.v2"])
    exact = result.state_error.sel(continuity="none", order=0, solver="heun", memory="restart").sel(
        state=["exact1.x1", "exact1.v1", "exact2.x2", "exact2.v2"]).isel(micro_steps=0)
    for i, steps in enumerate(result.micro_steps.values):
        kept = errors.sel(solver="ab2", memory="keep").isel(micro_steps=i).values
        shares.append(digits(float(np.sqrt((kept**2).mean() / (exact.values**2).mean())), 3))
    return f"""## [A] 3.3.1, Fig. 3.9 and 6.2: solvers with memory

Whether a solver inside a subsystem suffers from inputs that jump at every communication point: multistep methods do, the thesis says, because they go on from slopes and states of another input, and one-step methods do not; its software can restart them. Here the two masses without feed-through, twice: one pair with the solver, one exact, H = 0.05 s, constant extrapolation. The figures show the RMS of the difference of x1 over the number of micro steps in a macro step, without the error of the coupling.

{chr(10).join(pictures)}

{gallery.commands()}

RMS of the differences over all states and communication points; order from the last two columns:

{rows(["inputs", "solver", *(f"{n:.0f} micro steps" for n in result.micro_steps.values), "order"], body)}

- **Agreement.** {deviation.values} differences agree with an independent program, {most(deviation.relative)} relative. The claim of the thesis as numbers: a memory that is kept over a jump has order 1, one that is begun anew with a one-step method order 2, whatever the solver. With linear extrapolation, whose jumps are smaller, it is the same.
- **Smooth inputs** (`continuity` `c0`) give a kept memory order 2 again, which is a reason for them; restarting is as good.
- **Differences.** What order 1 costs is bounded by the coupling, as the jumps are those of what held inputs lack: with `ab2` that keeps its memory the errors of the states against the exact solution are {", ".join(shares)} times those of exact subsystems (4 to 64 micro steps), a change by about one divided by the number of micro steps, here to the better. The thesis's figures are of the Van der Pol oscillator with a solver of variable order, which is not linear.
"""


def two_states(gallery):
    result = gallery.run("two_states")
    body, chosen = [], (("exact", "exact"), ("implicit_euler", "euler"), ("euler", "implicit_euler"), ("euler", "euler"))
    for first, second in chosen:
        here = result.sel(first=first, second=second)
        orders = [f"{float(here.state_error_order.sel(master=master, order=order, state='first.x')):.2f}"
                  for master in ("jacobi", "gauss_seidel") for order in (0, 1, 2)]
        unstable = [here.H.values[here.stable.sel(master=master, order=order).values == 0] for master in
                    ("jacobi", "gauss_seidel") for order in (0, 1, 2)]
        body.append([first, second, *orders, *(digits(min(H)) if len(H) else "none" for H in unstable)])
    pictures = [gallery.picture(f"two_states_{order}", f"Two states: error of the first, jacobi, {word} extrapolation",
                                "two_states", "--kind", "lines", "--x", "H", "--metric", "state_error", "--signal", "first.x",
                                "--where", "master=jacobi", "--where", f"order={order}", "--where", "second=euler", "--curve",
                                "first") for order, word in ((0, "constant"), (1, "linear"))]
    return f"""## [A] (1.1) to (1.4): two states

The thesis begins with the smallest co-simulation: z' = A z with one state in each subsystem, "the first could for instance be solved with the Implicit Euler method while the second could be solved with the Explicit Euler method", and asks what that does to the result and to stability, and whether to extrapolate or to let one go first. It gives no numbers; here A is -10, 4; -4, -1 1/s, z(0) = (1, 1), until 2 s. The figures have explicit Euler in the second subsystem.

{chr(10).join(pictures)}

{gallery.commands()}

Fitted orders of the error of the first state, and the first step size of 0.002, 0.005, 0.01, …, 1 s that is unstable, m the order of extrapolation, J `jacobi`, G `gauss_seidel`:

{rows(["first", "second", *(f"order, {m}{n}" for m in "JG" for n in range(3)), *(f"unstable, {m}{n}" for m in "JG" for n in range(3))],
      body)}

- **Agreement.** With exact subsystems the orders are m + 1; an Euler method in either subsystem makes them 1, whatever the extrapolation. With constant inputs a macro step is a matrix that can be written down by hand: all 180 spectral radii are its own.
- **What it shows.** Which solver is where matters for stability: implicit Euler for the fast state leaves the limit to the coupling, explicit Euler there has its own, 0.2 s without coupling. `implicit_euler` takes two micro steps in a macro step, `euler` one.
"""


FIGURES = (two_states, simulations, regions, local_errors, tolerances, memories, feedthrough_errors, van_der_pol, woodpecker, quarter_car)
