"""JSON without the `json` package, which brings `re`, `enum` and `collections` along: a MiB, and 5 to 50 ms at each start.

Texts are those of `json`, whose own C parts do the work; where an interpreter lacks them, or has ones that want to know
more, `json` does, and on a debug build of Python, which aborts where they find an error before `json` is loaded.
"""
import sys

try:
    from _json import encode_basestring as _as_is, encode_basestring_ascii as _escaped, make_encoder, make_scanner
except ImportError:
    make_encoder = make_scanner = None

_BLANKS = " \t\n\r"
_CONSTANTS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": -float("inf")}


class _AsUsual(object):
    """What the C scanner asks a decoder for."""
    strict, object_hook, object_pairs_hook = True, None, None
    array_hook = None  # from 3.15 on
    parse_float, parse_int, parse_constant = float, int, _CONSTANTS.__getitem__


def _refuse(value):
    raise TypeError("Object of type %s is not JSON serializable" % type(value).__name__)


def _encoder(separators, ensure_ascii):
    """Without the table of what is being encoded: a value that holds itself ends in a RecursionError."""
    comma, colon = separators
    return make_encoder(None, _refuse, _escaped if ensure_ascii else _as_is, None, colon, comma, False, False, True)


def _indented(value, indent, begin):
    """Lines of nested containers, as `json` breaks them."""
    inner = begin + " " * indent
    if isinstance(value, dict) and value:
        parts, ends = ['%s: %s' % (_key(key), _indented(one, indent, inner)) for key, one in value.items()], "{}"
    elif isinstance(value, (list, tuple)) and value:
        parts, ends = [_indented(one, indent, inner) for one in value], "[]"
    else:
        return dumps(value)
    return ends[0] + inner + ("," + inner).join(parts) + begin + ends[1]


def _key(key):
    return dumps(key) if isinstance(key, str) else dumps({key: 0})[1:-4]  # numbers and None become text


def dumps(value, indent=None, separators=(", ", ": "), ensure_ascii=True):
    """As json.dumps; `indent` goes with the other arguments' defaults only."""
    if indent is not None:
        return _indented(value, indent, "\n")
    return "".join(_encoder(separators, ensure_ascii)(value, 0))


def loads(text):
    """As json.loads of a str: ValueError where it is no JSON, RecursionError where it is nested too deeply."""
    text = text.strip(_BLANKS)
    try:
        value, end = make_scanner(_AsUsual)(text, 0)
    except StopIteration as stop:
        raise ValueError("Expecting value: char %s" % stop)
    except SystemError:  # it knows no error to raise before `json` is loaded
        raise ValueError("No JSON")
    if end != len(text):
        raise ValueError("Extra data: char %d" % end)
    return value


def _fits():
    try:
        return dumps(loads("[1]")) == "[1]"
    except (AttributeError, TypeError):
        return False


if make_scanner is None or not _fits() or hasattr(sys, "gettotalrefcount"):
    from json import dumps, loads  # noqa: F401
