#!/bin/sh


# answer: 2 replicas of 4 H100 SXM each
python3 -m sglang.launch_server --model-path Qwen/Qwen3-30B-A3B \
  --served-model-name Qwen/Qwen3-30B-A3B --tp-size 4 --dp-size 2 --enable-dp-attention \
  --ep-size 2 --mem-fraction-static 0.9 --max-running-requests 2048 \
  --chunked-prefill-size 8192 --max-prefill-tokens 16384 --page-size 16 \
  --schedule-policy lpm --disable-overlap-schedule --enable-metrics
