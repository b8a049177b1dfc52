#!/usr/bin/env python3
"""Makes sdk.pftrace and torch.pftrace with Google's protobuf library: python3 make.py (protobuf-compiler and
python3-protobuf). Every feature of the format that the reader knows, once; what must come out of it
stands in tests/c/test_read_pftrace.c."""
import os, subprocess, sys, tempfile, zlib

here = os.path.dirname(os.path.abspath(__file__))
out = tempfile.mkdtemp()
subprocess.check_call(["protoc", "-I", here, "--python_out", out, "track_event.proto"])
sys.path.insert(0, out)
import track_event_pb2 as pf

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
trace = pf.Trace()


def packet(sequence=1, time=None, flags=2, to=trace):
    p = to.packet.add()
    p.trusted_packet_sequence_id = sequence
    if flags is not None:
        p.sequence_flags = flags
    if time is not None:
        p.timestamp = time
    return p


def event(sequence, time, kind, name=None, track=None, category=None, flags=2, to=trace):
    p = packet(sequence, time, flags, to)
    p.track_event.type = kind
    if isinstance(name, int):
        p.track_event.name_iid = name
    elif name is not None:
        p.track_event.name = name
    if category is not None:
        p.track_event.categories.append(category)
    if track is not None:
        p.track_event.track_uuid = track
    return p


# The service's own packets: times of all clocks, settings, markers.
p = packet(9, 1000000, None)
for clock, time in ((6, 1000000), (3, 400000), (1, 1700000000001000000)):
    c = p.clock_snapshot.clocks.add()
    c.clock_id, c.timestamp = clock, time
packet(9, 1000000, None).trace_config = b"\x0a\x00"
packet(9, 1000000, None).synchronization_marker = b"0123456789abcdef"
packet(9, 1000000, None).ftrace_events = b"\x08\x01"
packet(9, 1000000, None).ftrace_events = b"\x08\x02"

# Sequence 1: a thread, everything interned, the track by default, its own clock in microseconds,
# each time told as the distance from the one before.
p = packet(1, None, 1)
p.previous_packet_dropped = 1
d = p.trace_packet_defaults
d.timestamp_clock_id = 64
d.track_event_defaults.track_uuid = 101
p = packet(1, None, 2)
p.timestamp_clock_id = 6
p.timestamp = 1000000
for clock, time, step, unit in ((6, 1000000, False, None), (64, 500, True, 1000)):
    c = p.clock_snapshot.clocks.add()
    c.clock_id, c.timestamp = clock, time
    if step:
        c.is_incremental, c.unit_multiplier_ns = True, unit
p = packet(1, None, 2)
d = p.track_descriptor
d.uuid = 100
d.process.pid = 4312
d.process.process_name = "python"
p = packet(1, None, 2)
d = p.track_descriptor
d.uuid, d.parent_uuid = 101, 100
d.thread.pid, d.thread.tid, d.thread.thread_name = 4312, 4313, "worker"

p = event(1, 10, BEGIN, 1)  # 1,010,000 ns
i = p.interned_data
for table, rows in ((i.event_names, ((1, "outer"), (2, "inner"))),
                    (i.event_categories, ((1, "cpu_op"), (7, "extra"))),
                    (i.debug_annotation_names, ((1, "rows"), (2, "label"), (3, "deep")))):
    for iid, name in rows:
        e = table.add()
        e.iid, e.name = iid, name
e = i.debug_annotation_string_values.add()
e.iid, e.str = 5, "forty\n\"two\"".encode()
p.track_event.category_iids.extend([1, 7])
a = p.track_event.debug_annotations.add()
a.name_iid, a.int_value = 1, -42
a = p.track_event.debug_annotations.add()
a.name_iid, a.string_value_iid = 2, 5
p.track_event.flow_ids.append(77)
p = event(1, 5, BEGIN, 2)  # 1,015,000
p.track_event.category_iids.append(1)
for name, field, value in (("flag", "bool_value", True), ("big", "uint_value", 2**64 - 1),
                           ("small", "uint_value", 7), ("real", "double_value", 0.1),
                           ("at", "pointer_value", 0xdeadbeef),
                           ("json", "legacy_json_value", '{"k":[1,2]}')):
    a = p.track_event.debug_annotations.add()
    a.name = name
    setattr(a, field, value)
a = p.track_event.debug_annotations.add()
a.name_iid = 3
n = a.nested_value
n.nested_type = 1
n.dict_keys.extend(["x", "y"])
v = n.dict_values.add()
v.int_value = 1
v = n.dict_values.add()
v.nested_type = 2
v.array_values.add().string_value = "s"
v.array_values.add().bool_value = False
v.array_values.add().double_value = 2.5
a = p.track_event.debug_annotations.add()
a.name = "dict"
b = a.dict_entries.add()
b.name, b.string_value = "inner", "v"
b = a.dict_entries.add()
b.name = "list"
b.array_values.add().int_value = 3
b.array_values.add().int_value = -4
p = event(1, 5, END)  # 1,020,000
a = p.track_event.debug_annotations.add()
a.name, a.int_value = "result", 9
event(1, 20, END)  # 1,040,000
event(1, 2, INSTANT, "mark", category="marker").track_event.correlation_id = 12  # 1,042,000
event(1, 1, INSTANT, "log").track_event.log_message.body_iid = 1  # 1,043,000

# Sequence 2: a plain tree of tracks, on the monotonic clock, nothing interned.
for uuid, parent, name in ((200, 0, "GPU"), (201, 200, "queue 0"), (202, 201, "sub")):
    d = packet(2, None, None).track_descriptor
    d.uuid, d.name = uuid, name
    if parent:
        d.parent_uuid = parent


def monotonic(p, time):
    p.timestamp, p.timestamp_clock_id = time, 3
    return p


p = monotonic(event(2, None, BEGIN, "kernel", 201, "kernel", None), 450000)  # 1,050,000
p.track_event.terminating_flow_ids.append(77)
monotonic(event(2, None, BEGIN, "copy", 202, "gpu_memcpy", None), 455000)
monotonic(event(2, None, END, None, 202, None, None), 456000)
monotonic(event(2, None, END, None, 201, None, None), 460000)
# A flow of three steps in the old fields; another that goes nowhere.
for time, last in ((461000, False), (462000, False), (463000, True)):
    p = monotonic(event(2, None, INSTANT, "step", 201, "marker", None), time)
    (p.track_event.terminating_flow_ids_old if last else p.track_event.flow_ids_old).append(5)
monotonic(event(2, None, INSTANT, "step", 201, "marker", None), 464000).track_event.flow_ids.append(6)

# Counters: of a process, incremental with a factor, at the side of a slice, as a double.
for uuid, parent, name in ((300, 100, "resident"), (301, 101, "cycles"), (302, 0, "watts")):
    d = packet(3, None, 1 if uuid == 300 else 2).track_descriptor
    d.uuid, d.name = uuid, name
    if parent:
        d.parent_uuid = parent
    if uuid == 300:
        d.counter.unit, d.counter.unit_multiplier = 3, 1024
    elif uuid == 301:
        d.counter.is_incremental, d.counter.unit = True, 2
    else:
        d.counter.unit_name, d.counter.categories[:] = "W", ["power"]
event(3, 2000000, COUNTER, track=300).track_event.counter_value = 3
event(3, 2000001, COUNTER, track=300).track_event.counter_value = 5
event(3, 2000002, COUNTER, track=302).track_event.double_counter_value = 99.5
for time, kind, value in ((2000010, BEGIN, 100), (2000020, END, 50)):
    p = event(3, time, kind, "counted" if kind == BEGIN else None, 101, "cpu_op")
    p.track_event.extra_counter_track_uuids.append(301)
    p.track_event.extra_counter_values.append(value)
p = event(3, 2000030, INSTANT, "doubles", 101, "cpu_op")
p.track_event.extra_double_counter_track_uuids.extend([302])
p.track_event.extra_double_counter_values.extend([1.5, 2.5])  # the second has no track

# Sequence 4: Chrome's older events, thread and time told by a descriptor.
p = packet(4, None, 1)
t = p.thread_descriptor
t.pid, t.tid, t.reference_timestamp_us = 50, 51, 3000
for delta, phase, extra in ((10, "B", {}), (5, "X", {"duration_us": 2}), (5, "E", {}),
                            (1, "b", {"unscoped_id": 9}), (1, "b", {"unscoped_id": 10}),
                            (1, "e", {"unscoped_id": 9}), (1, "e", {"unscoped_id": 10}),
                            (1, "I", {}), (1, "(", {})):
    p = packet(4, None, 2)
    p.track_event.timestamp_delta_us = delta
    p.track_event.name = "chrome " + phase
    p.track_event.categories.append("cc")
    p.track_event.legacy_event.phase = ord(phase)
    for key, value in extra.items():
        setattr(p.track_event.legacy_event, key, value)

# Sequence 5 lost a packet: what needs its names is left out until they are told anew.
p = event(5, 4000000, INSTANT, 1, 101, "a", 1)
e = p.interned_data.event_names.add()
e.iid, e.name = 1, "before"
p = event(5, 4000001, INSTANT, 1, 101, "a", 2)
p.previous_packet_dropped = 1
event(5, 4000002, INSTANT, "needs none", 101, "a", 0)
p = event(5, 4000003, INSTANT, 1, 101, "a", 3)
e = p.interned_data.event_names.add()
e.iid, e.name = 1, "after"
event(5, 4000004, INSTANT, 2, 101, "a", 2)  # a name that was never told

# A packet of packets, deflated; inside it a slice that stays open and an end without a begin.
inner = pf.Trace()
event(6, 5000000, BEGIN, "packed", 201, "kernel", None, inner)
event(6, 5000010, END, None, 201, None, None, inner)
event(6, 5000020, END, None, 201, None, None, inner)
event(6, 5000030, BEGIN, "open", 201, "kernel", None, inner)
packet(6, None, None).compressed_packets = zlib.compress(inner.SerializeToString(), 9)
event(6, 5000050, INSTANT, "end", None, "marker", None)  # on no track at all

with open(os.path.join(here, "sdk.pftrace"), "wb") as file:
    file.write(trace.SerializeToString())

# As PyTorch's encoder lays a trace out (torch/csrc/profiler/cupti/monitor_pftrace.cpp): no packet
# says which track is its own; of each kind first all begins, then all ends; what ran on the GPU as
# render stages, linked to the calls that launched it by their numbers.
torch = pf.Trace()
base = 1700000000000000000
c = torch.packet.add()
c.timestamp, c.trusted_packet_sequence_id = base, 1
for clock in (6, 1):
    t = c.clock_snapshot.clocks.add()
    t.clock_id, t.timestamp = clock, base
for uuid, parent, pid, tid, name in ((1, 0, 77, 0, "python"), (2, 1, 77, 77, "thread 77")):
    d = torch.packet.add().track_descriptor
    d.uuid = uuid
    if parent:
        d.parent_uuid = parent
        d.thread.pid, d.thread.tid, d.thread.thread_name = pid, tid, name
    else:
        d.process.pid, d.process.process_name = pid, name
p = packet(1, None, 1, torch)
i = p.interned_data
for iid, name in enumerate(("outer", "aten::mm", "aten::add", "cudaLaunchKernel", "Memcpy HtoD"), 1):
    e = i.event_names.add()
    e.iid, e.name = iid, name
for iid, name in enumerate(("cpu_op", "cuda_runtime"), 1):
    e = i.event_categories.add()
    e.iid, e.name = iid, name
for iid, name in ((1, "Kernel"), (2, "Memcpy"), (3, "Stream 7")):
    e = i.gpu_specifications.add()
    e.iid, e.name = iid, name
e = i.graphics_contexts.add()
e.iid, e.pid = 1, 77
e = i.compute_kernels.add()
e.iid, e.demangled_name = 1, "gemm<float>"
for iid, name in ((1, "registers_per_thread"), (2, "shared_mem_dynamic")):
    e = i.compute_arg_names.add()
    e.iid, e.name = iid, name

# name, category, from, to, correlation, render stages; in order of begins, outer before inner and two
# one after the other without a gap.
operators = ((1, 1, 0, 100, 0, ()), (2, 1, 10, 40, 0, ()), (3, 1, 40, 60, 0, ()))
calls = ((4, 2, 12, 20, 5, (900,)), (4, 2, 42, 50, 6, (901, 902)))
for group in (operators, calls):
    for name, category, start, end, correlation, stages in group:
        p = event(1, base + start, BEGIN, name, 2, None, 2, torch)
        p.track_event.category_iids.append(category)
        if correlation:
            a = p.track_event.debug_annotations.add()
            a.name, a.int_value = "correlation", correlation
            a = p.track_event.debug_annotations.add()
            a.name, a.int_value = "External id", correlation + 100
            a = p.track_event.debug_annotations.add()
            a.name = "grid"
            for x in (3, 2, 1):
                a.array_values.add().int_value = x
            p.track_event.gpu_correlation.render_stage_submission_event_ids.extend(stages)
    for name, category, start, end, correlation, stages in group:
        event(1, base + end, END, None, 2, None, None, torch)
for number, start, duration, stage, name, kernel in ((900, 30, 50, 1, 0, 1), (901, 85, 5, 2, 5, 0),
                                                     (902, 95, 7, 1, 0, 1)):
    p = packet(1, base + start, 2, torch)
    g = p.gpu_render_stage_event
    g.event_id, g.duration, g.gpu_id, g.hw_queue_iid, g.stage_iid, g.context = (
        number, duration, 0, 3, stage, 1)
    if name:
        g.name_iid = name
    if kernel:
        g.kernel_iid = kernel
        g.launch.grid_size.x, g.launch.grid_size.y, g.launch.grid_size.z = 64, 2, 1
        g.launch.workgroup_size.x, g.launch.workgroup_size.y, g.launch.workgroup_size.z = 256, 1, 1
        for iid, value in ((1, 40), (2, 1024)):
            a = g.launch.args.add()
            a.name_iid, a.uint_value = iid, value
    for key, value in (("correlation", "5" if number == 900 else "6"), ("kind", "x y")):
        x = g.extra_data.add()
        x.name, x.value = key, value
with open(os.path.join(here, "torch.pftrace"), "wb") as file:
    file.write(torch.SerializeToString())
