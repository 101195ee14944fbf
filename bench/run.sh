#!/bin/sh
# Times cosweep beside other programs: run.sh BUILD_DIR [--quick] > figures.jsonl. PYTHON: a Python with numpy and h5py.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for python in ${PYTHON:-python3 /usr/bin/python3}; do
  if "$python" -c 'import h5py, numpy' 2> /dev/null; then
    PYTHONDONTWRITEBYTECODE=1 exec "$python" "$here/run.py" "$@"
  fi
done
echo "run.sh: no Python with numpy and h5py; install python3-numpy and python3-h5py, or set PYTHON" >&2
exit 2
