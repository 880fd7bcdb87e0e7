"""Writes an E57 file with pye57, and compares what planes reads of it and copies with what pye57 reads.

    python tests/readback_e57.py PLANES

PLANES is the program. Needs numpy, plyfile and pye57. Ends with status 1 and a message when they differ.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pye57
from plyfile import PlyData

COUNT = 100_000


def check(holds, message):
    if not holds:
        sys.exit(f"readback: {message}")


def write(path):
    """Three scans of a floor and a wall, each from its own place; of the second some points are invalid."""
    rng = np.random.default_rng(1)
    file = pye57.E57(str(path), mode="w")
    for scan in range(3):
        u, v = rng.random((2, COUNT)) * 10
        is_floor = np.arange(COUNT) % 2 == 0
        data = {
            "cartesianX": u,
            "cartesianY": np.where(is_floor, v, 0.0),
            "cartesianZ": np.where(is_floor, 0.0, v),
            "intensity": rng.random(COUNT),
        }
        for colour in ("colorRed", "colorGreen", "colorBlue"):
            data[colour] = rng.integers(0, 256, COUNT).astype(np.uint8)
        if scan == 1:
            data["cartesianInvalidState"] = (np.arange(COUNT) % 9 == 0).astype(np.int8)
        half = 0.2 * scan
        rotation = np.array([np.cos(half), 0.0, 0.0, np.sin(half)])
        file.write_scan_raw(data, rotation=rotation, translation=np.array([5.0 * scan, 1.0, 1.5]))
    file.close()


def theirs(path):
    """Coordinates as pye57 reads them, NaN where there is no point; colours as they stand."""
    file = pye57.E57(str(path))
    points, colours = [], []
    for scan in range(file.scan_count):
        raw = file.read_scan_raw(scan)
        header = file.get_header(scan)
        xyz = np.column_stack([raw[f"cartesian{axis}"] for axis in "XYZ"])
        xyz = file.to_global(xyz, header.rotation, header.translation)
        xyz[raw.get("cartesianInvalidState", np.zeros(len(xyz))) != 0] = np.nan
        points.append(xyz)
        colours.append(np.column_stack([raw[f"color{c}"] for c in ("Red", "Green", "Blue")]))
    return np.concatenate(points), np.concatenate(colours)


def labels_of(path):
    """The labels of a copy, read by libE57Format as fields of an extension."""
    file = pye57.E57(str(path))
    ids = []
    for scan in range(file.scan_count):
        header = file.get_header(scan)
        plane_id = np.zeros(header.point_count, np.int16)
        distance = np.zeros(header.point_count, np.float32)
        buffers = pye57.libe57.VectorSourceDestBuffer()
        for name, array in (("planes:plane_id", plane_id), ("planes:plane_distance", distance)):
            buffer = pye57.libe57.SourceDestBuffer(
                file.image_file, name, array, len(array), True, True
            )
            buffers.append(buffer)
        check(header.points.reader(buffers).read() == len(plane_id), "the copy has other points")
        check(np.array_equal(plane_id < 0, np.isnan(distance)), "distances do not go with labels")
        ids.append(plane_id)
    return np.concatenate(ids)


def check_copy(cloud, copy):
    """Compares the scans of a labelled copy with those of the original."""
    old, new = pye57.E57(str(cloud)), pye57.E57(str(copy))
    check(old.scan_count == new.scan_count, "the copy has another number of scans")
    for scan in range(old.scan_count):
        headers = old.get_header(scan), new.get_header(scan)
        check(np.array_equal(*(header.rotation for header in headers)), "the rotations differ")
        check(np.array_equal(*(header.translation for header in headers)), "the positions differ")
        fields = old.read_scan_raw(scan)
        copied = new.read_scan_raw(scan, ignore_unsupported_fields=True)
        check(fields.keys() == copied.keys(), "the copy has other fields")
        for name in fields:
            check(np.array_equal(fields[name], copied[name]), f"{name} differs in the copy")


def main(planes):
    with tempfile.TemporaryDirectory() as folder:
        cloud, labels = Path(folder) / "cloud.e57", Path(folder) / "labels.ply"
        write(cloud)
        subprocess.run([planes, "-q", "detect", cloud, "--labels", labels], check=True)
        vertex = PlyData.read(labels)["vertex"]
        points, colours = theirs(cloud)
        ours = np.column_stack([vertex[axis] for axis in "xyz"])
        check(ours.shape == points.shape, f"{ours.shape} points, and pye57 reads {points.shape}")
        check(np.array_equal(np.isnan(ours), np.isnan(points)), "other points are invalid")
        check(np.nanmax(np.abs(ours - points)) < 1e-9, "coordinates differ")
        ours = np.column_stack([vertex[channel] for channel in ("red", "green", "blue")])
        check(np.array_equal(ours, colours), "colours differ")
        check((vertex["plane_id"] >= 0).mean() > 0.8, "the floors and walls are not found")
        copy = Path(folder) / "labels.e57"
        subprocess.run([planes, "-q", "detect", cloud, "--labels", copy], check=True)
        check_copy(cloud, copy)
        check(np.array_equal(labels_of(copy), vertex["plane_id"]), "the copy has other labels")
    print(f"readback: {len(points)} points of E57 as pye57 reads them")


main(sys.argv[1])
