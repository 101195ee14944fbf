"""Makes of the pure package a wheel that carries the program: where COSWEEP_CARRY names the folder that packaging/wheel.sh
has filled, the program `cosweep` and the folder `licenses` of the libraries it is linked with."""

import os
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CarryProgram(BuildHookInterface):
    def initialize(self, version, build_data):
        carried = os.environ.get("COSWEEP_CARRY")
        if not carried or self.target_name != "wheel":
            return
        machine = os.uname().machine
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-linux_{machine}"
        build_data["force_include"][str(Path(carried) / "cosweep")] = "cosweep/bin/cosweep"
        build_data["force_include"][str(Path(carried) / "licenses")] = "cosweep/bin/licenses"
        build_data["shared_scripts"][str(Path(self.root) / "start.py")] = "cosweep"
