"""`python3 -I -B ask.py PID…`: what these servers say of their memory; prints [[pid, source, [[kind, where, bytes], …]], …]
as a line of JSON.

A process of its own, as a file or a socket of somebody else's may keep its reader waiting; whoever started it ends it.
Only what can be had without a side effect is read: a server's output where that is a plain file, and Ollama's own list of
loaded models. Of what is read nothing leaves but figures and short words: logs have what people asked the server.
"""
import os
import socket
import stat
import sys
import time

_LOG_BYTES = 1 << 20
_REPLY_BYTES = 1 << 18
_WAIT_S = 2.0
_MOST_SERVERS, _MOST_MODELS = 16, 8
_OLLAMA = "ollama"
_OLLAMA_PORT = 11434
_LISTENS = "0A"
#: 127.0.0.0/8, any address, and the same of IPv6, as /proc/net/tcp and tcp6 print them on a little-endian machine.
_LOCAL_ENDS = ("7F", "00000000")
_LOCAL_V6 = ("00000000000000000000000001000000", "0" * 32)


def asked(pids, proc="/proc"):
    """As this program prints it, of the servers that said something."""
    from jetson_memprof.board.servers.said import parts_of
    servers = {pid: _Process(proc, pid) for pid in pids[:_MOST_SERVERS]}
    roots = [one for one in servers.values() if not one.is_below(servers)]
    logs = {}
    for one in roots:
        for key, log in one.logs().items():
            logs.setdefault(key, []).append((one, log))
    found = {}
    for readers in logs.values():
        if len(readers) > 1:
            continue  # whose lines are they?
        (one, (text, is_whole)), = readers
        found.setdefault(one.pid, []).extend(parts_of(text, is_whole))
    answers = [[pid, "log", parts] for pid, parts in sorted(found.items()) if parts]
    for one in roots:
        if one.name == _OLLAMA:
            models = _models(one, proc)
            if models is None or len(models) != 1:
                # The log is of the model that was loaded last, wherever that is by now.
                answers = [answer for answer in answers if answer[0] != one.pid]
            if models:
                answers.append([one.pid, "api", models])
    return answers


class _Process(object):
    def __init__(self, proc, pid):
        self.pid = pid
        self._proc = proc
        self._folder = "%s/%d" % (proc, pid)
        self.name = _text(self._folder + "/comm").strip()
        self.uid = None
        try:
            self.uid = os.stat(self._folder).st_uid
        except OSError:
            pass

    def is_below(self, pids):
        """Whether one of these started it, itself or by others: a worker, which has its output."""
        pid = self.pid
        for _ in range(100):
            fields = _text("%s/%d/stat" % (self._proc, pid)).rpartition(")")[2].split()
            if len(fields) < 2 or not fields[1].isdigit():
                return False
            pid = int(fields[1])
            if pid in pids:
                return True
            if pid < 2:
                return False
        return False

    def logs(self):
        """{file: (text, whether it is from where the process began)} of its output and errors, where these are plain files."""
        found = {}
        for fd in "12":
            path = "%s/fd/%s" % (self._folder, fd)
            try:
                if not stat.S_ISREG(os.stat(path).st_mode):
                    continue  # reading a pipe or a terminal would take what is another's
                mine = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
            except OSError:
                continue
            try:
                known = os.fstat(mine)
                if stat.S_ISREG(known.st_mode) and (known.st_dev, known.st_ino) not in found:
                    found[known.st_dev, known.st_ino] = _log(mine, known.st_size, self._appends(fd))
            except OSError:
                pass
            finally:
                os.close(mine)
        return found

    def _appends(self, fd):
        """Whether the file may have had text before."""
        for line in _text("%s/fdinfo/%s" % (self._folder, fd)).splitlines():
            name, _, value = line.partition(":")
            if name == "flags":
                try:
                    return bool(int(value, 8) & os.O_APPEND)
                except ValueError:
                    break
        return True

    def sockets(self):
        """The inodes of its sockets; None where they may not be looked at."""
        folder, found = self._folder + "/fd", set()
        try:
            for fd in os.listdir(folder):
                try:
                    link = os.readlink(folder + "/" + fd)
                except OSError:
                    continue
                if link.startswith("socket:["):
                    found.add(link[8:-1])
        except OSError:
            return None
        return found


def _log(fd, size, appends):
    if appends and size > _LOG_BYTES:
        os.lseek(fd, size - _LOG_BYTES, os.SEEK_SET)
    data = b""
    while len(data) < _LOG_BYTES:
        part = os.read(fd, _LOG_BYTES - len(data))
        if not part:
            break
        data += part
    return data.decode("utf-8", "replace"), not appends


def _models(ollama, proc):
    """What its models take in all, each as a part; None where it could not be asked."""
    port = _port(ollama, proc)
    reply = None if port is None else _get(port, "/api/ps")
    from jetson_memprof import lean_json
    from jetson_memprof.board.servers.said import clean
    try:
        listed = lean_json.loads(reply.decode("utf-8"))["models"] or [] if reply else None
        return None if listed is None else [
            ["whole", clean(one["name"]), one["size"]] for one in listed[:_MOST_MODELS]
            if isinstance(one["name"], str) and type(one["size"]) is int and 0 < one["size"] < 1 << 48]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _port(server, proc):
    """Where it listens on this machine; without a look at its sockets only its usual port, where that is its account's."""
    own = server.sockets()
    for name, locals_ in (("tcp", None), ("tcp6", _LOCAL_V6)):
        for line in _text("%s/net/%s" % (proc, name)).splitlines()[1:]:
            fields = line.split()
            if len(fields) < 10 or fields[3] != _LISTENS:
                continue
            address, _, port = fields[1].partition(":")
            is_local = address in locals_ if locals_ else address == _LOCAL_ENDS[1] or address.endswith(_LOCAL_ENDS[0])
            number = int(port, 16)
            is_its = fields[9] in own if own is not None else number == _OLLAMA_PORT and fields[7] == str(server.uid)
            if is_local and is_its:
                return number
    return None


def _get(port, path):
    """The body of a good answer; None where there is none in time, or a long one."""
    until = time.monotonic() + _WAIT_S
    try:
        with socket.create_connection(("127.0.0.1", port), _WAIT_S) as connection:
            # By HTTP/1.0 the answer ends with the connection, in one piece.
            connection.sendall(("GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n" % path).encode("ascii"))
            data = b""
            while len(data) <= _REPLY_BYTES:
                connection.settimeout(max(0.01, until - time.monotonic()))
                part = connection.recv(1 << 16)
                if not part:
                    head, _, body = data.partition(b"\r\n\r\n")
                    return body if head.split(b"\r\n", 1)[0].split(b" ")[1:2] == [b"200"] else None
                data += part
                if time.monotonic() > until:
                    return None
    except OSError:
        pass
    return None


def _text(path):
    """The beginning of a file of /proc, "" where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read(_LOG_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def main(pids):
    os.closerange(3, 4096)  # the run's lock is not ours to hold
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
    from jetson_memprof import lean_json
    sys.stdout.write(lean_json.dumps(asked([int(pid) for pid in pids])) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
