"""How well lines are found, compared with OpenCV's HoughLines: writes benches/results/lines.md.

    cargo build --release && pip install opencv-python-headless
    python benches/peers/lines.py [PLANES] > benches/results/lines.md

Every image of `planes synth lines` is searched with the default options. OpenCV gets the same edge
map (for grey images, Canny's) and, as chosen by someone who knows the lines, the best threshold of a grid by F1
for each kind. `planes eval` scores both.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np

PLANES = sys.argv[1] if len(sys.argv) > 1 else "target/release/planes"
SEEDS = range(1, 31)
KINDS = "clean noisy dense wrapped border thick photo".split()
THRESHOLDS = [0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8]  # of the shorter side


def run(*args):
    return subprocess.run([PLANES, "-q", *map(str, args)], check=True, capture_output=True, text=True).stdout


def document(image, found):
    """The lines of HoughLines, as a document that `planes eval` reads."""
    height, width = image.shape
    lines = []
    for rho, theta in found:
        # The same line with an angle below 180 degrees.
        segment = {"start": [0.0, 0.0], "end": [0.0, 0.0], "pixels": 1}
        lines.append({"theta": float(np.degrees(theta)) % 180, "rho": float(rho), "votes": 1, "z": 0.0,
                      "significance": 0.0, "pixels": 1, "width": 1.0, "segments": [segment]})
    parameters = {"edges": "none", "theta_step": 1.0, "rho_step": 1.0, "max_gap": 0.0, "min_length": 0.0,
                  "false_alarms": 1.0, "refine": "none", "top": None}
    return {"format": "planes-lines", "version": 1, "image": {"width": width, "height": height, "edges": 0},
            "parameters": parameters, "lines": lines}


def opencv(image, kind, threshold):
    blurred = cv2.GaussianBlur(image, (0, 0), 2)
    edges = cv2.Canny(blurred, 30, 90) if kind == "photo" else image
    found = cv2.HoughLines(edges, 1, np.pi / 180, round(threshold * min(image.shape)))
    return [] if found is None else found.reshape(-1, found.shape[-1])[:, :2]


def total(scores):
    add = lambda name: sum(s[name] for s in scores)
    matched, found, truth = add("matched"), add("found"), add("truth")
    precision, recall = matched / max(found, 1), matched / truth
    median = lambda name: np.median([s[name] for s in scores if s[name] is not None] or [np.nan])
    f1 = 2 * matched / max(found + truth, 1)
    return f1, precision, recall, add("duplicates") / max(found, 1), median("angle"), median("distance")


def row(kind, method, t):
    return (f"| {kind} | {method} | {t[1]:.3f} | {t[2]:.3f} | {t[0]:.3f} | {100 * t[3]:.1f} | {t[4]:.4f} | {t[5]:.3f} |")


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    rows = []
    for kind in KINDS:
        ours, theirs = [], {t: [] for t in THRESHOLDS}
        for seed in SEEDS:
            image, result = folder / "image.png", folder / "result.json"
            run("synth", "lines", "--kind", kind, "--seed", seed, "-o", image)
            score = lambda: json.loads(run("eval", result, "--truth", folder / "image.truth.json", "--json", "-"))
            run("detect", image, "--json", result)
            ours.append(score())
            pixels = cv2.imread(str(image), cv2.IMREAD_GRAYSCALE)
            for threshold in THRESHOLDS:
                found = opencv(pixels, kind, threshold)
                # Thousands of lines are useless and slow to score.
                result.write_text(json.dumps(document(pixels, found[:2000])))
                theirs[threshold].append(score())
        best = max(THRESHOLDS, key=lambda t: total(theirs[t])[0])
        rows += [row(kind, "planes", total(ours)), row(kind, f"OpenCV, threshold {best}", total(theirs[best]))]
    print(HEAD.format(seeds=len(SEEDS), version=cv2.__version__))
    print("\n".join(rows))


HEAD = """# How well lines are found

Images of `planes synth lines`, 640 × 480 pixels, twelve lines each (a photograph: about 14 sides of shapes), {seeds}
seeds of each kind. `planes` has its default options. OpenCV {version}'s `HoughLines`, with 1° and 1 pixel, gets the same edge map
(for photographs, `Canny(30, 90)` after a blur of 2) and the best threshold for each kind, as a share of the shorter side; it has no default.
`planes eval` scores both: a line is right within 1° and 2 pixels at the middle of a true line; each line counts once. *again*:
lines found twice, in % of the lines found. Errors are medians over the images' medians. Command: `benches/peers/lines.py`.

| kind | method | precision | recall | F1 | again % | angle ° | distance px |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


if __name__ == "__main__":
    main()
