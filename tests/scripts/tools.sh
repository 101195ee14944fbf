#!/usr/bin/env bash
# FMUs of this build in FMPy and libcosim: tools.sh COSWEEP [--install]. Needs a Python with fmpy and libcosimpy,
# $COSWEEP_TOOLS_PYTHON or else python3; --install gets them from the package index into a folder that is removed again.
# Exits 77, with the reason, where they are missing.
set -euo pipefail
program=$(realpath "$1") here=$(cd "$(dirname "$0")/.." && pwd)
python=${COSWEEP_TOOLS_PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "${2:-}" = --install ]; then
  "$python" -m venv "$scratch/python"
  python=$scratch/python/bin/python
  "$python" -m pip install --quiet fmpy libcosimpy
fi
PYTHONDONTWRITEBYTECODE=1 "$python" "$here/python/check_fmus.py" "$program" "$here/../models" "$here/data/tools" "$scratch/out"
