"""Whose an exception is that comes up where the helper works within the user's program."""

_PACKAGE = __name__.partition(".")[0] + "."


def is_of_program(error):
    """Whether it was raised by the program, as by a signal's handler, and neither by the helper nor by PyTorch."""
    name = innermost(error).tb_frame.f_globals.get("__name__") or ""
    return not name.startswith((_PACKAGE, "torch."))


def innermost(error):
    """The traceback's entry of where it was raised."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace
