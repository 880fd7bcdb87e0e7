"""`planes.Accumulator`: the classic Hough transform of points."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from planes import _planes
from planes._arguments import Path, Points, cloud, count, number, text, whole
from planes._progress import Progress, told

Floats = npt.NDArray[np.float64]


class Peak(NamedTuple):
    """A bin that is the maximum of its neighbourhood, and the plane in its middle."""

    votes: int
    """Votes in the bin."""
    row: int
    """Index of its direction."""
    bin: int
    """Index of its distance."""
    normal: Floats
    """Unit normal of the plane, of shape (3,)."""
    offset: float
    """`normal · p` of the plane, in the unit of the points."""


class Accumulator:
    """The table of votes of the classic transform: every point votes once for every direction of a space.

    Args:
        points: As for `planes.detect`.
        space: The directions: "polar:THETAxPHI" or "ball:STEP".
        rho_bin: Width of a bin of the distance axis, in the unit of the points; default: 180 bins over the cloud.
        radius: The neighbourhood of a bin in which a peak is the maximum: so many steps to either side.
        device: "cpu"; "cuda", an NVIDIA GPU; or "auto", a GPU if there is one that works.
        threads: Threads to work with; default: one a core.
        progress: True for a bar on stderr, or a function, called with the stage and the share of it that is done.

    Raises:
        TypeError: Points that are no numbers.
        planes.Error: `planes.ParameterError` for points of another shape or a space of more than 2³¹ bins,
            `planes.DegenerateError` where there is no point or none is finite.
        OSError: A file that cannot be read.

    >>> import numpy as np, planes
    >>> x, y = np.meshgrid(np.linspace(0, 1, 50), np.linspace(0, 1, 50))
    >>> level = np.column_stack([x.ravel(), y.ravel(), np.full(2500, 3.0)])
    >>> votes = planes.Accumulator(level, space="polar:90x90", rho_bin=0.01)
    >>> bool((votes.counts.sum(axis=1) == len(level)).all())     # one vote a direction
    True
    >>> peak = votes.peaks(1)[0]
    >>> peak.votes, bool(abs(peak.normal[2]) > 0.999), bool(abs(abs(peak.offset) - 3) <= 0.01)
    (2500, True, True)
    """

    counts: npt.NDArray[np.uint32]
    """The votes, uint32 of shape (directions, bins)."""
    directions: Floats
    """The unit directions, of shape (directions, 3)."""
    origin: Floats
    """What distances are measured from, of shape (3,): the middle of the points' box."""
    rho: Floats
    """The middle of each bin of the distance from `origin`, of shape (bins,), in the unit of the points."""

    def __init__(
        self,
        points: Points | Path,
        *,
        space: str = "polar:180x180",
        rho_bin: float | None = None,
        radius: int = 3,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        threads: int | None = None,
        progress: Progress = False,
    ) -> None:
        opened, width = cloud(points), number("rho_bin", rho_bin)
        space, radius = text("space", space) or "", whole("radius", radius) or 0
        with told(progress) as tell:
            counts, directions, origin, axis, peaks = _planes.accumulate(
                opened, space, width, min(radius, 1 << 16), device, count("threads", threads, 65_535), tell
            )
        low, bin_width, bins = axis
        self.counts = counts.reshape(-1, bins)
        self.directions = directions.reshape(-1, 3)
        self.origin = np.array(origin)
        self.rho = low + (np.arange(bins, dtype=np.float64) + 0.5) * np.float64(bin_width)
        self._peaks = peaks

    def _peak(self, votes: int, index: int) -> Peak:
        row, place = divmod(index, len(self.rho))
        normal = self.directions[row]
        return Peak(votes, row, place, normal, float(self.rho[place] + normal @ self.origin))

    def peaks(self, top: int | None = None, *, min_votes: int = 1) -> list[Peak]:
        """The bins with at least `min_votes` that are the maximum of their neighbourhood, most votes first; of
        equals the first. Only the `top` of them, if that is given."""
        least, most = whole("min_votes", min_votes) or 0, whole("top", top)
        chosen = self._peaks if most is None else self._peaks[:most]
        return [self._peak(votes, index) for votes, index in chosen if votes >= least]

    def __repr__(self) -> str:
        rows, bins = self.counts.shape
        return f"<planes.Accumulator: {rows} directions × {bins} bins>"
