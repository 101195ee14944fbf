#!/usr/bin/python3
"""Figures for a column of a paper, 85 mm wide, as SVG and PDF: their width, and no text below 7 pt.

usage: check_paper.py COSWEEP SWEEP OUTPUT

Sizes of texts are those in the file: font-size in SVG, text matrices in PDF. Exits 0, or 1 with a line per fault on stderr.
"""

import pathlib
import re
import subprocess
import sys
import zlib

from checking import expect, finish

program, sweep, output = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
COLUMN, LEAST, INCH = 85.0, 7.0, 25.4
KINDS = ["convergence", "points"]


def cosweep(*words):
    subprocess.run([program, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def svg(path):
    """Width in mm and sizes of texts in pt; a pixel is 1/96 inch."""
    text = path.read_text()
    width = float(re.search(r'width="([0-9.]+)"', text)[1])
    return width / 96 * INCH, [0.75 * float(size) for size in re.findall(r'font-size="([0-9.]+)"', text)]


def pdf(path):
    """The same; the page and its text matrices are in points."""
    data, sizes = path.read_bytes(), []
    width = float(re.search(rb"/MediaBox *\[ *0 +0 +([0-9.]+)", data)[1])
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", data, re.S):
        try:
            text = zlib.decompress(stream)
        except zlib.error:
            continue
        for a, b in re.findall(rb"([-0-9.]+) ([-0-9.]+) [-0-9.]+ [-0-9.]+ [-0-9.]+ [-0-9.]+ Tm", text):
            sizes.append(max(abs(float(a)), abs(float(b))))
    return width / 72 * INCH, sizes


output.mkdir(parents=True, exist_ok=True)
result = output / "paper.h5"
cosweep("run", sweep, "-o", result, "--force", "--quiet")
for kind in KINDS:
    found = {}
    for ending, measure in (("svg", svg), ("pdf", pdf)):
        figure = output / f"{kind}.{ending}"
        cosweep("plot", result, "--kind", kind, "--width", "85mm", "-o", figure, "--force")
        width, sizes = measure(figure)
        found[ending] = max(sizes, default=0)
        expect(abs(width - COLUMN) < 0.5, f"{figure}: {width:.2f} mm wide, not {COLUMN}")
        expect(len(sizes) > 10, f"{figure}: {len(sizes)} texts")
        expect(min(sizes) >= LEAST, f"{figure}: a text of {min(sizes):.2f} pt, want {LEAST}")
    expect(abs(found["svg"] - found["pdf"]) < 0.1, f"{kind}: {found['svg']:.2f} pt in SVG, {found['pdf']:.2f} pt in PDF")
finish()
