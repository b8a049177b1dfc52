--- Overlays: a real run laid over a simulated one.
local answer = require "tandem.serve.answer"
local jobs = require "tandem.serve.jobs"
local runs = require "tandem.serve.runs"

local overlays = {}

local OPTIONS <const> = { "view", "by", "align", "drift", "offset", "range", "bins" }
local KEYS <const> = { real = "string", sim = "string", map = "string", view = "string",
  by = "string", align = "string", drift = "string", offset = "any", range = "string",
  bins = "integer", form = "string", room = "string" }

jobs.prints_json "overlay"

-- What a picture is drawn for → how its file is called.
local ROOMS <const> = { slim = "plot.slim.svg", wide = "plot.wide.svg" }

-- Format (default: "json") → the kind of job whose end knows its type.
local KINDS <const> = { json = "overlay", svg = "plot", html = "page" }

local function run_of(object, key, context)
  if not object[key] then
    answer.raise(400, "bad_request", ("%s is missing: the id of a run."):format(key), key)
  end
  return answer.check(context.store:run(object[key]))
end

---@type tandem.serve.Route[]
overlays.routes = {
  { method = "POST", path = "/v1/overlays", summary = "a real run over a simulated one",
    about = "Options as of tandem overlay; map is the Lua text of a map, run in the sandbox.",
    body = { ["application/json"] = "{real, sim, view, by, align, drift, offset, range, bins, "
      .. "map, form: json | svg | html, room: slim | wide, of svg: for a narrow screen, a page}" },
    example = [[{"real": "last", "sim": "last"}]],
    answers = { [200] = "the result of tandem overlay --json", [202] = "a job",
      [404] = "there is no such run" },
    handle = function(request, context)
      local words, map, kind, file, about
      if not request.job then
        local object = answer.object(request, KEYS)
        local form = object.form or "json"
        kind = KINDS[form]
        if not kind then
          answer.raise(400, "bad_request", "form is json, svg or html.", "form")
        end
        file = ROOMS[object.room]
        if object.room and not (file and form == "svg") then
          answer.raise(400, "bad_request", "room is slim or wide, of svg.", "room")
        end
        local real, sim = run_of(object, "real", context), run_of(object, "sim", context)
        words, about = { "overlay", real.id, sim.id }, real.name
        if not file then words[4] = "--" .. form end
        jobs.stored(context, runs.options(object, OPTIONS, words))
        map = object.map
      end
      return jobs.answer(request, context, { kind = kind, about = about, arguments = function(job)
        if file then words[#words + 1] = ("--out=%s/%s"):format(job.directory, file) end
        if map then words[#words + 1] = "--map=" .. jobs.write(job, "map.lua", map) end
        return words
      end })
    end },
}

return overlays
