"""Writing so that a reader never sees half: replaced whole, or appended record by record. Reading what is a file, and no more of it."""
import errno
import fcntl
import os
import stat


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def make_folders(path):
    """Make a folder and those above it that are missing, for this user only whatever the umask is."""
    if not os.path.isdir(path):
        make_folders(os.path.dirname(path))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            if not os.path.isdir(path):
                raise


def take_lock(path, create=True):
    """The descriptor that holds the lock of a file, which is made where it is missing; None while another holds it.

    Without `create`, OSError where it is missing.
    """
    fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | (os.O_CREAT if create else 0), 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd


def replace_file(path, data, mode=0o600, sync=True):
    """Put `data` (bytes) at `path` atomically; the old file stays where this fails."""
    folder, name = os.path.split(path)
    # Cut, as a name of 255 bytes leaves no room; a character may be 4 of them.
    temporary = os.path.join(folder, ".%s.%d.tmp" % (name[:50], os.getpid()))
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
    try:
        try:
            write_all(fd, data)
            if sync:
                os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(temporary, path)
    except OSError:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise


def which(program, folders):
    """The first of these folders' programs of that name, None where there is none; shutil.which's, without its memory."""
    for folder in folders:
        path = os.path.join(folder, program)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def read_file(path, limit=16 << 20):
    """The bytes of a regular file of at most `limit` bytes; OSError otherwise."""
    return read_some(path, limit, limit)


def read_some(path, limit, largest=None):
    """The first bytes of a regular file, at most `limit`; OSError otherwise, or where it is larger than `largest`."""
    # O_NONBLOCK: opening a pipe somebody put there must not hang.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or (largest is not None and found.st_size > largest):
            raise OSError(errno.EINVAL, "not a regular file of a readable size", path)
        parts, left = [], limit
        while left > 0:
            part = os.read(fd, min(left, 1 << 20))  # /proc gives some files in pieces
            if not part:
                break
            parts.append(part)
            left -= len(part)
        return b"".join(parts)
    finally:
        os.close(fd)


class AppendFile(object):
    """A file that grows by whole records, also when the disk fills in the middle of one.

    What the disk did not take of a batch that was begun is kept and written
    first when there is room again, so the file never holds a broken record
    followed by another.
    """

    def __init__(self, path):
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        self.size = os.fstat(self._fd).st_size
        self._tail = b""
        self.error = None

    @property
    def unwritten(self):
        """Bytes accepted but not yet in the file."""
        return len(self._tail)

    def append(self, data):
        """Write `data`; False when nothing of it was taken (see `error`)."""
        if self._tail:
            self._tail = self._tail[self._write(self._tail):]
            if self._tail:
                return False
        done = self._write(data)
        if done == 0 and data:
            return False
        self._tail = bytes(data[done:])
        return True

    def _write(self, data):
        view = memoryview(data)
        done = 0
        self.error = None
        try:
            while done < len(data):
                done += os.write(self._fd, view[done:])
        except OSError as error:
            self.error = error
        self.size += done
        return done

    def close(self):
        """Close it once the disk itself has it all: run.json must not tell of an end whose records a power cut can take."""
        if self._fd >= 0:
            try:
                os.fdatasync(self._fd)
            except OSError as error:
                self.error = error
            os.close(self._fd)
            self._fd = -1
