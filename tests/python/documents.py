#!/usr/bin/python3
"""Runs what a page of the documentation says: documents.py PROGRAM SOURCE PAGE [--pictures] [--whole]

PAGE is a path below SOURCE. With --pictures the figures that the page shows and its commands have drawn are written to
where the page shows them from, to be looked at and committed. Everything happens in the order of the page, in a scratch
folder that looks like SOURCE to a reader of the page: `build/cosweep` and `cosweep` are PROGRAM, models/, sweeps/, docs/
and tables of tests/ are copies.

- ```sh blocks: every command, one after the other (python3 is the one that runs this); it must exit with 0, or with N
  where its line ends with a comment that says "exit status N". Of a block that installs packages or builds, only the
  commands of cosweep: the rest of it is .ci/run's to try.
- `cosweep ...` within a line of text is a command too where it names a file (or is `new` or `devices` or asks for help),
  unless it has a placeholder (dots, an ellipsis, words in capital letters).
- ```text blocks: what the commands before it have printed. Its lines must occur in that output, in this order; blanks
  count as one, and an ellipsis stands for anything: times, devices, lines left out.
- ```json blocks are JSON, or members of an object. Those of model and sweep files come to a file where the paragraph
  above names one (Save as `NAME`).
- ```python blocks are run; they are left out, with a ```text block after them, where a library is missing, which with
  --whole is a fault.
- Links to files of the repository have a target.

Exits 1 with one line per fault on stderr, 77 where what the pages use is missing: libraries, or a driver of OpenCL for
a command that asks for one."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from checking import has_opencl

COPIED = ("models", "sweeps", "docs", "bench", "tests/data", "tests/python")
FOREIGN = re.compile(r"^(export|apt-get|cmake|ctest|ninja|make|sudo|dpkg)\b")
OURS = re.compile(r"^(build/)?cosweep [a-z]")
PLACEHOLDER = re.compile(r"…|\.\.\.|\b[A-Z]{2,}\b")
COMPLETE = re.compile(r"\.(json|h5)\b|--help$| devices$| new \w+$")


class Page:
    def __init__(self, source, page, scratch):
        self.source, self.page, self.scratch = source, page, scratch
        self.output, self.faults, self.made, self.slow = "", 0, 0, []
        self.whole, self.left_out = False, False  # the block before

    def fault(self, line, what):
        self.faults += 1
        print(f"{self.page}:{line}: {what}", file=sys.stderr)

    def run(self, line, argv, want, title):
        """One command; its output counts as printed by the commands before a ```text block."""
        started = time.monotonic()
        done = subprocess.run(argv, cwd=self.scratch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        seconds = time.monotonic() - started
        self.made += 1
        self.slow.append((seconds, title))
        self.output += done.stdout
        if done.returncode != want:
            if not self.faults and "OpenCL" in done.stdout and not has_opencl(f"{self.page} from line {line}"):
                sys.exit(77)
            self.fault(line, f"{title}: exit status {done.returncode}, want {want}\n{done.stdout}")
        return done


def commands(text):
    """Commands of a sh block with their offset in lines: continued lines are one, comments none."""
    start, whole = 0, ""
    for i, line in enumerate(text):
        start = start if whole else i
        whole += line
        if whole.endswith("\\"):
            whole = whole[:-1]
            continue
        if whole.strip() and not whole.lstrip().startswith("#"):
            yield start, whole.strip()
        whole = ""


def run_shell(page, first, text):
    page.output, page.left_out = "", False
    found = list(commands(text))
    foreign = any(FOREIGN.match(command) for _, command in found)
    for offset, command in found:
        if foreign and not OURS.match(command):
            continue
        status = re.search(r"#.*exit status (\d+)", command)
        page.run(first + offset, ["bash", "-euo", "pipefail", "-c", command], int(status.group(1)) if status else 0,
                 command)


def check_output(page, first, text):
    """Every line of the block in the output, each after the one before."""
    if page.left_out:
        return
    printed = [" ".join(line.split()) for line in page.output.splitlines()]
    at = 0
    for offset, line in enumerate(text):
        want = " ".join(line.split())
        if want in ("", "…"):
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in want.split("…")) + "$")
        found = next((i for i in range(at, len(printed)) if pattern.match(printed[i])), None)
        page.made += 1
        if found is None:
            page.fault(first + offset, f"not in the output, or not in this order: {line}\n" + page.output)
            return
        at = found + 1


def save_json(page, first, text, above):
    whole = "\n".join(text)
    try:
        json.loads(whole if whole.lstrip().startswith(("{\n", '{"', "{ ")) else "{" + whole + "}")
        page.made += 1
    except ValueError as error:
        if "…" not in whole:
            page.fault(first, f"no JSON: {error}")
        return
    name = re.search(r"[Ss]ave (?:it |this |as|them )*.*?`([\w/.-]+\.json)`", above)
    if name and '"format"' in whole:
        path = os.path.join(page.scratch, name.group(1))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(whole + "\n")


def run_python(page, first, text):
    page.output = ""
    done = page.run(first, [sys.executable, "-c", "\n".join(text)], 0, "python block")
    missing = re.search(r"(?:No module named '|matplotlib is required)(\w*)", done.stdout)
    page.left_out = done.returncode != 0 and missing is not None and not page.whole
    if page.left_out:
        page.faults -= 1
        print(f"{page.page}:{first}: left out: {missing.group(0)}")


def run_inline(page, line, text):
    for command in re.findall(r"`([^`]+)`", text):
        if OURS.match(command) and COMPLETE.search(command) and not PLACEHOLDER.search(command):
            page.run(line, ["bash", "-euo", "pipefail", "-c", command], 0, command)


def check_links(page, line, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        whole = os.path.join(page.source, os.path.dirname(page.page), path) if path else \
            os.path.join(page.source, page.page)
        page.made += 1
        if not os.path.exists(whole):
            page.fault(line, f"no file {target}")
        elif anchor and whole.endswith(".md"):
            with open(whole, encoding="utf-8") as file:
                heads = [re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-")
                         for head in re.findall(r"^#+ (.*)$", file.read(), re.M)]
            if anchor not in heads:
                page.fault(line, f"no heading #{anchor} in {path or page.page}")


def read(page, text):
    """Goes through the page: blocks by their language, and what stands between them."""
    kinds = {"sh": run_shell, "text": check_output, "python": run_python}
    above, line = "", 0
    while line < len(text):
        fence = re.match(r"```(\w*)", text[line])
        if not fence:
            check_links(page, line + 1, text[line])
            run_inline(page, line + 1, text[line])
            above = text[line] if text[line].strip() else above
            line += 1
            continue
        end = text.index("```", line + 1)
        block = text[line + 1:end]
        if fence.group(1) == "json":
            save_json(page, line + 2, block, above)
        elif fence.group(1) in kinds:
            kinds[fence.group(1)](page, line + 2, block)
        line = end + 1


def write_pictures(page, text):
    """What the page shows under a name that its commands have drawn, as the gallery's pictures are."""
    sys.path.insert(0, os.path.join(page.source, "docs", "gallery"))
    from gallery import shorten
    for target in re.findall(r"!\[[^]]*\]\(([^)]*\.svg)\)", "\n".join(text)):
        drawn = os.path.join(page.scratch, os.path.basename(target))
        if os.path.exists(drawn):
            with open(drawn, encoding="utf-8") as file:
                small = shorten(file.read())
            with open(os.path.join(page.source, os.path.dirname(page.page), target), "w", encoding="utf-8") as file:
                file.write(small)


def furnish(source, program, scratch):
    """What a reader has: the repository's examples, and the program in build/ and on the PATH."""
    for name in COPIED:
        shutil.copytree(os.path.join(source, name), os.path.join(scratch, name),
                        ignore=shutil.ignore_patterns("*.h5", "__pycache__"))
    os.makedirs(os.path.join(scratch, "build"))
    os.symlink(program, os.path.join(scratch, "build", "cosweep"))
    os.symlink(sys.executable, os.path.join(scratch, "build", "python3"))
    os.environ["PATH"] = os.path.join(scratch, "build") + os.pathsep + os.environ["PATH"]
    os.environ["MPLBACKEND"] = "Agg"


def main():
    program, source, name = (os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3])
    missing = [tool for tool, there in (("gnuplot", shutil.which("gnuplot")),
                                        ("python3-xarray", importlib.util.find_spec("xarray"))) if not there]
    if missing:
        print(f"skipped: no {', '.join(missing)}", file=sys.stderr)
        return 77
    with open(os.path.join(source, name), encoding="utf-8") as file:
        text = file.read().split("\n")
    with tempfile.TemporaryDirectory() as scratch:
        page = Page(source, name, scratch)
        page.whole = "--whole" in sys.argv[4:]
        furnish(source, program, scratch)
        read(page, text)
        if "--pictures" in sys.argv[4:]:
            write_pictures(page, text)
    for seconds, title in sorted(page.slow, reverse=True)[:5]:
        print(f"{seconds:6.1f} s  {title}")
    print(f"{name}: {page.made} checks, {page.faults} faults, {sum(s for s, _ in page.slow):.0f} s")
    return 1 if page.faults else 0


if __name__ == "__main__":
    sys.exit(main())
