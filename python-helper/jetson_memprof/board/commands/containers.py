"""The commands `containers`, which lists what a run can be in, and `enter`, which makes one ready for it."""
import os

from .. import names
from ..container.engine import installed, is_name, none_installed, refusal, words_of
from ..container.inside import wait_in
from ..container.inspected import Container, first_of
from ..container.making import Making
from ..errors import BoardError

_MOST = 200
_LONGEST = 255


def containers(request):
    """The `containers` command: the running containers and the local images of each engine, or why it does not tell."""
    asked = [(engine, engine.begin("ps", "--format", "{{.ID}}\t{{.Names}}\t{{.Image}}"),
              engine.begin("images", "--format", "{{.Repository}}:{{.Tag}}")) for engine in installed()]
    return {"engines": [_listed(engine, running.answer(), images.answer()) for engine, running, images in asked]}


def _listed(engine, running, images):
    try:
        running = _rows(engine, "listing the containers", running)
        images = _rows(engine, "listing the images", images)
    except BoardError as error:
        return {"name": engine.name, "containers": [], "images": [], "error": error.as_reply()["error"]}
    found = [dict(zip(("id", "name", "image"), row)) for row in running if len(row) == 3]
    tags = [row[0] for row in images if "<none>" not in row[0]]
    return {"name": engine.name, "containers": [one for one in found if is_name("container", one["name"])],
            "images": [one for one in tags if is_name("image", one)], "error": None}


def _rows(engine, doing, answer):
    if answer.status != 0:
        raise refusal(engine, answer, doing)
    lines = [line for line in answer.output.splitlines() if line][:_MOST]
    # podman lists all names of a container, docker the one and its links.
    return [[part.split(",")[0][:_LONGEST] for part in line.split("\t")] for line in lines]


def enter(request):
    """The `enter` command: what `start` has to be told of a container or image, which is made ready for it."""
    kind, name = _wanted(request)
    engines = installed()
    if not engines:
        raise none_installed()
    refused = missing = None
    # All at once: the first that knows it counts, and who knows nothing takes as long to say so.
    asked = [(engine, engine.begin(*_INSPECTED[kind] + [name])) for engine in engines]
    try:
        for engine, inspecting in asked:
            answer = inspecting.answer()
            value = first_of(answer.output) if answer.status == 0 else None
            if value is not None:
                found = Making(engine, name, value, request).make() if kind == "image" \
                    else _enter(engine, answer, name, value, request)
                if names.field(request, "starts", bool, False, required=False):
                    wait_in(found["id"], engine.program, found["exec"])
                return found
            if _is_missing(answer):
                missing = missing or engine
            elif refused is None:
                refused = refusal(engine, answer, "looking for the %s %s" % (kind, name))
    finally:
        for _, inspecting in asked:
            inspecting.drop()
    # Who may not ask does not know what is there; a service that does not run has no container that runs.
    if missing is None or (refused is not None and refused.code == "engine-permission"):
        raise refused
    raise _not_there(missing, kind, name, refused)


_INSPECTED = {"container": ["inspect", "--type", "container"], "image": ["image", "inspect"]}


def _is_missing(answer):
    said = answer.errors.lower()
    return answer.status not in (None, 0) and ("no such" in said or "not found" in said or "not known" in said)


def _not_there(engine, kind, name, refused):
    """`refused`: why another engine, which may have it, did not tell; None where all told."""
    also = "" if refused is None else " " + refused.message
    if kind == "container":
        return BoardError("no-container", "No container of the board is called %s.%s" % (name, also),
                          "See which there are: %s ps. A run needs one that is running." % engine.name)
    return BoardError("no-image", "The board has no image %s.%s" % (name, also),
                      "A run downloads nothing. Get it there first: %s pull %s" % (engine.name, name))


def _wanted(request):
    kind, colon, name = names.field(request, "inside", str).partition(":")
    if not colon or kind not in _INSPECTED or not is_name(kind, name):
        raise BoardError("bad-inside", "A run cannot be inside of that: %s." % words_of(request["inside"]),
                         "Write container:NAME for a container that runs, or image:NAME:TAG for a new one.")
    return kind, name


def _enter(engine, answer, name, value, request):
    container = Container(value)
    if container.id is None or not is_name("container", container.id):
        raise refusal(engine, answer, "describing the container %s" % name)
    if container.paused:
        raise BoardError("container-not-running", "The container %s is paused, so nothing can be started in it." % name,
                         "Continue it first: %s unpause %s" % (engine.name, name))
    if not container.running:
        raise BoardError("container-not-running", "The container %s does not run, so nothing can be started in it." % name,
                         "Start it first: %s start %s" % (engine.name, name))
    project = names.field(request, "project", str, None, required=False)
    return container.described(engine, False, container.room(), _place_of(container, project))


def _place_of(container, project):
    """Where the project, a path of the host or None, is in the container by its mounts; None where it is not there."""
    if project is None:
        return None
    path = os.path.normpath(names.native(project))
    return container.place_of(path) or container.place_of(os.path.realpath(path))
