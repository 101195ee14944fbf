"""The README's first study on each driver of OpenCL, with empty caches, then with what was kept, with its usual lanes and
with one; and whether its results have the host's bytes."""

import sys

import cold
import sampling

sys.path.append(str(cold.SOURCE / "tests" / "python"))
from checking import devices  # noqa: E402
from contents import datasets  # noqa: E402


class Drivers(cold.Cold):
    def study(self, *words):
        path = cold.SOURCE / "sweeps" / f"{cold.README}.json"
        return lambda: self.call([self.cosweep.program, "run", path, "--json", "--quiet", "--force", "-o",
                                  self.folder / "result.h5", *words])

    def run(self, repeats):
        self.clear()
        self.study("--device", "host")()
        host = datasets(self.folder / "result.h5")
        for index, (_, driver) in devices(self.cosweep.program, self.cosweep.environment).items():
            for lanes in ("usual", "1"):
                words = [] if lanes == "usual" else ["--lanes", lanes]
                self.time("drivers", driver, self.study("--device", str(index), *words), repeats,
                          lambda: {"lanes": lanes, "same_bytes": datasets(self.folder / "result.h5") == host})
