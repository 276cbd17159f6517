"""The pure Python engine where threads run Python at the same time: what they share is touched by one event at a time.

With a global lock the engine needs none of this: its own rules (`switching` and `settling` in pure.py) are made for
threads that take turns.
"""
from _thread import allocate_lock
from os import getpid

#: Who has the lock for so long waits itself: a signal's handler of the program's came up in an event and joins a thread, say.
_STUCK_SECONDS = 5.0


def in_turns(files, start_thread, rebase, end):
    """What pure.make_process() returns, each event with a lock around it. `files` are the registry's."""
    turn, pid = allocate_lock(), getpid()

    def next_turn(stuck):
        """Another lock, held, from now on everybody's."""
        nonlocal turn
        while True:
            if turn is stuck:
                turn = allocate_lock()
            stuck = turn
            if stuck.acquire(True, _STUCK_SECONDS):
                return stuck

    def start_in_turns():
        enter, local = start_thread()

        def entered(frame, event, arg):
            # Without the lock for what is not measured: its thread may hold the import system's, which another one's event
            # may be waiting for. In a forked child on its way to rebase_in_turns() nobody may be there to give it back.
            if files.get(frame.f_code.co_filename) is False or getpid() != pid:
                return None
            mine = turn
            if not mine.acquire(True, _STUCK_SECONDS):
                mine = next_turn(mine)
            try:
                return happened if enter(frame, event, arg) else None
            finally:
                mine.release()

        def happened(frame, event, arg):
            if getpid() == pid:
                mine = turn
                if not mine.acquire(True, _STUCK_SECONDS):
                    mine = next_turn(mine)
                try:
                    local(frame, event, arg)
                finally:
                    mine.release()
            return happened

        entered.__module__ = enter.__module__  # by which the engine knows its tracers
        return entered, happened

    def rebase_in_turns():
        nonlocal turn, pid
        turn, pid = allocate_lock(), getpid()
        rebase()

    return start_in_turns, rebase_in_turns, end
