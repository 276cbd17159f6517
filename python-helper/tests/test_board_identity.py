"""What a board says of itself, from files as they lie on real ones."""
import os
import shutil
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

from test_board_common import BoardCase

from jetson_memprof import VERSION
from jetson_memprof.board.commands import identity
from jetson_memprof.board.system import memory
from jetson_memprof.board.system.system import System

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "fixtures")
MEMINFO = """MemTotal:        4053800 kB
MemFree:          219620 kB
MemAvailable:    2100000 kB
SwapCached:            0 kB
SwapTotal:       2026896 kB
SwapFree:        2026000 kB
NvMapMemFree:      10000 kB
NvMapMemUsed:     312000 kB
"""


class FakeRoot(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="jmp-test-")
        self.addCleanup(shutil.rmtree, self.root, True)

    def put(self, path, text):
        where = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(where), exist_ok=True)
        with open(where, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode("utf-8"))

    def test_a_nano(self):
        self.put("proc/device-tree/model", b"NVIDIA Jetson Nano Developer Kit\0")
        self.put("etc/nv_tegra_release", "# R32 (release), REVISION: 7.1, GCID: 29818004, BOARD: t210ref, EABI: aarch64\n")
        self.put("proc/meminfo", MEMINFO)
        found = identity.board(System(self.root))
        self.assertEqual(found["model"], "NVIDIA Jetson Nano Developer Kit")
        self.assertEqual(found["l4t"], "32.7.1")
        self.assertEqual(found["mem_total"], 4053800 * 1024)
        self.assertEqual(sorted(found), ["cpus", "hostname", "kernel", "l4t", "machine", "mem_total", "model", "simulated"])

    def test_release_from_dpkg(self):
        self.put("var/lib/dpkg/status", "Package: nvidia-l4t-core-dev\nStatus: install ok installed\nVersion: 9.9-1\n\n"
                 "Package: nvidia-l4t-core\nStatus: install ok installed\nArchitecture: arm64\n"
                 "Version: 36.4.3-20250107174145\n\nPackage: x\nVersion: 1\n")
        self.assertEqual(identity.l4t_release(System(self.root)), "36.4.3")
        self.put("var/lib/dpkg/status", "Package: nvidia-l4t-core\nStatus: deinstall ok config-files\nVersion: 36.4.3-1\n")
        self.assertIsNone(identity.l4t_release(System(self.root)))

    def test_what_is_not_known_is_absent(self):
        found = identity.board(System(self.root))
        self.assertEqual([name for name in ("model", "l4t", "mem_total") if name in found], [])
        self.put("etc/nv_tegra_release", b"\xff\xfe garbage")
        self.put("proc/device-tree/model", b"\0\0")
        self.put("proc/meminfo", b"MemTotal: lots\n")
        self.put("usr/local/cuda/version.json", "[1]")
        found = identity.board(System(self.root))
        self.assertEqual([name for name in ("model", "l4t", "mem_total") if name in found], [])
        self.assertIsNone(identity.cuda_version(System(self.root)))

    def test_cuda(self):
        self.put("usr/local/cuda/version.txt", "CUDA Version 10.2.300\n")
        self.assertEqual(identity.cuda_version(System(self.root)), "10.2")
        self.put("usr/local/cuda/version.json", '{"cuda":{"name":"CUDA SDK","version":"12.6.20240801"}}')
        self.assertEqual(identity.cuda_version(System(self.root)), "12.6")

    @mock.patch.dict(sys.modules)
    def test_packages_are_read_not_imported(self):
        sys.modules.pop("torch", None)  # other tests use the real one
        bomb = "raise SystemExit('imported')\n"
        self.put("torch/__init__.py", bomb)
        self.put("torch/version.py", "from typing import Optional\n__version__ = '1.10.0'\ncuda: Optional[str] = '10.2'\n")
        self.put("memory_profiler.py", bomb)
        self.put("memory_profiler-0.61.0.dist-info/METADATA", "Version: 0.61.0\n")
        self.assertEqual(identity.packages([self.root]), {"torch": "1.10.0", "memory_profiler": "0.61.0"})
        self.put("torch/version.py", "__all__ = ['__version__']\n__version__: str = TorchVersion('2.5.1+cu124')\n")
        self.assertEqual(identity.packages([self.root])["torch"], "2.5.1+cu124")
        self.assertEqual(identity.packages([os.path.join(self.root, "nothing")]), {})
        self.assertNotIn("torch", sys.modules)

    def test_packages_in_eggs(self):
        egg = "memory_profiler-0.58.0-py3.6.egg"
        self.put(egg + "/memory_profiler.py", "")
        self.assertEqual(identity.packages([os.path.join(self.root, egg)]), {"memory_profiler": "0.58.0"})
        packed = os.path.join(self.root, "packed", egg)
        os.mkdir(os.path.dirname(packed))
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("memory_profiler.py", "")
        self.assertEqual(identity.packages([packed]), {"memory_profiler": "0.58.0"})

    def test_memory_figures(self):
        self.put("meminfo", MEMINFO)
        path = os.path.join(self.root, "meminfo")
        self.assertEqual(memory.figures(memory.read_meminfo(path)), {
            "mem_available": 2100000 << 10, "mem_free": 219620 << 10, "swap_used": 896 << 10,
            "nvmap_used": 312000 << 10})
        self.put("meminfo", "MemFree: 1 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n")
        self.assertEqual(memory.figures(memory.read_meminfo(path)), {"mem_free": 1024, "swap_used": 0})
        self.assertEqual(memory.figures(memory.read_meminfo(path + "no")), {})

    @unittest.skipUnless(os.path.isdir(FIXTURES), "SKIPPED: the recorded files of real boards are not here")
    def test_real_boards(self):
        with open(os.path.join(FIXTURES, "board", "nv_tegra_release.txt"), "rb") as file:
            self.put("etc/nv_tegra_release", file.read())
        self.assertEqual(identity.l4t_release(System(self.root)), "36.4.7")
        for name in ("nano_jp4.6.txt", "tx2_jp4.6.txt"):
            data = memory.read_meminfo(os.path.join(FIXTURES, "meminfo", name))
            found = memory.figures(data)
            self.assertEqual(sorted(found), ["mem_available", "mem_free", "nvmap_used", "swap_used"])
            self.assertGreater(memory.total(data), found["mem_available"])


class Probing(BoardCase):
    def test_this_machine(self):
        reply = self.command("probe", {"root": self.root})
        self.assertEqual(sorted(reply), ["board", "capabilities", "memory", "packages", "runs", "versions"])
        self.assertEqual(reply["versions"]["python"].split(".")[:2], [str(part) for part in sys.version_info[:2]])
        self.assertEqual(reply["versions"]["helper"], VERSION)
        self.assertEqual(reply["board"]["machine"], os.uname().machine)
        self.assertEqual(sorted(reply["capabilities"]), ["clear_refs", "exec_memory", "gil", "nvmap", "smaps_rollup"])
        self.assertGreater(reply["memory"]["mem_available"], 0)
        self.assertGreaterEqual(reply["memory"].get("swap_free", 0), 0)
        self.assertEqual(list(reply["packages"]), ["memory_profiler"])
        self.assertEqual(reply["runs"], [])
        self.assertFalse(os.path.exists(self.root))

    def test_packages_of_the_user_are_found(self):
        """pip install --user is usual on a Jetson; the commands themselves run without it."""
        import subprocess
        env = dict(os.environ, HOME=self.top)
        env.pop("PYTHONUSERBASE", None)
        folder = subprocess.run([sys.executable, "-c", "import site; print(site.getusersitepackages())"], env=env,
                                stdout=subprocess.PIPE).stdout.decode().strip()
        os.makedirs(os.path.join(folder, "torch"))
        for name, text in (("__init__.py", ""), ("version.py", "__version__ = '9.9.9'\n")):
            with open(os.path.join(folder, "torch", name), "w") as file:
                file.write(text)
        found = self.command("probe", {}, env=env)["versions"]["torch"]
        if "torch" not in self.command("probe", {"root": self.root})["versions"]:
            self.assertEqual(found, "9.9.9")


if __name__ == "__main__":
    unittest.main()
