#!/usr/bin/env bash
# tests/bench/gpu/run.sh: everything that is measured on a GPU, in about eight minutes, into $OUT.
#
# Wants an NVIDIA card, nvcc (CUDA 12 or later), Python with PyTorch, and tandem built (BUILD, build).
# Leaves at most eight files of at most 16 MiB:
#   provenance.txt   card, driver, versions, commands, dates
#   bandwidth.jsonl  copies, launches, graphs, events (bandwidth.cu)
#   pipeline.tar.gz  recordings of pipeline.py by rate, its torch trace and counts
#   serving.tar.gz   those of serving.py, requests and steps by rate
#   capture.txt      what captures by CUPTI and by LD_PRELOAD counted and cost, beside PyTorch's counts
#   capture.tdmc.gz  one raw capture
#   close.txt        the loop: fitted at one rate, the others predicted
#   log.txt          all that was printed
# A part that fails is told in log.txt, the others go on; the exit code is how many failed.
# DEVICE=cpu and SCALE=0.1 try it without a card (no bandwidth, no captures).
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 1
: "${OUT:=gpu-results}" "${BUILD:=build}" "${PYTHON:=python3}" "${DEVICE:=cuda}" "${SCALE:=1}"
here=tests/bench/gpu
tandem=$PWD/$BUILD/tandem
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$OUT"
exec > >(tee "$OUT/log.txt") 2>&1
export TANDEM_STORE=$work/store.db NO_COLOR=1
failed=0

part() { # SECONDS NAME COMMAND…: within its time, or it is a part that failed
  local limit=$1 name=$2
  shift 2
  echo "== $name ($(date -u +%T))"
  echo "$name: $*" >>"$OUT/provenance.txt"
  timeout -k 5 "$limit" "$@" && return 0
  echo "FAILED: $name"
  failed=$((failed + 1))
  return 1
}

seconds() { awk -v s="$1" -v k="$SCALE" 'BEGIN { print s * k }'; }

provenance() {
  date -u +'date: %FT%TZ'
  echo "machine: $(uname -srm), $(nproc) processors, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem,pcie.link.gen.max,pcie.link.width.max \
    --format=csv,noheader 2>/dev/null | sed 's/^/card: /' || echo 'card: none'
  nvcc --version 2>/dev/null | sed -n 's/.*release/nvcc: release/p'
  "$PYTHON" -c 'import sys, torch
print("python:", sys.version.split()[0], "torch:", torch.__version__, "cuda:", torch.version.cuda)'
  echo "tandem: $("$tandem" --version) $(git rev-parse --short HEAD 2>/dev/null)"
}
provenance >"$OUT/provenance.txt"

if [ "$DEVICE" = cuda ]; then
  part 60 'nvcc' nvcc -O2 -o "$work/bandwidth" $here/bandwidth.cu &&
    part 60 'bandwidth' sh -c '"$1" >"$2"' - "$work/bandwidth" "$OUT/bandwidth.jsonl"
fi
part 200 'pipeline' "$PYTHON" $here/pipeline.py --device "$DEVICE" --seconds "$(seconds 14)" --profile \
  --out "$work/pipeline"
tar -C "$work" -czf "$OUT/pipeline.tar.gz" pipeline
part 170 'serving' "$PYTHON" $here/serving.py --device "$DEVICE" --seconds "$(seconds 16)" --out "$work/serving"
tar -C "$work" -czf "$OUT/serving.tar.gz" serving

# The same requests, one after the other: alone, with the torch profiler, and captured both ways.
fixed() { "$PYTHON" $here/pipeline.py --device "$DEVICE" --fixed "$(seconds 400)" --out "$work/fixed" "$@"; }
captured() { # BACKEND [ARGUMENTS]
  local backend=$1
  shift
  "$tandem" capture --backend "$backend" --range profiler --name "$backend" -o "$work/$backend.tdmc" -- \
    "$PYTHON" $here/pipeline.py --device "$DEVICE" --fixed "$(seconds 400)" --out "$work/fixed" "$@"
  "$tandem" sql "SELECT category, count(*) AS rows, sum(dur_ns) / 1000000 AS ms FROM span WHERE run = (SELECT max(run) FROM span) GROUP BY category"
}
export -f fixed captured seconds
export PYTHON here DEVICE SCALE work tandem
{
  part 40 'alone' bash -c fixed
  part 40 'torch profiler' bash -c 'fixed --profile && cat "$work/fixed/torch-counts.json" && echo'
  [ "$DEVICE" != cuda ] || part 60 'capture by LD_PRELOAD' bash -c 'captured preload'
  [ "$DEVICE" != cuda ] || part 60 'capture by CUPTI' bash -c 'captured cupti'
  [ "$DEVICE" != cuda ] || part 60 'capture by LD_PRELOAD of what the torch profiler counts' \
    bash -c 'captured preload --profile && cat "$work/fixed/torch-counts.json" && echo'
  [ ! -x "$work/bandwidth" ] || part 60 'capture of bandwidth by CUPTI' \
    "$tandem" capture --backend cupti --record api,gpu,memory,sync,graphs -- "$work/bandwidth"
} > >(tee "$OUT/capture.txt")
for raw in "$work"/cupti.tdmc "$work"/preload.tdmc; do
  [ -f "$raw" ] && gzip -c "$raw" >"$OUT/capture.tdmc.gz" && break
done

mkdir "$work/loop"
ln -s "$work"/pipeline/pipeline-* "$work"/serving/serving* "$work/loop" 2>/dev/null
echo "== the loop ($(date -u +%T))"
timeout 90 "$tandem" lua $here/close.lua "$work/loop" | tee "$OUT/close.txt" # a missed bar is a result
for file in "$OUT"/*; do
  [ "$(stat -c %s "$file")" -le $((16 << 20)) ] || { echo "left out, over 16 MiB: $file" && rm "$file"; }
done
echo "== done: $failed parts failed ($(date -u +%T))"
exit "$failed"
