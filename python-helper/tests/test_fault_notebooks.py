"""Damaged and hostile notebooks, by seed: cells or an error in words, never another exception."""
import json
import random
import unittest

import test_board_common  # which finds the helper

from jetson_memprof.notebook import reading, running
from jetson_memprof.notebook.plain import plain

_SEEDS = 1200
_LARGEST = 1 << 16
_SAMPLES = [json.dumps(found) for found in (
    {"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}}, "cells": [
        {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# Title"]},
        {"cell_type": "code", "id": "a1", "metadata": {}, "outputs": [], "execution_count": None,
         "source": ["%%time\n", "%matplotlib inline\n", "x = [0] * 3\n", "!ls\n", "x?\n", "x"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 2,
         "source": "def f(a):\n    return a \\\n        + 1\n\nawait f(1);\n"}]},
    {"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": [
        {"cell_type": "code", "language": "python", "input": ["from __future__ import annotations\n", "print(1)"]}]}]})]
_PIECES = [b"[", b"{", b"}", b"]", b'"', b"\\n", b"\\u0000", b"\\ud800", b"\\udc00", b"null", b"-1", b"1e999", b"NaN",
           b"9" * 30, b"%%", b"%", b"!", b"?", b"\\\\\\n", b"'''", b'\\"\\"\\"', b"(", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf",
           b"\0", "\u202e".encode("utf-8"), b"%%memprof -x ", b"x = !", b"await ", b"\\f", b"\\t", b"\\r"]


def damaged(seed):
    """A notebook's bytes with a few things wrong with them."""
    rng = random.Random(seed)
    data = rng.choice(_SAMPLES).encode("utf-8")
    for _ in range(rng.randint(1, 4)):
        at, kind = rng.randint(0, len(data)), rng.randrange(7)
        if kind == 0:
            data = data[:at] + data[at + rng.choice((1, 4, 40, 400)):]
        elif kind in (1, 2):
            data = data[:at] + rng.choice(_PIECES) + data[at:]
        elif kind == 3:
            data = data[:at] + rng.choice(_PIECES) * rng.choice((2, 50, 3000)) + data[at:]
        elif kind == 4:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1:]
        elif kind == 5:
            start = rng.randint(0, len(data))
            data = data[:at] + data[start:start + rng.choice((3, 30, 300))] + data[at:]
        else:
            data = _with_other_value(data, rng)
        data = data[:_LARGEST]
    return data


def _with_other_value(data, rng):
    try:
        found = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return data
    at = found
    while isinstance(at, (dict, list)) and at:
        key = rng.choice(sorted(at) if isinstance(at, dict) else range(len(at)))
        if not isinstance(at[key], (dict, list)) or rng.random() < 0.3:
            at[key] = rng.choice((None, True, -1, 1e308, "", "x\ud800", [], {}, [[]], {"a": 1}, "%%bash\nls", "\0", ["a", 1]))
            break
        at = at[key]
    return json.dumps(found).encode("utf-8")


class DamagedNotebooks(unittest.TestCase):
    def test_they_are_read_or_refused_in_words(self):
        read = 0
        for seed in range(_SEEDS):
            with self.subTest(seed=seed):
                read += self._try(damaged(seed))
        self.assertGreater(read, _SEEDS // 10)

    def _try(self, data):
        try:
            cells = reading.read(data, "train.ipynb")
        except reading.NotebookError as error:
            self.assertLess(len(error.message), 1000)
            self.assertTrue(error.hint)
            return False
        json.dumps(reading.describe(cells, "train.ipynb"))
        for cell in cells:
            text = plain(cell.source).text
            self.assertEqual(cell.source.count("\n"), text.count("\n") if text else cell.source.count("\n"))
            text.encode("utf-8", "surrogatepass")
            try:
                running._parts(text, "cell", 0)
            except SyntaxError:
                pass
        return True


if __name__ == "__main__":
    unittest.main()
