"""A batched inference pipeline of five stages under open-loop Poisson load, measured.

    pipeline.py --out DIR [--device cuda|cpu|sleep] [--rates 0.3,0.5,…] [--seconds S] [--profile]
    pipeline.py --fixed N [--profile] [--out DIR]

preprocess (CPU, one request at a time) → h2d → compute → d2h (each takes whoever waits, up to
--batch) → postprocess (CPU). Each stage is a thread with a queue: what tandem simulates as stations
with `batch = { max = B, wait = 0 }`. Requests have 1, 2 or 4 units, by which all their costs grow.
Rates are shares of the capacity, which a burst measures first. Every rate leaves
pipeline-RATE.jsonl.gz: tandem's JSON Lines, a span for each request and for each of its stages.
With --profile the torch profiler records a stretch of a rate (torch-trace.json.gz) and its own
counts (torch-counts.json). --fixed sends N requests one after the other, whose launches are the
same in every run: for counts and overhead of captures. --device sleep only sleeps: the loop
(close.lua) on a machine whose processors others use.
"""

import argparse
import gzip
import heapq
import json
import os
import queue
import random
import sys
import threading
import time

import torch

STAGES = ("preprocess", "h2d", "compute", "d2h", "postprocess")
UNITS, WEIGHTS = (1, 2, 4), (0.5, 0.3, 0.2)


class Request:
    __slots__ = ("number", "units", "arrival", "times", "raw", "staged", "device", "out", "host")

    def __init__(self, number, units):
        self.number, self.units, self.times = number, units, []


class Sleeper:
    """In place of work: milliseconds of each stage, alone, a unit and a member, with some luck."""

    COSTS = {"preprocess": (1, 1, 0), "h2d": (0.5, 0.5, 0), "compute": (4, 2, 1),
             "d2h": (0.5, 0.3, 0), "postprocess": (2, 0.5, 0)}

    def __init__(self):
        self.luck = {name: random.Random(name) for name in self.COSTS}

    def __call__(self, name, requests):
        alone, unit, member = self.COSTS[name]
        ms = alone + unit * sum(r.units for r in requests) + member * len(requests)
        time.sleep(1e-3 * ms * self.luck[name].gammavariate(20, 1 / 20))


class Pipeline:
    """The five stages over one model; `sizes` says how much work a unit is."""

    def __init__(self, device, batch, sizes):
        self.cuda, self.sleeper = device == "cuda", Sleeper() if device == "sleep" else None
        self.device = torch.device("cpu" if self.sleeper else device)
        self.batch, self.sizes = batch, sizes
        kind = torch.float16 if self.cuda else torch.float32
        torch.manual_seed(1)
        width = sizes["width"]
        scale = (2 / width) ** 0.5  # what relu halves: zeros would cost a card less power
        self.weights = [torch.randn(width, width, device=self.device, dtype=kind) * scale
                        for _ in range(sizes["layers"])]
        self.kind = kind
        self.raw = torch.randint(0, 255, (max(UNITS), sizes["rows"], width), dtype=torch.uint8)
        # Pinned memory is made once for each request in flight, and used again.
        self.staging = queue.SimpleQueue()
        self.results = queue.SimpleQueue()
        self.inboxes = [queue.SimpleQueue() for _ in range(len(STAGES) + 1)]
        self.streams = {name: torch.cuda.Stream() for name in ("h2d", "compute", "d2h")} \
            if self.cuda else {}
        for i, name in enumerate(STAGES):
            threading.Thread(target=self.serve, args=(i, name), daemon=True).start()

    def buffer(self, pool, shape):
        try:
            return pool.get_nowait()
        except queue.Empty:
            return torch.empty(shape, dtype=self.kind, pin_memory=self.cuda)

    def preprocess(self, requests):
        for r in requests:
            r.staged = self.buffer(self.staging, self.raw.shape)
            part = r.staged[:r.units]
            part.copy_(self.raw[:r.units])
            for _ in range(self.sizes["passes"]):
                part.sub_(127.5).mul_(1 / 64)

    def h2d(self, requests):
        for r in requests:
            r.device = r.staged[:r.units].to(self.device, non_blocking=True, copy=True)

    def compute(self, requests):
        x = torch.cat([r.device for r in requests]).flatten(0, 1)
        for weight in self.weights:
            x = torch.relu_(x @ weight)
        parts = x.view(-1, self.sizes["rows"], self.sizes["width"])
        first = 0
        for r in requests:
            r.out = parts[first:first + r.units]
            first += r.units

    def d2h(self, requests):
        for r in requests:
            r.host = self.buffer(self.results, self.raw.shape)
            r.host[:r.units].copy_(r.out, non_blocking=True)

    def postprocess(self, requests):
        for r in requests:
            torch.softmax(r.host[:r.units, -1].float(), -1).topk(8)

    def done_with(self, name, requests):
        """What a stage has used and nobody needs any more."""
        for r in () if self.sleeper else requests:
            if name == "h2d":
                self.staging.put(r.staged)
                r.staged = None
            elif name == "d2h":
                r.device = r.out = None
            elif name == "postprocess":
                self.results.put(r.host)
                r.host = None

    def serve(self, i, name):
        inbox, outbox, work = self.inboxes[i], self.inboxes[i + 1], getattr(self, name)
        most = self.batch if 1 <= i <= 3 else 1
        stream = self.streams.get(name)
        number = 0
        torch.set_grad_enabled(False)
        while True:
            requests = [inbox.get()]
            while len(requests) < most:
                try:
                    requests.append(inbox.get_nowait())
                except queue.Empty:
                    break
            number += 1
            start = time.monotonic_ns()
            if self.sleeper:
                self.sleeper(name, requests)
            elif stream:
                with torch.cuda.stream(stream), torch.profiler.record_function(name):
                    work(requests)
                    stream.synchronize()
            else:
                with torch.profiler.record_function(name):
                    work(requests)
            end = time.monotonic_ns()
            self.done_with(name, requests)
            for r in requests:
                r.times.append((start, end, number, len(requests)))
                outbox.put(r)

    def send(self, request):
        request.arrival = time.monotonic_ns()
        self.inboxes[0].put(request)

    def receive(self):
        return self.inboxes[-1].get()


def make_requests(count, seed):
    luck = random.Random(seed)
    return [Request(i, luck.choices(UNITS, WEIGHTS)[0]) for i in range(count)]


def measure_capacity(pipeline, count):
    """Requests a second of a burst, its ends left out."""
    for r in make_requests(count, 7):
        pipeline.send(r)
    ends = [pipeline.receive().times[-1][1] for _ in range(count)]
    skip = count // 5
    return (count - 2 * skip) / ((ends[-skip - 1] - ends[skip - 1]) * 1e-9)


def poisson(pipeline, rate, seconds, seed):
    luck = random.Random(seed)
    requests = make_requests(int(rate * seconds), seed)
    at = time.monotonic() + 0.05

    def send():
        due = at
        for r in requests:
            due += luck.expovariate(rate)
            wait = due - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            pipeline.send(r)

    sender = threading.Thread(target=send)
    sender.start()
    for _ in requests:
        pipeline.receive()
    sender.join()
    return requests


def slots(requests):
    """A place for each request while it is in flight, so that none hides another."""
    free, used, places = [], [], []
    for r in requests:
        while used and used[0][0] <= r.arrival:
            heapq.heappush(free, heapq.heappop(used)[1])
        place = heapq.heappop(free) if free else len(used)
        heapq.heappush(used, (r.times[-1][1], place))
        places.append(place)
    return places


def write(path, requests, facts, pipeline):
    def line(**fields):
        file.write(json.dumps(fields, separators=(",", ":")) + "\n")

    def span(name, start, end, **args):
        line(record="span", layout=0, start_ns=start - first, dur_ns=end - start, track=place,
             name=name, args=args)

    unit_bytes = pipeline.raw[0].numel() * torch.empty(0, dtype=pipeline.kind).element_size()
    first = requests[0].arrival
    places = slots(requests)
    with gzip.open(path, "wt", compresslevel=6) as file:
        line(record="header", format="tandem-jsonl", version=1, name=os.path.basename(path))
        line(record="source", source=0, path=os.path.basename(path), format="pipeline.py")
        for i in range(max(places) + 1):
            line(record="track", track=i, process="pipeline", name=f"in flight {i + 1}",
                 kind="thread", lane="CPU", pid=1, tid=i + 1)
        for key, value in facts.items():
            line(record="fact", key=key, value=str(value))
        line(record="layout", layout=0, category="nvtx", shape="span",
             args=[["request", "int"], ["units", "int"], ["bytes", "int"], ["batch", "int"],
                   ["members", "int"]])
        for r, place in zip(requests, places):
            span("request", r.arrival, r.times[-1][1], request=r.number, units=r.units,
                 bytes=r.units * unit_bytes)
            for name, (start, end, number, members) in zip(STAGES, r.times):
                span(name, start, end, request=r.number, batch=number, members=members)


def counts_of(profile):
    """What the torch profiler counted on the device, and of calls that ask for it."""
    counts = {"kernels": 0, "copies": 0, "fills": 0, "launches": 0}
    for event in profile.events():
        on_device = str(event.device_type).endswith("CUDA")
        name = event.name
        if on_device and name.startswith("Memcpy"):
            counts["copies"] += 1
        elif on_device and name.startswith("Memset"):
            counts["fills"] += 1
        elif on_device and name not in STAGES:
            counts["kernels"] += 1
        elif name in ("cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx"):
            counts["launches"] += 1
    return counts


def profiled(options, work):
    """Runs with the torch profiler; leaves its trace and its counts."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if options.device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=activities) as profile:
        work()
        if options.device == "cuda":
            torch.cuda.synchronize()
    trace = os.path.join(options.out, "torch-trace.json")
    profile.export_chrome_trace(trace)
    with open(trace, "rb") as plain, gzip.open(trace + ".gz", "wb") as packed:
        packed.write(plain.read())
    os.remove(trace)
    with open(os.path.join(options.out, "torch-counts.json"), "w") as file:
        json.dump(counts_of(profile), file)


def fixed(options, pipeline):
    def work():
        if pipeline.cuda:
            torch.cuda.profiler.start()  # what `tandem capture --range profiler` records
        for r in make_requests(options.fixed, 3):
            pipeline.send(r)
            pipeline.receive()
        if pipeline.cuda:
            torch.cuda.profiler.stop()

    start = time.monotonic()
    if options.profile:
        profiled(options, work)
    else:
        work()
    print(json.dumps({"requests": options.fixed, "seconds": time.monotonic() - start}))


def rates(options, pipeline):
    capacity = measure_capacity(pipeline, options.burst)
    print(f"capacity {capacity:.1f} requests/s", flush=True)
    for i, share in enumerate(options.rates):
        rate = share * capacity
        requests = poisson(pipeline, rate, options.seconds, 100 + i)
        facts = {"rate_rps": rate, "share": share, "capacity_rps": capacity,
                 "batch": options.batch, "torch": torch.__version__,
                 "device": torch.cuda.get_device_name() if pipeline.cuda else "cpu"}
        write(os.path.join(options.out, f"pipeline-{share:.2f}.jsonl.gz"), requests, facts, pipeline)
        total = [(r.times[-1][1] - r.arrival) * 1e-6 for r in requests]
        print(f"rate {rate:8.1f}/s: {len(total)} requests, mean {sum(total) / len(total):.2f} ms, "
              f"p99 {sorted(total)[int(len(total) * 0.99)]:.2f} ms", flush=True)
    if options.profile:
        rate = capacity * options.rates[len(options.rates) // 2]
        profiled(options, lambda: poisson(pipeline, rate, 1.0, 99))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=".")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu", "sleep"))
    parser.add_argument("--rates", default="0.30,0.50,0.65,0.75,0.85,0.92,1.00,1.10")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--burst", type=int, default=800)
    parser.add_argument("--fixed", type=int, default=0)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    options.rates = [float(share) for share in options.rates.split(",")]
    if options.device == "cuda" and not torch.cuda.is_available():
        sys.exit("pipeline.py: no CUDA device; --device cpu runs it on threads")
    sys.setswitchinterval(5e-4)  # stages take milliseconds: a thread must not wait 5 for the lock
    torch.set_num_threads(1)
    os.makedirs(options.out, exist_ok=True)
    # On a card a unit is 1 MiB to copy and 0.8 TFLOP, and the weights of a batch are 13 GB to read.
    sizes = {"rows": 64, "width": 8192, "layers": 96, "passes": 0} if options.device == "cuda" \
        else {"rows": 32, "width": 128, "layers": 3, "passes": 8}
    pipeline = Pipeline(options.device, options.batch, sizes)
    for r in make_requests(64, 5):  # until clocks, caches and pools are warm
        pipeline.send(r)
    for _ in range(64):
        pipeline.receive()
    fixed(options, pipeline) if options.fixed else rates(options, pipeline)


if __name__ == "__main__":
    main()
