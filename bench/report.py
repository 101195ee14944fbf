#!/usr/bin/env python3
"""Turns the lines of run.sh into a table in Markdown and plots, SVG and PNG: report.py figures.jsonl -o DIR."""

import argparse
import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

MAP = "stability_map"
VARY = "two_mass_vary"
STUDIES = ("two_mass_order1", "two_mass_monolithic")
COLOURS = {"step": "#4477aa", "double": "#cc6677", "auto": "#228833"}
TERMINALS = {"svg": "svg size 720,420 font 'sans,13' background '#ffffff'",
             "png": "pngcairo size 1080,630 font 'sans,14'"}


class Figures:
    def __init__(self, path):
        try:
            self.lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        except (OSError, ValueError) as error:
            sys.exit(f"report.py: {path}: {error}; want the output of run.sh")

    def of(self, *cases, missing=False):
        return [line for line in self.lines if line["case"] in cases and ("missing" in line) == missing]

    def curve(self, case, engine, **fixed):
        return [line for line in self.of(case) if line["implementation"].endswith(engine)
                and all(line[key] == value for key, value in fixed.items())]


def number(value, digits=3):
    if value is None or value == "":
        return "–"
    if isinstance(value, str):
        return value
    text = f"{value:.{digits}g}"
    return f"{float(text):,.0f}" if "e+" in text and abs(value) < 1e7 else text


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(number(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def million(value):
    return None if value is None else value / 1e6


def share(line):
    return "–" if line["fma_share"] is None else f"{100 * line['fma_share']:.0f} %"


def rivals(figures):
    lines = figures.of(*STUDIES)
    scalar = next((line["lane_steps_per_core_second_kernel"] for line in lines
                   if line["implementation"] == "scalar C"), None)
    rows = []
    for line in lines:
        rate = line["lane_steps_per_core_second_kernel"]
        star = " *" if line["case"] == STUDIES[1] else ""
        rows.append([line["implementation"] + star, million(rate), rate / scalar if rate and scalar else None,
                     line["gflops_per_core"], share(line), line["process_seconds"],
                     million(line["lane_steps_per_core_second"]), f"{100 * line['spread']:.0f} %"])
    rows += [[line["implementation"], "missing: " + line["missing"]] + [None] * 6
             for line in figures.of(*STUDIES, missing=True)]
    return table(["program", "time loop: M lane-steps per core-second", "× scalar C", "GFLOP/s per core",
                  "of the FMA peak", "whole process: s", "whole process: M lane-steps per core-second", "spread"], rows)


def agreement(figures):
    return table(["program", "largest relative difference, H ≥ 0.1 s", "of all runs"],
                 [[line["implementation"], line["largest_difference"], line["largest_difference_of_all"]]
                  for line in figures.of("agreement") if line["study"] in STUDIES])


def cold(figures):
    keys = ("cold_seconds", "cold_core_seconds", "warm_seconds", "warm_core_seconds")
    rows = [[line["study"], line["runs"], *(line[key] for key in keys), line["device"]] for line in figures.of("cold")]
    rows += [[line["study"], None, "missing: " + line["missing"]] + [None] * 4
             for line in figures.of("cold", missing=True)]
    return table(["study", "runs", "empty caches: s", "core-s", "again: s", "core-s", "computed on"], rows)


def drivers(figures):
    keys = ("cold_seconds", "cold_core_seconds", "warm_seconds", "warm_core_seconds")
    rows = [[line["study"], line["lanes"], *(line[key] for key in keys), "yes" if line["same_bytes"] else "no"]
            for line in figures.of("drivers")]
    rows += [[line["study"], None, "missing: " + line["missing"]] + [None] * 4
             for line in figures.of("drivers", missing=True)]
    return table(["driver", "lanes", "empty caches: s", "core-s", "again: s", "core-s", "bytes of the host"], rows)


def stability_map(figures):
    apart = {line["implementation"]: line["largest_difference"] for line in figures.of("agreement")
             if line["study"] == MAP}
    rows = [[line["implementation"], line["kernel_microseconds_per_point"], line["kernel_times_lapack"],
             line["process_seconds"], line["process_microseconds_per_point"], line["process_times_lapack"],
             apart.get(line["implementation"]), f"{100 * line['spread']:.0f} %"] for line in figures.of(MAP)]
    rows += [[line["implementation"], "missing: " + line["missing"]] + [None] * 6
             for line in figures.of(MAP, missing=True)]
    return table(["program", "loop or kernels: core-µs per point", "× LAPACK in C", "whole process: s",
                  "whole process: core-µs per point", "× LAPACK in C", "largest relative difference", "spread"], rows)


def vary(figures):
    apart = {line["implementation"]: line["largest_difference"] for line in figures.of("agreement")
             if line["study"] == VARY}
    rows = [[line["implementation"], million(line["lane_steps_per_core_second_kernel"]), line["times_scalar"],
             line.get("occupancy"), line["process_seconds"], million(line["lane_steps_per_core_second"]),
             apart.get(line["implementation"]), f"{100 * line['spread']:.0f} %"] for line in figures.of(VARY)]
    rows += [[line["implementation"], "missing: " + line["missing"]] + [None] * 6
             for line in figures.of(VARY, missing=True)]
    return table(["program", "loop or kernels: M lane-steps per core-second", "× scalar C", "occupancy of vectors",
                  "whole process: s", "whole process: M lane-steps per core-second", "largest relative difference",
                  "spread"], rows)


def engines(figures):
    """Times of assembly are in microseconds, rates in millions."""
    rows = [[line["states"], line["what"], line["order"], *(
        f"{number(line[f'{engine}_microseconds_per_run'])} µs per run" if line["what"] == "assembly"
        else million(line[f"{engine}_lane_steps_per_core_second"]) for engine in ("host", "opencl")), line["ratio"]]
        for line in figures.of("engines")]
    rows += [[line["states"], line["what"], line["order"], "missing: " + line["missing"], None, None]
             for line in figures.of("engines", missing=True)]
    return table(["states", "what", "order", "host: M lane-steps per core-second", "OpenCL", "host, OpenCL being 1"], rows)


def events(figures):
    rows = [[line["master"], line["order"], line["time_event_core_nanoseconds"], line["state_events_core_nanoseconds"],
             line["ratio"]] for line in figures.of("events")]
    rows += [[line["master"], line["order"], "missing: " + line["missing"], None, None]
             for line in figures.of("events", missing=True)]
    text = table(["master", "order", "step with a time event: core-ns", "with state events: core-ns", "ratio"], rows)
    for line in figures.of("events_ensemble"):
        text += (f"\n{count(line['runs'])} runs over T and reset: {number(line['seconds'])} s, "
                 f"{number(line['core_seconds'])} core-s, {count(line['steps'])} steps, occupancy of vectors "
                 f"{number(line['occupancy'])}, on {line['device']}; {count(line['runs_with_the_right_events'])} with the "
                 "events of the exact solution.\n")
    return text


def side_by_side(figures, case, key, value, engines, **fixed):
    """Rows [key, value per engine]."""
    found = {engine: {line[key]: line[value] for line in figures.curve(case, engine, **fixed)} for engine in engines}
    keys = sorted({abscissa for curve in found.values() for abscissa in curve})
    return [[abscissa, *(found[engine].get(abscissa) for engine in engines)] for abscissa in keys]


def count(value):
    return f"{value:,}".replace(",", " ")


def counted(rows):
    return [[count(row[0]), *row[1:]] for row in rows]


def crossing(rows):
    """Where the second column becomes smaller than the first for good, by lines in logarithms; None without one."""
    pairs = [(x, math.log(a / b)) for x, a, b in rows if a and b]
    for (x0, d0), (x1, d1) in reversed(list(zip(pairs, pairs[1:]))):
        if d0 <= 0 < d1:
            return x0 * (x1 / x0) ** (-d0 / (d1 - d0))
    return None


def break_even(figures, states):
    rows = side_by_side(figures, "break_even", "steps_per_run", "kernel_microseconds_per_run", ("step", "double"),
                        states=states)
    took = {line["steps_per_run"]: line.get("auto_took") for line in
            figures.curve("break_even", "auto", states=states)}
    where = crossing(rows)
    text = f"Measured break-even: {where:.0f} steps.\n\n" if where else "No crossing in this range.\n\n"
    return text + table(["steps", "step: core-µs per run", "double: core-µs per run", "auto took"],
                        [[count(row[0]), *row[1:], took.get(row[0])] for row in rows])


def document(figures):
    machine, peak = figures.of("machine")[0], figures.of("fma_peak")
    parts = [f"# Figures\n\n{machine['version']}, {machine['processor']}, {machine['cores']} cores, {machine['system']}"
             f"{', quick: sizes too small to quote' if machine['quick'] else ''}. Medians; spread is "
             "(largest - smallest)/median of the processor time.\n"]
    if peak:
        parts.append(f"FMA peak: {number(peak[0]['gflops_per_core'])} GFLOP/s per core.\n")
    if figures.of("cold", missing=True) or figures.of("cold"):
        parts += ["## From the command to the file\n", cold(figures)]
    if figures.of("drivers", missing=True) or figures.of("drivers"):
        parts += ["## Drivers of OpenCL\n", drivers(figures)]
    if figures.of(*STUDIES):
        parts += ["## Compared with other programs\n", rivals(figures), "`*`: the coupled system as one ODE, without "
                  "exchange and defects.\n", "## Agreement with cosweep\n", agreement(figures)]
    if figures.of("growth_runs"):
        parts += ["## Runs\n", table(["runs of 1000 steps", "step: s", "auto: s"], counted(side_by_side(
            figures, "growth_runs", "runs", "process_seconds", ("step", "auto"))))]
    if figures.of("growth_steps"):
        parts += ["## Steps\n", table(["steps", "step: core-µs per run", "double: core-µs per run"], counted(
            side_by_side(figures, "growth_steps", "steps_per_run", "kernel_microseconds_per_run",
                         ("step", "double"))))]
    for line in figures.of("marginal_step"):
        parts.append(f"The stepping kernel without assembly: {number(million(line['lane_steps_per_core_second']))} M "
                     f"lane-steps per core-second, {number(line['gflops_per_core'])} GFLOP/s per core, "
                     f"{share(line)} of the FMA peak.\n")
    if figures.of("growth_states"):
        parts += ["## States\n", table(["states", "step: core-µs per run of 1000 steps", "double: core-µs per run"],
                                       counted(side_by_side(figures, "growth_states", "states",
                                                            "kernel_microseconds_per_run", ("step", "double"))))]
    for states in sorted({line["states"] for line in figures.of("break_even")}):
        parts += [f"## Stepping or doubling, {states} states\n", break_even(figures, states)]
    if figures.of(VARY) or figures.of(VARY, missing=True):
        parts += ["## Variable steps\n", vary(figures)]
    if figures.of("engines") or figures.of("engines", missing=True):
        parts += ["## The host beside OpenCL\n", engines(figures)]
    if figures.of("events") or figures.of("events", missing=True):
        parts += ["## State events\n", events(figures)]
    if figures.of(MAP) or figures.of(MAP, missing=True):
        points = next((count(line["points"]) for line in figures.of(MAP)), "no")
        parts += [f"## Stability map, {points} points\n", stability_map(figures)]
    gone = [line for line in figures.of("growth_runs", "growth_steps", "growth_states", "break_even", missing=True)]
    if gone:
        parts += ["## Missing\n", table(["case", "variant", "why"], [[line["case"], line["implementation"],
                                                                      line["missing"]] for line in gone])]
    return "\n".join(parts)


def inline(name, rows):
    """Data of a plot; holes are left out."""
    return f"${name} << EOD\n" + "".join(f"{x} {y:.9g}\n" for x, y in rows if y) + "EOD\n"


def curves(figures, case, key, value, engines, labels, **fixed):
    """A plot of one line per engine, both axes logarithmic."""
    data, drawn = "", []
    ticks = sorted({line[key] for line in figures.of(case) if all(line[k] == v for k, v in fixed.items())})
    for engine in engines:
        rows = [(line[key], line[value]) for line in figures.curve(case, engine, **fixed)]
        if any(y for _, y in rows):
            data += inline(engine, rows)
            drawn.append(f"${engine} using 1:2 with linespoints lw 2 pt 7 ps 0.8 lc rgb '{COLOURS[engine]}' "
                         f"title 'engine {engine}'")
    if not drawn:
        return None
    return (f"{data}set xlabel '{labels[0]}'\nset ylabel '{labels[1]}'\nset logscale xy\n"
            f"set key top left Left reverse\nset format x '{labels[2]}'\n"
            f"set xrange [{ticks[0] / 1.2}:{ticks[-1] * 1.2}]\n"
            f"set xtics ({', '.join(str(tick) for tick in ticks)})\nset format y '10^{{%L}}'\nset grid\n"
            + "plot " + ", ".join(drawn) + "\n")


def bars(figures):
    lines = [line for line in figures.of(*STUDIES) if line["lane_steps_per_core_second_kernel"]]
    if not lines:
        return None
    lines.sort(key=lambda line: line["lane_steps_per_core_second_kernel"])
    rates = [line["lane_steps_per_core_second_kernel"] for line in lines]
    data = "$bars << EOD\n"
    for place, line in enumerate(lines):
        name = line["implementation"] + (" *" if line["case"] == STUDIES[1] else "")
        colour = "0xcc6677" if name.startswith("cosweep") else "0x4477aa"
        rate = rates[place]
        data += f"{place} {rate:.6g} {colour} \"{name}\" \"{number(rate / 1e6)} M\"\n"
    return (f"{data}EOD\nset logscale x\nset format x '10^{{%L}}'\n"
            f"set xlabel 'lane-steps simulated per core-second, time loop'\n"
            f"set yrange [-0.6:{len(lines) - 0.4}]\nset ytics nomirror scale 0\nset grid x\nset style fill solid\n"
            f"unset key\nleft = {0.5 * rates[0]}\nset xrange [left:{5 * rates[-1]}]\n"
            "plot $bars using (left):1:(left):2:($1 - 0.35):($1 + 0.35):3:ytic(4) with boxxyerror lc rgb variable, "
            "$bars using ($2 * 1.15):1:5 with labels left\n")


def plots(figures):
    yield "rivals", bars(figures)
    yield "runs", curves(figures, "growth_runs", "runs", "process_seconds", ("step", "auto"),
                         ("runs of 1000 steps", "whole program, s", "10^{%L}"))
    yield "steps", curves(figures, "growth_steps", "steps_per_run", "kernel_microseconds_per_run", ("step", "double"),
                          ("steps per run", "kernels, core-µs per run", "10^{%L}"))
    yield "states", curves(figures, "growth_states", "states", "kernel_microseconds_per_run", ("step", "double"),
                           ("states", "kernels, core-µs per run of 1000 steps", "%g"))
    for states in sorted({line["states"] for line in figures.of("break_even")}):
        yield f"break_even_{states}", curves(
            figures, "break_even", "steps_per_run", "kernel_microseconds_per_run", ("step", "double", "auto"),
            (f"steps per run, {states} states", "kernels, core-µs per run", "%g"), states=states)


def draw(name, script, folder):
    for ending, terminal in TERMINALS.items():
        text = f"set encoding utf8\nset terminal {terminal}\nset output '{folder / name}.{ending}'\n{script}"
        done = subprocess.run(["gnuplot"], input=text, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"report.py: gnuplot: {done.stderr.strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", type=Path)
    parser.add_argument("-o", dest="folder", type=Path, required=True)
    options = parser.parse_args()
    figures = Figures(options.figures)
    if not figures.of("machine"):
        sys.exit(f"report.py: {options.figures}: no line of case machine; want the output of run.sh")
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "figures.md").write_text(document(figures), encoding="utf-8")
    if not shutil.which("gnuplot"):
        sys.exit("report.py: gnuplot not found, no plots; install gnuplot-nox")
    for name, script in plots(figures):
        if script:
            draw(name, script, options.folder)


if __name__ == "__main__":
    main()
