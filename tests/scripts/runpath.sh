#!/usr/bin/env bash
# Fails if a program or library below the given folders searches for libraries in the working directory, or in any other
# folder that is not absolute or relative to the file itself: runpath.sh FOLDER...
set -euo pipefail
command -v readelf > /dev/null || { echo "skipped: no readelf" >&2; exit 77; }
seen=0 wrong=0
while IFS= read -r -d '' file; do
  paths=$(readelf -d "$file" 2> /dev/null) || continue
  seen=$((seen + 1))
  while IFS= read -r list; do
    while IFS= read -r -d : entry; do
      [[ $entry == /* || $entry == '$ORIGIN' || $entry == '$ORIGIN/'* ]] && continue
      echo "$file: searches libraries in \"$entry\": $list"
      wrong=1
    done <<< "$list:"
  done < <(sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/\2/p' <<< "$paths")
done < <(find "$@" -type f ! -name '*.o' \( -perm /111 -o -name '*.so*' \) -print0)
test "$seen" -gt 0 || { echo "no programs in $*"; exit 1; }
exit $wrong
