#!/usr/bin/python3
"""Runs a sweep on two ranks, once for each call of a function that fails on one of them: ranks.py PROGRAM LIBRARY SOURCE

PROGRAM is cosweep-mpi, LIBRARY is built from fault.c. Every job has to end by itself, with the result of a job without
a fault, or with the exit status of the fault, a message, and what was there before. --most tries N calls of each
function, spread evenly, rather than all.

Prints a table, and every wrong end. Exits 0 if there is none, else 1; 77 where there is no mpirun."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

from faults import OLD, SWEEPS, arguments, choose, put_inputs, scratch

FUNCTIONS = {"memory": {4}, "process": {4, 5}}
SWEEP_OF = {"rounding": "two_mass_oscillator", "map": "linear_feedthrough"}  # passes of all kinds
PATIENCE = 60  # s, as long as dozens of these jobs


class Job:
    def __init__(self, folder, options, sweep):
        self.folder, self.options, self.sweep = folder, options, sweep
        self.words = [str(options.program), "run", f"{sweep}.json", "--device", "host", "--quiet", "--force", "-o", "out.h5"]
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_btl_vader_single_copy_mechanism="none")  # containers forbid it

    def rank(self, at, function):
        return ["-n", "1", "env", f"LD_PRELOAD={self.options.library}", f"FAULT={function}", f"FAULT_AT={at}",
                f"FAULT_CALLS={self.folder / 'calls'}", *self.words]

    def run(self, faulty, at, function):
        """Exit status, None where it did not end; messages; result."""
        (self.folder / "out.h5").write_text(OLD)
        ranks = [self.rank(at if rank == faulty else -1, function) for rank in range(2)]
        process = subprocess.Popen(["mpirun", "--oversubscribe", *ranks[0], ":", *ranks[1]], cwd=self.folder,
                                   env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        try:
            said = process.communicate(timeout=PATIENCE)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            said = process.communicate()[1]
            return None, said, b""
        return process.returncode, said, (self.folder / "out.h5").read_bytes()

    def left(self):
        return sorted({path.name for path in self.folder.iterdir()} - {"calls"})


def judge(job, function, clean, got):
    """What is wrong with an execution, or its kind: "same", "failed"."""
    status, said, result = got
    if status is None:
        return f"did not end: {said}"
    if job.left() != clean[3]:
        return f"status {status}, left are {job.left()}"
    if status == 0:
        return "same" if result == clean[2] else "status 0 with another result"
    if result != OLD.encode():
        return f"status {status} and a result"
    return "failed" if status in FUNCTIONS[function] and said else f"status {status}: {said}"


def try_all(job, rank, function, most):
    """Calls, and the verdict of each that was tried."""
    clean = (*job.run(rank, 0, function), job.left())
    if clean[0] != 0:
        return 0, [(0, f"status {clean[0]} without a fault: {clean[1]}")]
    calls = int((job.folder / "calls").read_text())
    return calls, [(n, judge(job, function, clean, job.run(rank, n, function))) for n in choose(calls, most)]


def main():
    options = arguments().parse_args()
    if shutil.which("mpirun") is None:
        print("skipped: there is no mpirun", file=sys.stderr)
        return 77
    wrong = 0
    print(f"{'sweep':10} {'rank':4} {'function':10} {'calls':>6} {'tried':>6} {'failed':>6} {'same':>6} {'WRONG':>6}")
    for sweep, model in SWEEP_OF.items():
        with scratch() as name:
            folder = pathlib.Path(name)
            put_inputs(folder, options.source, [model], {sweep: SWEEPS[sweep]})
            for function in FUNCTIONS:
                for rank in range(2):
                    calls, verdicts = try_all(Job(folder, options, sweep), rank, function, options.most)
                    kinds = [verdict for _, verdict in verdicts]
                    failed, same = kinds.count("failed"), kinds.count("same")
                    bad = len(kinds) - failed - same
                    print(f"{sweep:10} {rank:4} {function:10} {calls:6} {len(kinds):6} {failed:6} {same:6} {bad or '':>6}",
                          flush=True)
                    for n, verdict in verdicts:
                        if verdict not in ("failed", "same"):
                            print(f"WRONG: {sweep}, rank {rank}, call {n} of {function}: {verdict}", flush=True)
                    wrong += bad
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
