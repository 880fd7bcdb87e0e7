"""`planes.detect`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Literal, SupportsIndex

from planes import _planes
from planes._arguments import Path, Points, cloud, count, is_path, number, numbers, text, whole
from planes._errors import ParameterError
from planes._found import Found
from planes._progress import Progress, told


def detect(
    points: Points | Path,
    *,
    top: int | None = None,
    tolerance: float | None = None,
    widen: float | None = None,
    angle: float | None = None,
    curved: Literal["grey", "facets"] | None = None,
    min_inliers: int | None = None,
    min_area: float | None = None,
    min_votes: int | None = None,
    refine: Literal["none", "ols", "lms"] | None = None,
    space: str | None = None,
    rho_bin: float | None = None,
    vote: Literal["near", "all"] | None = None,
    one_pass: bool = False,
    orient: str = "up",
    class_: SupportsIndex | Sequence[SupportsIndex] | None = None,
    bbox: str | Sequence[float] | None = None,
    every: int | None = None,
    columns: str | None = None,
    camera: str | Sequence[float] | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    voter: Literal["serial-f64", "serial", "parallel"] | None = None,
    gpus: int | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Found:
    """Finds the planes of points, as the program `planes detect` does.

    Args:
        points: An array of shape (n, 3), float64 or float32, of any strides, which is read where it is; anything
            that `np.asarray` makes one of (`pcd.points` of Open3D, `las.xyz` of laspy, a tensor of PyTorch on the
            CPU, lists); a structured array with fields X, Y and Z, as PDAL has them; or the path of a file. Points
            that are not finite belong to no plane. An array of shape (height, width, 3) is the image of a depth
            camera, whose place need not be sought then; the labels are those of the pixels, row by row.
        top: Report only so many planes, the most significant ones.
        tolerance: Largest distance of a point from its plane, in the unit of the points; default: 3 times the
            measured noise.
        widen: Planes that are not quite flat get up to so many times the tolerance, and rougher places one in
            proportion to their noise; 1 for neither. Default: 5; with `tolerance` 1.
        angle: Largest angle between a point's surface and its plane, in degrees; default: 20.
        curved: Pieces of something round and slices of clutter are no planes ("grey", the default), or each is
            one ("facets").
        min_inliers: Fewest points of a plane; default: from the number of points and the size of faces.
        min_area: Leave out planes that are smaller, in the unit of the points squared.
        min_votes: Fewest votes of a peak; default: from `min_inliers`.
        refine: How a peak becomes a plane: "none" (as it stands), "ols" (least squares, the default), "lms" (least
            median of squares, then least squares without outliers); with `one_pass` the default is "none".
        space: Directions to vote for: "ball:STEP" or "polar:THETAxPHI"; default: "ball:2", with `one_pass`
            "polar:180x180".
        rho_bin: Width of a bin of the distance axis, in the unit of the points.
        vote: Each surface for the directions near its normal ("near", the default), or each point for every
            direction ("all"), the standard Hough transform.
        one_pass: The papers' flow: vote, suppress, take every peak over `min_votes`, or the `top` (10 if neither
            is given); no rounds, no refinement.
        orient: Which side of a plane its normal looks to: "up", "offset" (away from the middle of the points' box),
            "scanner" (to its position if the file has it, as E57, PCD and depth images may, else to 0,0,0) or
            "scanner:X,Y,Z".
        class_: Search only points of these classes; of files that have them.
        bbox: Search only points in this box: (xmin, ymin, xmax, ymax) or (xmin, ymin, zmin, xmax, ymax, zmax).
        every: Search only the first of every so many points.
        columns: What the columns of a file of text are: "x,y,z,intensity"; "-" is of no use.
        camera: Of a depth image, which is a file of 16 bits or an array of shape (height, width), the camera:
            (fx, fy, cx, cy, scale), the focal lengths and the centre in pixels and the value of a metre. The
            labels are those of the pixels, row by row: `found.labels.reshape(image.shape)`.
        device: "cpu"; "cuda", an NVIDIA GPU; or "auto", a GPU if there is one that works.
        voter: How the CPU casts votes for every direction.
        gpus: GPUs that share the votes of every point for every direction.
        threads: Threads to work with; default: one a core.
        progress: True for a bar on stderr, or a function, called with the stage and the share of it that is done, or
            None where that is not known.

    Returns:
        The planes, and the plane of each point.

    Raises:
        TypeError: Points that are no numbers, such as an array of objects, or an argument of another type.
        planes.Error: All of these are a `ValueError`: `planes.ParameterError` for another shape or an argument that
            makes no sense, `planes.DegenerateError` where there is no point or none is finite,
            `planes.FormatError` for a damaged file, `planes.DeviceError`, `planes.OutOfMemoryError`.
        OSError: A file that cannot be read, such as `FileNotFoundError`.
        KeyboardInterrupt: Within half a second of Ctrl-C.

    Python's lock is let go while the search works, so several threads may search at once. Points that are changed
    at the same time spoil the result, and nothing else; an array must not be resized. In a process that was forked
    from one that used a GPU, "auto" means the CPU.

    >>> import planes
    >>> room = planes.synth("room", points=40_000)
    >>> found = planes.detect(room.xyz, top=2, orient="offset")
    >>> found.labels.shape, found.distance.dtype
    ((40000,), dtype('float64'))
    >>> for plane in found:
    ...     print(plane.inliers > 1000, plane.normal.round(2) + 0.0)
    True [ 0.  0. -1.]
    True [0. 0. 1.]
    """
    search = {
        "top": whole("top", top, 1),
        "tolerance": number("tolerance", tolerance),
        "widen": number("widen", widen),
        "angle": number("angle", angle),
        "curved": text("curved", curved),
        "min_inliers": whole("min_inliers", min_inliers, 1),
        "min_area": number("min_area", min_area),
        "min_votes": whole("min_votes", min_votes),
        "refine": text("refine", refine),
        "space": text("space", space),
        "rho_bin": number("rho_bin", rho_bin),
        "vote": text("vote", vote),
        "one_pass": bool(one_pass),
        "orient": text("orient", orient),
        "class_": _classes(class_),
        "bbox": numbers("bbox", bbox),
        "every": whole("every", every, 1),
    }
    gpus, threads = count("gpus", gpus, 65_535), count("threads", threads, 65_535)
    opened = cloud(points, columns, camera, threads)
    with told(progress) as tell:
        native = _planes.detect(opened, search, device, voter, gpus, threads, tell)
    found = Found(native, opened, points if camera is None else None)
    if is_path(points):
        _warn(opened, found, points, orient)
    return found


def _classes(classes: SupportsIndex | Sequence[SupportsIndex] | None) -> list[int] | None:
    """Classes of points, or none."""
    if classes is None:
        return None
    given = list(classes) if isinstance(classes, Iterable) else [classes]
    numbers = [whole("class_", one) for one in given]
    all_ = [one for one in numbers if one is not None]
    if len(all_) < len(numbers):
        raise TypeError("`class_` must be whole numbers, not None")
    for one in all_:
        if one > 255:
            raise ParameterError(f"`class_` is from 0 to 255, not {one}")
    return all_


def _warn(opened: _planes.Cloud, found: Found, path: object, orient: str) -> None:
    """Says if the coordinates of a file are degrees, or if planes are turned to a scanner far away."""
    bounds = found.input["min"], found.input["max"]
    notes = [opened.degrees(*bounds), opened.far_scanner(*bounds) if orient == "scanner" else None]
    for note in notes:
        if note is not None:
            warnings.warn(f"{path}: {note}", stacklevel=3)
