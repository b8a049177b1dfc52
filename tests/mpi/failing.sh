#!/usr/bin/env bash
# Work that raises an error fails its own job and no other.
set -euo pipefail
[ "$(tests/mpi/launch 4 failing)" = "222 failures told, the rest answered" ]
