# %% [markdown]
# # From an E57 scan of a room to its floor plan
#
# The planes of a scan are what a plan is drawn from: walls are upright planes, and the outline of each
# shows where its doors and windows are. The plan is a cut through the outlines at 1.2 m above the floor,
# as architects draw it.
#
#     python examples/floor_plan.py [OUTPUT FOLDER [SCAN]]
#
# Without a scan of your own, one is made: a furnished room, seen from two stations.

# %%
import json

import matplotlib.pyplot as plt
import numpy as np
from sheet import arguments, north_arrow, output_folder, save, scale_bar

import planes

out = output_folder()

# %% [markdown]
# ## The scan
#
# An E57 file holds scans, each in the coordinates of its scanner, with the pose that takes them into the
# building's. `planes` applies the poses. Without pye57 to write it, the points go into a `.npy` file.

# %%
stations = np.array([[1.5, 2.0, 1.4], [3.2, 4.6, 1.4]])


def write_scan(path, points):
    """Writes points as the scans of the two stations, each with the points that are nearer to it."""
    with pye57.E57(str(path), mode="w") as file:
        nearer = np.linalg.norm(points[:, None] - stations, axis=2).argmin(axis=1)
        for number, station in enumerate(stations):
            own = points[nearer == number] - station
            columns = {f"cartesian{axis}": own[:, k] for k, axis in enumerate("XYZ")}
            file.write_scan_raw(columns, rotation=np.array([1.0, 0, 0, 0]), translation=station)


if len(arguments()) > 1:
    scan = arguments()[1]
else:
    room = planes.synth("room", points=200_000, noise=0.004, seed=3)
    try:
        import pye57

        scan = out / "room.e57"
        write_scan(scan, room.xyz)
    except ImportError:
        scan = out / "room.npy"
        np.save(scan, room.xyz)

found = planes.detect(scan)
print(scan, found)

# %% [markdown]
# ## Floor, ceiling, walls
#
# The floor is the lowest of the large level planes, and the ceiling the highest. A wall is an upright piece
# that reaches from the one to the other; a cupboard does not.

# %%
level = [plane for plane in found if plane.slope < 2 and plane.area > 0.3 * max(p.area for p in found)]
floor = min(plane.centroid[2] for plane in level)
ceiling = max(plane.centroid[2] for plane in level)
height = ceiling - floor


def top_and_bottom(piece):
    z = piece.boundary.exterior[:, 2] - floor
    return z.min(), z.max()


walls, others = [], []
for plane in found:
    if plane.slope > 85:
        # In a room whose corners all point outwards, a plane holds one wall: its largest piece.
        largest, *rest = plane.pieces
        low, high = top_and_bottom(largest)
        if low < 0.1 * height and high > 0.95 * height and largest.area > 2:
            walls.append((plane, largest))
        else:
            rest.append(largest)
        others += rest

# %% [markdown]
# ## The room
#
# Going round the room, each wall meets the next in a corner: there the equations of both hold. The corners
# give the room's area far better than the outline of the floor, of which furniture hides much.

# %%
middle = np.mean([piece.boundary.exterior.mean(axis=0) for _, piece in walls], axis=0)[:2]


def bearing(wall):
    x, y = wall[1].boundary.exterior.mean(axis=0)[:2] - middle
    return np.arctan2(y, x)


walls.sort(key=bearing)
corners = []
for (one, _), (other, _) in zip(walls, walls[1:] + walls[:1]):
    equations = np.array([one.normal[:2], other.normal[:2]])
    at = np.array([one.offset - one.normal[2] * floor, other.offset - other.normal[2] * floor])
    corners.append(np.linalg.solve(equations, at))
corners = np.array(corners)
x, y = corners.T
area = abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
print(f"{len(walls)} walls, {area:.2f} m² of floor, {height:.3f} m high")

# %% [markdown]
# ## Doors and windows
#
# A cut through a wall at a height gives the stretches where there is wall: between the crossings of its outline
# and its holes, by turns. What is missing at 1.2 m is an opening: a door, if it is missing at 0.3 m too.


# %%
def cut(boundary, z):
    """The stretches of an upright outline at a height above the floor, as pairs of points (x, y)."""
    points = []
    for ring in (boundary.exterior, *boundary.holes):
        start, end = ring, np.roll(ring, -1, axis=0)
        above = ring[:, 2] - floor > z
        for a, b in zip(start[above != np.roll(above, -1)], end[above != np.roll(above, -1)]):
            points.append((a + (b - a) * (z + floor - a[2]) / (b[2] - a[2]))[:2])
    if not points:
        return []
    along = np.ptp(points, axis=0)
    points = np.array(sorted(points, key=lambda p: tuple(p) if along[0] > along[1] else (p[1], p[0])))
    return list(zip(points[::2], points[1::2]))


openings = []
for _, piece in walls:
    stretches = cut(piece.boundary, 1.2)
    for (_, left), (right, _) in zip(stretches, stretches[1:]):
        centre = (left + right) / 2
        below = any((centre - a) @ (centre - b) < 0 for a, b in cut(piece.boundary, 0.3))
        if np.linalg.norm(right - left) > 0.4:
            openings.append(("window" if below else "door", left, right))
for kind, left, right in openings:
    print(f"{kind}: {np.linalg.norm(right - left):.2f} m wide")

# %% [markdown]
# ## The plan

# %%
figure, axes = plt.subplots(figsize=(7.2, 6.6), layout="constrained")
axes.fill(*corners.T, color="#f6f1e7", zorder=0)
furniture = []

# Furniture, seen from above: level and upright pieces below the ceiling.
for plane in found:
    for piece in plane.pieces:
        low, high = top_and_bottom(piece)
        if plane.slope < 30 and piece.area > 0.03 and 0.05 < low and high < 0.9 * height:
            outline = piece.boundary.exterior[:, :2]
            axes.fill(*outline.T, facecolor="#e3dccb", edgecolor="#8a8271", linewidth=0.7, zorder=low)
            furniture.append(outline)
for piece in others:
    for a, b in cut(piece.boundary, min(1.2, 0.7 * top_and_bottom(piece)[1])):
        if np.linalg.norm(b - a) > 0.1:
            axes.plot(*np.transpose([a, b]), color="#8a8271", linewidth=1.2, zorder=4)

# Walls as their faces, to the corners; then the openings.
for start, end in zip(corners, np.roll(corners, -1, axis=0)):
    axes.plot(*np.transpose([start, end]), color="black", linewidth=5, solid_capstyle="projecting", zorder=5)
for kind, left, right in openings:
    axes.plot(*np.transpose([left, right]), color="white", linewidth=5.5, solid_capstyle="butt", zorder=6)
    if kind == "window":
        axes.plot(*np.transpose([left, right]), color="black", linewidth=5.5, solid_capstyle="butt", zorder=6)
        axes.plot(*np.transpose([left, right]), color="white", linewidth=3.5, solid_capstyle="butt", zorder=7)
        axes.plot(*np.transpose([left, right]), color="black", linewidth=0.8, zorder=8)


def measure(start, end, inside, away, size=9):
    """Writes a length beside its stretch, on the outer side."""
    along = (end - start) / np.linalg.norm(end - start)
    outwards = np.array([along[1], -along[0]])
    outwards *= -np.sign(outwards @ (inside - start))
    turn = np.degrees(np.arctan2(along[1], along[0]))
    turn = (turn + 90) % 180 - 90
    axes.text(
        *((start + end) / 2 + away * outwards),
        f"{np.linalg.norm(end - start):.2f}",
        rotation=turn,
        rotation_mode="anchor",
        ha="center",
        va="center",
        fontsize=size,
    )


for start, end in zip(corners, np.roll(corners, -1, axis=0)):
    measure(start, end, middle, 0.52, 11)
for _, left, right in openings:
    measure(left, right, middle, 0.2, 8)

# The area stands where there is most room for it: halfway between the middle and some place on the walls.
places = [
    middle + (1 - t) / 2 * (a - middle) + t / 2 * (b - middle)
    for t in np.linspace(0, 1, 9)
    for a, b in zip(corners, np.roll(corners, -1, axis=0))
]
obstacles = np.concatenate([*furniture, corners])
free = max(places, key=lambda place: np.linalg.norm(obstacles - place, axis=1).min())
axes.text(*free, f"{area:.2f} m²\nheight {height:.2f} m", ha="center", va="center", fontsize=12, zorder=9)

axes.set_aspect("equal")
axes.margins(0.14)
axes.autoscale_view()
axes.set(xlabel="x in m", ylabel="y in m", title="Floor plan, cut 1.2 m above the floor; lengths in metres")
axes.set_axisbelow(True)
axes.grid(color="0.92", linewidth=0.6)
scale_bar(axes, 2)
north_arrow(axes, "y")
save(figure, out / "floor_plan.png", colours=32)

# %%
widths = {
    kind: sorted(round(float(np.linalg.norm(r - l)), 3) for k, l, r in openings if k == kind)
    for kind in ("door", "window")
}
print(json.dumps({"points": found.input["points"], "walls": len(walls), "area": area, "height": height, **widths}))
