#!/usr/bin/env bash
# A rank is killed in the middle of a sweep: the job ends, and the same command goes on where it was.
# In the end the bytes are those of a sweep that nothing happened to.
set -uo pipefail
program=$(realpath "${BUILD:-build}/tandem")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
on_four() { timeout -k 5 600 mpirun --oversubscribe --allow-run-as-root -n 4 "$@"; }
cd "$dir" || exit 1
words=(sweep demo --over rps=40.5:100.5:400 --requests 20000 --replications 1 --csv --store)
"$program" "${words[@]}" whole.db > whole.csv 2> /dev/null || exit 1

on_four "$program" "${words[@]}" cut.db > cut.csv 2> /dev/null &
job=$!
done_points() { "$program" lua - "$1" 2> /dev/null <<'LUA'
local db = require("tandem.core").database(arg[1], { readonly = true })
local row = db and db:one "SELECT count(*) AS n FROM sweep_point"
print(row and row.n or 0)
LUA
}
while [ "$(done_points cut.db)" -lt 40 ] && kill -0 $job 2> /dev/null; do sleep 0.02; done
victim=$(pgrep -f "sweep demo .*cut.db" | while read -r pid; do
  tr '\0' '\n' < "/proc/$pid/environ" 2> /dev/null | grep -qx OMPI_COMM_WORLD_RANK=2 && echo "$pid"
done | head -1)
[ -n "$victim" ] || { echo "no rank 2 to kill"; exit 1; }
kill -9 "$victim"
wait $job && { echo "the job did not notice"; exit 1; }

before=$(done_points cut.db)
[ "$before" -ge 40 ] && [ "$before" -lt 400 ] || { echo "$before points were kept"; exit 1; }
on_four "$program" "${words[@]}" cut.db > cut.csv 2> note || exit 1
grep -q "of 400 points were there already" note || { echo "nothing was reused: $(cat note)"; exit 1; }
cmp whole.csv cut.csv
