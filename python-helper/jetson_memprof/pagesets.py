"""Free pages that each processor core keeps for its next request: the kernel's per-CPU pagesets, from /proc/zoneinfo.

The kernel counts them neither in MemFree nor in MemAvailable. Linux 6.7 and newer let them grow to an eighth of the RAM
where a program frees much; what is taken out of them then moves neither figure. Older kernels keep some MiB there at
most and print no `high_max`: nothing is said of those.
"""
from os import sysconf

LONGEST = 1 << 17  # 64 cores with four zones each
_COUNT, _TUNED = b" count:", b"high_max:"
_PAGE = sysconf("SC_PAGE_SIZE")


def held(text):
    """Bytes that the cores keep, by the text of zoneinfo; None where the kernel lets them keep little, or is not told."""
    if _TUNED not in text:
        return None
    words = [part.split(None, 1)[:1] for part in text.split(_COUNT)[1:]]
    return _PAGE * sum(int(word[0]) for word in words if word and word[0].isdigit())
