"""What `planes.detect` found."""

from __future__ import annotations

import html
import os
import tempfile
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from planes import _planes
from planes._plane import Plane, plane
from planes._result import Result

if TYPE_CHECKING:
    import geopandas
    import open3d

_ROWS = 10


class Found(Result[Plane]):
    """The planes of a cloud, most significant first, and the plane of each point.

    It holds the points where they are, or the file open, for what is computed when it is first asked for:
    leave both as they are until then.

    >>> import planes
    >>> found = planes.detect(planes.synth("room", points=20_000).xyz, top=3)
    >>> found
    <planes.Found: 3 planes of 20000 points>
    >>> [plane.id for plane in found] == [0, 1, 2] and found[0] is found.planes[0]
    True
    """

    def __init__(self, native: _planes.Found, cloud: _planes.Cloud, given: object) -> None:
        self._native: _planes.Found = native
        self._cloud = cloud
        self._given = given

    @cached_property
    def labels(self) -> npt.NDArray[np.int32]:
        """The plane of each point, int32 of shape (n,); -1 for none."""
        return self._native.labels("plane")

    @cached_property
    def piece_labels(self) -> npt.NDArray[np.int32]:
        """The `id` of the piece of each point, int32 of shape (n,); -1 for none."""
        return self._native.labels("piece")

    @cached_property
    def distance(self) -> npt.NDArray[np.float64]:
        """The signed distance of each point from its plane along the normal, float64 of shape (n,), in the unit
        of the points; NaN where there is no plane.

        >>> import numpy as np, planes
        >>> found = planes.detect(planes.synth("room", points=20_000).xyz)
        >>> bool((np.isnan(found.distance) == (found.labels < 0)).all())
        True
        """
        return self._native.distance()

    @cached_property
    def points(self) -> npt.NDArray[Any]:
        """The points, of shape (n, 3): the array itself that was searched, or those of the file."""
        if isinstance(self._given, np.ndarray) and self._given.ndim == 2:
            return self._given
        return self._cloud.points().reshape(-1, 3)

    @cached_property
    def planes(self) -> tuple[Plane, ...]:
        """The planes, most significant first."""
        return tuple(plane(entry) for entry in self._document["planes"])

    @property
    def input(self) -> dict[str, Any]:
        """What was read: the number of points, how many of them were left out, bounds, coordinate system."""
        result: dict[str, Any] = self._document["input"]
        return result

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        kind: Literal["json", "csv", "ply", "labels", "overlay"] | str | None = None,
        label_by: Literal["plane", "piece"] = "plane",
        up: Literal["auto", "x", "y", "z"] = "auto",
    ) -> None:
        """Writes a file, whole or not at all, as the program does.

        The name says what is written: `.json` the document, `.csv` a row a plane, `.ply` the outlines, `.png` a
        picture, `.las`, `.laz`, `.pcd` and `.labels.ply` the cloud with the plane of each point, `.npy` the labels
        alone. `kind` says it where the name does not. With `label_by="piece"` points are labelled by piece, too;
        `up` is the coordinate that points up in the picture.

        Raises `OSError` where the file cannot be written, `planes.ParameterError` for another name.

        >>> import pathlib, planes, tempfile
        >>> found = planes.detect(planes.synth("room", points=20_000).xyz)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ["room.json", "room.ply", "room.labels.ply", "room.laz"]:
        ...         found.save(pathlib.Path(folder, name))
        ...     sorted(path.name for path in pathlib.Path(folder).iterdir())
        ['room.json', 'room.labels.ply', 'room.laz', 'room.ply']
        """
        self._native.save(path, kind, label_by, up)

    def to_open3d(self) -> open3d.geometry.PointCloud:
        """The points as an Open3D cloud, each in the colour of its plane; those of no plane are grey.

        Raises `ImportError` without Open3D.
        """
        geometry = _module("open3d", "to_open3d").geometry
        utility = _module("open3d", "to_open3d").utility
        cloud = geometry.PointCloud(utility.Vector3dVector(np.asarray(self.points, np.float64)))
        colours = [_planes.plane_colour(label) for label in range(-1, len(self))]
        cloud.colors = utility.Vector3dVector(np.array(colours)[self.labels + 1] / 255)
        return cloud

    def to_geodataframe(self) -> geopandas.GeoDataFrame:
        """A row for each piece: its polygon with z, and what is known of its plane; in the coordinate system of
        the file, if it has one.

        Raises `ImportError` without GeoPandas.
        """
        geopandas = _module("geopandas", "to_geodataframe")
        shapely = _module("shapely", "to_geodataframe")
        rows = []
        for plane in self.planes:
            known = {name: value for name, value in vars(plane).items() if name != "pieces"}
            known["plane_id"] = known.pop("id")
            for piece in plane.pieces:
                boundary = piece.boundary
                own = {"piece_id": piece.id, "piece_inliers": piece.inliers, "piece_area": piece.area}
                area = shapely.Polygon(boundary.exterior, boundary.holes)
                rows.append({**known, **own, "geometry": area})
        crs = self.input["crs"] or {}
        system = crs.get("wkt") or crs.get("epsg")
        return geopandas.GeoDataFrame(rows, columns=None if rows else ["geometry"], crs=system)

    def show(self) -> None:
        """Shows the points and their planes: a picture in a notebook, a window of Open3D elsewhere.

        Raises `ImportError` without Open3D.
        """
        if _in_notebook():
            display = _module("IPython.display", "show")
            display.display(display.Image(data=self._picture()))
            return
        _module("open3d", "show").visualization.draw_geometries([self.to_open3d()])

    def _picture(self) -> bytes:
        """The picture as the bytes of a PNG."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "planes.png")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    def _entries(self) -> tuple[Plane, ...]:
        return self.planes

    def __len__(self) -> int:
        # Without the document, which takes its time where there are many outlines.
        return self._native.count()

    def __repr__(self) -> str:
        planes = "1 plane" if len(self) == 1 else f"{len(self)} planes"
        return f"<planes.Found: {planes} of {self.input['points']} points>"

    def _repr_html_(self) -> str:
        names = ("id", "inliers", "area", "length", "width", "slope", "aspect", "offset", "rmse")
        head = "".join(f"<th>{name}</th>" for name in names)
        rows = [
            "".join(f"<td>{_short(getattr(plane, name))}</td>" for name in names)
            for plane in self.planes[:_ROWS]
        ]
        more = f"<p>and {len(self) - _ROWS} more</p>" if len(self) > _ROWS else ""
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        title = html.escape(repr(self)[1:-1])
        return f"<p>{title}</p><table><tr>{head}</tr>{body}</table>{more}"


def _short(value: float | int | None) -> str:
    """A number in few letters."""
    return "" if value is None else str(value) if isinstance(value, int) else f"{value:.4g}"


def _module(name: str, asked: str) -> ModuleType:
    """A module that is imported where it is needed alone."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(f"{asked}() needs {package}: pip install {package}") from error


def _in_notebook() -> bool:
    """Whether this is a kernel of IPython, which can show pictures."""
    import sys

    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
