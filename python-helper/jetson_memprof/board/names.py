"""Names and paths that come from outside: checked here, once, before any use.

Text is UTF-8 on the wire. Inside, paths are what the operating system calls in
this process take: an old interpreter without a locale encodes names as ASCII
with escapes, so the conversion is spelled out.
"""
import os

from .errors import BoardError

_SLUG_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_LONGEST_SLUG = 128
_MOST_LINES = 1000


def native(text):
    """The path string for system calls of UTF-8 text from the wire."""
    return os.fsdecode(text.encode("utf-8"))


def portable(path):
    """The text to show or send of a path from a system call."""
    return os.fsencode(path).decode("utf-8", "replace")


def _refuse(what, value):
    shown = repr(value)
    if len(shown) > 200:
        shown = shown[:200] + "…"
    return BoardError("bad-request", "The request's %s is not acceptable: %s." % (what, shown),
                      "Update the extension and the board's helper to the same version.")


def field(request, name, kinds, default=None, required=True):
    """A request's value of the given type(s); BoardError 'bad-request' otherwise."""
    if name not in request or request[name] is None:
        if required:
            raise _refuse(name, None)
        return default
    value = request[name]
    if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
        raise _refuse(name, value)
    return value


def is_clean(value):
    """Whether text can be handed to the operating system: encodable, without NUL."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in value


def clean_text(value, what):
    """Text that can be handed to the operating system."""
    if not is_clean(value):
        raise _refuse(what, value)
    return value


def root_folder(request):
    """The helper's root on this board as a native absolute path."""
    text = clean_text(field(request, "root", str), "root")
    path = os.path.expanduser(native(text))
    if not os.path.isabs(path):
        raise _refuse("root", text)
    return os.path.normpath(path)


def run_id(request):
    value = field(request, "id", str)
    if not is_run_id(value):
        raise _refuse("id", value)
    return value


def is_run_id(text):
    return 0 < len(text) <= _LONGEST_SLUG and text[0] not in ".-" and _SLUG_LETTERS.issuperset(text)


def project(request):
    value = field(request, "project", str)
    # `<project>.sync.json` lies beside the project's folder.
    if not is_run_id(value) or value.endswith(".sync.json"):
        raise _refuse("project", value)
    return value


def relative_path(value, what="path"):
    """A checked relative path as text: no absolute path, no `..`, no empty part."""
    if not isinstance(value, str) or not value:
        raise _refuse(what, value)
    clean_text(value, what)
    parts = value.split("/")
    if "" in parts or "." in parts or ".." in parts:
        raise _refuse(what, value)
    return value


def project_lines(listed):
    """[(path relative to the project, line)] of a request's lines that are to be measured before and after."""
    if len(listed) > _MOST_LINES:
        raise _refuse("lines", listed)
    found = []
    for entry in listed:
        if not isinstance(entry, list) or len(entry) != 2:
            raise _refuse("lines", entry)
        found.append((relative_path(entry[0], "lines"), whole_number(entry[1], "lines", 1)))
    return found


def module_name(value):
    if not all(part.isidentifier() for part in value.split(".")):
        raise _refuse("module", value)
    return value


def whole_number(value, what, low=0, high=2 ** 53):
    """An int from a JSON number; a fraction is cut, as times in ms may carry one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _refuse(what, value)
    if not low <= value <= high:  # also refuses nan
        raise _refuse(what, value)
    return int(value)


def refuse(what, value):
    """The error for a value that no other check here covers."""
    return _refuse(what, value)
