"""JSON between processes that may have different locales: a path travels as the bytes that it is on the disk.

The script's environment may name another encoding of file names than the helper's has, so the text that stands for a
path in one process is not that of the other.
"""
import os

from . import lean_json


def encoded(value):
    """JSON on one line, as bytes."""
    try:
        return lean_json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character in a name that the program made up
        return lean_json.dumps(value).encode("ascii")


def decoded(data):
    """The value of such bytes, its paths as this process names files; ValueError where they are no JSON."""
    return lean_json.loads(os.fsdecode(data))


def native(text):
    """How this process names the file whose path, read as UTF-8, is `text`."""
    return os.fsdecode(_bytes(text))


def portable(path):
    """The text to record of a path, as docs/run-folder.md has it: UTF-8, what is none of it replaced."""
    return _bytes(path).decode("utf-8", "replace")


def _bytes(text):
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character again
        return text.encode("utf-8", "replace")
