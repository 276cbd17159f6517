"""What sysfs, debugfs and /proc say of the board besides meminfo: GPU load, compressed swap, NvMap, free pages."""
import os

from ... import pagesets

NVMAP = "sys/kernel/debug/nvmap/iovmm/clients"
_GPU_FOLDERS = ("sys/devices/gpu.0", "sys/devices/platform/gpu.0")
# The names of Tegra's GPUs among the devices whose clock the kernel scales: 57000000.gpu, 17000000.ga10b, …
_GPU_NAMES = (".gpu", ".gm20b", ".gp10b", ".gv11b", ".ga10b")


def gpu_load_file(system):
    """The name of the file with the GPU's load in per mille, None where there is none."""
    folders = list(_GPU_FOLDERS)
    folders += ["sys/class/devfreq/%s/device" % name for name in system.entries("sys/class/devfreq")
                if name.endswith(_GPU_NAMES)]
    for parent in ("sys/devices/platform", "sys/devices/platform/bus@0", "sys/devices"):
        folders += ["%s/%s" % (parent, name) for name in system.entries(parent) if name.endswith(_GPU_NAMES)]
    for folder in folders:
        if os.path.isfile(system.path(folder + "/load")):
            return folder + "/load"
    return None


def zram_devices(system):
    return [name for name in system.entries("sys/block") if name.startswith("zram")]


class Devices(object):
    """Reads those files again and again. The devices are looked for once, as a run begins."""

    def __init__(self, system):
        self._system = system
        self._gpu = gpu_load_file(system)
        self._zram = ["sys/block/%s/mm_stat" % name for name in zram_devices(system)]

    def gpu_load(self):
        """Per mille; None where it is not told."""
        if self._gpu is None:
            return None
        numbers = self._numbers(self._gpu)
        return numbers[0] if len(numbers) == 1 and 0 <= numbers[0] <= 1000 else None

    def zram(self):
        """[bytes of RAM used, bytes stored] over all devices; None where there is none that tells."""
        told = [found for found in map(self._numbers, self._zram) if len(found) >= 3]
        return [sum(found[2] for found in told), sum(found[0] for found in told)] if told else None

    def nvmap(self):
        """The table of NvMap's clients as text; None where it may not be read."""
        return self._whole(NVMAP)

    def buddyinfo(self):
        return self._whole("proc/buddyinfo")

    def pagesets(self):
        """Bytes of free pages that the cores keep; None where the kernel lets them keep little, or it is not told."""
        try:
            return pagesets.held(self._system.read("proc/zoneinfo", pagesets.LONGEST))
        except OSError:
            return None

    def _whole(self, name):
        try:
            return self._system.read(name).decode("utf-8", "replace")
        except OSError:
            return None

    def _numbers(self, name):
        try:
            return [int(word) for word in self._system.read(name, 4096).split()]
        except (OSError, ValueError):
            return []
