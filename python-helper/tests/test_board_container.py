"""A run in a container: what the host does for it, with a stand-in for the engine that isolates nothing.

test/integration/remote/container.test.ts has the same with an engine that does.
"""
import json
import os
import signal
import subprocess
import sys
import unittest
from unittest import mock

from test_board_common import HELPER, BoardCase, python, read_records, read_table, runs_now, until

from jetson_memprof.board.run.runs import RunFolder

_SERVE = "import sys; sys.path.insert(0, sys.argv[1]); from board import serve; sys.exit(serve(sys.stdin.buffer))"
STANDIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin_engine", "docker")
ID = "c0ffee" * 10 + "beef"


def container(name="trainer", identity=ID, **state):
    return {"Id": identity, "Name": "/" + name, "Config": {"Image": "l4t-pytorch:r36", "User": ""},
            "State": dict({"Running": True, "Pid": os.getpid(), "ExitCode": 0, "OOMKilled": False}, **state),
            "HostConfig": {"ReadonlyRootfs": False}, "Mounts": []}


def of_process(pid, name):
    try:
        with open("/proc/%s/%s" % (pid, name), "rb") as file:
            return file.read()
    except OSError:
        return b""


class ContainerCase(BoardCase):
    def setUp(self):
        super().setUp()
        self.state_file = os.path.join(self.top, "engine.json")
        self.engine(containers={"trainer": container()})
        self.programs = os.path.join(self.top, "bin")
        os.mkdir(self.programs)
        for name in ("docker", "podman", "nerdctl"):  # first of all, so that no real one is asked
            os.symlink(STANDIN, os.path.join(self.programs, name))
        changed = mock.patch.dict(os.environ, {
            "PATH": self.programs + os.pathsep + os.environ.get("PATH", ""), "STANDIN_ENGINE": self.state_file})
        changed.start()
        self.addCleanup(changed.stop)
        self.inside = os.path.join(self.top, "inside")

    def engine(self, **state):
        with open(self.state_file, "w") as file:
            json.dump(dict({"containers": {}, "images": {}}, **state), file)

    def asked(self):
        with open(self.state_file + ".log") as file:
            return [json.loads(line) for line in file]

    def enter(self, inside="container:trainer", **more):
        return self.command("enter", dict({"root": self.root, "inside": inside}, **more), check=False)

    def place(self, **changes):
        """What `start` is told of the container."""
        entered = self.enter()
        self.assertNotIn("error", entered)
        entered.pop("project_root")
        command = [sys.executable, "-I", "-B", os.path.join(HELPER, "board.py")]
        return dict(entered, root=self.inside, command=command, **changes)


class Entering(ContainerCase):
    def refusal(self, *arguments, **more):
        return self.enter(*arguments, **more)["error"]

    def test_a_running_container_is_entered_by_its_engine(self):
        found = self.enter()
        self.assertEqual((found["engine"], found["id"], found["name"], found["image"], found["made"]),
                         ("docker", ID, "trainer", "l4t-pytorch:r36", False))
        self.assertEqual(found["program"], os.path.join(self.programs, "docker"))
        self.assertEqual(found["exec"], ["exec", "--interactive", ID])
        self.assertEqual((found["root"], found["project_root"], found["pid"]), ("/tmp/jetson-memprof", None, os.getpid()))

    def test_what_cannot_be_entered_says_why_and_what_next(self):
        self.engine(containers={"old": container("old", Running=False), "held": container("held", Paused=True)})
        for inside, code, words in (
                ("container:none", "no-container", "docker ps"), ("container:old", "container-not-running", "docker start old"),
                ("container:held", "container-not-running", "docker unpause held"), ("image:none:1", "no-image", "docker pull none:1"),
                ("container:--privileged", "bad-inside", "container:NAME"), ("pod:x", "bad-inside", "container:NAME"),
                ("image:a b", "bad-inside", "image:NAME:TAG")):
            error = self.refusal(inside)
            self.assertEqual(error["code"], code, inside)
            self.assertIn(words, error["hint"])

    def test_an_engine_that_refuses_says_why_and_what_next(self):
        for words, code, hint in (
                ("permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
                 "engine-permission", "usermod -aG docker"),
                ("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
                 "engine-not-running", "systemctl start docker"),
                ("Error: \x1b[31msomething else", "engine-failed", "docker itself")):
            self.engine(fail=words)
            error = self.refusal()
            self.assertEqual(error["code"], code)
            self.assertIn(hint, error["hint"])
            self.assertNotIn("\x1b", error["message"])
            listed = self.command("containers", {})["engines"]
            self.assertEqual([one["error"]["code"] for one in listed if one["name"] == "docker"], [code])

    def test_what_one_engine_lacks_another_that_does_not_tell_may_have(self):
        denied = "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock"
        self.engine(fail={"docker": denied})
        self.assertEqual(self.refusal()["code"], "engine-permission")
        self.engine(fail={"docker": "Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?"})
        error = self.refusal()
        self.assertEqual(error["code"], "no-container")
        self.assertIn("its service does not run", error["message"])
        self.assertIn("podman ps", error["hint"])
        self.engine(containers={"trainer": container()}, fail={"docker": denied})
        self.assertEqual(self.enter()["engine"], "podman")

    def test_a_board_without_an_engine_says_so(self):
        nothing = os.path.join(self.top, "nothing")
        os.mkdir(nothing)
        with mock.patch("jetson_memprof.board.system.system._PROGRAM_FOLDERS", ()), \
                mock.patch.dict(os.environ, {"PATH": nothing}):
            from jetson_memprof.board.commands import containers
            self.assertEqual(self.refused(containers.enter, {"root": self.root, "inside": "container:x"}), "no-engine")
            self.assertEqual(containers.containers({}), {"engines": []})

    def test_lists_what_runs_and_which_images_there_are(self):
        self.engine(containers={"trainer": container(), "--rm": container("--rm", "a" * 64)},
                    images={"l4t-pytorch:r36": {}, "<none>:<none>": {}, "$(reboot)": {}})
        [found] = [one for one in self.command("containers", {})["engines"] if one["name"] == "docker"]
        self.assertEqual(found, {
            "name": "docker", "error": None, "images": ["l4t-pytorch:r36"],
            "containers": [{"id": ID[:12], "name": "trainer", "image": "l4t-pytorch:r36"}]})

    def test_a_container_of_an_image_gets_the_runs_folder_and_keeps_the_owner(self):
        self.engine(containers={"made": container("jetson-memprof-1", "d" * 64)}, makes="d" * 64,
                    images={"l4t:r36": {"Architecture": {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]}},
                    info='{"nvidia":{"path":"nvidia-container-runtime"},"runc":{}}')
        found = self.enter("image:l4t:r36", project="/data/a,b", arguments=["--memory=1g"])
        self.assertEqual((found["made"], found["id"], found["project_root"]), (True, "d" * 64, "/data/a,b"))
        self.assertEqual(found["root"], os.path.join(self.root, "containers"))
        [ran] = [words for words in self.asked() if words[0] == "run"]
        self.assertEqual(ran[ran.index("--pull") + 1], "never")
        self.assertIn("--rm", ran)
        self.assertEqual(ran[ran.index("--runtime") + 1], "nvidia")
        self.assertEqual([ran[at + 1] for at, word in enumerate(ran) if word == "--mount"], [
            "type=bind,source=%s,target=%s" % (found["root"], found["root"]),
            'type=bind,"source=/data/a,b","target=/data/a,b"'])
        self.assertEqual(ran[-5:-1], ["--entrypoint", "sh", "l4t:r36", "-c"])
        self.assertLess(ran.index("--memory=1g"), ran.index("--entrypoint"))
        if os.getuid() != 0:
            self.assertEqual(ran[ran.index("--user") + 1], "%d:%d" % (os.getuid(), os.getgid()))

    def test_an_image_for_another_processor_is_refused(self):
        self.engine(images={"l4t:r36": {"Architecture": "s390x"}})
        error = self.refusal("image:l4t:r36")
        self.assertEqual(error["code"], "image-architecture")
        self.assertIn("s390x", error["message"])
        self.assertNotIn("run", [words[0] for words in self.asked()])


class Running(ContainerCase):
    SCRIPT = """
        import sys
        kept = [bytearray(4096) for _ in range(5000)]
        print("read", sys.stdin.readline().strip())
        """

    def test_a_run_is_mirrored_out_of_the_container_as_any_other(self):
        self.write("script.py", self.SCRIPT)
        self.start("one", "script.py", container=self.place(), moments_interval_ms=200)
        attached = self.attach("one")
        until(lambda: b"rows" in attached.mirror.files.get("lines.jsonl", b""), what="figures")
        attached.send({"input": "aGVsbG8K"})
        mirror = attached.wait()
        self.assertEqual(mirror.files["stdout.log"], b"read hello\n")
        record = mirror.record
        self.assertEqual((record["state"], record["exit"]), ("finished", {"kind": "exited", "code": 0}))
        self.assertEqual((record["container"]["engine"], record["container"]["name"]), ("docker", "trainer"))
        main = next(one["pid"] for one in record["processes"] if one["kind"] == "main")
        self.assertGreater(read_table(mirror.files["lines.jsonl"])[(main, "script.py", 3)][1], 5000 * 4096)
        self.assertTrue(mirror.files["sources/script.py"])
        # The whole board's moments are the host's own, not those of inside.
        moments = read_records(mirror.files["moments.jsonl"])
        self.assertTrue(moments[1]["baseline"])
        self.assertGreater(len(moments[1]["p"]), 1)
        # Nothing of it stays in the container, nor in shared memory.
        until(lambda: not os.path.exists(self.run_file("one", "inside.json")), what="tidying up")
        self.assertEqual(os.listdir(os.path.join(self.inside, "runs")), [])

    def test_what_waits_in_there_from_entering_on_becomes_the_run(self):
        self.write("script.py", self.SCRIPT)
        place = self.place()
        with open(self.state_file + ".log", "w"):
            pass
        serving = subprocess.Popen(python("-c", _SERVE, self.helper), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(serving.stdout.close)

        def ask(command, request):
            serving.stdin.write(json.dumps({"command": command, "request": request}).encode("ascii") + b"\n")
            serving.stdin.flush()
            return json.loads(serving.stdout.readline().decode("utf-8"))

        ask("enter", {"root": self.root, "inside": "container:trainer", "starts": True})
        self._runs.append("one")
        self.assertNotIn("error", ask("start", self.order("one", "script.py", container=place)))
        serving.stdin.close()
        self.assertEqual(serving.wait(60), 0)
        attached = self.attach("one")
        attached.send({"input": "aGVsbG8K"})
        mirror = attached.wait()
        self.assertEqual(mirror.files["stdout.log"], b"read hello\n")
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        until(lambda: not os.path.exists(self.run_file("one", "inside.json")), what="tidying up")
        started = [words[3] for words in self.asked() if words[0] == "exec"]
        self.assertEqual(started, ["sh", sys.executable])  # what waits, and what tidies up at the end

    def test_what_waits_in_there_for_nothing_ends_with_who_started_it(self):
        request = {"root": self.root, "inside": "container:trainer", "starts": True}
        done = subprocess.run(python("-c", _SERVE, self.helper), stdout=subprocess.PIPE, timeout=60,
                              input=json.dumps({"command": "enter", "request": request}).encode("ascii") + b"\n")
        self.assertEqual(done.returncode, 0)
        until(lambda: not self.waiting_shells(), what="its end")

    def waiting_shells(self):
        return [pid for pid in os.listdir("/proc") if pid.isdigit() and b"read -r word" in of_process(pid, "cmdline")
                and os.fsencode(self.state_file) in of_process(pid, "environ")]

    def test_cancelling_ends_the_script_in_there(self):
        self.write("script.py", self.SCRIPT)
        self.start("one", "script.py", container=self.place())
        attached = self.attach("one")
        self.assertEqual(self.command("cancel", {"root": self.root, "id": "one"}), {"state": "cancelled"})
        self.assertEqual(attached.wait().record["exit"]["kind"], "cancelled")

    def test_what_goes_on_in_there_without_its_mirror_is_ended_by_a_cancel(self):
        self.write("script.py", self.SCRIPT)
        self.start("one", "script.py", container=self.place())
        inside = until(lambda: self.those_inside(), what="the run in there")
        os.kill(self.load("one", "supervisor.json")["pid"], signal.SIGKILL)
        self.assertEqual(self.command("cancel", {"root": self.root, "id": "one"}), {"state": "cancelled"})
        self.assertEqual(self.load("one")["exit"], {"kind": "lost"})
        for pid in inside:
            until(lambda: not runs_now(pid), what="its end")
        self.assertFalse(os.path.exists(self.run_file("one", "inside.json")))

    def test_a_snapshot_is_asked_for_in_there(self):
        self.write("script.py", self.SCRIPT)
        self.start("one", "script.py", container=self.place())
        reply = self.command("snapshot", {"root": self.root, "id": "one"}, check=False)
        self.assertEqual(reply["error"]["code"], "no-snapshots")

    def test_what_cannot_be_started_in_there_leaves_no_run_behind(self):
        reply = self.start("one", "missing.py", check=False, container=self.place())
        self.assertEqual(reply["error"]["code"], "script-missing")
        self.assertEqual(self.load("one")["exit"]["kind"], "not-started")
        self.write("script.py", self.SCRIPT)
        reply = self.start("two", "script.py", check=False, container=dict(self.place(), command=["sh", "-c", "exit 3"]))
        self.assertEqual(reply["error"]["code"], "container-failed")

    def test_a_container_that_was_out_of_memory_before_the_run_says_nothing_of_it(self):
        self.engine(containers={"trainer": container(OOMKilled=True)})
        self.assertEqual(self.end_of_a_container(OOMKilled=True)["exit"], {"kind": "lost"})

    def test_a_container_out_of_memory_says_so(self):
        ended = self.end_of_a_container(OOMKilled=True)["exit"]
        self.assertEqual(ended["kind"], "out-of-memory")
        self.assertIn("trainer", ended["evidence"])

    def test_a_container_that_ends_leaves_the_figures_up_to_then(self):
        record = self.end_of_a_container()
        self.assertEqual(record["exit"], {"kind": "lost"})
        self.assertIn("container-ended", [one["code"] for one in record["warnings"]])
        self.assertIn("exit code 137", record["warnings"][-1]["message"])
        self.assertTrue(record["last_lines"])

    def end_of_a_container(self, **state):
        """The run.json of a run whose container ends while the script waits."""
        self.write("script.py", self.SCRIPT)
        self.start("one", "script.py", container=self.place())
        attached = self.attach("one")
        until(lambda: b"rows" in attached.mirror.files.get("lines.jsonl", b""), what="figures")
        self.engine(containers={"trainer": container(Running=False, ExitCode=137, **state)})
        # The container's end takes all in it: the supervisor, the script, and the program that mirrors them.
        for pid in self.those_inside():
            os.kill(pid, signal.SIGKILL)
        return attached.wait().record

    def test_what_speaks_in_the_helpers_place_is_not_followed(self):
        self.write("script.py", self.SCRIPT)
        for said in ('{"frame":"replace","file":"../../../escaped","length":1}\nx',
                     '{"frame":"replace","file":"run.json","length":12}\n{"id":"other"}', "nonsense\n"):
            self._runs.append("one")
            speaks = "import sys; sys.stdin.readline(); print('{\"pid\":7}', flush=True); sys.stdout.write(%r)" % said
            place = self.place()
            place["command"] = [sys.executable, "-c", speaks]
            self.start("one", "script.py", container=place)
            record = self.attach("one").wait().record
            self.assertEqual(record["exit"], {"kind": "lost"})
            self.assertIn("is followed no more", record["warnings"][-1]["message"])
            until(lambda: not RunFolder(self.root, "one").is_held(), what="the supervisor's end")
            self.command("remove", {"root": self.root, "id": "one"})
        self.assertFalse(os.path.exists(os.path.join(self.root, "escaped")))

    def test_a_stream_that_breaks_is_begun_again(self):
        self.write("script.py", self.SCRIPT)
        self.start("one", "script.py", container=self.place())
        attached = self.attach("one")
        until(lambda: b"rows" in attached.mirror.files.get("lines.jsonl", b""), what="figures")
        broken = self.those_inside("attach")
        for pid in broken:
            os.kill(pid, signal.SIGKILL)
        until(lambda: set(self.those_inside("attach")) - set(broken), what="another stream")
        attached.send({"input": "aGVsbG8K"})
        mirror = attached.wait()
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        self.assertEqual(mirror.files["stdout.log"], b"read hello\n")
        read_records(mirror.files["lines.jsonl"])

    def those_inside(self, word=None):
        """The processes of the run that would be in the container; with `word` those that have it on their command line."""
        noted = []
        if word is None:
            with open(os.path.join(self.inside, "runs", "one", "supervisor.json")) as file:
                noted = [json.load(file)]
        found = [pid for one in noted for pid in [one["pid"]] + [entry[0] for entry in one["processes"]]]
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    words = file.read().split(b"\0")
                with open("/proc/%s/environ" % pid, "rb") as file:
                    ours = self.state_file.encode() in file.read()
            except OSError:
                continue
            if ours and b"attach" in words and b"-I" in words:
                found.append(int(pid))
        return found


if __name__ == "__main__":
    unittest.main()
