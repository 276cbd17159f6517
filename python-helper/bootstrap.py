"""Puts the helper on a board, checks it there, and lets it go on from here. Passed through `python -c`.

Arguments: the board folder and the helper's digest. Output: one JSON line, see
docs/board-protocol.md. Where the helper is missing, the input brings it: a
line with the size of a tar, packed with gzip or not, and as many bytes; then
the line is written once more. Once the helper is in place its commands are
read from the input, in this process. Valid Python 2.7 to 3.15: an interpreter
too old for the helper gets as far as saying which one it is.

What is on the board is not believed: a helper counts as installed when its
files, and no others, are there as they were sent, and nobody but this user
and root can change them.

This is what somebody waits for who clicked, so it imports only what Python has
loaded already, and the rest where a helper has to be installed.
"""
import errno
import os
import stat
import sys
import time

LARGEST_ARCHIVE = 64 << 20
VERSIONS_KEPT = 3
UNPACKING_S = 3600
LARGEST_FILE = 16 << 20
MOST_ENTRIES = 10000
MOST_LINKS = 40
MOST_NAMED = 5
MOST_TRIES = 3
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
#: Beside the files, with a kind of interpreter behind it: what that one's bytecode was when it was made.
NOTE = b".compiled-"
#: What lies in the root; no other user may be able to put anything there.
PARTS = (b"helper", b"runs", b"projects", b"staging", b"kept")
FOLDER_SETTING = "the setting jetsonMemprof.boardFolder (in a terminal: --board-folder)."
ANOTHER_FOLDER = "Choose another folder on the board in " + FOLDER_SETTING


class Refused(Exception):
    def __init__(self, code, message, hint):
        Exception.__init__(self, message)
        self.reply = {"error": {"code": code, "message": message, "hint": hint}}


def shown(path):
    return path.decode("utf-8", "replace") if isinstance(path, bytes) else \
        os.fsencode(path).decode("utf-8", "replace")


def read_order(arguments):
    """(the board folder, absolute, the helper's digest) of the command line. Paths are bytes, as an interpreter without a locale takes only ASCII text for one."""
    root, digest = [one if isinstance(one, bytes) else os.fsencode(one) for one in (arguments + ["", ""])[:2]]
    home = os.environ.get("HOME")
    if home == "":
        del os.environ["HOME"]  # it would mean the root of the file system
    root = os.path.expanduser(root)
    if home == "":
        os.environ["HOME"] = home  # the script finds it as it was
    if root.startswith(b"~"):
        raise Refused("no-home", "The board does not say where the home folder is that %s stands in: HOME is not set, "
                      "and the account (uid %d) is not listed." % (shown(root), os.getuid()),
                      "Name a folder from the root on, as /data/jetson-memprof, in " + FOLDER_SETTING)
    if not os.path.isabs(root) or not is_digest(digest):
        raise not_understood()
    return os.path.normpath(root), digest.decode("ascii")


def read_archive(stream):
    """The archive that the input brings; None where it ends instead."""
    line = stream.readline(1 << 10)
    if not line:
        return None
    size = line.strip()
    if not line.endswith(b"\n") or not size.isdigit() or not 0 <= int(size) <= LARGEST_ARCHIVE:
        raise not_understood()
    archive = stream.read(int(size))
    if len(archive) != int(size):
        raise Refused("interrupted", "The connection ended while the helper was being sent.", "Try again.")
    return archive


def is_digest(name):
    return len(name) == 64 and not name.strip(b"0123456789abcdef")


def not_understood():
    return Refused("bad-request", "The board did not understand the request to install the helper.",
                   "Update the extension, then try again.")


def sha256(data):
    try:
        from _hashlib import openssl_sha256 as begin  # without the rest of hashlib
    except ImportError:
        from hashlib import sha256 as begin
    return begin(data).hexdigest()


def as_json(value):
    """As json.dumps, which takes longer to load than all the rest of this program."""
    if sys.version_info >= (3, 6):
        try:
            from _json import encode_basestring_ascii, make_encoder
            return "".join(make_encoder(None, None, encode_basestring_ascii, None, ": ", ", ", False, False, True)(value, 0))
        except ImportError:
            pass
    import json
    return json.dumps(value)


def refuse_open_place(path):
    """Refuse a place that another user owns or can change; what is not there yet is nobody's.

    Every folder and link on the way is looked at: who can rename one of them
    puts another in its place.
    """
    mine = roots() + (os.geteuid(),)
    done, rest, links = b"/", path.split(b"/"), 0
    while rest:
        part = rest.pop(0)
        if part in (b"", b"."):
            continue
        if part == b"..":
            done = os.path.dirname(done)
            continue
        here = os.path.join(done, part)
        try:
            found = os.lstat(here)
        except OSError as error:
            if error.errno == errno.ENOENT:
                return
            raise
        if found.st_uid not in mine:
            raise Refused("not-your-folder", "%s on the board belongs to another user (%s), who could change what is run "
                          "from %s." % (shown(here), user_name(found.st_uid), shown(path)), ANOTHER_FOLDER)
        if stat.S_ISLNK(found.st_mode):
            links += 1
            if links > MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            target = os.readlink(here)
            rest = target.split(b"/") + rest
            done = b"/" if target.startswith(b"/") else done
            continue
        done = here
        # In a folder like /tmp nobody can rename what is another's; ours must not be one.
        if others_write(found) and not (any(rest) and found.st_mode & stat.S_ISVTX):
            raise Refused("open-folder", "Other users of the board can write to %s, and so change what is run from %s."
                          % (shown(here), shown(path)),
                          "Take that right away on the board (%schmod go-w %s), or let nobody there touch what is another's "
                          "(chmod +t), or choose another folder in %s"
                          % ("" if found.st_uid == os.geteuid() else "sudo ", shown(here), FOLDER_SETTING))


def roots():
    """The user ids that root may have here; in a container of an ordinary user's the machine's root is among the unknown."""
    try:
        with open("/proc/self/uid_map") as mapped, open("/proc/sys/kernel/overflowuid") as unknown:
            if not any(int(line.split()[1]) == 0 for line in mapped):
                return (0, int(unknown.read()))
    except (EnvironmentError, ValueError, IndexError):
        pass
    return (0,)


def others_write(found):
    """Whether others may write; a group of which the user is the only member is nobody else."""
    if found.st_mode & stat.S_IWOTH:
        return True
    if not found.st_mode & stat.S_IWGRP or found.st_gid == 0:
        return False
    import grp
    try:
        group = grp.getgrgid(found.st_gid)
    except KeyError:
        return True
    user = user_name(os.geteuid())
    return group.gr_name != user or bool(set(group.gr_mem) - set([user]))


def user_name(uid):
    import pwd
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return "uid %d" % uid


class Differs(Exception):
    """Something below a helper's folder was never sent, or others can change it; the text is its path."""


class Contents(object):
    """What lies in a helper's folder; raises Differs, or EnvironmentError where it cannot be read.

    `files` is {path: SHA-256} without bytecode, `bytecode` {kind of interpreter: {path: SHA-256}}, `notes` what was
    written down of that when it was made.
    """

    def __init__(self, place):
        self.place = place
        self._entries = 0
        self.files, self.bytecode, self.notes = {}, {}, {}
        self._check(place, os.lstat(place), stat.S_ISDIR)
        self._walk(b"")

    def _walk(self, below):
        for name in os.listdir(os.path.join(self.place, below)):
            self._entries += 1
            path = os.path.join(below, name)
            if self._entries > MOST_ENTRIES:
                raise Differs(shown(path))
            try:
                found = os.lstat(os.path.join(self.place, path))
                if stat.S_ISDIR(found.st_mode):
                    self._check(path, found, stat.S_ISDIR)
                    self._walk(path)
                else:
                    self._add(path, self._read(path))
            except EnvironmentError as error:
                if error.errno != errno.ENOENT:  # gone meanwhile, as what Python writes beside its bytecode
                    raise

    def _add(self, path, data):
        kind = bytecode_kind(path)
        if path.startswith(NOTE) and path != NOTE and b"/" not in path:
            self.notes[path[len(NOTE):]] = data
        elif kind:
            self.bytecode.setdefault(kind, {})[path] = sha256(data)
        else:
            self.files[path] = sha256(data)

    def _read(self, path):
        fd = os.open(os.path.join(self.place, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(fd, "rb") as file:
            self._check(path, os.fstat(fd), stat.S_ISREG)
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise Differs(shown(path))
        return data

    @staticmethod
    def _check(path, found, is_kind):
        if not is_kind(found.st_mode) or found.st_uid not in (0, os.geteuid()) or found.st_mode & OTHERS_WRITE:
            raise Differs(shown(path))


def bytecode_kind(path):
    """The kind of interpreter that a file is bytecode for, as cpython-36 or cpython-36.opt-1; None where it is none."""
    folder, _, name = path.rpartition(b"/")
    parts = name.split(b".")
    if parts[-1].isdigit():  # while it is written
        parts.pop()
    if folder.rpartition(b"/")[2] != b"__pycache__" or len(parts) < 3 or parts[-1] != b"pyc" or not all(parts[-3:]):
        return None
    optimised = len(parts) > 3 and parts[-2].startswith(b"opt-") and parts[-2] != b"opt-"
    return b".".join(parts[-3 if optimised else -2:-1])


def digest_of(files):
    """The digest of {path: SHA-256}: that of what sha256sum prints of the files in the order of their paths."""
    lines = [files[path].encode("ascii") + b"  " + path + b"\n" for path in sorted(files)]
    return sha256(b"".join(lines))


def contents(place):
    """(what lies there, None) or (None, why it cannot be a helper's in words); (None, None) where nothing is."""
    try:
        return Contents(place), None
    except Differs as difference:
        return None, str(difference)
    except EnvironmentError as error:
        return None, (error.strerror if os.path.lexists(place) else None)


class Turn(object):
    """One bootstrap at a time, where the file system can see to that."""

    def __init__(self, folder):
        self._folder = folder

    def __enter__(self):
        self._fd = os.open(self._folder, os.O_RDONLY)
        try:
            import fcntl
            fcntl.flock(self._fd, fcntl.LOCK_EX)
        except (ImportError, EnvironmentError):
            pass

    def __exit__(self, *_):
        os.close(self._fd)


def settle(archive, digest, place):
    """(whether the helper is there as it was sent, what had to be replaced for that in words)."""
    found, difference = installed(place, digest), None
    if archive is not None and found is None:
        difference = install(archive, digest, place)
        quietly(tidy, os.path.dirname(place))
        found = installed(place, digest)
    if found is None:
        return False, difference
    if settle_bytecode(found):
        difference = difference or "its bytecode"
    quietly(os.utime, place, None)  # its last use, for tidy
    return True, difference


def installed(place, digest):
    """The Contents of a helper that is there as it was sent, else None."""
    found, _ = contents(place)
    return found if found is not None and digest_of(found.files) == digest else None


def settle_bytecode(found):
    """Leave only bytecode of which it was noted what it was when it was made here; True where noted bytecode had changed.

    Bytecode makes the commands start fast and stay small. Python believes what it says of its own source.
    """
    changed = False
    for kind in set(found.bytecode) | set(found.notes):
        files = found.bytecode.get(kind, {})
        if found.notes.get(kind) != digest_of(files).encode("ascii"):
            changed = changed or kind in found.notes
            # The note goes first: without it nothing is believed.
            for path in [NOTE + kind] * (kind in found.notes) + sorted(files):
                remove_file(os.path.join(found.place, path))
            found.bytecode.pop(kind, None)
    own = sys.implementation.cache_tag.encode("ascii")
    if own not in found.bytecode:
        quietly(compile_here, found.place, own)
    return changed


def remove_file(path):
    try:
        os.unlink(path)
    except OSError as error:
        if error.errno != errno.ENOENT:  # another bootstrap was first
            raise


def compile_here(place, kind):
    """Bytecode for this interpreter, and a note of what it was."""
    import compileall
    for part in (b"jetson_memprof", b"boot"):
        if os.path.isdir(os.path.join(place, part)):
            compileall.compile_dir(os.fsdecode(os.path.join(place, part)), quiet=2)
    compileall.compile_file(os.fsdecode(os.path.join(place, b"board.py")), quiet=2)
    made = Contents(place).bytecode.get(kind)
    if made:
        with open(os.path.join(place, NOTE + kind), "wb") as note:
            note.write(digest_of(made).encode("ascii"))


def free_bytes(path):
    """Bytes a user may still write below the path; the nearest existing folder counts."""
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


def make_folder(path):
    """With those above it; `main` sees to it that only this user may enter them."""
    try:
        os.makedirs(path, 0o700)
    except OSError as error:
        if error.errno != errno.EEXIST or not os.path.isdir(path):
            raise


def inflated(archive):
    """The tar in an archive that may be packed with gzip."""
    if not archive.startswith(b"\x1f\x8b"):
        return archive
    import zlib
    try:
        return zlib.decompressobj(31).decompress(archive, LARGEST_ARCHIVE)
    except zlib.error as error:
        raise ValueError(str(error))


def unpack(archive, folder):
    """Write the archive's files below the folder; only plain files and folders inside it."""
    import io
    import shutil
    import tarfile
    with tarfile.open(fileobj=io.BytesIO(inflated(archive)), mode="r:") as tar:
        for member in tar:
            name = member.name if isinstance(member.name, bytes) else member.name.encode("utf-8", "surrogateescape")
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
    """Put the archive's files at the place; what of a helper that was there before differed, in words, or None."""
    import shutil
    import tarfile
    import tempfile
    parent = os.path.dirname(place)
    temporary = os.fsencode(tempfile.mkdtemp(prefix=".unpack-", dir=os.fsdecode(parent)))
    try:
        try:
            unpack(archive, temporary)
        except (tarfile.TarError, ValueError) as error:  # ValueError: a name that is none
            raise Refused("bad-archive", "The helper's archive could not be read on the board: %s." % error,
                          "Install the extension again.")
        if installed(temporary, digest) is None:
            raise Refused("damaged", "The helper arrived on the board damaged.", "Try again.")
        difference = difference_of(place, temporary)
        put_in_place(temporary, place, digest)
        return difference
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def difference_of(place, good):
    before, wrong = contents(place)
    if before is None:
        return wrong
    after = Contents(good).files
    names = sorted(path for path in set(before.files) | set(after) if before.files.get(path) != after.get(path))
    more = ["and %d more" % (len(names) - MOST_NAMED)] * (len(names) > MOST_NAMED)
    return ", ".join([shown(name) for name in names[:MOST_NAMED]] + more) or None


def put_in_place(new, place, digest):
    """Rename; whoever comes second finds it done. What is there and damaged makes way, in one step for who runs from it."""
    import shutil
    import tempfile
    for _ in range(MOST_TRIES):
        try:
            os.rename(new, place)
            return
        except OSError as error:
            if installed(place, digest):
                return
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
        doomed = os.fsencode(tempfile.mkdtemp(prefix=".unpack-", dir=os.fsdecode(os.path.dirname(place))))
        os.rename(place, os.path.join(doomed, b"old"))
        shutil.rmtree(doomed, ignore_errors=True)
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


def tidy(parent):
    """Remove helpers of other versions, but the newest used few and those at work, and what broken unpacks left."""
    import shutil
    versions = []
    for name in os.listdir(parent):
        path = os.path.join(parent, name)
        used = os.lstat(path).st_mtime
        if is_digest(name):
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
    import re
    found = set()
    for pid in os.listdir("/proc"):
        for name in ("cmdline", "environ") if pid.isdigit() else ():
            try:
                with open("/proc/%s/%s" % (pid, name), "rb") as file:
                    found.update(re.findall(br"/helper/([0-9a-f]{64})/", file.read()))
            except EnvironmentError:
                pass  # ended meanwhile, or another user's
    return found


def look(root, digest, archive):
    """(the helper's folder or None, what of it was replaced in words or None)."""
    place = os.path.join(root, b"helper", digest.encode("ascii"))
    try:
        for part in PARTS:
            refuse_open_place(os.path.join(root, part))
        parent = os.path.dirname(place)
        if archive is not None:
            make_folder(parent)
            refuse_open_place(parent)
        if not os.path.isdir(parent):
            return None, None
        with Turn(parent):
            ready, difference = settle(archive, digest, place)
        return place if ready else None, difference
    except Differs as changing:
        raise Refused("damaged", "The helper in %s on the board changed while it was looked at: %s."
                      % (shown(place), changing), "Try again.")
    except EnvironmentError as error:
        raise not_written(root, error)


def answer(root, helper, difference):
    machine = os.uname()
    return {
        "python": {"executable": shown(sys.executable), "version": list(sys.version_info[:3]),
                   "implementation": implementation()},
        "machine": machine[4], "system": machine[0],
        "root": shown(root), "helper": None if helper is None else shown(helper), "replaced": difference,
        "gzip": has_zlib(), "free": free_bytes(root),
    }


def implementation():
    if hasattr(sys, "implementation"):
        return sys.implementation.name
    import platform
    return platform.python_implementation().lower()


def not_written(root, error):
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return Refused(
        "no-space" if full else "cannot-install",
        "The helper could not be written to %s on the board: %s." % (shown(root), error.strerror),
        "Free some space on the board's disk, then try again." if full else
        "Check that you may write to this folder on the board, or choose another one in " + FOLDER_SETTING)


def has_zlib():
    try:
        import zlib
    except ImportError:
        zlib = None
    return zlib is not None


def quietly(work, *arguments):
    """Do what may fail, as on a full disk, without harm to the answer."""
    try:
        work(*arguments)
    except EnvironmentError:
        pass


def say(reply):
    sys.stdout.write(as_json(reply) + "\n")
    sys.stdout.flush()


def prepare(arguments, stream):
    """The folder of the helper that is in place when this returns; None where there is none."""
    root, digest = read_order(arguments)
    if sys.version_info < (3, 6) or implementation() != "cpython" or os.uname()[0] != "Linux":
        say(answer(root, None, None))
        return None
    helper, difference = look(root, digest, None)
    say(answer(root, helper, difference))
    if helper is None:
        archive = read_archive(stream)
        if archive is not None:
            helper, difference = look(root, digest, archive)
            say(answer(root, helper, difference))
    return helper


def main():
    umask = os.umask(0o077)
    stream = getattr(sys.stdin, "buffer", sys.stdin)
    try:
        helper = prepare(sys.argv[1:], stream)
    except Refused as error:
        say(error.reply)
        return 1
    os.umask(umask)
    if helper is None:
        return 0
    sys.path.insert(0, os.fsdecode(helper))
    from board import serve
    return serve(stream)


if __name__ == "__main__":
    sys.exit(main())
