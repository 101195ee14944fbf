"""Parameter sweeps of co-simulations: networks of linear subsystems, run by the program cosweep."""

from .answers import Figure
from .network import Network
from .program import Error
from .results import (axis, check, compare, explain, explore, export, info, merge, plot, provenance, rank, recommend,
                      report, run, sample, stability, sweep, trace, zip_axis)

__all__ = ["Error", "Figure", "Network", "axis", "check", "compare", "explain", "explore", "export", "info", "merge",
           "plot", "provenance", "rank", "recommend", "report", "run", "sample", "stability", "sweep", "trace", "zip_axis"]
