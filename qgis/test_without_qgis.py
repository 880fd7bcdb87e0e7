#!/usr/bin/env python3
"""The plugin without QGIS, against stand-ins for its classes: what it tells the program and makes of the answer.

    python3 qgis/test_without_qgis.py target/release/planes

test_in_qgis.py asks the same of the real one.
"""

import json
import os
import shutil
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
CLOUDS = HERE.parent / "clouds"
sys.path.insert(0, str(HERE))
PROGRAM = ""


class Algorithm:
    """Of QgsProcessingAlgorithm what the plugin uses: parameters as they are given."""

    def __init__(self):
        self.sink = mock.Mock()

    def parameterAsSink(self, parameters, name, context, fields, kind, crs):
        return self.sink, name

    def __getattr__(self, name):
        if not name.startswith("parameterAs"):
            raise AttributeError(name)
        return lambda parameters, name, context: parameters.get(name)


class Refusal(Exception):
    """Of QgsProcessingException what the plugin uses."""


def modules():
    """Stand-ins for QGIS."""
    names = ["qgis", "qgis.core", "qgis.PyQt", "qgis.PyQt.QtCore"]
    names += ["processing", "processing.core", "processing.core.ProcessingConfig"]
    found = {name: mock.MagicMock(spec=types.ModuleType, name=name) for name in names}
    core = mock.MagicMock(name="qgis.core")
    core.QgsProcessingAlgorithm, core.QgsProcessingException = Algorithm, Refusal
    core.QgsProcessingProvider = type("QgsProcessingProvider", (), {})
    folder = tempfile.mkdtemp()
    core.QgsProcessingUtils.generateTempFilename = lambda name: os.path.join(folder, name)
    found["qgis.core"] = core
    found["qgis.PyQt.QtCore"] = mock.MagicMock(name="qgis.PyQt.QtCore")
    found["processing.core.ProcessingConfig"] = mock.MagicMock(name="ProcessingConfig")
    return found, folder


class WithoutQgis(unittest.TestCase):
    def setUp(self):
        found, folder = modules()
        self.addCleanup(shutil.rmtree, folder)
        self.core = found["qgis.core"]
        patch = mock.patch.dict(sys.modules, found)
        patch.start()
        self.addCleanup(patch.stop)
        for name in [name for name in sys.modules if name.split(".")[0] == "planes"]:
            del sys.modules[name]
        from planes import classFactory, detect_planes, outlines, program

        self.plugin, self.outlines, self.program = classFactory(None), outlines, program
        self.algorithm = detect_planes.DetectPlanes(lambda: PROGRAM)

    def detect(self, feedback=None, **parameters):
        if feedback is None:
            feedback = mock.Mock(isCanceled=lambda: False)
        return self.algorithm.processAlgorithm(parameters, None, feedback)

    def test_the_plugin_brings_its_provider_and_takes_it_away(self):
        registry = self.core.QgsApplication.processingRegistry()
        self.plugin.initGui()
        registry.addProvider.assert_called_once_with(self.plugin.provider)
        self.plugin.provider.addAlgorithm = added = mock.Mock()
        self.plugin.provider.loadAlgorithms()
        self.assertEqual(added.call_args.args[0].name(), "detectplanes")
        self.plugin.unload()
        registry.removeProvider.assert_called_once()

    def test_each_plane_is_a_feature(self):
        self.detect(INPUT=str(CLOUDS / "roofs.las"), TOP=3, MIN_AREA=2.5)
        self.assertEqual(self.algorithm.sink.addFeature.call_count, 3)
        self.core.QgsCoordinateReferenceSystem.fromWkt.assert_called_once()

    def test_values_and_outlines_are_those_of_the_document(self):
        with tempfile.TemporaryDirectory() as folder:
            document = os.path.join(folder, "a.json")
            values = {"top": 2, "tolerance": None, "class": ""}
            words = self.program.arguments(
                str(CLOUDS / "roofs.las"), {"json": document}, values, "--min-inliers 30 --refine ols"
            )
            self.assertEqual(words[2:], [f"--json={document}", "--top=2", *words[-4:]])
            said = []
            self.assertTrue(self.program.run([PROGRAM, *words], said.append, lambda: False))
            document = json.loads(Path(document).read_text())
        found = list(self.outlines.features(document))
        self.assertEqual(len(found), 2)
        for plane, (values, outlines) in zip(document["planes"], found):
            named = dict(zip([name for name, _ in self.outlines.FIELDS], values))
            self.assertEqual(named["points"], plane["inliers"])
            self.assertEqual([named[f"normal_{axis}"] for axis in "xyz"], plane["normal"])
            self.assertEqual(outlines.count("(("), len(plane["pieces"]))
            first = plane["pieces"][0]["boundary"]["exterior"][0]
            start = "MULTIPOLYGON Z (((" + " ".join(map(repr, first)) + ", "
            self.assertTrue(outlines.startswith(start), outlines[:80])

    def test_what_the_program_says_against_it_is_raised(self):
        with self.assertRaisesRegex(Refusal, "^--top must be at least 1$"):
            self.detect(INPUT=str(CLOUDS / "room.ply"), OPTIONS="--top 0")
        with self.assertRaisesRegex(self.program.ProgramError, "/no/such/planes: No such file"):
            self.program.run(["/no/such/planes"], print, lambda: False)
        with self.assertRaisesRegex(self.program.ProgramError, "no such file; see Settings"):
            self.program.find("/no/such/planes")

    def test_cancelled(self):
        feedback = mock.Mock(isCanceled=lambda: True)
        self.assertEqual(self.detect(feedback, INPUT=str(CLOUDS / "room.ply")), {})
        self.algorithm.sink.addFeature.assert_not_called()


if __name__ == "__main__":
    PROGRAM = shutil.which(sys.argv.pop(1) if len(sys.argv) > 1 else "planes") or ""
    if not PROGRAM:
        sys.exit("no program planes: name it")
    PROGRAM = os.path.abspath(PROGRAM)
    unittest.main()
