"""Every option of the program is an argument, and means the same."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import program, write_ply

import planes

#: Options of `planes detect` that are of files, of tables, or of another function.
ELSEWHERE = {
    "json", "csv", "ply", "labels", "overlay", "out", "svg", "space-image", "label-by", "up",
    "explain", "timings", "chunk", "help", "verbose", "quiet", "version",
    "class",
}  # fmt: skip
GIVEN: list[dict[str, Any]] = [
    {},
    {"top": 3},
    {"tolerance": 0.02},
    {"widen": 1},
    {"angle": 10.5, "orient": "offset"},
    {"curved": "facets"},
    {"min_inliers": 2000},
    {"min_area": 1.5},
    {"refine": "lms"},
    {"space": "polar:90x90", "rho_bin": 0.05},
    {"vote": "all", "voter": "serial"},
    {"one_pass": True, "min_votes": 1000},
    {"orient": "scanner:1,2,1.5"},
    {"bbox": (0, 0, 3, 3)},
    {"bbox": [-1, -1, 0.1, 5, 5, 2]},
    {"every": 3, "threads": 1},
]


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_the_result_is_that_of_the_program(
    given: dict[str, Any], room: planes.Cloud, tmp_path: Path
) -> None:
    path = write_ply(tmp_path / "room.ply", room.xyz)
    line: list[object] = []
    for name, value in given.items():
        text = ",".join(map(str, value)) if isinstance(value, (tuple, list)) else value
        line += [f"--{name.replace('_', '-')}"] + ([] if value is True else [text])
    outputs = ["--json", tmp_path / "room.json", "--labels", tmp_path / "room.npy"]
    ran = program("detect", path, "--device", "cpu", *outputs, *line)
    if "voter" in given:
        ran = program("detect", path, *outputs, *line)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr
    found = planes.detect(room.xyz, **given)
    assert found.to_json() == (tmp_path / "room.json").read_text()
    assert np.array_equal(found.labels, np.load(tmp_path / "room.npy"))
    assert planes.detect(path, **given).to_json() == found.to_json()


def test_every_option_of_the_program_is_an_argument() -> None:
    text = program("detect", "--help").stdout
    options = set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", text, re.MULTILINE))
    assert {"tolerance", "theta-step", "class"} <= options
    functions = (planes.detect, planes.lines)
    names = [name for function in functions for name in inspect.signature(function).parameters]
    arguments = {name.replace("_", "-") for name in names}
    assert options - arguments - ELSEWHERE == set()
    assert "class-" in arguments


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"top": 0}, planes.ParameterError, "`top` must be at least 1, not 0"),
    ({"top": "ten"}, TypeError, "`top` must be a whole number, not 'ten'"),
    ({"top": 1.5}, TypeError, "`top` must be a whole number, not 1.5"),
    ({"tolerance": 0}, planes.ParameterError, "`tolerance` must be a positive length"),
    ({"tolerance": float("nan")}, planes.ParameterError, "`tolerance` must be a number, not NaN"),
    ({"tolerance": "0.1"}, TypeError, "`tolerance` must be a number, not '0.1'"),
    ({"angle": 60}, planes.ParameterError, "`angle` must be between 1 and 45 degrees"),
    ({"curved": "round"}, planes.ParameterError, "`curved` is one of grey, facets"),
    ({"refine": "stroke"}, planes.ParameterError, "`refine` stroke is for lines"),
    ({"space": "cube:3"}, planes.ParameterError, "space `cube:3`: expected"),
    ({"one_pass": True, "vote": "all"}, planes.ParameterError, "`vote` cannot be used with one_pass=True"),
    ({"one_pass": True, "widen": 3}, planes.ParameterError, "`widen` cannot be used with one_pass=True"),
    ({"voter": "serial"}, planes.ParameterError, '`voter` is for vote="all" and one_pass=True'),
    ({"gpus": 2, "device": "cpu"}, planes.ParameterError, "`gpus`: the CPU was asked for"),
    ({"device": "tpu"}, planes.ParameterError, "`device` is auto, cpu or cuda"),
    ({"bbox": (1, 2, 3)}, planes.ParameterError, "not xmin,ymin,xmax,ymax nor"),
    ({"class_": [2, None]}, TypeError, "`class_` must be whole numbers, not None"),
    ({"class_": 256}, planes.ParameterError, "`class_` is from 0 to 255, not 256"),
    ({"every": 0}, planes.ParameterError, "`every` must be at least 1"),
    ({"threads": 0}, planes.ParameterError, "`threads` must be at least 1"),
    ({"progress": 3}, TypeError, "`progress` must be True, False or a function"),
    ({"tolerence": 3}, TypeError, "tolerence"),
]


@pytest.mark.parametrize(("given", "error", "message"), REFUSED, ids=str)
def test_what_makes_no_sense_is_refused(
    given: dict[str, Any], error: type[Exception], message: str, room: planes.Cloud
) -> None:
    with pytest.raises(error) as raised:
        planes.detect(room.xyz, **given)
    assert type(raised.value) is error
    assert message in str(raised.value)


def test_numbers_may_be_of_any_type(room: planes.Cloud) -> None:
    few = planes.detect(room.xyz, top=1e1, tolerance=np.float32(0.03125))  # type: ignore[arg-type]
    assert few.to_json() == planes.detect(room.xyz, top=np.int64(10), tolerance=0.03125).to_json()  # type: ignore[arg-type]
