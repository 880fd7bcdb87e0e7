"""The plugin: it brings the provider."""

from qgis.core import QgsApplication

from .provider import PlanesProvider


class PlanesPlugin:
    """Adds the provider to Processing and takes it away again."""

    def __init__(self):
        self.provider = None

    def initProcessing(self):
        """Called by ``qgis_process``, too, which has no window."""
        self.provider = PlanesProvider()
        QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):
        self.initProcessing()

    def unload(self):
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None
