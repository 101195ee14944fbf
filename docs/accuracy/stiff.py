"""Figure of the deviation from quadruple precision over the stiffness of a model.

usage: judge docs/accuracy/stiff.json > stiff.csv
       python3 stiff.py stiff.csv stiff.svg          judge: tests/judge of a build with tests

Prints the largest relative deviation of every order, and draws that of every run, by gnuplot."""

import csv
import subprocess
import sys

STEP = 0.1  # s, of stiff.json


def read(path):
    """Largest relative deviation over metrics and signals: {order: {lam: deviation}}."""
    deviation = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            axes = dict(word.split("=") for word in row["axes"].split(", "))
            of_order = deviation.setdefault(int(axes["order"]), {})
            lam = float(axes["lam"])
            of_order[lam] = max(of_order.get(lam, 0.0), float(row["relative"]))
    return deviation


def draw(deviation, path):
    script = [
        "set terminal svg size 720,420 font 'sans,12' background 'white'", f"set output '{path}'", "set logscale xy",
        "set format x '10^{%T}'", "set format y '10^{%T}'", "set xlabel '||M|| H'",
        "set ylabel 'largest relative deviation'", "set yrange [1e-17:1e-8]", "set key outside right", "set grid",
        "set arrow from 16, graph 0 to 16, graph 1 nohead dashtype 2 linecolor 'gray'",
        "plot " + ", ".join(f"'-' with linespoints pointtype {order + 4} title 'order {order}'" for order in deviation)]
    for of_order in deviation.values():
        script += [f"{lam * STEP:.6g} {max(value, 1e-17):.3g}" for lam, value in sorted(of_order.items())] + ["e"]
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


def main():
    deviation = read(sys.argv[1])
    for order, of_order in sorted(deviation.items()):
        print(f"order {order}: {max(of_order.values()):.1e} over {len(of_order)} rates")
    draw(deviation, sys.argv[2])


if __name__ == "__main__":
    main()
