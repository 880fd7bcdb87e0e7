"""Speed of the vote for lines on one thread, compared with OpenCV's HoughLines and imageproc's detect_lines: a table in Markdown.

    cargo build --release && pip install opencv-python-headless
    cargo build --release --manifest-path benches/peers/imageproc/Cargo.toml
    python benches/peers/hough.py [PLANES [HOUGH-OF-IMAGEPROC]]

All get the same edge map, steps of 1 degree and bins of 1 pixel, and end with a list: theirs has the maxima above a threshold of a
third of the height; ours comes from the vote and the selection of `planes bench --threads 1`. They run alternately. Each time is the
best of its runs, each ratio the median over the rounds.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np

PLANES = sys.argv[1] if len(sys.argv) > 1 else "target/release/planes"
IMAGEPROC = sys.argv[2] if len(sys.argv) > 2 else "benches/peers/imageproc/target/release/hough-of-imageproc"
TURNS = 5
RUNS = 3
SIZE = (1080, 1920)


def strewn(share):
    edges = np.zeros(SIZE, np.uint8)
    chosen = np.random.default_rng(1).choice(edges.size, int(edges.size * share), replace=False)
    edges.flat[chosen] = 255
    return edges


def drawn(folder, kind):
    path = folder / f"{kind}.png"
    subprocess.run([PLANES, "-q", "synth", "lines", "--kind", kind, "--size", f"{SIZE[1]}x{SIZE[0]}", "-o", path], check=True)
    return cv2.threshold(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE), 127, 255, cv2.THRESH_BINARY)[1]


def opencv(edges):
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        cv2.HoughLines(edges, 1, np.pi / 180, SIZE[0] // 3)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def imageproc(path):
    command = [IMAGEPROC, path, SIZE[0] // 3, RUNS]
    out = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout
    return statistics.median(float(line.split()[0]) for line in out.splitlines())


def ours(path):
    command = [PLANES, "-q", "bench", path, "--edges", "none", "--device", "cpu", "--threads", "1", "--modes", "fast",
               "--json", "-"]
    report = json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout)
    row = report["grey"][0]
    return row["vote"] + row["select"]


def main():
    cv2.setNumThreads(1)
    folder = pathlib.Path(tempfile.mkdtemp())
    images = {f"strewn, {100 * share:g} %": strewn(share) for share in (0.01, 0.059)}
    images |= {kind: drawn(folder, kind) for kind in ("noisy", "dense")}
    print(f"| 1920 x 1080 | edges | planes, ms | 1e9 votes/s | OpenCV {cv2.__version__}, ms | ratio | imageproc, ms | ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, edges in images.items():
        path = folder / "edges.png"
        cv2.imwrite(str(path), edges)
        turns = [(ours(path), opencv(edges), imageproc(path)) for _ in range(TURNS)]
        own, *theirs = zip(*turns)
        n = int(np.count_nonzero(edges))
        row = f"| {name} | {n} | {min(own) * 1e3:.1f} | {n * 180 / min(own) / 1e9:.2f} |"
        for seconds in theirs:
            ratio = statistics.median(t / o for t, o in zip(seconds, own))
            row += f" {min(seconds) * 1e3:.1f} | {ratio:.1f} |"
        print(row, flush=True)


if __name__ == "__main__":
    main()
