#!/usr/bin/env bash
# A sweep and a plan on four ranks print the bytes that threads print.
set -uo pipefail
program=${BUILD:-build}/tandem
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
on_four() { timeout -k 5 600 mpirun --oversubscribe --allow-run-as-root -n 4 "$@"; }
sweep=(sweep demo --over rps=40:200:12 --over gpus=1,2 --over kind=L40,L40S --requests 1500
       --replications 2 --no-store --csv)
plan=(plan demo --kinds L40,L40S --load 100rps:300rps:3 --csv)
for command in sweep plan; do
  declare -n words=$command
  "$program" "${words[@]}" > "$dir/threads" || exit 1
  on_four "$program" "${words[@]}" > "$dir/ranks" || exit 1
  cmp "$dir/threads" "$dir/ranks" || exit 1
done
