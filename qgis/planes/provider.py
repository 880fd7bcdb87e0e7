"""The provider: the algorithms, and where the program is."""

from processing.core.ProcessingConfig import ProcessingConfig, Setting
from qgis.core import QgsProcessingProvider

from .detect_planes import DetectPlanes
from .program import find

PROGRAM = "PLANES_PROGRAM"


class PlanesProvider(QgsProcessingProvider):
    """What Processing lists as ``planes``."""

    def load(self):
        ProcessingConfig.settingIcons[self.name()] = self.icon()
        setting = Setting(
            self.name(),
            PROGRAM,
            "Program planes (empty: searched for on the PATH)",
            "",
            valuetype=Setting.FILE,
        )
        ProcessingConfig.addSetting(setting)
        ProcessingConfig.readSettings()
        self.refreshAlgorithms()
        return True

    def unload(self):
        ProcessingConfig.removeSetting(PROGRAM)

    def loadAlgorithms(self):
        self.addAlgorithm(DetectPlanes(lambda: find(ProcessingConfig.getSetting(PROGRAM))))

    def id(self):
        return "planes"

    def name(self):
        return "planes"

    def longName(self):
        return "planes: planes in point clouds"
