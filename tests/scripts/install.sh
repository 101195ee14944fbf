#!/usr/bin/env bash
# Does what docs/install.md says, in a scratch directory: installs, moves the tree to where nobody expects it, builds the
# page's program with pkg-config alone and with find_package alone, runs both and the installed program on a sweep:
# install.sh BUILD_DIR COMPILER SWEEP [C_FLAGS]
set -euo pipefail
build=$1 compiler=$2 sweep=$3 flags=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
page=$here/../../docs/install.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
quietly() { "$@" > "$scratch/log" 2>&1 || { cat "$scratch/log"; return 1; }; }
fail() { echo "install.sh: $*"; exit 1; }
# Block number N of a language on the page; a program's compiler is the one of the library, with its flags.
block() {
  awk -v language="$1" -v number="$2" '/^```/ { inside = !inside && substr($0, 4) == language && ++seen == number; next }
    inside' "$page"
}
# shellcheck disable=SC2086
cc() { command "$compiler" -Wall -Wextra -Werror $flags "$@"; }

# ---- cmake --install

cd "$scratch"
ln -s "$build" build
block sh 1 > commands
[[ $(cat commands) == "cmake --install build"* ]] || fail "the first block of $page installs nothing"
DESTDIR=$scratch/staged quietly bash -euo pipefail commands
diff <(cd staged/usr/local && find . | sort) <(cd staged/opt/cosweep && find . | sort) || fail "prefixes differ"
mv staged/opt/cosweep prefix
rm -r staged/usr/local
test -z "$(find staged -type f)" || fail "files outside the prefix: $(find staged -type f)"
for file in bin/cosweep include/cosweep/cosweep.h include/cosweep/trace.h share/cosweep/schemas/sweep.schema.json \
  share/cosweep/models/ring/model.json share/cosweep/sweeps/filter.clh share/doc/cosweep/README.md \
  share/doc/cosweep/docs/formats.md share/doc/cosweep/CITATION.cff share/man/man1/cosweep.1 share/man/man1/cosweep-run.1 \
  share/bash-completion/completions/cosweep share/zsh/site-functions/_cosweep; do
  test -s "prefix/$file" || fail "no $file"
done
for header in prefix/include/cosweep/*.h; do
  echo "#include <${header##*/}>" | cc -std=c11 -fsyntax-only -Iprefix/include/cosweep -xc - ||
    fail "$header needs what is not installed"
done
bash "$here/runpath.sh" prefix || [[ $? == 77 ]] || fail "libraries are searched in the working directory"
PATH=$scratch/prefix/bin:$PATH

# ---- completion, in the order of the page: bash, zsh, man

block sh 4 | sed 's/  *#.*//' > commands
test "$(bash -euo pipefail -c "$(sed -n 1p commands); complete -p cosweep")" = "complete -F _cosweep cosweep" ||
  fail "no completion: $(sed -n 1p commands)"
if command -v zsh > /dev/null; then
  test "$(zsh -f -c "autoload -Uz compinit; $(sed -n 2p commands | sed 's/compinit /compinit -u -D /'); print \$_comps[cosweep]")" \
    = _cosweep || fail "no completion: $(sed -n 2p commands)"
fi
if command -v man > /dev/null; then
  [[ $(bash -c "$(sed -n 3p commands)") == *COSWEEP-RUN* ]] || fail "no page: $(sed -n 3p commands)"
fi

# ---- the library from C, beside the models that the sweep wants

mkdir -p work/tests/data
cp -r prefix/share/cosweep/models work
cd work/tests/data
cp "$sweep" sweep.json
block sh 5 > commands
bash -euo pipefail commands
cmp sweep.schema.json "$scratch/prefix/share/cosweep/schemas/sweep.schema.json"
block c 1 > example.c
block cmake 1 > CMakeLists.txt
block sh 6 > commands
[[ $(cat commands) == *pkg-config* ]] || fail "the sixth block of $page builds nothing"
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name cosweep.pc)")
export PKG_CONFIG_PATH
# shellcheck source=/dev/null
. ./commands
unset PKG_CONFIG_PATH
quietly cmake -S . -B found -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_C_COMPILER="$compiler" \
  -DCMAKE_C_FLAGS="$flags" -DCMAKE_BUILD_TYPE=Release
quietly cmake --build found
found/example sweep.json found.h5
cosweep run sweep.json -o program.h5 --quiet > /dev/null
for result in out found program; do
  cosweep info $result.h5 > /dev/null
done
cosweep check "$scratch/prefix/share/cosweep/sweeps/filter.json" "$scratch/prefix/share/cosweep/starter/sweep.json" \
  > /dev/null
test -z "$(find "$scratch" -name '*.part' -o -name '*.lock')"
