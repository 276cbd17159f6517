"""The cells of a running kernel: what IPython calls their code, and their text."""
import linecache
import re

from ..engine.statements import analyse

#: What the first line of a measured cell becomes; see magics.
_BEGUN = re.compile(r"get_ipython\(\)\.run_line_magic\('memprof_begin', (.*)\)\s*\Z")
_NUMBERED = re.compile(r"<ipython-input-(\d+)-")
_OPTIONS = re.compile(r"\s*%%memprof(?:\s+(.*?))?\s*\Z")


def begin_line(first):
    """IPython's text in place of a cell's first line where that is %%memprof, else None."""
    found = _OPTIONS.match(first)
    return found and "get_ipython().run_line_magic('memprof_begin', %r)" % (found.group(1) or "",)


class Cells(object):
    """`shell` is IPython's; nothing of it is needed but `compile`."""

    def __init__(self, shell):
        self._shell = shell
        self._own = {}  # statements of %memprof

    def is_one(self, filename):
        return filename in self._own or filename in getattr(linecache, "_ipython_cache", ()) \
            or filename in getattr(self._shell.compile, "_filename_map", ())

    def add(self, text):
        """Make a statement's text known; returns what to call its code."""
        name = "<memprof %d>" % (len(self._own) + 1)
        self._own[name] = text
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        return name

    def number(self, filename):
        """The number that Jupyter shows beside the cell; None where it is not known."""
        number = getattr(self._shell.compile, "_filename_map", {}).get(filename)
        found = _NUMBERED.match(filename)
        return number or (int(found.group(1)) if found else None) or None

    def code(self, filename):
        """What was compiled: the cell's text, with IPython's own words in place of magics."""
        return "".join(linecache.cache[filename][2]) if filename in linecache.cache else ""

    def lines(self, filename):
        """The same by lines, %%memprof as it was typed."""
        lines = self.code(filename).splitlines()
        begun = _BEGUN.match(lines[0]) if lines else None
        if begun:
            lines[0] = ("%%memprof " + begun.group(1)[1:-1]).rstrip()
        return lines


class CellScope(object):
    """In the place of engine.scope.Scope: cells, and where `files` is a Scope those files too."""

    def __init__(self, cells, files):
        self._cells = cells
        self._files = files

    def measured(self, filename):
        if self._cells.is_one(filename):
            return filename
        return self._files.measured(filename) if self._files is not None else None


class CellStatements(object):
    """In the place of engine.statement_client.StatementClient. IPython parses each cell in this process too."""

    def __init__(self, cells):
        self._cells = cells

    def statements_of(self, path):
        if self._cells.is_one(path):
            source = self._cells.code(path).encode("utf-8", "replace")
        else:
            with open(path, "rb") as file:
                source = file.read()
        found = analyse(source)
        return found.statement_of, found.resumed, None
