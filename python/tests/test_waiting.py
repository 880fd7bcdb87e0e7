"""While a search works: other threads, progress, Ctrl-C, forks and changes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from conftest import REPOSITORY

import planes

LARGE = 1_500_000


@pytest.fixture(scope="module")
def large() -> planes.Cloud:
    """A cloud that takes a second or more."""
    return planes.synth("room", points=LARGE)


def test_other_threads_go_on(large: planes.Cloud) -> None:
    ticks, done = 0, threading.Event()

    def search() -> None:
        planes.detect(large.xyz, threads=1)
        done.set()

    thread = threading.Thread(target=search)
    thread.start()
    while not done.wait(0.01):
        ticks += 1
    thread.join()
    assert ticks > 20


def test_several_threads_may_search_at_once(room: planes.Cloud, found: planes.Found) -> None:
    with ThreadPoolExecutor(4) as pool:
        others = list(pool.map(lambda _: planes.detect(room.xyz), range(8)))
    assert {other.to_json() for other in others} == {found.to_json()}
    assert all(np.array_equal(other.labels, found.labels) for other in others)


def test_a_function_is_told_how_far_it_is(large: planes.Cloud) -> None:
    told: list[tuple[str, float | None]] = []
    caller = threading.get_ident()

    def tell(stage: str, fraction: float | None) -> None:
        assert threading.get_ident() == caller
        told.append((stage, fraction))

    planes.detect(large.xyz, top=1, progress=tell)
    assert told[0][0] == "reading"
    assert len({stage for stage, _ in told}) > 3
    assert all(fraction is None or 0 <= fraction <= 1 for _, fraction in told)


def test_what_the_function_raises_ends_the_search(large: planes.Cloud) -> None:
    def tell(stage: str, fraction: float | None) -> None:
        raise LookupError(stage)

    start = time.monotonic()
    with pytest.raises(LookupError):
        planes.detect(large.xyz, progress=tell)
    assert time.monotonic() - start < 1.5


def test_a_bar_comes_and_goes(room: planes.Cloud, capsys: pytest.CaptureFixture[str]) -> None:
    planes.detect(room.xyz, progress=True)
    shown = capsys.readouterr().err
    assert "reading" in shown
    assert shown.rpartition("\r")[2] == ""
    planes.detect(room.xyz)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("after", [0.03, 0.2, 0.6, 1.0])
def test_ctrl_c_ends_a_search_within_half_a_second(large: planes.Cloud, after: float) -> None:
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        planes.detect(large.xyz, vote="all", threads=1)
    assert time.monotonic() - sent[0] < 1.5
    # What was abandoned does not disturb what comes.
    assert len(planes.detect(large.xyz[::50], top=2)) == 2


def test_a_process_that_was_forked_works_too(room: planes.Cloud, found: planes.Found) -> None:
    scans = REPOSITORY / "fuzz" / "seeds" / "read_e57" / "two-scans"

    def work() -> list[object]:
        image = planes.synth("lines").image.tobytes()
        return [planes.detect(room.xyz).to_json(), image, planes.detect(scans, min_inliers=3).to_json()]

    before = work()
    child = os.fork()
    if child == 0:
        os._exit(0 if work() == before else 1)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


def test_ctrl_c_while_a_file_is_written_leaves_what_was_there(large: planes.Cloud, tmp_path: Path) -> None:
    found, path = planes.detect(large.xyz, top=1), tmp_path / "room.laz"
    path.write_text("old")
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        found.save(path)
    # In this time, the first file would be written twice.
    for _ in range(2):
        found.save(tmp_path / "other.laz")
    assert path.read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["other.laz", "room.laz"]


def test_points_that_change_meanwhile_spoil_no_more_than_the_result(room: planes.Cloud) -> None:
    xyz, done = room.xyz.copy(), threading.Event()

    def spoil() -> None:
        random = np.random.default_rng(1)
        while not done.is_set():
            xyz[random.integers(len(xyz), size=1000)] = random.choice([np.nan, 1e30, -5, 7.5])
            xyz[...] = room.xyz

    thread = threading.Thread(target=spoil)
    thread.start()
    try:
        for _ in range(20):
            try:
                assert len(planes.detect(xyz).labels) == len(xyz)
            except planes.DegenerateError:
                pass
    finally:
        done.set()
        thread.join()


def test_points_live_as_long_as_they_are_needed(found: planes.Found) -> None:
    own = planes.detect(planes.synth("room", points=40_000).xyz)
    assert np.array_equal(own.distance, found.distance, equal_nan=True)


def test_an_interpreter_that_ends_does_not_wait() -> None:
    code = (
        "import planes, os, signal, threading\n"
        f"xyz = planes.synth('room', points={LARGE}).xyz\n"
        "threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try: planes.detect(xyz, vote='all')\n"
        "except KeyboardInterrupt: print('interrupted')\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "interrupted\n", "")
