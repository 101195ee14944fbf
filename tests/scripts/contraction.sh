#!/bin/bash
# The kernels' fragments as C11 give the same bits however they are optimised, and by clang too: nothing is contracted
# but what FMA() writes. contraction.sh COMPILER SOURCE_DIR "FLAGS", FLAGS being those of the build.
set -euo pipefail
compiler=$1 source=$2 flags=$3
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

native=-march=native
echo 'int main(void) { return 0; }' > try.c
"$compiler" $native try.c -o try 2> /dev/null || native=-mcpu=native

build() { # NAME COMPILER OPTION...
  "$2" -std=gnu11 $flags "${@:3}" -I "$source" -I "$source/host/layout" -I "$source/host/table" \
    "$source/tests/scripts/fragment_bits.c" -o "$1" -lm
  ./"$1" > "$1.txt"
}

build plain "$compiler" -O0
build fast "$compiler" -O3 $native
diff plain.txt fast.txt
if command -v clang > /dev/null; then
  build other clang -O3 $native
  diff plain.txt other.txt
fi
echo "$(wc -l < plain.txt) numbers are the same without and with optimisation for this machine"
