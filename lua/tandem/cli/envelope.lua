--- What a command leaves as data: one envelope for every command's --json.
--
-- Owns its form, { schema, result, code, problems, plot }, and its two ways out. With --json it
-- goes to standard output; the result in it is passed on as the command writes it, however long, so
-- that code and problems stand behind. $TANDEM_ANSWER, which tandem serve sets for its jobs, names
-- a file that gets it without the result (standard output has that alone, in whatever form was
-- asked for) and with `run`, the id of a run that was kept. The console noted what is in it.
local json = require "tandem.io.json"
local safe = require "tandem.text.safe"

local envelope = {}

envelope.SCHEMA = "tandem.answer/1"

---@class tandem.AnswerProblem
---@field what string                  one sentence, for people
---@field kind tandem.ProblemKind      for programs
---@field where? { file?: string, line?: integer, path?: string }  path: of a scenario, or an option
---@field nearest? string              the word that may have been meant

local LISTS <const> = { problems = true }

--- What each field means: `tandem help json` prints this.
---@type { [1]: string, [2]: string }[]
envelope.fields = {
  { "schema", 'always "tandem.answer/1"' },
  { "result", "what the command answers; absent when it has no answer" },
  { "code", "the exit code (tandem help exit-codes)" },
  { "problems", "what was complained about: what (a sentence); kind (usage, invalid, absent: there "
    .. "is no such run, cannot_answer, gate, io, bug, interrupted); where { file, line, path }; "
    .. "nearest, the word that may have been meant" },
  { "plot", "the chart that --plot - asked for: SVG" },
}

--- Puts what the console writes out from now on into an envelope.
---@param console tandem.Console
function envelope.open(console)
  local put = console.write_out
  local function write(text) put(safe.json(text)) end
  local begun = false
  console.write_out = function(text)
    if not begun then write(('{"schema": "%s", "result":\n'):format(envelope.SCHEMA)) end
    begun = true
    write(text)
  end
  console.close_envelope = function(code)
    local members = { ('"code": %d'):format(code),
      '"problems": ' .. (#console.noted > 0 and json.encode(console.noted) or "[]") }
    if console.picture then
      members[3] = '"plot": ' .. json.encode(console.picture:svg())
      members[4] = '"plot_slim": ' .. json.encode(console.picture:slim())
    end
    write((begun and ", " or ('{"schema": "%s", '):format(envelope.SCHEMA))
      .. table.concat(members, ", ") .. "}\n")
  end
end

--- Writes what the console noted into a file: all but the result.
---@param console tandem.Console
---@param code integer
---@param path string
function envelope.save(console, code, path)
  local file, picture = io.open(path, "wb"), console.picture
  if not file then return end -- who asked for it sees that it is not there
  file:write(json.encode({ schema = envelope.SCHEMA, code = code, problems = console.noted,
    plot = picture and picture:svg(), plot_slim = picture and picture:slim(),
    run = console.kept }, { lists = LISTS }))
  file:close()
end

return envelope
