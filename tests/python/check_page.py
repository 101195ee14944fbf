#!/usr/bin/python3
"""The JavaScript of the page of `cosweep explore`: check_page.py SOURCE OUTPUT

Every file is JavaScript (node --check), and all of them together, in the order in which the page has them, pass eslint:
no name that nobody declares, or that two files or a file and the browser declare, nothing unused, no assignment that a
constant would do. Exits 77 where eslint (Debian 12) or node is missing."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from checking import expect, finish

RULES = {"no-undef": "error", "no-redeclare": ["error", {"builtinGlobals": True}], "no-shadow": "error",
         "no-unused-vars": ["error", {"vars": "local", "args": "none"}], "no-dupe-keys": "error",
         "no-unreachable": "error", "no-const-assign": "error", "no-fallthrough": "error", "eqeqeq": "error",
         "no-var": "error", "prefer-const": "error", "no-implicit-globals": "off", "no-eval": "error",
         "no-implied-eval": "error", "no-new-func": "error"}
CONFIG = {"root": True, "env": {"browser": True, "es6": True},
          "globals": {"d3": "readonly", "DecompressionStream": "readonly"},
          "parserOptions": {"ecmaVersion": 2019, "sourceType": "script"}, "rules": RULES}

source, output = Path(sys.argv[1]), Path(sys.argv[2])
node, eslint = shutil.which("node"), shutil.which("eslint")
if node is None or eslint is None:
    print("skipped: eslint or node is not installed", file=sys.stderr)
    sys.exit(77)
page = source / "host" / "explore" / "page"
order = re.findall(r'"([a-z]+\.js)"', (page.parent / "explore.c").read_text())
expect(sorted(order) == sorted(file.name for file in page.glob("*.js")), f"the page has {order}, the folder other files")
for name in order:
    done = subprocess.run([node, "--check", page / name], capture_output=True, text=True)
    expect(done.returncode == 0, f"{name}: {done.stderr}")
shutil.rmtree(output, ignore_errors=True)
output.mkdir(parents=True)
whole, starts = "", []
for name in order:
    starts.append((whole.count("\n"), name))
    whole += (page / name).read_text()
(output / "page.js").write_text(whole)
(output / "rules.json").write_text(json.dumps(CONFIG))
done = subprocess.run([eslint, "--no-eslintrc", "--config", "rules.json", "--format", "unix", "page.js"], cwd=output,
                      capture_output=True, text=True, env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})
for line in done.stdout.splitlines():
    found = re.match(r".*page\.js:(\d+):\d+: (.*)", line)
    if found:
        start, name = max((start, name) for start, name in starts if start < int(found[1]))
        expect(False, f"{name}:{int(found[1]) - start}: {found[2]}")
expect(done.returncode == 0, f"eslint: exit status {done.returncode}: {done.stderr[:300]}")
finish()
