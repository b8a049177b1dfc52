--- What is wrong with GPUs that come and go (autoscale of td.gpu), as far as other keys tell.
-- Called by check/scenario when resources and steps are known; the record is language/resources'.
local scaling = {}

--- Reports what is wrong.
---@param ctx table
---@param c table        the checked scenario, classes resolved
---@param served boolean it has LLM servers
function scaling.check(ctx, c, served)
  local target = c.target
  for _, gpu in ipairs(target and target.gpus or {}) do
    if gpu.autoscale then
      return ctx:problem("target", "autoscale is of one kind of GPU, target = td.gpu \"…\" { count "
        .. "= …, autoscale = … }, and not of a fleet's")
    end
  end
  local rule = target and target.autoscale
  if not rule then return end
  local count = target.count or 1
  if count < 2 then
    ctx:problem("target", ("autoscale: there is %d GPU, and count is the most there may be")
      :format(count))
  elseif served then
    ctx:problem("target", "autoscale: replicas of LLM servers come and go with their GPUs: "
      .. "td.generate has an autoscale of its own")
  elseif target.outages then
    ctx:problem("target", "outages are of GPUs that are there at known times, and with autoscale "
      .. "nobody knows which are: leave one out, or say how they fail (mtbf and mttr)")
  elseif rule.start > count then
    ctx:problem("target", ("autoscale: starts with %d of %d GPUs"):format(rule.start, count))
  end
  for i, step in ipairs(rule.schedule or {}) do
    if step[2] > count then
      ctx:problem("target", ("autoscale.schedule: step %d wants %d of %d GPUs"):format(i, step[2],
        count))
      return
    end
  end
end

return scaling
