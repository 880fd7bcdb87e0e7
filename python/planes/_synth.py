"""`planes.synth`: clouds whose planes are known, and images whose lines are known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from planes import _planes
from planes._arguments import count, number, text, whole
from planes._errors import ParameterError
from planes._progress import Progress, told

#: A scene of known planes.
Scene: TypeAlias = Literal[
    "room",
    "street",
    "roofs",
    "boards",
    "hard",
    "hard-parallel",
    "hard-poles",
    "hard-seam",
    "hard-stairs",
    "hard-strips",
    "hard-giant",
    "hard-outliers",
    "hard-duplicates",
]


@dataclass(frozen=True, eq=False)
class Cloud:
    """A cloud whose planes are known."""

    xyz: npt.NDArray[np.float64]
    """The points, of shape (n, 3), in metres."""
    labels: npt.NDArray[np.int32]
    """The true plane of each point, of shape (n,): its index in `truth["planes"]`, -1 for none."""
    rgb: npt.NDArray[np.uint8]
    """The colours, of shape (n, 3)."""
    intensity: npt.NDArray[np.uint16]
    """How much light comes back, of shape (n,)."""
    truth: dict[str, Any]
    """The truth as the program writes it: the planes with `name`, `normal`, `offset`, `polygon`, and the options."""

    def __len__(self) -> int:
        return len(self.xyz)

    def __repr__(self) -> str:
        return f"<planes.Cloud: {self.truth['scene']}, {len(self)} points, {len(self.truth['planes'])} planes>"


@dataclass(frozen=True, eq=False)
class LineImage:
    """An image whose lines are known."""

    image: npt.NDArray[np.uint8]
    """The pixels, of shape (height, width, 3)."""
    truth: dict[str, Any]
    """The truth as the program writes it: `lines` with `theta`, `rho`, `start` and `end`, and the options."""


@overload
def synth(
    scene: Literal["lines"],
    *,
    kind: str = "clean",
    size: Sequence[int] = (640, 480),
    lines: int = 12,
    seed: int = 1,
) -> LineImage: ...
@overload
def synth(
    scene: Scene,
    *,
    points: int = 100_000,
    noise: float | None = None,
    outliers: float | None = None,
    seed: int = 1,
    origin: Sequence[float] | None = None,
    sensor: str | None = None,
    round: float | None = None,
    voxel: float | str | None = None,
    copies: int | None = None,
    sag: float | None = None,
    curved: bool = False,
    passes: str | None = None,
    progress: Progress = False,
) -> Cloud: ...
def synth(
    scene: str,
    *,
    points: int | None = None,
    noise: float | None = None,
    outliers: float | None = None,
    seed: int = 1,
    origin: Sequence[float] | None = None,
    sensor: str | None = None,
    round: float | None = None,
    voxel: float | str | None = None,
    copies: int | None = None,
    sag: float | None = None,
    curved: bool = False,
    passes: str | None = None,
    kind: str | None = None,
    size: Sequence[int] | None = None,
    lines: int | None = None,
    progress: Progress = False,
) -> Cloud | LineImage:
    """Draws a scene of known planes, or with "lines" an image of known lines, as `planes synth` does.

    The same arguments give the same numbers on every machine.

    Args:
        scene: "room", "street", "roofs", "boards", "hard" or a part of it such as "hard-stairs"; or "lines".
        points: Number of points, outliers included; default: 100000.
        noise: Standard deviation of the points' distances from their surfaces, in metres.
        outliers: Share of points that belong to nothing; default: 0.1, of a sensor less.
        seed: Where the random numbers start.
        origin: Where the scene's own origin lies, three numbers in metres.
        sensor: Draw the scene as an instrument sees it: "tripod", "depth", "slam", "airborne", "photo" or
            "spinning".
        round: Round coordinates to multiples of this, in metres.
        voxel: Keep one point a voxel of this edge in metres, its middle; "0.05:mean" keeps the mean of its points.
        copies: Each point stands so many times in the cloud.
        sag: Level surfaces sag by this in their middle, in metres.
        curved: Curved things in the room, too.
        passes: Survey the scene several times, up to so far apart: "2:0.02".
        kind: Of lines: what makes the image hard, "clean", "noisy", "dense", "wrapped", "border", "thick", "photo".
        size: Of lines: pixels in a row, and rows; default: (640, 480).
        lines: Of lines: their number; default: 12.
        progress: True for a bar on stderr, or a function, called with the stage and the share of it that is done.

    Returns:
        The points or the image, and the truth.

    Raises:
        planes.ParameterError: An argument that makes no sense, or that is of the other kind of scene.

    >>> import planes
    >>> room = planes.synth("room", points=1000)
    >>> room, room.xyz.shape, room.truth["planes"][0]["name"]
    (<planes.Cloud: room, 1000 points, 43 planes>, (1000, 3), 'floor')
    >>> planes.synth("lines", size=(64, 80)).image.shape
    (80, 64, 3)
    """
    of_clouds = {
        "points": points,
        "noise": noise,
        "outliers": outliers,
        "origin": origin,
        "sensor": sensor,
        "round": round,
        "voxel": voxel,
        "copies": copies,
        "sag": sag,
        "curved": curved or None,
        "passes": passes,
    }
    of_lines = {"kind": kind, "size": size, "lines": lines}
    for name, value in (of_clouds if scene == "lines" else of_lines).items():
        if value is not None:
            raise ParameterError(f"`{name}` is not for scene {scene!r}")
    start = whole("seed", seed)
    if scene == "lines":
        return _lines(kind, size, lines, 1 if start is None else start)
    drawing = {
        "points": whole("points", 100_000 if points is None else points),
        "noise": number("noise", noise),
        "outliers": number("outliers", outliers),
        "seed": start,
        "origin": _three("origin", origin),
        "sensor": text("sensor", sensor),
        "round": number("round", round),
        "voxel": voxel if voxel is None or isinstance(voxel, str) else repr(number("voxel", voxel)),
        "copies": count("copies", copies, 1000),
        "sag": number("sag", sag),
        "curved": bool(curved),
        "passes": text("passes", passes),
    }
    with told(progress) as tell:
        xyz, labels, rgb, intensity, truth = _planes.synth(scene, drawing, tell)
    return Cloud(xyz.reshape(-1, 3), labels, rgb.reshape(-1, 3), intensity, json.loads(truth))


def _lines(kind: str | None, size: Sequence[int] | None, lines: int | None, seed: int) -> LineImage:
    width, height = (640, 480) if size is None else (count("size", side, 1 << 16) or 0 for side in size)
    number_of = 12 if lines is None else whole("lines", lines) or 0
    rgb, truth = _planes.draw("clean" if kind is None else kind, [width, height], number_of, seed)
    return LineImage(rgb.reshape(height, width, 3), json.loads(truth))


def _three(name: str, values: Sequence[float] | None) -> list[float | None] | None:
    """Three numbers, or none."""
    if values is None:
        return None
    if len(values) != 3:
        raise ParameterError(f"`{name}` must be three numbers, not {len(values)}")
    return [number(name, value) for value in values]
