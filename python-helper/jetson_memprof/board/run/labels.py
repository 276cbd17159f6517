"""What the processes of a run are called."""


def label_of(view, processes):
    """What a process is called: `main`, `rank 1`, `rank 1, worker 2`, `worker 1`.

    :param view: has `kind`, `ppid` and `rank`
    :param processes: those that have a name already, by pid, as in run.json
    """
    if view.kind == "main":
        return "main"
    if view.rank is None:
        return "worker %d" % (1 + sum(1 for one in processes.values()
                                      if one["label"] != "main" and one.get("rank") is None))
    rank = view.rank[0]
    name = "rank %d" % rank
    same = [one for one in processes.values() if one.get("rank") == rank and one["label"] != "main"]
    # What a rank starts has its environment; what it forks always does.
    if view.kind == "fork" or processes.get(view.ppid, {}).get("rank") == rank:
        return "%s, worker %d" % (name, 1 + sum(1 for one in same if ", worker " in one["label"]))
    # A launcher starts all ranks again where one failed.
    before = sum(1 for one in same if ", worker " not in one["label"])
    return name if before == 0 else "%s, start %d" % (name, 1 + before)
