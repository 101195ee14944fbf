#!/usr/bin/python3
"""Checks that CITATION.cff has what version 1.2.0 of the format requires, and the version of the program.

usage: check_citation.py CITATION.cff VERSION

Exits 77 where yaml is missing.
"""

import sys

try:
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

path, version = sys.argv[1:]
known = {"cff-version", "message", "type", "title", "abstract", "authors", "version", "license", "keywords",
         "repository-code", "url", "doi", "identifiers", "references", "preferred-citation", "date-released"}
with open(path, encoding="utf-8") as file:
    citation = yaml.safe_load(file)
assert set(citation) <= known, set(citation) - known
assert citation["cff-version"] == "1.2.0", citation["cff-version"]
assert citation["type"] == "software" and citation["license"] == "MIT"
assert str(citation["version"]) == version, f"{path} says {citation['version']}, the program is {version}"
for key in ("message", "title", "abstract"):
    assert isinstance(citation[key], str) and citation[key].strip(), key
assert citation["authors"], "no authors"
for author in citation["authors"]:
    assert set(author) <= {"name"} or {"family-names", "given-names"} <= set(author), author
assert len(citation["keywords"]) == len(set(citation["keywords"])) > 0
