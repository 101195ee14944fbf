#!/usr/bin/env bash
# Manual pages and completion against the program's own help, and as man, bash and zsh take them:
# manual.sh PROGRAM PAGES_DIRECTORY
set -euo pipefail
program=$1 pages=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
complain() { echo "$*"; failed=1; }
# Commands, and the options of one, as --help lists them.
commands() { "$program" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'; }
options() { "$program" "$1" --help | sed -n 's/^  \(-[a-z], \|    \)\(--[A-Za-z-]*\).*/\2/p'; }
test "$(commands | wc -l)" -ge 7 || complain "--help lists only: $(commands | tr '\n' ' ')"

# ---- pages

for page in "$pages"/man1/*.1; do
  if command -v groff > /dev/null; then
    said=$(groff -ww -man -Tutf8 "$page" 2>&1 > "$scratch/page") || true
    test -z "$said" || complain "groff: $said"
    grep -q . "$scratch/page" || complain "$page is empty"
  fi
  if command -v man > /dev/null; then
    said=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l "$page" 2>&1 > "$scratch/page") || true
    test -z "$said" || complain "man: $said"
  fi
done
for command in $(commands); do
  page=$pages/man1/cosweep-$command.1
  test -s "$page" || { complain "no page for $command"; continue; }
  grep -q '^\.SH DESCRIPTION' "$page" || complain "host/manual/about.c says nothing of $command"
  grep -qF "cosweep\\-$command" "$pages/man1/cosweep.1" || complain "cosweep.1 does not name $command"
  diff <(options "$command") <(sed -n '/^\.TP/{n;s/^\(\\fB\\-[a-z]\\fR, \)\{0,1\}\\fB\\-\\-\([A-Za-z\\-]*\)\\fR.*/--\2/p}' "$page" |
    sed 's/\\//g') || complain "options of $page"
done
test "$(find "$pages/man1" -name '*.1' | wc -l)" -eq $(($(commands | wc -l) + 1)) || complain "pages that no command has"

# ---- bash

# What completion offers at the end of the words given.
offer() {
  COMP_WORDS=("$program" "$@") COMP_CWORD=$#
  COMPREPLY=()
  _cosweep
  printf '%s\n' "${COMPREPLY[@]}" | sed '/^$/d' | sort
}
expect() {
  local want=$1 got
  shift
  got=$(offer "$@" | tr '\n' ' ')
  test "$got" = "$want" || complain "completion of \"$*\" offers \"$got\", not \"$want\""
}
# shellcheck source=/dev/null
source "$pages/cosweep.bash"
test "$(complete -p cosweep)" = "complete -F _cosweep cosweep" || complain "complete -p: $(complete -p cosweep)"
diff <(offer "") <({ commands; printf '%s\n' --help --version; } | sort) || complain "completion of commands"
for command in $(commands); do
  diff <(offer "$command" --) <(options "$command" | sort) || complain "completion of options of $command"
done
cd "$scratch"
# Words after an option stand in its help, but for metrics, settings and methods, which tables of the program give.
for command in $(commands); do
  help=$("$program" "$command" --help | tr '\n,' '  ')
  for option in $(options "$command"); do
    case $option in --output | --set | --rank | --metric | --for) continue ;; esac
    for word in $(offer "$command" "$option" ""); do
      [[ $help == *" $word"* ]] || complain "$command $option offers $word, of which its help says nothing"
    done
  done
done
mkdir sub
touch mine.json mine.h5 mine.txt fig.svg fig.pdf 'two words.json'
expect "run " ru
expect "mine.json sub two words.json " run ""
expect "mine.h5 sub " info ""
expect "sub " new ""
expect "model sweep " schema ""
expect "" devices ""
expect "mine.h5 sub " run mine.json -o ""
expect "fig.pdf fig.svg sub " plot mine.h5 --output ""
expect "events refined " export mine.h5 --group ""
expect "" plot mine.h5 --title ""
expect "1 16 2 4 8 " run --lanes ""
expect "1 16 " run --lanes = 1
expect "all auto cpu gpu host " run --device ""
expect "method.hold= " run --set method.ho
expect "method.hold= " run --set = method.ho
expect "backward_difference hermite lagrange least_squares taylor waveform " run mine.json --set method.hold =
expect "lagrange " run mine.json --set method.hold = la
expect "lagrange " run mine.json --set = method.hold = la
expect "" run --set method.step.size = 0
expect "evaluations " info mine.h5 --cost e
expect "output_error output_error_between output_error_final output_error_max output_error_relative output_exact " info mine.h5 --rank output_e

# What a file holds: a sweep, its model and its result. No text of a file is run.
cat > model.json << 'EOF'
{"format": "cosweep-model/1", "name": "decay", "parameters": {"rate": 1},
 "subsystems": [{"name": "a", "states": ["x"], "inputs": ["u"], "outputs": ["y"], "A": [["-rate"]], "B": [[1]],
                 "C": [[1]], "x0": [1]}],
 "connections": [{"from": "a.y", "to": "a.u", "gain": 0.5}]}
EOF
cat > sweep.json << 'EOF'
{"format": "cosweep-sweep/1", "name": "sweep", "model": "model.json", "t_end": 1, "metrics": ["output_error", "steps"],
 "axes": [{"name": "turn", "path": "method.sequence", "values": [{"label": "$(touch caught)", "value": ["a"]}]},
          {"name": "H", "path": "method.step.size", "values": [0.1, 0.05]}], "method": {"master": "gauss_seidel"}}
EOF
"$program" run --device host --quiet sweep.json > /dev/null
expect "output_error " plot sweep.h5 --metric out
expect "H= output= turn= " plot sweep.h5 --where ""
expect "0.05 0.1 " plot sweep.h5 --where H = ""
expect "0.05 " plot sweep.h5 --where H = 0.0
expect "H= turn= " trace sweep.json --at ""
expect '\$\(touch\ caught\) ' trace sweep.json --at turn = ""
expect "H output turn " plot sweep.h5 --x ""
expect "a.y " plot sweep.h5 --signal ""
expect "parameters.rate= " run sweep.json --set par
expect "method.step.signal= " run sweep.json --set method.step.si
expect "parameters.rate= " explain model.json --set par
expect "" plot absent.h5 --where ""
test ! -e caught || complain "completion runs what a file says"

# ---- zsh

if command -v zsh > /dev/null; then
  zsh -n "$pages/_cosweep" || complain "zsh cannot read $pages/_cosweep"
  test "$(head -1 "$pages/_cosweep")" = "#compdef cosweep" || complain "$pages/_cosweep: no #compdef"
  for command in $(commands); do
    for option in $(options "$command"); do
      grep -E "^      $command\) " -A60 "$pages/_cosweep" | sed '2,${/^      [a-z]*) /,$d}' | grep -qF -e "$option" ||
        complain "$pages/_cosweep: $command has no $option"
    done
  done
fi
exit "$failed"
