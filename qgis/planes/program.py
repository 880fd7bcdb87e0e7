"""The program ``planes``: where it is, what it is told, and how it runs. Knows nothing of QGIS."""

import os
import queue
import shlex
import shutil
import subprocess
import threading

# How often, in seconds, a running program is asked about.
_PAUSE = 0.1


class ProgramError(Exception):
    """What the program, or the system in its place, says."""


def find(setting):
    """The program that a setting names, or the one that a shell would find, or that cargo installed."""
    if setting:
        if not os.path.isfile(setting):
            raise ProgramError(f"{setting}: no such file; see Settings, Options, Processing, Providers, planes")
        return setting
    cargo = os.path.join(os.path.expanduser("~"), ".cargo", "bin")
    found = shutil.which("planes") or shutil.which("planes", path=cargo)
    if found is None:
        raise ProgramError(
            "the program planes is not installed, or not on the PATH; "
            "name it in Settings, Options, Processing, Providers, planes"
        )
    return found


def arguments(cloud, outputs, values, more):
    """The arguments of ``planes detect``.

    `outputs` and `values` give the values of options, those that are None left out; `more` is text, as in a
    shell.
    """
    words = ["detect", cloud]
    for option, value in [*outputs.items(), *values.items()]:
        if value is not None and value != "":
            words.append(f"--{option}={value}")
    return words + shlex.split(more or "")


def run(command, say, is_cancelled):
    """Run a command: each line that it says goes to `say`; False if it was cancelled.

    Ended by ``terminate`` it removes what it has begun to write.
    """
    lines = queue.Queue()
    # No console flashes up on Windows.
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            creationflags=flags,
        )
    except OSError as error:
        raise ProgramError(f"{command[0]}: {error.strerror}") from error

    def listen():
        for line in process.stderr:
            lines.put(line.rstrip())
        lines.put(None)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    last = ""
    with process:
        while True:
            if is_cancelled():
                process.terminate()
                listener.join()
                return False
            try:
                line = lines.get(timeout=_PAUSE)
            except queue.Empty:
                continue
            if line is None:
                break
            last = line.removeprefix("planes: ")
            say(last)
    if process.returncode != 0:
        raise ProgramError(last or f"{command[0]} ended with exit code {process.returncode}")
    return True
