"""The texts of lean_json are those of json, and it reads what json reads, also on an interpreter without its C parts."""
import json
import os
import random
import subprocess
import sys
import unittest

HELPER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, HELPER)

from jetson_memprof import lean_json  # noqa: E402

VALUES = [
    None, True, False, 0, -1, 1 << 70, 0.1, -1e-300, 1e22, float("inf"), -float("inf"), "", "a\n\"\\/\x00\x7f", "\u00e9\u2028\U0001f600", "\ud800",
    [], {}, (), [[]], [{}], {"a": []}, {"a": {}}, {1: 2, None: 3, True: 4, 0.5: 5, "k": (1, "x", [None])},
    {"rows": [[1, 2, -3], [4, None, 6]], "deep": {"er": {"still": [1, {"x": [2]}]}}}]
TEXTS = ["", " ", "nul", "[1,]", "{", "{\"a\"}", "{'a': 1}", "[1] 2", "\"\n\"", "\"\\ud800\"", " \r\n\t[1 , 2]\n", "NaN", "-Infinity", "1.", "01", "-",
         "{\"a\":1,\"a\":2}", "\ufeff1", "\xa01", "[" * 20, "1e5", "1E+400", "\"\\x\"", "tru", "[1 2]"]


#: Reads a list of texts in a process that has not loaded json: some Pythons find errors in another way then.
WITHOUT_JSON = """
import sys
sys.path.insert(0, %r)
from jetson_memprof.lean_json import loads
for text in eval(sys.stdin.read()):
    try:
        print(ascii(loads(text)))
    except ValueError:
        print("ValueError")
""" % HELPER


def read_by_json(text):
    try:
        return ascii(json.loads(text))
    except ValueError:
        return "ValueError"


class LeanJson(unittest.TestCase):
    def test_writes_the_texts_of_json(self):
        for value in VALUES:
            for more in ({}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}):
                self.assertEqual(lean_json.dumps(value, **more), json.dumps(value, **more), (value, more))

    def test_refuses_what_json_refuses_to_write(self):
        for value in (object(), {"a": b"x"}, {(1, 2): 3}, [set()]):
            self.assertRaises(TypeError, lean_json.dumps, value)
            self.assertRaises(TypeError, lean_json.dumps, value, indent=1)

    def test_reads_and_refuses_the_same_texts_as_json(self):
        self._check(TEXTS + [json.dumps(value) for value in VALUES])

    def test_reads_the_same_of_texts_with_one_character_changed(self):
        chance, texts = random.Random(8), []
        for _ in range(3000):
            text = list(json.dumps(chance.choice(VALUES)))
            text[chance.randrange(len(text))] = chance.choice("\"\\[]{},:0-e.nN \x00")
            texts.append("".join(text))
        self._check(texts)

    def _check(self, texts):
        found = subprocess.run([sys.executable, "-I", "-S", "-c", WITHOUT_JSON], input=ascii(texts).encode("ascii"),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(found.stderr, b"")
        self.assertEqual(found.stdout.decode("ascii").splitlines(), [read_by_json(text) for text in texts])
        for text in texts:
            if read_by_json(text) == "ValueError":
                self.assertRaises(ValueError, lean_json.loads, text)
            else:
                self.assertEqual(ascii(lean_json.loads(text)), read_by_json(text))

    def test_ends_at_too_deep_a_nesting_as_json_does(self):
        self.assertRaises(RecursionError, lean_json.loads, "[" * 200000)
        holds_itself = []
        holds_itself.append(holds_itself)
        self.assertRaises((RecursionError, ValueError), lean_json.dumps, holds_itself)

    def test_does_not_load_json(self):
        program = ("import sys; sys.path.insert(0, %r); from jetson_memprof import lean_json; "
                   "lean_json.loads(lean_json.dumps({'a': [1.5, None]}, indent=1)); print('json' in sys.modules)" % HELPER)
        self.assertEqual(subprocess.check_output([sys.executable, "-S", "-c", program]).strip(), b"False")

    def test_works_where_the_interpreter_lacks_the_c_parts(self):
        program = ("import sys; sys.modules['_json'] = None; sys.path.insert(0, %r); from jetson_memprof import lean_json; "
                   "print(lean_json.loads(lean_json.dumps({'a': [1.5, None]}, separators=(',', ':'))))" % HELPER)
        self.assertEqual(subprocess.check_output([sys.executable, "-c", program]).strip(), b"{'a': [1.5, None]}")


if __name__ == "__main__":
    unittest.main()
