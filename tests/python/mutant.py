"""A fault of tests/scripts/mutants.txt in the file it belongs to: mutant.py FILE TEXT REPLACEMENT

TEXT has to be there exactly once; a blank in it stands for any white space."""

import re
import sys


def places(text, old):
    return list(re.finditer(r"\s+".join(re.escape(word) for word in old.split()), text))


if __name__ == "__main__":
    path, old, new = sys.argv[1:]
    with open(path) as file:
        text = file.read()
    found = places(text, old)
    if len(found) != 1:
        sys.exit(f"{len(found)} times")
    with open(path, "w") as file:
        file.write(text[: found[0].start()] + new + text[found[0].end() :])
