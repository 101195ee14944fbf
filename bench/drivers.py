"""The README's first study on each driver of OpenCL, with empty caches, then with what was kept, with its usual lanes and
with one; and whether its results have the host's bytes."""

import re
import subprocess

import h5py

import cold
import sampling


def numbers(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()].tobytes()})
                        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu"
                        and not name.startswith("provenance") else None)
    return found


class Drivers(cold.Cold):
    def devices(self):
        listed = subprocess.run([self.cosweep.program, "devices"], capture_output=True, text=True,
                                env=self.cosweep.environment)
        rows = re.findall(r"^\*? +(\d+)  (\S.*?)  +\w+  +yes  +\d+  .*(?:/s|none)  (\S.*)$", listed.stdout, re.M)
        return [(index, driver) for index, name, driver in rows if name != "host"]

    def study(self, *words):
        path = cold.SOURCE / "sweeps" / f"{cold.README}.json"
        return lambda: self.call([self.cosweep.program, "run", path, "--json", "--quiet", "--force", "-o",
                                  self.folder / "result.h5", *words])

    def run(self, repeats):
        self.clear()
        self.study("--device", "host")()
        host = numbers(self.folder / "result.h5")
        for index, driver in self.devices():
            for lanes in ("usual", "1"):
                words = [] if lanes == "usual" else ["--lanes", lanes]
                self.time("drivers", driver, self.study("--device", index, *words), repeats,
                          lambda: {"lanes": lanes, "same_bytes": numbers(self.folder / "result.h5") == host})
