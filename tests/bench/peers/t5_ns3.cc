// T5 on the scheduler of ns-3: Poisson 0.9/s, five stations in series (0.8, 0.6, 4.0, 0.5, 0.7 s,
// exponential; the third has four servers), first come, first served.
//
// What `make bench CASE=peer` compares the event engine with. Events are ns-3's own, one an arrival
// and one a departure; queues are deques of times of arrival, so nothing of ours is measured.
// Prints requests, seconds and the mean time in the system, which theory gives as 18.84 s.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>

#include "ns3/core-module.h"

namespace {

constexpr int kStages = 5;
constexpr double kMeans[kStages] = {0.8, 0.6, 4.0, 0.5, 0.7};
constexpr int kServers[kStages] = {1, 1, 4, 1, 1};

struct Station {
  std::deque<double> waiting; // times of arrival in the system
  int busy = 0;
};

Station stations[kStages];
std::mt19937_64 random_bits(1);
long to_come;
long done = 0;
double sum = 0;

double Exponential(double mean) {
  return std::exponential_distribution<double>(1 / mean)(random_bits);
}

void Depart(int stage, double arrived);

void Serve(int stage, double arrived) {
  ns3::Simulator::Schedule(ns3::Seconds(Exponential(kMeans[stage])), &Depart, stage, arrived);
}

void Enter(int stage, double arrived) {
  Station &station = stations[stage];
  if (station.busy < kServers[stage]) {
    station.busy++;
    Serve(stage, arrived);
  } else {
    station.waiting.push_back(arrived);
  }
}

void Depart(int stage, double arrived) {
  Station &station = stations[stage];
  if (station.waiting.empty()) {
    station.busy--;
  } else {
    double next = station.waiting.front();
    station.waiting.pop_front();
    Serve(stage, next);
  }
  if (stage + 1 < kStages) {
    Enter(stage + 1, arrived);
  } else {
    done++;
    sum += ns3::Simulator::Now().GetSeconds() - arrived;
  }
}

void Arrive() {
  if (--to_come > 0) ns3::Simulator::Schedule(ns3::Seconds(Exponential(1 / 0.9)), &Arrive);
  Enter(0, ns3::Simulator::Now().GetSeconds());
}

} // namespace

int main(int argc, char **argv) {
  to_come = argc > 1 ? std::atol(argv[1]) : 1000000;
  // Its fastest scheduler here, and nanoseconds, which hold 292 years.
  ns3::ObjectFactory scheduler("ns3::PriorityQueueScheduler");
  ns3::Simulator::SetScheduler(scheduler);
  ns3::Simulator::Schedule(ns3::Seconds(Exponential(1 / 0.9)), &Arrive);
  auto start = std::chrono::steady_clock::now();
  std::clock_t cpu = std::clock();
  ns3::Simulator::Run();
  std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  double cpu_s = double(std::clock() - cpu) / CLOCKS_PER_SEC;
  std::printf("amount=%ld seconds=%.9f cpu=%.9f mean=%.3f\n", done, wall.count(), cpu_s, sum / done);
  ns3::Simulator::Destroy();
}
