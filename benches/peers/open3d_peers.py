"""Planes by Open3D: repeated RANSAC (`segment_plane`) or `detect_planar_patches`.

    python open3d_peers.py ransac|patches IN.ply OUT.npy NAME=VALUE...

OUT.npy receives the plane of each point, -1 for none. Lengths are in the cloud's unit.

ransac:   epsilon, min (fewest points), iterations
patches:  epsilon, min, variance and coplanarity in degrees, neighbours, outliers (share)

A patch is a box, extended by epsilon to both sides of its plane; its points are those inside. A
point in several boxes belongs to the one whose plane is nearest.
"""

import sys
import time

import numpy as np
import open3d as o3d


def repeated_ransac(cloud, options):
    """Finds planes one by one and removes their points from the cloud."""
    points = np.asarray(cloud.points)
    labels = np.full(len(points), -1, np.int32)
    left = np.arange(len(points))
    plane = 0
    while len(left) >= max(3, options["min"]):
        rest = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points[left]))
        _, inliers = rest.segment_plane(
            options["epsilon"], ransac_n=3, num_iterations=int(options["iterations"])
        )
        if len(inliers) < options["min"]:
            break
        labels[left[inliers]] = plane
        left = np.delete(left, inliers)
        plane += 1
    return labels


def patches(cloud, options):
    """Planar patches of Araújo and Oliveira (2020)."""
    knn = int(options["neighbours"])
    cloud.estimate_normals(o3d.geometry.KDTreeSearchParamKNN(knn))
    boxes = cloud.detect_planar_patches(
        normal_variance_threshold_deg=options["variance"],
        coplanarity_deg=options["coplanarity"],
        outlier_ratio=options["outliers"],
        min_plane_edge_length=0.0,
        min_num_points=int(options["min"]),
        search_param=o3d.geometry.KDTreeSearchParamKNN(knn),
    )
    points = np.asarray(cloud.points)
    labels = np.full(len(points), -1, np.int32)
    nearest = np.full(len(points), np.inf)
    for plane, box in enumerate(boxes):
        local = (points - box.center) @ box.R
        half = np.asarray(box.extent) / 2
        inside = (
            (np.abs(local[:, 0]) <= half[0])
            & (np.abs(local[:, 1]) <= half[1])
            & (np.abs(local[:, 2]) <= options["epsilon"])
            & (np.abs(local[:, 2]) < nearest)
        )
        labels[inside] = plane
        nearest[inside] = np.abs(local[inside, 2])
    return labels


def main():
    method, source, target, *rest = sys.argv[1:]
    options = {"iterations": 1000, "variance": 60, "coplanarity": 75, "neighbours": 30}
    options |= {"outliers": 0.75, "min": 50}
    options |= {name: float(value) for name, value in (option.split("=") for option in rest)}
    o3d.utility.random.seed(1)
    start = time.perf_counter()
    cloud = o3d.io.read_point_cloud(source)
    # Survey coordinates would lose digits.
    cloud.translate(-cloud.points[0])
    read = time.perf_counter()
    labels = {"ransac": repeated_ransac, "patches": patches}[method](cloud, options)
    planes = time.perf_counter()
    np.save(target, labels)
    print(f"read {read - start:.2f} s, planes {planes - read:.2f} s", file=sys.stderr)


main()
