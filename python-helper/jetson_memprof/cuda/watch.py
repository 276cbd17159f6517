"""Notices that PyTorch's CUDA allocator has given or taken something without asking it: one small read.

Its figures are four int64 (current, peak, allocated, freed) in an object that lives as long as the process. Since
PyTorch 1.4 allocated_bytes comes three such figures (all, small pool, large pool) before reserved_bytes: so it stands
in c10/cuda/CUDACachingAllocator.h and, from 2.5 on, c10/core/CachingDeviceAllocator.h. Where they lie is found by
their values. A place is believed only after all memory was searched and it has followed a change, and only for as long
as it agrees with what PyTorch says; the figures themselves always come from PyTorch.
"""
import struct
from time import perf_counter

_STAT = struct.Struct("4q")
_RESERVED_AT = 3 * _STAT.size
#: Bytes that are looked at: from allocated_bytes to reserved_bytes.
WATCHED_BYTES = _RESERVED_AT + _STAT.size
#: A search goes on for so long at a time, and so often that it takes a twentieth of the time; a fifth once something was
#: found, as the rest is soon done, and PyTorch is asked until then, which takes as much.
_SLICE_SECONDS, _SLICE_SHARE, _FOUND_SHARE = 0.004, 20, 5
_MOST_SEARCHES = 3
_MOST_CANDIDATES = 64


class Place(object):
    """Where figures of a device lie. `seen` is what stood there when they were last taken, b"" to look again."""
    __slots__ = ("address", "seen")

    def __init__(self, address):
        self.address = address
        self.seen = b""


class Watch(object):
    """`places` are those of all devices in use; empty as long as one of them is not known. Of the latest `take`: how many
    seconds it spent searching (`searched`), and whether a change had not shown (`was_wrong`)."""

    def __init__(self):
        self.places = ()
        self.searched = 0.0
        self.was_wrong = False
        self.memory = None
        self._finders = []
        self._next_slice = 0.0

    def open(self):
        """Where the kernel does not allow it, no place is ever known."""
        from .memory import OwnMemory  # here, as most programs never use CUDA
        try:
            self.memory = OwnMemory()
        except OSError:
            pass

    @property
    def descriptor(self):
        return -1 if self.memory is None else self.memory.descriptor

    def moved(self):
        """Whether anything has changed since the figures were last taken."""
        memory = self.memory
        for place in self.places:
            if memory.read(place.address, WATCHED_BYTES) != place.seen:
                return True
        return False

    def take(self, ask):
        """The figures of `ask()`, [allocator.Device]; learns from them where they lie."""
        if self.memory is None:
            return ask()
        self.memory.refresh()
        before = [[(place, self._read(place)) for place in finder.places] for finder in self._finders]
        devices = ask()
        while len(self._finders) < len(devices):
            self._finders.append(_Finder(self.memory))
            before.append(())
        self.was_wrong = False
        for finder, device, seen in zip(self._finders, devices, before):
            self._compare(finder, _pack(device), seen)
        self._search(devices)
        used = [finder for finder, device in zip(self._finders, devices) if _is_used(device)]
        self.places = [place for finder in used for place in finder.places] if all(one.places for one in used) else ()
        return devices

    def _read(self, place):
        return self.memory.read(place.address, WATCHED_BYTES)

    def _compare(self, finder, wanted, before):
        """Note what is there; a place that stood still and is not what PyTorch says is not believed any more."""
        for place, seen in before:
            if _holds(seen, wanted):
                place.seen = seen
            elif self._read(place) != seen:
                place.seen = b""  # just being changed, by a thread that does not wait for Python
            else:
                finder.places.remove(place)  # another figure, or other memory, that was the same by chance
                self.was_wrong |= not finder.places and seen == place.seen

    def close(self):
        self.places = ()
        if self.memory is not None:
            self.memory.close()
            self.memory = None

    def _search(self, devices):
        self.searched = 0.0
        now = perf_counter()
        for finder, device in zip(self._finders, devices):
            if now >= self._next_slice and _is_used(device) and not finder.places and not finder.has_given_up:
                finder.go_on(_pack(device))
                self.searched = perf_counter() - now
                self._next_slice = now + (_FOUND_SHARE if finder.has_candidates else _SLICE_SHARE) * self.searched
                return


class _Finder(object):
    """Finds one device's figures. `places` are those that hold them and have followed a change. None of them is believed
    before all memory was searched: what was found first may be copies, and the figures themselves lie further on."""

    def __init__(self, memory):
        self.places = []
        self._memory = memory
        self._search = None
        self._searches = 0
        self._candidates = []  # (address, the figures that it was found by)

    @property
    def has_given_up(self):
        return self._searches > _MOST_SEARCHES

    @property
    def has_candidates(self):
        return bool(self._candidates)

    def go_on(self, wanted):
        """One slice of the search for `wanted`; after its end a look at what it has found."""
        if self._search is None or (self._search.is_over and not self._candidates):
            self._searches += 1
            self._search = self._memory.search()
        elif not self._search.is_over:
            self._take_slice(wanted)
        elif all(wanted != first for _, first in self._candidates):  # else one has had no change to follow yet
            self._believe(wanted)

    def _take_slice(self, wanted):
        found = self._search.go_on(wanted[:_STAT.size], _SLICE_SECONDS)
        self._candidates.extend((at, wanted) for at in found if self._has(at, wanted))
        if len(self._candidates) > _MOST_CANDIDATES:  # what is left out might be the place
            self._search, self._candidates = None, []

    def _believe(self, wanted):
        for address, _ in sorted(self._candidates):
            if self._has(address, wanted) and not (self.places and address - self.places[-1].address < _RESERVED_AT):
                self.places.append(Place(address))  # else one pool's, equal as long as the other is empty
        self._search, self._candidates = None, []

    def _has(self, address, wanted):
        return _holds(self._memory.view(address, WATCHED_BYTES), wanted)


def _is_used(device):
    return device.allocated.allocated > 0 or device.reserved.allocated > 0


def _pack(device):
    return _STAT.pack(*device.allocated) + _STAT.pack(*device.reserved)


def _holds(seen, wanted):
    return seen[:_STAT.size] == wanted[:_STAT.size] and seen[_RESERVED_AT:] == wanted[_STAT.size:]
