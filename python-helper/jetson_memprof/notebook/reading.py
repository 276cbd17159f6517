"""Reads .ipynb files: JSON of the formats 3 and 4."""
import json
from collections import namedtuple

from .names import cell_path

#: A code cell that is not empty. `number` counts them from 1, `id` is the notebook's own (formats from 4.5 on) or None,
#: `source` has \n as line ends.
Cell = namedtuple("Cell", "number id source")


class NotebookError(Exception):
    """Why a file cannot be run as a notebook, and what can be done about it."""

    def __init__(self, message, hint):
        Exception.__init__(self, message)
        self.message = message
        self.hint = hint


def read(data, name):
    """The Cells of a notebook's bytes; `name` is what to call it. Raises NotebookError."""
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise NotebookError("%s cannot be read as a notebook: %s." % (name, _where(error)),
                            "A notebook is a JSON file. Open it in Jupyter or VS Code, save it again, and see that no "
                            "merge conflict is left in it.")
    if not isinstance(found, dict):
        raise _not_a_notebook(name)
    version = found.get("nbformat", 4)
    if version not in (3, 4):
        raise NotebookError("%s has the notebook format %s, and only 3 and 4 are known." % (name, json.dumps(version)[:40]),
                            "Open it in Jupyter and save it again, or convert it: jupyter nbconvert --to notebook.")
    language = _language(found)
    if language not in (None, "python", "python3", "ipython", "ipython3"):
        raise NotebookError("%s is a notebook of the language %s, not of Python." % (name, json.dumps(language)[:40]),
                            "Choose a notebook with Python code.")
    cells, count = [], 0
    for number, cell in enumerate(_cells(found, version, name), 1):
        if not isinstance(cell, dict):
            raise _not_a_notebook(name)
        if cell.get("cell_type") != "code":
            continue
        if cell.get("language") not in (None, "python"):
            raise NotebookError("%s has a cell of another language than Python (cell %d of the file)." % (name, number),
                                "Take this cell out, or run the notebook in Jupyter.")
        source = _source(cell, version)
        if source is None:
            raise NotebookError("%s is damaged: the code cell that is number %d in the file has no text." % (name, number),
                                "Open it in Jupyter or VS Code and save it again.")
        if source.strip():
            count += 1
            known = cell.get("id")
            cells.append(Cell(count, known if isinstance(known, str) and known else None, source))
    if not cells:
        raise NotebookError("%s has no code cell with anything in it." % name, "Choose a notebook with Python code.")
    return cells


def describe(cells, path):
    """The cells as run.json lists them; `path` is the notebook's."""
    return [{"number": cell.number, "id": cell.id, "path": cell_path(path, cell.number)} for cell in cells]


def _where(error):
    if isinstance(error, UnicodeDecodeError):
        return "byte %d is not UTF-8" % error.start
    if isinstance(error, RecursionError):
        return "its parts are nested too deep"
    return str(error)


def _not_a_notebook(name):
    return NotebookError("%s is JSON, but no notebook: it has no list of cells." % name, "Choose a notebook (.ipynb).")


def _cells(found, version, name):
    cells = found.get("cells")
    if version == 3 and cells is None:
        sheets = found.get("worksheets")
        cells = None
        if isinstance(sheets, list) and all(isinstance(sheet, dict) for sheet in sheets):
            lists = [sheet.get("cells", []) for sheet in sheets]
            if all(isinstance(one, list) for one in lists):
                cells = [cell for one in lists for cell in one]
    if not isinstance(cells, list):
        raise _not_a_notebook(name)
    return cells


def _language(found):
    metadata = found.get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    language = info.get("name") if isinstance(info, dict) else None
    return language.lower() if isinstance(language, str) else None


def _source(cell, version):
    source = cell.get("source") if version == 4 else cell.get("input", cell.get("source"))
    if isinstance(source, list) and all(isinstance(part, str) for part in source):
        source = "".join(source)
    if not isinstance(source, str):
        return None
    return source.replace("\r\n", "\n").replace("\r", "\n")
