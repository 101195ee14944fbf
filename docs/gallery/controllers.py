"""Step size controllers at equal cost; no figure of a paper."""

import numpy as np
from gallery import digits, rows

MODELS = (("compare_controllers", "Two-mass oscillator", "oscillator1.tau1", (100, 400, 1500)),
          ("compare_controllers_ring", "Ring", "cell1.v_left", (300, 1000, 3000)),
          ("compare_controllers_quarter_car", "Quarter car", "chassis.x", (1000, 3000, 6000)))
NAMES = ("equal steps", "`pi_defect`", "`richardson`", "PI.3.4", "Gustafsson", "H211b", "H312b", "predictor",
         "predictor, range")


def error_at(result, control, signal, cost):
    """The error at this cost, by a line between the two runs beside it in the logarithmic plane; none beyond them."""
    here = result.isel(control=control).sel(output=signal)
    good = here.status.values == 0
    calls, errors = here.evaluations.values[good], here.output_error.values[good]
    turn = np.argsort(calls)
    if not calls.min() <= cost <= calls.max():
        return np.nan
    return float(np.exp(np.interp(np.log(cost), np.log(calls[turn]), np.log(errors[turn]))))


def compared(gallery):
    results = [gallery.run(name) for name, *_ in MODELS]
    pictures = [gallery.picture(name, f"{title}, order 1", name, "--kind", "cost", "--signal", signal)
                for name, title, signal, _ in MODELS]
    body = []
    for result, (_, title, signal, costs) in zip(results, MODELS):
        for cost in costs:
            errors = [error_at(result, control, signal, cost) for control in range(len(NAMES))]
            body.append([title, f"{cost:,}", *(digits(error / errors[1], 2) if np.isfinite(error) else "–"
                                               for error in errors)])
    return f"""## Step size controllers at equal cost

No figure of a paper: errors of three models against the number of step calls, rejected ones included, with tolerances from 0.1 to 1e-6, `jacobi`, `lagrange` 1. Four laws act on the largest defect of a step, as `pi_defect` does: PI.3.4 ([pi34.clh](../sweeps/pi34.clh)), Gustafsson's controller, which also rejects steps ([gustafsson.clh](../sweeps/gustafsson.clh)), and Söderlind's digital filters H211b and H312b ([h211.clh](../sweeps/h211.clh), [h312.clh](../sweeps/h312.clh)). The predictor/corrector indicator ([predictor.clh](../sweeps/predictor.clh)) compares outputs with what they were extrapolated to, as they are or relative to their range so far (F3ORNITS), by the law of H211b; formulas are in [methods.md](methods.md) 7.

{chr(10).join(pictures)}

{gallery.commands()}

Errors of the output drawn, at equal numbers of step calls, divided by those of `pi_defect`:

{rows(["model", "calls", *NAMES], body)}

- **The law hardly matters.** At equal cost the errors of PI.3.4, H211b and H312b differ by at most 20 %, mostly by less than 6 %: the digital filters were made for smooth steps, not for small errors. A rejected step is lost here: Gustafsson's controller has 2 to 39 % more error at equal cost than the same law without rejection.
- **What is measured matters.** Equal steps have twice the errors of H211b's on the two masses and about 7 times on the others. Divided by the range of a signal, so that signals of different units count alike, the predictor/corrector indicator has a third to a half of the error on the quarter car, but 1.1 to 1.4 times on the two masses and 2 to 4 times on the ring. As it is, it is within 24 % of the largest defect by the same law, mostly within 5 %, and needs nothing but the values that a master receives.
- **Two half steps** (`richardson`) cost three steps, and are worth it only on the quarter car.
"""


FIGURES = (compared,)
