"""Reads regular files, no links and no pipes, up to a bound. Loads nothing else: the supervisor calls it."""
import os
import stat


def opened(path):
    """Raises OSError, also of what is no regular file."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError("it is not a regular file")
        return os.fdopen(fd, "rb")
    except BaseException:
        os.close(fd)
        raise


def read(path, most):
    with opened(path) as file:
        return file.read(most)
