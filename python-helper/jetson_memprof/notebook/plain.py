"""A cell's text as plain Python with the same line numbers: what only IPython knows is left out, and said."""
import io
import re
import tokenize
from collections import namedtuple

from .options import OptionError, split

#: `text` is Python, `left_out` [(line, what stood there)], `shows` whether the last expression's value is displayed.
Plain = namedtuple("Plain", "text left_out shows")

#: Cell magics whose body is Python that runs once in the notebook's namespace.
_TRANSPARENT = ("memprof", "time", "capture", "prun")
_CELL_MAGIC = re.compile(r"\s*%%\s*([\w.]+)?(.*)")
_LINE_MAGIC = re.compile(r"(\s*)%\s*(\w+)(.*)", re.DOTALL)
_ASSIGNED = re.compile(r"[\w.,\[\]*][\w.,\[\]* ]*=\s*[%!]")
_HELP = re.compile(r"(\?{1,2}\s*[\w.*%]+|%{0,2}[\w.*]+\s*\?{1,2})\s*(#.*)?\Z")
_QUOTES = ('"""', "'''", '"', "'")


def plain(source):
    """The Plain of a cell's source."""
    lines = source.split("\n")
    first = next(number for number, line in enumerate(lines) if line.strip())
    magic = _CELL_MAGIC.match(lines[first])
    left_out = []
    if magic:
        if magic.group(1) not in _TRANSPARENT:
            return Plain("", [(first + 1, lines[first].strip())], False)
        lines[first] = ""
    for at, end in _logical_lines(lines):
        text = "\n".join(lines[at:end])
        replaced = _without_magic(text)
        if replaced is None:
            continue
        if replaced[1]:
            left_out.append((at + 1, lines[at].strip()))
        lines[at:end] = (replaced[0] + "\n" * text.count("\n")).split("\n")[:end - at]
    text = "\n".join(lines)
    return Plain(text, left_out, not _ends_with_semicolon(text))


def _without_magic(text):
    """(Python in place of a logical line that is IPython's, whether something was left out); None where it is Python."""
    indent = text[:len(text) - len(text.lstrip())]
    found = _LINE_MAGIC.match(text)
    if found and found.group(2) in ("time", "memprof"):
        rest = found.group(3)
        if found.group(2) == "memprof":
            try:
                rest = split(rest.replace("\\\n", " "))[1]
            except OptionError:
                return indent + "pass", True
        return indent + (rest.strip() or "pass"), False
    if text.lstrip().startswith(("%", "!")) or _HELP.match(text.lstrip()):
        return indent + "pass", True
    if _ASSIGNED.match(text.lstrip()):
        return indent + "pass", True
    return None


def _logical_lines(lines):
    """[(first, beyond last)] of the logical lines, found without parsing: some of them are no Python."""
    found, at = [], 0
    while at < len(lines):
        text = lines[at].lstrip()
        end = at + 1
        if text.startswith(("%", "!", "?")) or _ASSIGNED.match(text):
            while lines[end - 1].endswith("\\") and end < len(lines):
                end += 1
        else:
            quote, depth = None, 0
            quote, depth, goes_on = _scan(lines[at], quote, depth)
            while (quote or depth > 0 or goes_on) and end < len(lines):
                quote, depth, goes_on = _scan(lines[end], quote, depth)
                end += 1
        if text:
            found.append((at, end))
        at = end
    return found


def _scan(line, quote, depth):
    """The open quotes (None: none), how many brackets are open, and whether a backslash joins the next line, after it."""
    at = 0
    while at < len(line):
        if quote:
            if line[at] == "\\":
                at += 2
                continue
            if line.startswith(quote, at):
                at += len(quote)
                quote = None
                continue
        elif line[at] == "#":
            return quote, depth, False
        elif line[at] in "\"'":
            quote = next(one for one in _QUOTES if line.startswith(one, at))
            at += len(quote)
            continue
        else:
            depth += (line[at] in "([{") - (line[at] in ")]}")
        at += 1
    goes_on = line.endswith("\\")
    if quote and len(quote) == 1 and not goes_on:
        quote = None  # an error that Python will name
    return quote, depth, goes_on


_NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def _ends_with_semicolon(text):
    last = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token[0] not in _NO_CODE:
                last = token[1]
    except (tokenize.TokenError, SyntaxError, ValueError):  # which Python will name
        return False
    return last == ";"
