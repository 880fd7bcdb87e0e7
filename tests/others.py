"""Writes one cloud with other people's tools, and compares what planes reads of each file.

    python tests/others.py PLANES FOLDER

PLANES is the program, FOLDER is for the files. PCD is written by Open3D in its three forms, .npy and .npz by NumPy,
gzip and zstd by Python's module and zstandard, depth images by Pillow. Every file must give the same points and the
same planes. Needs numpy, open3d, zstandard, pillow and plyfile. Ends with status 1 and a message where they differ.
"""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import open3d
import zstandard
from PIL import Image
from plyfile import PlyData


def check(holds, message):
    if not holds:
        sys.exit(f"others: {message}")


def detect(planes, path, *options):
    """The planes of a file, and its points as planes reads them."""
    labels = path.with_suffix(".back.ply")
    command = [planes, "-q", "detect", path, "--json", "-", "--labels", labels, *options]
    document = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return document["planes"], PlyData.read(labels)["vertex"]


def corner():
    """A floor and a wall, exact in 32 bits, with colours and intensities."""
    a, b = np.meshgrid(np.arange(60) / 16, np.arange(60) / 16)
    a, b, zero = a.ravel(), b.ravel(), np.zeros(a.size)
    xyz = np.concatenate([np.column_stack([a, b, zero]), np.column_stack([a, zero, b + 1 / 16])])
    rng = np.random.default_rng(7)
    return xyz, rng.integers(0, 256, xyz.shape, np.uint8), rng.integers(0, 5000, (len(xyz), 1))


def write_pcd(folder, xyz, colours, intensity):
    for kind in (np.float32, np.float64):
        cloud = open3d.t.geometry.PointCloud(open3d.core.Tensor(xyz.astype(kind)))
        cloud.point.colors = open3d.core.Tensor(colours)
        cloud.point.intensity = open3d.core.Tensor(intensity.astype(np.float32))
        for form, options in {
            "ascii": {"write_ascii": True},
            "binary": {},
            "compressed": {"compressed": True},
        }.items():
            path = folder / f"{np.dtype(kind).name}-{form}.pcd"
            check(open3d.t.io.write_point_cloud(str(path), cloud, **options), f"{path}: not written")
            yield path


def write_numpy(folder, xyz, colours, intensity):
    for kind in ("<f4", ">f8"):
        for order in "CF":
            path = folder / f"{kind[1:]}{order}.npy"
            np.save(path, np.array(xyz, dtype=kind, order=order))
            yield path
    np.savez(folder / "stored.npz", labels=np.arange(len(xyz)), xyz=xyz)
    np.savez_compressed(folder / "deflated.npz", ids=np.arange(len(xyz)), only=xyz)
    names = ["X", "Y", "Z", "Red", "Green", "Blue", "Intensity"]
    columns = [*xyz.T, *(colours.T.astype(np.uint16) * 256), intensity.ravel().astype(np.uint16)]
    np.save(folder / "records.npy", np.rec.fromarrays(columns, names=names))
    yield from (folder / name for name in ("stored.npz", "deflated.npz", "records.npy"))


def write_packed(folder, pcd, xyz):
    text = "".join(f"{x} {y} {z}\n" for x, y, z in xyz).encode()
    for name, content in {"text.xyz": text, "cloud.pcd": pcd.read_bytes()}.items():
        for ending, packed in {
            "gz": gzip.compress(content),
            "zst": zstandard.ZstdCompressor(level=9, write_checksum=True).compress(content),
        }.items():
            path = folder / f"{name}.{ending}"
            path.write_bytes(packed)
            yield path


def check_depth(planes, folder):
    """A depth image becomes the points that Open3D makes of it."""
    u, v = np.meshgrid(np.arange(160), np.arange(120))
    depth = np.round(5000 * 2 / (1 - (u - 79.5) / 300)).astype(np.uint16)
    depth[v < 3] = 0
    intrinsic = open3d.camera.PinholeCameraIntrinsic(160, 120, 150, 140, 79.5, 59.5)
    for name in ("depth.png", "depth.tif"):
        path = folder / name
        Image.fromarray(depth).save(path)
        _, vertex = detect(planes, path, "--camera", "150,140,79.5,59.5,5000")
        xyz = np.column_stack([vertex[c] for c in "xyz"])
        check(len(xyz) == depth.size, f"{path}: {len(xyz)} points")
        seen = np.isfinite(xyz).all(axis=1)
        check(np.array_equal(seen.reshape(depth.shape), depth > 0), f"{path}: other pixels")
        image = open3d.geometry.Image(depth)
        cloud = open3d.geometry.PointCloud.create_from_depth_image(
            image, intrinsic, depth_scale=5000.0, depth_trunc=100.0
        )
        # Open3D keeps depth in 32 bits.
        check(np.allclose(np.asarray(cloud.points), xyz[seen], rtol=1e-6), f"{path}: other points")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    planes, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    xyz, colours, intensity = corner()
    np.savetxt(folder / "plain.xyz", xyz, fmt="%.17g")
    want, _ = detect(planes, folder / "plain.xyz")
    check(len(want) == 2, f"{len(want)} planes in a corner")
    pcd = list(write_pcd(folder, xyz, colours, intensity))
    paths = [*pcd, *write_numpy(folder, xyz, colours, intensity), *write_packed(folder, pcd[1], xyz)]
    for path in paths:
        found, vertex = detect(planes, path)
        check(np.array_equal(np.column_stack([vertex[c] for c in "xyz"]), xyz), f"{path}: other points")
        if "red" in (p.name for p in vertex.properties):
            rgb = np.column_stack([vertex[c] for c in ("red", "green", "blue")])
            check(np.array_equal(rgb, colours), f"{path}: other colours")
            check(np.array_equal(vertex["intensity"], intensity.ravel()), f"{path}: other intensities")
        check(found == want, f"{path}: other planes")
    check_depth(planes, folder)
    print(f"others: {len(paths)} files of Open3D, NumPy, gzip and zstandard, and 2 depth images: all agree")


if __name__ == "__main__":
    main()
