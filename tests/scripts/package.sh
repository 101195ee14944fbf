#!/usr/bin/env bash
# Makes the Debian packages as docs/install.md says, unpacks them into a scratch root, runs the program, builds the page's
# own one and uses the package for Python from there; with lintian where that is installed:
# package.sh BUILD_DIR COMPILER VERSION [C_FLAGS]
set -euo pipefail
build=$1 compiler=$2 version=$3 flags=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
for tool in dpkg-deb dpkg-shlibdeps gzip; do
  command -v $tool > /dev/null || { echo "skipped: no $tool" >&2; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "package.sh: $*"; exit 1; }

page=$here/../../docs/install.md
command=$(sed -n 's/^cd build && \(cpack .*\)/\1/p' "$page")
test -n "$command" || fail "$page makes no packages"
cd "$build"
$command -B "$scratch" > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
cd "$scratch"
names=(cosweep libcosweep-dev python3-cosweep)
if test -x "$build/cosweep-mpi"; then names+=(cosweep-mpi); fi
test "$(find . -maxdepth 1 -name '*.deb' | wc -l)" -eq ${#names[@]} || fail "want ${names[*]}, got: $(ls)"
for package in ./*.deb; do
  dpkg-deb -x "$package" root
done
program=$(echo ./cosweep_"$version"-*.deb) development=$(echo ./libcosweep-dev_"$version"-*.deb)
module=$(echo ./python3-cosweep_"$version"-*_all.deb)

field() { dpkg-deb -f "$1" "$2"; }
for name in libhdf5 libcjson1 liblapacke ocl-icd-libopencl1; do
  [[ $(field "$program" Depends) == *$name* ]] || fail "does not depend on $name: $(field "$program" Depends)"
done
for name in pocl-opencl-icd gnuplot-nox; do
  [[ $(field "$program" Recommends) == *$name* ]] || fail "does not recommend $name"
done
for name in libhdf5-dev libcjson-dev liblapacke-dev ocl-icd-opencl-dev; do
  [[ $(field "$development" Depends) == *$name* ]] || fail "libcosweep-dev does not depend on $name"
done
for name in python3-numpy python3-xarray python3-h5netcdf python3-h5py "cosweep (>= $version)"; do
  [[ $(field "$module" Depends) == *$name* ]] || fail "python3-cosweep does not depend on $name"
done
test "$(field "$program" Section) $(field "$development" Section)" = "science libdevel" || fail "sections"
test "$(field "$program" Architecture)" = "$(dpkg --print-architecture)" || fail "architecture"
[[ $(head -1 "$here/../../cmake/packaging/changelog") == *"($(field "$program" Version))"* ]] ||
  fail "cmake/packaging/changelog is not of $(field "$program" Version)"

for name in "${names[@]}"; do
  test -s "root/usr/share/doc/$name/copyright" || fail "no copyright of $name"
  gzip -t "root/usr/share/doc/$name/changelog.Debian.gz" || fail "no changelog of $name"
done
gzip -t root/usr/share/man/man1/*.1.gz
test -z "$(find root/usr/share/man -name '*.1')" || fail "manual pages that are not compressed"
[[ $(readelf -S root/usr/bin/cosweep) != *.symtab* ]] || fail "the program is not stripped"
test -s root/usr/share/zsh/vendor-completions/_cosweep || fail "no completion for zsh"

test "$(root/usr/bin/cosweep --version)" = "cosweep $version" || fail "another version"
if test -x "$build/cosweep-mpi"; then
  mpi=$(echo ./cosweep-mpi_"$version"-*.deb)
  for name in libopenmpi3 "cosweep (>= $version)"; do
    [[ $(field "$mpi" Depends) == *$name* ]] || fail "cosweep-mpi does not depend on $name: $(field "$mpi" Depends)"
  done
  test "$(root/usr/bin/cosweep-mpi --version)" = "$("$build/cosweep-mpi" --version)" || fail "another cosweep-mpi"
fi
root/usr/bin/cosweep check root/usr/share/cosweep/starter/sweep.json > /dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$PWD/root" -name cosweep.pc)")
export PKG_CONFIG_PATH
awk '/^```/ { inside = $0 == "```c"; next } inside' "$page" > example.c
# shellcheck disable=SC2046,SC2086
"$compiler" -std=c11 $flags $(pkg-config --cflags cosweep) example.c -o example \
  $(pkg-config --libs --static cosweep)

modules=$PWD/root/usr/lib/python3/dist-packages
diff -r -x __pycache__ "$here/../../packaging/python/cosweep" "$modules/cosweep" || fail "other modules for Python"
cat > use.py << 'END'
from importlib import metadata
import numpy, cosweep
net = cosweep.Network("decay").add("one", [[-1.0]], [[1.0]], [[1.0]], x0=[1.0]).connect("one.y1", "one.u1", -1)
found = cosweep.run(net, {}, {"step": {"size": 0.1}}, ["output_error"], t_end=1)
assert found.output_error.size == 1, found
numpy.savez("pair.npz", A=[[-2.0]], x0=[1.0])
print(metadata.version("cosweep"), cosweep.__file__)
END
if /usr/bin/python3 -c 'import h5netcdf, h5py, xarray' 2> /dev/null; then
  export PYTHONPATH=$modules PYTHONDONTWRITEBYTECODE=1 COSWEEP=$PWD/root/usr/bin/cosweep PATH=/usr/bin:/bin
  test "$(/usr/bin/python3 use.py)" = "$version $modules/cosweep/__init__.py" || fail "another package for Python"
  "$COSWEEP" import pair.npz > /dev/null
  test -s pair.json || fail "the package for Python imports nothing"
fi

if command -v lintian > /dev/null; then
  lintian --allow-root --fail-on error,warning ./*.deb || fail "lintian finds something"
fi
