"""T5 in SimPy, as its documentation writes a queue: a process for each request, a Resource for each station.

Poisson 0.9/s, five stations in series (0.8, 0.6, 4.0, 0.5, 0.7 s, exponential; the third has four
servers), first come, first served. Prints requests, seconds and the mean time in the system, which
theory gives as 18.84 s. Called by `make bench CASE=peer`.
"""
import random
import sys
import time

import simpy

MEANS = (0.8, 0.6, 4.0, 0.5, 0.7)
SERVERS = (1, 1, 4, 1, 1)
total = [0, 0.0]


def request(env, stations):
    arrived = env.now
    for station, mean in zip(stations, MEANS):
        with station.request() as turn:
            yield turn
            yield env.timeout(random.expovariate(1 / mean))
    total[0] += 1
    total[1] += env.now - arrived


def arrivals(env, stations, count):
    for _ in range(count):
        yield env.timeout(random.expovariate(0.9))
        env.process(request(env, stations))


random.seed(1)
env = simpy.Environment()
env.process(arrivals(env, [simpy.Resource(env, n) for n in SERVERS], int(sys.argv[1])))
wall, cpu = time.perf_counter(), time.process_time()
env.run()
print(f"amount={total[0]} seconds={time.perf_counter() - wall:.9f} cpu={time.process_time() - cpu:.9f} mean={total[1] / total[0]:.3f}")
