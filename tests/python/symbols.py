"""Global symbols of object files, read by one nm for all of them: it takes longer to start than to read one."""
import pathlib
import subprocess


def symbols(items):
    """Of each object its path, the letter of nm for a symbol ("U": not defined there) and the symbol's name."""
    items = sorted(items)
    if not items:
        return
    told = subprocess.run(["nm", "-g", "-A", "-P", *items], capture_output=True, text=True, check=True).stdout
    for line in told.splitlines():
        item, _, rest = line.rpartition(": ")
        name, kind, *_ = rest.split()
        yield pathlib.Path(item), kind, name
