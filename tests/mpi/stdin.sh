#!/usr/bin/env bash
# Standard input closed, empty or endless is nobody's business.
set -euo pipefail
[ "$(tests/mpi/launch 4 jobs work <&-)" = "2000 jobs answered" ]
[ "$(tests/mpi/launch 4 jobs work </dev/null)" = "2000 jobs answered" ]
[ "$(tests/mpi/launch 4 jobs work </dev/zero)" = "2000 jobs answered" ]
