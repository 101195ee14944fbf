"""What checks count: all of them, and those that found a fault, a line each on stderr; and whether they can use OpenCL."""

import ctypes
import os
import re
import subprocess
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


def devices(program, environment=None):
    """Name and driver of OpenCL's devices with double precision by index, of the table that `devices` prints."""
    done = subprocess.run([program, "devices"], capture_output=True, text=True, env=environment)
    rows = re.findall(r"^\*? +(\d+)  (\S.*?)  +\w+  +yes  +\d+  .*(?:/s|none)  (\S.*)$", done.stdout, re.M)
    return {int(index): (name, driver) for index, name, driver in rows if name != "host"}


def add_runtime(folder, alone=False):
    """Lets the loader of OpenCL find Intel's runtime of the Python that COSWEEP_TOOLS_PYTHON names (tests/scripts/tools.sh
    --get), alone, or beside the drivers of the system and that Python's own PoCL, unless OCL_ICD_VENDORS is set. Whether
    the runtime is there."""
    tools = Path(os.environ.get("COSWEEP_TOOLS_PYTHON", "")).parent.parent / "lib"
    library = tools / "libintelocl.so"
    if "OCL_ICD_VENDORS" in os.environ or not library.exists():
        return False
    vendors = Path(folder) / "vendors"
    vendors.mkdir(parents=True, exist_ok=True)
    for file in () if alone else Path("/etc/OpenCL/vendors").glob("*.icd"):
        (vendors / file.name).write_text(file.read_text())
    (vendors / "intel.icd").write_text(f"{library.resolve()}\n")
    for other in () if alone else tools.glob("python3*/site-packages/pyopencl/.libs/libpocl-*.so"):
        (vendors / "pocl_of_python.icd").write_text(f"{other.resolve()}\n")
    os.environ["OCL_ICD_VENDORS"] = str(vendors)
    return True


def finish(told=None):
    """Ends the script with a line on stdout, that of the counts unless another is given: exit status 0, or 1."""
    print(told or f"{checks} checks, {faults} faults")
    sys.exit(1 if faults else 0)
