"""Examples run, types are right, and the stubs say what is there."""

from __future__ import annotations

import ast
import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from conftest import REPOSITORY

import planes

PACKAGE = REPOSITORY / "python" / "planes"
MODULES = sorted(path.stem for path in PACKAGE.glob("_*.py") if path.stem != "__main__")


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    module = planes if name == "__init__" else import_module(f"planes.{name}")
    done = doctest.testmod(module)
    assert done.failed == 0


def test_the_examples_of_the_manual_run() -> None:
    done = doctest.testfile(str(REPOSITORY / "python" / "README.md"), module_relative=False)
    assert done.failed == 0 and done.attempted > 5


def test_whatever_is_public_has_an_example_or_words() -> None:
    for name in planes.__all__:
        value = getattr(planes, name)
        assert isinstance(value, str) or value.__doc__, name
        if not isinstance(value, type) and callable(value):
            assert ">>>" in value.__doc__, name


def names(stub: str) -> set[str]:
    """What a stub defines or passes on."""
    found: set[str] = set()
    for node in ast.parse((PACKAGE / stub).read_text()).body:
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname for alias in node.names if alias.asname}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def test_the_stubs_say_what_is_there() -> None:
    assert names("__init__.pyi") - {"__all__"} == set(planes.__all__) == set(dir(planes))
    native = import_module("planes._planes")
    own = {name for name in vars(native) if not name.startswith("__")} - {"_planes"} | {"__version__"}
    assert names("_planes.pyi") == own


def test_types_are_right() -> None:
    pytest.importorskip("mypy")
    line = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml"]
    done = subprocess.run(line, cwd=REPOSITORY / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stub_of_the_native_part_has_its_signatures(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    config = str(REPOSITORY / "python" / "pyproject.toml")
    line = [sys.executable, "-m", "mypy.stubtest", "--mypy-config-file", config, "planes._planes"]
    # Elsewhere, so that the module is the installed one.
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_says_that_it_is_typed() -> None:
    assert Path(planes.__file__ or "").with_name("py.typed").exists()
