"""What only the script may know is in no error and no file, also where the run cannot begin."""
import os
import unittest

from test_board_common import BoardCase

SECRET = "hunter2-of-the-script"


class EnvironmentOfTheScript(BoardCase):
    def nowhere(self, reply):
        self.assertNotIn(SECRET, str(reply))
        for folder, _, files in os.walk(self.root):
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    self.assertNotIn(SECRET.encode(), file.read(), name)

    def test_a_variable_that_cannot_be_set_is_named_without_its_value(self):
        self.write("script.py", "pass\n")
        for name, value in (("TOKEN", SECRET + "\0"), ("", SECRET), ("TOKEN=" + SECRET, ""), ("TOKEN", [SECRET]),
                            ("TOKEN", SECRET + "\ud800")):
            reply = self.start("r1", "script.py", check=False, env={name: value})
            self.assertEqual(reply["error"]["code"], "bad-request")
            self.nowhere(reply)

    def test_a_script_that_cannot_be_started(self):
        self.nowhere(self.start("r1", "gone.py", check=False, env={"TOKEN": SECRET}))
        self.write("script.py", "pass\n")
        self.nowhere(self.start("r2", "script.py", check=False, env={"TOKEN": SECRET}, cwd="nowhere"))

    def test_a_run_that_fails(self):
        self.run_script("r1", "import os\nassert os.environ['TOKEN']\nraise SystemExit(3)\n", env={"TOKEN": SECRET})
        self.nowhere(self.load("r1"))


if __name__ == "__main__":
    unittest.main()
