"""Damaged copies of files, for commands that have to bear them: bytes in other places, a server of commands, and a tally
of what became of each mutant (damage.py, damage_import.py)."""

import collections
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

DOCUMENTED = (0, 1, 2, 4, 5)
INTERRUPTED = 130  # what the program makes of SIGXCPU
OFTEN = 500  # mutants from one message to the next
NEVER_SET = 0xBE  # the byte that AddressSanitizer fills memory with


def scratch():
    """A folder for mutants, in memory where that is possible: what commands write is synchronised, which takes time."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


# ---- damaged bytes, a bytearray that is not empty; each returns what it did

def flip_bit(data, dice):
    at = dice.randrange(len(data))
    data[at] ^= 1 << dice.randrange(8)
    return f"bit of byte {at}"


def overwrite(data, dice):
    at, length = dice.randrange(len(data)), dice.choice((1, 2, 4, 8, 64))
    data[at:at + length] = dice.choice((b"\0", b"\xff", b"\x80", b"\x7f", bytes([dice.randrange(NEVER_SET)]))) * length
    return f"{length} bytes at {at}"


def cut(data, dice):
    size = dice.randrange(len(data))
    del data[size:]
    return f"cut at {size}"


def move(data, dice):
    length = min(dice.choice((8, 64, 512)), len(data) // 2)
    here, there = dice.randrange(len(data) - length), dice.randrange(len(data) - length)
    data[here:here + length] = data[there:there + length]
    return f"{length} bytes at {here} from {there}"


def of_file(damage):
    """The same for the file of a path."""
    def apply(path, dice):
        data = bytearray(path.read_bytes())
        what = damage(data, dice)
        path.write_bytes(data)
        return what
    return apply


# ---- commands

class Server:
    """Runs commands in a folder, of the file `mutant`, each for so many seconds of computing."""

    def __init__(self, serve, folder, mutant, limit):
        self.folder, self.mutant = folder, mutant
        self.process = subprocess.Popen([*([sys.executable] if serve.endswith(".py") else []), serve, str(limit)], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, "LD_BIND_NOW": "1"},
                                        start_new_session=True)  # Ctrl-C ends the loop over mutants, not a command

    def run(self, words):
        """Exit status and what was written; None if it did not come to an end. A fault of a child process counts."""
        print(words[0], self.mutant, *words[1:], sep="\t", file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        status = None if answer == "late" else os.waitstatus_to_exitcode(int(answer))
        if status in (-signal.SIGXCPU, INTERRUPTED):
            status = None
        return status, (self.folder / "out").read_bytes(), (self.folder / "err").read_bytes()

    def end(self):
        self.process.communicate()


MANY = b"\nimports: the process of many files ended"  # `imports` has then read the file once more, alone


def is_ours(report):
    """Whether a report of AddressSanitizer blames the program, not a library: what reads, or what has reserved the memory,
    is code of host/; the sanitizer's own functions do not count."""
    *many, alone = report.split(MANY)
    for stack in b"".join(many).split(b"\n\n")[:1] + alone.split(b"\n\n"):  # what many have reserved lies side by side
        frames = [line for line in stack.splitlines() if re.match(rb" *#\d+ ", line) and b"libsanitizer" not in line]
        if frames and b"/host/" in frames[0]:
            return True
    return False


def judge(status, out, err, want, sealed):
    """The kind of outcome; faults are in capitals."""
    if status is None:
        return "HANG"
    if b"AddressSanitizer" in err and is_ours(err) or b"runtime error" in err:
        return "INVALID ACCESS"
    if status < 0:
        return "CRASH"
    if status not in DOCUMENTED:
        return f"STATUS {status}"
    if status != 0:
        contained = b"reading it" in err
        return "refused, crash or hang of a library contained" if contained else "refused"
    if want is None:
        return "done"
    if sealed:
        return "same output" if out == want else "OTHER OUTPUT"
    return "same output" if out == want else "other output"


class Tally:
    """Outcomes of mutants; faults, in capitals, are told and their mutants kept in the working directory. SIGINT and
    SIGTERM end the loop over mutants after the present one."""

    def __init__(self, seed):
        self.seed, self.outcomes, self.faults, self.tried, self.stops = seed, collections.Counter(), 0, 0, False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.stop)

    def stop(self, *_):
        self.stops = True

    def numbers(self, count):
        """Of the mutants; tells now and then how far it has come."""
        for number in range(count):
            if self.stops:
                break
            yield number
            self.tried += 1
            if self.tried % OFTEN == 0:
                print(f"{self.tried} of {count} mutants, {self.faults} faults", file=sys.stderr, flush=True)

    def add(self, kind, outcome, mutant, number, what):
        self.outcomes[f"{kind}: {outcome}" if kind else outcome] += 1
        if outcome.isupper() or outcome.startswith("STATUS"):
            self.faults += 1
            kept = pathlib.Path(f"damaged_{self.seed}_{number}{mutant.suffix}")
            shutil.copy(mutant, kept)
            print(f"{outcome}: {kept}: {what}", file=sys.stderr, flush=True)

    def show(self):
        print(f"{self.tried} mutants")
        for outcome, times in sorted(self.outcomes.items()):
            print(f"{times:8}  {outcome}")
        return self.faults > 0
