"""The chain of layers that a trial would cut: what runs one after the other, each on what the one before returned."""


def longest_sequential(module, sequential):
    """The nn.Sequential (the class `sequential`) with the most children in `module`, the first of several; None where
    none has two. Only one that runs as PyTorch wrote it is known to be a chain."""
    best = None
    for inner in module.modules():
        if isinstance(inner, sequential) and type(inner).forward is sequential.forward:
            if len(inner) > max(1, len(best) if best is not None else 1):
                best = inner
    return best
