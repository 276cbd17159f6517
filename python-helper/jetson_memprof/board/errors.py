"""Errors that a person reads: what happened and where, and what to do next."""
import errno

_BY_ERRNO = {
    errno.ENOSPC: ("no-space", "Free some space on the board's disk, then try again."),
    errno.EDQUOT: ("no-space", "Free some space in your disk quota on the board, then try again."),
    errno.EROFS: ("read-only", "The board's file system is mounted read-only; mount it writable, or choose another folder in "
                 "the setting jetsonMemprof.boardFolder (in a terminal: --board-folder)."),
    errno.EACCES: ("no-permission", "Check who owns this file or folder on the board and its permissions."),
    errno.EPERM: ("no-permission", "Check who owns this file or folder on the board and its permissions."),
    errno.ENAMETOOLONG: ("name-too-long", "Shorten the name of this file or of the folders above it."),
    errno.EMFILE: ("too-many-files", "Close programs on the board that hold many files open, then try again."),
    errno.ENOMEM: ("no-memory", "End other programs on the board, then try again."),
    errno.EAGAIN: ("no-processes", "End other programs on the board, then try again."),
}


class BoardError(Exception):
    """A failure with a code for programs, a message and a hint for people."""

    def __init__(self, code, message, hint):
        Exception.__init__(self, message)
        self.code = code
        self.message = message
        self.hint = hint

    def as_reply(self):
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


def log_fault():
    """Write the traceback of the exception at hand to standard error; a log that cannot be written is no second fault."""
    import traceback
    try:
        traceback.print_exc()
    except (OSError, ValueError):
        pass


def incomplete_python(module):
    """A module of Python's own library that the interpreter was built or installed without."""
    import sys
    return BoardError(
        "python-incomplete", "The Python used on the board, %s (%d.%d.%d), has no module %s, which the profiler needs there."
        % ((sys.executable,) + tuple(sys.version_info[:3]) + (module,)),
        "Install the whole of Python (sudo apt install python3), or name another one in the setting jetsonMemprof.python "
        "(in a terminal: --python).")


def is_full(error):
    """Whether an OSError says that the disk or the quota is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def from_os_error(error, doing):
    """Turn an OSError into a BoardError; `doing` names the work, e.g. 'Writing a.py'."""
    code, hint = _BY_ERRNO.get(
        error.errno, ("system", "Check this file or folder on the board, then try again."))
    reason = error.strerror or str(error)
    where = error.filename
    if isinstance(where, bytes):
        where = where.decode("utf-8", "replace")
    if where and str(where) not in doing:
        reason += " (%s)" % (where,)
    return BoardError(code, "%s failed: %s." % (doing, reason), hint)
