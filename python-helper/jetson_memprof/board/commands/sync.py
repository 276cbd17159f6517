"""Bringing a project's files to the board: what differs, and writing it.

Everything sent is first staged and checked; only when all of it is there is it
moved into place, so a broken connection changes nothing. Syncs take turns only
where they compare and move, never while something is sent: a connection of
which nobody here was told that it is gone must not hold up the next one. What
a person made or changed on the board is never deleted: it stays, or is moved
to `kept/`.
"""
import os
import stat
import time

from ... import lean_json
from .. import names
from ..errors import BoardError, from_os_error
from ..files import make_folders, read_file, replace_file, take_lock, write_all
from .tree import Tree

_LOCK_WAIT_S = 60
_BLOCK = 1 << 18


class _Project(object):
    """Where a project's things lie below the root, and the turn-taking lock."""

    def __init__(self, root, slug):
        self.slug = slug
        self.folder = os.path.join(root, "projects", slug)
        self.memory_path = os.path.join(root, "projects", slug + ".sync.json")
        self.staging = os.path.join(root, "staging", slug)
        self.kept = os.path.join(root, "kept", slug)
        make_folders(os.path.dirname(self.folder))
        make_folders(self.staging)
        self._lock = None

    def __enter__(self):
        until = time.monotonic() + _LOCK_WAIT_S
        self._lock = take_lock(os.path.join(self.staging, "lock"))
        while self._lock is None:
            if time.monotonic() > until:
                raise BoardError(
                    "busy", "Another synchronisation of %s on the board has not ended in %d s."
                    % (self.slug, _LOCK_WAIT_S), "Wait for it or cancel it, then try again.")
            time.sleep(0.05)
            self._lock = take_lock(os.path.join(self.staging, "lock"))
        return self

    def __exit__(self, *_):
        os.close(self._lock)

    def load(self):
        """What was sent: {'files': {path: [size, mtime_ms, sha256]}, 'folders': set of those made}."""
        try:
            value = lean_json.loads(read_file(self.memory_path, 256 << 20).decode("utf-8"))
            files = {}
            for path, entry in value["files"].items():
                size, mtime, digest = entry
                if isinstance(size, int) and isinstance(mtime, int) and isinstance(digest, str):
                    files[names.relative_path(path)] = [size, mtime, digest]
            folders = {names.relative_path(path) for path in value["folders"]}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, BoardError):
            # Without the memory every file counts as the user's own: nothing is lost.
            return {"files": {}, "folders": set()}
        return {"files": files, "folders": folders}

    def save(self, memory):
        value = {"schema": 1, "files": memory["files"], "folders": sorted(memory["folders"])}
        replace_file(self.memory_path, lean_json.dumps(value).encode("ascii"))


def _mtime_ms(found):
    return found.st_mtime_ns // 1000000


def _sha256(tree, path):
    """The digest of a file on the board; None where it cannot be read."""
    from hashlib import sha256
    try:
        fd = tree.open_file(path)
    except (OSError, BoardError):
        return None
    try:
        digest = sha256()
        while True:
            part = os.read(fd, _BLOCK)
            if not part:
                return digest.hexdigest()
            digest.update(part)
    except OSError:
        return None
    finally:
        os.close(fd)


def plan(request):
    """The `sync-plan` command: what of the host's list the board lacks or may lack."""
    project = _Project(names.root_folder(request), names.project(request))
    send, to_hash, seen = [], [], set()
    try:
        with project, Tree(project.folder) as tree:
            memory = project.load()
            for entry in names.field(request, "files", list):
                if not isinstance(entry, list) or len(entry) != 4:
                    raise names.refuse("files", entry)
                path = names.relative_path(entry[0])
                size = names.whole_number(entry[1], "size of a file")
                mtime = names.whole_number(entry[2], "time of a file", low=-2 ** 53)
                seen.add(path)
                found = tree.stat(path)
                if (found is None or not stat.S_ISREG(found.st_mode) or found.st_size != size
                        or bool(found.st_mode & 0o100) != bool(entry[3])):
                    send.append(path)
                elif _mtime_ms(found) != mtime:
                    digest = _sha256(tree, path)
                    if digest is None:
                        send.append(path)
                    else:
                        to_hash.append([path, digest])
            gone = sum(1 for path in memory["files"] if path not in seen)
    except OSError as error:
        raise from_os_error(error, "Comparing the files of %s on the board" % project.slug)
    return {"folder": names.portable(project.folder), "send": send, "hash": to_hash, "gone": gone,
            "first": not memory["files"]}


def apply(request, stream):
    """The `sync-apply` command; `stream` is the binary input after the request's line."""
    project = _Project(names.root_folder(request), names.project(request))
    count = names.whole_number(names.field(request, "files", (int, float)), "files", high=10 ** 7)
    present = names.field(request, "present", list, required=False)
    if present is not None:
        present = {names.relative_path(path) for path in present}
    touch = []
    for entry in names.field(request, "touch", list, default=[], required=False):
        if not isinstance(entry, list) or len(entry) != 2:
            raise names.refuse("touch", entry)
        touch.append((names.relative_path(entry[0]),
                      names.whole_number(entry[1], "time of a file", low=-2 ** 53)))
    try:
        with _Staging(project) as staging:
            staged = [_stage(stream, os.path.join(staging, "part-%d" % number)) for number in range(count)]
            with project, Tree(project.folder) as tree:
                return _Commit(project, tree).run(staged, touch, present)
    except OSError as error:
        raise from_os_error(error, "Writing the files of %s on the board" % project.slug)


class _Staging(object):
    """A folder for what is sent to this process; its lock tells the others that it is in use."""

    _PREFIX = "sync-"

    def __init__(self, project):
        self._project = project
        self._path = os.path.join(project.staging, "%s%d" % (self._PREFIX, os.getpid()))
        self._lock = None

    def __enter__(self):
        with self._project:
            self._remove_abandoned()
            os.mkdir(self._path, 0o700)
            self._lock = take_lock(os.path.join(self._path, "lock"))
        return self._path

    def __exit__(self, *_):
        try:
            with self._project:
                _remove(self._path)
        except (OSError, BoardError):
            pass  # the next sync finds it abandoned
        finally:
            os.close(self._lock)

    def _remove_abandoned(self):
        for name in os.listdir(self._project.staging):
            path = os.path.join(self._project.staging, name)
            if name.startswith("part-"):  # of a version before this one, which kept the turn while it staged
                os.unlink(path)
            elif name.startswith(self._PREFIX):
                lock = take_lock(os.path.join(path, "lock"))
                if lock is not None:
                    _remove(path)
                    os.close(lock)


def _remove(folder):
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    os.rmdir(folder)


def _stage(stream, where):
    """Read one file frame into `where`; {path, size, mtime_ms, executable, sha256, staged}."""
    from hashlib import sha256
    line = stream.readline(1 << 20)
    try:
        frame = lean_json.loads(line.decode("utf-8"))
        path = names.relative_path(frame["path"])
        size = names.whole_number(frame["size"], "size of a file")
        mtime = names.whole_number(frame["mtime_ms"], "time of a file", low=-2 ** 53)
        executable = bool(frame["executable"])
        expected = names.field(frame, "sha256", str)
    except (ValueError, KeyError, TypeError, RecursionError):
        if not line.endswith(b"\n"):
            raise _interrupted()
        raise names.refuse("file frame", line[:200])
    digest = sha256()
    fd = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755 if executable else 0o644)
    try:
        left = size
        while left:
            part = stream.read(min(left, _BLOCK))
            if not part:
                raise _interrupted()
            digest.update(part)
            left -= len(part)
            try:
                write_all(fd, part)
            except OSError as error:
                raise from_os_error(error, "Writing %s on the board" % path)
        os.utime(fd, ns=(mtime * 1000000, mtime * 1000000))
    finally:
        os.close(fd)
    if digest.hexdigest() != expected:
        raise BoardError("damaged", "%s arrived on the board with other contents than were sent; "
                         "the project there is as it was." % path, "Save the file and try again.")
    return {"path": path, "size": size, "mtime_ms": mtime, "sha256": expected, "staged": where}


def _interrupted():
    return BoardError("interrupted", "The connection ended while files were being sent; "
                      "the project on the board is as it was.", "Try again.")


class _Commit(object):
    """Moves what was staged into place and takes away what the host no longer has."""

    def __init__(self, project, tree):
        self._project = project
        self._tree = tree
        self._memory = project.load()
        self._kept = []
        self._removed = []

    def run(self, staged, touch, present):
        # Refuse before the first change where a symlink leads out.
        for entry in staged:
            try:
                os.close(self._tree.parent(entry["path"])[0])
            except (FileNotFoundError, NotADirectoryError):
                pass
        try:
            if present is not None:
                self._remove_gone(present)
            for path, mtime in touch:
                self._touch(path, mtime)
            for entry in staged:
                self._place(entry)
        finally:
            self._project.save(self._memory)
        return {"written": len(staged), "removed": sorted(self._removed), "kept": self._kept}

    def _unchanged(self, path):
        """Whether the board's file is the one that was sent."""
        found = self._tree.stat(path)
        sent = self._memory["files"].get(path)
        if not sent or found is None or not stat.S_ISREG(found.st_mode) or found.st_size != sent[0]:
            return False
        return _mtime_ms(found) == sent[1] or _sha256(self._tree, path) == sent[2]

    def _remove_gone(self, present):
        for path in sorted(set(self._memory["files"]) - present):
            if self._unchanged(path):
                folder, name = self._tree.parent(path)
                try:
                    os.unlink(name, dir_fd=folder)
                finally:
                    os.close(folder)
                self._removed.append(path)
            del self._memory["files"][path]
        # Only folders that a sync made, deepest first, and only when empty.
        for path in sorted(self._memory["folders"], key=lambda one: -one.count("/")):
            try:
                folder, name = self._tree.parent(path)
            except (OSError, BoardError):
                continue
            try:
                os.rmdir(name, dir_fd=folder)
                self._memory["folders"].discard(path)
            except FileNotFoundError:
                self._memory["folders"].discard(path)
            except OSError:
                pass  # not empty: something in it stays
            finally:
                os.close(folder)
        self._tree.forget()

    def _touch(self, path, mtime):
        try:
            fd = self._tree.open_file(path)
        except (OSError, BoardError):
            return  # changed since the plan: the next plan sees it
        try:
            os.utime(fd, ns=(mtime * 1000000, mtime * 1000000))
        finally:
            os.close(fd)
        if path in self._memory["files"]:
            self._memory["files"][path][1] = mtime

    def _place(self, entry):
        path = entry["path"]
        parts = path.split("/")
        for depth in range(1, len(parts)):
            above = "/".join(parts[:depth])
            if self._tree.stat(above) is not None and not self._tree.is_folder(above):
                self._keep(above)
        found = self._tree.stat(path)
        if found is not None and not self._unchanged(path) and not (
                stat.S_ISREG(found.st_mode) and _sha256(self._tree, path) == entry["sha256"]):
            self._keep(path)
        folder, name = self._tree.parent(path, make=self._memory["folders"].add)
        try:
            os.rename(os.fsencode(entry["staged"]), name, dst_dir_fd=folder)
        finally:
            os.close(folder)
        self._memory["files"][path] = [entry["size"], entry["mtime_ms"], entry["sha256"]]

    def _keep(self, path):
        """Move what a person made at `path` out of the way, and say where."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        head, _, last = path.rpartition("/")
        # Room for the time behind a name that is as long as names can be.
        last = last.encode("utf-8")[:220].decode("utf-8", "ignore")
        with Tree(self._project.kept) as kept:
            for number in range(1000):
                where = "%s.%s%s" % (last, stamp, "-%d" % number if number else "")
                where = head + "/" + where if head else where
                if kept.stat(where) is None:
                    break
            source, name = self._tree.parent(path)
            target, kept_name = kept.parent(where, make=lambda _: None)
            try:
                os.rename(name, kept_name, src_dir_fd=source, dst_dir_fd=target)
            finally:
                os.close(source)
                os.close(target)
        self._tree.forget()
        self._kept.append([path, names.portable(os.path.join(self._project.kept, names.native(where)))])
