--- Help topic: arrival processes, from their specifications.
return require("tandem.help.reference").topic("arrivals", "how requests arrive",
  "workload = one of these. duration and requests say when arrivals stop (whichever comes first; "
  .. "10,000 requests when neither is said); the requests then in the system are finished. Every "
  .. "process takes batch, start and class.")
