--- Notes on a run: read, and kept in place of those before.
local answer = require "tandem.serve.answer"
local runs = require "tandem.serve.runs"
local store = require "tandem.store.notes"

local notes = {}

local LISTS <const> = { lists = { notes = true } }

local function told(run, list)
  local text = require("tandem.io.json").encode({ run_id = run.id, notes = list }, LISTS)
  return answer.json(200, text)
end

---@type tandem.serve.Route[]
notes.routes = {
  { method = "GET", path = "/v1/runs/{id}/notes", tag = "runs",
    summary = "notes and bookmarks on its timeline",
    answers = { [200] = "{run_id, notes: [{from, to, text}]}: nanoseconds from the timeline's "
      .. "origin", [404] = "there is no such run" },
    handle = function(request, context)
      local run = runs.find(request, context)
      return told(run, store.of(run))
    end },
  { method = "PUT", path = "/v1/runs/{id}/notes", tag = "runs",
    summary = "keep notes in place of those before",
    body = { ["application/json"] = "{notes: [{from, to, text}]}; without a text a bookmark" },
    example = [[{"notes": [{"from": 1000000, "to": 2000000, "text": "the queue begins here"}]}]],
    curl = [[-X PUT -d '{"notes": [{"from": 1000000, "to": 2000000, "text": ""}]}']],
    answers = { [200] = "as GET", [400] = "no notes", [404] = "there is no such run" },
    handle = function(request, context)
      local run = runs.find(request, context)
      local object = answer.object(request, { notes = "table" })
      local list, wrong = store.check(object.notes)
      if not list then return answer.problem(400, "bad_request", wrong:gsub("^%l", string.upper)
        .. ".", "notes") end
      answer.check(store.keep(run, list))
      return told(run, list)
    end },
}

return notes
