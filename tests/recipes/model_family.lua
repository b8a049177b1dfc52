-- A family of language models that is spelled as another.

local function add(copy)
  copy:after("lua/tandem/llm/config.lua", "local families = {\n", "  recipe_lm = llama,\n")
end

local function check()
  local config = require "tandem.llm.config"
  local told = { model_type = "recipe_lm", num_hidden_layers = 2, hidden_size = 64,
    vocab_size = 100, num_attention_heads = 4, num_key_value_heads = 2, intermediate_size = 128 }
  local ours, why = config.architecture(told)
  assert(ours, why)
  told.model_type = "llama"
  local theirs = assert(config.architecture(told))
  for key, value in pairs(theirs) do assert(ours[key] == value, key) end
  assert(select(2, config.architecture { model_type = "recipe_ml" }):find "recipe_lm")
end

return { about = "a family of language models", most = 1, add = add, check = check }
