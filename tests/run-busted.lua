-- Runs busted inside our own binary: build/tandem lua tests/run-busted.lua [OPTIONS] PATH…
-- Specs see the helper modules of tests/ as `require "tests.NAME"`.
package.path = "./?.lua;" .. package.path
require "busted.runner" { standalone = false }
