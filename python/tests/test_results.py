"""What is found, its files, and the other functions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import CLOUDS, program, write_ply

import planes


def test_planes_are_those_of_the_document(found: planes.Found) -> None:
    entries = json.loads(found.to_json())["planes"]
    assert len(found) == len(entries) == len(found.planes)
    for plane, entry in zip(found, entries, strict=True):
        assert (plane.id, plane.offset, plane.inliers) == (entry["id"], entry["offset"], entry["inliers"])
        assert plane.normal.tolist() == entry["normal"]
        assert plane.inliers == (found.labels == plane.id).sum()
        assert len(plane.pieces) == len(entry["pieces"])
        for piece, own in zip(plane.pieces, entry["pieces"], strict=True):
            assert piece.boundary.exterior.tolist() == own["boundary"]["exterior"]
            assert [hole.tolist() for hole in piece.boundary.holes] == own["boundary"].get("holes", [])
            assert piece.inliers == (found.piece_labels == piece.id).sum()
    assert found[-1] is found.planes[-1]
    assert f"<p>planes.Found: {len(found)} planes" in found._repr_html_()


def test_files_are_those_of_the_program(room: planes.Cloud, tmp_path: Path) -> None:
    """To the byte, of a file and of points in memory."""
    path = write_ply(tmp_path / "room.ply", room.xyz)
    names = ["json", "csv", "png", "planes.ply", "las", "laz", "npy"]
    options = ["--json", "--csv", "--overlay", "--ply", "--labels", "--labels", "--labels"]
    of_file, of_memory = planes.detect(path), planes.detect(room.xyz)
    for name, option in zip(names, options, strict=True):
        ran = program("-q", "detect", path, option, tmp_path / f"program.{name}")
        assert ran.returncode == 0, ran.stderr
        expected = (tmp_path / f"program.{name}").read_bytes()
        for found in (of_file, of_memory):
            found.save(tmp_path / f"module.{name}")
            assert (tmp_path / f"module.{name}").read_bytes() == expected, name
    of_memory.save(tmp_path / "module.labels.ply", label_by="piece")
    program("-q", "detect", path, "--labels", tmp_path / "own.ply", "--label-by", "piece")
    assert (tmp_path / "module.labels.ply").stat().st_size == (tmp_path / "own.ply").stat().st_size


def test_files_that_cannot_be_written_are_named(found: planes.Found, tmp_path: Path) -> None:
    with pytest.raises(planes.ParameterError, match="room.txt: a result's name ends in .csv, .e57, .json"):
        found.save(tmp_path / "room.txt")
    with pytest.raises(planes.ParameterError, match="`kind` is one of json, labels"):
        found.save(tmp_path / "room.json", kind="yaml")
    with pytest.raises(FileNotFoundError):
        found.save(tmp_path / "none" / "room.json")
    path = write_ply(tmp_path / "room.ply", found.points)
    before = path.read_bytes()
    with pytest.raises(planes.ParameterError, match="it was read, and would be replaced"):
        planes.detect(path, top=1).save(path)
    assert path.read_bytes() == before
    found.save(tmp_path / "room.txt", kind="json")
    assert (tmp_path / "room.txt").read_text() == found.to_json()


def test_synth_is_that_of_the_program(tmp_path: Path) -> None:
    given: dict[str, Any] = {"points": 20_000, "seed": 3, "sensor": "tripod", "sag": 0.01, "passes": "2:0.02"}
    cloud = planes.synth("room", **given)
    options = [f"--{name}={value}" for name, value in given.items()]
    assert program("synth", "room", "-o", tmp_path / "room.ply", *options).returncode == 0
    assert cloud.truth == json.loads((tmp_path / "room.truth.json").read_text())
    # The program's document of the same points.
    assert planes.detect(tmp_path / "room.ply").to_json() == planes.detect(cloud.xyz).to_json()
    assert (cloud.labels >= 0).sum() == cloud.truth["on_planes"]
    assert cloud.rgb.shape == (len(cloud), 3) and cloud.intensity.shape == (len(cloud),)
    with pytest.raises(planes.ParameterError, match="`points` is not for scene 'lines'"):
        planes.synth("lines", points=3)  # type: ignore[call-overload]
    with pytest.raises(planes.ParameterError, match="no scene"):
        planes.synth("castle")  # type: ignore[call-overload]


def test_scores_are_those_of_the_program(room: planes.Cloud, found: planes.Found, tmp_path: Path) -> None:
    program("synth", "room", "-o", tmp_path / "room.ply", "--points", 40_000)
    found.save(tmp_path / "found.json")
    found.save(tmp_path / "found.labels.npy")
    truth = tmp_path / "room.ply"
    expected = json.loads(program("eval", tmp_path / "found.json", "--truth", truth, "--json", "-").stdout)
    assert planes.eval(tmp_path / "found.json", truth) == expected
    assert planes.eval(found, truth) == expected
    assert planes.eval(found, room) == expected
    by_labels = planes.eval(found, room.labels)
    assert planes.eval(found.labels, room)["segments"] == expected["segments"]
    both = planes.eval(found.labels, room.labels, points=room.xyz)
    assert both["segments"] == by_labels["segments"]
    assert planes.eval(room.labels, room.labels, points=room.xyz)["segments"]["mean_iou"] == 1
    with pytest.raises(planes.ParameterError, match="39999 labels"):
        planes.eval(found, room.labels[1:])
    with pytest.raises(TypeError, match="labels of the truth must be whole numbers"):
        planes.eval(found, room.labels / 2)
    with pytest.raises(planes.ParameterError, match="`points` are missing"):
        planes.eval(found.labels, room.labels)


def test_lines_are_those_of_the_program(tmp_path: Path) -> None:
    assert program("synth", "lines", "-o", tmp_path / "a.png", "--kind", "photo").returncode == 0
    drawn = planes.synth("lines", kind="photo")
    for line, given in [([], {}), (["--edges=canny:1.5", "--top=4"], {"edges": "canny:1.5", "top": 4})]:
        assert program("detect", tmp_path / "a.png", "--json", tmp_path / "a.json", *line).returncode == 0
        found = planes.lines(tmp_path / "a.png", **given)  # type: ignore[arg-type]
        assert found.to_json() == (tmp_path / "a.json").read_text()
        assert planes.lines(drawn.image, **given).to_json() == found.to_json()  # type: ignore[arg-type]
    opaque = np.dstack([drawn.image, np.full(drawn.image.shape[:2], 255, np.uint8)])
    assert planes.lines(opaque, edges="canny:1.5", top=4).to_json() == found.to_json()
    grey = planes.lines(drawn.image[:, :, 0], edges="canny:1.5")
    assert len(grey) > 0 and grey[0].segments[0].start.shape == (2,)
    scored: list[object] = ["eval", tmp_path / "a.json", "--truth", tmp_path / "a.truth.json", "--json", "-"]
    scores = json.loads(program(*scored).stdout)
    assert planes.eval(found, drawn) == planes.eval(found, tmp_path / "a.truth.json") == scores
    for name in ("b.json", "b.csv", "b.svg", "b.png"):
        found.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    with pytest.raises(TypeError, match="an image must be an array of uint8, not float64"):
        planes.lines(np.zeros((5, 5)))
    with pytest.raises(planes.ParameterError, match=r"not \(5, 5, 2\)"):
        planes.lines(np.zeros((5, 5, 2), np.uint8))
    with pytest.raises(planes.ParameterError, match="`line_space` is for one_pass=True"):
        planes.lines(drawn.image, line_space="kumar")
    with pytest.raises(planes.FormatError):
        planes.lines(CLOUDS / "roofs.las")


def test_one_pass_of_lines(tmp_path: Path) -> None:
    drawn = planes.synth("lines")
    program("synth", "lines", "-o", tmp_path / "a.png")
    line = ["--one-pass", "--line-space=kumar", "--min-votes=200"]
    program("detect", tmp_path / "a.png", "--json", tmp_path / "a.json", *line)
    found = planes.lines(drawn.image, one_pass=True, line_space="kumar", min_votes=200)
    assert found.to_json() == (tmp_path / "a.json").read_text()


def test_the_peaks_of_an_accumulator_are_the_papers_planes(room: planes.Cloud) -> None:
    votes = planes.Accumulator(room.xyz)
    assert votes.counts.shape == (len(votes.directions), len(votes.rho)) == (32_400, votes.counts.shape[1])
    found = planes.detect(room.xyz, one_pass=True, top=5)
    assert found.parameters["rho_bin"] == pytest.approx(votes.rho[1] - votes.rho[0])
    for peak, plane in zip(votes.peaks(5), found, strict=True):
        assert peak.votes == plane.votes == votes.counts[peak.row, peak.bin]
        sign = np.sign(peak.normal @ plane.normal)
        assert sign * peak.normal == pytest.approx(plane.normal, abs=1e-12)
        assert sign * peak.offset == pytest.approx(plane.offset, abs=1e-9)
    least = votes.peaks(5)[-1].votes
    assert [peak.votes for peak in votes.peaks(min_votes=least)][:5] == [peak.votes for peak in votes.peaks(5)]
    with pytest.raises(planes.ParameterError, match="`rho_bin`"):
        planes.Accumulator(room.xyz, rho_bin=0)
    with pytest.raises(planes.ParameterError, match="more than|does not work"):
        planes.Accumulator(room.xyz, rho_bin=1e-6)


def test_votes_are_those_of_the_definition() -> None:
    random = np.random.default_rng(1)
    points = random.integers(0, 64, (300, 3)).astype(float)
    votes = planes.Accumulator(points, space="polar:20x20", rho_bin=3.0)
    distances = votes.directions @ (points - votes.origin).T
    low = votes.rho[0] - 1.5
    for row, own in enumerate(distances):
        near = np.abs((own - low) / 3.0 - np.rint((own - low) / 3.0)) < 1e-5
        bins = np.floor((own[~near] - low) / 3.0).astype(int)
        expected = np.bincount(bins, minlength=len(votes.rho))
        assert (votes.counts[row] - expected >= 0).all() and votes.counts[row].sum() == len(points)
