#!/usr/bin/python3
"""Runs the fenced blocks of a Markdown page in a scratch folder and compares what they print with the page.

usage: snippets.py COSWEEP REPOSITORY PAGE.md [--keep FOLDER] [--show]

A block of sh, python, octave, r or gnuplot is run; one of json with a file's name behind it is written; what a block of
text right behind another holds is what that one prints. All run in one folder, in the order of the page, which has the
repository's models and sweeps in it and finds `cosweep`. Blocks of other languages are left alone. --keep says which
folder, and leaves it there; --show prints what the blocks print.

Exits 0, 1 with one paragraph per fault on stderr, or 77 where a program is missing and all else is well.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RUN = {
    "sh": ["bash", "-euo", "pipefail"],
    "python": ["/usr/bin/python3"],
    "octave": ["octave-cli", "--norc"],
    "r": ["Rscript", "--vanilla"],
    "gnuplot": ["gnuplot"],
}


def blocks(page):
    """(line, language, name, text) of every fenced block; a text block's language is "output" where it follows one."""
    found, end = [], 0
    text = page.read_text()
    for match in re.finditer(r"^```(\S*)[ ]?(.*)\n((?:.*\n)*?)```$", text, re.M):
        language = match[1]
        if language == "text" and found and not text[end:match.start()].strip():
            language = "output"
        found.append((text.count("\n", 0, match.start()) + 1, language, match[2].strip(), match[3]))
        end = match.end()
    return found


def lines(text):
    return [line.rstrip() for line in text.rstrip().splitlines()]


def run(command, code, folder, cosweep):
    script = folder / "snippet"
    script.write_text(code)
    environment = dict(os.environ, MPLBACKEND="Agg", LC_ALL="C.UTF-8", NO_COLOR="1",
                       PATH=f"{cosweep.parent}:{os.environ['PATH']}")
    return subprocess.run(command + [script.name], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)


def check(page, folder, cosweep, show):
    faults, missing = 0, set()
    todo = blocks(page)
    for i, (line, language, name, code) in enumerate(todo):
        if language == "json" and name:
            (folder / name).write_text(code)
        if language not in RUN:
            continue
        if not shutil.which(RUN[language][0]):
            missing.add(RUN[language][0])
            continue
        done = run(RUN[language], code, folder, cosweep)
        if show:
            print(f"--- {page.name}:{line}: {language}\n{done.stdout}{done.stderr}")
        wanted = todo[i + 1][3] if i + 1 < len(todo) and todo[i + 1][1] == "output" else ""
        if done.returncode != 0:
            faults += 1
            print(f"{page.name}:{line}: {language}: exit status {done.returncode}\n{done.stderr}", file=sys.stderr)
        elif lines(done.stdout) != lines(wanted):
            faults += 1
            print(f"{page.name}:{line}: {language}: prints\n{done.stdout}instead of\n{wanted}", file=sys.stderr)
    return faults, missing


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("cosweep", type=pathlib.Path)
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        for name in ("models", "sweeps"):
            if not (folder / name).exists():
                (folder / name).symlink_to(given.repository.resolve() / name)
        faults, missing = check(given.page, folder, given.cosweep.resolve(), given.show)
    if missing:
        print("missing: " + ", ".join(sorted(missing)), file=sys.stderr)
    sys.exit(1 if faults else 77 if missing else 0)


main()
