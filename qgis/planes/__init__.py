"""A Processing plugin that calls the program ``planes``."""


def classFactory(iface):
    """What QGIS calls for the plugin; `iface` is None without a window."""
    from .plugin import PlanesPlugin

    return PlanesPlugin()
