#!/usr/bin/env bash
# A rank dies. Open MPI ends the job: soon, with a failure, and nobody is left behind.
set -uo pipefail
for how in "" work; do
  # shellcheck disable=SC2086
  out=$(LIMIT=600 tests/mpi/launch 4 killed $how 2>&1)
  code=$?
  case $code in 0 | 124) echo "ended with $code"; exit 1 ;; esac
  case $out in *answered*) echo "answered, too: $out"; exit 1 ;; esac
done
