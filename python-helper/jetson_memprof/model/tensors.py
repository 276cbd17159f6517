"""What a tensor is made of: its storage, whatever the version of PyTorch."""


def storage_of(tensor):
    """(key, bytes) of the storage that holds it; None where it has none of its own, or an empty one.

    Keys are good while the storage lives: its address may be another's afterwards.
    """
    try:
        if hasattr(tensor, "untyped_storage"):  # 2.0
            storage = tensor.untyped_storage()
            size = storage.nbytes()
        else:
            storage = tensor.storage()
            size = storage.nbytes() if hasattr(storage, "nbytes") else storage.size() * storage.element_size()
        address = storage.data_ptr()
    except (RuntimeError, NotImplementedError):  # sparse, oneDNN's own layout, a tensor that stands for another
        return None
    return ((tensor.device.type, address), size) if size and address else None


def dtype_of(tensor):
    return str(tensor.dtype).replace("torch.", "")


def tensors_in(value, is_tensor, limit=64):
    """The tensors in nested lists, tuples and dictionaries, in order, at most `limit`."""
    found, waiting = [], [value]
    while waiting and len(found) < limit:
        item = waiting.pop()
        if is_tensor(item):
            found.append(item)
        elif isinstance(item, (list, tuple)):
            waiting.extend(reversed(item))
        elif isinstance(item, dict):
            waiting.extend(reversed(list(item.values())))
    return found


def batch_of(tensors):
    """The first dimension of the first tensor that has one."""
    return next((int(tensor.shape[0]) for tensor in tensors if tensor.dim() > 0 and tensor.shape[0] > 0), None)


def scales(shape, batch):
    """Whether the first dimension is the batch's: equal to it or, flattened with the next ones, a multiple of it."""
    if not shape or batch is None:
        return False
    return shape[0] == batch or (len(shape) > 1 and shape[0] > batch and shape[0] % batch == 0)
