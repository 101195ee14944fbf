#!/bin/bash
# mutants.sh [-l|-L] [REGEX]: do the tests notice when the program is wrong? Applies the faults of mutants.txt whose name
# matches REGEX one after the other to a copy of the tree in build/mutants/, and runs the tests that have to fail. To be
# run by hand; -l lists the faults, -L the whole rows. Status 1: one of them survived, did not build, or its text is not
# there exactly once.
# JOBS (2) processes build and test; CMAKE_C_COMPILER_LAUNCHER is respected.
set -u
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
table=$here/mutants.txt
tree=$source/build/mutants/tree
build=$source/build/mutants/build
jobs=${JOBS:-2}
longest=600 # seconds for the tests of one fault; those that hang are killed too

# The faults as name, file, tests, pattern, text, replacement: fields end in \x1f.
list() {
  awk -v regex="$1" '
    function flush() {
      if (name != "" && name ~ regex) printf "%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f\n", name, file, test, pattern, old, new
      name = old = new = file = test = pattern = ""
    }
    /^#/ || /^$/ { next }
    /^[^ ]/ { flush(); name = $1; file = $2; test = $3; pattern = $4 == "" ? "*" : $4; next }
    /^  - / { old = substr($0, 5) }
    /^  \+/ { new = substr($0, 5) }
    END { flush() }' "$table"
}

# Copies what git knows or would add, where it differs; removes what is gone.
copy_tree() {
  mkdir -p "$tree"
  (cd "$source" && git ls-files --cached --others --exclude-standard) | sort >"$tree/../files"
  while read -r path; do
    [ -f "$source/$path" ] || continue
    cmp -s "$source/$path" "$tree/$path" && continue
    mkdir -p "$(dirname "$tree/$path")" && cp -p "$source/$path" "$tree/$path" && touch "$tree/$path"
  done <"$tree/../files"
  (cd "$tree" && find . -type f -printf '%P\n') | while read -r path; do
    if [ ! -f "$source/$path" ] || ! grep -qxF "$path" "$tree/../files"; then rm "$tree/$path"; fi
  done
}

# replace FILE TEXT REPLACEMENT
replace() {
  python3 "$source/tests/python/mutant.py" "$@"
}

tests_of() {
  ctest --test-dir "$build" -N -R "^($1)\$" | sed -n 's/^ *Test *#[0-9]*: //p'
}

# Test programs that tests of those names need, and the program itself for those that run it.
targets_of() {
  local name
  ctest --test-dir "$build" -N -V -R "^($1)\$" | grep -oE '/tests/(serve|imports)"' | grep -oE '[a-z]+"' | tr -d '"' | sort -u
  for name in $(tests_of "$1"); do
    grep -qE "/test_$name\.c$" "$tree/../files" && echo "$name"
    grep -qE "^tests/(unit|numbers|oracle)/.*test_$name\.c$" "$tree/../files" || echo cosweep
    grep -qxF "tests/faults/$name.py" "$tree/../files" && echo fault
  done | sort -u
}

# shellcheck disable=SC2046
build_for() {
  cmake --build "$build" -j "$jobs" --target $(targets_of "$1") >"$build/mutants.log" 2>&1
}

# run_tests REGEX [PATTERN of Criterion's tests]
run_tests() {
  export CRITERION_TEST_PATTERN="${2:-*}" CRITERION_FAIL_FAST=1
  timeout -k 10 $longest ctest --test-dir "$build" -R "^($1)\$" -j "$jobs" --stop-on-failure >"$build/mutants.log" 2>&1
}

# Sets `verdict` for the fault that is applied.
judge() {
  if ! build_for "$1"; then
    verdict="does not build"
    return
  fi
  run_tests "$1" "$2"
  case $? in
    0) verdict=SURVIVED ;;
    124 | 137) verdict="killed: $1 does not end" ;;
    *) verdict="killed by $(sed -n 's/^\t *[0-9]* - \([^ ]*\) (.*/\1/p' "$build/mutants.log" | head -1)" ;;
  esac
}

if [ "${1:-}" = -L ]; then
  list "${2:-.}"
  exit
fi
if [ "${1:-}" = -l ]; then
  list "${2:-.}" | cut -d $'\x1f' -f 1-4 --output-delimiter=$'\t'
  exit
fi
faults=$(list "${1:-.}")
[ -n "$faults" ] || { echo "no fault matches ${1:-.}"; exit 2; }
copy_tree
cmake -S "$tree" -B "$build" -DBUILD_TESTING=ON >/dev/null || exit 2
all=$(cut -d $'\x1f' -f 3 <<<"$faults" | sort -u | paste -sd '|')
build_for "$all" || { tail -20 "$build/mutants.log"; exit 2; }
while IFS=$'\x1f' read -r tests pattern; do
  run_tests "$tests" "$pattern" || { tail -20 "$build/mutants.log"; echo "tests fail without a fault"; exit 2; }
done < <(cut -d $'\x1f' -f 3,4 <<<"$faults" | sort -u)

killed=0 others=0
while IFS=$'\x1f' read -r name file tests pattern old new _; do
  path=$(grep -E "(^|/)$file$" "$tree/../files" | grep -v '^tests/' || true)
  started=$SECONDS
  if [ "$(wc -l <<<"$path")" != 1 ] || [ -z "$path" ]; then
    verdict="no single file $file"
  elif [ -z "$(tests_of "$tests")" ]; then
    verdict="no test $tests"
  elif ! times=$(replace "$tree/$path" "$old" "$new" 2>&1); then
    verdict="$path has its text $times"
  else
    judge "$tests" "$pattern"
    cp "$source/$path" "$tree/$path"
  fi
  case $verdict in
    killed*) killed=$((killed + 1)) ;;
    *) others=$((others + 1)) ;;
  esac
  printf '%-28s %-36s %4d s\n' "$name" "$verdict" $((SECONDS - started))
done <<<"$faults"
echo "$((killed + others)) faults: $killed killed, $others not"
[ $others = 0 ]
