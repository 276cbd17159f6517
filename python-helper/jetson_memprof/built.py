"""The C libraries that travel with the helper: found by their manifest, checked by hash."""
import os

from . import lean_json

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "accel")


class NotBuilt(Exception):
    """Why there is no such library; its text says what can be done about it."""


def open_library(kind, folder=FOLDER):
    """(path, file) of the library for this machine among the manifest's `kind`, its bytes compared with their hash."""
    machine = os.uname().machine
    try:
        with open(os.path.join(folder, "manifest.json"), "rb") as file:
            entries = lean_json.loads(file.read().decode("utf-8"))[kind]
        entry = next((entry for entry in entries if entry["machine"] == machine), None)
        if entry is None:
            raise NotBuilt("it was not built for %s." % machine)
        path = os.path.join(folder, os.path.basename(entry["file"]))
        file = open(path, "rb")
        try:
            if _sha256(file.read()) != entry["sha256"]:
                raise NotBuilt("%s is not the file that was built (its SHA-256 differs); install the helper again." % path)
        except BaseException:
            file.close()
            raise
        return path, file
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotBuilt("no usable build of it is in %s (%s)." % (folder, error))


def _sha256(data):
    from .sha256 import sha256
    return sha256(data).hexdigest()
