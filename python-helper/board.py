"""Entry point of the helper's commands on a board: board.py COMMAND, or many from bootstrap.py; see docs/board-protocol.md."""
import os
import sys

# Also where Python does not put the script's folder there (-I).
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def _run(command, request, stream, descriptors):
    """The command's reply, or None where it has written its own output. Imports only what it needs."""
    if command == "start":
        from jetson_memprof.board.commands.launch import start
        return start(request)
    if command == "supervise":
        from jetson_memprof.board.commands.launch import supervise
        return supervise(request, *map(int, descriptors))
    if command == "attach":
        from jetson_memprof.board.commands.attach import attach
        return attach(request)
    if command == "sync-plan":
        from jetson_memprof.board.commands.sync import plan
        return plan(request)
    if command == "sync-apply":
        from jetson_memprof.board.commands.sync import apply
        return apply(request, stream)
    if command == "probe":
        from jetson_memprof.board.commands.identity import probe
        return probe(request)
    if command == "survey":
        from jetson_memprof.board.commands.survey import survey
        return survey(request)
    if command == "watch":
        from jetson_memprof.board.commands.watch import watch
        return watch(request)
    if command == "snapshot":
        from jetson_memprof.board.commands.asking import snapshot
        return snapshot(request)
    if command == "cancel":
        from jetson_memprof.board.commands.cancel import cancel
        return cancel(request)
    if command in ("containers", "enter"):
        from jetson_memprof.board.commands import containers
        return containers.containers(request) if command == "containers" else containers.enter(request)
    if command in ("runs", "remove"):
        from jetson_memprof.board.run import runs
        return runs.runs(request) if command == "runs" else runs.remove(request)
    from jetson_memprof.board.errors import BoardError
    raise BoardError("bad-request", "The board's helper has no command %r." % command,
                     "Update the extension and the board's helper to the same version.")


def _read_request(stream):
    """The first line of the input. `stream` must not have read further than it where attach goes on."""
    from jetson_memprof import lean_json
    from jetson_memprof.board.errors import BoardError
    line = stream.readline(256 << 20)
    try:
        request = lean_json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict):
        raise BoardError("bad-request", "The request to the board's helper was not understood.",
                         "Update the extension, then try again.")
    return request


class _LineFirst(object):
    """Standard input read without taking more than asked for from the request's line on."""

    def __init__(self, fd):
        self._fd = fd

    def readline(self, limit):
        parts, size = [], 0
        while size < limit:
            part = os.read(self._fd, 1)
            if not part:
                break
            parts.append(part)
            size += 1
            if part == b"\n":
                break
        return b"".join(parts)


def main(arguments):
    command = arguments[0] if arguments else ""
    follows = command == "start-attach"
    # These read on from the descriptor itself, so nothing may be buffered away.
    stream = _LineFirst(0) if follows or command in ("attach", "watch") else sys.stdin.buffer
    command = "start" if follows else command
    reply, status = _guarded(command, lambda: _run(command, _read_request(stream), stream, arguments[1:]))
    if reply is not None:
        _say(reply)
    if follows and status == 0:
        # Anew: what `start` has loaded would be held as long as the run goes on.
        os.execv(sys.executable, [sys.executable, "-I", "-B", os.path.abspath(__file__), "attach"])
    return status


#: Those that answer with one line; the others have the streams to themselves.
_SERVED = ("probe", "survey", "sync-plan", "sync-apply", "start", "snapshot", "cancel", "runs", "remove", "containers",
           "enter")


def serve(stream):
    """Answer one command after another, each a line {"command", "request"}, until the input ends or one is refused."""
    _import_ahead()
    status = 0
    while status == 0 and stream.peek(1):
        order, status = _guarded("serve", lambda: _read_request(stream))
        if status == 0:
            command, request = order.get("command"), order.get("request")
            served = command in _SERVED and isinstance(request, dict)
            order, status = _guarded(command, lambda: _run(command if served else "", request, stream, ()))
        _say(order)
    return status


def _import_ahead():
    """While the first command is on its way; what cannot be imported is told by the command that needs it."""
    try:
        from jetson_memprof.board.commands import identity, launch, sync
        return identity, launch, sync
    except ImportError:
        return None


def _say(reply):
    from jetson_memprof import lean_json
    sys.stdout.write(lean_json.dumps(reply) + "\n")
    sys.stdout.flush()


def _guarded(command, work):
    """(what the work gives, 0) or (the error to answer with, 1)."""
    from jetson_memprof.board.errors import BoardError, from_os_error
    try:
        return work(), 0
    except BoardError as error:
        return error.as_reply(), 1
    except OSError as error:
        return from_os_error(error, "The command %s on the board" % command).as_reply(), 1
    except ImportError as error:
        if not error.name or error.name.startswith("jetson_memprof"):
            return _fault(command), 1
        from jetson_memprof.board.errors import incomplete_python
        return incomplete_python(error.name).as_reply(), 1
    except Exception:
        return _fault(command), 1


def _fault(command):
    from jetson_memprof.board.errors import BoardError, log_fault
    log_fault()
    return BoardError(
        "helper-fault", "The board's helper failed in %s; its standard error says where." % command,
        "Please report this with the text above.").as_reply()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
