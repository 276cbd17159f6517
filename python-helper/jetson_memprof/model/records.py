"""Appends whole records to model.<pid>.jsonl, so that a kill at any moment leaves what was known until then."""
import json
import os

SCHEMA = 1


class Records(object):
    """The file is made with its first record, and open only while something is written: programs close what they do
    not know. Raises OSError where it cannot be written."""

    def __init__(self, folder, header):
        self._path = os.path.join(folder, "model.%d.jsonl" % os.getpid())
        self._first = [dict({"schema": SCHEMA, "record": "header", "pid": os.getpid()}, **header)]

    def write(self, *records):
        records, self._first = self._first + list(records), []
        data = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records).encode("ascii")
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            if os.write(fd, data) != len(data):
                raise OSError("%s could not be written to its end" % self._path)
        finally:
            os.close(fd)
