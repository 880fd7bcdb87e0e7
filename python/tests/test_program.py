"""The program that a wheel installs is the program."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import CLOUDS, PROGRAM, program

import planes


def test_exit_codes_and_streams_are_those_of_the_program(tmp_path: Path) -> None:
    assert program("--version").stdout == f"planes {planes.__version__}\n"
    table = program("-q", "detect", CLOUDS / "room.ply", "--top", "3")
    assert table.returncode == 0 and "room.ply: 3 planes" in table.stdout and table.stderr == ""
    missing = program("detect", tmp_path / "none.las")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr == f"planes: {tmp_path}/none.las: No such file or directory\n"
    usage = program("detect", "--tolerance", "much")
    assert usage.returncode == 2 and usage.stderr.startswith("planes: invalid value 'much'")
    some = program("-q", "detect", CLOUDS / "room.ply", tmp_path / "none.las", "--out", tmp_path / "out")
    assert some.returncode == 1


def test_the_module_runs_as_the_program() -> None:
    line = [sys.executable, "-m", "planes", "--version"]
    assert subprocess.run(line, capture_output=True, text=True).stdout == f"planes {planes.__version__}\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_by_that_signal(number: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "room.ply"
    program("synth", "room", "-o", path, "--points", 1_000_000)
    line = [PROGRAM, "detect", path, "--vote", "all", "--json", tmp_path / "room.json"]
    running = subprocess.Popen(list(map(str, line)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.6)
    start = time.monotonic()
    running.send_signal(number)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out) == (-number, b"")
    assert b"Traceback" not in err
    assert time.monotonic() - start < 1.5
    assert not (tmp_path / "room.json").exists()


def test_a_reader_who_leaves_is_no_error() -> None:
    line = f"'{PROGRAM}' -q detect '{CLOUDS / 'street.laz'}' --json - | head -c 10; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert ran.stdout == '{\n  "forma0\n' and ran.stderr == ""
