-- Runs busted inside our own binary: build/tandem lua tests/run-busted.lua [OPTIONS] PATH…
-- Specs see the helper modules of tests/ as `require "tests.NAME"`. Runs that they keep go to a
-- temporary store unless $TANDEM_STORE names one (tests/run-all sets it). Temporary files lie in
-- $TMPDIR, where Lua's own would be in /tmp whatever that says.
local core = require "tandem.core"
function os.tmpname() return assert(core.files.temporary(false)) end -- luacheck: ignore
package.path = "./?.lua;" .. package.path
local getenv, store = os.getenv, nil
function os.getenv(name) -- luacheck: ignore
  local value = getenv(name)
  if name ~= "TANDEM_STORE" or value and value ~= "" then return value end
  store = store or os.tmpname()
  return store
end
require "busted.runner" { standalone = false }
