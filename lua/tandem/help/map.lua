--- Help topic: maps from spans to requests and stages.
return require("tandem.help.page")("which spans of a capture are requests and stages", [[
A map is a small Lua file. It says which spans of a capture are requests, and which spans in them
are the stages they visit: what overlay, score and fit need to put a measured run beside a
simulated one. tandem map RUN proposes one, tandem map RUN --map FILE shows what one covers.

  local td = require "tandem"
  return td.map {
    request = { range = "ProfilerStep#*" },
    sizes   = { tokens = "/tokens=(\\d+)/" },
    stages  = {
      { "forward", range = "## forward ##" },
      { "h2d", copy = "HtoD" },
      { "allreduce", comm = "*" },
      { "compute", kernel = "*" },
    },
  }

Patterns take whole names: * is any text, ? one character. Between slashes stands an expression
(PCRE2), found anywhere in the name; in Lua a backslash is written twice. Spans are matched by the
first stage in the list that takes them, each by one.

A request is one of:

  range = "step *"                      each such range (NVTX, annotation, operator, function), on
                                        its thread; GPU work belongs to it by the call that
                                        launched it, where calls are not known by its time
                                        (attribute = "launch" or "time" says which)
  range = "step *", domain = "serving", category = "nvtx"
                                        ranges of one NVTX domain, of one category
  sequence = { "HtoD", "kernel", "DtoH" }, each = "stream"
                                        GPU work in this order, on each stream, device or process;
                                        a request ends when the order starts over
  starts = { kernel = "*rotary*" }, each = "device"
                                        from one match to the next; what is before the first and
                                        after the last is told and not used
  phases = true                         where only API calls were recorded: input, execute, retrieve
  by = function(span)                   a function: the request's key and its stage's name for each
    return span.args.id, "decode"       span, nothing for spans that belong to none, true as the
  end                                   stage for the span that is the request's time; no stages

A stage is its name and one of:

  { "forward", range = "## forward ##" }             host time in such ranges, on their thread
  { "forward", range = "## forward ##", on = "gpu" } GPU work launched in them
  { "attention", kernel = "/flash|fmha/" }           kernels
  { "allreduce", comm = "*" }                        collectives (NCCL, RCCL), which kernel leaves
  { "h2d", copy = "HtoD" }                           copies by kind: HtoD DtoH DtoD PtoP …, or "*"
  { "clear", memset = "*" }                          memsets
  { "decode", graph = "*" }                          CUDA graphs, and what they launched
  { "launch", call = "cudaLaunch*" }                 API calls
  { "operators", op = "aten::*" }                    operators of PyTorch
  { "wait", sync = "*" }                             the host waiting for the GPU
  { "input", phase = "input" }                       with phases = true: input, execute, retrieve

lane = "GPU" (QUEUE CPU H2D GPU D2H COMM OTHER) puts a stage on another lane than its rows are on.

Sizes are numbers of a request, by which stages may cost more:

  tokens = "/tokens=(\\d+)/"            the number in parentheses in the name of its range
  batch  = { arg = "payload" }          an argument of that range
  layers = { count = { kernel = "*flash*" } }   how many rows a rule takes in it
  moved  = { bytes = { copy = "HtoD" } }        how many bytes they moved

Maps that come with tandem are found by their names, as in tandem map RUN --map torch-steps:

  torch-steps     each ProfilerStep of torch.profiler: copies, collectives, compute, operators
  execute-steps   each execute_TOKENS_… of an inference server, with its tokens as size
  api-phases      phases of API calls alone

td.map.propose(run) gives proposals to scripts, run:visits(map) requests and visits,
run:visits(map):coverage() what the map covers.]])
