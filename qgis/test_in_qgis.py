#!/usr/bin/env python3
"""Runs the plugin in QGIS, without a window, and looks at what comes out.

Needs QGIS (Debian: python3-qgis, qgis-providers) and the program:

    QT_QPA_PLATFORM=offscreen /usr/bin/python3 qgis/test_in_qgis.py target/release/planes
"""

import os
import shutil
import struct
import sys
import tempfile
import unittest
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
HERE = Path(__file__).resolve().parent
CLOUDS = HERE.parent / "clouds"
sys.path[:0] = ["/usr/share/qgis/python/plugins", str(HERE)]

from qgis.core import (  # noqa: E402
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsVectorLayer,
    QgsWkbTypes,
)

# Settings of the user who runs this are left alone.
CONFIGURATION = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
os.environ["QGIS_CUSTOM_CONFIG_PATH"] = CONFIGURATION.name
QgsApplication.setPrefixPath("/usr", True)
APPLICATION = QgsApplication([], False)
APPLICATION.initQgis()

import planes  # noqa: E402
import processing  # noqa: E402
from processing.core.Processing import Processing  # noqa: E402
from processing.core.ProcessingConfig import ProcessingConfig  # noqa: E402

PROGRAM = ""


class Feedback(QgsProcessingFeedback):
    """Keeps what is said; may cancel once something was."""

    def __init__(self, impatient=False):
        super().__init__(False)
        self.said = []
        self.impatient = impatient

    def pushInfo(self, info):
        self.said.append(info)

    def pushCommandInfo(self, info):
        self.said.append(info)
        if self.impatient:
            self.cancel()


def with_crs(cloud, to, crs):
    """Writes a LAS 1.4 file with a coordinate system in it."""
    old = cloud.read_bytes()
    wkt = crs.toWkt().encode() + b"\0"
    record = struct.pack("<H16sHH32s", 0, b"LASF_Projection", 2112, len(wkt), b"") + wkt
    new = bytearray(old)
    header, points, records = struct.unpack_from("<HII", old, 94)
    # The system is well-known text, and the points begin later.
    new[6] |= 16
    struct.pack_into("<II", new, 96, points + len(record), records + 1)
    to.write_bytes(new[:header] + record + new[header:])


class InQgis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        Processing.initialize()
        cls.plugin = planes.classFactory(None)
        cls.plugin.initProcessing()

    @classmethod
    def tearDownClass(cls):
        cls.plugin.unload()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        ProcessingConfig.setSettingValue("PLANES_PROGRAM", PROGRAM)

    def detect(self, cloud, feedback=None, **parameters):
        parameters = {"INPUT": str(cloud), "OUTLINES": "TEMPORARY_OUTPUT", **parameters}
        return processing.run("planes:detectplanes", parameters, feedback=feedback or Feedback())

    def test_outlines_and_labelled_cloud(self):
        cloud = self.folder / "roofs.las"
        outlines, labels = self.folder / "roofs.gpkg", self.folder / "labelled.laz"
        with_crs(CLOUDS / "roofs.las", cloud, QgsCoordinateReferenceSystem("EPSG:25832"))
        feedback = Feedback()
        found = self.detect(
            cloud,
            feedback,
            # What the cloud says of itself is right.
            CRS=QgsCoordinateReferenceSystem("EPSG:3857"),
            TOP=5,
            MIN_AREA=2.5,
            OUTLINES=str(outlines),
            LABELS=str(labels),
        )
        self.assertEqual(found["LABELS"], str(labels))
        self.assertEqual(labels.read_bytes()[:4], b"LASF")
        layer = QgsVectorLayer(str(outlines), "roofs", "ogr")
        self.assertTrue(layer.isValid())
        self.assertEqual(layer.featureCount(), 5)
        self.assertEqual(layer.wkbType(), QgsWkbTypes.MultiPolygonZ)
        self.assertEqual(layer.crs().authid(), "EPSG:25832")
        for number, feature in enumerate(layer.getFeatures()):
            self.assertEqual(feature["id"], number)
            self.assertGreater(feature["points"], 0)
            # What is seen from above of an area that slopes.
            seen = feature["area"] * feature["normal_z"]
            self.assertAlmostEqual(feature.geometry().area() / seen, 1, 3)
        self.assertTrue(any("planes" in line for line in feedback.said), feedback.said)
        self.assertIn("5 planes", feedback.said)

    def test_a_coordinate_system_for_a_cloud_without_one(self):
        crs = QgsCoordinateReferenceSystem("EPSG:25832")
        found = self.detect(CLOUDS / "room.ply", CRS=crs, OPTIONS="--every 2 --curved facets")
        self.assertEqual(found["OUTLINES"].crs().authid(), "EPSG:25832")
        self.assertGreater(found["OUTLINES"].featureCount(), 5)
        found = self.detect(CLOUDS / "room.ply", TOP=1)
        self.assertEqual(found["OUTLINES"].crs().authid(), "")

    def test_what_the_program_says_is_shown(self):
        broken = self.folder / "broken.las"
        broken.write_text("LASF, and no more")
        for cloud, parameters, said in [
            (broken, {}, "broken.las: header: the file ends inside the header"),
            (CLOUDS / "room.ply", {"OPTIONS": "--nonsense"}, "unexpected argument '--nonsense'"),
            (CLOUDS / "room.ply", {"CLASSES": "999"}, "--class takes numbers from 0 to 255"),
        ]:
            with self.assertRaisesRegex(QgsProcessingException, said):
                self.detect(cloud, **parameters)

    def test_a_program_that_is_not_there(self):
        program = self.folder / "planes"
        program.write_text("")
        ProcessingConfig.setSettingValue("PLANES_PROGRAM", str(program))
        with self.assertRaisesRegex(QgsProcessingException, "/planes: Permission denied"):
            self.detect(CLOUDS / "room.ply")
        program.unlink()
        with self.assertRaisesRegex(QgsProcessingException, "/planes: no such file; see Settings"):
            self.detect(CLOUDS / "room.ply")

    def test_cancelled(self):
        labels = self.folder / "out" / "room.ply"
        labels.parent.mkdir()
        found = self.detect(CLOUDS / "room.ply", Feedback(impatient=True), LABELS=str(labels))
        self.assertNotIn("OUTLINES", found)
        self.assertEqual(list(labels.parent.iterdir()), [])


if __name__ == "__main__":
    PROGRAM = shutil.which(sys.argv.pop(1) if len(sys.argv) > 1 else "planes") or ""
    if not PROGRAM:
        sys.exit("no program planes: name it")
    PROGRAM = os.path.abspath(PROGRAM)
    with CONFIGURATION:
        unittest.main()
