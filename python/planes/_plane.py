"""A found plane and the pieces of its support."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Polygon:
    """An area on a plane, its vertices on the plane; rings do not repeat their first vertex."""

    exterior: Floats
    """The outer ring, of shape (k, 3), counter-clockwise against the normal."""
    holes: tuple[Floats, ...]
    """The holes, each of shape (k, 3), clockwise."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A connected part of a plane.

    >>> import planes
    >>> found = planes.detect(planes.synth("room", points=20_000).xyz, top=1)
    >>> piece = found.planes[0].pieces[0]
    >>> piece.boundary.exterior.shape[1], bool((found.piece_labels == piece.id).sum() == piece.inliers)
    (3, True)
    """

    id: int
    """Its label in `Found.piece_labels`."""
    inliers: int
    """Points that belong to it."""
    area: float
    """Area within its outline, in the unit of the points squared."""
    boundary: Polygon
    """Its outline."""


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane `normal · p = offset` with what was measured of it.

    >>> import planes
    >>> found = planes.detect(planes.synth("room", points=20_000).xyz, top=1)
    >>> plane = found.planes[0]
    >>> plane.normal.shape, plane.inliers == (found.labels == plane.id).sum()
    ((3,), np.True_)
    """

    id: int
    """Index of the plane, and label of its points."""
    normal: Floats
    """Unit normal, of shape (3,), on the side that `orient` says."""
    offset: float
    """`normal · p` of its points, in the unit of the points."""
    theta: float
    """Azimuth of the normal in degrees, from 0 to below 360."""
    phi: float
    """Polar angle of the normal in degrees, from 0 to 180."""
    rho: float
    """Signed distance from the local origin, `Found.input["origin"]`, in the unit of the points."""
    votes: int
    """Votes of the bin that proposed the plane."""
    significance: float
    """What speaks against chance: -log10 of the number of such planes that chance would make."""
    inliers: int
    """Points that belong to it."""
    tolerance: float
    """Largest distance of an inlier, in the unit of the points."""
    rmse: float
    """Root mean square distance of the inliers, in the unit of the points."""
    normal_error: float | None
    """Standard error of the normal's direction in degrees, along its worse axis; `None` without a fit."""
    offset_error: float | None
    """Standard error of the distance at `centroid`, in the unit of the points; `None` without a fit."""
    centroid: Floats
    """Mean of the inliers, of shape (3,)."""
    area: float
    """Area covered by the inliers, in the unit of the points squared."""
    slope: float
    """With z up, the angle to the horizontal in degrees: 0 of a level plane, 90 of a wall."""
    aspect: float | None
    """With z up, the compass direction of the steepest descent in degrees; `None` of a level plane."""
    length: float
    """Longer side of the smallest rectangle around the outlines, in the unit of the points."""
    width: float
    """Shorter side of that rectangle."""
    pieces: tuple[Piece, ...]
    """The connected parts, largest first."""

    def __repr__(self) -> str:
        normal = ", ".join(f"{v:.4f}" for v in self.normal)
        return (
            f"Plane({self.id}: ({normal}) · p = {self.offset:.6g}, "
            f"{self.inliers} inliers, area {self.area:.4g}, rmse {self.rmse:.3g})"
        )


def plane(entry: Mapping[str, Any]) -> Plane:
    """The plane of an entry in the JSON document."""
    arrays = {name: np.array(entry[name]) for name in ("normal", "centroid")}
    pieces = tuple(_piece(one) for one in entry["pieces"])
    return Plane(**{**entry, **arrays, "pieces": pieces})


def _piece(entry: Mapping[str, Any]) -> Piece:
    return Piece(**{**entry, "boundary": polygon(entry["boundary"])})


def polygon(entry: Mapping[str, Any]) -> Polygon:
    """The polygon of an entry in a JSON document."""
    return Polygon(_ring(entry["exterior"]), tuple(_ring(hole) for hole in entry.get("holes", ())))


def _ring(vertices: Sequence[Sequence[float]]) -> Floats:
    return np.array(vertices, dtype=np.float64).reshape(-1, 3)
