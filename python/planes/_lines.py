"""`planes.lines` and what it found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from planes import _planes
from planes._arguments import Path, count, number, text, whole
from planes._errors import ParameterError
from planes._progress import Progress, told
from planes._result import Result

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Segment:
    """A visible piece of a line."""

    start: Floats
    """One end, on the line: x and y in pixels."""
    end: Floats
    """The other end."""
    pixels: int
    """Edge pixels along it."""


@dataclass(frozen=True, eq=False)
class Line:
    """A line `x cos θ + y sin θ = ρ` of an image: pixel centres are whole numbers, y points down.

    >>> import planes
    >>> image = planes.synth("lines", lines=1).image
    >>> line = planes.lines(image).lines[0]
    >>> len(line.segments) > 0 and 0 <= line.theta < 180
    True
    """

    id: int
    """Index of the line."""
    theta: float
    """Angle of its normal from the x axis towards y, in degrees, from 0 to below 180."""
    rho: float
    """`x cos θ + y sin θ` of its points, in pixels."""
    votes: int
    """Votes of the bin that proposed it."""
    z: float
    """By how many standard deviations they exceed what chance would have put there."""
    significance: float
    """What speaks against chance: -log10 of the number of such bins that chance would make."""
    pixels: int
    """Edge pixels along its pieces."""
    width: float
    """Width of its stroke in edge pixels."""
    segments: tuple[Segment, ...]
    """Its visible pieces, in the order of their place along the line."""

    def __repr__(self) -> str:
        return f"Line({self.id}: theta {self.theta:.3f}°, rho {self.rho:.2f}, {self.pixels} pixels)"


class Lines(Result[Line]):
    """The lines of an image, those first that exceed chance by most.

    >>> import planes
    >>> planes.lines(planes.synth("lines").image)
    <planes.Lines: 12 lines in 640 × 480 pixels>
    """

    def __init__(self, native: _planes.LinesFound) -> None:
        self._native: _planes.LinesFound = native

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines, those first that exceed chance by most."""
        return tuple(_line(entry) for entry in self._document["lines"])

    @property
    def image(self) -> dict[str, Any]:
        """What was read: width and height in pixels, and the number of edge pixels."""
        result: dict[str, Any] = self._document["image"]
        return result

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        kind: Literal["json", "csv", "svg", "overlay", "space"] | str | None = None,
    ) -> None:
        """Writes a file, whole or not at all: `.json`, `.csv`, `.svg`, or `.png`, the image with its lines.

        `kind="space"` writes a picture of the votes.

        Raises `OSError` where the file cannot be written, `planes.ParameterError` for another name.
        """
        self._native.save(path, kind)

    def _entries(self) -> tuple[Line, ...]:
        return self.lines

    def __repr__(self) -> str:
        lines = "1 line" if len(self) == 1 else f"{len(self)} lines"
        return f"<planes.Lines: {lines} in {self.image['width']} × {self.image['height']} pixels>"


def lines(
    image: Path | npt.ArrayLike,
    *,
    edges: str | None = None,
    theta_step: float | None = None,
    rho_step: float | None = None,
    max_gap: float | None = None,
    min_length: float | None = None,
    false_alarms: float | None = None,
    refine: Literal["none", "ols", "lms", "stroke"] | None = None,
    stroke: Literal["auto", "middle", "sides"] | None = None,
    top: int | None = None,
    one_pass: bool = False,
    min_votes: int | None = None,
    line_space: str | None = None,
    line_voter: str | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
    progress: Progress = False,
) -> Lines:
    """Finds the lines of an image, as the program `planes detect` does.

    Args:
        image: The path of a file, or an array of uint8 of shape (height, width), (height, width, 3) or, with
            transparency, which is laid on white, (height, width, 4).
        edges: How edges are found: "auto", "none" (the image is an edge map), "none:dark", "sobel",
            "sobel:THRESHOLD", "canny", "canny:SIGMA" or "canny:SIGMA,LOW,HIGH".
        theta_step: Angle from one direction to the next, in degrees; default: 0.25.
        rho_step: Width of a bin of the distance axis, in pixels; default: 1.
        max_gap: Close gaps in a segment up to this, in pixels; default: 10.
        min_length: Shortest segment, in pixels; default: 1/60 of the image's diagonal, 20 at least.
        false_alarms: Number of lines that chance may be expected to make in an image; default: 0.001.
        refine: How a peak becomes a line: "none", "ols", "lms" or "stroke", the default.
        stroke: The two sides of a stroke are one line ("middle", which is what "auto" means), or each its own
            ("sides").
        top: Report only so many lines.
        one_pass: The papers' flow: the bins with most votes, as they stand.
        min_votes: With `one_pass`, the fewest votes of a line.
        line_space: With `one_pass`, the space: "kumar", "cartesian", "cartesian:DEGREES" or "tomagou".
        line_voter: With `one_pass`, who votes.
        device: "cpu"; "cuda", an NVIDIA GPU; or "auto", a GPU if there is one that works.
        threads: Threads to work with; default: one a core.
        progress: True for a bar on stderr, or a function, called with the stage and the share of it that is done.

    Returns:
        The lines.

    Raises:
        TypeError: An array of another type than uint8.
        planes.Error: `planes.ParameterError` for another shape or an argument that makes no sense,
            `planes.FormatError` for a damaged file.
        OSError: A file that cannot be read.

    >>> import numpy as np, planes
    >>> image = np.zeros((100, 100), np.uint8)
    >>> image[np.arange(100), 99 - np.arange(100)] = 255        # x + y = 99
    >>> planes.lines(image).lines
    (Line(0: theta 45.000°, rho 70.00, 100 pixels),)
    """
    search = {
        "edges": text("edges", edges),
        "theta_step": number("theta_step", theta_step),
        "rho_step": number("rho_step", rho_step),
        "max_gap": number("max_gap", max_gap),
        "min_length": number("min_length", min_length),
        "false_alarms": number("false_alarms", false_alarms),
        "refine": text("refine", refine),
        "stroke": text("stroke", stroke),
        "top": whole("top", top, 1),
        "one_pass": bool(one_pass),
        "min_votes": whole("min_votes", min_votes),
        "line_space": text("line_space", line_space),
        "line_voter": text("line_voter", line_voter),
    }
    opened = _image(image)
    with told(progress) as tell:
        return Lines(_planes.lines(opened, search, device, count("threads", threads, 65_535), tell))


def _image(image: Path | npt.ArrayLike) -> _planes.Image:
    """Opens a file, or copies an array."""
    if isinstance(image, (str, os.PathLike)):
        return _planes.Image.open(image)
    array = np.asarray(image)
    if array.dtype != np.uint8:
        raise TypeError(f"an image must be an array of uint8, not {array.dtype}")
    if array.ndim == 2:
        array = np.repeat(array[:, :, np.newaxis], 3, axis=2)
    if array.ndim != 3 or array.shape[2] not in (3, 4):
        raise ParameterError(
            f"an image must be of shape (height, width), (height, width, 3) or (height, width, 4), "
            f"not {array.shape}"
        )
    if array.shape[2] == 4:
        colour, alpha = array[:, :, :3].astype(np.uint32), array[:, :, 3:].astype(np.uint32)
        array = ((colour * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)
    height, width = array.shape[:2]
    return _planes.Image.of_bytes(width, height, array.tobytes())


def _line(entry: Mapping[str, Any]) -> Line:
    """The line of an entry in the JSON document."""
    segments = tuple(
        Segment(np.array(one["start"]), np.array(one["end"]), one["pixels"]) for one in entry["segments"]
    )
    return Line(**{**entry, "segments": segments})
