#!/bin/sh
# Runs every hold, feed-through, start, solver and master, also a user's with memory, for a few steps under oclgrind,
# which watches each access to memory and each use of a value that was never set; step by step, some of them by doubling,
# some for their eigenvalues, some with steps that vary, some with state events and modes.
# Fails when it reports anything; 77 (skipped) without oclgrind.
#
# usage: oclgrind.sh PROGRAM SWEEP [JOBS]
#
# One process per variant: oclgrind 21.10 takes memory that is freed and reserved anew within one for never set.
set -u
export COSWEEP_DEVICE=cpu

# One variant: a kernel that has to run, then further arguments for the program.
if [ "${1-}" = variant ]; then
  program=$2 directory=$3 sweep=$4 lanes=$5 name=$6 kernel=$7
  shift 7
  log=$directory/$name.log
  oclgrind --uninitialized --check-api --max-errors 1 --inst-counts --log "$log" \
    "$program" run "$directory/$sweep.json" --force --quiet --lanes "$lanes" -o "$directory/$name.h5" "$@" \
    >"$directory/$name.out" 2>&1
  status=$?
  if [ $status -ne 0 ] || [ ! -e "$directory/$name.h5" ] || [ ! -e "$log" ] || [ -s "$log" ] ||
    ! grep -q "'$kernel'" "$directory/$name.out"; then
    echo "FAILED (exit $status), $sweep, $kernel, $lanes lanes: $*"
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
data=$(cd "$(dirname "$sweep")" && pwd) || exit 1
list=$directory/list
count=0

# The sweep as it is; its longer steps alone, of two pieces, where no vector holds both runs, with half of the metrics, one
# or two for each integral, and without the order that `ramp` would reach last; without maxima, which doubling
# cannot give; its model in study stability; and a run of 13 steps whose sums cancel, so that doubling goes on with the
# factor of the Gram matrix. Its order is 0, as a map of fewer columns is assembled in a fraction of the time; those of
# higher orders are assembled in `sums`.
sed "s|\"model\": \"|&$data/|" "$sweep" >"$directory/all.json"
sed 's/"values": \[0.3, 1\]/"values": [1]/' "$directory/all.json" >"$directory/one.json"
cmp -s "$directory/all.json" "$directory/one.json" && { echo "$sweep has other steps than this script knows"; exit 1; }
sed -e '/"metrics": \[/,/\]/c\' -e '"metrics": ["output_defect", "input_error", "state_error_max", "output_error_final", "monitor_rms"]' \
  -e 's/"output_order": 2/"output_order": 1/' "$directory/one.json" >"$directory/few.json"
for runs in all one; do
  sed 's/"[a-z_]*_max", *//g' "$directory/$runs.json" >"$directory/sums_$runs.json"
done
cat >"$directory/stability.json" <<END
{
  "format": "cosweep-sweep/1", "name": "stability", "model": "$data/simulated_model.json", "study": "stability",
  "method": {"input_order": 2},
  "axes": [{"name": "H", "path": "method.step.size", "values": [0, 0.3, 2]}], "metrics": ["stable", "eigenvalue"]
}
END
cat >"$directory/cancelling.json" <<END
{
  "format": "cosweep-sweep/1", "name": "cancelling", "model": "$data/../../models/damped_oscillator/model.json",
  "t_end": 0.00013,
  "method": {"hold": "lagrange", "order": 0, "start": "ramp", "feedthrough": "explicit", "step": {"size": 1e-5}}
}
END

cat >"$directory/varied.json" <<END
{
  "format": "cosweep-sweep/1", "name": "varied", "model": "$data/../../models/reservoirs/model.json",
  "t_end": 1.2, "method": {"order": 1, "feedthrough": "explicit"},
  "axes": [{"name": "initial", "path": "method.step.initial", "values": [0.05, 0.3]}],
  "metrics": [
    "output_defect", "connection_defect", "output_error", "input_error", "state_error", "output_error_max",
    "state_error_final", "monitor_rms", "monitor_max", "monitor_final", "monitor_predicted", "steps", "rejected_steps"
  ]
}
END

# A collision with a wall, and heaters that are switched.
cat >"$directory/masses.json" <<END
{
  "format": "cosweep-sweep/1", "name": "masses", "model": "$data/../../models/colliding_masses/model.json",
  "t_end": 0.4, "method": {"master": "gauss_seidel", "hold": "lagrange", "order": 1, "start": "ramp"},
  "axes": [
    {"name": "x10", "path": "parameters.x10", "values": [-0.6]},
    {"name": "H", "path": "method.step.size", "values": [0.1, 0.2]}
  ],
  "metrics": [
    "events", "missed_events", "spurious_events", "late_events", "event_time_error", "state_error_between", "rollbacks",
    "output_defect", "state_error", "output_error", "steps"
  ]
}
END
cat >"$directory/heaters.json" <<END
{
  "format": "cosweep-sweep/1", "name": "heaters", "model": "$data/../../models/thermostat/model.json",
  "t_end": 1200, "method": {"order": 1, "step": {"control": "fixed"}, "events": {"window": 600}},
  "axes": [{"name": "H", "path": "method.step.size", "values": [300, 600]}],
  "metrics": ["events", "exact_events", "event_time_error", "state_error", "steps"]
}
END

sed -e "s|\"model\": \"|&$data/|" -e "s|\"kernel\": \"|&$data/|" "$data/own_sweep.json" >"$directory/own.json"

# Notes a variant: sweep, lanes, a kernel that has to run, settings as path=value words.
add() {
  count=$((count + 1))
  printf '%s %s %s %s' "$1" "$2" "variant$count" "$3" >>"$list"
  shift 3
  for setting in "$@"; do
    printf ' --set %s' "$setting" >>"$list"
  done
  echo >>"$list"
}

# Lanes alternate, so that both layouts of data in memory are seen.
add_steps() {
  if [ $((count % 2)) = 0 ]; then
    add all 2 step_lanes "$@"
  else
    add few 1 step_lanes "$@"
  fi
}

# Every two of hold, feed-through and start, of hold and solver, of hold and master are together in some variant. `ramp`
# takes several times as many instructions as the others.
while read -r solver hold feedthrough start; do
  add_steps method.solver=$solver method.hold=$hold method.feedthrough=$feedthrough method.start=$start
done <<END
euler taylor explicit consistent
heun taylor solved ramp
rk4 taylor refresh consistent
implicit_euler taylor refresh ramp
trapezoidal taylor refresh zero
euler lagrange explicit ramp
heun lagrange solved consistent
rk4 lagrange solved zero
implicit_euler lagrange explicit consistent
trapezoidal lagrange explicit zero
exact backward_difference explicit zero
exact backward_difference explicit consistent
exact backward_difference solved ramp
END
while read -r hold start; do
  add_steps method.master=gauss_seidel method.hold=$hold method.feedthrough=explicit method.start=$start
  add_steps method.master=gauss_seidel method.hold=$hold method.iterations=1
  add_steps method.iterations=2 method.hold=$hold
done <<END
taylor ramp
lagrange consistent
backward_difference zero
END
for lanes in 1 4; do
  add own $lanes step_lanes
  add sums_all $lanes double_lanes method.engine=double method.hold=taylor
  add stability $lanes spectrum_lanes method.hold=taylor method.output_order=2
  add stability $lanes spectrum_lanes method.hold=lagrange method.solver=rk4
  add varied $lanes vary_lanes method.step.control=pi_defect method.step.tolerance=0.01
  add varied $lanes vary_lanes method.step.control=richardson method.hold=lagrange method.start=ramp
  add varied $lanes vary_lanes method.step.control=richardson method.hold=backward_difference method.solver=dopri5 \
    method.master=gauss_seidel t_end=0.4
  add masses $lanes vary_lanes
  add heaters $lanes vary_lanes
done
for runs in 'all 2' 'one 1'; do
  # shellcheck disable=SC2086 # a sweep and lanes
  add sums_$runs double_lanes method.engine=double method.hold=lagrange method.solver=rk4 method.output_order=1
  add cancelling ${runs#* } double_lanes_root method.engine=double
done
add masses 4 vary_lanes method.events.detect=first method.events.reset=joint method.feedthrough=solved
add heaters 4 vary_lanes method.events.detect=points

if xargs -P "$jobs" -L 1 sh "$0" variant "$program" "$directory" <"$list"; then
  echo "$count variants, nothing reported"
else
  exit 1
fi
