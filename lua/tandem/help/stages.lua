--- Help topic: the steps of a pipeline, from their specifications.
return require("tandem.help.reference").topic("stage", "what a pipeline is made of",
  "pipeline = a list of these, done in order. Each takes a name first, then its table. A cost that "
  .. 'is a quantity may be a number, a text with a unit, a distribution, or a function of the '
  .. "request (tandem help costs).")
