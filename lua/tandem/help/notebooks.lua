--- Help topic: notebooks, in Jupyter and without it, and what cells can do.
local topic = { title = "notebooks: the Jupyter kernel, cells, display, notebooks without Jupyter" }

local TEXT <const> = [[
tandem kernel install makes tandem a kernel of Jupyter (--user, the default, or --prefix DIR for a
virtual environment or /usr/local); kernel list and kernel remove NAME go with it. The kernel needs
libzmq, tandem notebook run does not:
  tandem notebook list                      those that come with tandem, which go by their names
  tandem notebook run FILE.ipynb            runs it and prints what its cells say
  tandem notebook run FILE.ipynb --inplace  writes the outputs into it; --output FILE elsewhere
  tandem notebook run FILE.ipynb --check    compares with the outputs in it: exit code 1, and a line
                                            for each cell that differs
  tandem notebook new FILE.ipynb            one to begin with; notebook show prints one
Cells run in the notebook's directory. Outputs are the same bytes wherever it runs.

A cell is an input of tandem repl: an expression shows its value, _ is the last one, ?NAME helps,
:time and :load work, td is there. Its locals end with it; what is to be kept is written x = …, not
local x = …. Interrupting stops a simulation and keeps what is done.

What is shown: every value as text, as in the REPL; whatever has a method svg (plots) as a picture
too; results, plans, overlays, what-ifs and analyses as text, then their picture; rows as an HTML
table too.

  display(value)                  shows it now, in the middle of a cell
  display.html(TEXT)              also svg, markdown, latex: texts that the page renders
  display.json(VALUE)             data
  display { ["text/html"] = "…" } several forms of one thing, by media type
  display.html(TEXT, { id = "a" })                 a display that can change …
  display.html(TEXT, { id = "a", update = true })  … in its place
  display.clear()                 takes away what the cell showed; clear(true) when more comes
  display.progress("runs")        a function of a fraction, or of done and all: a bar that grows
  base:run { progress = display.progress "runs" }

print, io.write, io.stdout and io.stderr are the cell's; io.read asks the page, with the line so far
as its question. Errors show your line, of this cell or of an earlier one ("input 3").]]

function topic.text() return TEXT end

return topic
