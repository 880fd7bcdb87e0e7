"""Writes tests/parity/: an edge image and what OpenCV's HoughLines finds in it.

    pip install opencv-python-headless && python tests/parity.py

`tests/lines.rs` compares with what is stored.
"""

import pathlib

import cv2
import numpy as np

folder = pathlib.Path(__file__).parent / "parity"
folder.mkdir(exist_ok=True)
image = np.zeros((120, 160), np.uint8)
for a, b in [((5, 10), (150, 10)), ((20, 0), (20, 119)), ((0, 119), (119, 0)), ((30, 20), (150, 90))]:
    cv2.line(image, a, b, 255, 1)
image[np.random.default_rng(1).random(image.shape) < 0.02] = 255
cv2.imwrite(str(folder / "edges.png"), image)

# One direction a degree, one bin a pixel, every bin of 60 votes that is the maximum of its neighbours.
found = cv2.HoughLinesWithAccumulator(image, 1, np.pi / 180, 60)
with open(folder / "opencv.txt", "w") as out:
    print(f"# OpenCV {cv2.__version__}: rho, theta in degrees, votes", file=out)
    for rho, theta, votes in found.reshape(-1, 3):
        print(f"{rho:g} {np.degrees(theta):.3f} {votes:g}", file=out)
