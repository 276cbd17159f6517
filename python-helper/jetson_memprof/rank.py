"""Which rank of a program that was started several times this process is, by the environment that its launcher gave it."""

#: (the rank, how many there are), by launcher.
_LAUNCHERS = (
    ("RANK", "WORLD_SIZE"),                               # torchrun, torch.distributed.launch
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),     # Open MPI
    ("PMI_RANK", "PMI_SIZE"),                             # MPICH, Intel MPI
    ("SLURM_PROCID", "SLURM_NTASKS"))
_DIGITS = frozenset("0123456789")


def rank_of(environ):
    """(rank, how many ranks), or None where no launcher says so."""
    for names in _LAUNCHERS:
        rank, ranks = [_number(environ.get(name, "")) for name in names]
        if rank is not None and ranks is not None and rank < ranks:
            return rank, ranks
    return None


def _number(text):
    return int(text) if 0 < len(text) < 7 and _DIGITS.issuperset(text) else None
