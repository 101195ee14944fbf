"""Masters and holds at equal cost; no figure of a paper."""

import numpy as np
from gallery import digits, rows

MODELS = (("compare_methods", "Ring", "cell1.v_left", 6000), ("compare_methods_two_mass", "Two-mass oscillator",
          "oscillator1.tau1", 2000), ("compare_methods_quarter_car", "Quarter car", "chassis.x", 4000))
METHODS = ("`jacobi`, `lagrange`", "`gauss_seidel`, `lagrange`", "the same backwards", "converged, `lagrange`",
           "`jacobi`, `lagrange`, `c0`", "converged, `hermite`", "`jacobi`, `taylor`")


def error_at(result, method, order, signal, cost):
    """The error at this cost, by a line between the two runs beside it in the logarithmic plane."""
    here = result.sel({"method": method, "order": order, "output": signal})
    calls, errors = here.evaluations.values, here.output_error.values
    if not np.isfinite(errors).any():
        return np.nan
    turn = np.argsort(calls)
    return float(np.exp(np.interp(np.log(cost), np.log(calls[turn]), np.log(errors[turn]))))


def compared(result, order, signal, cost):
    """Errors of all methods, divided by that of the first."""
    errors = [error_at(result, method, order, signal, cost) for method in range(len(METHODS))]
    return [digits(error / errors[0], 2) if np.isfinite(error) else "–" for error in errors]


def work(gallery):
    results = [gallery.run(name) for name, *_ in MODELS]
    pictures = [gallery.picture(f"{name}_{order}", f"{title}, order {order}", name, "--kind", "cost", "--where",
                                f"order={order}", "--signal", signal)
                for name, title, signal, _ in MODELS for order in (1, 3)]
    body = [[title, order, f"{cost:,}", *compared(result, order, signal, cost)]
            for result, (_, title, signal, cost) in zip(results, MODELS) for order in range(4)]
    return f"""## Masters and holds at equal cost

No figure of a paper: errors of three models against the number of step calls, `feedthrough` solved, for every master and hold but `backward_difference`, which gains nothing beyond order 1. A curve that ends with large errors on the left is unstable there.

{chr(10).join(pictures)}

{gallery.commands()}

Errors of the output drawn, at equal numbers of step calls, divided by those of `jacobi` with `lagrange` of the same order (`hermite` has order 3 alone):

{rows(["model", "order", "calls", *METHODS], body)}

- **At equal cost** another order is worth more than another master: with `lagrange` most ratios in a row are between 0.2 and 2.5, whereas at the right of the pictures errors of order 3 are 10^3 to 10^5 below those of order 1.
- **Sequence.** Which subsystem `gauss_seidel` has go first matters as much as the master: with the oscillator or the wheel first that was last, errors of order 1 are a fifth to a quarter, for the same calls.
- **Converged** iterations cost two calls of every subsystem in a step, as if their Jacobian were at hand, so that a step is twice as long for the same cost. What they buy is stability: with `lagrange` their curves do not turn up at large steps where those of `jacobi` do.
- **Derivatives** are worth most: `taylor`, which exchanges three of them, and `hermite`, which exchanges one, have the smallest errors of order 3, if the subsystems can give them.
- **Inputs that do not jump** (`c0`) cost a factor in the error, and stability; what they save is inside subsystems with solvers that adapt their steps, which this count does not see.
"""


def alternating(gallery):
    result = gallery.run("alternating")
    limits = [[name, *(f"{float(result.output_error_order.isel(coupling=i).sel(output=output)):.2f}"
                       for output in ("mass1.x1", "mass2.v2")),
               *(digits(float(result.output_error.isel(coupling=i, H=at).sel(output="mass1.x1"))) for at in (0, 9, 18)),
               f"{float(result.spectral_radius.isel(coupling=i, H=18)):.4f}"]
              for i, name in enumerate(("`jacobi`, order 0", "`gauss_seidel`, order 0", "alternating, order 0",
                                        "`jacobi`, order 1"))]
    picture = gallery.picture("alternating", "Three masses: error of x1", "alternating", "--signal", "mass1.x1")
    H = [float(result.H[at]) for at in (0, 9, 18)]
    return f"""## A sequence that turns round

No figure of a paper: `gauss_seidel` whose order is reversed in every second step (`sequence: "alternating"`), with constants, beside what costs the same. What an input lacks while it is old it has too much while it is new, so that the means cancel over two steps.

{picture}

{gallery.commands()}

{rows(["coupling", "order of x1", "of v2", *(f"error of x1 at H = {h:.4f} s" for h in H), f"spectral radius at H = {H[2]:.4f} s"], limits)}

- **Order 2 with constants**, without history, derivatives or repetitions. Each of the two orders alone has order 1.
- **Stability.** The radius of the alternating sequence, that of two steps, is below 1 at every H of the sweep, up to 0.5 s; `jacobi` of order 1 has the limit 0.169 s. Feed-through between subsystems leaves order 1 ([methods.md](methods.md) section 2).
"""


def waveforms(gallery):
    result = gallery.run("waveforms")
    names = ("`waveform` 1", "`waveform` 2", "`waveform` 3", "`waveform` 3, equal nodes", "`lagrange` 3", "`hermite`")
    H = [float(result.H[at]) for at in (0, 8, 16)]
    errors = [[name, *(f"{float(result.output_error_order.isel(coupling=i).sel(output=output)):.2f}"
                       for output in ("mass1.x1", "mass2.v2")),
               *(digits(float(result.output_error.isel(coupling=i, H=at).sel(output="mass1.x1"))) for at in (0, 8, 16))]
              for i, name in enumerate(names)]
    over = gallery.picture("waveforms", "Three masses, converged: error of x1", "waveforms", "--signal", "mass1.x1")
    cost = gallery.picture("waveforms_cost", "Three masses, converged: error of x1", "waveforms", "--kind", "cost", "--signal",
                           "mass1.x1")
    least = [float(result.spectral_radius.isel(coupling=i).max()) for i in range(4)]
    return f"""## Samples inside the step

No figure of a paper: steps repeated until nothing changes, with inputs through samples inside the step (`hold: "waveform"`), as with the substeps of preCICE 3, beside polynomials through points before it and `hermite`, which needs derivatives.

{over}{cost}

{gallery.commands()}

{rows(["hold, order", "order of x1", "of v2", *(f"error of x1 at H = {h:.4f} s" for h in H)], errors)}

- **Orders 2, 4, 6** at communication points with 1, 2 and 3 samples, no derivatives and no history. Of three samples it matters where they are: at the nodes of Lobatto's quadrature errors have order 6, at equal ones 4.
- **At equal cost** three samples are below everything else at steps up to 0.3 s, with the same number of step calls: a subsystem that is sampled inside is advanced once.
- **Stability.** The radius of none of them is above {digits(max(least))} in the sweep, up to H = 1 s, where `jacobi` of order 1 has the limit 0.169 s.
"""


def repetitions(gallery):
    result = gallery.run("repetitions")
    names = ("plain", "relaxed by 0.5", "by 0.2", "by 0.05", "Aitken, from 0.5", "quasi-Newton, from 0.5")
    places, contractions = (120, 80, 40), (0.1, 1, 10)

    def mean(method, tolerance, place):
        here = result.isel(acceleration=method, tolerance=tolerance, m=place)
        return "diverges" if int(here.status) != 0 else f"{float(here.repetitions):.1f}" + (
            " *" if int(here.unconverged_steps) > 0 else "")

    body = [[name, *(mean(method, tolerance, place) for tolerance in (0, 2) for place in places)] for method, name in enumerate(names)]
    picture = gallery.picture("repetitions", "Damped oscillator: repetitions of a step, over the mass", "repetitions", "--metric",
                              "repetitions", "--x", "m").replace("49%", "98%")  # three panels
    newton, plain = result.isel(acceleration=5), result.isel(acceleration=0)
    fewer = [float(np.sqrt(0.11 / result.m[plain.repetitions.isel(tolerance=i) < newton.repetitions.isel(tolerance=i)].min()))
             if (plain.repetitions.isel(tolerance=i) < newton.repetitions.isel(tolerance=i)).any() else np.nan for i in range(2)]
    return f"""## Steps repeated to a tolerance

No figure of a paper: steps repeated until a repetition changes the outputs by less than a tolerance (`iterations: "tolerance"`), at most 60 times, of the damped oscillator with constants and H = 0.1 s. Its mass sets how a repetition changes what it is given: `contraction` is √(0.11 kg / m), 0.01 at the right of the pictures, 1 at 0.11 kg and 100 at their left.

{picture}

{gallery.commands()}

Mean repetitions of a step at tolerances of 10^-3 and 10^-10; *: some steps have not converged within 60:

{rows(["method", *(f"{tolerance}, contraction {contraction}" for tolerance in ("10^-3", "10^-10") for contraction in contractions)], body)}

- **Quasi-Newton** takes {float(newton.repetitions.max()):.1f} repetitions at most over all four decades of contraction and at any of the tolerances: the secants of three are the whole map of two outputs, the fourth finds that it has converged, and a fifth takes away rounding where contraction is large. The tolerance costs nothing.
- **Plain** repetitions need fewer only up to a contraction of {fewer[0]:.2f} at 10^-3 and {fewer[1]:.2f} at 10^-6, nowhere at 10^-10, and none helps beyond 1.
- **Relaxation and Aitken's factor** reach a little beyond 1, and cost more than they save below: a factor that is right for one eigenvalue of a repetition is wrong for the other, whose pair is imaginary here.
"""


COUPLED = (("compare_couplings", "Two-mass oscillator", "oscillator1.tau1"), ("compare_couplings_ring", "Ring", "cell1.v_left"),
           ("compare_couplings_quarter_car", "Quarter car", "chassis.x"),
           ("compare_couplings_oscillator", "Damped oscillator", "mass.velocity"),
           ("compare_couplings_race_car", "Race car", "chassis.rf_z"))
COUPLINGS = ("constants", "lines", "parabolas", "`gauss_seidel`, lines", "alternating, constants", "lines, compensated", "`hermite`",
             "repeated, lines", "corrected, lines", "converged, lines", "converged, cubics", "converged, `hermite`", "2 samples",
             "3 samples", "to 1e-10, lines", "to 1e-10, cubics")


def at_costs(result, signal):
    """Two numbers of step calls that all couplings but those to a tolerance have, and the errors there, divided by those
    of extrapolated lines."""
    errors, calls = result.output_error.sel(output=signal).values, result.evaluations.values
    given = calls[:-2]
    least, most = given.min(axis=1).max(), given.max(axis=1).min()
    for share in (0.5, 1):
        cost = least ** (1 - share) * most ** share
        here = []
        for own, paid, status in zip(errors, calls, result.status.values):
            turn = np.argsort(paid[status == 0])
            has = paid[status == 0][turn]
            inside = has[0] <= cost <= has[-1]
            here.append(np.exp(np.interp(np.log(cost), np.log(has), np.log(own[status == 0][turn]))) if inside else None)
        yield round(float(cost)), ["–" if error is None else digits(error / here[1], 2) for error in here]


def counted(result, coupling):
    """Step calls with all steps of which a run has succeeded under both couplings."""
    both = [COUPLINGS.index(name) for name in ("to 1e-10, cubics", "converged, cubics")]
    good = (result.status.values[both] == 0).all(axis=0)
    return result.evaluations.values[COUPLINGS.index(coupling)][good]


def couplings(gallery):
    results = [gallery.run(name) for name, *_ in COUPLED]
    pictures = [gallery.picture(name, title, name, "--kind", "cost", "--signal", signal) for name, title, signal in COUPLED]
    body = [[title, f"{cost:,}", *ratios] for result, (_, title, signal) in zip(results, COUPLED)
            for cost, ratios in at_costs(result, signal)]
    right = [float(row[2 + COUPLINGS.index("3 samples")]) for row in body[1::2]]
    paid = [counted(result, "to 1e-10, cubics") / counted(result, "converged, cubics") for result in results]
    return f"""## Every kind of coupling

No figure of a paper: errors at communication points against the number of step calls, over all that a master can do with the outputs of the subsystems: extrapolate constants, lines and parabolas, send new values along a sequence, turn that round, give back what inputs lacked, exchange slopes, repeat a step once, correct it by an interface Jacobian of first order, repeat until nothing changes, and take samples inside the step. What converges is counted as one repetition, as if its Jacobian were at hand; lines and cubics that are repeated to a tolerance of 1e-10, by quasi-Newton, with all the repetitions that they take.

{chr(10).join(pictures)}

{gallery.commands()}

Errors of the output drawn, at equal numbers of step calls, divided by those of extrapolated lines:

{rows(["model", "calls", *COUPLINGS], body)}

**Three samples inside the step, converged, are the most precise coupling of all five models at equal cost**: at the right of the pictures they have {digits(max(right), 2)} to {digits(min(right), 2)} of the error of extrapolated lines. Lines that are repeated, corrected or converged have 0.8 of it there but for the race car: a second call in a step buys stability rather than precision.

**The fixed point costs less than it is counted as where steps are small**: cubics to 1e-10 take {digits(min(p[0] for p in paid[:-1]), 2)} to {digits(max(p[0] for p in paid[:-1]), 2)} times the calls of converged ones at the smallest step, as their first guess is nearly right, but {digits(min(p[-1] for p in paid[:-1]), 2)} to {digits(max(p[-1] for p in paid[:-1]), 2)} times at the largest, and on the race car, whose 172 connections are many secants, {digits(paid[-1][0], 2)} and {digits(paid[-1][-1], 2)} times. Lines to 1e-10, whose first guess is worse, take about twice as much at the same error.
"""


def lines(gallery):
    result = gallery.run("lines")
    names = ("`jacobi`, order 0", "`jacobi`, order 1", "`gauss_seidel`, order 1", "converged, order 1", "waves")
    places = (0, 8, 16)
    H = [float(result.H[at]) for at in places]
    errors = [[name, *(digits(float(result.output_error.isel(coupling=i, H=at).sel(output="mass1.v"))) for at in places),
               int(result.stages.isel(coupling=i, H=places[0])), f"{float(result.spectral_radius.isel(coupling=i, H=16)):.4f}"]
              for i, name in enumerate(names)]
    most = float(result.spectral_radius.isel(coupling=4).max())
    order = float(result.output_error_order.isel(coupling=4).sel(output="mass1.v"))
    gain = [float((result.output_error / result.output_error.isel(coupling=4)).isel(coupling=i, H=0).sel(output="mass1.v"))
            for i in (1, 3)]
    over = gallery.picture("lines", "Two masses on a line: error of v1", "lines", "--signal", "mass1.v")
    radius = gallery.picture("lines_radius", "Two masses on a line: spectral radius", "lines", "--metric", "spectral_radius")
    return f"""## Lines as waves

No figure of a paper: two masses joined by a spring, a line of the model, that is simulated as a third subsystem or cut into two waves a macro step long (`method.lines: "waves"`), as transmission line modelling does.

{over}{radius}

{gallery.commands()}

{rows(["coupling", *(f"error of v1 at H = {h:.4f} s" for h in H), f"stages at H = {H[0]:.4f} s", f"spectral radius at H = {H[2]:.4f} s"], errors)}

- **Order {order:.2f} without history or repetitions**: waves come from the other end, a step old, and what the line reflects at once is inside the subsystem.
- **No limit of stability** in the sweep: the masses have no damping, and the spectral radius of waves is at most {most:.6f} up to 1 s, where that of `jacobi` and `gauss_seidel` exceeds 1. The error is that of the converged coupling ({1 / gain[1]:.2f} times it) at half of its stages, and {gain[0]:.1f} times below `jacobi` of order 1 at the same stages.
"""


FIGURES = (work, alternating, waveforms, repetitions, couplings, lines)
