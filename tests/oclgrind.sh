#!/bin/sh
# Runs every hold, feed-through, start and solver for a few steps under oclgrind, which watches each access to memory and
# each use of a value that was never set. Fails when it reports anything; 77 (skipped) without oclgrind.
#
# usage: oclgrind.sh PROGRAM SWEEP [JOBS]
#
# One process per variant: oclgrind 21.10 takes memory that is freed and reserved anew within one for never set.
set -u

# One variant; the settings are further arguments for the program.
if [ "${1-}" = variant ]; then
  program=$2 sweep=$3 directory=$4 lanes=$5 name=$6
  shift 6
  log=$directory/$name.log
  oclgrind --uninitialized --check-api --max-errors 1 --log "$log" \
    "$program" run "$sweep" --force --quiet --lanes "$lanes" -o "$directory/$name.h5" "$@" >"$directory/$name.out" 2>&1
  status=$?
  if [ $status -ne 0 ] || [ ! -e "$directory/$name.h5" ] || [ ! -e "$log" ] || [ -s "$log" ]; then
    echo "FAILED (exit $status), $lanes lanes: $*"
    cat "$directory/$name.out" "$log"
    exit 1
  fi
  exit 0
fi

if [ $# -lt 2 ]; then
  echo "usage: oclgrind.sh PROGRAM SWEEP [JOBS]" >&2
  exit 2
fi
if ! command -v oclgrind >/dev/null; then
  echo "oclgrind is not installed"
  exit 77
fi
program=$1 sweep=$2 jobs=${3-2}
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
list=$directory/list
count=0

# Notes a variant: settings as path=value words. Lanes alternate, so that both layouts of data in memory are seen.
add() {
  count=$((count + 1))
  printf '%s %s' $((1 + count % 2)) "variant$count" >>"$list"
  for setting in "$@"; do
    printf ' --set %s' "$setting" >>"$list"
  done
  echo >>"$list"
}

for hold in taylor lagrange backward_difference; do
  for feedthrough in explicit solved refresh; do
    for start in consistent ramp zero; do
      if [ $hold = taylor ] || [ $feedthrough != refresh ]; then
        add method.hold=$hold method.feedthrough=$feedthrough method.start=$start
      fi
    done
  done
done
for solver in euler heun rk4 implicit_euler trapezoidal; do
  add method.solver=$solver method.hold=taylor
  add method.solver=$solver method.hold=lagrange
done

if xargs -P "$jobs" -L 1 sh "$0" variant "$program" "$sweep" "$directory" <"$list"; then
  echo "$count variants, nothing reported"
else
  exit 1
fi
