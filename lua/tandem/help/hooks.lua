--- Help topic: Lua functions that the engine calls.
return require("tandem.help.page")("Lua functions called while it runs", [[
  on = {
    arrival  = function(r, now) r.tokens = r.id % 2 == 0 and 64 or 512 end,
    start    = function(r, now) … end,       -- a stage begins to serve the request
    complete = function(r, now) … end,
    drop     = function(r, now) … end,
    tick     = function(now) … end, every = "1s",
  },
  admit  = function(r, now) return r.tokens < 4096 end,        -- false turns the request away
  router = function(r, gpus) return 1 end,                     -- the place in gpus to go to

An absent hook costs nothing; a present one makes the event engine run instead of the faster lowered
one. now is the simulated time in seconds. Random decisions must come from distributions
(td.uniform(0, 1) as an attribute), not from a random number generator of one's own, so that the
same seed gives the same bytes.]])
