"""A container made of an image for one run: what it is given of the host, and what keeps it alive.

Nothing is installed in the image and nothing of it is pulled. The run's files lie in a folder of the host, which is
the only one that it is given besides the project of a local target; files that the script makes there are the user's.
"""
import os

from .. import names
from ..errors import BoardError
from ..files import make_folders
from .engine import Engine, is_name, refusal
from .inspected import Container, first_of, is_of_this_machine
from .processes import first_process

#: Ends a minute after the last process that something started in there, so that nothing is left behind by whoever made
#: it and went away. What is started later is no child of it, so it need not be waited for.
_KEEPER = """trap 'exit 0' TERM INT
idle=0
while [ $idle -lt 30 ]; do
  sleep 2
  idle=$((idle + 1))
  for one in /proc/[0-9]*; do
    case $one in /proc/1 | /proc/$$) ;; *) idle=0 ;; esac
  done
done"""
_FOLDER = "containers"
_MOST_ARGUMENTS = 64
_CDI = ("/etc/cdi", "/var/run/cdi")


class Making(object):
    """`value` is what the engine says of the image, `request` that of `enter`."""

    def __init__(self, engine, image, value, request):
        self._engine = engine
        self._image = image
        self._value = value
        self._name = "jetson-memprof-" + os.urandom(6).hex()
        self._told = None
        self._root = os.path.join(names.root_folder(request), _FOLDER)
        project = names.field(request, "project", str, None, required=False)
        self._project = None if project is None else os.path.normpath(names.native(project))
        given = names.field(request, "arguments", list, [], required=False)
        self._given = [names.native(names.clean_text(one, "arguments")) if isinstance(one, str)
                       else self._refuse(one) for one in given[:_MOST_ARGUMENTS]]

    @staticmethod
    def _refuse(value):
        raise names.refuse("arguments", value)

    def make(self):
        """As `enter` answers."""
        architecture = self._value.get("Architecture")
        machine = os.uname().machine
        if isinstance(architecture, str) and not is_of_this_machine(architecture, machine):
            raise BoardError(
                "image-architecture", "The image %s is for another processor (%s) than the board's (%s)."
                % (self._image, "".join(filter(str.isprintable, architecture))[:40], machine),
                "Take one that was built for this board.")
        make_folders(self._root)
        answer = self._engine.ask(*self._arguments())
        if answer.status != 0:
            raise self._not_made(answer)
        return self._look_at((answer.output.split() or [""])[-1]).described(self._engine, True, self._root, self._project)

    def _look_at(self, made):
        """The Container of an id, which the engine is asked about only where the kernel does not tell its first process."""
        pid = first_process(made) if len(made) == 64 and is_name("container", made) else None
        if pid is not None:
            return Container({"Id": made, "Name": self._name, "Config": {"Image": self._image}, "State": {"Pid": pid}})
        inspected = self._engine.ask("inspect", "--type", "container", made or "?")
        value = first_of(inspected.output) if inspected.status == 0 else None
        container = None if value is None else Container(value)
        if container is None or container.id is None:
            raise refusal(self._engine, inspected, "looking at the container that was made")
        return container

    def _arguments(self):
        found = ["run", "--detach", "--rm", "--name", self._name, "--label", "jetson-memprof=run", "--pull", "never"]
        if not any(one.startswith("--ipc") for one in self._given):
            # A limit, not a reservation: data loaders of PyTorch do not work in the usual 64 MiB.
            found += ["--shm-size", "8g"]
        found += self._account() + self._gpu()
        if os.path.exists("/sys/fs/selinux/enforce"):
            # Instead of relabelling the user's files (":z").
            found += ["--security-opt", "label=disable"]
        for folder in (self._root, self._project):
            if folder is not None:
                found += ["--mount", _mount(folder)]
        return found + self._given + ["--entrypoint", "sh", self._image, "-c", _KEEPER]

    def _account(self):
        """Files that are made are the user's: root of a rootless engine is the user already."""
        uid = os.getuid()
        if uid == 0 or self._is_rootless():
            return []
        found = ["--user", "%d:%d" % (uid, os.getgid()), "--env", "HOME=/tmp"]
        for group in _device_groups():
            found += ["--group-add", str(group)]
        return found

    def _is_rootless(self):
        if self._engine.name == "podman":
            return True
        return "name=rootless" in self._told_by_docker()

    def _told_by_docker(self):
        if self._told is None:
            answer = self._engine.ask("info", "--format", "{{json .Runtimes}} {{json .SecurityOptions}}")
            self._told = answer.output if answer.status == 0 else ""
        return self._told

    def _gpu(self):
        """How the GPU comes into a container there; nothing where it cannot."""
        if self._engine.name == "docker":
            return ["--runtime", "nvidia"] if '"nvidia"' in self._told_by_docker() else []
        for folder in _CDI:
            try:
                if any(name.startswith("nvidia") for name in os.listdir(folder)):
                    return ["--device", "nvidia.com/gpu=all"]
            except OSError:
                pass
        return []

    def _not_made(self, answer):
        said = answer.errors.lower()
        if "no such file" in said and '"sh"' in said or "executable file" in said and "sh" in said:
            return BoardError("no-shell-in-image", "The image %s has no shell (sh)." % self._image,
                              "Take an image that has a shell and Python 3.6 or newer.")
        return refusal(self._engine, answer, "making a container of %s" % self._image)


def remove_made(inside, run):
    """End a container that was made for a run; the engine removes it. What it has of the run lies on the host."""
    from shutil import rmtree
    # Not `rm --force`, for which podman waits ten seconds.
    Engine(inside.engine, inside.program).ask("kill", inside.id)
    if names.is_run_id(run):
        rmtree(os.path.join(names.native(inside.root), "runs", run), ignore_errors=True)


def _mount(folder):
    """A folder at the same place in the container, as `--mount` has it: fields of CSV."""
    fields = ["type=bind", "source=" + folder, "target=" + folder]
    return ",".join('"%s"' % one.replace('"', '""') if '"' in one or "," in one else one for one in fields)


def _device_groups():
    """The groups of the user's that may use the GPU's devices."""
    import grp
    found = []
    for gid in os.getgroups():
        try:
            if grp.getgrgid(gid).gr_name in ("video", "render"):
                found.append(gid)
        except KeyError:
            pass
    return found
