#!/usr/bin/env bash
# Times cosweep beside hand-written C on the same work and prints one JSON line per variant.
set -euo pipefail
export LC_ALL=C

usage() {
  cat >&2 <<'TEXT'
usage: bench/run.sh [--runs N] [--device D] BUILD_DIR
  BUILD_DIR    where cosweep was built; the rivals are built into BUILD_DIR/bench
  --runs N     size of the ensemble, a multiple of 8 (default 4096)
  --device D   OpenCL device, as for cosweep run
environment: REPEATS  interleaved repetitions, medians are printed (default 5)
             CC       compiler of the rivals (default clang)
             COSWEEP  the program (default: cosweep in BUILD_DIR or BUILD_DIR/host)
TEXT
  exit 2
}

fail() {
  printf 'run.sh: %s\n' "$1" >&2
  exit "$2"
}

runs=4096 device=() build=
while [ $# -gt 0 ]; do
  case $1 in
    --runs) [ $# -ge 2 ] || usage; runs=$2; shift ;;
    --device) [ $# -ge 2 ] || usage; device=(--device "$2"); shift ;;
    -*) usage ;;
    *) [ -z "$build" ] || usage; build=$1 ;;
  esac
  shift
done
[ -n "$build" ] || usage
repeats=${REPEATS:-5}
[[ $repeats =~ ^[1-9][0-9]*$ ]] || fail "REPEATS=$repeats: want a whole number from 1" 2
[[ $runs =~ ^[1-9][0-9]*$ && $((runs % 8)) -eq 0 ]] || fail "--runs $runs: want a multiple of 8" 2

here=$(cd "$(dirname "$0")" && pwd)
cosweep=${COSWEEP:-}
for program in "$build/cosweep" "$build/host/cosweep"; do
  if [ -z "$cosweep" ] && [ -x "$program" ]; then cosweep=$program; fi
done
[ -n "$cosweep" ] || fail "$build: no program cosweep in it; want the directory of a finished build" 2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Each variant prints one JSON object; `sample` keeps it as a line "variant TAB object" in the file of samples.
sample() {
  local variant=$1 object
  shift
  object=$("$@") || fail "$variant: failed" 1
  printf '%s\t%s\n' "$variant" "${object//$'\n'/ }" >> "$scratch/samples"
}

sample_cosweep() {
  sample "cosweep, engine $1" "$cosweep" run "$here/two_mass_order1.json" --json --quiet --force \
    -o "$scratch/$1.h5" --set "method.engine=$1" --set "axes.0.logspace.2=$runs" "${device[@]}"
}

sample_all() {
  sample "FMA peak" "$rivals/fma_peak"
  sample "scalar C" "$rivals/two_mass_scalar" --runs "$runs" "$@"
  sample "vector C" "$rivals/two_mass_vector" --runs "$runs" "${@/scalar.csv/vector.csv}"
  sample_cosweep step
  sample_cosweep auto
}

# The two rivals are one source: their results differ by rounding only.
compare_rivals() {
  paste -d, "$scratch/scalar.csv" "$scratch/vector.csv" | awk -F, '
    NR > 1 { n = NF / 2
             for (i = 1; i <= n; i++) { d = $i - $(i + n); if (d < 0) d = -d
                                        if (!(d <= 1e-9 * $i)) { bad = 1; print "run " NR - 2 ", column " i > "/dev/stderr" } } }
    END { exit bad }' || fail "scalar and vector C give different results" 1
}

summarise() {
  awk -F'\t' '
    function number(object, key) {
      if (!match(object, "\"" key "\"[ ]*:[ ]*[-+0-9.eE]+")) return "null"
      object = substr(object, RSTART, RLENGTH); sub(/^[^:]*:[ ]*/, "", object)
      return object + 0
    }
    function string(object, key) {
      if (!match(object, "\"" key "\"[ ]*:[ ]*\"[^\"]*\"")) return ""
      object = substr(object, RSTART, RLENGTH); sub(/^[^:]*:[ ]*"/, "", object); sub(/"$/, "", object)
      return object
    }
    function median(variant, key,    i, j, v, list) {
      for (i = 1; i <= count[variant]; i++) {
        v = number(sample[variant, i], key)
        if (v == "null") return v
        for (j = i; j > 1 && list[j - 1] > v; j--) list[j] = list[j - 1]
        list[j] = v
      }
      i = count[variant]
      return i % 2 ? list[(i + 1) / 2] : (list[i / 2] + list[i / 2 + 1]) / 2
    }
    function json(value) { return value == "null" ? value : sprintf("%.6g", value) }
    { if (!count[$1]++) variant[++variants] = $1; sample[$1, count[$1]] = $2 }
    END {
      for (i = 1; i <= variants; i++) {
        v = variant[i]; first = sample[v, 1]
        head = sprintf("\"variant\": \"%s\", \"device\": \"%s\", \"repeats\": %d", v, string(first, "device"), count[v])
        if (v == "FMA peak") {
          printf "{\"case\": \"fma_peak\", %s, \"gflops_per_core\": %s}\n", head, json(median(v, "gflops_per_core"))
          continue
        }
        steps = number(first, "steps"); core = median(v, "core_seconds")
        rate = core + 0 > 0 ? steps / core : "null"
        if (v == "scalar C") { scalar = rate; work = steps }
        if (steps != work) {
          print "run.sh: " v ": " steps " steps, want the " work " of the rivals" > "/dev/stderr"
          exit 1
        }
        printf "{\"case\": \"two_mass_order1\", %s, \"runs\": %d, \"steps\": %.0f, \"seconds\": %s, " \
               "\"device_seconds\": %s, \"core_seconds\": %s, \"lane_steps_per_core_second\": %s, " \
               "\"ratio_to_scalar\": %s}\n", head, number(first, "runs"), steps, json(median(v, "seconds")),
               json(median(v, "device_seconds")), json(core), json(rate), rate == "null" ? rate : json(rate / scalar)
      }
    }' "$scratch/samples"
}

"$here/build.sh" "$build/bench"
rivals=$build/bench

# Once unmeasured: builds kernels, fills caches, and gives the rivals' results.
sample_all --values "$scratch/scalar.csv"
compare_rivals
rm "$scratch/samples"
for ((repeat = 1; repeat <= repeats; repeat++)); do
  printf 'repetition %d of %d\n' "$repeat" "$repeats" >&2
  sample_all
done
summarise
