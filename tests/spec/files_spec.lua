-- What the core does with files beside reading them: locks, sizes, lists, where a process works.

local files = require("tandem.core").files
local store_fixture = require "tests.spec.support.store_fixture"

local here

before_each(function() here = store_fixture.new() end)
after_each(function() here:remove() end)

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

describe("a lock", function()
  it("is held by one until it is closed", function()
    local path = here:path "x.lock"
    local lock = assert(files.lock(path))
    assert.same({ nil, n = 1 }, table.pack(files.lock(path)))
    getmetatable(lock).__close(lock)
    local again <close> = assert(files.lock(path))
    assert.equal("userdata", type(again))
    assert.equal(0, files.size(path))
  end)

  it("is found beside where the process works", function()
    local before = assert(files.enter(here:path "."))
    local lock, message = files.lock "x.lock"
    assert(files.enter(before))
    assert(lock, message)
    assert.same({ nil, n = 1 }, table.pack(files.lock(here:path "x.lock")))
    getmetatable(lock).__close(lock)
  end)

  it("follows no link, neither to the file nor to its directory", function()
    assert(os.execute(("mkdir %s && ln -s real %s && ln -s x.lock %s"):format(here:path "real",
      here:path "link", here:path "real/y.lock")))
    local lock, message = files.lock(here:path "link/x.lock")
    assert.is_nil(lock)
    assert.matches("link/x.lock: ", message, 1, true)
    assert.is_nil(files.size(here:path "real/x.lock"))
    lock, message = files.lock(here:path "real/y.lock")
    assert.is_nil(lock)
    assert.matches("real/y.lock: ", message, 1, true)
    assert.is_nil(files.size(here:path "real/x.lock"))
  end)

  it("needs a directory", function()
    local lock, message = files.lock(here:path "nowhere/x.lock")
    assert.is_nil(lock)
    assert.matches("No such file or directory", message, 1, true)
  end)
end)

describe("a directory", function()
  it("lists what it has, directories by their slash", function()
    assert(files.make(here:path "a/b"))
    assert(files.make(here:path "a/b")) -- it is there
    write(here:path "a/c", "")
    local names = assert(files.list(here:path "a"))
    table.sort(names)
    assert.same({ "b/", "c" }, names)
    local none, message = files.list(here:path "nowhere")
    assert.is_nil(none)
    assert.matches("nowhere: No such file or directory", message, 1, true)
  end)

  it("is not made over a file", function()
    write(here:path "c", "")
    for _, path in ipairs { "c", "c/d" } do
      local made, message = files.make(here:path(path))
      assert.is_nil(made)
      assert.matches("Not a directory", message, 1, true)
    end
  end)
end)

describe("a file", function()
  it("has a size, or is not there", function()
    write(here:path "a", "12345")
    assert.equal(5, files.size(here:path "a"))
    assert.is_nil(files.size(here:path "b"))
  end)

  it("is where the process works when that has changed", function()
    write(here:path "a", "123")
    local before = assert(files.enter(here:path "."))
    local size, came_from = files.size "a", files.enter(before)
    assert.equal(3, size)
    assert.equal(io.popen("cd " .. here:path "." .. " && pwd -P"):read "l", came_from)
    local entered, message = files.enter(here:path "nowhere")
    assert.is_nil(entered)
    assert.matches("nowhere: No such file or directory", message, 1, true)
  end)
end)

describe("a file beneath a folder", function()
  it("is a plain one inside it, by any way that ends there", function()
    assert(os.execute(("mkdir -p %s/in/deep %s/inner && cd %s/in && ln -s ../inner/b out"
      .. " && ln -s deep/c link && ln -s ../../in deep/round"):format(here:path ".",
      here:path ".", here:path ".")))
    for _, name in ipairs { "in/a", "inner/b", "in/deep/c" } do write(here:path(name), name) end
    local outside <const> = "lies outside the scenario's folder"
    local cases = { a = true, ["deep/c"] = true, ["deep/../a"] = true, link = true,
      ["deep/round/a"] = true, ["../in/a"] = true, ["../inner/b"] = outside, out = outside,
      ["../in"] = outside, deep = "is no plain file", none = "No such file", ["a/b"] = "Not a dir",
      ["/etc/passwd"] = "it begins with /", [""] = "outside" }
    local before = assert(files.enter(here:path "in"))
    for name, wanted in pairs(cases) do
      for _, directory in ipairs { ".", "", before and (here:path "in") } do
        local path, why = files.beneath(directory, name)
        if wanted == true then
          assert.is_nil(why, name)
          assert.equal((directory == "" and "." or directory) .. "/" .. name, path)
        else
          assert.is_nil(path, name)
          assert.matches(wanted, why, 1, true)
        end
      end
    end
    assert(files.enter(before))
  end)
end)
