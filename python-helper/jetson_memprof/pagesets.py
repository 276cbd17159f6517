"""Free pages that each processor core keeps for its next request: the kernel's per-CPU pagesets, from /proc/zoneinfo.

The kernel counts them neither in MemFree nor in MemAvailable. Linux 6.7 and newer let them grow to an eighth of the RAM
where a program frees much; what is taken out of them then moves neither figure. Older kernels keep some MiB there at
most and print no `high_max`: nothing is said of those.
"""
from os import sysconf

LONGEST = 1 << 17  # 64 cores with four zones each
_COUNT, _TUNED = b" count:", b"high_max:"
_WIDEST = 32  # of a number, and the blanks before it
_PAGE = sysconf("SC_PAGE_SIZE")


def held(text, size=None):
    """Bytes that the cores keep, by the text of zoneinfo, the first `size` bytes of `text`; None where the kernel lets
    them keep little, or is not told. No more of the text is copied than a number, as cuda/system.py wants it."""
    size = len(text) if size is None else size
    if text.find(_TUNED, 0, size) < 0:
        return None
    pages, at = 0, text.find(_COUNT, 0, size)
    while at >= 0:
        at += len(_COUNT)
        word = text[at:min(at + _WIDEST, size)].split(None, 1)[:1]
        if word and word[0].isdigit():
            pages += int(word[0])
        at = text.find(_COUNT, at, size)
    return _PAGE * pages
