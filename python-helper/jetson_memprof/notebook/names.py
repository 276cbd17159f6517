"""What a cell of a notebook is called where a source file's path is wanted: `train.ipynb#cell3.py`.

Cells are counted as Jupyter counts them when all are run from the top: code cells that are not empty, from 1.
"""
import os

_MARK, _END = "#cell", ".py"


def cell_path(notebook, number):
    return "%s%s%d%s" % (notebook, _MARK, number, _END)


def notebook_of(path):
    """The notebook's part of a cell's path; None where it is no such path."""
    notebook, mark, rest = path.rpartition(_MARK)
    number = rest[:-len(_END)]
    if mark and rest.endswith(_END) and number.isdigit() and notebook.endswith(".ipynb"):
        return notebook
    return None


def is_cell(path):
    """Whether the path is that of a cell of a notebook that is there. Whether that has so many cells is not looked up."""
    notebook = notebook_of(path)
    return notebook is not None and os.path.isfile(notebook)
