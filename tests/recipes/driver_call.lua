-- A call of the CUDA driver.

local function add(copy)
  copy:after("src/capture/driver_calls.def", "CALL(cuInit, 1, 2000, .does = START)\n",
    "CALL(cuRecipeWait, 1, 13000, .does = WAIT)\n")
end

local function check()
  local file <close> = assert(io.open("build/capture.so", "rb"))
  assert(file:read "a":find("cuRecipeWait", 1, true))
end

return { about = "a call of the CUDA driver", most = 1, add = add, check = check }
