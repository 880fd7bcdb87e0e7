# %% [markdown]
# # Planes in the frames of a depth camera
#
# A robot's camera gives depth images of 16 bits. `planes` reads them as they are, with `camera=`: focal lengths,
# centre, and the value of a metre. The labels have the image's shape, and planes are followed from frame to frame.
#
#     python examples/depth_camera.py [OUTPUT FOLDER]

# %%
import json

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from sheet import output_folder, save

import planes

out = output_folder()
frames = out / "frames"
frames.mkdir(exist_ok=True)

# %% [markdown]
# ## Eight frames
#
# The camera looks along z, with x to the right and y down, as in all drivers. It drives into the corner of a room
# with a table and a box, and turns to the right by 3° a frame. Its noise grows with the square of the distance, as
# that of structured light does. Depths are in units of 0.2 mm, as in the TUM data sets; 0 is no measurement.

# %%
width, height, count = 320, 240, 8
fx = fy = 260.0
cx, cy = (width - 1) / 2, (height - 1) / 2
scale = 5000.0
rng = np.random.default_rng(1)

# Rectangles: name, a corner, and its two sides, in metres. The camera starts in (0, 0, 0), 1.2 m above the floor.
surfaces = [
    ("floor", (-3, 1.2, -1), (6, 0, 0), (0, 0, 6)),
    ("ceiling", (-3, -1.3, -1), (6, 0, 0), (0, 0, 6)),
    ("front wall", (-3, -1.3, 4.2), (6, 0, 0), (0, 2.5, 0)),
    ("right wall", (2.2, -1.3, -1), (0, 0, 6), (0, 2.5, 0)),
    ("left wall", (-2.2, -1.3, -1), (0, 0, 6), (0, 2.5, 0)),
    ("table", (-0.9, 0.45, 2.2), (1.4, 0, 0), (0, 0, 0.8)),
    ("box front", (1.0, 0.5, 3.0), (0.9, 0, 0), (0, 0.7, 0)),
    ("box top", (1.0, 0.5, 3.0), (0.9, 0, 0), (0, 0, 0.7)),
    ("box side", (1.0, 0.5, 3.0), (0, 0, 0.7), (0, 0.7, 0)),
]
v, u = np.mgrid[:height, :width]
rays = np.dstack([(u - cx) / fx, (v - cy) / fy, np.ones((height, width))])


def pose(frame):
    """Rotation from the camera into the room, and the camera's position."""
    turn = np.radians(3 * frame)
    rotation = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
    return rotation, np.array([0.03 * frame, 0, 0.1 * frame])


def render(frame):
    """The depth image of a frame, and the surface that each pixel sees."""
    rotation, eye = pose(frame)
    directions = rays @ rotation.T
    depth, seen = np.full((height, width), np.inf), np.full((height, width), -1)
    for index, (_, corner, side, other) in enumerate(surfaces):
        corner, side, other = (np.array(vector, float) for vector in (corner, side, other))
        normal = np.cross(side, other)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (corner - eye) @ normal / (directions @ normal)
            hit = eye + t[..., None] * directions - corner
            a, b = hit @ side / (side @ side), hit @ other / (other @ other)
        nearer = (t > 0.3) & (t < depth) & (a >= 0) & (a <= 1) & (b >= 0) & (b <= 1)
        depth[nearer], seen[nearer] = t[nearer], index
    depth += rng.normal(size=depth.shape) * 0.0012 * depth**2
    lost = rng.random(depth.shape) < 0.01
    depth[lost | ~np.isfinite(depth)] = 0
    return np.round(depth * scale).astype(np.uint16), seen


truth = []
for frame in range(count):
    depth, seen = render(frame)
    Image.fromarray(depth).save(frames / f"{frame:02}.png")
    truth.append(seen)

# %% [markdown]
# ## Detection
#
# One call a frame. A depth image is a cloud of a point a pixel, row by row, so the labels only need the image's
# shape; -1 is no plane, and no measurement. `orient="scanner"` turns normals towards the camera: then a plane's
# distance from it is `-offset`.

# %%
seen_planes, label_images = [], []
for frame in range(count):
    found = planes.detect(frames / f"{frame:02}.png", camera=(fx, fy, cx, cy, scale), orient="scanner")
    seen_planes.append(found.planes)
    label_images.append(found.labels.reshape(height, width))

# %% [markdown]
# ## From frame to frame
#
# Between two frames the robot moves little, so a plane's equation changes little: by 3° and 0.1 m here. Of all
# pairs of an old and a new plane the nearest are matched first; equal equations apart in space, such as two boxes
# of one height, are told apart by their centroids. What finds no partner starts a track of its own, and as in any
# tracker, a track counts if it lasts for three frames.


# %%
def difference(old, new):
    """How far two planes are apart: 1 is as far as those of neighbouring frames can be."""
    angle = np.degrees(np.arccos(np.clip(old.normal @ new.normal, -1, 1))) / 8
    return max(angle, abs(old.offset - new.offset) / 0.3, np.linalg.norm(old.centroid - new.centroid) / 0.8)


tracks = 0
previous, track_images, history = {}, [], {}
for frame, (found_planes, labels) in enumerate(zip(seen_planes, label_images)):
    pairs = sorted(
        (difference(old, new), track, new.id)
        for track, old in previous.items()
        for new in found_planes
        if difference(old, new) < 1
    )
    track_of = {}
    for _, track, new in pairs:
        if new not in track_of and track not in track_of.values():
            track_of[new] = track
    for plane in found_planes:
        if plane.id not in track_of:
            track_of[plane.id] = tracks
            tracks += 1
        history.setdefault(track_of[plane.id], []).append((frame, -plane.offset))
    previous = {track_of[plane.id]: plane for plane in found_planes}
    lookup = np.array([track_of[plane.id] for plane in found_planes] + [-1])
    track_images.append(lookup[labels])

lasting = [track for track, line in history.items() if len(line) >= 3]

# %% [markdown]
# ## Against the truth
#
# The renderer knows which surface each pixel saw: a track should stay on one, and a surface on one track.

# %%
names = [name for name, *_ in surfaces]
owners = {}
for track in lasting:
    counts = sum(
        np.bincount(seen[image == track], minlength=len(names)) for seen, image in zip(truth, track_images)
    )
    owners[track] = int(counts.argmax())
agreed = tracked = 0
for seen, image in zip(truth, track_images):
    for track, owner in owners.items():
        agreed += ((image == track) & (seen == owner)).sum()
        tracked += (image == track).sum()


def true_distance(index, frame):
    """The distance of a surface's plane from the camera."""
    _, corner, side, other = surfaces[index]
    normal = np.cross(side, other)
    return abs((np.array(corner) - pose(frame)[1]) @ normal) / np.linalg.norm(normal)


errors = [
    abs(distance - true_distance(owners[track], frame)) for track in lasting for frame, distance in history[track]
]
print(
    f"{len(lasting)} tracks; {agreed / tracked:.2%} of their pixels are on one surface; "
    f"median error of distances {1000 * np.median(errors):.1f} mm"
)

# %% [markdown]
# ## The picture

# %%
shown = [0, 2, 5, 7]
colour_of = {track: plt.get_cmap("tab10").colors[k % 10] for k, track in enumerate(lasting)}
figure = plt.figure(figsize=(8, 6), layout="constrained")
grid = figure.add_gridspec(3, len(shown), height_ratios=[1, 1, 1.3])
row = []
for column, frame in enumerate(shown):
    top, bottom = figure.add_subplot(grid[0, column]), figure.add_subplot(grid[1, column])
    depth = np.asarray(Image.open(frames / f"{frame:02}.png")) / scale
    shades = top.imshow(np.where(depth > 0, depth, np.nan), cmap="viridis", vmin=1, vmax=5)
    coloured = np.full((height, width, 3), 0.85)
    for track, colour in colour_of.items():
        coloured[track_images[frame] == track] = colour
    bottom.imshow(coloured)
    top.set_title(f"frame {frame}", fontsize=9)
    for axes in (top, bottom):
        axes.set(xticks=[], yticks=[])
    if column == 0:
        top.set_ylabel("depth")
        bottom.set_ylabel("tracked planes")
    row.append(top)
figure.colorbar(shades, ax=row, label="m", aspect=12, pad=0.01)
axes = figure.add_subplot(grid[2, :])
for track, colour in colour_of.items():
    at, distance = np.transpose(history[track])
    axes.plot(at, [true_distance(owners[track], int(frame)) for frame in at], color=colour, linewidth=1)
    axes.plot(at, distance, "o", markersize=4, color=colour, label=names[owners[track]])
axes.set(xlabel="frame", ylabel="distance in m", ylim=(0, None), xlim=(-0.2, count - 0.8))
axes.set_title("distance of each plane from the camera: dots as found, lines as true", fontsize=10)
axes.grid(color="0.92")
figure.legend(loc="outside lower center", ncols=5, fontsize=8, frameon=False)
save(figure, out / "depth_camera.png", colours=160)

# %%
facts = {
    "frames": count,
    "shape": label_images[0].shape,
    "tracks": sorted(names[owner] for owner in owners.values()),
    "agreed": agreed / tracked,
    "tracked": tracked / (count * width * height),
    "median_error": np.median(errors),
}
print(json.dumps(facts, default=float))
