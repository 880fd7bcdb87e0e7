"""What several tests use."""

from __future__ import annotations

import signal
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import planes

REPOSITORY = Path(__file__).resolve().parents[2]
CLOUDS = REPOSITORY / "clouds"
#: The program as the wheel installs it.
PROGRAM = Path(sysconfig.get_path("scripts"), "planes")

# A shell that starts the tests in the background lets them ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def room() -> planes.Cloud:
    """A room of 40 000 points."""
    return planes.synth("room", points=40_000)


@pytest.fixture(scope="session")
def found(room: planes.Cloud) -> planes.Found:
    """Its planes."""
    return planes.detect(room.xyz)


def program(*arguments: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the program."""
    line = [str(PROGRAM), *map(str, arguments)]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120)


def write_ply(path: Path, xyz: npt.NDArray[Any]) -> Path:
    """Writes points as a PLY file of doubles."""
    head = "ply\nformat binary_little_endian 1.0\nelement vertex {}\n{}end_header\n"
    axes = "".join(f"property double {axis}\n" for axis in "xyz")
    path.write_bytes(head.format(len(xyz), axes).encode() + np.asarray(xyz, "<f8").tobytes())
    return path
