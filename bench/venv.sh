#!/bin/sh
# Makes the virtual environment of the Python rivals: venv.sh [DIR], default ~/.cache/cosweep-bench.
#
# JAX and diffrax come as wheels. clODE has none for Linux, and its own build fetches Bazel and two libraries from
# GitHub; here its five C++ files are compiled against the same libraries from PyPI, and its set-up takes the result as
# prebuilt. That needs a C++ compiler and OpenCL headers (Debian: g++ ocl-icd-opencl-dev opencl-headers python3-dev). A
# rival that cannot be installed is left out, and the benchmark names it as missing; FAILED_name in DIR holds the log.
set -eu
if [ $# -gt 1 ]; then
  echo "usage: venv.sh [DIR]" >&2
  exit 2
fi
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/cosweep-bench}
base=${PYTHON:-/usr/bin/python3}
[ -x "$base" ] || base=python3

if ! "$base" -m venv "$dir"; then
  echo "venv.sh: $base could not make a virtual environment; install python3-venv" >&2
  exit 1
fi
dir=$(cd "$dir" && pwd)
pip() {
  "$dir/bin/python" -m pip --disable-pip-version-check --quiet "$@"
}

install_jax() {
  pip install numpy==2.4.6 scipy==1.17.1 jax==0.10.2 jaxlib==0.10.2 equinox==0.13.8 diffrax==0.7.2
}

install_clode() {
  # setuptools from 81 on lacks pkg_resources, which the set-ups of clODE and spdlog import.
  pip install numpy==2.4.6 setuptools==80.9.0 setuptools_scm==8.3.1 wheel==0.45.1 pybind11==2.10.4 &&
    rm -rf "$dir/src" && mkdir -p "$dir/src/prebuilt/clode/cpp" &&
    pip download --no-deps --no-binary :all: --no-build-isolation -d "$dir/src" clode==0.9.0 spdlog==2.0.6 &&
    tar -xf "$dir/src/clode-0.9.0.tar.gz" -C "$dir/src" && tar -xf "$dir/src/spdlog-2.0.6.tar.gz" -C "$dir/src" &&
    (
      cd "$dir/src/clode-0.9.0" &&
        "${CXX:-c++}" -std=c++17 -O2 -w -shared -fPIC -fvisibility=hidden -I. -Iclode/cpp \
          -I"$dir/src/spdlog-2.0.6/spdlog/include" $("$dir/bin/python" -m pybind11 --includes) \
          clode/cpp/CLODE.cpp clode/cpp/CLODEfeatures.cpp clode/cpp/CLODEtrajectory.cpp clode/cpp/OpenCLResource.cpp \
          clode/cpp/CLODEpython.cpp -lOpenCL -o "$dir/src/prebuilt/clode/cpp/libclode_cpp_wrapper.so"
    ) &&
    CLODE_PREBUILT_DIR="$dir/src/prebuilt" SETUPTOOLS_SCM_PRETEND_VERSION=0.9.0 \
      pip install --no-deps --no-build-isolation "$dir/src/clode-0.9.0"
}

status=0
for rival in jax clode; do
  log=$dir/FAILED_$rival
  if "install_$rival" > "$log" 2>&1; then
    rm "$log"
    echo "venv.sh: $rival installed" >&2
  else
    tail -n 5 "$log" >&2
    echo "venv.sh: $rival could not be installed, log in $log" >&2
    status=1
  fi
done
rm -rf "$dir/src"
exit $status
