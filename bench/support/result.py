"""Writes the rows of one program; their shape is in bench/README.md, and is checked where they are read."""
import json
import os


def version():
    """Ours: the extension's."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "package.json")) as file:
        return json.load(file)["version"]


def write_rows(path, rows):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w") as file:
        json.dump(rows, file, indent=2)
        file.write("\n")
