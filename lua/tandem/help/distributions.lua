--- Help topic: distributions, from their specifications.
return require("tandem.help.reference").topic("dist", "random quantities",
  "A distribution may stand wherever a time, a size or another quantity is wanted; its parameters "
  .. 'are quantities of the same kind ("2ms", "8MiB"). Distributions can be used in arithmetic: '
  .. 'td.exponential "2ms" + "1ms".')
