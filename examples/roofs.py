# %% [markdown]
# # The roofs of a tile: slope, aspect, area
#
# A roof's faces are planes well above the ground. Each connected piece becomes a row of a table, which is
# what a solar cadastre or a 3D city model begins with, and a polygon of a map.
#
#     python examples/roofs.py [OUTPUT FOLDER [CLOUD]]
#
# Without a cloud of your own, one is made: the tile of `clouds/roofs.las`, but as dense as a drone sees it, 30
# points a square metre. Try that file, too: slopes stay right with 5, but outlines get rough.

# %%
import csv
import json
import warnings

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sheet import arguments, north_arrow, output_folder, save, scale_bar

import planes

out = output_folder()
if len(arguments()) > 1:
    tile = arguments()[1]
else:
    tile = planes.synth("roofs", points=300_000, noise=0.03, origin=(500_000, 4_600_000, 300)).xyz
found = planes.detect(tile)
print(found)

# %% [markdown]
# ## Which planes are roofs
#
# The ground is the plane of the largest area. A roof's face is a piece that lies at least 2 m above it, that
# is not as steep as a wall, and that is no smaller than 5 m².

# %%
ground = max(found, key=lambda plane: plane.area)


def above_ground(points):
    return (points @ ground.normal - ground.offset) * np.sign(ground.normal[2])


faces = [
    (plane, piece)
    for plane in found
    for piece in plane.pieces
    if plane.slope < 75 and piece.area >= 5 and above_ground(piece.boundary.exterior.mean(axis=0)) > 2
]

# %% [markdown]
# ## The table
#
# The slope is the angle to the horizontal, and the aspect the compass direction of the steepest descent. Of a
# flat roof nobody needs an aspect. The area is that of the face itself; its footprint is smaller by the cosine
# of the slope. The last column is the standard error of the plane's direction in degrees.


# %%
def compass(degrees):
    return ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][round(degrees / 45) % 8]


rows = []
for plane, piece in faces:
    flat = plane.slope < 3 or plane.aspect is None
    east, north, height = piece.boundary.exterior.mean(axis=0)
    rows.append(
        {
            "piece": piece.id,
            "slope": round(plane.slope, 2),
            "aspect": "" if flat else round(plane.aspect, 1),
            "faces": "flat" if flat else compass(plane.aspect),
            "area": round(piece.area, 2),
            "footprint": round(piece.area * np.cos(np.radians(plane.slope)), 2),
            "points": piece.inliers,
            "east": round(east, 3),
            "north": round(north, 3),
            "height": round(height, 3),
            "slope_error": round(plane.normal_error or 0, 3),
        }
    )

with open(out / "roofs.csv", "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    writer.writerows(rows)

print(f"{'slope °':>8} {'faces':>6} {'area m²':>8} {'points':>7}")
for row in rows[:8]:
    print(f"{row['slope']:8.1f} {row['faces']:>6} {row['area']:8.1f} {row['points']:7}")
print(f"… {len(rows)} faces in {out / 'roofs.csv'}")

# %% [markdown]
# With GeoPandas, the same goes into a GIS: a row for each piece with its polygon, in the cloud's coordinate
# system if it has one.

# %%
try:
    frame = found.to_geodataframe()
    ids = [piece.id for _, piece in faces]
    frame = frame[frame.piece_id.isin(ids)][["piece_id", "slope", "aspect", "piece_area", "geometry"]]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "'crs' was not provided")
        frame.to_file(out / "roofs.gpkg")
    print(f"wrote {out / 'roofs.gpkg'}, for QGIS")
except ImportError as error:
    print(f"no GeoPackage: {error}")

# %% [markdown]
# ## The map
#
# The colour is the slope, and the arrow shows which way water runs. Grey points are trees, and what else belongs
# to no plane.

# %%
figure, axes = plt.subplots(figsize=(8, 6.6), layout="constrained")
points = found.points
origin = np.floor(points.min(axis=0) / 1000) * 1000
plan = points[:, :2] - origin[:2]
axes.scatter(*plan[found.labels < 0][::5].T, s=0.8, color="0.8", linewidths=0, zorder=1)
written = []
colours, steepest = plt.get_cmap("YlOrRd"), 60
for (plane, piece), row in zip(faces, rows):
    colour = colours(0.1 + 0.9 * plane.slope / steepest)
    outline = piece.boundary.exterior[:, :2] - origin[:2]
    axes.fill(*outline.T, facecolor=colour, edgecolor="0.25", linewidth=0.6, zorder=2)
    for hole in piece.boundary.holes:
        axes.fill(*(hole[:, :2] - origin[:2]).T, facecolor="white", edgecolor="0.25", linewidth=0.6, zorder=3)
    at = plan[found.piece_labels == piece.id].mean(axis=0)
    if row["aspect"] == "":
        down = np.zeros(2)
    else:
        down = np.array([np.sin(np.radians(plane.aspect)), np.cos(np.radians(plane.aspect))])
        arrow = {"arrowstyle": "-|>", "linewidth": 1.1, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 9}
        axes.annotate("", at + 3 * down, at, arrowprops=arrow, zorder=5)
    place = at - 0.9 * down
    if all(np.linalg.norm(place - other) > 3.2 for other in written):
        written.append(place)
        axes.text(
            *place,
            f"{plane.slope:.0f}°",
            fontsize=7.5,
            ha="center",
            va="center",
            zorder=6,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.4},
        )
palette = colours(np.linspace(0.1, 1, 64))
scale = plt.cm.ScalarMappable(plt.Normalize(0, steepest), ListedColormap(palette))
figure.colorbar(scale, ax=axes, label="slope in degrees", location="bottom", shrink=0.5, aspect=40)
total = sum(row["area"] for row in rows)
axes.set_aspect("equal")
axes.set(xlim=(plan[:, 0].min(), plan[:, 0].max()), ylim=(plan[:, 1].min(), plan[:, 1].max()))
axes.set_title(f"{len(rows)} roof faces of {total:.0f} m²; arrows point down the slope")
axes.set(xlabel=f"east − {origin[0]:.0f} in m", ylabel=f"north − {origin[1]:.0f} in m")
scale_bar(axes, 20)
north_arrow(axes)
save(figure, out / "roofs.png", colours=64)

# %%
print(json.dumps({"faces": len(rows), "area": round(total, 2), "ground_slope": ground.slope}))
