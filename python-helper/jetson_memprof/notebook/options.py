"""The options of %memprof and %%memprof."""
import re
import shlex
from collections import namedtuple

METRICS = ("net", "self", "peak")

Options = namedtuple("Options", "metric top exact files save notebook")
#: `save` is None where nothing is to be saved, else the run's name, "" for none; `notebook` the path that was given.
DEFAULT = Options("net", None, False, False, None, None)

HELP = """\
%%memprof [options]            measure the lines of this cell
%memprof [options] statement   measure one statement

  --metric net|self|peak  which figure comes first, and which --top goes by (net)
  --top N                 show only the N lines with the largest figures
  --exact                 read the memory oftener, for less that is uncertain
  --files                 measure imported .py files below the working folder too
  --save[=NAME]           keep the figures as a run that the editor opens
  --notebook PATH         which notebook this is, where Jupyter does not say it: for --save"""

_OPTION = re.compile(r"""\s*(--[a-z]+)(?:=("[^"]*"|'[^']*'|\S*))?(?=\s|\Z)""")
_VALUE = re.compile(r"""\s+("[^"]*"|'[^']*'|\S+)""")


class OptionError(ValueError):
    pass


def split(line):
    """(Options, the rest of the line). Raises OptionError, in words."""
    options, at = DEFAULT, 0
    while True:
        found = _OPTION.match(line, at)
        if found is None:
            rest = line[at:].strip()
            if rest.startswith("-") and not rest.startswith(("-(", "- ")) and re.match(r"--?[a-z]", rest):
                raise OptionError("%s is no option of memprof.\n%s" % (rest.split()[0], HELP))
            if options.notebook is not None and options.save is None:
                raise OptionError("--notebook says where --save keeps the figures. Give --save too.")
            return options, rest
        name, value = found.groups()
        at = found.end()
        if value is None and name in ("--metric", "--top", "--notebook"):
            after = _VALUE.match(line, at)
            if after is None:
                raise OptionError("%s needs a value.\n%s" % (name, HELP))
            value, at = after.group(1), after.end()
        options = _with(options, name, value)


def _with(options, name, value):
    if name == "--metric":
        if value not in METRICS:
            raise OptionError("--metric is one of %s, not %s." % (", ".join(METRICS), value))
        return options._replace(metric=value)
    if name == "--top":
        if not value.isdecimal() or int(value) < 1:
            raise OptionError("--top is a whole number from 1 on, not %s." % value)
        return options._replace(top=int(value))
    if name == "--save":
        return options._replace(save="" if value is None else _unquoted(value))
    if name == "--notebook":
        path = _unquoted(value)
        if not path.endswith(".ipynb"):
            raise OptionError("--notebook is the path of a notebook, as notes/train.ipynb, not %s." % value)
        return options._replace(notebook=path)
    if name in ("--exact", "--files") and value is None:
        return options._replace(**{name[2:]: True})
    raise OptionError("%s is no option of memprof.\n%s" % (name, HELP))


def _unquoted(value):
    try:
        return " ".join(shlex.split(value))
    except ValueError:
        raise OptionError("The name %s has a quotation mark too many or too few." % value)
