"""Planes in 3D point clouds and lines in images, by the Hough transform.

>>> import planes
>>> room = planes.synth("room", points=40_000)
>>> found = planes.detect(room.xyz, top=5)
>>> len(found), found.labels.shape, found.labels.dtype
(5, (40000,), dtype('int32'))
>>> floor = found.planes[0]
>>> bool(floor.normal[2] > 0.9999)
True

`detect` takes points as an array of shape (n, 3), or as anything that NumPy makes one of, or a file. Lengths are
in the unit of the points; angles are in degrees. The results are those of the program `planes`, to the bit.

What is imported is loaded when it is first used, so that the program starts at once.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "Accumulator": "_accumulator",
    "Cloud": "_synth",
    "DegenerateError": "_errors",
    "DeviceError": "_errors",
    "Error": "_errors",
    "FormatError": "_errors",
    "Found": "_found",
    "Line": "_lines",
    "LineImage": "_synth",
    "Lines": "_lines",
    "OutOfMemoryError": "_errors",
    "ParameterError": "_errors",
    "Peak": "_accumulator",
    "Piece": "_plane",
    "Plane": "_plane",
    "Polygon": "_plane",
    "Segment": "_lines",
    "__version__": "_planes",
    "detect": "_detect",
    "eval": "_eval",
    "lines": "_lines",
    "synth": "_synth",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'planes' has no attribute {name!r}")
    value = getattr(import_module(f"planes.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
