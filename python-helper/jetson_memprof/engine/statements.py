"""From source text to statements: which lines make one statement, and where the functions are."""
import struct
import sys
import _ast  # `ast`, `array` and `collections` would hold more than a MiB, and take 10 ms to load

#: What ast.parse() compiles with.
_AS_TREE = _ast.PyCF_ONLY_AST


#: From 3.10 on the end of a `with` has its line once more; up to 3.9 so has what leaves a `try` through its `finally`.
_ENDS_WITH = sys.version_info >= (3, 10)
_CONSTANTS = (_ast.Constant,) if sys.version_info >= (3, 8) else (_ast.NameConstant, _ast.Num)
_LEAVES = (_ast.Return, _ast.Break, _ast.Continue)


class Analysis(object):
    """`lines`: number of lines; `statement_of`: int32 (a memoryview) of lines + 1, the first line of each line's statement,
    index 0 unused; `functions`: [(qualified name, key, def line, last line)], `key` being the code's first line;
    `resumed`: int32 in threes, (first line of a statement, from, to), ascending: where Python comes to that statement from
    one of those lines, both inclusive, it goes on with it and does not begin it."""
    __slots__ = ("lines", "statement_of", "functions", "resumed")

    def __init__(self, lines, statement_of, functions, resumed=b""):
        self.lines = lines
        self.statement_of = statement_of
        self.functions = functions
        self.resumed = memoryview(resumed).cast("i")


def analyse(source):
    """Analyse `source` (bytes). A file that does not parse gives each line its own statement and no functions."""
    # Python ends lines at \n, \r\n and a lone \r; nothing else (a form feed is white space).
    text = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    walk = _Walk(lines)
    try:
        walk.block(compile(source, "<unknown>", "exec", _AS_TREE, True).body, len(lines), "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Analysis(len(lines), _each_its_own(len(lines)), [])
    return Analysis(len(lines), walk.statement_of, walk.functions, walk.resumed())


def _each_its_own(lines):
    found = memoryview(bytearray(4 * (lines + 1))).cast("i")
    for line in range(1, lines + 1):
        found[line] = line
    return found


class _Walk(object):
    def __init__(self, lines):
        self.lines = lines
        self.statement_of = _each_its_own(len(lines))
        self.functions = []
        self._finals = []  # (first line, last line) of each `finally` that leaving this place goes through, outermost first
        self._resumed = {}  # first line of a statement: (from, to)

    def resumed(self):
        """As in Analysis, in bytes."""
        return b"".join(struct.pack("=3i", line, *lines) for line, lines in sorted(self._resumed.items()))

    def block(self, body, end, prefix):
        """`end` is the last line that may belong to the last part of `body`, a list of statements, handlers, cases."""
        for node, following in zip(body, body[1:] + [None]):
            limit = end if following is None else max(_first_line(following) - 1, _first_line(node))
            self.statement(node, limit, prefix)

    def statement(self, node, limit, prefix):
        first, last = _first_line(node), _last_line(node, limit)
        blocks = _blocks(node)
        header_end = max(first, _first_line(blocks[0][0]) - 1) if blocks else last
        # A statement that begins on another one's line belongs to that line.
        begins = self.statement_of[first]
        for line in range(first, min(header_end, len(self.lines)) + 1):
            self.statement_of[line] = begins
        inner = prefix
        if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef)):
            self.functions.append((prefix + node.name, first, self._definition_line(node), last))
            inner = prefix + node.name + ".<locals>."
        elif isinstance(node, _ast.ClassDef):
            inner = prefix + node.name + "."
        if _ENDS_WITH and isinstance(node, (_ast.With, _ast.AsyncWith)) or _is_endless(node):
            self._resume(begins, header_end + 1, last)
        if not _ENDS_WITH and isinstance(node, _LEAVES) and self._finals:
            self._resume(begins, self._finals[-1][0], self._finals[0][1])
        outside = self._finals
        for block, following in zip(blocks, blocks[1:] + [None]):
            end = last if following is None else max(_first_line(following[0]) - 1, _first_line(block[0]))
            self._finals = [] if inner != prefix else outside + _finally_after(node, block, last)
            self.block(block, end, inner)
        self._finals = outside

    def _resume(self, line, first, last):
        known = self._resumed.get(line, (first, last))
        self._resumed[line] = min(first, known[0]), max(last, known[1])

    def _definition_line(self, node):
        line = node.lineno  # up to 3.7 that of the first decorator
        while line < len(self.lines) and not self.lines[line - 1].lstrip().startswith((b"def", b"async")):
            line += 1
        return line


def _first_line(node):
    if hasattr(node, "pattern"):  # a case of a match has no line of its own
        return node.pattern.lineno
    return min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", ())])


def _last_line(node, limit):
    """Up to 3.7 nodes do not know their end; blank lines and comments up to the next statement do no harm."""
    return getattr(node, "end_lineno", None) or limit


def _is_endless(node):
    """`while True`: what Python does with its line where the loop goes round differs by version."""
    test = node.test if isinstance(node, _ast.While) else None
    return bool(getattr(test, "value", getattr(test, "n", None)) if isinstance(test, _CONSTANTS) else False)


def _finally_after(node, block, last):
    """[(first line, last line)] of the `finally` that comes after this block of a statement, if one does."""
    final = getattr(node, "finalbody", None)
    return [(_first_line(final[0]), last)] if final and block is not final else []


def _blocks(node):
    """The parts inside a compound statement in the order of the text, empty ones left out."""
    parts = [getattr(node, name, None) for name in ("body", "handlers", "cases", "orelse", "finalbody")]
    return [part for part in parts if isinstance(part, list) and part]
