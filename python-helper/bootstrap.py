"""Puts the helper on a board. Passed through `python -c`; valid Python 2.7 to 3.13.

Input: one JSON line {"root", "digest", "archive_size"} and, when archive_size
is a number, that many bytes of tar. Output: one JSON line, see
docs/board-protocol.md. An interpreter too old for the helper gets as far as
saying which one it is.
"""
import errno
import hashlib
import io
import json
import os
import platform
import re
import shutil
import sys
import tarfile
import tempfile
import time

LARGEST_ARCHIVE = 64 << 20
VERSIONS_KEPT = 3
UNPACKING_S = 3600


class Refused(Exception):
    def __init__(self, code, message, hint):
        Exception.__init__(self, message)
        self.reply = {"error": {"code": code, "message": message, "hint": hint}}


def shown(path):
    return path.decode("utf-8", "replace") if isinstance(path, bytes) else \
        os.fsencode(path).decode("utf-8", "replace")


def read_request(stream):
    line = stream.readline(1 << 16)
    try:
        request = json.loads(line.decode("utf-8"))
        root, digest, size = request["root"], request["digest"], request.get("archive_size")
        valid = (re.match(r"[0-9a-f]{64}\Z", digest) and "\0" not in root
                 and (size is None or 0 <= int(size) <= LARGEST_ARCHIVE))
        # Bytes, as an interpreter without a locale takes only ASCII text for a path.
        root = os.path.expanduser(root.encode("utf-8"))
    except (ValueError, KeyError, TypeError, AttributeError):
        valid = False
    if not valid or not os.path.isabs(root):
        raise Refused("bad-request", "The board did not understand the request to install the helper.",
                      "Update the extension, then try again.")
    return os.path.normpath(root), digest, size


def free_bytes(path):
    """Bytes a user may still write below the path; the nearest existing folder counts."""
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


def make_folder(path):
    try:
        os.makedirs(path, 0o700)
    except OSError as error:
        if error.errno != errno.EEXIST or not os.path.isdir(path):
            raise


def unpack(archive, folder):
    """Write the archive's files below the folder; only plain files and folders inside it."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
        for member in tar:
            name = member.name if isinstance(member.name, bytes) else member.name.encode("utf-8", "replace")
            parts = [part for part in name.split(b"/") if part not in (b"", b".")]
            if name.startswith(b"/") or b".." in parts or not (member.isfile() or member.isdir()):
                raise Refused("bad-archive", "The helper's archive holds an entry that is not allowed: %s."
                              % shown(name), "Install the extension again.")
            if not parts:
                continue
            target = os.path.join(folder, *parts)
            make_folder(target if member.isdir() else os.path.dirname(target))
            if member.isfile():
                source = tar.extractfile(member)
                with open(target, "wb") as out:
                    shutil.copyfileobj(source, out)
                os.chmod(target, 0o755 if member.mode & 0o100 else 0o644)


def install(archive, digest, place):
    """Unpack beside the place and rename; whoever comes second finds it done."""
    if hashlib.sha256(archive).hexdigest() != digest:
        raise Refused("damaged", "The helper arrived on the board damaged.", "Try again.")
    parent = os.path.dirname(place)
    make_folder(parent)
    temporary = os.fsencode(tempfile.mkdtemp(prefix=".unpack-", dir=os.fsdecode(parent)))
    try:
        try:
            unpack(archive, temporary)
        except tarfile.TarError as error:
            raise Refused("bad-archive", "The helper's archive could not be read on the board: %s." % error,
                          "Install the extension again.")
        compile_once(temporary)
        try:
            os.rename(temporary, place)
        except OSError:
            if not installed(place):
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def compile_once(place):
    """Bytecode for this interpreter, so that the commands start fast and stay small."""
    import compileall
    tag = sys.implementation.cache_tag.encode("ascii")
    mark = os.path.join(place, b".compiled-" + tag)
    if not os.path.exists(mark):
        for part in (b"jetson_memprof", b"boot"):
            if os.path.isdir(os.path.join(place, part)):
                compileall.compile_dir(os.fsdecode(os.path.join(place, part)), quiet=2)
        open(mark, "wb").close()


def tidy(parent):
    """Remove helpers of other versions, but the newest used few and those at work, and what broken unpacks left."""
    versions = []
    for name in os.listdir(parent):
        path = os.path.join(parent, name)
        used = os.lstat(path).st_mtime
        if re.match(br"[0-9a-f]{64}\Z", name):
            versions.append((used, path))
        elif name.startswith(b".unpack-") and time.time() - used > UNPACKING_S:
            shutil.rmtree(path, ignore_errors=True)
    surplus = [path for _, path in sorted(versions, reverse=True)[VERSIONS_KEPT:]]
    at_work = helpers_at_work() if surplus else ()
    for path in surplus:
        if os.path.basename(path) not in at_work:
            # Renamed first: half a helper must not look installed.
            doomed = os.path.join(parent, b".unpack-" + os.path.basename(path))
            os.rename(path, doomed)
            shutil.rmtree(doomed, ignore_errors=True)


def helpers_at_work():
    """The digests of the helpers that any process of this user runs from, or has in its environment."""
    found = set()
    for pid in os.listdir("/proc"):
        for name in ("cmdline", "environ") if pid.isdigit() else ():
            try:
                with open("/proc/%s/%s" % (pid, name), "rb") as file:
                    found.update(re.findall(br"/helper/([0-9a-f]{64})/", file.read()))
            except EnvironmentError:
                pass  # ended meanwhile, or another user's
    return found


def installed(place):
    return os.path.isfile(os.path.join(place, b"board.py"))


def answer(stream):
    root, digest, size = read_request(stream)
    implementation = platform.python_implementation().lower()
    helper = None
    if sys.version_info >= (3, 6) and implementation == "cpython" and platform.system() == "Linux":
        place = os.path.join(root, b"helper", digest.encode("ascii"))
        try:
            # Read in any case: whoever sends it must not find the pipe closed.
            archive = stream.read(size) if size is not None else None
            if archive is not None and len(archive) != size:
                raise Refused("interrupted", "The connection ended while the helper was being sent.", "Try again.")
            if archive is not None and not installed(place):
                install(archive, digest, place)
                quietly(tidy, os.path.dirname(place))
            if installed(place):
                helper = shown(place)
                quietly(os.utime, place, None)  # its last use, for tidy
                quietly(compile_once, place)  # for another interpreter than the one that installed
        except EnvironmentError as error:
            raise Refused(
                "no-space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "cannot-install",
                "The helper could not be written to %s on the board: %s." % (shown(root), error.strerror),
                "Free some space on the board's disk, then try again."
                if error.errno in (errno.ENOSPC, errno.EDQUOT)
                else "Check that you may write to this folder on the board, or choose another one.")
    return {
        "python": {"executable": shown(sys.executable), "version": list(sys.version_info[:3]),
                   "implementation": implementation},
        "machine": platform.machine(), "system": platform.system(),
        "root": shown(root), "helper": helper, "free": free_bytes(root),
    }


def quietly(work, *arguments):
    """Do what may fail, as on a full disk, without harm to the answer."""
    try:
        work(*arguments)
    except EnvironmentError:
        pass


def main():
    stream = getattr(sys.stdin, "buffer", sys.stdin)
    try:
        reply, status = answer(stream), 0
    except Refused as error:
        reply, status = error.reply, 1
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()
    return status


if __name__ == "__main__":
    sys.exit(main())
