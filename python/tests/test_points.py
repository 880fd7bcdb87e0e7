"""Points come in every layout, and what is none is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import CLOUDS, write_ply

import planes


def structured(xyz: npt.NDArray[Any], names: str, kind: str) -> npt.NDArray[Any]:
    """An array of records with a byte before the coordinates, so that they are not aligned."""
    records = np.zeros(len(xyz), [("flag", "u1"), *((name, kind) for name in names)])
    for axis, name in enumerate(names):
        records[name] = xyz[:, axis]
    return records


class Stubborn:
    """Looks like a sequence, and is none, as a cloud of laspy."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: object) -> object:
        raise TypeError("argument of type 'NoneType' is not iterable")


LAYOUTS: dict[str, Callable[[npt.NDArray[Any]], Any]] = {
    "fortran": np.asfortranarray,
    "every other row": lambda xyz: np.repeat(xyz, 2, axis=0)[::2],
    "backwards twice": lambda xyz: xyz[::-1].copy()[::-1],
    "columns of a wider array": lambda xyz: np.hstack([xyz, xyz])[:, 3:],
    "columns backwards": lambda xyz: xyz[:, ::-1].copy()[:, ::-1],
    "big-endian": lambda xyz: xyz.astype(">f8"),
    "read-only": lambda xyz: np.frombuffer(xyz.tobytes()).reshape(-1, 3),
    "lists": lambda xyz: xyz.tolist(),
    "PDAL's fields": lambda xyz: structured(xyz, "XYZ", "<f8"),
    "fields in small letters": lambda xyz: structured(xyz, "xyz", "<f8"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_planes(
    layout: str, room: planes.Cloud, found: planes.Found
) -> None:
    other = planes.detect(LAYOUTS[layout](room.xyz))
    assert other.to_json() == found.to_json()
    assert np.array_equal(other.labels, found.labels)
    assert np.array_equal(other.distance, found.distance, equal_nan=True)
    assert np.array_equal(other.points, room.xyz)


def test_masked_points_are_left_out(room: planes.Cloud, found: planes.Found) -> None:
    is_floor = found.labels == 0
    masked = np.ma.masked_array(room.xyz, np.repeat(is_floor[:, None], 3, axis=1))
    others = planes.detect(masked)
    assert (others.labels[is_floor] == -1).all()
    missing = np.where(is_floor[:, None], np.nan, room.xyz)
    assert np.array_equal(others.labels, planes.detect(missing).labels)


def test_classes_may_be_numbers_of_numpy(room: planes.Cloud) -> None:
    with pytest.raises(planes.Error) as one:
        planes.detect(room.xyz, class_=np.int64(2))
    with pytest.raises(planes.Error) as other:
        planes.detect(room.xyz, class_=2)
    assert str(one.value) == str(other.value)


def test_single_precision_is_the_same_as_its_values_in_double(room: planes.Cloud) -> None:
    single = room.xyz.astype(np.float32)
    found = planes.detect(single)
    fields = structured(single, "XYZ", "f4")
    others: list[npt.NDArray[Any]] = [single.astype(np.float64), np.asfortranarray(single), fields]
    for other in others:
        assert planes.detect(other).to_json() == found.to_json()


def test_whole_numbers_are_points(room: planes.Cloud) -> None:
    millimetres = np.rint(room.xyz * 1000)
    assert planes.detect(millimetres.astype(np.int32)).to_json() == planes.detect(millimetres).to_json()


def test_double_precision_is_read_where_it_is(room: planes.Cloud) -> None:
    assert planes.detect(room.xyz, top=1).points is room.xyz


def test_points_that_are_not_finite_are_counted_and_belong_to_no_plane(room: planes.Cloud) -> None:
    xyz = room.xyz.copy()
    xyz[::100] = [np.nan, 0, np.inf]
    found = planes.detect(xyz)
    assert found.input["not_finite"] == 400
    assert set(found.labels[::100]) == {-1}
    assert np.isnan(found.distance[::100]).all()


def test_distance_is_that_of_the_plane(found: planes.Found) -> None:
    normals = np.array([plane.normal for plane in found])
    offsets = np.array([plane.offset for plane in found])
    on = found.labels >= 0
    x, y, z = found.points[on].T
    a, b, c = normals[found.labels[on]].T
    assert np.array_equal(found.distance[on], a * x + b * y + c * z - offsets[found.labels[on]])
    assert np.isnan(found.distance[~on]).all()


REFUSED: list[tuple[Any, type[Exception], str]] = [
    (np.zeros((0, 3)), planes.DegenerateError, "points in memory: the cloud has no points"),
    ([], planes.DegenerateError, "points in memory: the cloud has no points"),
    (np.zeros((5, 2)), planes.ParameterError, "points must be of shape (n, 3) or (height, width, 3), not (5, 2)"),
    (np.zeros(9), planes.ParameterError, "points must be of shape (n, 3) or (height, width, 3), not (9,)"),
    (np.zeros((2, 3, 3, 3)), planes.ParameterError, "points must be of shape (n, 3) or (height, width, 3), not (2, 3, 3, 3)"),
    ([[0, 0, 0], [1, 2]], planes.ParameterError, "points must be of shape (n, 3): setting an array"),
    (np.full((10, 3), np.nan), planes.DegenerateError, "none of the 10 points has finite coordinates"),
    (np.zeros((4, 3), object), TypeError, "points must be numbers, not object"),
    (np.zeros((4, 3), complex), TypeError, "points must be numbers, not complex128"),
    (np.zeros((4, 3), bool), TypeError, "points must be numbers, not bool"),
    (None, TypeError, "points must be numbers, not object"),
    (Stubborn(), TypeError, "such as the points of a cloud of Open3D or the xyz of one of laspy"),
    (np.zeros(4, [("X", "f8"), ("Y", "f8")]), planes.ParameterError, "no fields X, Y and Z among 'X', 'Y'"),
    (np.zeros(0, [(axis, "f8") for axis in "XYZ"]), planes.DegenerateError, "the cloud has no points"),
    (np.zeros(4, [(axis, "S4") for axis in "XYZ"]), TypeError, "the fields X, Y and Z must be numbers"),
]


@pytest.mark.parametrize(("points", "error", "message"), REFUSED)
def test_what_is_no_cloud_is_refused(points: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        planes.detect(points)
    assert type(raised.value) is error
    assert message in str(raised.value)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        planes.detect(tmp_path / "none.las")
    assert missing.value.filename == str(tmp_path / "none.las")
    with pytest.raises(IsADirectoryError):
        planes.detect(tmp_path)
    damaged = tmp_path / "damaged.las"
    damaged.write_bytes((CLOUDS / "roofs.las").read_bytes()[:5000])
    with pytest.raises(planes.FormatError, match="damaged.las"):
        planes.detect(damaged)
    (tmp_path / "empty.xyz").write_bytes(b"")
    with pytest.raises(planes.FormatError, match="the file is empty"):
        planes.detect(str(tmp_path / "empty.xyz"))


def test_a_file_has_points_labels_and_classes(tmp_path: Path, room: planes.Cloud) -> None:
    path = write_ply(tmp_path / "room.ply", room.xyz)
    found = planes.detect(path, top=3)
    assert np.array_equal(found.points, room.xyz)
    assert len(found.labels) == len(room.xyz)
    with pytest.raises(planes.ParameterError, match="`class_`: its points have no class"):
        planes.detect(path, class_=2)
    with pytest.raises(planes.ParameterError, match="`class_`"):
        planes.detect(room.xyz, class_=[2, 6])


def test_columns_are_for_text(tmp_path: Path) -> None:
    rows = "".join(f"7 {i % 9} {i % 7} {i % 3}\n" for i in range(100))
    (tmp_path / "some.txt").write_text(rows)
    found = planes.detect(tmp_path / "some.txt", columns="-,x,y,z")
    assert found.points[5].tolist() == [5, 5, 2]
    with pytest.raises(planes.ParameterError, match="`columns` is for text, and this is LAS"):
        planes.detect(CLOUDS / "roofs.las", columns="x,y,z")
    with pytest.raises(planes.ParameterError, match="`columns` is for files"):
        planes.detect([[0, 0, 0]], columns="x,y,z")


def test_what_is_odd_of_a_file_is_a_warning(tmp_path: Path) -> None:
    rows = "".join(f"{i} {i % 9} {i % 7} {i % 3}\n" for i in range(1, 100))
    (tmp_path / "numbered.txt").write_text(rows)
    with pytest.warns(UserWarning, match="numbered.txt"):
        planes.detect(tmp_path / "numbered.txt")


def test_other_libraries_points(room: planes.Cloud, found: planes.Found) -> None:
    open3d = pytest.importorskip("open3d", exc_type=ImportError)
    cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(room.xyz))
    assert planes.detect(cloud.points).to_json() == found.to_json()
    back = found.to_open3d()
    assert np.array_equal(np.asarray(back.points), room.xyz)
    assert len(np.unique(np.asarray(back.colors)[found.labels == 0], axis=0)) == 1


def test_points_of_laspy() -> None:
    laspy = pytest.importorskip("laspy")
    las = laspy.read(CLOUDS / "roofs.las")
    mine, theirs = planes.detect(CLOUDS / "roofs.las"), planes.detect(las.xyz)
    assert np.array_equal(mine.labels, theirs.labels)
    assert [plane.offset for plane in mine] == [plane.offset for plane in theirs]


def test_a_row_of_a_geodataframe_is_a_piece() -> None:
    pytest.importorskip("geopandas")
    found = planes.detect(CLOUDS / "roofs.las")
    frame = found.to_geodataframe()
    assert len(frame) == sum(len(plane.pieces) for plane in found)
    assert frame.crs is None or frame.crs.to_epsg() == found.input["crs"]["epsg"]
    assert frame.geometry.iloc[0].has_z


def test_a_depth_image_in_memory_is_that_of_a_file(tmp_path: Path) -> None:
    rows, columns = np.indices((60, 80))
    depth = (2000 + 3 * columns + rows * (columns > 40)).astype(np.uint16)
    depth[:, :5] = 0
    head = f"P5 {depth.shape[1]} {depth.shape[0]} 65535 ".encode()
    path = tmp_path / "depth.pgm"
    path.write_bytes(head + depth.astype(">u2").tobytes())
    camera = (70.5, 71.0, 39.5, 29.5, 1000)
    of_file = planes.detect(path, camera=camera)
    of_array = planes.detect(depth, camera=camera)
    assert len(of_array) > 0
    assert of_array.to_json() == of_file.to_json()
    assert of_array.labels.reshape(depth.shape)[0, 0] == -1
    np.testing.assert_array_equal(of_array.points, of_file.points)
    metres = planes.detect(np.float32(depth) / np.float32(1000), camera=(*camera[:4], 1))
    np.testing.assert_allclose(metres.points, of_array.points, rtol=1e-6)
    for wrong, error in [(depth[0], planes.ParameterError), (depth.astype(object), TypeError)]:
        with pytest.raises(error, match="a depth image must be"):
            planes.detect(wrong, camera=camera)
    with pytest.raises(planes.ParameterError, match="fx,fy,cx,cy,scale"):
        planes.detect(depth, camera=(1, 2, 3))


def test_a_scanner_far_away_is_warned_about(room: planes.Cloud, tmp_path: Path) -> None:
    path = tmp_path / "far.npy"
    np.save(path, room.xyz + [5e5, 5e6, 0])
    with pytest.warns(UserWarning, match="`orient` scanner means 0,0,0"):
        planes.detect(path, top=1, orient="scanner")


def test_rows_of_an_image_tell_where_the_camera_was() -> None:
    # A wall and a floor before a camera that was moved and turned, seen in 160 x 120 pixels, of which every third is missing.
    rows, columns = np.mgrid[:120, :160]
    x, y = (columns - 79.5) / 140, (rows - 59.5) / 140
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, x.shape)
    disparity = np.round(np.maximum(1 / (5 - x), y / 0.8) * 600 + noise) / 600
    frame = np.stack([x, y, np.ones_like(x)], -1) / np.maximum(disparity, 0.01)[..., None]
    turn = np.array([[0.6, 0, 0.8], [0, 1, 0], [-0.8, 0, 0.6]])
    image = frame @ turn.T + [3, -2, 1.5]
    image[:, ::3] = np.nan
    found = planes.detect(image)
    assert np.allclose(found.parameters["viewpoint"], [3, -2, 1.5], atol=1e-4)
    assert len(found) == 2 and found.labels.shape == (120 * 160,)
