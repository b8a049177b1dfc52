#!/usr/bin/env bash
# Without libopenmpi-dev the build has no module; the program links no MPI; the module is found where
# it is installed; and where it is not, rank 0 says so in one line.
set -euo pipefail
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tandem() { OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=$1 "$2" lua tests/mpi/ranks.lua jobs 2>&1; }

if ldd "$build/tandem" | grep -i mpi; then exit 1; fi

cp "$build/tandem" "$work/tandem"
[ "$(tandem 0 "$work/tandem")" = \
  "tandem: this tandem has no sweeps over MPI: install the package tandem-mpi, or libopenmpi-dev and build again" ]
[ -z "$(tandem 1 "$work/tandem")" ]
echo "no library" >"$work/mpi.so"
said=$(tandem 0 "$work/tandem") || true
grep -q "^tandem: $work/mpi.so cannot be loaded: " <<<"$said"

# A pkg-config that knows everything but Open MPI.
real=$(command -v pkg-config)
printf '#!/bin/sh\ncase "$*" in *ompi*) exit 1 ;; esac\nexec %s "$@"\n' "$real" >"$work/pkg-config"
chmod +x "$work/pkg-config"
plan=$(MAKEFLAGS='' PATH="$work:$PATH" make -n BUILD="$work/build")
grep -q "$work/build/tandem" <<<"$plan"
if grep mpi.so <<<"$plan"; then exit 1; fi

MAKEFLAGS='' make -s install BUILD="$build" DESTDIR="$work/stage" PREFIX=/opt/tandem >/dev/null
[ "$(PROGRAM=$work/stage/opt/tandem/bin/tandem tests/mpi/launch 2 jobs)" = "2000 jobs answered" ]
