--- Help topic: tracing a CUDA program: what is recorded by whom, where it lies, what can go wrong.
local topic = { title = "tracing a CUDA program: backends, what is recorded, when it goes wrong" }

local TEXT <const> = [[
tandem capture -- PROGRAM ARGS… runs the program as it would run alone, with two libraries in it
that write its CUDA calls and the work of its GPUs into a file; when it ends, the file is read into
the store as one run. Every analysis works on it: tandem phases last first. Neither root nor a
vendor's profiler is needed, nor a change to the program.

Backends. cupti: CUDA loads a library of tandem's ($CUDA_INJECTION64_PATH), which has CUPTI record
calls, kernels, copies, memsets, allocations and graphs by the GPU's own clock. It needs libcupti,
which comes with the CUDA toolkit and with PyTorch; it is looked for in both, and $TANDEM_CUPTI may
name it. preload: a library in $LD_PRELOAD, before what is there, catches the calls of the driver
(libcuda), which the runtime makes too; times of the GPU's work are taken between two events and
count as estimated. auto takes CUPTI where it works, else the driver's calls: the summary says what
was amiss. NVTX ranges come by $NVTX_INJECTION64_PATH either way.

What is recorded (--record): api: calls with result, bytes and launch sizes; gpu: kernels, copies,
memsets, graphs as a whole; graphs: their nodes instead; memory: allocations and their ends; nvtx:
ranges and marks; sync: what was waited for. Less costs less. Arguments beyond these, contents of
memory and the environment are never recorded.

When: --delay and --duration record a part of the time; the program runs on. --range profiler
records between cudaProfilerStart and cudaProfilerStop, --range nvtx:NAME as long as an NVTX range
of that name is open in any thread or process of the program (a process that is killed within one
leaves it open); --nvtx NAME of the analyses chooses among recorded ranges. Ctrl-C goes to the
program, which may end well; a second one kills it. SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2,
SIGALRM, SIGWINCH and SIGCONT go to it as well. However it ends, the run has what was recorded
by then (state interrupted), ranges that were open end with it, and the exit code is the program's:
128 and the signal's number where one ended it. Processes that it starts are recorded, until it ends
itself.

Cost: a record is a few stores into memory that is the thread's own; no lock, no system call but
one every four thousand records. The summary says what a call cost at most: a twentieth of the times
from one call of a thread to its next are shorter. Records are 64 bytes; --limit SIZE ends recording
at a size, a full disk does, and what found no room is counted as lost.

The file lies in STORE.captures beside the store while the program runs, and goes when it has been
read. Of a tandem that was killed it stays, and the program records on: tandem import FILE reads it
at any time, and the next tandem capture names it. -o FILE.tdmc keeps it; with another ending the
run is written in that format as well. tandem watch tells what a running capture does. Captures may
run at once with one store, as mpirun -n 8 tandem capture -- ./solver starts them: a run for each.

Programs that become another user, or change their root directory, are recorded: they keep the file
open from their beginning, by a descriptor from 992 on, which those of root hand down to what they
execute. One that closes it first records what it can and the summary says so.

Nothing was recorded? A program that used no CUDA says so. Programs that are linked statically or
have rights of their own (set-user-ID, capabilities) ignore $LD_PRELOAD; scripts and shells are
followed into what they start. Containers need the libraries and the file inside: run tandem in
the container. CUPTI serves one tool at a time: nsys, ncu or a profiler in the program (PyTorch's)
take its place, and the driver's calls are recorded instead.

A program that runs already and cannot be started anew: as root, with bpftrace,
PREFIX/share/tandem/lib/capture/cuda-bpf PID > calls.jsonl, then tandem import calls.jsonl. Calls of
the driver with bytes and launch sizes, by probes on the very libcuda that the process has mapped;
--kernel adds what it asks of NVIDIA's kernel driver, --least 20 leaves calls below 20 us to the
summary at its end. A call pays its probes, up to 20 us as measured, and they count as the call's;
they see no times of the GPU, nor calls that go elsewhere than to libcuda's exported functions.]]

function topic.text() return TEXT end

return topic
