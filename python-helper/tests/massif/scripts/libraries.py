"""Goes between the project's code and library code in every way; prints what a profiler saw of library code."""
import cProfile
import contextlib
import re
import sys
import textwrap
import threading

kept = []


def replaced(match):
    kept.append(match.group())  # called by re
    return ""


@contextlib.contextmanager
def managed():
    kept.append(1)  # called by contextlib
    yield
    kept.append(2)


def in_thread():
    kept.append(3)  # called by threading


def put_back():
    sys.settrace(sys.gettrace())  # takes effect at the next call


re.compile("a").sub(replaced, "banana")
for _ in range(5):
    with managed():
        pass
threads = [threading.Thread(target=in_thread) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
profile = cProfile.Profile()
profile.enable()
textwrap.fill("some words " * 9)
in_thread()
profile.disable()
put_back()
re.compile("a").sub(replaced, "banana")
import imported  # noqa: E402

called = {entry.code.co_name for entry in profile.getstats() if not isinstance(entry.code, str)}
print(len(imported.kept), sorted(called & {"fill", "wrap", "_split_chunks", "in_thread"}))
