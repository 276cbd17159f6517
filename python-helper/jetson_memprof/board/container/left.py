"""What is left of a run in a container whose mirror on the host is gone."""
from ..errors import BoardError
from .inside import forget, of_folder
from .making import remove_made

_PATIENCE_S = 45.0


def end_inside(folder):
    """End a run that goes on in its container, and a container that was made for it; whether there was one to end."""
    inside = of_folder(folder)
    if inside is None:
        return False
    named = {"root": inside.root, "id": folder.id}
    try:
        ended = inside.call("cancel", named, _PATIENCE_S).get("state") == "cancelled"
        inside.call("remove", named, _PATIENCE_S)
    except (BoardError, OSError):
        ended = False  # the run, or all of the container, has ended
    if inside.made:
        remove_made(inside, folder.id)
    forget(folder)
    return ended
