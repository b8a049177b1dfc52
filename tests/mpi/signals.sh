#!/usr/bin/env bash
# Ctrl-C and TERM at mpirun end all ranks, soon and without a trace of them.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
alive() { grep -q "^State:.[^Z]" "/proc/$1/status" 2>/dev/null; }

for signal in INT TERM; do
  # bash gives what runs in the background a deaf ear for INT; env gives it back.
  LIMIT=600 env --default-signal=INT tests/mpi/launch 4 endless >/dev/null 2>"$log" &
  launched=$!
  for _ in $(seq 3000); do
    [ "$(grep -c '^rank . is' "$log")" -eq 4 ] && break
    sleep 0.1
  done
  ranks=$(sed -n 's/^rank . is //p' "$log")
  [ "$(wc -w <<<"$ranks")" -eq 4 ] || { echo "they did not start"; cat "$log"; exit 1; }
  sleep 0.5
  # timeout passes it on to mpirun.
  kill "-$signal" "$launched"
  began=$SECONDS
  wait "$launched"
  code=$?
  [ "$code" -ne 0 ] || { echo "$signal: ended as if all were well"; exit 1; }
  [ $((SECONDS - began)) -le 120 ] || { echo "$signal: took $((SECONDS - began)) s"; exit 1; }
  for _ in $(seq 600); do
    left=$(for rank in $ranks; do alive "$rank" && echo "$rank"; done)
    [ -n "$left" ] || break
    sleep 0.1
  done
  [ -z "$left" ] || { echo "$signal: still there: $left"; exit 1; }
done
