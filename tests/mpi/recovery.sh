#!/usr/bin/env bash
# A rank dies and mpirun was told to let the others live: they do its work, whatever carries it.
set -euo pipefail
whole="1000 jobs answered without the lost rank"
for how in "" work; do
  for carrier in "" "--mca btl tcp,self"; do
    # shellcheck disable=SC2086
    out=$(LIMIT=600 OPTIONS="--enable-recovery $carrier" tests/mpi/launch 4 killed $how 2>/dev/null)
    [ "$out" = "$whole" ]
  done
done
[ "$(OPTIONS=--enable-recovery LIMIT=600 tests/mpi/launch 2 killed work 2>/dev/null)" = "$whole" ]
# Nobody dies, nothing changes.
[ "$(OPTIONS=--enable-recovery tests/mpi/launch 4 jobs)" = "2000 jobs answered" ]
