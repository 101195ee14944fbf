#!/usr/bin/env bash
# Installs into a scratch directory, moves it to where nobody expects it, builds tests/example there with pkg-config alone
# and with find_package alone, runs both and the installed program on a sweep:
# install.sh BUILD_DIR COMPILER SWEEP [C_FLAGS]
set -euo pipefail
build=$1 compiler=$2 sweep=$3 flags=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
quietly() { "$@" > "$scratch/log" 2>&1 || { cat "$scratch/log"; return 1; }; }
fail() { echo "install.sh: $*"; exit 1; }

DESTDIR=$scratch/staged quietly cmake --install "$build" --prefix /opt/cosweep
mv "$scratch/staged/opt/cosweep" "$scratch/prefix"
test -z "$(find "$scratch/staged" -type f)" || fail "files outside the prefix: $(find "$scratch/staged" -type f)"
cd "$scratch/prefix"
for file in bin/cosweep include/cosweep/cosweep.h include/cosweep/trace.h share/cosweep/schemas/sweep.schema.json \
  share/cosweep/models/ring/model.json share/cosweep/sweeps/filter.clh share/doc/cosweep/README.md \
  share/doc/cosweep/docs/formats.md share/doc/cosweep/CITATION.cff share/man/man1/cosweep.1 share/man/man1/cosweep-run.1 \
  share/bash-completion/completions/cosweep share/zsh/site-functions/_cosweep; do
  test -s "$file" || fail "no $file"
done

# Every header stands alone.
for header in include/cosweep/*.h; do
  echo "#include <${header##*/}>" | "$compiler" -std=c11 -Wall -Wextra -Werror -fsyntax-only -Iinclude/cosweep -xc - ||
    fail "$header needs what is not installed"
done

pc=$(dirname "$(find "$PWD" -name cosweep.pc)")
export PKG_CONFIG_PATH=$pc
# shellcheck disable=SC2046,SC2086
"$compiler" -std=c11 -Wall -Wextra -Werror $flags $(pkg-config --cflags cosweep) "$here/example/example.c" \
  -o "$scratch/example" $(pkg-config --libs --static cosweep)
unset PKG_CONFIG_PATH
quietly cmake -S "$here/example" -B "$scratch/found" -DCMAKE_PREFIX_PATH="$PWD" -DCMAKE_C_COMPILER="$compiler" \
  -DCMAKE_C_FLAGS="$flags" -DCMAKE_BUILD_TYPE=Release
quietly cmake --build "$scratch/found"
if quietly cmake -S "$here/example" -B "$scratch/other" --fresh -DCMAKE_PREFIX_PATH=/nonexistent; then
  fail "find_package finds cosweep where it is not"
fi

cd "$scratch"
./example "$sweep" example.h5
found/example "$sweep" found.h5
prefix/bin/cosweep run "$sweep" -o program.h5 --quiet
prefix/bin/cosweep info example.h5 > /dev/null
prefix/bin/cosweep check prefix/share/cosweep/sweeps/filter.json prefix/share/cosweep/starter/sweep.json > /dev/null
test -s example.h5 && test -s found.h5 && test -s program.h5
test -z "$(find "$scratch" -maxdepth 1 -name '*.part' -o -maxdepth 1 -name '*.lock')"
