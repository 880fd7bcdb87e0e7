"""`planes.eval`: scores of a result against a truth."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from planes import _planes
from planes._arguments import Path, Points, cloud, is_path, number, whole
from planes._errors import ParameterError
from planes._found import Found
from planes._lines import Lines
from planes._synth import Cloud, LineImage


def eval(
    result: Found | Lines | Path | npt.ArrayLike,
    truth: Path | Cloud | LineImage | npt.ArrayLike,
    *,
    points: Points | None = None,
    labels: Path | None = None,
    angle: float = 1.0,
    distance: float | None = None,
    iou: float = 0.75,
    overlap: float = 0.8,
    min_points: int | None = None,
) -> dict[str, Any]:
    """Scores a result against a truth, as the program `planes eval` does.

    Args:
        result: What `planes.detect` or `planes.lines` found; a file as the program takes it; or the labels that any
            program gave to points, whole numbers of shape (n,), -1 for no plane.
        truth: What `planes.synth` drew; a file as the program takes it; or true labels of shape (n,), -2 where
            nobody knows.
        points: The points of shape (n, 3), where both sides are labels alone.
        labels: The file of labels that goes with a file of planes.
        angle: Largest angle between a found plane or line and a true one, in degrees.
        distance: Largest mean distance of a true plane's points from a found plane, default 4 times the truth's
            noise, or twice the mean distance from the true plane if that is more; of the middle of a true line from a
            found one, default 2 pixels.
        iou: Least intersection over union of a segment that is found, above 0.5.
        overlap: Least overlap for Hoover's counts, above 0.5.
        min_points: Fewest points of a true plane that is not small; default: 50 or 0.05 % of the points,
            whichever is more; fewer where smaller planes hold a tenth of the points of all planes.

    Returns:
        The document that `planes eval --json` writes: scores of `planes`, of `segments`, and a row for each plane.

    Raises:
        TypeError: Two sides that cannot be compared.
        planes.Error: Sides of different clouds, or limits that make no sense.
        OSError: A file that cannot be read.

    >>> import planes
    >>> room = planes.synth("room", points=100_000)
    >>> scores = planes.eval(planes.detect(room.xyz), room)
    >>> scores["planes"]["f1"] > 0.9 and scores["segments"]["at_50"]["f1"] > 0.9
    True
    """
    limits: dict[str, object] = {
        "angle": number("angle", angle),
        "distance": number("distance", distance),
        "iou": number("iou", iou),
        "overlap": number("overlap", overlap),
        "min_points": whole("min_points", min_points),
    }
    if labels is not None and not (is_path(result) and is_path(truth)):
        raise ParameterError("`labels` is for a result and a truth in files")
    document = _scores(result, truth, points, labels, limits)
    scores: dict[str, Any] = json.loads(document)
    return scores


def _scores(
    result: object,
    truth: object,
    points: Points | None,
    labels: Path | None,
    limits: dict[str, object],
) -> str:
    """The document of two sides, each of its kind."""
    path = truth if isinstance(truth, (str, os.PathLike)) else None
    if isinstance(result, Lines):
        if path is None and not isinstance(truth, LineImage):
            raise TypeError("the truth of lines is a file, or what planes.synth drew")
        document = json.dumps(truth.truth) if isinstance(truth, LineImage) else None
        return _planes.eval_lines(result._native, path, document, limits)
    if isinstance(result, (str, os.PathLike)):
        if path is None:
            raise TypeError("the truth of a file is a file")
        return _planes.eval_files(result, path, labels, limits)
    document = json.dumps(truth.truth) if isinstance(truth, Cloud) else None
    true_labels = None if path is not None else _labels("truth", truth.labels if isinstance(truth, Cloud) else truth)
    if isinstance(result, Found):
        return _planes.eval_found(result._native, path, true_labels, document, limits)
    if true_labels is None:
        raise TypeError("the truth of labels is labels, or what planes.synth drew")
    if points is None and isinstance(truth, Cloud):
        points = truth.xyz
    if points is None:
        raise ParameterError("`points` are missing: both sides are labels alone")
    return _planes.eval_labels(cloud(points), _labels("result", result), true_labels, document, limits)


def _labels(side: str, values: Any) -> npt.NDArray[np.int32]:
    """Labels of points."""
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(f"labels of the {side} must be whole numbers of shape (n,), not {array.dtype} {array.shape}")
    if array.size > 0 and not (-(2**31) <= array.min() and array.max() < 2**31):
        raise ParameterError(f"labels of the {side} must fit in 32 bits")
    return np.ascontiguousarray(array, np.int32)
