"""Inference servers beside the run: what is asked of which, and what moments.jsonl has of it. The servers are stand-ins."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import test_board_common  # noqa: F401  (makes the helper importable)
from test_board_common import until
from test_board_servers import LLAMA, OLLAMA
from test_board_system import RootCase

from jetson_memprof.board.servers import ask, beside
from jetson_memprof.board.servers.said import parts_of
from jetson_memprof.board.system import moments
from jetson_memprof.board.system.system import System

STANDIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin_server.py")
MODEL = {"name": "llama3.2:3b", "model": "llama3.2:3b", "size": 4400000000, "size_vram": 4400000000,
         "context_length": 4096, "expires_at": "2026-11-28T18:00:00Z"}


class ServerCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="jmp-test-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def put(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def start(self, name, *more, **how):
        """The pid of a stand-in; `log` is the file of its output, `mode` how that was opened."""
        reading, writing = os.pipe()
        log = how.get("log")
        output = subprocess.PIPE if log is None else open(log, how.get("mode", "r+"))
        process = subprocess.Popen([sys.executable, "-B", STANDIN, str(writing), name] + list(more), stdin=subprocess.PIPE,
                                   stdout=output, stderr=subprocess.DEVNULL, pass_fds=[writing])
        os.close(writing)
        if log is not None:
            output.close()

        def end():
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
            process.kill()
            process.wait()
        self.addCleanup(end)
        with os.fdopen(reading) as file:
            said = [file.readline().split() for _ in range(2 if "--child" in more else 1)]
        self.pids = sorted(int(pid) for pid, _ in said)
        self.port = max(int(port) for _, port in said)
        return process.pid


class Saying(ServerCase):
    def test_output_in_a_plain_file_is_read(self):
        pid = self.start("llama-server", log=self.put("log", LLAMA))
        self.assertEqual([[pid, "log", parts_of(LLAMA)]], ask.asked([pid]))

    def test_a_pipe_is_not(self):
        pid = self.start("llama-server")
        with mock.patch.object(ask.os, "open", side_effect=AssertionError):
            self.assertEqual([], ask.asked([pid]))

    def test_of_a_file_that_is_appended_to_only_what_begins_there_counts(self):
        log = self.put("log", LLAMA.split("\n", 2)[2])
        pid = self.start("llama-server", log=log, mode="a")
        self.assertEqual([], ask.asked([pid]))
        self.put("log", LLAMA * 2)
        self.assertEqual([[pid, "log", parts_of(LLAMA)]], ask.asked([pid]))
        with mock.patch.object(ask, "_LOG_BYTES", len(LLAMA) + 9):
            self.assertEqual([[pid, "log", parts_of(LLAMA)]], ask.asked([pid]))
        with mock.patch.object(ask, "_LOG_BYTES", len(LLAMA) - 200):
            self.assertEqual([], ask.asked([pid]))

    def test_a_worker_says_it_in_the_name_of_who_started_it(self):
        pid = self.start("vllm", "--child", "VLLM::EngineCor", log=self.put("log", LLAMA))
        self.assertEqual(2, len(self.pids))
        self.assertEqual([[pid, "log", parts_of(LLAMA)]], ask.asked(self.pids))

    def test_where_two_write_to_one_file_nobody_knows_whose_it_is(self):
        log = self.put("log", LLAMA)
        self.assertEqual([], ask.asked([self.start("llama-server", log=log), self.start("llama-server", log=log)]))

    def test_ollama_is_asked_for_its_models(self):
        pid = self.start("ollama", "--reply", self.put("reply", json.dumps({"models": [MODEL]})))
        self.assertEqual([[pid, "api", [["whole", "llama3.2:3b", 4400000000]]]], ask.asked([pid]))

    def test_its_log_counts_while_one_model_is_loaded(self):
        for models, kinds in (([MODEL], ["log", "api"]), ([], []), ([MODEL, MODEL], ["api"])):
            pid = self.start("ollama", "--reply", self.put("reply", json.dumps({"models": models})), log=self.put("log", OLLAMA))
            self.assertEqual([[pid, kind] for kind in kinds], [one[:2] for one in ask.asked([pid])])
        self.assertEqual([], ask.asked([self.start("ollama", log=self.put("log", OLLAMA))]))

    def test_what_is_no_such_list_says_nothing(self):
        for reply in ("", "no", "[]", "{}", '{"models": 3}', '{"models": [{"name": 3, "size": 4}]}', '{"models": [{}]}',
                      '{"models": [{"name": "a", "size": -1}]}', '{"models": [{"name": "a", "size": true}]}',
                      '{"models": [{"name": "a", "size": 1e3}]}', "[" * 100000, " " * 300000 + '{"models": []}'):
            self.assertEqual([], ask.asked([self.start("ollama", "--reply", self.put("reply", reply))]), reply[:40])

    def test_names_of_models_are_short_and_printable(self):
        model = dict(MODEL, name="\x1b[31m" + "x" * 500)
        pid = self.start("ollama", "--reply", self.put("reply", json.dumps({"models": [model] * 20})))
        (_, _, models), = ask.asked([pid])
        self.assertEqual([["whole", "[31m" + "x" * 36, MODEL["size"]]] * 8, models)

    def test_only_who_is_ollama_and_listens_here_is_asked(self):
        reply = self.put("reply", json.dumps({"models": [MODEL]}))
        other = self.start("llama-server", "--reply", reply)
        with mock.patch.object(ask, "_get", side_effect=AssertionError):
            self.assertEqual([], ask.asked([other, self.start("ollama"), 1 << 22]))

    def test_where_its_sockets_are_hidden_only_its_usual_port_of_its_own_account_is_asked(self):
        pid = self.start("ollama", "--reply", self.put("reply", json.dumps({"models": [MODEL]})))
        with mock.patch.object(ask._Process, "sockets", return_value=None):
            self.assertEqual([], ask.asked([pid]))
            with mock.patch.object(ask, "_OLLAMA_PORT", self.port):
                self.assertEqual(1, len(ask.asked([pid])))
                with mock.patch.object(ask.os, "stat", return_value=mock.Mock(st_uid=os.getuid() + 1, st_mode=0)):
                    self.assertEqual([], ask.asked([pid]))

    def test_a_silent_one_is_not_waited_for_long(self):
        with mock.patch.object(ask, "_WAIT_S", 0.05), ask.socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(1)
            self.assertIsNone(ask._get(silent.getsockname()[1], "/api/ps"))

    def test_one_that_may_not_be_looked_at_or_is_gone_says_nothing(self):
        self.assertEqual([], ask.asked([1 << 22, 2]))


class Asking(ServerCase):
    def one(self):
        one = beside.Servers(System())
        self.addCleanup(one.close)
        return one

    def answer(self, one, now, processes):
        one.look(now, lambda: processes)
        self.assertIsNotNone(one._program)

        def ended():
            one.look(now, lambda: processes)
            return one._program is None
        until(ended, what="its answer")
        return one.said

    def test_servers_are_known_by_name(self):
        for name in ("llama-server", "ollama", "ollama_llama_se", "tritonserver", "vllm", "VLLM::EngineCor", "trtllm-serve"):
            self.assertTrue(beside.is_server(name), name)
        for name in ("python3", "llama", "llama-server2", "VLLM", "tritonserver-x", ""):
            self.assertFalse(beside.is_server(name), name)

    def test_they_are_asked_once_a_minute(self):
        pid = self.start("llama-server", log=self.put("log", LLAMA))
        one, processes = self.one(), [[1, "init"], [pid, "llama-server"]]
        self.assertEqual([[pid, "log", parts_of(LLAMA)]], self.answer(one, 0.0, processes))
        one.look(59.0, lambda: self.fail("asked again"))
        self.put("log", "")
        one._next = 60.0  # whatever time on a processor the first asking took
        self.assertIsNone(self.answer(one, 60.0, processes))

    def test_nothing_is_started_without_one(self):
        one = self.one()
        for processes in ([], [[1, "init"]]):
            one.look(0.0, lambda: processes)
            self.assertIsNone(one._program)

    def test_one_that_hangs_is_ended(self):
        one = self.one()
        with mock.patch.object(beside, "_PROGRAM", self.put("hangs.py", "import time\ntime.sleep(1000)\n")):
            one.look(0.0, lambda: [[1, "ollama"]])
        one.look(29.0, lambda: [])
        self.assertIsNotNone(one._program)
        one.look(31.0, lambda: [])
        self.assertIsNone(one._program)
        self.assertIsNone(one.said)


class Written(RootCase):
    def test_what_they_say_is_written_when_it_changed(self):
        self.put("proc/meminfo", "MemTotal: 4000000 kB\nMemFree: 300000 kB\n")
        out = []
        one = moments.Moments(self.system, lambda data: out.append(data) or True, 1000)
        self.addCleanup(one.close)
        text = b"MemTotal: 4000000 kB\nMemFree: 300000 kB\n"
        one.begin()
        said = [[7, "log", [["weights", "CUDA0", 5]]]]
        told = []
        for at, value in enumerate((None, said, said, None, None, said)):
            one._servers.said = value
            one.take(at * 1000, text)
            told.append(json.loads(out[-1].decode().splitlines()[-1]).get("servers", "not told"))
        self.assertEqual(["not told", said, "not told", [], "not told", said], told)

    def test_none_are_asked_on_a_simulated_board(self):
        one = beside.Servers(self.system)
        one.look(0.0, lambda: [[1, "ollama"]])
        self.assertIsNone(one._program)


if __name__ == "__main__":
    unittest.main()
