"""Arguments as the native part takes them: numbers that are numbers, and points that are points."""

from __future__ import annotations

import math
import operator
import os
import warnings
from collections.abc import Sequence
from typing import Any, SupportsFloat, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from planes import _planes
from planes._errors import DegenerateError, ParameterError

Path: TypeAlias = "str | os.PathLike[str]"
#: Points: an array of shape (n, 3) or (height, width, 3), or what NumPy makes one of.
Points: TypeAlias = "npt.ArrayLike"

#: Coordinates, and the length of a row if the points are those of an image.
_Axes: TypeAlias = "tuple[list[npt.NDArray[Any]], int | None]"

_AXES = ("x", "y", "z")


def whole(name: str, value: SupportsIndex | None, least: int = 0) -> int | None:
    """A whole number from `least` on, or none; 1e6 is one, too."""
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"`{name}` must be a whole number, not {value!r}") from None
    if not least <= number < 1 << 63:
        raise ParameterError(f"`{name}` must be at least {least}, not {number}")
    return number


def count(name: str, value: SupportsIndex | None, most: int) -> int | None:
    """A whole number from 1 to `most`, or none."""
    number = whole(name, value, 1)
    if number is not None and number > most:
        raise ParameterError(f"`{name}` must be from 1 to {most}, not {number}")
    return number


def number(name: str, value: SupportsFloat | None) -> float | None:
    """A number, or none."""
    if value is None:
        return None
    if isinstance(value, str):
        raise TypeError(f"`{name}` must be a number, not {value!r}")
    try:
        result = float(value)
    except TypeError:
        raise TypeError(f"`{name}` must be a number, not {value!r}") from None
    if math.isnan(result):
        raise ParameterError(f"`{name}` must be a number, not NaN")
    return result


def text(name: str, value: str | None) -> str | None:
    """A text, or none."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"`{name}` must be a text, not {value!r}")
    return value


def numbers(name: str, value: str | Sequence[float] | None) -> str | None:
    """Numbers with commas between them, or none."""
    if value is None or isinstance(value, str):
        return value
    return ",".join(repr(number(name, one)) for one in value)


def is_path(value: object) -> bool:
    """Whether something names a file."""
    return isinstance(value, (str, os.PathLike))


def cloud(
    points: Points | Path,
    columns: str | None = None,
    camera: str | Sequence[float] | None = None,
    threads: int | None = None,
) -> _planes.Cloud:
    """Opens a file on so many threads, or takes points from where they are."""
    if isinstance(points, (str, os.PathLike)):
        opened = _planes.Cloud.open(points, text("columns", columns), numbers("camera", camera), threads)
        for note in opened.notes():
            warnings.warn(f"{os.fspath(points)}: {note}", stacklevel=3)
        return opened
    if columns is not None:
        raise ParameterError("`columns` is for files of text")
    if camera is not None:
        (x, y, z), row_length = seen(points, numbers("camera", camera) or "")
    else:
        (x, y, z), row_length = coordinates(points)
    return _planes.Cloud.of_arrays(x, y, z, row_length)


def seen(image: Points, camera: str) -> _Axes:
    """The coordinates that a camera gives the pixels of a depth image, row by row, and the length of a row; NaN where there
    is no depth.

    >>> import numpy as np
    >>> axes, row_length = seen(np.array([[0, 1000]], np.uint16), "500,500,0,0,1000")
    >>> [axis.tolist() for axis in axes], row_length
    ([[nan, 0.002], [nan, 0.0], [nan, 1.0]], 2)
    """
    depth = image if isinstance(image, np.ndarray) else _array(image)
    if depth.dtype.kind not in "fiu":
        raise TypeError(f"a depth image must be numbers, not {depth.dtype}")
    if depth.ndim != 2 or depth.size == 0:
        raise ParameterError(f"a depth image must be of shape (height, width), not {depth.shape}")
    fx, fy, cx, cy, scale = _planes.camera(camera)
    if isinstance(depth, np.ma.MaskedArray):
        depth = masked(depth)
    z = depth.astype(np.float64) / scale
    z[~(depth > 0)] = np.nan
    rows, columns = np.arange(depth.shape[0])[:, np.newaxis], np.arange(depth.shape[1])
    axes = ((columns - cx) * z / fx, (rows - cy) * z / fy, z)
    return [axis.reshape(-1) for axis in axes], depth.shape[1]


def coordinates(points: Points) -> _Axes:
    """The three coordinates of points as arrays of float64 or float32, without a copy where they are such, and the length of
    a row where points are the pixels of an image.

    >>> import numpy as np
    >>> points = np.zeros((5, 3))
    >>> (x, y, z), row_length = coordinates(points)
    >>> x.base is points, row_length
    (True, None)
    >>> coordinates(np.zeros((480, 640, 3)))[1]
    640
    """
    array = points if isinstance(points, np.ndarray) else _array(points)
    if array.dtype.names is not None:
        return [_axis(column) for column in _fields(array)], None
    if array.dtype.kind not in "fiu":
        raise _no_numbers(str(array.dtype))
    if isinstance(array, np.ma.MaskedArray):
        array = masked(array)
    if array.size == 0:
        raise DegenerateError("points in memory: the cloud has no points")
    if array.ndim not in (2, 3) or array.shape[-1] != 3:
        raise ParameterError(f"points must be of shape (n, 3) or (height, width, 3), not {array.shape}")
    is_image = array.ndim == 3 and min(array.shape) > 1
    row_length = array.shape[1] if is_image else None
    array = array.reshape(-1, 3)
    return [_axis(array[:, axis]) for axis in range(3)], row_length


def masked(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Points of a masked array, with NaN where one is masked, which leaves the point out.

    >>> import numpy as np
    >>> masked(np.ma.masked_array([[1, 2, 3]], [[False, True, False]]))
    array([[ 1., nan,  3.]])
    """
    kind = array.dtype if array.dtype.kind == "f" else np.dtype(np.float64)
    filled: npt.NDArray[Any] = np.ma.filled(array.astype(kind), np.nan)
    return filled


def _array(points: Points) -> npt.NDArray[Any]:
    """What NumPy makes of points."""
    try:
        return np.asarray(points)
    except ValueError as error:
        raise ParameterError(f"points must be of shape (n, 3): {error}") from None
    except TypeError:
        # What merely looks like a sequence, such as the cloud of laspy, which has xyz for that.
        raise _no_numbers(type(points).__name__) from None


def _no_numbers(kind: str) -> TypeError:
    """The error of points that are something else."""
    return TypeError(
        f"points must be numbers, not {kind}: an array of shape (n, 3), such as the points"
        " of a cloud of Open3D or the xyz of one of laspy"
    )


def _fields(array: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    """The fields X, Y and Z, or x, y and z, of a structured array."""
    names = array.dtype.names or ()
    if array.ndim != 1:
        raise ParameterError(f"a structured array of points must be of shape (n,), not {array.shape}")
    if array.size == 0:
        raise DegenerateError("points in memory: the cloud has no points")
    for spelled in (tuple(axis.upper() for axis in _AXES), _AXES):
        if all(axis in names for axis in spelled):
            columns = [array[axis] for axis in spelled]
            if all(column.dtype.kind in "fiu" and column.ndim == 1 for column in columns):
                return columns
            raise TypeError("the fields X, Y and Z must be numbers")
    raise ParameterError(f"no fields X, Y and Z among {', '.join(map(repr, names))}")


def _axis(column: npt.NDArray[Any]) -> npt.NDArray[np.floating[Any]]:
    """A coordinate as it can be read: float64 or float32 of this machine, aligned."""
    kind = np.float32 if column.dtype.kind == "f" and column.dtype.itemsize <= 4 else np.float64
    result: npt.NDArray[np.floating[Any]] = np.require(column, dtype=kind, requirements="A")
    return result
