#!/usr/bin/python3
"""cosweep-mpi: check_mpi.py COSWEEP COSWEEP_MPI SOURCE OUTPUT

Results of 1, 2, 3 and 8 ranks are compared with those of the program alone, dataset by dataset; jobs end by signals to
a rank, to rank 0 and to mpirun, and go on. Exits 77 where h5py or mpirun is missing."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from checking import expect, finish
from contents import contents, thinned

if shutil.which("mpirun") is None:
    print("skipped: there is no mpirun", file=sys.stderr)
    sys.exit(77)

program, among, source, output = sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
shutil.rmtree(output, ignore_errors=True)
output.mkdir(parents=True)
random.seed(1)
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none")  # containers forbid it


def sweep(name):
    return thinned(source / "sweeps" / f"{name}.json", output)


def start(ranks, *words):
    return subprocess.Popen(["mpirun", "--oversubscribe", "-n", str(ranks), among, *map(str, words)], cwd=output,
                            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def job(ranks, *words, status=0):
    process = start(ranks, *words)
    out, said = process.communicate()
    expect(process.returncode == status, f"{ranks} ranks: {words}: exit status {process.returncode}: {said}")
    return out + said


def left(name):
    return sorted(path.name for path in output.glob(f"{name}*"))


def ranks_of(process):
    """The processes that mpirun has started, rank 0 first."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    try:
        found = sorted(map(int, children.read_text().split()))
        return [pid for pid in found if "cosweep-mpi" in Path(f"/proc/{pid}/comm").read_text()]
    except OSError:
        return []


def lives(pid):
    """Not of one that has ended and that nobody waits for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def end_by_signal(process, whom):
    ranks = ranks_of(process)
    try:
        if whom == "mpirun" or len(ranks) < 2:
            process.kill()
        elif whom == "term":
            process.send_signal(signal.SIGTERM)
        else:
            os.kill(ranks[0] if whom == "rank 0" else ranks[-1], signal.SIGKILL)
    except ProcessLookupError:
        pass
    said = process.communicate()[1]
    while any(lives(pid) for pid in ranks):  # after SIGKILL to mpirun they do a little longer
        time.sleep(0.02)
    return said


for name in ("demonstration", "stability_two_mass", "kyllingstad_controllers"):
    subprocess.run([program, "run", sweep(name), "-o", f"{name}.h5", "-q"], cwd=output, stdout=subprocess.DEVNULL)
    want = contents(output / f"{name}.h5")
    for ranks in (1, 2, 8) if name == "demonstration" else (3,):
        said = job(ranks, "run", sweep(name), "-o", "ranks.h5", "--force", "--quiet")
        expect(said == "ranks.h5\n", f"{name}: {ranks} ranks say {said}")
        expect(contents(output / "ranks.h5") == want, f"{name}: {ranks} ranks give another result")
    went_on = 0
    for attempt in range(4):
        words = ("run", sweep(name), "-o", "killed.h5", "--quiet", "--journal", "0", "--resume",
                 "--memory", random.choice(("4", "64")))  # 4 MB: windows of 4,096 runs
        process = start(random.choice((2, 3)), *words)
        try:
            said = process.communicate(timeout=random.uniform(0.7, 1.5) if attempt < 3 else None)[1]
        except subprocess.TimeoutExpired:
            said = end_by_signal(process, random.choice(("rank 1", "rank 0", "mpirun", "term")))
        went_on += "goes on from killed.h5.journal" in said
        if process.returncode == 0:
            break
    expect(contents(output / "killed.h5") == want, f"{name}: the result of jobs that were killed differs")
    expect(left("killed") == ["killed.h5"], f"{name}: left are {left('killed')}")
    (output / "killed.h5").unlink()

# ---- shards of several ranks each, and merged by several

name = "stability_two_mass"
for shard in ("1/2", "2/2"):
    job(2, "run", sweep(name), "-o", "parts.h5", "--shard", shard, "--quiet")
job(2, "merge", sweep(name), "-o", "parts.h5", "--quiet")
expect(contents(output / "parts.h5") == contents(output / f"{name}.h5"), "shards of two ranks each give another result")

# ---- the process that builds programs for a rank has the rank's environment, and is none

process = subprocess.Popen(["mpirun", "--oversubscribe", "-n", "1", "sh", "-c", f"'{among}' --build-programs </dev/null; "
                            f"'{among}' --version", ":", "-n", "1", among, "--version"], cwd=output, env=environment,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
try:
    expect(process.communicate(timeout=120)[0].startswith("cosweep "), "a rank that has built programs")
except subprocess.TimeoutExpired:
    os.killpg(process.pid, signal.SIGTERM)
    expect(False, f"ranks wait for one that builds programs: {process.communicate()[0]}")

# ---- what ends at once, with one message

said = job(3, "run", "nothing.json", status=5)
expect(said.count("nothing.json: cannot be opened") == 1, said)
said = job(3, "run", sweep(name), "-o", "parts.h5", status=5)
expect(said.count("parts.h5: exists; --force overwrites it") == 1, said)
said = job(3, "run", sweep(name), "-o", "new.h5", "--set", "method.order=9", status=3)
expect(said.count("want an integer from 0 to 3") == 1, said)
shutil.copy(output / "parts.h5.1of2.journal", output / "new.h5.journal")
said = job(3, "run", sweep(name), "-o", "new.h5", status=5)
expect(said.count("runs of another sweep, program or device: was \"shard 1 of 2\"") == 1, said)
(output / "new.h5.journal").unlink()
expect(job(3, "--version").startswith("cosweep ") and left("new.h5") == [], "a command for rank 0 alone")

finish()
