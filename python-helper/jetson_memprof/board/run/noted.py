"""supervisor.json: who belongs to the run, for those who come when the supervisor is gone."""
import os

from ... import lean_json
from ..files import replace_file
from ..system import proc


class Noted(object):
    def __init__(self, path):
        self._path = path
        self._own = {"pid": os.getpid(), "start_time": proc.status_of(os.getpid())[3], "boot_id": proc.boot_id()}
        self._written = None

    def write(self, **values):
        """Write the values down where they changed; OSError where the disk does not take them."""
        noted = dict(self._own, **values)
        if noted != self._written:
            replace_file(self._path, lean_json.dumps(noted).encode("ascii"), sync=False)
            self._written = noted
