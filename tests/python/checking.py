"""What checks count: all of them, and those that found a fault, a line each on stderr; and whether they can use OpenCL."""

import ctypes
import os
import sys
from pathlib import Path

checks, faults = 0, 0


def expect(good, what):
    global checks, faults
    checks += 1
    if not good:
        faults += 1
        print(what, file=sys.stderr)


def has_opencl(what):
    """Whether the loader of OpenCL finds a driver, as tests/tools/opencl.h says; where not, `what` is said to be skipped."""
    count = ctypes.c_uint()
    if ctypes.CDLL("libOpenCL.so.1").clGetPlatformIDs(0, None, ctypes.byref(count)) == 0 and count.value > 0:
        return True
    where = os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")
    if any(Path(where).glob("*.icd")):
        sys.exit(f"drivers are installed in {where}, and the loader of OpenCL finds none")
    print(f"skipped: {what}: no OpenCL driver is installed", file=sys.stderr)
    return False


def finish(told=None):
    """Ends the script with a line on stdout, that of the counts unless another is given: exit status 0, or 1."""
    print(told or f"{checks} checks, {faults} faults")
    sys.exit(1 if faults else 0)
