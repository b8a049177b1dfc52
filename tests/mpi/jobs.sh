#!/usr/bin/env bash
# Jobs of random sizes, handed to whoever has room; every answer is checked.
set -euo pipefail
launch=tests/mpi/launch
[ "$($launch 4 jobs)" = "2000 jobs answered" ]
[ "$($launch 4 jobs work)" = "2000 jobs answered" ]
[ "$($launch 2 jobs)" = "2000 jobs answered" ]
[ "$(OPTIONS="--mca btl tcp,self" $launch 3 jobs work)" = "2000 jobs answered" ]
# The rest is dropped: nobody waits for it.
[ "$(LIMIT=600 $launch 3 early)" = "10 of 500 jobs answered" ]
