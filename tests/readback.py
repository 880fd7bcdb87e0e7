"""Reads the files of a detection with other people's tools and compares them.

    python tests/readback.py FOLDER

FOLDER holds planes.json, planes.ply, labels.las, labels.laz, labels.ply, labels.pcd and labels.npy of one
detection, and pieces.las, pieces.laz, pieces.ply, pieces.pcd and pieces.npy, which are labelled by piece. Needs numpy, laspy[lazrs], plyfile and open3d. Ends with status 1 and a message when a
tool cannot read a file or two files disagree.
"""

import json
import sys
from pathlib import Path

import laspy
import numpy as np
import open3d
from plyfile import PlyData


def check(holds, message):
    if not holds:
        sys.exit(f"readback: {message}")


def read_las(path):
    """Coordinates, ids and distances of a LAS or LAZ file."""
    las = laspy.read(path)
    names = list(las.point_format.extra_dimension_names)
    for name in ("plane_id", "plane_distance"):
        check(names.count(name) == 1, f"{path}: {names.count(name)} dimensions {name}")
    check(las.plane_id.dtype == np.int32, f"{path}: plane_id is {las.plane_id.dtype}")
    check(las.plane_distance.dtype == np.float32, f"{path}: plane_distance is {las.plane_distance.dtype}")
    low, high = las.header.mins, las.header.maxs
    slack = las.header.scales * 1.5
    check((las.xyz >= low - slack).all() and (las.xyz <= high + slack).all(), f"{path}: wrong bounds")
    return las.xyz, np.asarray(las.plane_id), np.asarray(las.plane_distance)


def read_ply(path):
    """The same of a PLY file."""
    vertex = PlyData.read(path)["vertex"]
    xyz = np.column_stack([vertex[c] for c in "xyz"])
    check(xyz.dtype == np.float64, f"{path}: coordinates are {xyz.dtype}")
    return xyz, vertex["plane_id"], vertex["plane_distance"]


def read_pcd(path):
    """The same of a PCD file, and its pieces if it has them."""
    point = open3d.t.io.read_point_cloud(str(path)).point
    check(point.positions.dtype == open3d.core.float64, f"{path}: coordinates are {point.positions.dtype}")
    check(point.plane_id.dtype == open3d.core.int32, f"{path}: plane_id is {point.plane_id.dtype}")
    names = ("positions", "plane_id", "plane_distance", "piece_id")
    columns = [point[name].numpy() for name in names if name in point]
    return [columns[0], *(column.ravel() for column in columns[1:])]


def check_labels(folder, planes):
    ids = np.load(folder / "labels.npy")
    check(ids.dtype == np.int32 and ids.ndim == 1, f"labels.npy: {ids.dtype}, {ids.ndim} axes")
    check(((ids >= -1) & (ids < len(planes))).all(), "labels.npy: a label names no plane")
    exact, ply_ids, ply_distances = read_ply(folder / "labels.ply")
    check(np.array_equal(ply_ids, ids), "labels.ply and labels.npy differ")
    cloud = open3d.io.read_point_cloud(str(folder / "labels.ply"))
    finite = np.isfinite(exact).all(axis=1)
    check(
        np.array_equal(np.asarray(cloud.points)[finite], exact[finite]),
        "labels.ply: open3d reads other points",
    )
    xyz, pcd_ids, distances = read_pcd(folder / "labels.pcd")
    check(np.array_equal(xyz, exact, equal_nan=True), "labels.pcd and labels.ply hold other points")
    check(np.array_equal(pcd_ids, ids), "labels.pcd and labels.npy differ")
    check(np.array_equal(distances, ply_distances, equal_nan=True), "labels.pcd has other distances")
    for name in ("labels.las", "labels.laz"):
        xyz, las_ids, distances = read_las(folder / name)
        check(np.array_equal(las_ids, ids), f"{name} and labels.npy differ")
        check(np.array_equal(np.isnan(distances), ids < 0), f"{name}: a distance without a plane")
        check(
            np.allclose(distances, ply_distances, atol=1e-3, equal_nan=True),
            f"{name} and labels.ply have other distances",
        )
        size = np.abs(exact[finite]).max(initial=1.0)
        check(np.allclose(xyz[finite], exact[finite], rtol=0, atol=1e-6 * size), f"{name}: other points")
    for plane in planes:
        mine = ids == plane["id"]
        distance = exact[mine] @ np.array(plane["normal"]) - plane["offset"]
        check(
            np.allclose(distance, ply_distances[mine], atol=1e-4),
            f"plane {plane['id']}: distances are not those from the plane",
        )
    return len(ids)


def check_pieces(folder, planes):
    plane_ids, ids = np.load(folder / "labels.npy"), np.load(folder / "pieces.npy")
    check(ids.dtype == np.int32 and ids.shape == plane_ids.shape, "pieces.npy: another shape")
    pieces = [(plane["id"], piece) for plane in planes for piece in plane["pieces"]]
    check([p["id"] for _, p in pieces] == list(range(len(pieces))), "pieces: ids are not in order")
    check(((ids >= -1) & (ids < len(pieces))).all(), "pieces.npy: a label names no piece")
    counts = np.bincount(ids[ids >= 0], minlength=len(pieces))
    check(counts.tolist() == [p["inliers"] for _, p in pieces], "pieces.npy: other numbers of points")
    owner = np.array([plane for plane, _ in pieces] + [-1])
    check(((owner[ids] == plane_ids) | (ids < 0)).all(), "pieces.npy: a piece of another plane")
    clouds = [laspy.read(folder / name) for name in ("pieces.las", "pieces.laz")]
    for cloud in [*clouds, PlyData.read(folder / "pieces.ply")["vertex"]]:
        check(np.array_equal(cloud["piece_id"], ids), "pieces: a cloud and pieces.npy differ")
        check(np.array_equal(cloud["plane_id"], plane_ids), "pieces: other planes than in labels.npy")
    _, pcd_planes, _, pcd_pieces = read_pcd(folder / "pieces.pcd")
    check(np.array_equal(pcd_pieces, ids), "pieces.pcd and pieces.npy differ")
    check(np.array_equal(pcd_planes, plane_ids), "pieces.pcd: other planes than in labels.npy")


def check_polygons(folder, planes):
    path = folder / "planes.ply"
    ply = PlyData.read(path)
    vertex = ply["vertex"]
    xyz = np.column_stack([vertex[c] for c in "xyz"])
    check(xyz.dtype == np.float64, f"{path}: coordinates are {xyz.dtype}")
    outlines = [piece["boundary"] for plane in planes for piece in plane["pieces"]]
    rings = [ring for o in outlines for ring in [o["exterior"], *o.get("holes", [])]]
    expected = np.array([v for r in rings for v in r]).reshape(-1, 3)
    check(np.array_equal(xyz, expected), "planes.ply and planes.json have other vertices")
    faces = np.array([list(f) for f in ply["face"]["vertex_indices"]]).reshape(-1, 3)
    ids, piece_ids = ply["face"]["plane_id"], ply["face"]["piece_id"]
    a, b, c = (xyz[faces[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a) / 2
    for plane in planes:
        parts = [("plane", ids, plane)] + [("piece", piece_ids, piece) for piece in plane["pieces"]]
        for what, of, part in parts:
            along = areas[of == part["id"]].sum(axis=0) @ np.array(plane["normal"])
            check(
                np.isclose(along, part["area"], rtol=1e-6, atol=1e-9),
                f"{what} {part['id']}: the triangles cover {along}, the {what} {part['area']}",
            )
    mesh = open3d.io.read_triangle_mesh(str(path))
    check(len(mesh.triangles) == len(faces), "planes.ply: open3d reads other triangles")
    check(len(faces) == 0 or mesh.has_vertex_colors(), "planes.ply: open3d sees no colours")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    document = json.loads((folder / "planes.json").read_text())
    check(document["format"] == "planes-detection", "planes.json: another format")
    planes = document["planes"]
    check([p["id"] for p in planes] == list(range(len(planes))), "planes.json: ids are not in order")
    points = check_labels(folder, planes)
    check(document["input"]["points"] == points, "planes.json and labels.npy count other points")
    check_pieces(folder, planes)
    check_polygons(folder, planes)
    print(f"readback: {points} points, {len(planes)} planes: all files agree")


if __name__ == "__main__":
    main()
