"""A fork: the child counts from zero, its open lines go on in its own table."""
import os
from known import M, brief, map_code, take

kept = [take(8 * M)]  #: hits=1, net=8*M


def child_work():
    kept.append(take(4 * M))  #: child, hits=1, net=4*M, self=4*M
    brief(16 * M)  #: child, hits=1, net=0, peak=16*M


def split():
    pid = os.fork()
    if pid == 0:  #: hits=1
        map_code()  # what the parent has mapped of files is mapped again where the child touches it
        child_work()  #: child, hits=1, self=0
        os._exit(3)  #: child, hits=1
    status = os.waitpid(pid, 0)[1]  #: hits=1, net=0
    kept.append(take(2 * M))  #: hits=1, net=2*M
    return status


assert split() == 3 << 8  #: hits=1, net=2*M
