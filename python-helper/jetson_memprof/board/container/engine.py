"""Container engines of a board (docker, podman, nerdctl): finding them, asking them, and what their refusals mean.

What they print is text of somebody else: it is bounded, and shown as text only.
"""
from ..errors import BoardError
from ..system import system as systems

NAMES = ("docker", "podman", "nerdctl")
#: An engine on a worn card that starts for the first time after a boot takes its time.
PATIENCE_S = 30.0
_LONGEST_NAME = 255
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_ALSO = {"container": frozenset("_.-"), "image": frozenset("_.-:/@")}
_LONGEST_WORDS = 300


class Engine(object):
    """One of them, as it is installed."""

    def __init__(self, name, program):
        self.name = name
        self.program = program

    def argv(self, *arguments):
        return [self.program] + list(arguments)

    def begin(self, *arguments):
        """A programs.Asked."""
        from ..system.programs import Asked  # not for whoever only follows a run: it brings `subprocess` along
        return Asked(self.argv(*arguments), PATIENCE_S)

    def ask(self, *arguments):
        """A programs.Answer."""
        return self.begin(*arguments).answer()


def installed():
    """The engines that this user would start, in the order in which they are asked."""
    board = systems.here()
    found = [Engine(name, board.program(name)) for name in NAMES]
    return [one for one in found if one.program is not None]


def none_installed():
    return BoardError(
        "no-engine", "No container engine was found on the board: neither docker nor podman nor nerdctl is there.",
        "Install one of them there, or profile outside of a container.")


def is_name(kind, text):
    """Whether a text can name a container or an image; an option of the engine never can."""
    return 0 < len(text) <= _LONGEST_NAME and text[0] in _LETTERS and (_LETTERS | _ALSO[kind]).issuperset(text)


def words_of(text):
    """What a program complained of, in one line for a person."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = " | ".join(lines[-2:])
    return "".join(one if one.isprintable() else " " for one in said)[-_LONGEST_WORDS:]


def refusal(engine, answer, doing):
    """The BoardError for an answer that is none; `doing` names the work, as 'listing the containers'."""
    said = words_of(answer.errors)
    lower = said.lower()
    if answer.status is None:
        return BoardError(
            "engine-silent", "%s on the board did not answer while %s." % (engine.name, doing),
            "Try there: %s ps" % engine.name)
    if "permission denied" in lower and ("sock" in lower or "daemon" in lower):
        return BoardError(
            "engine-permission", "You may not use %s on the board: %s" % (engine.name, said),
            "Add your account to its group there (sudo usermod -aG docker $USER), then log in again.")
    if "daemon running" in lower or "cannot connect" in lower or "connection refused" in lower \
            or "containerd.sock" in lower:
        return BoardError(
            "engine-not-running", "%s is installed on the board, but its service does not run: %s" % (engine.name, said),
            "Start it there: sudo systemctl start %s" % ("containerd" if engine.name == "nerdctl" else engine.name))
    return BoardError(
        "engine-failed", "%s on the board failed while %s: %s" % (engine.name, doing, said or "it said nothing"),
        "Try the same there with %s itself." % engine.name)
