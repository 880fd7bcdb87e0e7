"""The algorithm: planes of a point cloud."""

import json
import os

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingException,
    QgsProcessingParameterCrs,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFile,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
    QgsProcessingUtils,
    QgsWkbTypes,
)
from qgis.PyQt.QtCore import QVariant

from .outlines import FIELDS, features
from .program import ProgramError, arguments, run

CLOUDS = "Point clouds (*.las *.laz *.e57 *.ply *.pcd *.npy *.npz *.txt *.csv *.xyz *.pts *.asc);;All files (*.*)"
LABELLED = "LAZ (*.laz);;LAS (*.las);;PLY (*.ply)"

HELP = """Finds the planes in a point cloud (floors, walls, roofs, terrain) with the program <i>planes</i>.

Outlines: a layer with a feature for each plane, whose parts are the pieces that hang together, and the fields \
points, area, length, width, slope, aspect, normal, offset, rmse and significance. Seen from above, the outline of \
a wall is a line; the 3D view shows its face.

Labelled cloud: the cloud with plane_id (-1 for no plane) and plane_distance for each point.

Where the tolerance is left empty, it is measured from the cloud.
"""


class DetectPlanes(QgsProcessingAlgorithm):
    """`planes detect` with outlines as a vector layer."""

    def __init__(self, program):
        """`program` tells where the program is."""
        super().__init__()
        self.program = program

    def createInstance(self):
        return DetectPlanes(self.program)

    def name(self):
        return "detectplanes"

    def displayName(self):
        return "Detect planes of a point cloud"

    def shortHelpString(self):
        return HELP

    def tags(self):
        return ["point cloud", "lidar", "las", "laz", "plane", "roof", "wall", "segmentation", "hough"]

    def initAlgorithm(self, configuration=None):
        real, whole = QgsProcessingParameterNumber.Double, QgsProcessingParameterNumber.Integer

        def number(name, text, kind, least):
            return QgsProcessingParameterNumber(name, text, kind, None, True, least)

        options = QgsProcessingParameterString(
            "OPTIONS", "More options of planes detect, as in a shell", optional=True
        )
        crs = QgsProcessingParameterCrs(
            "CRS", "Coordinate system, where the cloud names none", optional=True
        )
        for parameter in (options, crs):
            flags = parameter.flags() | QgsProcessingParameterDefinition.FlagAdvanced
            parameter.setFlags(flags)
        for parameter in (
            QgsProcessingParameterFile("INPUT", "Point cloud", fileFilter=CLOUDS),
            number("TOLERANCE", "Tolerance: largest distance of a point from its plane", real, 0),
            number("TOP", "Only so many planes, the most significant ones", whole, 1),
            number("MIN_AREA", "Smallest area of a plane", real, 0),
            QgsProcessingParameterString(
                "CLASSES", "Only points of these classes, such as 2,6", optional=True
            ),
            crs,
            options,
            QgsProcessingParameterFeatureSink(
                "OUTLINES", "Outlines", QgsProcessing.TypeVectorPolygon
            ),
            QgsProcessingParameterFileDestination(
                "LABELS", "Labelled cloud", LABELLED, optional=True, createByDefault=False
            ),
        ):
            self.addParameter(parameter)

    def processAlgorithm(self, parameters, context, feedback):
        document, labels = self.detect(parameters, context, feedback)
        if document is None:
            return {}
        crs = self.crs(document, parameters, context)
        sink, layer = self.parameterAsSink(
            parameters, "OUTLINES", context, fields(), QgsWkbTypes.MultiPolygonZ, crs
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, "OUTLINES"))
        if not crs.isValid():
            # A layer in memory that is given none is taken for one of longitudes and latitudes.
            made = QgsProcessingUtils.mapLayerFromString(layer, context)
            if made is not None:
                made.setCrs(crs)
        for values, outlines in features(document):
            feature = QgsFeature()
            feature.setAttributes(values)
            if outlines is not None:
                feature.setGeometry(QgsGeometry.fromWkt(outlines))
            if not sink.addFeature(feature, QgsFeatureSink.FastInsert):
                raise QgsProcessingException(f"outlines: {sink.lastError()}")
        feedback.pushInfo(f"{len(document['planes'])} planes")
        return {"OUTLINES": layer, "LABELS": labels}

    def detect(self, parameters, context, feedback):
        """The document of the planes, None if it was cancelled; and where the labelled cloud is, if anywhere."""
        given = {name for name, value in parameters.items() if value is not None}

        def number(name, read):
            return read(parameters, name, context) if name in given else None

        values = {
            "tolerance": number("TOLERANCE", self.parameterAsDouble),
            "top": number("TOP", self.parameterAsInt),
            "min-area": number("MIN_AREA", self.parameterAsDouble),
            "class": self.parameterAsString(parameters, "CLASSES", context),
        }
        found = QgsProcessingUtils.generateTempFilename("planes.json")
        labels = self.parameterAsFileOutput(parameters, "LABELS", context) or None
        outputs = {"json": found, "labels": labels}
        cloud = self.parameterAsFile(parameters, "INPUT", context)
        more = self.parameterAsString(parameters, "OPTIONS", context)
        try:
            command = [self.program(), *arguments(cloud, outputs, values, more)]
            feedback.pushCommandInfo(" ".join(command))
            if not run(command, feedback.pushInfo, feedback.isCanceled):
                return None, None
        except ProgramError as error:
            raise QgsProcessingException(str(error)) from error
        with open(found, encoding="utf-8") as file:
            document = json.load(file)
        os.remove(found)
        return document, labels

    def crs(self, document, parameters, context):
        """That of the cloud; else the one that was named."""
        own = document["input"]["crs"] or {}
        if own.get("epsg"):
            crs = QgsCoordinateReferenceSystem.fromEpsgId(own["epsg"])
        else:
            crs = QgsCoordinateReferenceSystem.fromWkt(own.get("wkt") or "")
        return crs if crs.isValid() else self.parameterAsCrs(parameters, "CRS", context)


def fields():
    """The fields of the outlines."""
    made = QgsFields()
    for name, is_whole in FIELDS:
        made.append(QgsField(name, QVariant.LongLong if is_whole else QVariant.Double))
    return made
