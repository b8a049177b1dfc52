"""A small transformer with random weights, served with continuous batching, measured.

    serving.py --out DIR [--device cuda|cpu] [--rates 0.4,0.6,…] [--seconds S]

The scheduler is vLLM's in short: each step gives every running sequence a token, then takes prompts,
in chunks, up to --max-tokens tokens and --max-seqs sequences; a prompt's last chunk gives its first
token. Arrivals are Poisson at shares of the capacity that a burst measures. Every rate leaves
serving-RATE.jsonl, a line a request with the engine's clock (arrival_s, prompt_tokens,
output_tokens, queue_s, ttft_s, itl_s, e2e_s), and serving-steps-RATE.csv, a row a step: what
`tandem fit` reads. serving.json holds the engine's settings and the rates.
"""

import argparse
import csv
import json
import os
import random
import sys
import time
from collections import deque

import torch
import torch.nn.functional as F


class Transformer:
    """Decoder layers with a cache of fixed size for each sequence: `max_seqs` places."""

    def __init__(self, device, layers, width, heads, vocabulary, max_seqs, max_length):
        self.device, self.layers, self.heads, self.width = device, layers, heads, width
        self.kind = torch.float16 if device == "cuda" else torch.float32
        torch.manual_seed(2)

        def weight(rows, columns):
            return torch.randn(rows, columns, device=device, dtype=self.kind) * rows ** -0.5

        self.blocks = [(weight(width, 3 * width), weight(width, width), weight(width, 4 * width),
                        weight(4 * width, width)) for _ in range(layers)]
        self.embedding = weight(vocabulary, width)
        shape = (layers, max_seqs, heads, max_length, width // heads)
        self.keys = torch.zeros(shape, device=device, dtype=self.kind)
        self.values = torch.zeros_like(self.keys)

    def run(self, tokens, attend):
        """tokens: [n]; attend(layer, q, k, v) → [n, width]. Logits of all."""
        x = self.embedding[tokens]
        for layer, (qkv, out, up, down) in enumerate(self.blocks):
            q, k, v = (F.layer_norm(x, (self.width,)) @ qkv).view(-1, 3, self.heads, self.width
                                                                  // self.heads).unbind(1)
            x = x + attend(layer, q, k, v).reshape(-1, self.width) @ out
            x = x + F.gelu(F.layer_norm(x, (self.width,)) @ up) @ down
        return x @ self.embedding.t()

    def prefill(self, place, tokens, start):
        """A chunk of one prompt; its last token's successor."""
        end = start + len(tokens)

        def attend(layer, q, k, v):
            self.keys[layer, place, :, start:end] = k.transpose(0, 1)
            self.values[layer, place, :, start:end] = v.transpose(0, 1)
            scores = q.transpose(0, 1) @ self.keys[layer, place, :, :end].transpose(1, 2)
            ahead = torch.ones(len(tokens), end, device=self.device, dtype=torch.bool).triu(start + 1)
            scores = (scores * q.shape[-1] ** -0.5).masked_fill(ahead, -1e4)
            return (scores.softmax(-1) @ self.values[layer, place, :, :end]).transpose(0, 1)

        return self.run(tokens, attend)[-1:].argmax(-1)

    def decode(self, places, tokens, lengths, longest):
        """A token for each of several sequences."""
        mask = torch.arange(longest, device=self.device)[None] > lengths[:, None]

        def attend(layer, q, k, v):
            self.keys[layer, places, :, lengths] = k
            self.values[layer, places, :, lengths] = v
            keys, values = self.keys[layer, places, :, :longest], self.values[layer, places, :, :longest]
            scores = (keys @ q[:, :, :, None]).squeeze(-1) * q.shape[-1] ** -0.5
            scores = scores.masked_fill(mask[:, None], -1e4).softmax(-1)
            return (scores[:, :, None] @ values).squeeze(2)

        return self.run(tokens, attend).argmax(-1)


class Sequence:
    def __init__(self, prompt, output, due):
        self.prompt, self.output, self.due = prompt, output, due
        self.done, self.made, self.place, self.scheduled = 0, 0, None, None
        self.token, self.times = 0, []


class Engine:
    def __init__(self, model, options):
        self.model, self.most_seqs, self.most_tokens = model, options.max_seqs, options.max_tokens
        self.waiting, self.running = deque(), []
        self.free = list(range(options.max_seqs))
        self.steps = []

    def plan(self):
        """Who computes how many tokens in the next step: running ones first."""
        budget, decodes, chunks = self.most_tokens, [], []
        for s in self.running:
            if s.done == s.prompt and budget > 0:
                decodes.append(s)
                budget -= 1
        for s in self.running:
            if s.done < s.prompt and budget > 0:
                chunks.append((s, min(budget, s.prompt - s.done)))
                budget -= chunks[-1][1]
        while self.waiting and self.free and budget > 0:
            s = self.waiting.popleft()
            s.place = self.free.pop()
            self.running.append(s)
            chunks.append((s, min(budget, s.prompt)))
            budget -= chunks[-1][1]
        return decodes, chunks

    def step(self, clock):
        start = time.monotonic()
        decodes, chunks = self.plan()
        device = self.model.device
        context = sum(s.prompt + s.made for s in decodes)
        made = []
        if decodes:
            lengths = [s.prompt + s.made - 1 for s in decodes]
            made.append(self.model.decode(
                torch.tensor([s.place for s in decodes], device=device),
                torch.tensor([s.token for s in decodes], device=device),
                torch.tensor(lengths, device=device), max(lengths) + 1))
        for s, count in chunks:
            s.scheduled = clock() if s.scheduled is None else s.scheduled
            token = self.model.prefill(s.place, torch.full((count,), 7, device=device), s.done)
            s.done += count
            if s.done == s.prompt:
                made.append(token)
        tokens = torch.cat(made).tolist() if made else []  # waits for the device
        now = clock()
        for s, token in zip(decodes + [s for s, _ in chunks if s.done == s.prompt], tokens):
            s.token, s.made = token, s.made + 1
            s.times.append(now)
        over = [s for s in self.running if s.made == s.output]
        for s in over:
            self.running.remove(s)
            self.free.append(s.place)
        self.steps.append((1e3 * (time.monotonic() - start), len(decodes), context,
                           sum(count for _, count in chunks), len(chunks)))
        return over


def serve(engine, requests):
    """Serves requests that come when they are due; seconds are those since the first was due."""
    begin = time.monotonic()
    left, over = deque(requests), []
    engine.steps = []

    def clock():
        return time.monotonic() - begin

    while len(over) < len(requests):
        while left and left[0].due <= clock():
            engine.waiting.append(left.popleft())
        if engine.waiting or engine.running:
            over += engine.step(clock)
        elif left:
            time.sleep(max(0.0, left[0].due - clock()))
    return over


def make_requests(rate, count, seed, scale):
    luck, due, made = random.Random(seed), 0.0, []
    for _ in range(count):
        prompt = min(int(luck.lognormvariate(0, 0.8) * 256 * scale) + 1, int(1024 * scale))
        output = min(int(luck.expovariate(1 / (96 * scale))) + 1, int(512 * scale))
        made.append(Sequence(prompt, output, due))
        due += luck.expovariate(rate) if rate else 0.0
    return made


def write(options, share, requests, steps):
    with open(os.path.join(options.out, f"serving-{share:.2f}.jsonl"), "w") as file:
        for s in sorted(requests, key=lambda s: s.due):
            first, last = s.times[0], s.times[-1]
            file.write(json.dumps({
                "arrival_s": round(s.due, 6), "prompt_tokens": s.prompt, "output_tokens": s.output,
                "queue_s": round(s.scheduled - s.due, 6), "ttft_s": round(first - s.due, 6),
                "itl_s": round((last - first) / max(1, s.output - 1), 6),
                "e2e_s": round(last - s.due, 6)}) + "\n")
    with open(os.path.join(options.out, f"serving-steps-{share:.2f}.csv"), "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("step_ms", "decode_seqs", "decode_context", "prefill_tokens", "prefill_seqs"))
        rows.writerows((round(ms, 4), *rest) for ms, *rest in steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=".")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--rates", default="0.40,0.60,0.75,0.85,0.95,1.10")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--burst", type=int, default=200)
    parser.add_argument("--max-seqs", type=int, default=32)
    parser.add_argument("--max-tokens", type=int, default=1024)
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        sys.exit("serving.py: no CUDA device; --device cpu runs a tiny model")
    torch.set_grad_enabled(False)
    os.makedirs(options.out, exist_ok=True)
    scale = 1 if options.device == "cuda" else 0.125
    length = int(1024 * scale) + int(512 * scale) + 1
    size = {"layers": 24, "width": 2048, "heads": 16, "vocabulary": 32000} \
        if options.device == "cuda" else {"layers": 2, "width": 64, "heads": 2, "vocabulary": 256}
    engine = Engine(Transformer(options.device, max_seqs=options.max_seqs, max_length=length, **size),
                    options)
    serve(engine, make_requests(0, 8, 4, scale))  # until clocks and caches are warm
    start = time.monotonic()
    serve(engine, make_requests(0, options.burst, 5, scale))
    capacity = options.burst / (time.monotonic() - start)
    print(f"capacity {capacity:.2f} requests/s", flush=True)
    shares = [float(share) for share in options.rates.split(",")]
    for i, share in enumerate(shares):
        count = max(8, int(share * capacity * options.seconds))
        over = serve(engine, make_requests(share * capacity, count, 50 + i, scale))
        write(options, share, over, engine.steps)
        e2e = sorted(s.times[-1] - s.due for s in over)
        print(f"rate {share * capacity:7.2f}/s: {count} requests, {len(engine.steps)} steps, e2e mean "
              f"{sum(e2e) / len(e2e):.3f} s, p99 {e2e[int(len(e2e) * 0.99)]:.3f} s", flush=True)
    settings = {"max_seqs": options.max_seqs, "max_batched_tokens": options.max_tokens,
                "kv_blocks": options.max_seqs * (length // 16 + 1), "block_tokens": 16,
                "plans_ahead": False, "prefix_caching": False}
    with open(os.path.join(options.out, "serving.json"), "w") as file:
        json.dump({"engine": settings, "capacity_rps": capacity, "shares": shares, "model": size,
                   "device": torch.cuda.get_device_name() if options.device == "cuda" else "cpu",
                   "torch": torch.__version__}, file)


if __name__ == "__main__":
    main()
