#!/usr/bin/env bash
# One rank is nobody else: work as without MPI, whose start and end would only cost time.
set -euo pipefail
[ "$(tests/mpi/launch 1 alone)" = alone ]
[ "$("${BUILD:-build}/tandem" lua tests/mpi/ranks.lua alone)" = alone ]
