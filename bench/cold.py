"""From the command to the file: every shipped sweep and the tutorial with empty caches, then again with what was kept."""

import shutil
import sys
from pathlib import Path

import sampling

SOURCE = Path(__file__).resolve().parent.parent
README = "glumac_fixed_step_stated"  # the README's first study


def sweeps():
    """The README's study first."""
    found = sorted(SOURCE.glob("sweeps/**/*.json"))
    return sorted(found, key=lambda path: path.stem != README)


class Cold:
    def __init__(self, cosweep, limit):
        self.cosweep, self.limit = cosweep, limit
        self.folder = cosweep.scratch / "cold"

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def call(self, words):
        environment = {**self.cosweep.environment, "COSWEEP_CACHE": str(self.folder / "kernels")}
        return sampling.call(words, environment, self.limit)

    def sweep(self, path):
        words = [self.cosweep.program, "run", path, "--json", "--quiet", "--force", "-o", self.folder / "result.h5"]
        return lambda: self.call(words + self.cosweep.named)

    def tutorial(self):
        words = [sys.executable, SOURCE / "tests" / "python" / "documents.py", self.cosweep.program, SOURCE,
                 "docs/tutorial.md"]
        return lambda: self.call(["sh", "-c", '"$@" >&2 && echo "{}"', "sh", *words])

    def time(self, case, name, sample, repeats, more=dict):
        """Cold and warm in turn; medians, and what `more` adds."""
        cold, warm = [], []
        try:
            for _ in range(repeats):
                self.clear()
                cold.append(sample())
                warm.append(sample())
        except sampling.Failure as failure:
            sampling.emit({"case": case, "study": name, "missing": str(failure)})
            return
        line = {"case": case, "study": name}
        for state, lines in (("cold", cold), ("warm", warm)):
            middle = sampling.median(lines)
            line[f"{state}_seconds"] = middle["process_seconds"]
            line[f"{state}_core_seconds"] = middle["process_core_seconds"]
        sampling.emit({**line, "runs": cold[0].get("runs"), "device": cold[0].get("device"), **more()})

    def run(self, repeats):
        for path in sweeps():
            self.time("cold", str(path.relative_to(SOURCE / "sweeps").with_suffix("")), self.sweep(path), repeats)
        self.time("cold", "tutorial", self.tutorial(), repeats)
