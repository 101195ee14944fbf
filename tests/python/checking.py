"""What checks count: all of them, and those that found a fault, a line each on stderr."""

import sys

checks, faults = 0, 0


def expect(good, what):
    global checks, faults
    checks += 1
    if not good:
        faults += 1
        print(what, file=sys.stderr)


def finish(told=None):
    """Ends the script with a line on stdout, that of the counts unless another is given: exit status 0, or 1."""
    print(told or f"{checks} checks, {faults} faults")
    sys.exit(1 if faults else 0)
