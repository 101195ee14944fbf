#!/usr/bin/python3
"""What users meet of journals and shards: check_journal.py COSWEEP SOURCE OUTPUT

Runs are ended by signals at random moments until they reach their result, shards of shipped sweeps are merged, and what
does not fit together is refused. Results are compared with those of runs that were left alone, dataset by dataset.
Exits 77 where h5py is missing."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from checking import expect, finish
from contents import contents, thinned

program, source, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
shutil.rmtree(output, ignore_errors=True)
output.mkdir(parents=True)
random.seed(1)


def cosweep(*words, status=0):
    """The messages of a command."""
    done = subprocess.run([program, *map(str, words)], cwd=output, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    expect(done.returncode == status, f"{' '.join(map(str, words))}: exit status {done.returncode}: {done.stderr}")
    return done.stderr + done.stdout


def sweep(name):
    """A shipped sweep, by hand with all of its points."""
    path = source / "sweeps" / f"{name}.json"
    return path if len(sys.argv) > 4 else thinned(path, output)


def left(name):
    return sorted(path.name for path in output.glob(f"{name}*"))


def whole(name):
    """The result of a run that is left alone, and the seconds that it took."""
    begun = time.monotonic()
    cosweep("run", sweep(name), "-o", f"{name}.h5", "--quiet", "--journal", "off")
    return contents(output / f"{name}.h5"), time.monotonic() - begun


def done_of(name):
    """What the journal of a result has, by pass; nothing if there is none."""
    if not (output / f"{name}.h5.journal").exists():
        return {}
    said = subprocess.run([program, "info", f"{name}.h5.journal", "--json"], cwd=output, capture_output=True, text=True)
    return json.loads(said.stdout)["done"] if said.returncode == 0 else {}  # it was removed meanwhile


def kill_until_done(name, want, seconds, most=12, vary=False):
    """Ends a run again and again; how often it went on from a journal, and how often it was ended. What a journal had
    before the signal it has afterwards. `vary`: with other tiles and less memory at each start."""
    went_on = ended = 0
    for attempt in range(most + 1):
        words = [program, "run", str(sweep(name)), "-o", "killed.h5", "--quiet", "--journal", "0", "--resume"]
        if vary:
            words += ["--tile-runs", random.choice(["64", "500", "4096"]), "--memory", random.choice(["4", "64", "256"])]
        process = subprocess.Popen(words, cwd=output, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            said = process.communicate(timeout=random.uniform(0.1, 0.8) * seconds if attempt < most else None)[1]
        except subprocess.TimeoutExpired:
            before = done_of("killed")
            how = random.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
            process.send_signal(how)
            said = process.communicate()[1]
            ended += process.returncode != 0
            after = done_of("killed")
            lost = {what: count - after.get(what, 0) for what, count in before.items() if count > after.get(what, 0)}
            there = (output / "killed.h5").exists()  # then the journal has gone
            expect(there or not lost, f"{name}: results lost by signal {how}: {lost}")
            if how != signal.SIGKILL and process.returncode == 130 and (output / "killed.h5.journal").exists():
                expect("the same command goes on from there" in said, f"{name}: interrupted without how to go on: {said}")
        went_on += "goes on from killed.h5.journal" in said
        if process.returncode == 0:
            break
    expect(contents(output / "killed.h5") == want, f"{name}: the result of runs that were killed differs")
    expect(left("killed") == ["killed.h5"], f"{name}: left are {left('killed')}")
    (output / "killed.h5").unlink()
    return went_on, ended


def kill_many(kills):
    """By hand: large sweeps with a boundary, refinement, spectra beside and variable steps, until so many ends."""
    names = ("andersson_regions", "demonstration", "stability_two_mass", "kyllingstad_controllers",
             "andersson_quarter_car", "andersson_limits")
    whole_of = {name: whole(name) for name in names}
    tally = {name: [0, 0, 0] for name in names}
    while sum(ended for _, _, ended in tally.values()) < kills:
        for name, (want, seconds) in whole_of.items():
            went_on, ended = kill_until_done(name, want, seconds, vary=True)
            tally[name] = [a + b for a, b in zip(tally[name], (1, went_on, ended))]
    for name, (results, went_on, ended) in tally.items():
        print(f"{name}: {results} results, {ended} times ended, {went_on} times gone on from a journal")


def merge(name, want, shards):
    for shard in random.sample(range(1, shards + 1), shards):
        said = cosweep("run", sweep(name), "-o", "parts.h5", "--shard", f"{shard}/{shards}", "--json")
        told = json.loads(said[said.index("{"):])
        expect(told["shard"] == shard and told["journal"] == f"parts.h5.{shard}of{shards}.journal", f"{name}: {told}")
    cosweep("merge", sweep(name), "-o", "parts.h5", "--quiet")
    expect(contents(output / "parts.h5") == want, f"{name}: {shards} shards give another result")
    for path in output.glob("parts*"):
        path.unlink()


if len(sys.argv) > 4:
    kill_many(int(sys.argv[4]))
    finish()

went_on, whole_of = 0, {}
for name in ("demonstration", "stability_two_mass", "kyllingstad_controllers", "andersson_quarter_car"):
    whole_of[name] = want, seconds = whole(name)
    went_on += kill_until_done(name, want, seconds)[0]
    merge(name, want, 1)
    merge(name, want, 3)
for name, (want, seconds) in 3 * list(whole_of.items()):  # signals that came too early or too late are sent again
    if went_on < 5:
        went_on += kill_until_done(name, want, seconds)[0]
expect(went_on >= 5, f"only {went_on} runs went on from a journal")

# ---- what does not fit together

name = "stability_two_mass"
stops = subprocess.Popen([program, "run", str(sweep(name)), "-o", "a.h5", "-q", "--journal", "0"], cwd=output)
while not (output / "a.h5.journal").exists() and stops.poll() is None:
    time.sleep(0.01)
said = cosweep("run", sweep(name), "-o", "a.h5", status=5)
expect("another process is writing it" in said, said)
stops.kill()
stops.wait()
said = cosweep("run", sweep(name), "-o", "a.h5", "--set", "name=another", status=5)
expect(re.search(r'a.h5.journal: has \d+ runs of another sweep, program or device: was "sweep stability_two_mass", '
                 r'is "sweep another"; want .*--fresh', said), said)
told = json.loads(cosweep("info", "a.h5.journal", "--json"))
expect(told["sweep"] == name and told["runs"] > told["done"]["runs"] >= 0 and len(told["sessions"]) == 1, told)
expect("journal of a run that has not ended" in cosweep("info", "a.h5.journal"), "info of a journal")
with open(output / "a.h5.journal", "ab") as file:
    file.write(b"torn")
said = cosweep("run", sweep(name), "-o", "a.h5")
expect("a.h5.journal: 4 bytes are of no whole record\n" in said and "goes on from" in said, said)
expect(contents(output / "a.h5") == contents(output / f"{name}.h5"), "the result behind a torn record differs")
said = cosweep("run", sweep(name), "-o", "a.h5", status=5)
expect("exists; --force overwrites it" in said, said)
expect("a.h5: is done" in cosweep("run", sweep(name), "-o", "a.h5", "--resume"), "a result that is there")
said = cosweep("run", sweep(name), "-o", "a.h5", "--resume", "--set", "description=other", status=5)
expect("exists; --force overwrites it" in said, said)
(output / "b.h5.journal").write_text("my thesis")
for more in ([], ["--fresh"]):
    said = cosweep("run", sweep(name), "-o", "b.h5", *more, status=5)
    expect("b.h5.journal: is no journal of cosweep; want it moved away" in said, said)
expect((output / "b.h5.journal").read_text() == "my thesis", "what is no journal was touched")
(output / "b.h5.journal").unlink()
for words in (["--shard", "0/3"], ["--shard", "4/3"], ["--shard", "1"], ["--shard", "1/3x"], ["--journal", "soon"],
              ["--journal", "-1"], ["--shard", "1/3", "--journal", "off"]):
    expect("want" in cosweep("run", sweep(name), "-o", "b.h5", *words, status=2), words)
expect(left("b.h5") == [], f"left are {left('b.h5')}")

# ---- shards that are missing

name = "andersson_quarter_car"
expect("there is no shard of it" in cosweep("merge", sweep(name), "-o", "c.h5", status=5), "no shards")
cosweep("run", sweep(name), "-o", "c.h5", "--shard", "2/3", "--quiet")
said = cosweep("merge", sweep(name), "-o", "c.h5", status=5)
expect("shard 1 of 3 is missing" in said, said)
cosweep("run", sweep(name), "-o", "c.h5", "--shard", "1/2", "--quiet")
said = cosweep("merge", sweep(name), "-o", "c.h5", status=5)
expect("there are shards of" in said, said)
(output / "c.h5.1of2.journal").unlink()
expect(left("c.h5") == ["c.h5.2of3.journal"], f"left are {left('c.h5')}")
expect("shards are journals" in cosweep("merge", sweep(name), "-o", "c.h5", "--journal", "off", status=2), "no journal")
cosweep("merge", sweep(name), "-o", "c.h5", "--complete", "--quiet")
expect(contents(output / "c.h5") == contents(output / f"{name}.h5"), "a completed merge differs")
for shard in ("1/3", "3/3"):
    cosweep("run", sweep(name), "-o", "c.h5", "--shard", shard, "--quiet")
cut = output / "c.h5.3of3.journal"
os.truncate(cut, os.path.getsize(cut) - 1)
said = cosweep("merge", sweep(name), "-o", "c.h5", "--force", status=5)
expect(re.search(r"shard 3 of 3 has \d+ of its \d+ runs; want it to be completed, or --complete", said), said)
said = cosweep("run", sweep(name), "-o", "c.h5", "--shard", "3/3")
expect("goes on from c.h5.3of3.journal" in said or "of no whole record" in said, said)
expect("shard 3 of 3 is done" in said, said)
cosweep("merge", sweep(name), "-o", "c.h5", "--force", "--quiet")
expect(contents(output / "c.h5") == contents(output / f"{name}.h5"), "a merge of three differs")


def damage(name, kind):
    """Changes a bit in the body of the first record of a kind."""
    data, at = bytearray((output / name).read_bytes()), 16
    while int.from_bytes(data[at + 4:at + 8], "little") != kind:
        at += 32 + int.from_bytes(data[at + 8:at + 16], "little")
    data[at + 40] ^= 4
    (output / name).write_bytes(data)


shard = "c.h5.1of3.journal"
damage(shard, 1)  # the plan is known
expect(f"{shard}: " in cosweep("merge", sweep(name), "-o", "c.h5", "--force"), "a damaged plan is not said")
expect("its plan cannot be read" in cosweep("info", shard, status=5), "a plan that nobody knows")
damage(shard, 3)
said = cosweep("merge", sweep(name), "-o", "c.h5", "--force", status=5)
expect(re.search(rf"{shard}: [\d,]+ bytes are of no whole record", said) and "shard 1 of 3 has" in said, said)
expect("bytes are of no whole record" in cosweep("run", sweep(name), "-o", "c.h5", "--shard", "1/3"), "not said")
expect(json.loads(cosweep("info", shard, "--json"))["dropped"] == 0, "damage is met again")
damage(shard, 3)
told = json.loads(cosweep("info", shard, "--json"))
expect(told["dropped"] > 0 and f'{told["dropped"]:,} bytes are of' in cosweep("info", shard), told)
cosweep("run", sweep(name), "-o", "c.h5", "--shard", "1/3", "--quiet")
cosweep("merge", sweep(name), "-o", "c.h5", "--force", "--quiet")
expect(contents(output / "c.h5") == contents(output / f"{name}.h5"), "a merge after damage differs")

# ---- the script for Slurm, as the page shows it: srun runs its command, and a job that is out of time is requeued

page = (source / "docs" / "clusters.md").read_text()
script = next(text for text in re.findall(r"```bash\n(#!/bin/bash\n.*?)```", page, re.S) if "--array" in text)
tools = output / "tools"
tools.mkdir()
(tools / "srun").write_text('#!/bin/sh\nshift\nexec "$@"\n')
(tools / "scontrol").write_text('#!/bin/sh\necho "$@" >>requeued\n')
(tools / "cosweep").symlink_to(Path(program).resolve())
for tool in ("srun", "scontrol"):
    (tools / tool).chmod(0o755)
(output / "shards.sh").write_text(script)
shutil.copytree(source / "models", output / "models")
text = (source / "sweeps" / "kyllingstad_controllers.json").read_text().replace("../models", "models")
text = text.replace("[0.02, 0.2, 10]", "[0.02, 0.2, 4]")
longer, found = re.subn(r'"t_end": 15\b', '"t_end": 600', text)  # so that a signal arrives before the end
expect(found == 1, "the sweep has another t_end")
(output / "sweep.json").write_text(longer)
begun = time.monotonic()
cosweep("run", "sweep.json", "-o", "alone.h5", "--quiet")
seconds = time.monotonic() - begun  # a shard takes about a third
environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", SCRATCH=str(output), SLURM_ARRAY_TASK_COUNT="3",
                   SLURM_JOB_ID="17")
for task in ("1", "2", "3"):
    environment["SLURM_ARRAY_TASK_ID"] = task
    for attempt in range(40):
        job = subprocess.Popen(["bash", "shards.sh"], cwd=output, env=environment, stdout=subprocess.DEVNULL)
        try:
            status = job.wait(timeout=(0.1 + 0.05 * attempt) * seconds if task == "2" else None)
            break
        except subprocess.TimeoutExpired:
            for child in Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split():
                os.kill(int(child), signal.SIGTERM)  # Slurm sends it to the step, not to the script
            status = job.wait()
            expect(status in (0, 130), f"task {task} that was out of time: exit status {status}")
            if status == 0:
                break
    expect(status == 0, f"task {task} of the array: exit status {status}")
expect((output / "requeued").exists() and "requeue 17" in (output / "requeued").read_text(),
       "a job that is out of time is not requeued")
cosweep("merge", "sweep.json", "-o", "out.h5", "--quiet")
expect(contents(output / "out.h5") == contents(output / "alone.h5"), "the result of the array differs")

finish()
