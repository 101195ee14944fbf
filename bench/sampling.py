"""Programs run in turn, their times, medians, JSON lines."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

TIMES = ("seconds", "core_seconds", "device_seconds", "process_seconds", "process_core_seconds")


class Failure(Exception):
    """A program that did not do its work; the text says why, in one line."""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def call(command, environment, limit):
    """Runs a program; its JSON line with the wall clock and the processor time of the whole process added."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        try:
            process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err, env=environment)
        except OSError as error:
            raise Failure(f"{command[0]}: {error.strerror}") from None
        usage = wait(process, start + limit)
        seconds = time.perf_counter() - start
        out.seek(0)
        err.seek(0)
        if usage is None:
            raise Failure(f"{os.path.basename(str(command[0]))}: stopped after {limit} s")
        if process.returncode:
            raise Failure(f"exit status {process.returncode}: {last_line(err.read())}")
        line = json.loads(last_line(out.read()))
    return {**line, "process_seconds": seconds, "process_core_seconds": usage.ru_utime + usage.ru_stime}


def wait(process, deadline):
    """The resources that a process took, None if it had to be killed. Leaves its exit status in the object."""
    pause = 0.0005  # s, below what the shortest program takes
    while True:
        found, status, usage = os.wait4(process.pid, os.WNOHANG)
        if found:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage
        if time.perf_counter() > deadline:
            process.kill()
            os.wait4(process.pid, 0)
            process.returncode = -9
            return None
        time.sleep(pause)


def interleave(variants, repeats, note):
    """Calls every variant in turn, `repeats` rounds after one that is not measured, so that a machine whose clock or
    load drifts treats all alike. Gives {name: [sample...]} and {name: reason} of those that failed; `note` is told the
    round."""
    samples, missing, first = {name: [] for name in variants}, {}, {}
    for number in range(repeats + 1):
        note(number)
        for name, sample in variants.items():
            if name in missing:
                continue
            try:
                taken = sample()
            except Failure as failure:
                missing[name] = str(failure)
                continue
            if number:
                samples[name].append(taken)
            else:
                first[name] = taken["process_seconds"]
    for name in samples:
        for sample in samples[name]:
            sample["first_seconds"] = first[name]
    return {name: taken for name, taken in samples.items() if name not in missing}, missing


def median(samples):
    """One line from the samples of a variant: medians of the times, and how far the processor times lie apart."""
    line = dict(samples[0])
    for key in TIMES:
        if key in line:
            line[key] = statistics.median(sample[key] for sample in samples)
    cores = [sample["process_core_seconds"] for sample in samples]
    line["spread"] = (max(cores) - min(cores)) / line["process_core_seconds"]
    line["repeats"] = len(samples)
    return line


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value


def emit(line):
    print(json.dumps({key: rounded(value) for key, value in line.items()}), flush=True)


def progress(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)
