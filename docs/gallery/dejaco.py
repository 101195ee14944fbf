"""Dejaco and Benedikt 2017: Fig. 4 to 6, and orders of event times."""

import math

import numpy as np

from gallery import Deviation, digits, most, nearest, rows, table

SLOPES = ("samples", "derivatives")
WAYS = [(reset, slope) for reset in ("extrapolated", "joint") for slope in range(2)]
INTERRUPTION = 1e-4  # s, as published
MASSES = np.array([0.2, 0.3])  # kg


def position_error(result):
    """RMS error of both positions, m."""
    return math.sqrt(float((result.state_error.sel(state=["upper.x", "lower.x"])**2).mean()))


def counts(result, metric):
    return int(result[metric].sum())


def first_collision(trace):
    """Velocities of both masses before and after the first event, m/s."""
    at = int(trace.event.values.argmax())
    return [values.sel(state=["upper.v", "lower.v"])[at].values for values in (trace.x, trace.x_after)]


def energy(velocities):
    return float(MASSES @ velocities**2) / 2


def compare(result, name, settings, numbers):
    """Counts and errors of the co-simulation beside the table of an independent program: deviation, and rows."""
    deviation, wrong = Deviation(1e-9), 0
    for row in table(name):
        at = {**settings(row), "H": float(row["H"])}
        if at.pop("skip", False) or abs(float(nearest(result.H, H=at["H"])) - at["H"]) > 1e-9:
            continue
        here = nearest(result, **at)
        for metric in numbers:
            for event in result.event.values:
                wrong += int(here[metric].sel(event=event)) != int(row[f"{metric}[{event}]"])
        for state in ("upper.x", "lower.x"):
            deviation.add(here.state_error.sel(state=state), row[f"state_error[{state}]"])
    if wrong:
        raise SystemExit(f"{name}: {wrong} counts are others")
    return deviation


def masses(gallery):
    result = gallery.run("dejaco_macro_step")
    chosen = result.sel(interruption=INTERRUPTION)
    deviation = compare(result, "events/published",
                        lambda row: {"reset": row["reset"], "slope": float(row["slope"]),
                                     "interruption": float(row["interruption"])},
                        ("events", "late_events", "missed_events", "spurious_events"))
    body = []
    for H in 0.1, 0.3:
        for reset, slope in WAYS:
            here = nearest(chosen.sel(reset=reset).isel(slope=slope), H=H)
            first = float(here.first_divergence)
            body.append([H, reset, SLOPES[slope], *(counts(here, metric) for metric in (
                "events", "late_events", "missed_events", "spurious_events")),
                "none" if math.isnan(first) else digits(first, 4), digits(position_error(here))])
    wrong = [float(chosen.H[np.isfinite(chosen.first_divergence.sel(reset=reset).isel(slope=slope)).values.argmax()])
             for reset, slope in WAYS]
    traces = {(reset, H): gallery.trace("dejaco_masses", f"masses_{reset}_{H}", "--at", f"reset={reset}", "--at", f"H={H}")
              for H in (0.1, 0.3) for reset in ("extrapolated", "joint")}
    before, after = first_collision(traces["extrapolated", 0.3])
    right = first_collision(traces["joint", 0.3])[1]
    times = traces["extrapolated", 0.3].t.values
    hit = float(times[np.abs(times - 0.8906).argmin()])
    pictures = [gallery.picture(f"dejaco_{figure}_{reset}", f"Fig. {figure}: T = {H} s, {words}", f"masses_{reset}_{H}",
                                "--metric", "x") for figure, H in ((4, 0.1), (5, 0.3))
                for reset, words in (("extrapolated", "as published"), ("joint", "joint resets"))]
    pictures.append(gallery.picture("dejaco_divergence", "First event without partner over the macro step",
                                    "dejaco_macro_step", "--kind", "lines", "--metric", "first_divergence", "--curve",
                                    "reset,slope", "--where", f"interruption={INTERRUPTION:g}"))
    return f"""## [D] Fig. 4 and 5: two colliding masses

Two masses under a ceiling, coupled by a spring; the upper one can hit the ceiling, and both can collide. Settings as published: `gauss_seidel` with the upper mass first, which alone looks for events inside its steps; straight lines through the newest two points; a collision's reset takes the velocity of the other mass as extrapolated; after an event a step of {INTERRUPTION:g} s; macro steps end at multiples of T. Beside it, the same with `joint` resets, by velocities that both masses have at the event, and with slopes from derivatives (`taylor`).

{chr(10).join(pictures)}

{gallery.commands()}

The exact solution has five events: collisions at 0.5407, 1.6600, 4.6317 and 5.2896 s, and the ceiling at 4.9007 s. Events of the co-simulation, and the RMS error of both positions until 7 s:

{rows(["T, s", "reset", "slopes from", "events", "late", "missed", "spurious", "first without partner, s", "error, m"], body)}

- **Agreement.** T = 0.1 s finds the right events in the right order (Fig. 4), and nobody has to go back. At T = 0.3 s the upper mass hits the ceiling, which it does not in the exact solution, at {hit:.4g} s ("at t = 0.9 s"), and what follows has little to do with it (Fig. 5). Counts of events equal those of an independent program in {deviation.values // 2} runs; errors of positions {most(deviation.relative)} relative.
- **Differences.** The paper attributes the wrong event to the macro step alone. It does not come from the search but from the reset: the other mass's velocity is extrapolated over most of 0.3 s, and so wrong that the upper mass leaves the first collision with {digits(after[0])} m/s in place of {digits(right[0])}; the kinetic energy of both rises from {digits(energy(before))} to {digits(energy(after))} J. With joint resets, which keep momentum and energy, and the same search there is no such event; with slopes from derivatives besides, all five are right at 0.3 s. Smallest T with a wrong event, of 0.01 s, 0.02 s, …: {", ".join(f"{H:.2g} s ({reset}, {SLOPES[slope]})" for (reset, slope), H in zip(WAYS, wrong))}. The model's signs are ours: the paper prints neither those of its equations nor a complete reset. After an event it continues the old extrapolation for the interruption; here inputs are new at once, which makes a difference of the size of the interruption.
"""


def walls(gallery):
    result = gallery.run("dejaco_sequence")
    deviation = compare(result, "events/walls",
                        lambda row: {"first": row["first"], "reset": row["reset"], "skip": row["detect"] != "first"},
                        ("late_events", "missed_events", "spurious_events"))
    body = []
    for first in "sequence", "predicted":
        for reset in "extrapolated", "joint":
            here = nearest(result.sel(first=first, reset=reset), H=0.05)
            body.append([first, reset, *(counts(here, metric) for metric in (
                "late_events", "missed_events", "spurious_events")), int(here.sequence_changes), int(here.steps),
                int(here.evaluations), int(here.rollbacks), digits(position_error(here))])
            if int(here.rollbacks) or int(here.evaluations) != 2 * int(here.steps):
                raise SystemExit("dejaco_sequence: a subsystem is called more than once in a step")
    found = nearest(result.sel(first="predicted", reset="extrapolated"), H=0.05)
    if int(found.steps) != 140 + 2 * counts(found, "events") or counts(found, "late_events"):
        raise SystemExit("dejaco_sequence: other steps than those of T and of the events")
    pictures = []
    for first in "sequence", "predicted":
        gallery.trace("dejaco_sequence", f"walls_{first}", "--at", f"first={first}", "--at", "reset=extrapolated", "--at",
                      "H=0.05")
        pictures.append(gallery.picture(f"dejaco_6_{first}", f"Fig. 6: first subsystem: {first}", f"walls_{first}",
                                        "--metric", "x"))
    pictures.append(gallery.picture("dejaco_6_first", "Fig. 6: positions, inputs, floor and ceiling, and the first subsystem",
                                    "walls_predicted", "--metric", "y+u+monitor_value,first"))
    return f"""## [D] Fig. 6: which subsystem comes first

The same masses with a moving ceiling, and a moving floor that the lower mass can hit: both have events of their own, and only the subsystem that comes first can look for them. `first` predicted puts the one first whose event is expected next, as the paper's section 5.1 proposes. T = 0.05 s, settings otherwise as above.

{chr(10).join(pictures)}

{gallery.commands()}

{rows(["first", "reset", "late", "missed", "spurious", "changes", "steps", "calls of subsystems", "roll-backs",
       "error of positions, m"], body)}

- **Agreement.** As in Fig. 6 the prediction changes the first subsystem several times on its way (three times in the paper, four times here), and no event is late (third figure: positions with floor and ceiling, velocities, both with the inputs that extrapolate them over each step, and which subsystem is first, 0 the upper one); with a fixed sequence both hits of the floor are seen a step too late, in the paper's step CHECK ("recognized with a small delay"). Non-iterative in either case: both subsystems are called once in every step and nobody goes back. The prediction costs no calls: 140 steps of T, and two more for each of the 9 events, the rest of its step and the interruption; an event seen late adds the interruption alone, and the fixed sequence has one event more. Counts equal those of an independent program in {deviation.values // 2} runs, errors of positions {most(deviation.relative)} relative.
- **Differences.** The paper says nothing of how floor and ceiling move, so times cannot be compared; the walls here are our own. It prints no numbers of steps or calls. Its first sequence is drawn at random; here it is that of `sequence`, and of two subsystems with events ahead the earlier one comes first by straight lines, not by "some iterations". Its figure has the first subsystem in the panel of positions, walls and extrapolated inputs too; here it is below, as one axis has one unit.
"""


def at_once(gallery):
    result = gallery.run("dejaco_parallel")
    deviation, body = Deviation(), []
    for row in table("dejaco_parallel"):
        here = nearest(result.sel(first="parallel" if row["scheme"] == "predict" else "sequence"), H=float(row["T"]))
        for state in "upper", "lower":
            deviation.add(here.state_error.sel(state=f"{state}.x"), row[f"rms_{state}_x"])
    for H in result.H.values:
        one, other = (nearest(result.sel(first=first), H=float(H)) for first in ("parallel", "sequence"))
        before, after = (float(x.state_error.sel(state="upper.x")) for x in (other, one))
        body.append([f"{H:g}", int(one.steps), int(one.parallel_steps), int(other.stages), int(one.stages),
                     f"{100 * (1 - int(one.stages) / int(other.stages)):.0f} %", counts(one, "events"),
                     counts(one, "late_events"), digits(before, 3), digits(after, 3), digits(after / before, 2)])
    stages, errors = ({first: result[name].sel(first=first) for first in ("sequence", "parallel")}
                      for name in ("stages", "state_error"))
    grid, level = (np.log(x["sequence"].values[::-1].astype(float)) for x in
                   (stages, {"sequence": errors["sequence"].sel(state="upper.x")}))
    gains = [float(np.exp(np.interp(np.log(float(n)), grid, level)) / e) for n, e in
             zip(stages["parallel"].values[:3], errors["parallel"].sel(state="upper.x").values[:3])]
    picture = gallery.picture("dejaco_parallel", "Error of x1 over stages: one after the other, or at once",
                              "dejaco_parallel", "--kind", "cost", "--x", "stages", "--metric", "state_error", "--signal",
                              "upper.x", "--curve", "first")
    return f"""## [D] 5.2: at once while no event is expected

The paper's other proposal: to let both masses step at once, which takes half the time on two processors, and to go back to a sequence only where an event is expected. Settings as for Fig. 4 with joint resets; events are expected by straight lines over 1.5 steps.

{picture}

{gallery.commands()}

Stages are the subsystems' turns, one for a parallel step and two for a sequential one:

{rows(["T, s", "steps", "of them parallel", "stages in sequence", "stages", "fewer", "events", "late",
       "error of x1 in sequence, m", "error of x1, m", "ratio"], body)}

- **Agreement.** "Less time consuming, less precise", says the paper; these are the numbers. No event is late, as every one is expected. Counts, event times and errors agree with an independent program, errors {most(deviation.relative)} relative.
- **Differences.** The paper prints no numbers. With as many stages as a sequential run, and so with smaller steps, the parallel one is the more precise by {digits(min(gains), 2)} to {digits(max(gains), 2)} (figure, T up to 0.1 s): less precise holds for the same T only. At T = 0.2 s it has a collision too many.
"""


def orders(gallery):
    result = gallery.run("event_orders")
    body = []
    for master in "jacobi", "gauss_seidel":
        for hold in "taylor", "lagrange":
            here = result.sel(master=master, hold=hold)
            body.append([master, hold, *(f"{float(here.event_time_error_order.sel(event='collision', order=order)):.2f}"
                                         for order in range(4)),
                         *(f"{float(here.state_error_between_order.sel(state='upper.v', order=order)):.2f}"
                           for order in range(4))])
    pictures = [gallery.picture(f"event_orders_{hold}", f"Times of the collisions, jacobi, {hold}", "event_orders", "--metric",
                                "event_time_error", "--where", "master=jacobi", "--where", f"hold={hold}", "--signal",
                                "collision") for hold in ("taylor", "lagrange")]
    return f"""## Orders of event times

The same masses, with joint resets and the search in both subsystems, over {result.H.size} macro steps from {digits(result.H.min())} to {digits(result.H.max())} s.

{chr(10).join(pictures)}

{gallery.commands()}

Fitted orders of the times of the collisions, and of the upper mass's velocity between events, for order m = 0 to 3:

{rows(["master", "hold", "times, 0", "1", "2", "3", "velocity, 0", "1", "2", "3"], body)}

- **Theory** ([methods.md](methods.md), section 9): m + 1 with `taylor`, which takes derivatives of the new states after an event, and at most 2 with `lagrange`, whose polynomials begin anew with one point. Curves are rough because the constant of the error depends on where in its step an event falls.
"""


FIGURES = (masses, walls, at_once, orders)
