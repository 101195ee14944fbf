"""What the figures of the gallery share: results of shipped sweeps, reference tables, pictures, and numbers as text."""

import csv
import math
import os
import re
import shlex
import subprocess

import numpy as np
import xarray as xr

MOST_SYMBOLS = 200  # of points in a picture; where there are more they hide its curves
MOST_BYTES = 60000
SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


class Gallery:
    """Runs the program in `scratch`; what it ran since commands() was asked last is what the page shows."""

    def __init__(self, program, scratch, pictures):
        self.program, self.scratch, self.pictures = program, scratch, pictures
        self.ran, self.shown = set(), []
        for name in ("sweeps", "models"):
            os.symlink(os.path.join(SOURCE, name), os.path.join(scratch, name))

    def call(self, *words):
        """cosweep with these words, from a folder that looks like the repository; the same call is run once."""
        self.shown.append("cosweep " + " ".join(shlex.quote(word) for word in words))
        if words in self.ran:
            return
        environment = dict(os.environ)
        if any(self.has_fragment(word) for word in words):
            environment["COSWEEP_DEVICE"] = "auto"  # fragments are OpenCL, which device host does not know
        done = subprocess.run([self.program, *words], cwd=self.scratch, capture_output=True, text=True, check=False,
                              env=environment)
        if done.returncode != 0:
            raise SystemExit(f"{self.shown[-1]}: exit status {done.returncode}\n{done.stderr}")
        self.ran.add(words)

    def has_fragment(self, word):
        path = os.path.join(self.scratch, word)
        if not (word.endswith(".json") and os.path.isfile(path)):
            return False
        with open(path, encoding="utf-8") as file:
            return '"kernel"' in file.read()

    def run(self, *names):
        """Shipped sweeps; the results in the same order."""
        self.call("run", *(f"sweeps/{name}.json" for name in names), *(("-o", ".") if len(names) > 1 else ()))
        results = [self.open(name) for name in names]
        return results if len(names) > 1 else results[0]

    def trace(self, sweep, name, *options):
        self.call("trace", f"sweeps/{sweep}.json", *options, "-o", f"{name}.h5")
        return self.open(name)

    def write(self, name, text):
        """A file of the scratch folder, for questions that no shipped sweep asks; not shown on the page."""
        with open(os.path.join(self.scratch, name), "w", encoding="utf-8") as file:
            file.write(text)

    def quietly(self, *words):
        shown = len(self.shown)
        self.call(*words)
        del self.shown[shown:]

    def open(self, name):
        with xr.open_dataset(os.path.join(self.scratch, name + ".h5")) as file:
            return file.load()

    def picture(self, name, title, results, *options):
        """A figure of a result, or of traces with blanks between them; its line for the page."""
        words = ["plot", *(f"{result}.h5" for result in results.split()), *options, "--title", title, "-o", name + ".svg"]
        self.shown.append("cosweep " + " ".join(map(shlex.quote, words)))
        if self.pictures:
            done = subprocess.run([self.program, *words, "--force"], cwd=self.scratch, capture_output=True, text=True,
                                  check=False)
            if done.returncode != 0:
                raise SystemExit(f"{self.shown[-1]}: exit status {done.returncode}\n{done.stderr}")
            with open(os.path.join(self.scratch, name + ".svg"), encoding="utf-8") as file:
                small = shorten(file.read())
            with open(os.path.join(self.pictures, name + ".svg"), "w", encoding="utf-8") as file:
                file.write(small)
        return f'<img src="gallery/{name}.svg" alt="{title}" width="49%">'

    def commands(self):
        shown, self.shown = self.shown, []
        return "```\n" + "\n".join(dict.fromkeys(shown)) + "\n```"


def straight(points, near):
    """Corners of a polyline that stays within `near` of these points (Douglas and Peucker)."""
    kept, spans = {0, len(points) - 1}, [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        along = points[last] - points[first]
        length = np.hypot(*along)
        off = points[first + 1:last] - points[first]
        away = np.abs(off @ [-along[1], along[0]]) / length if length else np.hypot(*off.T)
        worst = first + 1 + int(away.argmax())
        if away.max() > near:
            kept.add(worst)
            spans += [(first, worst), (worst, last)]
    return points[sorted(kept)]


def tenths(number):
    """Tenths as a decimal number, 35 as 3.5 and 40 as 4."""
    return f"{number / 10:g}"


def shorten_path(match, near):
    """A path of gnuplot's: moves and lines, without corners that nobody sees, to a tenth of a pixel."""
    pieces = []
    for piece in re.findall(r"M[^MZ]*Z?", match.group(2)):
        points = np.array(re.findall(r"(-?[\d.]+),(-?[\d.]+)", piece), dtype=float)
        corners = np.round(straight(points, near) * 10).astype(int)
        steps = [tenths(x) + ("" if y < 0 else ",") + tenths(y) for x, y in np.diff(corners, axis=0)]
        pieces.append(f"M{tenths(corners[0][0])},{tenths(corners[0][1])}" + ("l" if steps else "") + " ".join(steps) +
                      ("Z" if piece.endswith("Z") else ""))
    return match.group(1) + "".join(pieces) + match.group(3)


def shorten(svg):
    """The same picture in fewer bytes; curves with very many corners are followed less closely."""
    for near in 0.2, 0.35, 0.5:
        small = shorten_by(svg, near)
        if len(small) < MOST_BYTES:
            break
    return small


def shorten_by(svg, near):
    """Curves within `near` pixels of gnuplot's, without what it writes for nothing."""
    svg = re.sub(r"(<path (?!id)[^>]*d=')(M[-\d.,\sMLZ]*)('/>)", lambda path: shorten_path(path, near), svg)
    svg = re.sub(r"<g [^>]*>\s*<text></text>\s*</g>", "", svg)
    if svg.count("<use ") > MOST_SYMBOLS:
        svg = re.sub(r"<use [^>]*transform[^>]*/>", "", svg)
    for _ in range(3):
        svg = re.sub(r"<g [^>]*>\s*</g>\s*", "", svg)
    svg = svg.replace(' stroke-linecap="butt" stroke-linejoin="miter"', "").replace('<g fill="none" ', "<g ")
    svg = svg.replace('<g id="gnuplot_canvas">', '<g id="gnuplot_canvas" fill="none">')
    svg = re.sub(r' font-family="sans-serif" ?', " ", svg).replace("<svg ", '<svg font-family="sans-serif" ', 1)
    svg = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\d+\.\d)\d+", r"\1", tag.group(0)), svg)
    svg = re.sub(r"\n\s*\n+", "\n", svg)
    return re.sub(r"\n[\t ]+", "\n", svg).rstrip() + "\n"


def table(name):
    """Rows of a reference table of the tests."""
    with open(os.path.join(SOURCE, "tests", "data", name + ".csv"), encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


class Deviation:
    """Largest deviation from a table: relative, or absolute where the table's value is at most `zero`."""

    def __init__(self, zero=0.0):
        self.zero, self.relative, self.absolute, self.values = zero, 0.0, 0.0, 0

    def add(self, ours, theirs):
        ours, theirs = float(ours), float(theirs)
        self.values += 1
        if not math.isfinite(ours):
            raise SystemExit(f"no number where a table has {theirs}")
        if abs(theirs) <= self.zero:
            self.absolute = max(self.absolute, abs(ours - theirs))
        else:
            self.relative = max(self.relative, abs(ours - theirs) / abs(theirs))


def most(value):
    """A deviation, rounded up to one digit. The check of the page lets these differ by rounding (make.py)."""
    if value == 0:
        return "exactly 0"
    exponent = math.floor(math.log10(value))
    digit = math.ceil(value / 10.0**exponent - 1e-9)
    return f"at most {digit}e{exponent}" if digit < 10 else f"at most 1e{exponent + 1}"


def digits(value, count=3):
    return f"{float(value):.{count}g}"


def rows(head, body):
    """A table of the page."""
    lines = ["| " + " | ".join(map(str, line)) + " |" for line in [head, ["---"] * len(head), *body]]
    return "\n".join(lines)


def nearest(data, **at):
    """What stands at the nearest coordinates (numbers) or equal ones (names). Found here rather than by `sel`, which
    takes a hundred times as long for one value."""
    places = {}
    for key, value in at.items():
        along = data[key].values
        places[key] = int((along == value).argmax() if isinstance(value, str) else np.abs(along - value).argmin())
        if isinstance(value, str) and along[places[key]] != value:
            raise SystemExit(f"{key}: there is no {value}")
    if isinstance(data, xr.DataArray) and set(data.dims) == set(places):
        return data.values[tuple(places[key] for key in data.dims)]
    return data.isel(places)


def flow(matrix, t):
    """Exponential of matrix * t, by its series for a small step and squaring."""
    halvings = max(0, math.ceil(math.log2(max(np.abs(matrix).sum(1).max() * abs(t), 1e-300))) + 3)
    step = matrix * (t / 2.0**halvings)
    whole = term = np.eye(len(matrix))
    for i in range(1, 20):
        term = term @ step / i
        whole = whole + term
    for _ in range(halvings):
        whole = whole @ whole
    return whole
