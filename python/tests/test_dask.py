"""``planes.dask.batch`` on a cluster of this machine. Needs the program, ``dask`` and ``distributed``."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

distributed = pytest.importorskip("distributed")

from planes.dask import _flags, _program, batch  # noqa: E402

CLOUDS = 8
# Without pictures, which take most of the time.
OPTIONS = {"top": 5, "only": ["json", "labels", "csv"]}


@pytest.fixture(scope="module")
def program() -> str:
    """The program of the variable PLANES, or the one that is installed."""
    if named := os.environ.get("PLANES"):
        return os.path.abspath(named)
    try:
        return _program(None)
    except FileNotFoundError:
        pytest.skip("no program planes")


@pytest.fixture(scope="module")
def clouds(program: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of clouds, and one file that is damaged."""
    folder = tmp_path_factory.mktemp("clouds")
    for seed in range(CLOUDS):
        out = folder / f"room{seed}.las"
        size = ["--points", "20000", "--seed", str(seed)]
        subprocess.run([program, "-q", "synth", "room", *size, "-o", out], check=True)
        (folder / f"room{seed}.truth.json").unlink()
    (folder / "bad.las").write_text("LASF, and no more")
    return folder


@pytest.fixture(scope="module")
def whole(program: str, clouds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the program leaves without Dask."""
    out = tmp_path_factory.mktemp("whole")
    options = ["--top", "5", "--only", "json,labels,csv"]
    subprocess.run([program, "-q", "batch", clouds, "--out", out, *options], check=False)
    return out


@pytest.fixture
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        yield cluster


def results(folder: Path) -> dict[str, bytes]:
    """Names and bytes of all results, summaries without the seconds."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.name == ".planes":
            continue
        content = path.read_bytes()
        if path.name == "summary.csv":
            content = b"\n".join(line.rpartition(b",")[0] for line in content.splitlines())
        elif path.name == "summary.json":
            lines = content.splitlines()
            content = b"\n".join(line for line in lines if b'"seconds"' not in line)
        found[path.name] = content
    return found


def test_a_worker_is_killed_and_nothing_is_lost(cluster, clouds, whole, program, tmp_path):
    killed = []

    def kill_one() -> None:
        while not list(tmp_path.glob(".planes/done/*.json")):
            time.sleep(0.01)
        worker = next(iter(cluster.workers.values()))
        killed.append(worker.process.pid)
        os.kill(worker.process.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    with distributed.Client(cluster) as client:
        summary = batch(clouds, tmp_path, client, shards=4, program=program, **OPTIONS)
    killer.join()
    assert killed
    assert [summary["done"], summary["failed"]] == [CLOUDS, 1]
    assert results(tmp_path) == results(whole)
    assert summary == json.loads((tmp_path / "summary.json").read_text())


def test_finished_files_are_not_done_again(cluster, clouds, whole, program, tmp_path):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("room*")}
    with distributed.Client(cluster) as client:
        batch(str(clouds / "*"), tmp_path, client, program=program, progress=False, **OPTIONS)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("room*")} == before
    assert results(tmp_path) == results(whole)


def test_without_a_cluster_this_machine_does_it(clouds, tmp_path, program, capfd):
    files = [clouds / "room0.las", clouds / "room1.las"]
    summary = batch(files, tmp_path, only=["json"], min_inliers=50, shards=2, program=program)
    assert [summary["done"], summary["options"]["clouds"]["min_inliers"]] == [2, 50]
    assert capfd.readouterr().err == "planes: all 2 shards done\n"
    with pytest.raises(RuntimeError, match="--top must be at least 1"):
        batch(files, tmp_path, top=0, shards=1, retries=0, program=program)
    with pytest.raises(RuntimeError, match="1 file: 1 failed"):
        batch(clouds / "bad.las", tmp_path, shards=1, retries=0, program=program)
    assert sorted(path.suffix for path in tmp_path.glob("room*")) == [".json", ".json"]


def test_when_one_task_fails_the_others_end(cluster, tmp_path):
    pids, program = tmp_path / "pids", tmp_path / "planes"
    program.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *"--shard 1/"*) while [ ! -s {pids} ]; do sleep 0.1; done; echo oops >&2; exit 2;; esac\n'
        f"echo $$ >>{pids}\n"
        "exec sleep 300\n"
    )
    program.chmod(0o755)
    start = time.monotonic()
    with distributed.Client(cluster) as client:
        with pytest.raises(RuntimeError, match="oops"):
            batch(tmp_path, tmp_path / "out", client, shards=4, retries=0, program=program)
    assert time.monotonic() - start < 10
    started = [int(pid) for pid in pids.read_text().split()]
    assert started
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_options_are_those_of_the_program():
    options = {"top": 3, "one_pass": True, "class_": (2, 6), "bbox": None, "tolerance": 0.02}
    assert _flags(options) == ["--top=3", "--one-pass", "--class=2,6", "--tolerance=0.02"]
    assert _flags({"orient": "scanner:-1,2,3"}) == ["--orient=scanner:-1,2,3"]
    for name in ["shard", "collect", "quiet"]:
        with pytest.raises(TypeError, match=name):
            _flags({name: True})
