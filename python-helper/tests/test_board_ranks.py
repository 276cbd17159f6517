"""Processes of a launcher that starts a script several times."""
import importlib.util
import os
import shutil
import sys
import unittest

from test_board_common import BoardCase, read_table

from jetson_memprof.board.run.labels import label_of
from jetson_memprof.rank import rank_of


def has_fully_shard():
    """PyTorch has it from 2.6 on; what shards in older ones needs CUDA."""
    torch = importlib.util.find_spec("torch")
    return torch is not None and os.path.isdir(os.path.join(os.path.dirname(torch.origin), "distributed", "fsdp", "_fully_shard"))


#: A machine that has a name which nobody can resolve is waited for.
_BY_NUMBER = ["--local_addr", "127.0.0.1"] if has_fully_shard() else []


class View(object):
    def __init__(self, kind, ppid, rank):
        self.kind, self.ppid, self.rank = kind, ppid, rank


class RankOf(unittest.TestCase):
    def test_each_launcher_says_it_in_its_own_words(self):
        for rank, environ in (
                ((3, 4), {"RANK": "3", "LOCAL_RANK": "1", "WORLD_SIZE": "4"}),
                ((1, 2), {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}),
                ((0, 2), {"PMI_RANK": "0", "PMI_SIZE": "2"}),
                ((15, 16), {"SLURM_PROCID": "15", "SLURM_NTASKS": "16"}),
                # torchrun under mpirun, one on each node
                ((5, 8), {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "RANK": "5", "WORLD_SIZE": "8"})):
            self.assertEqual(rank_of(environ), rank, environ)

    def test_what_is_no_rank(self):
        for environ in ({}, {"RANK": "1"}, {"WORLD_SIZE": "2"}, {"MY_RANK": "0", "MY_WORLD_SIZE": "2"}):
            self.assertIsNone(rank_of(environ), environ)
        for rank, ranks in (("x", "2"), ("2", "2"), ("-1", "2"), ("", ""), ("1", "99999999"), ("\u0661", "2"), (" 1", "2")):
            self.assertIsNone(rank_of({"RANK": rank, "WORLD_SIZE": ranks}), (rank, ranks))


class Labels(unittest.TestCase):
    def test_names(self):
        known = {}

        def name(pid, kind, ppid, rank):
            label = label_of(View(kind, ppid, rank), known)
            known[pid] = {"pid": pid, "label": label}
            if rank is not None:
                known[pid]["rank"] = rank[0]
            return label
        self.assertEqual(name(10, "main", 1, None), "main")
        self.assertEqual(name(20, "spawn", 10, (0, 2)), "rank 0")
        self.assertEqual(name(21, "spawn", 10, (1, 2)), "rank 1")
        self.assertEqual(name(30, "fork", 21, (1, 2)), "rank 1, worker 1")
        self.assertEqual(name(31, "spawn", 21, (1, 2)), "rank 1, worker 2")
        self.assertEqual(name(32, "spawn", 30, (1, 2)), "rank 1, worker 3")
        self.assertEqual(name(40, "fork", 10, None), "worker 1")
        self.assertEqual(name(41, "spawn", 10, (1, 2)), "rank 1, start 2")
        self.assertEqual(name(42, "fork", 41, (1, 2)), "rank 1, worker 4")


class Launched(BoardCase):
    def test_each_rank_and_what_it_forks_has_a_table_and_a_name(self):
        mirror = self.run_script("r1", """\
            import os, subprocess, sys, time
            if "RANK" not in os.environ:
                started = [subprocess.Popen([sys.executable] + sys.argv, env=dict(os.environ, RANK=str(rank), WORLD_SIZE="2"))
                           for rank in range(2)]
                sys.exit(sum(one.wait() for one in started))
            held = bytearray((6 << 20) * (1 + int(os.environ["RANK"])))
            pid = os.fork() if os.environ["RANK"] == "1" else None
            if pid == 0:
                more = bytearray(5 << 20)
            while b"[%d," % os.getpid() not in open(sys.argv[1], "rb").read():
                time.sleep(0.02)
            if pid == 0:
                os._exit(0)
            elif pid:
                os.waitpid(pid, 0)
            """, args=[self.run_file("r1", "samples.jsonl")])
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        processes = {one["label"]: one for one in mirror.record["processes"]}
        self.assertEqual(sorted(processes), ["main", "rank 0", "rank 1", "rank 1, worker 1"])
        self.assertEqual({label: (one.get("rank"), one.get("ranks")) for label, one in processes.items()},
                         {"main": (None, None), "rank 0": (0, 2), "rank 1": (1, 2), "rank 1, worker 1": (1, 2)})
        self.assertNotIn("rss_peak", processes["main"])
        self.assertGreater(processes["rank 1"]["rss_peak"], processes["rank 0"]["rss_peak"])
        table = read_table(mirror.files["lines.jsonl"])
        for label, line, mib in (("rank 0", 6, 6), ("rank 1", 6, 12), ("rank 1, worker 1", 9, 5)):
            net = table[(processes[label]["pid"], "script.py", line)][1]
            self.assertTrue(mib - 1 << 20 < net < mib + 1 << 20, (label, net))

    def test_a_launcher_that_is_no_python_program(self):
        launcher = self.write("bin/launcher", """\
            #!/bin/sh
            # Its first word is how many, then what each is to be.
            count=$1; shift
            for rank in $(seq 0 $((count - 1))); do
                OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=$count "$@" || exit 1
            done
            """)
        os.chmod(launcher, 0o755)
        self.write("script.py", """\
            import os, sys
            held = bytearray((6 << 20) * (1 + int(os.environ["OMPI_COMM_WORLD_RANK"])))
            print(sys.argv[1:])
            """)
        self.start("r1", "script.py", args=["--epochs", "1"], launch=["bin/launcher", "2", sys.executable])
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0})
        self.assertEqual(mirror.record["command"]["launch"], ["bin/launcher", "2", sys.executable])
        self.assertEqual(mirror.files["stdout.log"], b"['--epochs', '1']\n" * 2)
        processes = {one["label"]: one["pid"] for one in mirror.record["processes"]}
        self.assertEqual(sorted(processes), ["rank 0", "rank 1"])
        table = read_table(mirror.files["lines.jsonl"])
        self.assertEqual([table[(processes["rank %d" % rank], "script.py", 2)][1] >> 20 for rank in range(2)], [6, 12])

    @unittest.skipUnless(shutil.which("mpirun.openmpi"), "needs Open MPI")
    def test_open_mpi(self):
        self.write("script.py", """\
            import os
            held = bytearray((6 << 20) * (1 + int(os.environ["OMPI_COMM_WORLD_RANK"])))
            """)
        launch = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable]
        self.start("r1", "script.py", launch=launch)
        mirror = self.attach("r1").wait()
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0}, mirror.files.get("stderr.log"))
        processes = {one["label"]: one["pid"] for one in mirror.record["processes"]}
        self.assertEqual(sorted(processes), ["rank 0", "rank 1"])
        table = read_table(mirror.files["lines.jsonl"])
        self.assertEqual([table[(processes["rank %d" % rank], "script.py", 2)][1] >> 20 for rank in range(2)], [6, 12])

    def test_a_launcher_that_is_not_there_or_does_not_fit(self):
        self.write("script.py", "print()\n")
        reply = self.start("r1", "script.py", launch=["no-such-launcher"], check=False)
        self.assertEqual(reply["error"]["code"], "no-launcher")
        self.assertIn("no-such-launcher", reply["error"]["message"])
        for wrong in ([""], ["a\0b"], [3], "torchrun"):
            self.assertIn("error", self.start("r2", "script.py", launch=wrong, check=False), wrong)
        reply = self.start("r3", "script.py", engine="memory_profiler", launch=["torchrun"], check=False)
        self.assertIn("error", reply)

    def test_where_a_rank_was_killed(self):
        mirror = self.run_script("r1", """\
            import os, signal, subprocess, sys, time
            if "RANK" not in os.environ:
                started = [subprocess.Popen([sys.executable] + sys.argv, env=dict(os.environ, RANK=str(rank), WORLD_SIZE="2"))
                           for rank in range(2)]
                sys.exit(max(-one.wait() for one in started))
            def train():
                while b"[%d," % os.getpid() not in open(sys.argv[1], "rb").read():
                    time.sleep(0.02)
                if os.environ["RANK"] == "1":
                    os.kill(os.getpid(), signal.SIGKILL)
            train()
            """, args=[self.run_file("r1", "samples.jsonl")])
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 9})
        pids = {one["label"]: one["pid"] for one in mirror.record["processes"]}
        self.assertEqual(mirror.record["last_lines"], [{
            "pid": pids["rank 1"], "thread": "MainThread", "path": "script.py", "line": 10,
            "stack": [["script.py", 11], ["script.py", 10]]}])

    def torchrun(self, run_id, ranks):
        """What each of so many ranks of train.py left: [(its process, net bytes by line)]."""
        mirror = self.run_script(run_id, """\
            import runpy, sys
            # Torch 1.13 starts nothing on Python 3.11 unless it is told what to keep of the output.
            kept = ",".join("%%d:1" %% rank for rank in range(%d))
            sys.argv = ["torchrun", "--nproc_per_node", "%d", "-r", kept, "-t", kept, *%r, "train.py"]
            runpy.run_module("torch.distributed.run", run_name="__main__")
            """ % (ranks, ranks, _BY_NUMBER))
        self.assertEqual(mirror.record["exit"], {"kind": "exited", "code": 0}, mirror.files.get("stderr.log"))
        processes = {one["label"]: one for one in mirror.record["processes"]}
        self.assertEqual(sorted(processes), ["main"] + ["rank %d" % rank for rank in range(ranks)])
        table = read_table(mirror.files["lines.jsonl"])
        return [(processes[label], {line: row[1] for (pid, path, line), row in table.items()
                                    if pid == processes[label]["pid"] and path == "train.py"})
                for label in ("rank %d" % rank for rank in range(ranks))]

    @unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
    def test_torchrun_with_a_model_in_each_rank(self):
        self.write("train.py", """\
            import torch, torch.distributed as dist
            from torch.nn.parallel import DistributedDataParallel
            dist.init_process_group("gloo")
            held = torch.ones((24 << 20) * (1 + dist.get_rank()), dtype=torch.uint8)
            model = DistributedDataParallel(torch.nn.Linear(10, 10))
            model(torch.ones(1, 10)).sum().backward()
            dist.destroy_process_group()
            """)
        for ranks in (2, 4):
            for rank, (process, nets) in enumerate(self.torchrun("r%d" % ranks, ranks)):
                mib = 24 * (1 + rank)
                self.assertTrue(mib << 20 <= nets[4] < mib + 4 << 20, (ranks, rank, nets))
                self.assertGreater(process["rss_peak"], nets[4])

    @unittest.skipUnless(has_fully_shard(), "needs PyTorch 2.6")
    def test_torchrun_with_a_model_that_is_sharded(self):
        self.write("train.py", """\
            import torch, torch.distributed as dist
            from torch.distributed.fsdp import FullyShardedDataParallel
            dist.init_process_group("gloo")
            torch.nn.functional.linear(torch.ones(1, 2), torch.ones(2, 2))
            model = torch.nn.Linear(4096, 4096, bias=False)
            model = FullyShardedDataParallel(model, device_id=torch.device("cpu"))
            model(torch.ones(1, 4096)).sum().backward()
            dist.destroy_process_group()
            """)
        for _, nets in self.torchrun("r1", 2):
            # 64 MiB of weights, of which each of two ranks keeps half.
            self.assertTrue(60 << 20 < nets[5] < 68 << 20, nets)
            self.assertTrue(-36 << 20 < nets[6] < -28 << 20, nets)


if __name__ == "__main__":
    unittest.main()
