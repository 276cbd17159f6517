"""A notebook made ready to run as a script: its cells as Python in the run's folder, and what run.json says of it."""
import os

from ..board import names
from ..board.files import read_file, replace_file
from .plain import plain
from .reading import describe, read

_LARGEST = 256 << 20


class Prepared(object):
    """Of the notebook at `path`, called `relative` below the project. Raises NotebookError, or OSError."""

    def __init__(self, path, relative):
        cells = read(read_file(path, _LARGEST), relative)
        self._relative = relative
        self._entries = describe(cells, relative)
        self._texts = [plain(cell.source) for cell in cells]
        self.warnings = [self._warning(cell, text) for cell, text in zip(cells, self._texts) if text.left_out]

    def record(self):
        """`notebook` of run.json."""
        return {"path": self._relative, "cells": self._entries}

    def write(self, folder):
        """Keep the cells' text below `folder`, as that of any measured file."""
        for entry, text in zip(self._entries, self._texts):
            where = os.path.join(folder, names.native(entry["path"]))
            os.makedirs(os.path.dirname(where), mode=0o700, exist_ok=True)
            replace_file(where, text.text.encode("utf-8", "surrogatepass"), sync=False)

    def _warning(self, cell, text):
        if not text.text:
            said = "Cell %d of %s was left out, as it is not Python: %s" % (cell.number, self._relative, text.left_out[0][1])
        else:
            said = "Cell %d of %s was run without what only Jupyter knows: %s" % (
                cell.number, self._relative, "; ".join("line %d, %s" % one for one in text.left_out))
        return {"code": "notebook-left-out", "message": said[:1000]}
