"""Stand-in: which version of PyTorch this is like."""
import os


def _numbers(version):
    return tuple(int(part) for part in version.split("."))


def SINCE(version):
    return _numbers(os.environ.get("STANDIN_TORCH", "2.1")) >= _numbers(version)
