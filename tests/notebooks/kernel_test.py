"""The kernel against Debian's jupyter_kernel_test, and what that does not ask: pictures, updated
displays, input, interrupts both ways, restart, hostile messages. $TANDEM is the program; the kernel
is installed below a directory of the test's own.
"""
import json
import os
import socket
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

PREFIX = tempfile.mkdtemp(prefix="tandem-kernel-")
PROGRAM = os.environ["TANDEM"]
os.environ["JUPYTER_PATH"] = PREFIX + "/share/jupyter"
os.environ["JUPYTER_RUNTIME_DIR"] = PREFIX + "/runtime"
os.makedirs(PREFIX + "/runtime")

import jupyter_kernel_test  # noqa: E402  after the environment
import zmq  # noqa: E402
from jupyter_client.manager import start_new_kernel  # noqa: E402


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def setUpModule():
    subprocess.run([PROGRAM, "kernel", "install", "--prefix", PREFIX], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([PROGRAM, "kernel", "install", "--prefix", PREFIX, "--name", "by-signal"],
                   check=True, stdout=subprocess.DEVNULL)
    path = PREFIX + "/share/jupyter/kernels/by-signal/kernel.json"
    with open(path) as file:
        spec = json.load(file)
    spec["interrupt_mode"] = "signal"
    with open(path, "w") as file:
        json.dump(spec, file)


class Conformance(jupyter_kernel_test.KernelTests):
    kernel_name = "tandem"
    language_name = "lua"
    file_extension = ".lua"
    code_hello_world = "print 'hello, world'"
    code_stderr = "io.stderr:write 'careful'"
    completion_samples = [
        {"text": "td.poi", "matches": {"poisson"}},
        {"text": "coroutine.wra", "matches": {"wrap"}},
        {"text": "td.gpu 'H100 S", "matches": {"H100 SXM"}},
    ]
    complete_code_samples = ["1", "x = 1", "print 'hello'", "for i = 1, 2 do end", "?td.gpu"]
    incomplete_code_samples = ["for i = 1, 2 do", "print(", "x = {", "function f()"]
    invalid_code_samples = ["x = = 1", "end", "1 2"]
    code_generate_error = "error 'no'"
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": "'µ' .. 's'", "result": '"µs"'},
        {"code": "{ 1, 2 }", "result": "{ 1, 2 }"},
        {"code": "6 * 7", "result": "42"},
        {"code": "6 * 7", "result": "42"},
    ]
    code_display_data = [
        {"code": "display.html '<b>bold</b>'", "mime": "text/html"},
        {"code": "display.json { a = { 1, 2 } }", "mime": "application/json"},
        {"code": "display { ['text/markdown'] = '*x*' }", "mime": "text/markdown"},
        {"code": "?td.gpu", "mime": "text/plain"},
    ]
    code_history_pattern = "6 ?*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "td.gpu"
    code_clear_output = "display.clear()"


class Client(unittest.TestCase):
    kernel_name = "tandem"

    @classmethod
    def setUpClass(cls):
        cls.manager, cls.client = start_new_kernel(kernel_name=cls.kernel_name)

    @classmethod
    def tearDownClass(cls):
        cls.client.stop_channels()
        cls.manager.shutdown_kernel()

    def outputs(self, message_id, until="idle"):
        """What came on iopub for a request, up to its idle status."""
        found = []
        while True:
            message = self.client.get_iopub_msg(timeout=300)
            if message["parent_header"].get("msg_id") != message_id:
                continue
            if message["msg_type"] == "status":
                if message["content"]["execution_state"] == until:
                    return found
            else:
                found.append(message)

    def reply(self, message_id):
        while True:
            message = self.client.get_shell_msg(timeout=300)
            if message["parent_header"].get("msg_id") == message_id:
                return message

    def run_cell(self, code, **options):
        message_id = self.client.execute(code, **options)
        reply = self.reply(message_id)
        return reply["content"], [m for m in self.outputs(message_id)
                                  if m["msg_type"] != "execute_input"]


class Cells(Client):
    def test_a_run_is_shown_as_text_with_its_picture(self):
        reply, outputs = self.run_cell(
            "base = td.scenario 'small' { workload = td.poisson { rps = 20, duration = '20s' },\n"
            "target = td.gpu 'L40' {}, pipeline = { td.fixed 'a' { time = '2ms' },\n"
            "td.fixed 'b' { time = '5ms' } } }\nreturn base:run { seed = 1 }")
        self.assertEqual(reply["status"], "ok", reply)
        self.assertEqual([m["msg_type"] for m in outputs], ["execute_result", "display_data"])
        self.assertIn("small", outputs[0]["content"]["data"]["text/plain"])
        svg = outputs[1]["content"]["data"]["image/svg+xml"]
        self.assertTrue(xml.etree.ElementTree.fromstring(svg).tag.endswith("svg"))

    def test_a_display_is_updated_where_it_stands(self):
        _, outputs = self.run_cell(
            "bar = display.progress 'runs'\nfor i = 1, 3 do bar(i, 3) end")
        self.assertEqual([m["msg_type"] for m in outputs],
                         ["display_data", "update_display_data", "update_display_data"])
        ids = {m["content"]["transient"]["display_id"] for m in outputs}
        self.assertEqual(len(ids), 1)
        self.assertIn("100 %", outputs[2]["content"]["data"]["text/plain"])

    def test_progress_of_a_run(self):
        _, outputs = self.run_cell(
            "s = td.scenario 'p' { workload = td.poisson { rps = 20, duration = '20s' }, target = "
            "td.gpu 'L40' {}, pipeline = { td.fixed 'a' { time = '2ms' } } }\n"
            "local r = s:run { replications = 4, progress = display.progress 'runs' }")
        last = [m for m in outputs if "display_data" in m["msg_type"]][-1]
        self.assertIn("100 %", last["content"]["data"]["text/plain"])

    def test_input_is_asked_for_with_the_line_so_far(self):
        message_id = self.client.execute("io.write 'name? '\nlocal n = io.read()\nreturn n .. '!'",
                                         allow_stdin=True)
        asked = self.client.get_stdin_msg(timeout=300)
        self.assertEqual(asked["msg_type"], "input_request")
        self.assertEqual(asked["content"], {"prompt": "name? ", "password": False})
        self.client.input("Ada")
        self.assertEqual(self.reply(message_id)["content"]["status"], "ok")
        results = [m for m in self.outputs(message_id) if m["msg_type"] == "execute_result"]
        self.assertEqual(results[0]["content"]["data"]["text/plain"], '"Ada!"')

    def test_input_that_cannot_be_asked_for_is_an_error(self):
        reply, _ = self.run_cell("io.read()", allow_stdin=False)
        self.assertEqual(reply["status"], "error")
        self.assertIn("does not allow input", reply["evalue"])

    def test_an_error_shows_the_persons_line(self):
        reply, outputs = self.run_cell("local x = {}\nlocal y = x.a.b\nreturn y")
        self.assertEqual(reply["status"], "error")
        self.assertIn("attempt to index a nil value (field 'a')", reply["evalue"])
        self.assertEqual(reply["traceback"][1], "  at line 2: local y = x.a.b")
        self.assertEqual(outputs[0]["content"]["traceback"], reply["traceback"])

    def test_cells_behind_one_that_fails_are_not_run(self):
        go = PREFIX + "/stop"
        first = self.client.execute("repeat local go = io.open '%s' until go error 'stop'" % go)
        second = self.client.execute("ran = true")
        time.sleep(1)  # in which it goes through the socket
        open(go, "w").close()
        self.assertEqual(self.reply(first)["content"]["status"], "error")
        self.assertEqual(self.reply(second)["content"]["status"], "aborted")
        reply, outputs = self.run_cell("tostring(ran)")
        self.assertEqual(outputs[0]["content"]["data"]["text/plain"], '"nil"')

    def test_expressions_after_a_cell(self):
        reply, _ = self.run_cell("z = 5", user_expressions={"good": "z + 1", "bad": "z.y.x"})
        self.assertEqual(reply["user_expressions"]["good"]["data"]["text/plain"], "6")
        self.assertEqual(reply["user_expressions"]["bad"]["status"], "error")

    def test_cursors_count_characters_not_bytes(self):
        message_id = self.client.complete("x = 'µµ' .. td.poi", 18)
        content = self.reply(message_id)["content"]
        self.assertEqual((content["matches"], content["cursor_start"], content["cursor_end"]),
                         (["poisson"], 15, 18))

    def test_inspection_inside_a_call(self):
        for code, cursor in (("x = td.gpu 'L40' { }", 18), ("td.gpu", 4), ("td.gpu", 6)):
            content = self.reply(self.client.inspect(code, cursor))["content"]
            self.assertTrue(content["found"], (code, cursor))
            self.assertIn("td.gpu", content["data"]["text/plain"])
        content = self.reply(self.client.inspect("nothing_of_that_name", 5))["content"]
        self.assertFalse(content["found"])

    def test_comms_are_closed(self):
        self.assertEqual(self.reply(self.client.comm_info())["content"]["comms"], {})
        message = self.client.session.msg("comm_open", {"comm_id": "c", "target_name": "t",
                                                        "data": {}})
        self.client.shell_channel.send(message)
        closed = self.outputs(message["header"]["msg_id"])
        self.assertEqual([m["msg_type"] for m in closed], ["comm_close"])
        self.assertEqual(closed[0]["content"]["comm_id"], "c")

    def test_silent_cells_leave_no_trace(self):
        before = self.run_cell("1")[0]["execution_count"]
        _, outputs = self.run_cell("hidden = 7", silent=True)
        self.assertEqual(outputs, [])
        reply, outputs = self.run_cell("hidden")
        self.assertEqual(reply["execution_count"], before + 1)
        self.assertEqual(outputs[0]["content"]["data"]["text/plain"], "7")


class Interrupts(Client):
    LOOP = "print 'begun' while true do end"
    LONG = ("s = td.scenario 'long' { workload = td.poisson { rps = 100, duration = '100000s' },\n"
            "target = td.gpu 'L40' {}, pipeline = { td.fixed 'a' { time = '2ms' } } }\n"
            "print 'begun'\nreturn s:run { engine = 'event', replications = 64 }")

    def interrupt_while(self, code, pause=0.2):
        message_id = self.client.execute(code)
        while self.client.get_iopub_msg(timeout=300)["msg_type"] != "stream":
            pass
        time.sleep(pause)
        self.manager.interrupt_kernel()
        return self.reply(message_id)["content"]

    def test_a_loop_is_stopped(self):
        reply = self.interrupt_while(self.LOOP)
        self.assertEqual((reply["status"], reply["evalue"]), ("error", "interrupted"))
        self.assertEqual(self.run_cell("1 + 1")[0]["status"], "ok")

    def test_a_simulation_is_stopped_and_keeps_what_is_done(self):
        # On a busy machine an interrupt may come before the engine: then again, a little later.
        for pause in (0.2, 0.5, 1, 2, 5, 10, 20):
            reply = self.interrupt_while(self.LONG, pause)
            if reply["status"] == "ok":
                break
        self.assertEqual(reply["status"], "ok", reply)
        _, outputs = self.run_cell("_.interrupted")
        self.assertEqual(outputs[0]["content"]["data"]["text/plain"], "true")

    def test_waiting_for_input_is_stopped(self):
        message_id = self.client.execute("io.read()", allow_stdin=True)
        self.client.get_stdin_msg(timeout=300)
        self.manager.interrupt_kernel()
        self.assertEqual(self.reply(message_id)["content"]["evalue"], "interrupted")

    def test_an_idle_kernel_does_not_mind(self):
        for _ in range(5):
            self.manager.interrupt_kernel()
            time.sleep(0.15)
        self.assertEqual(self.run_cell("1 + 1")[0]["status"], "ok")


class InterruptsBySignal(Interrupts):
    kernel_name = "by-signal"


class Life(Client):
    def test_restart_begins_anew_and_shutdown_ends(self):
        self.run_cell("kept = 1")
        self.manager.restart_kernel(now=False)
        self.client.wait_for_ready(timeout=300)
        _, outputs = self.run_cell("tostring(kept)")
        self.assertEqual(outputs[0]["content"]["data"]["text/plain"], '"nil"')

    def test_the_heart_beats_while_a_cell_runs(self):
        go = PREFIX + "/go"
        message_id = self.client.execute("repeat local go = io.open '%s' until go" % go)
        context = zmq.Context()
        heart = context.socket(zmq.REQ)
        heart.connect("tcp://127.0.0.1:%d" % self.client.hb_port)
        for text in (b"ping", b"", b"x" * 100000):
            heart.send(text)
            self.assertTrue(heart.poll(300000))
            self.assertEqual(heart.recv(), text)
        heart.close(0)
        context.term()
        open(go, "w").close()
        self.assertEqual(self.reply(message_id)["content"]["status"], "ok")

    def test_shutdown_while_a_cell_runs(self):
        manager, client = start_new_kernel(kernel_name="tandem")
        client.execute("print 'begun' while true do end")
        while client.get_iopub_msg(timeout=300)["msg_type"] != "stream":
            pass
        manager.shutdown_wait_time = 600  # then it would be killed
        began = time.monotonic()
        client.stop_channels()
        manager.shutdown_kernel()
        self.assertLess(time.monotonic() - began, 300)


    def connection_file(self):
        path = PREFIX + "/by-hand.json"
        ports = dict(zip(("shell_port", "control_port", "stdin_port", "iopub_port", "hb_port"),
                         free_ports(5)))
        with open(path, "w") as file:
            json.dump({"ip": "127.0.0.1", "transport": "tcp", "key": "k", **ports}, file)
        return path

    def test_it_ends_with_the_process_that_started_it(self):
        shell = subprocess.run(["sh", "-c", '"$0" kernel run "$1" >/dev/null 2>&1 & echo $!; sleep 1',
                                PROGRAM, self.connection_file()], stdout=subprocess.PIPE,
                               env=dict(os.environ, JPY_PARENT_PID=str(os.getpid())), check=True)
        process = int(shell.stdout)
        deadline = time.monotonic() + 300
        while os.path.exists("/proc/%d" % process) and time.monotonic() < deadline:
            with open("/proc/%d/stat" % process) as file:
                if file.read().split(") ")[1][0] == "Z":
                    break
            time.sleep(0.1)
        self.assertLess(time.monotonic(), deadline)

    def test_a_port_that_is_taken_is_said(self):
        path = self.connection_file()
        with open(path) as file:
            port = json.load(file)["iopub_port"]
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            taken.listen()
            ran = subprocess.run([PROGRAM, "kernel", "run", path], stderr=subprocess.PIPE, timeout=300)
        self.assertEqual(ran.returncode, 4)
        self.assertIn(b"cannot listen on tcp://127.0.0.1:%d for iopub" % port, ran.stderr)


class Hostile(Client):
    """Messages that are none: each leaves a line on standard error, and the kernel goes on."""

    def test_nothing_of_it_stops_the_kernel(self):
        manager, client = self.manager, self.client
        context = zmq.Context()
        sockets = []
        for port in (manager.shell_port, manager.control_port, manager.stdin_port):
            dealer = context.socket(zmq.DEALER)
            dealer.connect("tcp://127.0.0.1:%d" % port)
            sockets.append(dealer)
        session = client.session
        good = session.serialize(session.msg("execute_request", {"code": "hostile = 1"}))
        bad_signature = list(good)
        bad_signature[1] = b"0" * 64
        tampered = list(good)
        tampered[-1] = good[-1].replace(b"hostile = 1", b"hostile = 2")

        def signed(*parts):
            return [b"<IDS|MSG>", session.sign(list(parts))] + list(parts)

        header = json.dumps({"msg_id": "h", "msg_type": "execute_request"}).encode()
        cases = [[b"x"], [b""], [b"<IDS|MSG>"], good[:4], bad_signature, tampered,
                 [b"f%d" % i for i in range(1000)], [os.urandom(5000)],
                 signed(b"{", b"{}", b"{}", b"{}"), signed(b"[]", b"{}", b"{}", b"{}"),
                 signed(b"{}", b"{}", b"{}", b"{}"), signed(header, b"{}", b"{}", b"\xff\xfe"),
                 signed(header, b"{}", b"{}", b"[" * 100000),
                 signed(b'{"msg_id":"1","msg_type":"interrupt_request"', b"{}", b"{}", b"{}")]
        for dealer in sockets:
            for case in cases:
                dealer.send_multipart(case)
        for code in (5, None, ["x"], {}):
            message_id = client.session.msg("execute_request", {"code": code})
            client.shell_channel.send(message_id)
            reply = self.reply(message_id["header"]["msg_id"])
            self.assertEqual(reply["content"]["ename"], "BadRequest")
        _, outputs = self.run_cell("tostring(hostile)")
        self.assertEqual(outputs[0]["content"]["data"]["text/plain"], '"nil"')
        for dealer in sockets:
            dealer.close(0)
        context.term()

    def test_a_message_that_comes_twice_counts_once(self):
        client = self.client
        message = client.session.msg("execute_request", {
            "code": "twice = (twice or 0) + 1", "silent": True, "store_history": False,
            "user_expressions": {}, "allow_stdin": False, "stop_on_error": True})
        frames = client.session.serialize(message)
        for _ in range(2):
            client.shell_channel.socket.send_multipart(frames)
        self.reply(message["header"]["msg_id"])
        _, outputs = self.run_cell("twice")
        self.assertEqual(outputs[0]["content"]["data"]["text/plain"], "1")


if __name__ == "__main__":
    unittest.main()
