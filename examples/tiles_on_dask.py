# %% [markdown]
# # A folder of clouds on a Dask cluster
#
# `planes.dask.batch` has the workers of a Dask cluster search all clouds and images of a folder. A worker may die,
# and files that are finished are not done again. What comes out is what `planes batch` on one machine writes, to
# the byte.
#
#     python examples/tiles_on_dask.py [OUTPUT FOLDER [FOLDER OF CLOUDS]]
#
# It needs `pip install dask distributed`.

# %%
import json
from pathlib import Path

import distributed
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from sheet import CLOUDS, arguments, output_folder, save

from planes.dask import batch

out = output_folder() / "tiles"
clouds = Path(arguments()[1]) if len(arguments()) > 1 else CLOUDS

# %% [markdown]
# ## The cluster
#
# Here it is two threads of this process, which start the program `planes` for each share of the files. Elsewhere it is
# `distributed.Client("tcp://scheduler:8786")`, or `dask_jobqueue.SLURMCluster(...).get_client()`; folders must be
# those that all workers see.

# %%
with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
    summary = batch(clouds, out, client, only=["json", "csv"], shards=4)
print(f"{summary['done']} files done, {summary['failed']} failed")

# %% [markdown]
# ## The summary
#
# `summary.csv` and `summary.json` have a row for each file; what is neither a cloud nor an image was passed over.

# %%
print(f"{'file':<12} {'points':>8} {'planes':>7} {'on planes':>10} {'seconds':>8}")
done = [row for row in summary["files"] if row["status"] == "done" and row["planes"] is not None]
for row in done:
    print(f"{row['name']:<12} {row['points']:8} {row['planes']:7} {row['labelled']:10.0%} {row['seconds']:8.2f}")

# %% [markdown]
# A second call finds all of it done, and starts nothing: so it is the way to go on after a power cut, or when tiles
# were added.

# %%
before = {path: path.stat().st_mtime_ns for path in out.glob("*.json") if path.name != "summary.json"}
with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
    batch(clouds, out, client, only=["json", "csv"], shards=4, progress=False)
unchanged = sum(path.stat().st_mtime_ns == time for path, time in before.items())

# %% [markdown]
# ## All clouds on one sheet
#
# Each document has the outlines of its planes. They are drawn from the south and above, in metres, by what they are:
# level as floors and flat roofs, upright as walls, or pitched. Below is how the area divides.

# %%
COLOURS = {"level": "#8fbf6f", "pitched": "#e08a3c", "upright": "#5b8fc9"}


def kind(plane):
    return "level" if plane["slope"] < 5 else "upright" if plane["slope"] > 85 else "pitched"


def draw(axes, document):
    """Draws the outlines of a document, the largest 60."""
    pieces = [(piece, plane) for plane in document["planes"] for piece in plane["pieces"]]
    pieces.sort(key=lambda pair: -pair[0]["area"])
    rings = [np.array(piece["boundary"]["exterior"]) for piece, _ in pieces[:60]]
    low = np.min([ring.min(axis=0) for ring in rings], axis=0)
    extent = np.max([ring.max(axis=0) for ring in rings], axis=0) - low
    faces = [COLOURS[kind(plane)] for _, plane in pieces[:60]]
    outlines = [ring - low for ring in rings]
    # Those that reach farthest back first: then the ground does not hide what stands on it.
    style = {"edgecolors": "0.2", "linewidths": 0.4, "alpha": 0.8, "zsort": "max"}
    axes.add_collection3d(Poly3DCollection(outlines, facecolors=faces, **style))
    axes.set(xlim=(0, extent[0]), ylim=(0, extent[1]), zlim=(0, extent[2]))
    axes.set_box_aspect(extent, zoom=1.25)
    axes.view_init(38, -62)
    axes.set_proj_type("ortho")
    axes.locator_params(nbins=4)
    if extent[2] < 0.2 * extent[0]:
        axes.set_zticks([round(extent[2])])
    axes.tick_params(labelsize=6, pad=-3)
    axes.set_xlabel("x in m", fontsize=7, labelpad=-8)
    axes.set_ylabel("y in m", fontsize=7, labelpad=-8)


shown = done[:4]
figure = plt.figure(figsize=(8, 7.2), layout="constrained")
grid = figure.add_gridspec(3, 2, height_ratios=[1, 1, 0.35])
bars = figure.add_subplot(grid[2, :])
for place, row in enumerate(shown):
    with open(out / f"{row['name']}.json") as file:
        document = json.load(file)
    axes = figure.add_subplot(grid[place // 2, place % 2], projection="3d")
    draw(axes, document)
    name = Path(row["file"]).name
    axes.set_title(f"{name}: {row['points']} points, {row['planes']} planes", fontsize=9)
    left = 0.0
    for which, colour in COLOURS.items():
        area = sum(plane["area"] for plane in document["planes"] if kind(plane) == which)
        share = 100 * area / row["area"]
        bars.barh(name, share, left=left, color=colour, label=which if place == 0 else None)
        left += share
bars.invert_yaxis()
bars.set(xlim=(0, 100), xlabel="share of the planes' area in %: level to 5°, upright from 85°")
bars.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
save(figure, out.parent / "tiles_on_dask.png", colours=64)

# %%
facts = {
    "done": summary["done"],
    "failed": summary["failed"],
    "clouds": {row["name"]: row["points"] for row in done},
    "unchanged": unchanged,
}
print(json.dumps(facts))
