"""A layer that runs for one part of the batch after the other, and again so in backward.

What is there at once: its input and its output whole, and what one part needs inside. In backward the gradients of both
besides.
"""
import contextlib

from ..precision import Precision


def bounds_of(batch, chunks):
    """[(start, end)] of at most `chunks` parts that are as equal as can be."""
    chunks = min(chunks, batch)
    edges = [batch * at // chunks for at in range(chunks + 1)]
    return list(zip(edges, edges[1:]))


def chunked(torch):
    """The autograd.Function; apply(layer, bounds, a tensor that needs a gradient, input)."""

    class Chunked(torch.autograd.Function):
        @staticmethod
        def forward(context, layer, bounds, _, value):
            context.layer, context.bounds = layer, bounds
            context.autocast = Precision(torch, value.device.type).again()
            context.random = []
            context.save_for_backward(value)
            result = None
            for start, end in bounds:
                context.random.append(_random(torch, value))
                part = layer(value[start:end])
                if result is None:
                    result = part.new_empty((value.shape[0],) + tuple(part.shape[1:]))
                result[start:end] = part
                del part
            return result

        @staticmethod
        def backward(context, gradient):
            value, = context.saved_tensors
            needed = context.needs_input_grad[3]
            result = torch.empty_like(value) if needed else None
            for (start, end), random in zip(context.bounds, context.random):
                part = value[start:end].detach().requires_grad_(needed)
                with _as_before(torch, value, random), context.autocast(), torch.enable_grad():
                    output = context.layer(part)
                torch.autograd.backward(output, gradient[start:end])
                if needed:
                    result[start:end] = part.grad
                del part, output
            return None, None, None, result

    return Chunked


def _random(torch, value):
    state = torch.get_rng_state()
    return state, torch.cuda.get_rng_state(value.get_device()) if value.is_cuda else None


@contextlib.contextmanager
def _as_before(torch, value, random):
    with torch.random.fork_rng(devices=[value.get_device()] if value.is_cuda else []):
        torch.set_rng_state(random[0])
        if value.is_cuda:
            torch.cuda.set_rng_state(random[1], value.get_device())
        yield
