"""``planes batch`` over the workers of a Dask cluster.

Each task runs ``planes batch --shard K/N``, and the last one ``planes batch --collect``; so the results
are the files, to the byte, that one ``planes batch`` would have written. Needs ``dask`` and ``distributed``,
and folders that all workers share. The program must be there for each worker: beside its Python, where
``pip`` puts it, or on its ``PATH``.

>>> from planes.dask import batch                               # doctest: +SKIP
>>> summary = batch("tiles", "results", client, top=20)         # doctest: +SKIP
>>> summary["done"], summary["failed"]                          # doctest: +SKIP
(412, 0)
"""

# distributed is typed in part alone.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import distributed

__all__ = ["batch"]

PathLike = str | os.PathLike[str]

# Tasks for each thread of the cluster: with several, those that end early take what others have not begun.
_TASKS_A_THREAD = 8

# How often a task asks whether it is still wanted, and how long those that are not are waited for, in seconds.
_POLL = 0.5
_LAST = 10

# Runs the program and ends it with whoever started this: a worker that is killed cannot do so itself, and what it
# leaves behind would hold memory, cores and the lock of its shard.
_GUARD = """
import os, subprocess, sys, threading

child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)

def watch():
    # Nobody writes: it ends when the other side is closed.
    os.read(0, 1)
    child.terminate()

threading.Thread(target=watch, daemon=True).start()
code = child.wait()
# Not sys.exit: the thread is still reading.
os._exit(code if code >= 0 else 128 - code)
"""


def batch(
    paths: PathLike | Iterable[PathLike],
    out: PathLike,
    client: distributed.Client | None = None,
    *,
    shards: int | None = None,
    threads: int = 1,
    retries: int = 2,
    progress: bool = True,
    program: PathLike | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Find the planes of many clouds and the lines of many images, into one folder.

    Files that an earlier run finished are not done again, and a file that cannot be read is passed over: it
    has the status ``failed`` in the summary. What a worker that dies had begun is done by another one.

    Parameters
    ----------
    paths
        Files, folders or patterns, as the workers see them. Relative ones begin at the current folder.
    out
        The folder of the results, which all workers share.
    client
        A client of the cluster; by default the current one, or else a cluster of this machine alone, for the
        time of this call.
    shards
        In how many tasks the files are divided; by default 8 for each thread of the cluster. The results do
        not depend on it.
    threads
        Threads of the program in each task. A thread of a Dask worker stands for a core, so it is 1; for
        clouds so large that few fit into memory, start workers with one thread each and say more here.
    retries
        How many times a task is tried again that fails, as where the disk was full.
    progress
        Whether to say on stderr how many tasks are done.
    program
        The program ``planes``, where it is neither beside Python nor on the ``PATH``.
    **options
        Options of ``planes batch``, with underscores for dashes: ``top=20``, ``one_pass=True``,
        ``only=["json", "labels"]``, ``class_=[2, 6]``.

    Returns
    -------
    dict
        What ``summary.json`` in `out` holds.

    Raises
    ------
    RuntimeError
        If the program refuses to work or cannot write, and if all files fail; with what it says.
    FileNotFoundError
        If a worker has no program.
    TypeError
        For an option that is for this function to set.

    Examples
    --------
    >>> batch("tiles/*.laz", "results", top=20, tolerance=0.03)     # doctest: +SKIP
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    files = [os.path.abspath(path) for path in paths]
    arguments = [*files, "--out", os.path.abspath(out), "--threads", str(threads), *_flags(options)]
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            # There is none. The work is done by other processes, so threads are enough.
            with distributed.Client(processes=False, dashboard_address=None) as local:
                return _run(local, arguments, shards, retries, progress, program)
    return _run(client, arguments, shards, retries, progress, program)


def _run(
    client: distributed.Client,
    arguments: list[str],
    shards: int | None,
    retries: int,
    progress: bool,
    program: PathLike | None,
) -> dict[str, Any]:
    if shards is None:
        shards = _TASKS_A_THREAD * max(1, sum(client.nthreads().values()))
    # A task that runs cannot be cancelled from here, so it asks.
    unwanted = distributed.Event(client=client)
    tasks: list[Any] = [
        # Pure would mean that a call with the same arguments need not be made again; but files change.
        client.submit(_shard, arguments, f"{k}/{shards}", program, unwanted, retries=retries, pure=False)
        for k in range(1, shards + 1)
    ]
    try:
        for done, task in enumerate(distributed.as_completed(tasks), 1):
            task.result()
            if progress:
                _say(done, shards)
        out = arguments[arguments.index("--out") + 1]
        tasks = [client.submit(_collect, out, shards, program, unwanted, retries=retries, pure=False)]
        summary: dict[str, Any] = tasks[0].result()
    except BaseException:
        _end(client, tasks, unwanted)
        raise
    return summary


def _end(client: distributed.Client, tasks: list[Any], unwanted: distributed.Event) -> None:
    """End all tasks; what they hold, such as the lock of the folder, is then free."""
    try:
        # The cluster may be gone, or a worker hang; but the error that was first tells more.
        with contextlib.suppress(Exception):
            unwanted.set()
            distributed.wait(tasks, timeout=_LAST)
            unwanted.clear()
    finally:
        client.cancel(tasks)


def _shard(arguments: list[str], shard: str, program: PathLike | None, unwanted: distributed.Event) -> None:
    """The work of one task."""
    _call(["batch", *arguments, "--shard", shard], program, unwanted)


def _collect(out: str, shards: int, program: PathLike | None, unwanted: distributed.Event) -> dict[str, Any]:
    """The summary of all tasks, read where the folder is."""
    if not _call(["batch", "--out", out, f"--collect={shards}"], program, unwanted):
        return {}
    with open(Path(out, "summary.json"), encoding="utf-8") as file:
        summary: dict[str, Any] = json.load(file)
    return summary


def _call(arguments: list[str], program: PathLike | None, unwanted: distributed.Event) -> bool:
    """Run the program to its end, and say so; that some files failed is told by the summary."""
    if unwanted.is_set():
        return False
    command = [sys.executable, "-c", _GUARD, _program(program), "--quiet", *arguments]
    said = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as guard:
        assert guard.stdin is not None and guard.stderr is not None
        reader = threading.Thread(target=lambda stderr: said.append(stderr.read()), args=(guard.stderr,), daemon=True)
        reader.start()
        try:
            while reader.is_alive():
                reader.join(_POLL)
                if reader.is_alive() and unwanted.is_set():
                    return False
        finally:
            # The guard then ends the program.
            guard.stdin.close()
            reader.join()
    if guard.returncode not in (0, 1):
        text = b"".join(said).decode(errors="replace").strip()
        raise RuntimeError(text or f"planes ended with {_ending(guard.returncode)}")
    return True


def _program(program: PathLike | None) -> str:
    """Where the program is on this machine."""
    if program is not None:
        return os.fspath(program)
    name = "planes.exe" if os.name == "nt" else "planes"
    beside = Path(sysconfig.get_path("scripts"), name)
    found = str(beside) if beside.is_file() else shutil.which("planes")
    if found is None:
        raise FileNotFoundError(f"no program planes, neither in {beside.parent} nor on the PATH")
    return found


def _flags(options: Mapping[str, Any]) -> list[str]:
    """Options as the program takes them."""
    flags = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if option in ("--shard", "--collect", "--quiet", "--verbose"):
            raise TypeError(f"{name}: batch sets this itself")
        if value is None or value is False:
            continue
        if value is True:
            flags.append(option)
        elif isinstance(value, (str, bytes, os.PathLike)) or not isinstance(value, Iterable):
            # In one word: a value may begin with a dash.
            flags.append(f"{option}={os.fsdecode(value) if isinstance(value, bytes) else value}")
        else:
            flags.append(f"{option}={','.join(map(str, value))}")
    return flags


def _ending(code: int) -> str:
    try:
        return signal.Signals(code - 128).name
    except ValueError:
        return f"exit code {code}"


def _say(done: int, of: int) -> None:
    """One line that grows on a terminal, and the last one elsewhere."""
    if sys.stderr.isatty():
        print(f"\rplanes: {done} of {of} shards done", end="\n" if done == of else "", file=sys.stderr, flush=True)
    elif done == of:
        print(f"planes: all {of} shards done", file=sys.stderr)
