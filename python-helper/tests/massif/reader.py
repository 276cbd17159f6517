"""Reads what a run under massif leaves: just enough for the tests."""
import json
import os
import re

_NODE = re.compile(r"( *)n\d+: (\d+) (.*)")
_PAD = re.compile(r"py_\d{5}")


def snapshots(path):
    """[{'mem_heap_B': …, 'tree': [(depth, bytes, label)] or None}] of a massif.out file."""
    found = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            node = _NODE.match(line)
            if node and found:
                found[-1]["tree"].append((len(node.group(1)), int(node.group(2)), node.group(3)))
                continue
            key, _, value = line.strip().partition("=")
            if key == "snapshot":
                found.append({"tree": []})
            elif found and key in ("mem_heap_B", "time"):
                found[-1][key] = int(value)
    return found


def records(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def frames(path):
    """{name: record} of a massif.frames file."""
    return dict((record["name"], record) for record in records(path) if record["record"] == "frame")


def by_owner(tree, names):
    """{(path, line, kind): bytes}: each allocation belongs to its innermost frame of the project; None: it has none."""
    found = {}
    for label_path, held in leaves(tree):
        owner = None
        for label in reversed(label_path):
            name = _PAD.search(label)
            record = names.get(name.group()) if name else None
            if record is not None and "/jetson_memprof/" in record["path"]:
                break  # the profiler's own
            if record is not None and not os.path.isabs(record["path"]) and not record["path"].startswith("<"):
                owner = (record["path"], record["line"], record["kind"])
                break
        found[owner] = found.get(owner, 0) + held
    return found


def leaves(tree):
    """(labels from main() to the allocation, bytes) of each node's own bytes."""
    path, open_nodes = [], []
    for depth, held, label in tree + [(0, 0, "")]:
        while len(open_nodes) > depth:
            own = open_nodes.pop()
            if own:
                yield path[::-1], own
            path.pop()
        if open_nodes:
            open_nodes[-1] -= held
        open_nodes.append(held)
        path.append(label)
