"""Writes docs/gallery.md and its pictures: the figures of four papers, and some of our own, from the sweeps of
this repository.

usage: make.py [--check] [PROGRAM]

PROGRAM is build/cosweep unless given; python3 with xarray and netCDF4, and for the pictures gnuplot. With --check
nothing is written and no picture drawn: the numbers are computed anew and the page must have them. Deviations ("at
most ...") may be smaller, and larger by rounding: up to 1e-11, or 30 times where they are below 1e-9. Exits 1 where the
page is another one, 77 where a library is missing."""

import difflib
import os
import re
import sys
import tempfile

try:
    import andersson
    import car
    import controllers
    import dejaco
    import glumac
    import kyllingstad
    import methods
    from gallery import SOURCE, Gallery
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

PAGE = os.path.join(SOURCE, "docs", "gallery.md")
PICTURES = os.path.join(SOURCE, "docs", "gallery")
HEAD = """# Gallery

Figures of four papers, from the [sweeps](../sweeps/README.md) of this repository: [G] Glumac and Kovačić 2023, [K] Kyllingstad 2025, [A] Andersson 2013, [D] Dejaco and Benedikt 2017 (full titles in [methods.md](methods.md)); the last eight sections show a car in five subsystems, masters and holds compared, a sequence that turns round, samples inside the step, steps repeated to a tolerance, every kind of coupling, lines as waves, and step size controllers compared. Each section on a paper states, with numbers, what agrees with the paper, what differs, and why. Of the papers' examples one is not simulated: the Van der Pol oscillator of [A], which is nonlinear; the stability of its linearisation is below.
`docs/gallery/make.py` writes this page with its texts, tables and pictures; a test recomputes all numbers.

The papers print hardly any numbers with their figures. The results are therefore compared with tables from independent programs written from the papers, with up to 40 digits (`tests/data/`).

Run the commands in the folder of the repository, with `cosweep` on the `PATH`.
"""
BOUND = re.compile(r"(?:at most (?=\S*e-)|exactly (?=0))(\S+e-\d+|0)(?=[\s,.;:)]|$)")


def same(page, made):
    """Equal but for deviations that rounding may change."""
    if BOUND.sub("at most", page) != BOUND.sub("at most", made):
        return False
    return all(new <= old or new <= 30 * old < 3e-8 or new < 1e-11
               for old, new in zip(map(float, BOUND.findall(page)), map(float, BOUND.findall(made))))


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    check = len(words) < len(sys.argv) - 1
    program = os.path.abspath(words[0] if words else os.path.join(SOURCE, "build", "cosweep"))
    with tempfile.TemporaryDirectory() as scratch:
        gallery = Gallery(program, scratch, None if check else PICTURES)
        parts = [HEAD]
        for paper in glumac, kyllingstad, andersson, dejaco, car, methods, controllers:
            parts += [figure(gallery) for figure in paper.FIGURES]
    made = "\n".join(parts)
    if not check:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    missing = [name for name in re.findall(r'src="([^"]+)"', page)
               if not os.path.exists(os.path.join(SOURCE, "docs", name))]
    if missing:
        print(f"docs/gallery.md: no picture {', '.join(missing)}", file=sys.stderr)
        return 1
    if same(page, made):
        return 0
    sys.stderr.writelines(difflib.unified_diff(page.splitlines(True), made.splitlines(True), "docs/gallery.md",
                                               "computed now", n=0))
    return 1


if __name__ == "__main__":
    sys.exit(main())
