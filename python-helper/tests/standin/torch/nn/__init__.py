"""Stand-in for torch.nn."""
from .modules.module import Module  # noqa: F401
