#!/usr/bin/env bash
# Runs subjects under libFuzzer, one after the other, and prints a line for each: executions, crashes, seconds.
#
# usage: run.sh BUILD SECONDS [SUBJECT...]
#
# BUILD: the folder of the preset `fuzz`. What is found new is kept in BUILD/corpus/SUBJECT, where the next run goes on
# from; an input that crashes, needs more than 40 s or 2 GB is left in BUILD/crashes/SUBJECT-..., which the program
# fuzzer_SUBJECT repeats if that is its argument, and its report in BUILD/crashes/SUBJECT.log. Exits 1 if there is one.
set -euo pipefail
if [ $# -lt 2 ]; then
  sed -n '2,/^set/{/^# /p}' "$0" >&2
  exit 2
fi
build=$(realpath "$1") seconds=$2
shift 2
source=$(realpath "$(dirname "$0")/../..")
if [ $# -eq 0 ]; then
  for file in "$source"/tests/fuzz/subject_*.c; do
    name=${file##*/subject_}
    set -- "$@" "${name%.c}"
  done
fi
mkdir -p "$build/crashes"
export TMPDIR
TMPDIR=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$TMPDIR"' EXIT
# Asking for much memory is no fault of a reader: it is told that there is none.
export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=256:detect_leaks=1
export LSAN_OPTIONS=suppressions=$source/tests/scripts/lsan.supp:print_suppressions=0

printf '%-12s %12s %8s %8s\n' subject executions crashes seconds
found=0
for subject in "$@"; do
  corpus=$build/corpus/$subject log=$build/crashes/$subject.log
  mkdir -p "$corpus"
  "$build/tests/fuzz_$subject" --seeds "$corpus.seeds" "$source"
  begun=$(date +%s)
  "$build/tests/fuzzer_$subject" "$corpus" "$corpus.seeds" "$source/tests/fuzz/corpus/$subject" \
    -dict="$corpus.seeds.dict" -artifact_prefix="$build/crashes/$subject-" -max_total_time="$seconds" -timeout=40 \
    -malloc_limit_mb=0 -rss_limit_mb=2048 -close_fd_mask=3 -print_final_stats=1 -verbosity=1 >"$log" 2>&1 || true
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
  crashes=$(grep -c -E '^SUMMARY: |Test unit written to' "$log" || true)
  [ "$crashes" = 0 ] && [ -n "$count" ] || found=1
  printf '%-12s %12s %8s %8s\n' "$subject" "${count:-?}" "$((crashes > 0))" "$(($(date +%s) - begun))"
done
exit $found
