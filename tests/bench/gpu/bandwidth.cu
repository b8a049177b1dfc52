// What copies, launches, graphs and events cost on this card: one JSON object a line.
//
//   nvcc -O2 -o bandwidth bandwidth.cu && ./bandwidth > bandwidth.jsonl
//
// Each figure is the median of repeats, with the first and ninth decile. Copies by size, pinned and
// pageable, one direction and both at once; launches back to back and one by one until done; a graph
// of kernels against the same kernels launched; recording an event and waiting for it. Its own
// counts of launches and copies stand in the last line, for captures of it to be held against.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

static long kernels, copies, graphs;

static void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bandwidth: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

static double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

__global__ void nothing() {}

__global__ void spin(long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

struct Deciles {
  double low, median, high;
};

static Deciles measure(int repeats, const std::function<double()>& once) {
  std::vector<double> values;
  once();
  for (int i = 0; i < repeats; i++) values.push_back(once());
  std::sort(values.begin(), values.end());
  auto at = [&](double share) { return values[size_t(share * double(values.size() - 1))]; };
  return {at(0.1), at(0.5), at(0.9)};
}

static void put(const char* what, size_t bytes, Deciles d, const char* unit) {
  std::printf("{\"what\":\"%s\",\"bytes\":%zu,\"unit\":\"%s\",\"median\":%.6g,\"p10\":%.6g,\"p90\":%.6g}\n",
              what, bytes, unit, d.median, d.low, d.high);
}

// A copy, timed by the host until it is done.
static double copy_s(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                     cudaStream_t stream) {
  double start = now_s();
  CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream));
  CHECK(cudaStreamSynchronize(stream));
  copies++;
  return now_s() - start;
}

static void measure_copies(size_t most) {
  char *device, *other, *pinned, *back, *pageable;
  cudaStream_t one, two;
  CHECK(cudaMalloc(&device, most));
  CHECK(cudaMalloc(&other, most));
  CHECK(cudaMallocHost(&pinned, most));
  CHECK(cudaMallocHost(&back, most));
  pageable = static_cast<char*>(std::malloc(most));
  std::fill(pageable, pageable + most, 1);
  CHECK(cudaStreamCreate(&one));
  CHECK(cudaStreamCreate(&two));
  for (size_t bytes = 4; bytes <= most; bytes *= 4) {
    int repeats = bytes <= (1 << 20) ? 50 : 10;
    put("h2d pinned", bytes, measure(repeats, [&] {
          return copy_s(device, pinned, bytes, cudaMemcpyHostToDevice, one);
        }), "s");
    put("d2h pinned", bytes, measure(repeats, [&] {
          return copy_s(pinned, device, bytes, cudaMemcpyDeviceToHost, one);
        }), "s");
    put("h2d pageable", bytes, measure(repeats, [&] {
          return copy_s(device, pageable, bytes, cudaMemcpyHostToDevice, one);
        }), "s");
    put("d2h pageable", bytes, measure(repeats, [&] {
          return copy_s(pageable, device, bytes, cudaMemcpyDeviceToHost, one);
        }), "s");
    put("d2d", bytes, measure(repeats, [&] {
          return copy_s(other, device, bytes, cudaMemcpyDeviceToDevice, one);
        }), "s");
    put("both directions", bytes, measure(repeats, [&] {
          double start = now_s();
          CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, one));
          CHECK(cudaMemcpyAsync(back, other, bytes, cudaMemcpyDeviceToHost, two));
          CHECK(cudaStreamSynchronize(one));
          CHECK(cudaStreamSynchronize(two));
          copies += 2;
          return now_s() - start;
        }), "s");
  }
  std::free(pageable);
  CHECK(cudaFreeHost(back));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(other));
  CHECK(cudaFree(device));
  CHECK(cudaStreamDestroy(one));
  CHECK(cudaStreamDestroy(two));
}

static void measure_launches() {
  const int many = 1000, nodes = 50;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  put("launch, back to back", 0, measure(20, [&] {
        double start = now_s();
        for (int i = 0; i < many; i++) nothing<<<1, 32, 0, stream>>>();
        double spent = now_s() - start;
        CHECK(cudaStreamSynchronize(stream));
        kernels += many;
        return spent / many;
      }), "s");
  put("launch until done", 0, measure(200, [&] {
        double start = now_s();
        nothing<<<1, 32, 0, stream>>>();
        CHECK(cudaStreamSynchronize(stream));
        kernels++;
        return now_s() - start;
      }), "s");
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < nodes; i++) nothing<<<1, 32, 0, stream>>>();
  CHECK(cudaStreamEndCapture(stream, &graph));
#if CUDART_VERSION >= 12000
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
#else
  CHECK(cudaGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
#endif
  put("graph of 50 kernels, launch", 0, measure(100, [&] {
        double start = now_s();
        CHECK(cudaGraphLaunch(ready, stream));
        double spent = now_s() - start;
        CHECK(cudaStreamSynchronize(stream));
        graphs++;
        return spent;
      }), "s");
  put("graph of 50 kernels, until done", 0, measure(100, [&] {
        double start = now_s();
        CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaStreamSynchronize(stream));
        graphs++;
        return now_s() - start;
      }), "s");
  put("50 kernels, until done", 0, measure(100, [&] {
        double start = now_s();
        for (int i = 0; i < nodes; i++) nothing<<<1, 32, 0, stream>>>();
        CHECK(cudaStreamSynchronize(stream));
        kernels += nodes;
        return now_s() - start;
      }), "s");
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

static void measure_events() {
  cudaEvent_t before, after;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  put("event, record", 0, measure(200, [&] {
        double start = now_s();
        CHECK(cudaEventRecord(before, stream));
        return now_s() - start;
      }), "s");
  put("event, record and wait", 0, measure(200, [&] {
        double start = now_s();
        CHECK(cudaEventRecord(before, stream));
        CHECK(cudaEventSynchronize(before));
        return now_s() - start;
      }), "s");
  // What events say of a kernel that is known to run for about 100 us, over what the host saw.
  put("events around a kernel", 0, measure(100, [&] {
        float ms = 0;
        CHECK(cudaEventRecord(before, stream));
        spin<<<1, 1, 0, stream>>>(150000);
        CHECK(cudaEventRecord(after, stream));
        CHECK(cudaEventSynchronize(after));
        CHECK(cudaEventElapsedTime(&ms, before, after));
        kernels++;
        return double(ms) * 1e-3;
      }), "s");
  CHECK(cudaEventDestroy(before));
  CHECK(cudaEventDestroy(after));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  cudaDeviceProp card;
  int driver = 0, runtime = 0;
  CHECK(cudaGetDeviceProperties(&card, 0));
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  std::printf("{\"card\":\"%s\",\"memory\":%zu,\"sms\":%d,\"driver\":%d,\"runtime\":%d}\n", card.name,
              card.totalGlobalMem, card.multiProcessorCount, driver, runtime);
  measure_copies(size_t(256) << 20);
  measure_launches();
  measure_events();
  std::printf("{\"counts\":{\"kernels\":%ld,\"copies\":%ld,\"graphs\":%ld,\"graph_nodes\":%ld}}\n",
              kernels, copies, graphs, graphs * 50);
  return 0;
}
