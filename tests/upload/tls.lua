-- Certificates: a receiver behind TLS whose certificate an authority of our own has signed, and
-- others that are not to be trusted: they get nothing. `openssl s_server` is each one's TLS.
--   tandem lua tests/upload/tls.lua
-- Prints a line for each check that failed, then `N passed, M failed`.
local store = require "tandem.store"
local support = require "tests.upload.support"

local check, path, must = support.check, support.path, support.must
local SECRET <const> = "hush-4711-hush-4711"
local socket = assert(package.loadlib(support.build .. "/socket_of_tests.so",
  "luaopen_socket_of_tests"))()

-- ---- certificates ----

local KEY <const> = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

-- One that its own key has signed; "ca" is an authority.
local function sign_itself(name, host)
  must(("openssl req -x509 %s -keyout %s.key -out %s.pem -days 2 -subj '/CN=%s' -addext "
    .. "subjectAltName=DNS:%s"):format(KEY, path(name), path(name), name, host))
end

local function sign(name, host, days)
  support.write(path(name .. ".ext"), "subjectAltName=" .. host .. "\n")
  must(("openssl req %s -keyout %s.key -out %s.csr -subj '/CN=%s'"):format(KEY, path(name),
    path(name), name))
  must(("openssl x509 -req -in %s.csr -CA %s -CAkey %s -CAcreateserial -days %d -extfile %s.ext "
    .. "-out %s.pem"):format(path(name), path "ca.pem", path "ca.key", days, path(name),
    path(name)))
end

sign_itself("ca", "authority.example")
sign_itself("another-ca", "authority.example")
sign_itself("itself", "localhost")
sign("good", "DNS:localhost,IP:127.0.0.1", 2)
sign("elsewhere", "DNS:elsewhere.example", 2)
sign("expired", "DNS:localhost,IP:127.0.0.1", -1)

-- ---- who listens ----

local function free_port()
  local listener, port = assert(socket.listen())
  socket.close(listener, false)
  return port
end

-- What goes on to the receiver in the clear is heard, whoever it came through.
local server = support.serve("there.db", nil, "TANDEM_TOKEN=" .. SECRET)
local heard = path "heard"
local proxy = support.proxy(server.port, { heard = heard })

-- TLS with a certificate, one connection at a time, in front of the proxy.
local FRONT <const> = [[
trap 'kill $child; exit' TERM
while exec 3<>/dev/tcp/127.0.0.1/%d; do
  openssl s_server -quiet -no_ign_eof -naccept 1 -accept 127.0.0.1:%d -cert %s.pem -key %s.key \
    <&3 >&3 2>/dev/null & child=$!
  exec 3>&-
  wait $child
done
]]
local function front(certificate)
  local port = free_port()
  local script = support.write(path("front-" .. port), FRONT:format(proxy.port, port,
    path(certificate), path(certificate)))
  local pid = must(("bash %s >/dev/null 2>&1 & echo $!"):format(script)):match "%d+"
  return { port = port, stop = function() return support.stop(pid) end }
end

-- ---- sending ----

local id = support.fill "here.db"[1]

local function send(host, port, words)
  return support.shell(("TANDEM_TOKEN=%s '%s' upload %s --to https://%s:%d --store %s %s"):format(
    SECRET, support.program, id, host, port, path "here.db", words or "--patience 5"))
end

local good = front "good"
do
  local text, code = send("localhost", good.port, "--ca-file " .. path "ca.pem")
  check(code == 0 and text:find "sent [%d,]+ bytes", "a certificate that can be trusted", text)
  check(support.read(heard):find("Bearer " .. SECRET, 1, true), "what is sent is heard")
  text, code = send("127.0.0.1", good.port, "--ca-file " .. path "ca.pem")
  check(code == 0 and text:find "has them already", "by its address, too", text)
end

local function refused(what, host, port, words, reason)
  os.remove(heard)
  local text, code = send(host, port, words)
  text = text:gsub("[^\n]*; again in [^\n]*\n", "") -- its listener was not there yet
  check(code == 4 and select(2, text:gsub("\n", "")) == 1, what .. " is refused in one line", text)
  check(text:find(reason) and text:find "nothing was sent", what .. " is told", text)
  check(support.read(heard) == "", what .. " hears nothing", support.read(heard))
end

refused("an unknown authority", "localhost", good.port, nil, "issuer certificate.*%-%-ca%-file")
refused("another authority", "localhost", good.port, "--ca-file " .. path "another-ca.pem",
  "issuer certificate")
good.stop()
for _, one in ipairs { { "elsewhere", "the name of another host", "matches target host name" },
  { "expired", "an expired certificate", "certificate has expired" },
  { "itself", "a certificate that signed itself", "self.signed certificate" } } do
  local bad = front(one[1])
  refused(one[2], "localhost", bad.port, "--ca-file " .. path "ca.pem", one[3])
  bad.stop()
end

do -- neither TLS nor certificates there
  os.remove(heard)
  local text, code = send("localhost", server.port, "--patience 0")
  check(code == 4 and text:find "no TLS there, nothing was sent"
    and select(2, text:gsub("\n", "")) == 1, "https:// to a port without TLS", text)
  text, code = send("localhost", server.port, "--ca-file " .. path "absent.pem")
  check(code == 4 and text:find("absent.pem", 1, true) and select(2, text:gsub("\n", "")) == 1,
    "authorities that are not there", text)
  support.write(path "empty.pem", "no certificate\n")
  text, code = send("localhost", server.port, "--ca-file " .. path "empty.pem")
  check(code == 4 and text:find("empty.pem", 1, true), "authorities that are none", text)
end

check(support.stop(server.pid), "the receiver ends")
proxy.stop()
local taken <close> = assert(store.open(path "there.db", { readonly = true }))
check(#taken:runs().rows == 1, "one run has arrived", #taken:runs().rows)
check(not support.read(path "here.db"):find(SECRET, 1, true), "the token is in no store")
support.finish()
