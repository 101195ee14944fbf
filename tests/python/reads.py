"""`cosweep import` of damaged files that Python reads, many in one process: what `imports` is for MAT-files.

usage: reads.py SECONDS

Reads and answers what `serve` does, for the command `import FILE ... ANSWER` alone: the answer to the program becomes the
file ANSWER, and an error the line that it would hear. A process reads up to MANY files. What is raised has to be an error
of the package's own, raised for the purpose; anything else, files that are left, and memory beyond MOST are status 70.
Without FMPy the structure of SSP files is read alone, and no FMU."""

import importlib.util
import os
import resource
import shutil
import signal
import sys
import traceback
import warnings
from pathlib import Path

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
PACKAGE = Path(__file__).resolve().parents[2] / "packaging/python"
sys.dont_write_bytecode = True
sys.path.insert(0, str(PACKAGE))
from cosweep import reader, ssp  # noqa: E402

MANY, MOST, WRONG, PATIENCE = 500, 1 << 30, 70, 60
HAS_FMPY = importlib.util.find_spec("fmpy") is not None
if HAS_FMPY:
    import fmpy.simulation  # noqa: F401
    import scipy.linalg  # noqa: F401


class Answer(reader.Answer):
    """Into a file."""

    def __init__(self, path):
        self.file, self.shown = open(path, "wb"), None


def raised_here(error):
    """Whether a line of the package raises it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return Path(last.filename).parent == PACKAGE / "cosweep" and last.line.startswith("raise ")


def read(path, answer, options):
    if path.suffix == ".npz" or HAS_FMPY:
        return reader.read(path, answer, *options)
    if path.suffix == ".ssp":
        ssp.System(path).close()
        return {}
    return reader.read(path, answer, *options)


def import_file(words):
    """Status and what is said."""
    path, output = Path(words[1]).resolve(), Path(words[-1]).resolve()
    given = {key[2:]: reader.number(value, int if key == "--states" else float) for key, value in zip(words, words[1:])
             if key in ("--identify", "--states", "--at", "--step")}
    options = [given.get(key) for key in ("identify", "states", "at", "step")]
    answer = Answer(f"{output}.part")
    home = os.getcwd()
    try:
        answer.give(read(path, answer, options))
        status, said = 0, ""
        answer.file.close()
        os.rename(f"{output}.part", output)
    except BaseException as error:
        status, said = reader.judged(path, error)
        said = " ".join(said.split())[:reader.LONGEST]
        if isinstance(error, MemoryError):
            status, said = WRONG, "more memory than such a file may take"
        elif not isinstance(error, (ValueError, OSError, ImportError)) or not raised_here(error):
            status, said = WRONG, f"{said}: " + " ".join(traceback.format_exc().split("\n")[-6:-1])
    os.chdir(home)
    answer.file.close()
    Path(f"{output}.part").unlink(missing_ok=True)
    left = os.listdir(os.environ["TMPDIR"])
    if left:
        status, said = WRONG, f"left {left}: {said}"
        shutil.rmtree(os.environ["TMPDIR"])
        os.mkdir(os.environ["TMPDIR"])
    return status, said


def limit():
    """Above what the process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MOST,) * 2)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def work(lines, answers, seconds):
    limit()
    warnings.simplefilter("ignore")
    nothing = os.open("/dev/null", os.O_WRONLY)
    os.dup2(nothing, 1)  # what FMUs and libraries say
    for line in lines:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.alarm(PATIENCE * seconds)
        status, said = import_file(line.rstrip("\n").split("\t"))
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        Path("err").write_text(said + "\n" if said else "", encoding="utf-8", errors="replace")
        answers.write(f"{status << 8}\n")
        answers.flush()
    os._exit(0)


class Worker:
    def __init__(self, seconds):
        shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)  # of one that has crashed
        os.mkdir(os.environ["TMPDIR"])
        there, back = os.pipe(), os.pipe()
        self.files, self.process = 0, os.fork()
        if self.process == 0:
            os.close(there[1])
            os.close(back[0])
            work(os.fdopen(there[0]), os.fdopen(back[1], "w"), seconds)
        os.close(there[0])
        os.close(back[1])
        self.to, self.answers = os.fdopen(there[1], "w"), os.fdopen(back[0])

    def end(self):
        self.to.close()
        self.answers.close()
        return os.waitpid(self.process, 0)[1]

    def ask(self, line):
        """What `serve` prints, and whether the process is still there."""
        self.to.write(line)
        self.to.flush()
        answer = self.answers.readline().strip()
        self.files += 1
        if answer:
            return answer, self.files < MANY or self.end() is None
        status = self.end()
        return "late" if os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGALRM) else str(status), False


def main(seconds):
    worker = None
    Path("out").touch()
    os.environ["TMPDIR"] = str(Path("temporary").resolve())
    for line in sys.stdin:
        worker = worker or Worker(seconds)
        Path("err").write_text("")
        answer, stays = worker.ask(line)
        worker = worker if stays else None
        print(answer, flush=True)
    if worker is not None:
        worker.end()


if __name__ == "__main__":
    main(int(sys.argv[1]))
