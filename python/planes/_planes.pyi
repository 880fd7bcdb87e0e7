"""The native part; see `src/`."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "Cloud",
    "Found",
    "Image",
    "LinesFound",
    "__version__",
    "accumulate",
    "camera",
    "detect",
    "draw",
    "eval_files",
    "eval_found",
    "eval_labels",
    "eval_lines",
    "lines",
    "plane_colour",
    "program",
    "synth",
]

__version__: str

_Progress = Callable[[str, float | None], object] | None
_Path = str | os.PathLike[str]

def camera(text: str) -> list[float]: ...
@final
class Cloud:
    @staticmethod
    def of_arrays(
        x: npt.NDArray[Any],
        y: npt.NDArray[Any],
        z: npt.NDArray[Any],
        row_length: int | None = None,
    ) -> Cloud: ...
    @staticmethod
    def open(
        path: _Path, columns: str | None, camera: str | None, threads: int | None
    ) -> Cloud: ...
    def notes(self) -> list[str]: ...
    def degrees(self, min: Sequence[float], max: Sequence[float]) -> str | None: ...
    def far_scanner(self, min: Sequence[float], max: Sequence[float]) -> str | None: ...
    def read(self) -> int: ...
    def points(self) -> npt.NDArray[np.float64]: ...

@final
class Found:
    def document(self) -> str: ...
    def count(self) -> int: ...
    def labels(self, by: str) -> npt.NDArray[np.int32]: ...
    def distance(self) -> npt.NDArray[np.float64]: ...
    def save(self, path: _Path, kind: str | None, label_by: str, up: str) -> None: ...

def detect(
    cloud: Cloud,
    search: Mapping[str, object],
    device: str,
    voter: str | None,
    gpus: int | None,
    threads: int | None,
    progress: _Progress,
) -> Found: ...

@final
class Image:
    @staticmethod
    def of_bytes(width: int, height: int, rgb: bytes) -> Image: ...
    @staticmethod
    def open(path: _Path) -> Image: ...

@final
class LinesFound:
    def document(self) -> str: ...
    def save(self, path: _Path, kind: str | None) -> None: ...

def lines(
    image: Image,
    search: Mapping[str, object],
    device: str,
    threads: int | None,
    progress: _Progress,
) -> LinesFound: ...
def eval_files(
    result: _Path, truth: _Path, labels: _Path | None, limits: Mapping[str, object]
) -> str: ...
def eval_found(
    found: Found,
    truth: _Path | None,
    labels: npt.NDArray[np.int32] | None,
    truth_document: str | None,
    limits: Mapping[str, object],
) -> str: ...
def eval_labels(
    cloud: Cloud,
    found: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
    truth_document: str | None,
    limits: Mapping[str, object],
) -> str: ...
def eval_lines(
    found: LinesFound,
    truth: _Path | None,
    truth_document: str | None,
    limits: Mapping[str, object],
) -> str: ...
def synth(
    scene: str, drawing: Mapping[str, object], progress: _Progress
) -> tuple[
    npt.NDArray[np.float64],
    npt.NDArray[np.int32],
    npt.NDArray[np.uint8],
    npt.NDArray[np.uint16],
    str,
]: ...
def draw(
    kind: str, size: Sequence[int], lines: int, seed: int
) -> tuple[npt.NDArray[np.uint8], str]: ...
def accumulate(
    cloud: Cloud,
    space: str,
    rho_bin: float | None,
    radius: int,
    device: str,
    threads: int | None,
    progress: _Progress,
) -> tuple[
    npt.NDArray[np.uint32],
    npt.NDArray[np.float64],
    list[float],
    tuple[float, float, int],
    list[tuple[int, int]],
]: ...
def plane_colour(plane: int) -> tuple[int, int, int]: ...
def program(line: Sequence[str]) -> NoReturn: ...
