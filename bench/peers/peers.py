"""The peers' environments for programs in Python; the same as peers.mjs, which asks for more."""
import json
import os
import pathlib
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def python_of(name):
    """The interpreter of an environment, which is made first where it is missing."""
    _made(name)
    return os.path.join(HERE, ".env", name, "bin", "python")


def versions_of(name):
    """What is installed, by the peers' names, with `python` itself."""
    return _made(name)["versions"]


def absent_of(name):
    """What could not be installed, and why; all of them where the environment could not be made."""
    return _made(name)["absent"]


def _made(name, _known={}):
    if name not in _known:
        module = "import('%s').then(({ versionsOf, absentOf }) => console.log(JSON.stringify(%s)))" % (
            pathlib.Path(HERE, "peers.mjs").as_uri(),
            "{ versions: versionsOf('%s'), absent: absentOf('%s') }" % (name, name))
        _known[name] = json.loads(subprocess.check_output(["node", "-e", module]))
    return _known[name]
