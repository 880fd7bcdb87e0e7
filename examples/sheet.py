"""What the scripts of the gallery share: where to write, a scale bar, a north arrow, a small PNG."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

HERE = Path(__file__).resolve().parent
CLOUDS = HERE.parent / "clouds"


def arguments() -> list[str]:
    """The words after the script's name; none in a notebook, where they are Jupyter's own."""
    return [] if "ipykernel" in sys.modules else sys.argv[1:]


def output_folder() -> Path:
    """The folder that the command line names first, or `gallery` beside this file."""
    folder = Path(arguments()[0]) if arguments() else HERE / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def scale_bar(axes: Axes, metres: float, corner: tuple[float, float] = (0.04, 0.05)) -> None:
    """Draws a bar of so many metres, black and white in halves; the limits of the axes must stand."""
    left, right = axes.get_xlim()
    low, high = axes.get_ylim()
    x, y = left + corner[0] * (right - left), low + corner[1] * (high - low)
    height = 0.01 * (high - low)
    for half, colour in enumerate(["black", "white"]):
        bar = Rectangle(
            (x + half * metres / 2, y), metres / 2, height, facecolor=colour, edgecolor="black", zorder=9
        )
        axes.add_patch(bar)
    for at in (0, metres / 2, metres):
        unit = " m" if at == metres else ""
        axes.text(x + at, y + 1.6 * height, f"{at:g}{unit}", ha="center", va="bottom", fontsize=8, zorder=9)


def north_arrow(axes: Axes, letter: str = "N", corner: tuple[float, float] = (0.95, 0.88)) -> None:
    """Draws an arrow along the y axis."""
    x, y = corner
    style = {"arrowstyle": "-|>", "color": "black", "linewidth": 1.5}
    axes.annotate(
        letter,
        (x, y + 0.09),
        (x, y),
        xycoords="axes fraction",
        ha="center",
        va="top",
        fontsize=11,
        arrowprops=style,
    )


def save(figure: Figure, path: Path, colours: int = 64) -> None:
    """Writes a figure as a PNG with a palette, which is small."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100, facecolor="white")
    picture = (
        Image.open(buffer).convert("RGB").quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    picture.save(path, optimize=True)
    print(f"wrote {path}")
