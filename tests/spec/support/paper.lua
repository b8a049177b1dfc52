--- Simulations on paper: a crew that makes up its answers, so that what a plan concludes from them
--- is known exactly.
local json = require "tandem.io.json"

local paper = {}

--- A backend for crews.
---@param answer_of fun(job: tandem.Job): table<string, any>  a figure by path: a number, { mean,
---                  spread } (replications lie a spread above and below the mean, in turn), a text
---                  or a boolean; what it leaves out is absent
---@return tandem.Backend backend
---@return tandem.Job[] asked  every job, in order
function paper.backend(answer_of)
  local waiting, asked = {}, {}
  local backend = { size = 1 }
  function backend:give(number, text)
    local job = json.read_exact(text)
    asked[#asked + 1] = job
    table.insert(waiting, { number, job })
  end
  function backend:take()
    local one = table.remove(waiting, 1)
    if not one then return nil, "empty" end
    local job, figures = one[2], answer_of(one[2])
    if figures.message then
      return one[1], json.exact { ok = false, message = figures.message, metrics = {} }
    end
    local answer = { ok = true, metrics = {}, values = {} }
    for _, path in ipairs(job.metrics) do
      local figure = figures[path]
      if type(figure) == "number" then figure = { figure, 0 } end
      if type(figure) == "table" then
        answer.metrics[path] = { value = figure[1] }
        answer.values[path] = {}
        for i = 1, job.replications do
          local side = (job.first + i) % 2 == 0 and 1 or -1
          answer.values[path][i] = figure[1] + side * figure[2]
        end
      else
        answer.metrics[path] = figure
      end
    end
    return one[1], json.exact(answer)
  end
  function backend:close() end
  return backend, asked
end

return paper
