#!/usr/bin/env bash
# Installs into a scratch directory, builds tests/example/example.c there with pkg-config alone, runs it and the installed
# program on a sweep: install.sh BUILD_DIR COMPILER SWEEP [C_FLAGS]
set -euo pipefail
build=$1 compiler=$2 sweep=$3 flags=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" > "$scratch/log" || { cat "$scratch/log"; exit 1; }
pc=$(dirname "$(find "$scratch/prefix" -name cosweep.pc)")
export PKG_CONFIG_PATH=$pc
# shellcheck disable=SC2046,SC2086
"$compiler" -std=c11 -Wall -Wextra -Werror $flags $(pkg-config --cflags cosweep) "$here/example/example.c" \
  -o "$scratch/example" $(pkg-config --libs --static cosweep)
cd "$scratch"
./example "$sweep" example.h5
prefix/bin/cosweep run "$sweep" -o program.h5 --quiet
prefix/bin/cosweep info example.h5 > /dev/null
test -s example.h5 && test -s program.h5
test -z "$(find "$scratch" -maxdepth 1 -name '*.part' -o -maxdepth 1 -name '*.lock')"
