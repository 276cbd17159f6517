"""run.json: what ran, where, how it ended."""

from ... import lean_json
from ..files import replace_file

_SAVE_EVERY_S = 1.0
_MOST_WARNINGS = 100
# Said however many others there were before, at least once each.
_ALWAYS = ("lost", "no-space", "not-recorded", "out-of-memory", "processes-left", "clock-set")


def now_text(unix_s):
    """A time as run.json writes it: UTC with milliseconds."""
    import time
    ms = int(unix_s * 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000)) + ".%03dZ" % (ms % 1000)


def time_of(text):
    """Unix seconds of a time as `now_text` writes it; None where it is none."""
    import time
    from calendar import timegm  # for rescuers only
    try:
        whole, _, part = text.rstrip("Z").partition(".")
        return timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float("0." + (part or "0"))
    except (ValueError, AttributeError, OverflowError):
        return None


def engine_of(record):
    """The engine's name in a run.json that was read; None where it has none."""
    engine = record.get("engine")
    return engine.get("name") if isinstance(engine, dict) else None


class RunRecord(object):
    """The values of run.json, saved at most once a second and whenever it matters.

    Where the disk is full the text is kept in `unsaved` for those who are
    attached, and saving is tried again.
    """

    def __init__(self, path, values):
        self._path = path
        self.values = values
        self.unsaved = None
        self.error = None  # why the latest saving failed
        self._dirty = True
        self._next = 0.0
        self._seen = set()
        for warning in values.setdefault("warnings", []):
            self._seen.add((warning.get("code"), warning.get("message")))

    def update(self, **values):
        if any(self.values.get(key) != value for key, value in values.items()):
            self.values.update(values)
            self._dirty = True

    def touch(self):
        """A value inside was changed in place."""
        self._dirty = True

    def warn(self, code, message):
        """Note something the user should know; the same words only once."""
        if (code, message) in self._seen:
            return
        if len(self._seen) >= _MOST_WARNINGS and (code not in _ALWAYS or any(code == seen for seen, _ in self._seen)):
            return
        self._seen.add((code, message))
        self.values["warnings"].append({"code": code, "message": message})
        self._dirty = True

    def text(self):
        return lean_json.dumps(self.values, indent=1).encode("ascii") + b"\n"

    def save(self, now, force=False):
        """Write run.json if it changed; True when what is on the disk is current."""
        if not self._dirty and self.unsaved is None:
            return True
        if now < self._next and not force:
            return False
        self._next = now + _SAVE_EVERY_S
        text = self.text()
        try:
            replace_file(self._path, text)
        except OSError as error:
            self.error = error
            self.warn_disk(error)
            self.unsaved = self.text()
            return False
        self.error = None
        self._dirty = False
        self.unsaved = None
        return True

    def warn_disk(self, error):
        """Note that the board's disk did not take what should have been recorded."""
        from ..errors import is_full
        if is_full(error):
            self.warn("no-space", "The board's disk was full during the run. The script and the "
                      "measurement went on; output or timeline may have gaps. Free some space on the board.")
        else:
            self.warn("not-recorded", "The board could not write to the run's folder: %s. The script went "
                      "on; parts of the recording may be missing. Check the board's disk." % error.strerror)
