#!/usr/bin/env bash
# FMUs of this build in other programs, and theirs in this one: tools.sh COSWEEP [--install] [--import]. Exported FMUs in
# FMPy and libcosim, or, with --import, FMUs and SSP files imported by the Python package. Needs a Python with fmpy and
# libcosimpy, or fmpy, scipy, xarray, h5netcdf and h5py: $COSWEEP_TOOLS_PYTHON or else python3; --install gets them from
# the package index into a folder that is removed again. Exits 77, with the reason, where they are missing.
set -euo pipefail
program=$(realpath "$1") here=$(cd "$(dirname "$0")/.." && pwd)
python=${COSWEEP_TOOLS_PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
install=false import=false
for word in "${@:2}"; do
  case $word in
    --install) install=true ;;
    --import) import=true ;;
    *) echo "tools.sh: $word; want --install or --import" >&2 && exit 2 ;;
  esac
done
packages="fmpy libcosimpy"
if $import; then packages="fmpy scipy xarray h5netcdf h5py"; fi
if $install; then
  "$python" -m venv "$scratch/python"
  python=$scratch/python/bin/python
  # shellcheck disable=SC2086
  "$python" -m pip install --quiet $packages
fi
export PYTHONDONTWRITEBYTECODE=1
if $import; then
  "$python" "$here/python/check_import_fmus.py" "$program" "$here/.." "$scratch/out"
else
  "$python" "$here/python/check_fmus.py" "$program" "$here/../models" "$here/data/tools" "$scratch/out"
fi
