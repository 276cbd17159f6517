"""How a model is fine-tuned: LoRA adapters, packed weights, gradient checkpointing, how long a sequence may be.

The layers of PEFT, bitsandbytes and transformers are known by what they hold. None of these is imported, and none of
their code runs: only attributes of instances are read, and each is checked.
"""

#: More is no model's.
_MOST_LAYERS = 20000
_MOST_ADAPTERS = 16
_MOST_NUMBER = 2 ** 31


def tuning_record(root, modules):
    """The record of a root, None where there is nothing to tell; `modules` is [(number, module)]."""
    record = {"record": "tuning", "root": root, "adapters": [], "packed": [], "checkpointing": None, "type": None,
              "positions": None}
    for number, module in modules[:_MOST_LAYERS]:
        record["adapters"].extend([number] + row for row in _adapters(module))
        record["packed"].extend([number] + row for row, _ in _packed(module))
        checkpointing = _held(module).get("gradient_checkpointing")
        if isinstance(checkpointing, bool):
            record["checkpointing"] = checkpointing or bool(record["checkpointing"])
        if record["type"] is None:
            record["type"], record["positions"] = _configured(_held(module).get("config"))
    told = record["adapters"] or record["packed"] or record["checkpointing"] is not None or record["type"]
    return record if told else None


def beside_packed(module):
    """{name: tensor} of what bitsandbytes keeps for each packed weight outside of parameters and buffers: scales and
    tables."""
    found = {}
    for _, tensors in _packed(module):
        found.update(tensors)
    return found


def _adapters(module):
    """[name, rank, scaling or None] of each LoRA adapter of a layer. PEFT keeps one for each name; others have one."""
    held = _held(module)
    children = dict(held.get("_modules") or {}, **(held.get("_parameters") or {}))
    if "lora_A" not in children or "lora_B" not in children:
        return
    ranks, scaling = held.get("r"), held.get("scaling")
    if not isinstance(ranks, dict):
        ranks, scaling = {"": ranks}, {"": scaling}
    for name, rank in list(ranks.items())[:_MOST_ADAPTERS]:
        if _is_count(rank):
            scale = scaling.get(name) if isinstance(scaling, dict) else None
            fits = type(scale) in (int, float) and abs(scale) < _MOST_NUMBER  # no NaN
            yield [_text(name, 200), rank, scale if fits else None]


def _packed(module):
    """([parameter, kind, elements in a block, whether scales are packed too, elements], {name: tensor beside it})."""
    for name, parameter in (_held(module).get("_parameters") or {}).items():
        kinds = [kind.__name__ for kind in type(parameter).__mro__]
        if "Params4bit" in kinds:
            state = _held(parameter).get("quant_state")
            held = _held(state if state is not None else _held(module).get("quant_state"))
            if "absmax" not in held:  # not on its device yet, so not packed
                continue
            nested = _held(held.get("state2"))
            tensors = {"absmax": held["absmax"], "code": held.get("code"), "offset": held.get("offset"),
                       "state2.absmax": nested.get("absmax"), "state2.code": nested.get("code")}
            kind, block = held.get("quant_type"), held.get("blocksize")
            row = [_text(kind, 20), block if _is_count(block) else 0, bool(nested), _product(held.get("shape"))]
        elif "Int8Params" in kinds:
            held = _held(parameter)
            state = _held(_held(module).get("state"))
            scales = held.get("SCB") if held.get("SCB") is not None else state.get("SCB")
            if scales is None:
                continue
            tensors = {"CB": held.get("CB"), "SCB": scales, "state.CB": state.get("CB")}
            row = ["int8", 0, False, parameter.numel()]
        else:
            continue
        yield [name] + row, dict(("%s.%s" % (name, key), value) for key, value in tensors.items() if _is_tensor(value))


def _configured(config):
    """(model type, positions) as transformers' configurations have them; None each where they are not told."""
    kind = next((vars(each)["model_type"] for each in type(config).__mro__ if "model_type" in vars(each)), None)
    held = _held(config)
    longest = [held.get("max_position_embeddings"), held.get("n_positions")]
    positions = next((each for each in longest if _is_count(each)), None)
    return (kind[:100], positions) if isinstance(kind, str) and kind else (None, None)


def _held(thing):
    """What an instance holds itself: no property and no `__getattr__` of it is run."""
    try:
        held = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}
    return held if isinstance(held, dict) else {}


def _text(value, most):
    return value[:most] if isinstance(value, str) else ""


def _is_count(value):
    return type(value) is int and 0 < value < _MOST_NUMBER


def _is_tensor(value):
    return callable(getattr(type(value), "element_size", None)) and callable(getattr(type(value), "data_ptr", None))


def _product(shape):
    """0 where it is not known."""
    product = 1
    for size in list(shape)[:8] if isinstance(shape, (tuple, list)) else [0]:
        product *= size if _is_count(size) else 0
    return product
