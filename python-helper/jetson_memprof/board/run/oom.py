"""The kernel's out-of-memory killer: it should take the script, which took the memory, not the helper that says so."""
import os

_SCORE = "/proc/self/oom_score_adj"
_PROTECTED = -900  # short of "never": a helper that leaks must not outlive everything else

_before = None


def protect():
    """Make this process one of the last to be chosen, where this user may; it is small, so it is rarely chosen anyway."""
    global _before
    try:
        with open(_SCORE) as file:
            before = int(file.read())
        if before > _PROTECTED:
            with open(_SCORE, "w") as file:
                file.write(str(_PROTECTED))
            _before = before
    except (OSError, ValueError):
        pass


def give_up():
    """In a child: be chosen as if this process had never been protected."""
    if _before is None:
        return
    try:
        fd = os.open(_SCORE, os.O_WRONLY)
        try:
            os.write(fd, str(_before).encode("ascii"))
        finally:
            os.close(fd)
    except OSError:
        pass
