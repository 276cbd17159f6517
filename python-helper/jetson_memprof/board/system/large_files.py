"""Large files that a process reads: those that it has open or mapped, from its fd, fdinfo, maps and smaps.

Only the kernel is asked, and a file itself only where the process got bytes of it: a server that is gone answers nobody.
"""
import os
import stat

from ..files import read_some
from . import proc

#: A smaller file is nothing to speak of.
LEAST = 16 << 20
_MOST_FILES, _MOST_DESCRIPTORS = 64, 1024
# What one mapping has in smaps: its line, with a path of up to 4096 bytes, and the figures up to the last that is read.
_MAPS_BYTES, _SMAPS_BYTES, _MAPPING_BYTES = 4 << 20, 8 << 20, 5120
_OF_NO_DISK = ("/dev/", "/proc/", "/sys/", "/memfd:")
_WEIGHTS = (".safetensors", ".gguf", ".bin", ".pt", ".pth", ".ckpt", ".npz", ".npy", ".onnx", ".h5", ".msgpack", ".pkl")


class LargeFile(object):
    """Bytes; None where they are not known, or the file is not open, or not mapped."""
    __slots__ = ("size", "position", "mapped", "resident", "copied")

    def __init__(self, size, position=None):
        self.size = size          # of the file
        self.position = position  # how far it was read by a descriptor
        self.mapped = None        # of its mappings
        self.resident = None      # of these in memory
        self.copied = None        # of these not the file's any more, as something wrote into them or pinned them


def large_files(folder):
    """{path: LargeFile} of a process, by its folder in /proc: the largest, and only what it read or may be loading."""
    found = {}
    _add_open(folder, found)
    if not _waits_for_disk(folder):
        _add_mapped(folder, found)
    chosen = [(path, file) for path, file in found.items()
              if _has_weights(path) or max(file.position or 0, file.resident or 0) >= LEAST]
    chosen.sort(key=lambda one: -one[1].size)
    return dict(chosen[:_MOST_FILES])


def _has_weights(path):
    return path.endswith(_WEIGHTS)


def _waits_for_disk(folder):
    """Then the lock that maps and smaps wait for may be held by a process that is stuck in the kernel."""
    try:
        return b"\nState:\tD" in proc.read(folder + "/status", 512)
    except OSError:
        return True


def _add_open(folder, found):
    try:
        names = os.listdir(folder + "/fd")[:_MOST_DESCRIPTORS]
    except OSError:
        return
    for name in names:
        link = "%s/fd/%s" % (folder, name)
        try:
            path = os.readlink(link)
            if path[:1] != "/" or path.startswith(_OF_NO_DISK):
                continue
            words = proc.read("%s/fdinfo/%s" % (folder, name), 512).split()  # pos: N flags: M
            position = int(words[1])
            if int(words[3], 8) & 3 == os.O_WRONLY or (position < LEAST and not _has_weights(path)):
                continue
            seen = os.stat(link)
        except (OSError, ValueError, IndexError):
            continue
        if stat.S_ISREG(seen.st_mode) and seen.st_size >= LEAST:
            file = found.setdefault(path, LargeFile(seen.st_size, 0))
            file.position = max(file.position, min(position, seen.st_size))


def _add_mapped(folder, found):
    mapped = {}  # the beginning of a mapping's line, as smaps has it, -> its LargeFile
    try:
        lines = read_some(folder + "/maps", _MAPS_BYTES).split(b"\n")
    except OSError:
        return
    for line in lines:
        if b" /" not in line or b".so" in line:
            continue
        try:
            place, rights, offset, _, inode, name = line.split(None, 5)
            begin, end = (int(one, 16) for one in place.split(b"-"))
            if end - begin < LEAST or b"x" in rights:
                continue
            path = os.fsdecode(name.replace(b"\\012", b"\n"))
            if path.startswith(_OF_NO_DISK):
                continue
            file = found.get(path)
            if file is None:
                file = found[path] = LargeFile(_size(path, int(inode), int(offset, 16) + end - begin))
        except ValueError:
            continue
        file.mapped = (file.mapped or 0) + end - begin
        mapped[place + b" "] = file
    if mapped:
        _add_resident(folder + "/smaps", mapped)


def _size(path, inode, known):
    """A mapped file's size; at least what is mapped, where the path is another's by now, or nobody's."""
    try:
        seen = os.stat(path)
    except OSError:
        return known
    return max(known, seen.st_size) if stat.S_ISREG(seen.st_mode) and seen.st_ino == inode else known


def _add_resident(path, mapped):
    """Add what smaps says of these mappings, by the beginnings of their lines there."""
    try:
        data = b"\n" + read_some(path, _SMAPS_BYTES)
    except OSError:
        return
    for place, file in mapped.items():
        at = data.find(b"\n" + place)
        if at >= 0:
            figures = data[at + 1:at + _MAPPING_BYTES]
            for name, field in (("resident", b"Rss"), ("copied", b"Anonymous")):
                value = proc.kib(figures, field)
                if value is not None:
                    setattr(file, name, (getattr(file, name) or 0) + value)
