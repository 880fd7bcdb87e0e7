"""The gallery: its scripts run, and what they find is what was drawn."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import CLOUDS, REPOSITORY

import planes

EXAMPLES = REPOSITORY / "examples"
NAMES = ["floor_plan", "roofs", "depth_camera", "photograph", "tiles_on_dask"]
#: No picture of the documentation may have more bytes.
LARGEST = 60_000


def run(name: str, out: Path, *arguments: object, needs: Sequence[str] = ()) -> dict[str, Any]:
    """Runs a script of the gallery; the numbers in its last line."""
    for module in ["matplotlib", *needs]:
        pytest.importorskip(module, reason=f"{name}.py needs {module}: pip install {module}")
    line = [sys.executable, str(EXAMPLES / f"{name}.py"), str(out), *map(str, arguments)]
    # As on a server, without a window.
    environment = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run(line, cwd=out, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    picture = (out / f"{name}.png").read_bytes()
    # A PNG whose colour type is 3, a palette.
    assert picture.startswith(b"\x89PNG") and picture[25] == 3 and len(picture) <= LARGEST
    facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return facts


def true_planes(truth: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The planes of a truth by name."""
    return {plane["name"]: plane for plane in truth["planes"]}


def test_the_plan_is_that_of_the_room(tmp_path: Path) -> None:
    facts = run("floor_plan", tmp_path, needs=["pye57"])
    assert (tmp_path / "room.e57").exists()
    room = true_planes(planes.synth("room", points=1000).truth)
    sides = [room[name]["offset"] for name in ("east wall", "north wall", "ceiling")]
    assert (facts["points"], facts["walls"]) == (200_000, 4)
    assert facts["area"] == pytest.approx(sides[0] * sides[1], rel=0.001)
    assert facts["height"] == pytest.approx(sides[2], abs=0.002)
    # The north wall has two windows, the south wall has one; the wall with the door is notched.
    holes = [hole for name in ("north wall", "south wall") for hole in room[name]["polygon"]["holes"]]
    windows = sorted(float(np.hypot(*np.ptp(hole, axis=0)[:2])) for hole in holes)
    assert facts["window"] == pytest.approx(windows, abs=0.02)
    notch = np.array(room["west wall"]["polygon"]["exterior"])
    lintel = notch[(notch[:, 2] > 0) & (notch[:, 2] < sides[2])]
    assert facts["door"] == pytest.approx([np.hypot(*np.ptp(lintel, axis=0)[:2])], abs=0.02)


def test_a_scan_of_ones_own_becomes_a_plan(tmp_path: Path) -> None:
    facts = run("floor_plan", tmp_path, CLOUDS / "room.ply")
    assert (facts["points"], facts["walls"]) == (40_000, 4)
    assert facts["area"] == pytest.approx(30, rel=0.002)


def ring_area(ring: Sequence[Sequence[float]]) -> float:
    """The area of a ring in space."""
    around = np.array(ring) - ring[0]
    return float(np.linalg.norm(np.cross(around, np.roll(around, -1, axis=0)).sum(axis=0)) / 2)


def compare_roofs(table: Path, truth: dict[str, Any], least: float) -> tuple[int, list[float]]:
    """How many true faces of at least so many square metres there are, and found areas as shares of theirs.

    Each must have a row whose slope and aspect are right.
    """
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    faces, shares = 0, []
    for plane in truth["planes"]:
        ring = np.array(plane["polygon"]["exterior"])
        normal = np.array(plane["normal"]) * (1 if plane["normal"][2] >= 0 else -1)
        area = ring_area(plane["polygon"]["exterior"]) - sum(map(ring_area, plane["polygon"].get("holes", [])))
        if plane["name"] == "ground" or plane["small"] or area < least:
            continue
        faces += 1
        middle = ring.mean(axis=0)
        slope = np.degrees(np.arccos(normal[2]))
        aspect = np.degrees(np.arctan2(normal[0], normal[1])) % 360
        near = [
            row
            for row in rows
            if np.hypot(float(row["east"]) - middle[0], float(row["north"]) - middle[1]) < 5
            and abs(float(row["slope"]) - slope) < 0.5
            and (slope < 3 or abs((float(row["aspect"]) - aspect + 180) % 360 - 180) < 2)
        ]
        assert near, plane["name"]
        nearest = min(near, key=lambda row: abs(float(row["area"]) - area))
        shares.append(float(nearest["area"]) / area)
    return faces, shares


def test_slopes_and_areas_of_roofs_are_right(tmp_path: Path) -> None:
    facts = run("roofs", tmp_path)
    tile = planes.synth("roofs", points=300_000, noise=0.03, origin=(500_000, 4_600_000, 300))
    faces, shares = compare_roofs(tmp_path / "roofs.csv", tile.truth, 5)
    assert facts["faces"] == faces
    # A small one and one that dormers cut into are worst.
    errors = np.abs(np.array(shares) - 1)
    assert errors.max() < 0.3 and (errors < 0.1).mean() >= 0.9 and np.median(errors) < 0.04


def test_slopes_of_sparse_roofs_are_right(tmp_path: Path) -> None:
    facts = run("roofs", tmp_path, CLOUDS / "roofs.las")
    truth = json.loads((CLOUDS / "roofs.truth.json").read_text())
    faces, _ = compare_roofs(tmp_path / "roofs.csv", truth, 5)
    assert facts["faces"] == faces


def test_planes_are_followed_from_frame_to_frame(tmp_path: Path) -> None:
    facts = run("depth_camera", tmp_path)
    assert (facts["frames"], facts["shape"]) == (8, [240, 320])
    # All but the left wall, which the camera soon loses, each on one track.
    seen = ["box front", "box side", "box top", "ceiling", "floor", "front wall", "right wall", "table"]
    assert facts["tracks"] == seen
    assert facts["agreed"] > 0.98 and facts["tracked"] > 0.95 and facts["median_error"] < 0.002


def test_the_lines_of_the_photograph_are_those_of_the_facade(tmp_path: Path) -> None:
    facts = run("photograph", tmp_path)
    # Five columns and three rows of windows, two corners, the eaves and the street.
    assert (facts["lines"], facts["uprights"], facts["levels"]) == (20, 12, 8)
    assert (facts["yaw"], facts["pitch"]) == pytest.approx((28, 14), abs=0.1)
    assert facts["widths"] == pytest.approx(5 * [1.2], abs=0.01)
    assert facts["heights"] == pytest.approx(3 * [1.6], abs=0.01)


def test_dask_searches_all_clouds_of_the_folder(tmp_path: Path) -> None:
    facts = run("tiles_on_dask", tmp_path, needs=["distributed"])
    points = [json.loads(path.read_text())["points"] for path in CLOUDS.glob("*.truth.json")]
    assert sorted(facts["clouds"].values()) == sorted(points)
    # The four clouds and a picture; a second call does none of them again.
    assert (facts["done"], facts["failed"], facts["unchanged"]) == (5, 0, 5)


@pytest.mark.parametrize("name", NAMES)
def test_the_gallery_shows_a_picture_of_each(name: str) -> None:
    picture = EXAMPLES / "pictures" / f"{name}.png"
    assert picture.stat().st_size <= LARGEST
    text = (EXAMPLES / "README.md").read_text()
    assert f"](pictures/{name}.png)" in text and f"python examples/{name}.py" in text
