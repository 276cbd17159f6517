"""What a tensor is made of: its storage, whatever the version of PyTorch."""


#: Wrappers in wrappers, and tensors in one: more is none that we know.
_DEEPEST = 4
_MOST_PARTS = 16


def storage_of(tensor, depth=0):
    """(key, bytes) of the storage that holds it; None where it has none of its own, or an empty one. Of a tensor that
    stands for others (torchao's packed ones) the first one's key, and the bytes of all.

    Keys are good while the storage lives: its address may be another's afterwards.
    """
    found = _own_storage(tensor)
    if found is not None or depth == _DEEPEST:
        return found
    parts = [storage_of(part, depth + 1) for part in parts_of(tensor)]
    known = [part for part in parts if part is not None]
    return (known[0][0], sum(size for _, size in known)) if known else None


def parts_of(tensor):
    """The tensors that it stands for, by the protocol that PyTorch has for such classes."""
    flatten = getattr(type(tensor), "__tensor_flatten__", None)
    if flatten is None:
        return []
    try:
        names = list(flatten(tensor)[0])[:_MOST_PARTS]
        return [part for part in (getattr(tensor, name) for name in names) if part is not None]
    except Exception:  # the program's own class
        return []


def one_byte_parts(tensor, depth=0):
    """Bytes of its elements that take one byte each: packed optimizer state."""
    parts = parts_of(tensor) if depth < _DEEPEST else []
    if parts:
        return sum(one_byte_parts(part, depth + 1) for part in parts)
    return tensor.numel() if tensor.element_size() == 1 and tensor.device.type != "meta" else 0


def _own_storage(tensor):
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
