"""Stand-in for torch.optim."""
from .sgd import SGD  # noqa: F401
