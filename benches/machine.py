"""The machine that a table is measured on."""

import os
import platform
from pathlib import Path


def machine():
    """The machine in words."""
    name = platform.processor() or platform.machine()
    try:
        info = Path("/proc/cpuinfo").read_text()
        name = next(line.split(":")[1].strip() for line in info.splitlines() if "model name" in line)
    except (OSError, StopIteration):
        pass
    return f"{name}, {len(os.sched_getaffinity(0))} cores"
