#!/bin/sh
# Builds the hand-written programs that cosweep is timed against: build.sh OUTPUT_DIR. CC: compiler, default clang.
set -eu
if [ $# -ne 1 ]; then
  echo "usage: build.sh OUTPUT_DIR" >&2
  exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
cc=${CC:-clang}
if ! command -v "$cc" > /dev/null; then
  echo "build.sh: $cc not found; install clang (Debian, Ubuntu: apt install clang)" >&2
  exit 2
fi
cd "$(dirname "$0")"

# Without -fno-tree-slp-vectorize the compiler packs rows of a step into vectors, and scalar C is a fifth slower.
libraries=
build() {
  name=$1
  shift
  "$cc" -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
    -O3 -march=native -mprefer-vector-width=512 -ffp-contract=fast -fno-tree-slp-vectorize \
    -o "$out/$name" "$@" measure.c $libraries -lpthread -lm
}
build fma_peak fma_peak.c
build two_mass_scalar -DLANES=1 two_mass.c two_mass_rows.c two_mass_lanes.c
build two_mass_vector -DLANES=8 two_mass.c two_mass_rows.c two_mass_lanes.c
# Here packing is a gain: the two oscillators' terms are independent of each other.
build two_mass_vary -fslp-vectorize two_mass_vary.c
libraries=$(pkg-config --libs lapacke)
build feedthrough_map $(pkg-config --cflags lapacke) feedthrough_map.c
