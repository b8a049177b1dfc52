import json, pickle
pg = "shared"
numbers = [0, 1, 255, 256, 65535, 65536, -1, -128, -129, 2**31 - 1, 2**31, -2**31, -2**31 - 1,
           2**40, -2**40, 2**63 - 1, -2**63 + 1, 2**63, -2**64]
facts = {"n%d" % i: n for i, n in enumerate(numbers)}
facts.update({"t%d" % n: "x" * n for n in (0, 1, 59)})
facts.update(long="é" * 200, same=pg, none=None, yes=True, real=1.5, list=[pg, [pg]])
many = {"k%d" % i: "v%d" % i for i in range(300)}  # more than 256 values to refer to
many["again"] = "v0"  # below: the very objects
many["last"] = "v299"
many["again"], many["last"] = many["k0"], many["k299"]
def entry(i, sizes, ms):
    return {"record_id": i, "pg_id": i, "process_group": (str(i), pg), "profiling_name": pg,
            "time_created_ns": 1000 + i, "time_discovered_completed_ns": 2000 if i % 2 else None,
            "time_discovered_started_ns": None, "state": "completed", "input_sizes": sizes,
            "input_dtypes": ["Float"], "is_p2p": i == 0, "duration_ms": ms}
dump = {"version": "2.10", "entries": [entry(0, [()], 1.5), entry(1, [(3,), (3, 4)], -2),
                                       entry(2, [(3, 4, 5), (2, 5)], 1e-300)],
        "pg_config": {"a": facts, "b": many}}
dump["pg_config"].update(c=facts, d={"only": 7})
for protocol in (2, 5):
    open("values.%d.pickle" % protocol, "wb").write(pickle.dumps(dump, protocol))
json.dump(dump, open("values.json", "w"), ensure_ascii=False)
