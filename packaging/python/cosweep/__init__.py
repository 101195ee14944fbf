"""Parameter sweeps of co-simulations: networks of linear subsystems, run by the program cosweep."""

from .network import Network
from .program import Error, Figure, axis, explain, plot, recommend, run, sample, stability, trace, zip_axis

__all__ = ["Error", "Figure", "Network", "axis", "explain", "plot", "recommend", "run", "sample",
           "stability", "trace", "zip_axis"]
