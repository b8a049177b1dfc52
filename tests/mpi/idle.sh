#!/usr/bin/env bash
# Ranks that have nothing to do leave the processor to others.
set -euo pipefail
tests/mpi/launch 2 idle
