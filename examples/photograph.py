# %% [markdown]
# # The lines of a photograph, and the façade without perspective
#
# The edges of a building are lines. Those that are parallel in space meet in a vanishing point of the photograph,
# and two such points tell how the camera stood. With that the façade is straightened, so that lengths on it
# can be compared.
#
#     python examples/photograph.py [OUTPUT FOLDER]

# %%
import json

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from sheet import output_folder, save

import planes

out = output_folder()

# %% [markdown]
# ## The photograph
#
# A façade of 12 × 8 m with windows of 1.2 × 1.6 m, drawn as a camera sees it that is turned by 28° to the side and
# 14° up, with a focal length of 900 pixels; the noise is that of a small sensor.

# %%
width, height, focal = 960, 720, 900.0
yaw, pitch = np.radians(28), np.radians(14)
window_x, window_y = np.arange(1.2, 11, 2.1), [1.2, 3.7, 6.2]
window_width, window_height = 1.2, 1.6


colours = np.array([[205, 222, 238], [108, 110, 106], [205, 168, 132], [52, 60, 74]], float)
SKY, STREET, WALL, WINDOW = range(4)


def facade(x, y):
    """The colour of the façade's plane, x to the right and y upwards in metres."""
    kind = np.where(y < 0, STREET, SKY)
    kind[(x >= 0) & (x <= 12) & (y >= 0) & (y <= 8.6)] = WALL
    for left in window_x:
        for low in window_y:
            inside = (x >= left) & (x <= left + window_width) & (y >= low) & (y <= low + window_height)
            kind[inside] = WINDOW
    return colours[kind]


# The camera stands 12 m in front of the façade: axes of the façade in the camera's, which looks along z, y down.
turned = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
raised = np.array([[1, 0, 0], [0, np.cos(pitch), np.sin(pitch)], [0, -np.sin(pitch), np.cos(pitch)]])
rotation = raised @ turned
eye = np.array([13.3, 1.6, -12.0])
middle = np.array([(width - 1) / 2, (height - 1) / 2])


def on_facade(u, v):
    """The place on the façade that pixels see, in metres."""
    rays = np.stack([(u - middle[0]) / focal, (v - middle[1]) / focal, np.ones_like(u)], axis=-1) @ rotation
    t = -eye[2] / rays[..., 2]
    return eye[0] + t * rays[..., 0], eye[1] - t * rays[..., 1]


rng = np.random.default_rng(7)
v, u = np.mgrid[:height, :width].astype(float)
light = np.mean([facade(*on_facade(u + a, v + b)) for a in (-0.25, 0.25) for b in (-0.25, 0.25)], axis=0)
photograph = np.clip(light + rng.normal(0, 6, light.shape), 0, 255).astype(np.uint8)
Image.fromarray(photograph).save(out / "facade.jpg", quality=90)

# %% [markdown]
# ## Its lines

# %%
found = planes.lines(photograph)
found.save(out / "facade.svg")
print(found)

# %% [markdown]
# ## Two vanishing points
#
# A line `x cos θ + y sin θ = ρ` goes through the point (x, y, w), in homogeneous coordinates, if
# `x cos θ + y sin θ − ρ w = 0`. Uprights lean by less than 25° here, and the others are level. For each kind the
# point is sought through which most of its lines go; least squares over these improve it.

# %%
normals = np.array([[np.cos(np.radians(line.theta)), np.sin(np.radians(line.theta)), -line.rho] for line in found])
# Measured from the middle of the photograph in focal lengths, a vanishing point is the direction of its lines in space.
normals[:, 2] = (normals[:, 2] + normals[:, :2] @ middle) / focal
normals /= np.linalg.norm(normals, axis=1, keepdims=True)
lean = np.array([min(line.theta, 180 - line.theta) for line in found])


def vanishing_point(indices):
    """The direction in which most of some lines meet, and these lines."""
    best = max(
        (np.cross(normals[i], normals[j]) for k, i in enumerate(indices) for j in indices[k + 1 :]),
        key=lambda d: (np.abs(normals[indices] @ d) < 0.006 * np.linalg.norm(d)).sum(),
    )
    own = indices[np.abs(normals[indices] @ best) < 0.006 * np.linalg.norm(best)]
    direction = np.linalg.svd(normals[own])[2][-1]
    return direction, own


down, uprights = vanishing_point(np.flatnonzero(lean < 25))
right, levels = vanishing_point(np.flatnonzero(lean >= 25))
right, down = right * np.sign(right[0]), down * np.sign(down[1])
off_square = 90 - np.degrees(np.arccos(right @ down))
found_pitch = np.degrees(np.arctan2(-down[2], down[1]))
found_yaw = np.degrees(np.arctan2(np.hypot(right[1], right[2]), right[0]))
print(f"{len(uprights)} uprights, {len(levels)} levels, at right angles to within {abs(off_square):.2f}°")
print(f"the camera is turned by {found_yaw:.2f}° and looks {found_pitch:.2f}° up")

# %% [markdown]
# ## The façade, straightened
#
# Seen along the façade's own axes, its lines are `x = a` and `y = b`, in units of the camera's distance. One length
# that is known, the 12 m between its corners, gives the scale.

# %%
out_of = np.cross(right, down)
out_of /= np.linalg.norm(out_of)
own_axes = np.column_stack([right, np.cross(out_of, right), out_of])


def places(indices, axis):
    """Where lines cross one of the façade's axes."""
    turned_back = normals[indices] @ own_axes
    return np.sort(-turned_back[:, 2] / turned_back[:, axis])


x, y = places(uprights, 0), places(levels, 1)
metres = 12 / (x[-1] - x[0])
left, street = x[0], y[-1]
x, y = (x - left) * metres, np.sort((street - y) * metres)
widths, heights = np.diff(x)[1:-1:2], np.diff(y)[1:-1:2]
print("windows are", np.round(widths, 2), "m wide and", np.round(heights, 2), "m high")

# %% [markdown]
# The straightened picture fetches each of its pixels from the photograph, at 60 pixels a metre.

# %%
grid_y, grid_x = np.mgrid[9.4 : -0.7 : -1 / 60, -0.8 : 12.8 : 1 / 60]
rays = np.stack([grid_x / metres + left, street - grid_y / metres, np.ones_like(grid_x)], axis=-1) @ own_axes.T
pixel = np.round(rays[..., :2] / rays[..., 2:] * focal + middle).astype(int)
inside = ((pixel >= 0) & (pixel < (width, height))).all(axis=-1)
straight = np.full((*inside.shape, 3), 255, np.uint8)
straight[inside] = photograph[pixel[inside][:, 1], pixel[inside][:, 0]]

# %%
figure, (before, after) = plt.subplots(1, 2, figsize=(9, 3.9), width_ratios=[1, 1.05], layout="constrained")
before.imshow(photograph)
for indices, colour in ((uprights, "tab:blue"), (levels, "tab:red")):
    for line in indices:
        for segment in found[int(line)].segments:
            before.plot(*np.transpose([segment.start, segment.end]), color=colour, linewidth=1.8)
before.set_title(f"{len(found)} lines: {len(uprights)} uprights, {len(levels)} levels", fontsize=10)
before.set(xlim=(0, width), ylim=(height, 0), xlabel="pixels")
after.imshow(straight, extent=(-0.8, 12.8, -0.7, 9.4))
after.set(xticks=np.round(x, 1), yticks=np.round(y, 1), xlabel="m")
after.tick_params(labelsize=7)
after.tick_params(axis="x", rotation=90)
after.grid(color="white", linewidth=0.5)
after.set_title(f"straightened; windows {widths.mean():.2f} × {heights.mean():.2f} m", fontsize=10)
save(figure, out / "photograph.png", colours=64)

# %%
facts = {
    "lines": len(found),
    "uprights": len(uprights),
    "levels": len(levels),
    "yaw": found_yaw,
    "pitch": found_pitch,
    "widths": list(widths),
    "heights": list(heights),
}
print(json.dumps(facts))
