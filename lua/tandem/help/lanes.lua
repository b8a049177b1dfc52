--- Help topic: what the lanes of an overlay are, and how two runs get one clock.
return require("tandem.help.page")("lanes and clocks of two runs that are laid over one another", [[
  tandem overlay REAL SIM                       stacked: real above simulated
  tandem overlay REAL SIM --view difference     where one is busy and the other not
  td.overlay(real, sim, { by = "device", align = "activity" })

A lane is what can be busy:

  QUEUE  waiting requests (simulated runs only)
  CPU    simulated work; operators and API calls, but for calls that only wait for a GPU
  H2D    copies to a GPU             GPU   kernels, memsets, copies within a GPU
  D2H    copies from it              COMM  collectives, copies between GPUs

--by device has these for each GPU, the first of one run over the first of the other, whatever they
are called; --by stream a lane for each stream, thread and station; --by stage one for each stage.
Lanes of the same name are compared. A lane that only one run has is shown, and compared with
nothing. Lanes are busy while anything runs; "at once" counts how much does.

Two runs have two clocks. Which times are the same is found --align …

  first          the first work on a lane that both have
  event:PATTERN  the first span of such a name; a glob, or /a regular expression/
  arrivals       request i of both arrives together: least squares over all requests, without
                 those that lie far off
  activity       where lanes are most alike: a cross-correlation, then ever finer bins in windows
                 along the runs, then starts that lie together
  none           both clocks as they are;  --offset 5ms  by hand

… and told with its offset, its drift (parts per million, with its standard error), the residual
(the median distance of the events that remains) and how many events it rests on. A drift is applied
when --drift on asks for it, or when it is more than twice its error and at most 1000 ppm: what is
more is a difference of speed, not of clocks. Runs that cannot be aligned are refused.

Other forms: --svg, --html, --csv and --json (the tables), --chrome and --perfetto (both runs in one
trace, processes called "real: …" and "simulated: …"), and --timeline for programs that draw, schema
tandem.overlay/1:

  runs, clock   what was laid over what, and how
  frame         from_ns (from the real run's first record) and length_ns
  lanes         label, kind, real and simulated (whether the run has it), most (at once),
                levels: coarse to fine, each { bins, real, simulated, both }: in each of so many
                equal bins how many are active on average, and for which share of it both are busy,
                parts: { start, real, simulated, start, … }, nanoseconds of the frame and how many
                are active from then on; parts_left_out where there are more than 20,000]])
