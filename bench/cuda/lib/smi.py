"""Asks nvidia-smi what memory the GPU and each program on it use, and reads its answer."""
import os
import subprocess

MIB = 1 << 20
_LIMIT_S = 20


def nvidia_smi():
    """{"apps": {pid: bytes}, "used": bytes}; None where it does not answer. In MiB, as it prints them."""
    gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    apps = _asked(["-i", gpu, "--query-compute-apps=pid,used_gpu_memory"])
    used = _asked(["-i", gpu, "--query-gpu=memory.used"])
    if apps is None or used is None:
        return None
    return {"apps": parse_apps(apps), "used": parse_mib(used)}


def parse_apps(text):
    rows = (row.split(",") for row in text.splitlines())
    return dict((int(row[0]), parse_mib(row[1])) for row in rows if len(row) == 2 and row[0].strip().isdigit())


def parse_mib(text):
    """Bytes of "123"; None of "[N/A]"."""
    return int(text) * MIB if text.strip().isdigit() else None


def _asked(options):
    try:
        done = subprocess.run(["nvidia-smi", "--format=csv,noheader,nounits"] + options, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=_LIMIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
