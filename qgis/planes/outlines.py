"""From the JSON document of ``planes`` to the features of a layer. Knows nothing of QGIS."""

# The fields of a plane: name, and whether it is a whole number.
FIELDS = [
    ("id", True),
    ("points", True),
    ("area", False),
    ("length", False),
    ("width", False),
    ("slope", False),
    ("aspect", False),
    ("normal_x", False),
    ("normal_y", False),
    ("normal_z", False),
    ("offset", False),
    ("rmse", False),
    ("significance", False),
]


def features(document):
    """The values of the fields of each plane, and its outlines as well-known text."""
    for plane in document["planes"]:
        x, y, z = plane["normal"]
        own = {"points": plane["inliers"], "normal_x": x, "normal_y": y, "normal_z": z}
        values = [own[name] if name in own else plane[name] for name, _ in FIELDS]
        pieces = [_polygon(piece["boundary"]) for piece in plane["pieces"]]
        yield values, f"MULTIPOLYGON Z ({', '.join(pieces)})" if pieces else None


def _polygon(boundary):
    rings = [boundary["exterior"], *boundary.get("holes", [])]
    return f"({', '.join(map(_ring, rings))})"


def _ring(vertices):
    closed = [*vertices, vertices[0]]
    # repr keeps all digits.
    return f"({', '.join(' '.join(map(repr, vertex)) for vertex in closed)})"
