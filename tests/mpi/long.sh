#!/usr/bin/env bash
# 20 MB a text, several on their way in both directions, by shared memory and by network.
set -euo pipefail
[ "$(tests/mpi/launch 4 long)" = "8 texts of 20 MB came back" ]
[ "$(OPTIONS="--mca btl tcp,self" tests/mpi/launch 3 long)" = "8 texts of 20 MB came back" ]
