"""Entry point of the helper's commands on a board: board.py COMMAND, see docs/board-protocol.md."""
import json
import os
import sys

# Also where Python does not put the script's folder there (-I).
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def _run(command, request, stream, descriptors):
    """The command's reply, or None where it has written its own output. Imports only what it needs."""
    if command == "start":
        from jetson_memprof.board.launch import start
        return start(request)
    if command == "supervise":
        from jetson_memprof.board.launch import supervise
        return supervise(request, *map(int, descriptors))
    if command == "attach":
        from jetson_memprof.board.attach import attach
        return attach(request)
    if command == "sync-plan":
        from jetson_memprof.board.sync import plan
        return plan(request)
    if command == "sync-apply":
        from jetson_memprof.board.sync import apply
        return apply(request, stream)
    if command == "probe":
        from jetson_memprof.board.identity import probe
        return probe(request)
    if command == "survey":
        from jetson_memprof.board.survey import survey
        return survey(request)
    if command == "watch":
        from jetson_memprof.board.watch import watch
        return watch(request)
    if command == "snapshot":
        from jetson_memprof.board.asking import snapshot
        return snapshot(request)
    if command == "cancel":
        from jetson_memprof.board.cancel import cancel
        return cancel(request)
    if command in ("runs", "remove"):
        from jetson_memprof.board import runs
        return runs.runs(request) if command == "runs" else runs.remove(request)
    from jetson_memprof.board.errors import BoardError
    raise BoardError("bad-request", "The board's helper has no command %r." % command,
                     "Update the extension and the board's helper to the same version.")


def _read_request(stream):
    """The first line of the input. `stream` must not have read further than it where attach goes on."""
    from jetson_memprof.board.errors import BoardError
    line = stream.readline(256 << 20)
    try:
        request = json.loads(line.decode("utf-8"))
    except ValueError:
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
    from jetson_memprof.board.errors import BoardError, from_os_error
    command = arguments[0] if arguments else ""
    # These two read on from the descriptor itself, so nothing may be buffered away.
    stream = _LineFirst(0) if command in ("attach", "watch") else sys.stdin.buffer
    try:
        reply, status = _run(command, _read_request(stream), stream, arguments[1:]), 0
    except BoardError as error:
        reply, status = error.as_reply(), 1
    except OSError as error:
        reply, status = from_os_error(error, "the command %s on the board" % command).as_reply(), 1
    except Exception:
        import traceback
        traceback.print_exc()
        reply, status = BoardError(
            "helper-fault", "The board's helper failed in %s; its standard error says where." % command,
            "Please report this with the text above.").as_reply(), 1
    if reply is not None:
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
